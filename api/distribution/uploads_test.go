package distribution_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/testutil"
	"svc/store"
)

const chunkSize = 8 << 20

// fileList is the path of the files of project a.
const fileList = "/admin/projects/a/files"

// withFiles starts a server that has the project a.
func withFiles(t testing.TB, opts ...apitest.Option) *apitest.Server {
	t.Helper()
	s := apitest.NewServer(t, opts...)
	s.Project(t, "a")
	return s
}

// begin creates an upload session and returns its path.
func begin(t testing.TB, s *apitest.Server, name string, size int) (path string) {
	t.Helper()
	session := s.Must(t, 201, "POST", fileList+"/uploads", fmt.Sprintf(`{"filename":%q,"size":%d}`, name, size))
	return fileList + "/uploads/" + apitest.Field[string](t, session, "upload_id")
}

func sumOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// download returns the content behind a file's link.
func download(t testing.TB, s *apitest.Server, file string) string {
	t.Helper()
	status, body, _ := s.Send(t, "GET", apitest.Field[string](t, file, "path"), nil, "")
	if status != 200 {
		t.Fatalf("link of %s: got %d %s", file, status, body)
	}
	return body
}

func TestUploadInChunks(t *testing.T) {
	t.Parallel()
	s := withFiles(t)
	content := alphabet(2*chunkSize + 5)
	at := begin(t, s, " ../a:b.zip. ", len(content))
	chunk := func(i int) string { return content[i*chunkSize : min((i+1)*chunkSize, len(content))] }
	s.Exchanges(t, []apitest.Exchange{
		{"nothing yet", "GET", at, "", 200, `{"filename":"_a_b.zip","size":16777221,"chunk_size":8388608,"total_chunks":3,"received_chunks":[],"storage_backend_id":"local"}`},
		{"the last one first", "PUT", at + "/chunks/2", chunk(2), 200, `{"index":2,"bytes":5}`},
		{"too early", "POST", at + "/complete", "", 409, `{"message":"chunks are missing: 0, 1"}`},
		{"another one", "PUT", at + "/chunks/0", chunk(0), 200, `{"index":0,"bytes":8388608}`},
		{"again, with other bytes", "PUT", at + "/chunks/2", "xxxxx", 200, `{"index":2,"bytes":5}`},
		{"and back", "PUT", at + "/chunks/2/", chunk(2), 200, `{"index":2,"bytes":5}`},
		{"too short", "PUT", at + "/chunks/1", "x", 400, `{"message":"chunk 1 must have exactly 8388608 bytes, the body has 1"}`},
		{"too long", "PUT", at + "/chunks/2", "123456", 400, ``},
		{"empty", "PUT", at + "/chunks/2", "", 400, ``},
		{"behind the end", "PUT", at + "/chunks/3", "x", 400, `{"message":"index must be an integer from 0 to 2"}`},
		{"negative", "PUT", at + "/chunks/-1", "x", 400, `{"message":"index must be an integer from 0 to 2"}`},
		{"no integer", "PUT", at + "/chunks/1.0", "x", 400, `{"message":"index must be an integer from 0 to 2"}`},
		{"a huge one", "PUT", at + "/chunks/99999999999999999999", "x", 400, ``},
		{"two of three", "GET", at, "", 200, `{"received_chunks":[0,2]}`},
		{"the missing one", "PUT", at + "/chunks/1", chunk(1), 200, ``},
	})
	file := s.Must(t, 200, "POST", at+"/complete", "")
	if why := apitest.CompareJSON(t, file, fmt.Sprintf(`{"project_key":"a","filename":"_a_b.zip","size":%d,"sha256":%q,"part_size":null,"content_type":"application/zip","status":"ready","source":"upload",
		"source_url":null,"error":null,"storage_backend_id":"local","url":null,"referenced_by":[]}`, len(content), sumOf(content))); why != "" {
		t.Error(why)
	}
	if download(t, s, file) != content {
		t.Error("another content came back")
	}
	if again := s.Must(t, 200, "POST", at+"/complete", ""); again != file {
		t.Errorf("completed again: got %s, want %s", again, file)
	}
	s.Exchanges(t, []apitest.Exchange{
		{"completed: read", "GET", at, "", 404, ``},
		{"completed: chunk", "PUT", at + "/chunks/2", "12345", 404, ``},
		{"completed: chunk of another length", "PUT", at + "/chunks/2", "1", 404, ``},
		{"completed: no chunk", "PUT", at + "/chunks/3", "1", 404, ``},
		{"completed: given up", "DELETE", at, "", 404, ``},
	})
	s.Clock.Advance(24 * time.Hour)
	s.Admin = s.Token(t, apitest.Secret, s.DB.Account().ID.String(), 1, 0)
	s.Must(t, 404, "POST", at+"/complete", "")
}

