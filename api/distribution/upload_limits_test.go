package distribution_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/disk"
	"svc/store"
)

// writerOfA returns a key that may only upload files to project a.
func writerOfA(t testing.TB, s *apitest.Server, name string) (token string) {
	t.Helper()
	id := apitest.Field[string](t, s.Must(t, 200, "GET", "/admin/projects/a", ""), "id")
	return s.Key(t, fmt.Sprintf(`{"name":%q,"scopes":["files:write"],"project_ids":[%q]}`, name, id))
}

// TestOpenUploads checks section 4.3 of limits.md: the list of open upload sessions shows which
// credential has created each one.
func TestOpenUploads(t *testing.T) {
	t.Parallel()
	s := withFiles(t)
	s.Project(t, "b")
	key := writerOfA(t, s, "builds")
	first := begin(t, s, "a.zip", chunkSize+5)
	s.Must(t, 200, "PUT", first+"/chunks/1", "12345")
	s.Clock.Advance(time.Minute)
	status, second, _ := s.Do(t, "POST", fileList+"/uploads", key, `{"filename":"b.zip","size":7}`)
	if status != 201 {
		t.Fatalf("a session of the key: got %d %s", status, second)
	}
	open := func(token, project string) (data string) {
		t.Helper()
		status, answer, _ := s.Do(t, "GET", "/admin/projects/"+project+"/files/uploads", token, "")
		if status != 200 {
			t.Fatalf("list: got %d %s", status, answer)
		}
		return string(apitest.Field[json.RawMessage](t, answer, "data"))
	}
	id := func(at string) string { return at[strings.LastIndex(at, "/")+1:] }
	created := func(session string) int64 { return apitest.Field[int64](t, session, "expires_at") - 86400 }
	want := fmt.Sprintf(`[{"upload_id":%q,"filename":"b.zip","size":7,"received_bytes":0,"created_at":%d,"credential":"builds"},
		{"upload_id":%q,"filename":"a.zip","size":8388613,"received_bytes":5,"created_at":%d,"credential":"administrator"}]`,
		apitest.Field[string](t, second, "upload_id"), created(second), id(first), created(s.Must(t, 200, "GET", first, "")))
	for _, token := range []string{s.Admin, key} {
		if got := open(token, "a"); got != want {
			if why := apitest.CompareJSON(t, got, want); why != "" {
				t.Error(why)
			}
		}
	}
	if got := open(s.Admin, "b"); got != "[]" {
		t.Errorf("another project: got %s", got)
	}
	s.Must(t, 200, "DELETE", first, "")
	s.Must(t, 404, "GET", "/admin/projects/none/files/uploads", "")
	if got := open(s.Admin, "a"); strings.Contains(got, "a.zip") || !strings.Contains(got, "b.zip") {
		t.Errorf("after one was given up: got %s", got)
	}
}

// TestTooManyUploads checks section 4.2 of limits.md: a credential may have at most 8 open upload
// sessions, and a project at most 32.
func TestTooManyUploads(t *testing.T) {
	t.Parallel()
	s := withFiles(t)
	s.Project(t, "b")
	create := func(token string) (status int, answer string, header http.Header) {
		t.Helper()
		return s.Do(t, "POST", fileList+"/uploads", token, `{"filename":"a.zip","size":5}`)
	}
	refused := func(token, want string) {
		t.Helper()
		status, answer, header := create(token)
		after, err := strconv.Atoi(header.Get("Retry-After"))
		if status != 429 || !strings.Contains(answer, want) || err != nil || after < 1 || after > 86400 {
			t.Errorf("got %d %s, Retry-After %q; want 429 with %q", status, answer, header.Get("Retry-After"), want)
		}
	}
	var keys, ofFirst []string
	for i := range 4 {
		keys = append(keys, writerOfA(t, s, fmt.Sprint("key ", i)))
		for range 8 {
			status, answer, _ := create(keys[i])
			if status != 201 {
				t.Fatalf("got %d %s", status, answer)
			}
			if i == 0 {
				ofFirst = append(ofFirst, apitest.Field[string](t, answer, "upload_id"))
			}
		}
		refused(keys[i], "8 open uploads")
	}
	refused(s.Admin, "the project has 32 open uploads")
	s.Must(t, 201, "POST", "/admin/projects/b/files/uploads", `{"filename":"a.zip","size":5}`)
	if status, answer, _ := s.Do(t, "PUT", fileList+"?filename=a.txt", keys[0], "12345"); status != 201 {
		t.Errorf("a file in one request is no session: got %d %s", status, answer)
	}
	at := fileList + "/uploads/" + ofFirst[0]
	s.Must(t, 200, "PUT", at+"/chunks/0", "12345")
	s.Must(t, 200, "POST", at+"/complete", "")
	if status, answer, _ := create(keys[0]); status != 201 {
		t.Errorf("after one was completed: got %d %s", status, answer)
	}
}

// TestNoRoomForAnUpload checks section 4.2 of limits.md: an upload or a pending file that is larger
// than half of the free space is refused.
func TestNoRoomForAnUpload(t *testing.T) {
	t.Parallel()
	const huge = 1 << 50
	s := withFiles(t, apitest.WithConfig(func(c *api.Config) { c.Files.MaxSize = huge }))
	begin := func(name string, size int64, want int) {
		t.Helper()
		status, answer, header := s.Do(t, "POST", fileList+"/uploads", s.Admin, fmt.Sprintf(`{"filename":"a.zip","size":%d}`, size))
		if status != want || status == 507 && (header.Get("Retry-After") == "" || !strings.Contains(answer, "half of the free space")) {
			t.Errorf("%s: got %d %s, want %d", name, status, answer, want)
		}
	}
	begin("a session", huge, 507)
	body, end := io.Pipe()
	defer end.Close()
	r, err := http.NewRequestWithContext(t.Context(), "PUT", s.URL+"/api/v1"+fileList+"?filename=a.zip", body)
	if err != nil {
		t.Fatal(err)
	}
	r.ContentLength = huge
	r.Header.Set("Authorization", "Bearer "+s.Admin)
	answer, err := s.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != 507 {
		t.Errorf("a file in one request: got %d %s, %v", answer.StatusCode, text, err)
	}
	apitest.LoadContract(t).Check(t, r, answer.StatusCode, answer.Header, text)
	begin("a small session", 5, 201)
	space, err := disk.Free(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	quarter := int64(space / 4)
	begin("a quarter", quarter, 201)
	waiting := &store.File{
		ID: "pending00000", Filename: "p", ObjectKey: "f/a/pending00000/p", Status: store.FilePending, Source: store.FileUploaded,
		Size: quarter / 2, SHA256: sumOf("p"), Backend: store.LocalStorage,
	}
	create(t, s, "a", waiting)
	begin("a quarter with an eighth that is pending", quarter, 507)
}