// TestUploadInParallel checks that concurrent chunks and concurrent completions produce one file.
func TestUploadInParallel(t *testing.T) {
	t.Parallel()
	s := withFiles(t)
	content := alphabet(3*chunkSize + 1)
	at := begin(t, s, "a.bin", len(content))
	var all sync.WaitGroup
	for i := range 4 {
		for range 2 {
			all.Go(func() {
				status, answer, _ := s.Do(t, "PUT", fmt.Sprintf("%s/chunks/%d", at, i), s.Admin, content[i*chunkSize:min((i+1)*chunkSize, len(content))])
				if status != 200 && status != 409 { // 409 means that another request is sending the chunk
					t.Errorf("chunk %d: got %d %s", i, status, answer)
				}
			})
		}
	}
	all.Wait()
	files := make([]string, 4)
	for i := range files {
		all.Go(func() { _, files[i], _ = s.Do(t, "POST", at+"/complete", s.Admin, "") })
	}
	all.Wait()
	for _, file := range files {
		if file != files[0] {
			t.Errorf("two completions: %s and %s", files[0], file)
		}
	}
	if download(t, s, files[0]) != content {
		t.Error("another content came back")
	}
	if total := apitest.Field[int](t, s.Must(t, 200, "GET", fileList, ""), "total"); total != 1 {
		t.Errorf("got %d files, want 1", total)
	}
}

func TestUploadRules(t *testing.T) {
	t.Parallel()
	s := withFiles(t, apitest.WithConfig(func(c *api.Config) { c.Files.MaxSize = 1000 }))
	s.Project(t, "b")
	uploads := fileList + "/uploads"
	at := begin(t, s, "a", 5)
	elsewhere := strings.Replace(at, "/a/", "/b/", 1)
	s.Refusals(t, at, []apitest.Refusal{
		{"nothing", "POST", uploads, "", 400, "filename is required; size is required"},
		{"empty name", "POST", uploads, `{"filename":"","size":1}`, 400, "filename must not be empty"},
		{"name of dots", "POST", uploads, `{"filename":" ... ","size":1}`, 400, "filename must have a character"},
		{"long name", "POST", uploads, `{"filename":"` + strings.Repeat("x", 256) + `","size":1}`, 400, "at most 255 characters"},
		{"no bytes", "POST", uploads, `{"filename":"a","size":0}`, 400, "size must be an integer of at least 1"},
		{"text as size", "POST", uploads, `{"filename":"a","size":"5"}`, 400, "size must be an integer of at least 1"},
		{"a byte too many", "POST", uploads, `{"filename":"a","size":1001}`, 413, "the file must have at most 1000 bytes"},
		{"more than a float counts", "POST", uploads, `{"filename":"a","size":9007199254740993}`, 413, "the file must have at most 1000 bytes"},
		{"more than an integer counts", "POST", uploads, `{"filename":"a","size":99999999999999999999}`, 413, "the file must have at most 1000 bytes"},
		{"more than anything counts", "POST", uploads, `{"filename":"a","size":1e999}`, 413, "the file must have at most 1000 bytes"},
		{"less than anything counts", "POST", uploads, `{"filename":"a","size":-1e999}`, 400, "size must be an integer of at least 1"},
		{"a part of a byte", "POST", uploads, `{"filename":"a","size":1.5}`, 400, "size must be an integer of at least 1"},
		{"null as size", "POST", uploads, `{"filename":"a","size":null}`, 400, "size is required"},
		{"unknown storage", "POST", uploads, `{"filename":"a","size":1,"storage_backend_id":"x"}`, 404, "storage backend not found"},
		{"long storage", "POST", uploads, `{"filename":"a","size":1,"storage_backend_id":"` + strings.Repeat("x", 65) + `"}`, 400, "at most 64 characters"},
		{"unknown project", "POST", "/admin/projects/none/files/uploads", `{"filename":"a","size":1}`, 404, `project "none" not found`},
		{"session of another project: read", "GET", elsewhere, "", 404, "upload not found"},
		{"session of another project: chunk", "PUT", elsewhere + "/chunks/0", "12345", 404, "upload not found"},
		{"session of another project: complete", "POST", elsewhere + "/complete", "", 404, "upload not found"},
		{"session of another project: give up", "DELETE", elsewhere, "", 404, "upload not found"},
		{"malformed id", "GET", uploads + "/..%2f..", "", 404, "upload not found"},
		{"malformed id: chunk", "PUT", uploads + "/x/chunks/0", "1", 404, "upload not found"},
		{"unknown project: read", "GET", "/admin/projects/none/files/uploads/x", "", 404, "not found"},
		{"chunk over its limit", "PUT", at + "/chunks/0", strings.Repeat("x", 16<<20+1), 413, "at most 16777216 bytes"},
	})
	s.Must(t, 200, "PUT", at+"/chunks/0", "12345")
	s.Must(t, 200, "DELETE", at, "")
	s.Must(t, 404, "GET", at, "")
	reader := s.Key(t, `{"name":"r","scopes":["files:read"]}`)
	if status, _, _ := s.Do(t, "GET", begin(t, s, "a", 5), reader, ""); status != 200 {
		t.Errorf("files:read reads a session: got %d", status)
	}
	for _, request := range [][2]string{{"PUT", at + "/chunks/0"}, {"PUT", fileList + "?filename=a"}} {
		if status, _, _ := s.Do(t, request[0], request[1], reader, "12345"); status != 401 {
			t.Errorf("files:read sends %s: got %d", request[1], status)
		}
	}
	expired := begin(t, s, "a", 5)
	s.Clock.Advance(24 * time.Hour)
	s.Admin = s.Token(t, apitest.Secret, s.DB.Account().ID.String(), 1, 0)
	s.Must(t, 404, "PUT", expired+"/chunks/0", "12345")
}

// TestChunkSentAgainMeanwhile checks that a client can send a chunk again while an earlier request
// for the same chunk is in progress. The later request must replace the earlier one, which may be
// using a dead connection.
func TestChunkSentAgainMeanwhile(t *testing.T) {
	t.Parallel()
	s := withFiles(t)
	at := begin(t, s, "a", 5)
	body, rest := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), "PUT", s.URL+"/api/v1"+at+"/chunks/0", body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.Admin)
	r.Header.Set("Expect", "100-continue") // the server sends 100 Continue once it has claimed the chunk
	r.ContentLength = 5
	status := make(chan int, 1)
	client := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Hour}}
	go func() {
		answer, err := client.Do(r)
		if err != nil {
			t.Error(err)
			status <- 0
			return
		}
		defer answer.Body.Close()
		b, _ := io.ReadAll(answer.Body)
		apitest.LoadContract(t).Check(t, r, answer.StatusCode, answer.Header, b)
		status <- answer.StatusCode
	}()
	if _, err := io.WriteString(rest, "1"); err != nil {
		t.Fatal(err)
	}
	s.Must(t, 200, "PUT", at+"/chunks/0", "12345")
	if _, err := io.WriteString(rest, "xxxx"); err != nil {
		t.Fatal(err)
	}
	if got := <-status; got != 409 {
		t.Errorf("the first request: got %d, want 409", got)
	}
	if content := download(t, s, s.Must(t, 200, "POST", at+"/complete", "")); content != "12345" {
		t.Errorf("got %q", content)
	}
}

// TestUploadOfADeletedProject checks that nothing remains of a file that is being registered while
// its project is being deleted, regardless of the storage.
func TestUploadOfADeletedProject(t *testing.T) {
	t.Parallel()
	s := withFiles(t)
	nas := s.Must(t, 201, "POST", "/admin/storage/backends", `{"name":"nas","kind":"webdav","base_url":"http://127.0.0.1:1/"}`)
	for folder, backend := range map[string]string{"objects": "local", "staging/files": apitest.Field[string](t, nas, "id")} {
		name := strings.ReplaceAll(folder, "/", "-")
		s.Project(t, name)
		status := make(chan int)
		// A request that writes a record waits for this transaction.
		err := s.DB.Update(func(tx *store.Tx) error {
			go func() {
				defer close(status)
				got, _, _ := s.Send(t, "PUT", "/api/v1/admin/projects/"+name+"/files?filename=a&storage_backend_id="+backend, map[string]string{"Authorization": "Bearer " + s.Admin}, "content")
				status <- got
			}()
			testutil.Until(t, "the bytes of the upload", func() bool { return len(regular(t, filepath.Join(s.Dir, "files", folder))) == 1 })
			p, err := tx.Project(name)
			if err != nil {
				return err
			}
			return tx.DeleteProject(p)
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := <-status; got != 404 {
			t.Errorf("%s: got %d, want 404", folder, got)
		}
		if left := regular(t, filepath.Join(s.Dir, "files", folder)); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
}

// regular lists the regular files below a directory. The directory may be missing.
func regular(t testing.TB, dir string) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, name)
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestInterruptedUploads checks that a truncated request body leaves existing data unchanged.
func TestInterruptedUploads(t *testing.T) {
	t.Parallel()
	s := withFiles(t)
	at := begin(t, s, "a", 2*chunkSize)
	s.Must(t, 200, "PUT", at+"/chunks/1", alphabet(chunkSize))
	for _, head := range []string{
		"PUT /api/v1" + at + "/chunks/0 HTTP/1.1\r\nContent-Length: 8388608\r\n",
		"PUT /api/v1" + at + "/chunks/1 HTTP/1.1\r\nContent-Length: 8388608\r\n",
		"PUT /api/v1" + at + "/chunks/1 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n",
		"PUT /api/v1" + fileList + "?filename=a HTTP/1.1\r\nContent-Length: 8388608\r\n",
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, head+"Host: x\r\nAuthorization: Bearer "+s.Admin+"\r\n\r\n5\r\nxxxxx\r\nwhat is this"); err != nil {
			t.Fatal(err)
		}
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(conn)
		if err != nil || !bytes.HasPrefix(answer, []byte("HTTP/1.1 400 ")) {
			t.Errorf("%s: got %s, %v, want 400", head, answer, err)
		}
		_ = conn.Close()
	}
	s.Exchanges(t, []apitest.Exchange{
		{"chunks", "GET", at, "", 200, `{"received_chunks":[1]}`},
		{"no file", "GET", fileList, "", 200, `{"total":0,"data":[]}`},
	})
	s.Must(t, 200, "PUT", at+"/chunks/0", alphabet(chunkSize))
	if content := download(t, s, s.Must(t, 200, "POST", at+"/complete", "")); content != alphabet(chunkSize)+alphabet(chunkSize) {
		t.Error("the chunk that was there is another one now")
	}
}

func TestUploadInOneRequest(t *testing.T) {
	t.Parallel()
	s := withFiles(t, apitest.WithConfig(func(c *api.Config) { c.Files.MaxSize = 1000 }))
	const content = "some content"
	sum := sha256.Sum256([]byte(content))
	digest, wrong := "sha-256="+base64.StdEncoding.EncodeToString(sum[:]), "sha-256="+base64.StdEncoding.EncodeToString(make([]byte, 32))
	at := "/api/v1" + fileList
	for _, tc := range []struct {
		name, query, digest, content string
		status                       int
		want                         string
	}{
		{"plain", "?filename=a.txt", "", content, 201, `{"filename":"a.txt","size":12,"status":"ready","sha256":"` + sumOf(content) + `","content_type":"text/plain; charset=utf-8"}`},
		{"with its sum", "?filename=b.txt&storage_backend_id=local", digest, content, 201, `{"filename":"b.txt"}`},
		{"with more sums", "?filename=c.txt&storage_backend_id=", "md5=xxx, SHA-256=" + digest[8:], content, 201, `{"filename":"c.txt"}`},
		{"with other sums", "?filename=d.txt", "unixsum=5", content, 201, `{"filename":"d.txt"}`},
		{"another sum", "?filename=e.txt", wrong, content, 400, `{"message":"Digest does not match: the received file has the SHA-256 ` + sumOf(content) + `"}`},
		{"no sum", "?filename=e.txt", "sha-256=xx", content, 400, `{"message":["Digest must be sha-256= and the 32 bytes of the sum in base64"]}`},
		{"two sums", "?filename=e.txt", digest + "," + wrong, content, 400, ``},
		{"no name", "", "", content, 400, `{"message":["filename is required, in the query"]}`},
		{"empty name, long storage", "?filename=&storage_backend_id=" + strings.Repeat("x", 65), "", content, 400, `{"message":["filename must have 1 to 255 characters","storage_backend_id must have at most 64 characters"]}`},
		{"name of nothing", "?filename=%20.%20", "", content, 400, ``},
		{"no bytes", "?filename=e.txt", "", "", 400, `{"message":["the file must have at least 1 byte"]}`},
		{"too large", "?filename=e.txt", "", alphabet(1001), 413, `{"message":"the file must have at most 1000 bytes"}`},
		{"unknown storage", "?filename=e.txt&storage_backend_id=x", "", content, 404, `{"message":"storage backend not found"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			header := map[string]string{"Authorization": "Bearer " + s.Admin, "Digest": tc.digest, "Content-Length": fmt.Sprint(len(tc.content))}
			if tc.digest == "" {
				delete(header, "Digest")
			}
			status, answer, _ := s.Send(t, "PUT", at+tc.query, header, tc.content)
			if tc.content == "" { // net/http then sends no Content-Length; see below
				status, answer = raw(t, s, "PUT "+at+tc.query+" HTTP/1.1\r\nContent-Length: 0\r\n")
			}
			if status != tc.status {
				t.Fatalf("got %d %s, want %d", status, answer, tc.status)
			}
			if why := apitest.CompareJSON(t, answer, tc.want); why != "" {
				t.Errorf("%s: %s", why, answer)
			}
			if status == 201 && download(t, s, answer) != tc.content {
				t.Error("another content came back")
			}
		})
	}
	r, err := http.NewRequestWithContext(t.Context(), "PUT", s.URL+at+"?filename=e.txt", io.MultiReader(strings.NewReader(content)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.Admin)
	answer, err := s.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	apitest.LoadContract(t).Check(t, r, answer.StatusCode, answer.Header, body)
	if answer.StatusCode != 411 {
		t.Errorf("without a length: got %d %s, want 411", answer.StatusCode, body)
	}
	if status, body := raw(t, s, "PUT "+at+"?filename=e.txt HTTP/1.1\r\n"); status != 411 {
		t.Errorf("without a body: got %d %s, want 411", status, body)
	}
	if total := apitest.Field[int](t, s.Must(t, 200, "GET", fileList, ""), "total"); total != 4 {
		t.Errorf("got %d files, want the 4 that were accepted", total)
	}
	left, err := os.ReadDir(filepath.Join(s.Dir, "files", "staging", "uploads"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// raw sends a request that begins with the given text, unmodified, with an administrator's
// credentials. It returns the status and the body of the response.
func raw(t *testing.T, s *apitest.Server, beginning string) (status int, body string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, beginning+"Host: x\r\nConnection: close\r\nAuthorization: Bearer "+s.Admin+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	head, text, _ := strings.Cut(string(answer), "\r\n\r\n")
	if _, err := fmt.Sscanf(head, "HTTP/1.1 %d", &status); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	return status, text
}

// TestUploadForOtherStorage checks that a file for a remote storage is pending until a job
// transfers it. Its record must survive failures of the job and the deletion of the storage.
func TestUploadForOtherStorage(t *testing.T) {
	t.Parallel()
	s := withFiles(t)
	nas := apitest.Field[string](t, s.Must(t, 201, "POST", "/admin/storage/backends", `{"name":"NAS","kind":"webdav","base_url":"http://127.0.0.1:1"}`), "id")
	s.Must(t, 200, "PATCH", "/admin/projects/a", fmt.Sprintf(`{"storage_backend_id":%q}`, nas))
	at := begin(t, s, "a.zip", 5)
	s.Must(t, 200, "PUT", at+"/chunks/0", "12345")
	file := s.Must(t, 200, "POST", at+"/complete", "")
	if why := apitest.CompareJSON(t, file, fmt.Sprintf(`{"status":"pending","size":5,"sha256":%q,"storage_backend_id":%q,"storage_backend_name":"NAS"}`, sumOf("12345"), nas)); why != "" {
		t.Error(why)
	}
	id := apitest.Field[string](t, file, "id")
	staged, err := os.ReadFile(s.Storages.Local().Staged(id))
	if err != nil || string(staged) != "12345" {
		t.Errorf("staged: got %q, %v", staged, err)
	}
	if status, _, _ := s.Send(t, "GET", apitest.Field[string](t, file, "path"), nil, ""); status != 404 {
		t.Errorf("link of a pending file: got %d, want 404", status)
	}
	one := fileList + "/" + id
	s.Must(t, 409, "POST", one+"/retry", "")
	fail(t, s, id, "the server is asleep")
	s.Exchanges(t, []apitest.Exchange{
		{"failed", "GET", one, "", 200, `{"status":"failed","error":"the server is asleep"}`},
		{"again", "POST", one + "/retry", "", 200, `{"status":"pending","error":null}`},
	})
	fail(t, s, id, "the server is asleep")
	if err := os.Remove(s.Storages.Local().Staged(id)); err != nil {
		t.Fatal(err)
	}
	s.Refusals(t, one, []apitest.Refusal{
		{"nothing is kept", "POST", one + "/retry", "", 400, "no longer kept"},
		{"unknown", "POST", fileList + "/000000000000/retry", "", 404, "file not found"},
	})
	// The storage was selected at the beginning and is deleted before the end.
	at = begin(t, s, "b.zip", 5)
	s.Must(t, 200, "PUT", at+"/chunks/0", "12345")
	if err := os.WriteFile(s.Storages.Local().Staged(id), []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Must(t, 200, "DELETE", one, "")
	if _, err := os.Stat(s.Storages.Local().Staged(id)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("content of a deleted file: got %v", err)
	}
	drained(t, s)
	s.Must(t, 200, "DELETE", "/admin/storage/backends/"+nas, "")
	if file := s.Must(t, 200, "POST", at+"/complete", ""); download(t, s, file) != "12345" {
		t.Errorf("got %s", file)
	}
}

// fail marks a file as failed for the given reason.
func fail(t *testing.T, s *apitest.Server, id, reason string) {
	t.Helper()
	err := s.DB.Update(func(tx *store.Tx) error {
		p, err := tx.Project("a")
		if err != nil {
			return err
		}
		f, err := tx.File(p.ID, store.FileID(id))
		if err != nil {
			return err
		}
		f.Status, f.Error = store.FileFailed, reason
		return tx.PutFile(p.ID, f)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// drained removes all entries from the queue of objects to be deleted, as a job would.
func drained(t *testing.T, s *apitest.Server) {
	t.Helper()
	err := s.DB.Update(func(tx *store.Tx) error {
		list, err := tx.FileDeletions(100)
		for _, d := range list {
			if err == nil {
				err = tx.DropFileDeletion(d)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCompleteAfterRename checks that an upload can be completed under a former key of its project,
// and that completing it again returns the same file.
func TestCompleteAfterRename(t *testing.T) {
	t.Parallel()
	s := withFiles(t)
	at := begin(t, s, "a.zip", 5)
	s.Must(t, 200, "PUT", at+"/chunks/0", "12345")
	s.Must(t, 200, "PATCH", "/admin/projects/a", `{"project_key":"b"}`)
	file := s.Must(t, 200, "POST", at+"/complete", "")
	if path := apitest.Field[string](t, file, "path"); !strings.HasPrefix(path, "/f/b/") || download(t, s, file) != "12345" {
		t.Errorf("got %s, want a link with the new key", file)
	}
	if again := s.Must(t, 200, "POST", strings.Replace(at, "/a/", "/b/", 1)+"/complete", ""); again != file {
		t.Errorf("again: got %s, want %s", again, file)
	}
}
