package distribution_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/jobs"
	"svc/store"
)

func TestFileLists(t *testing.T) {
	t.Parallel()
	s := withFiles(t)
	s.Project(t, "b")
	var ids, sums []string
	for _, name := range []string{"Lighthouse-1.dmg", "lighthouse-2.dmg", "other.zip"} {
		file := s.Upload(t, "a", name, "content of "+name)
		ids, sums = append(ids, apitest.Field[string](t, file, "id")), append(sums, apitest.Field[string](t, file, "sha256"))
		s.Clock.Advance(1e9)
	}
	create(t, s, "a", &store.File{
		ID: "pending00000", Filename: "asset.zip", ObjectKey: "f/a/pending00000/asset.zip", Status: store.FilePending, Error: "tried again later",
		Source: store.FileMirrored, SourceURL: "https://code.example/o/r/releases/download/1/asset.zip", Backend: store.LocalStorage,
	})
	elsewhere := apitest.Field[string](t, s.Upload(t, "b", "b.zip", "b"), "id")
	named := func(names ...string) string {
		var rows []map[string]string
		for _, name := range names {
			rows = append(rows, map[string]string{"filename": name})
		}
		b, err := json.Marshal(map[string]any{"total": len(rows), "data": rows})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	s.Exchanges(t, []apitest.Exchange{
		{"all, newest first", "GET", fileList, "", 200, named("asset.zip", "other.zip", "lighthouse-2.dmg", "Lighthouse-1.dmg")},
		{"a page", "GET", fileList + "?limit=1&offset=2", "", 200, `{"total":4,"data":[{"filename":"lighthouse-2.dmg"}]}`},
		{"by name, in any case", "GET", fileList + "?search=+LIGHTHOUSE+", "", 200, named("lighthouse-2.dmg", "Lighthouse-1.dmg")},
		{"by a part of the id", "GET", fileList + "?search=" + ids[2][3:11], "", 200, named("other.zip")},
		{"by SHA-256", "GET", fileList + "?search=" + strings.ToUpper(sums[0]), "", 200, named("Lighthouse-1.dmg")},
		{"blank search", "GET", fileList + "?search=+&status=+", "", 200, `{"total":4}`},
		{"ready ones", "GET", fileList + "?status=READY", "", 200, `{"total":3}`},
		{"pending ones", "GET", fileList + "?status=pending", "", 200, named("asset.zip")},
		{"failed ones", "GET", fileList + "?status=Failed", "", 200, `{"total":0,"data":[]}`},
		{"both", "GET", fileList + "?status=ready&search=zip", "", 200, named("other.zip")},
		{"every broken rule", "GET", fileList + "?status=done&limit=101&offset=-1&search=" + strings.Repeat("x", 129), "", 400,
			`{"message":["limit must be an integer of at most 100","offset must be an integer of at least 0","search must have at most 128 characters","status must be one of pending, ready, failed"]}`},
		{"unknown project", "GET", "/admin/projects/none/files", "", 404, ``},
		{"one", "GET", fileList + "/pending00000", "", 200, `{"size":0,"sha256":null,"status":"pending","source":"codehost_release","source_url":"https://code.example/o/r/releases/download/1/asset.zip","error":null}`},
		{"of another project", "GET", fileList + "/" + elsewhere, "", 404, `{"message":"file not found"}`},
		{"no id", "GET", fileList + "/..%2f..", "", 404, `{"message":"file not found"}`},
	})
}

// TestReferences checks that a version refers to a file if one of its links has the path of the
// file's link.
func TestReferences(t *testing.T) {
	t.Parallel()
	s := withFiles(t, apitest.WithConfig(func(c *api.Config) { c.Files.BaseURL = "https://dl.example" }))
	file := s.Upload(t, "a", "a b.zip", "content")
	path, id := apitest.Field[string](t, file, "path"), apitest.Field[string](t, file, "id")
	if url := apitest.Field[string](t, file, "url"); url != "https://dl.example"+path || !strings.HasSuffix(path, "/a%20b.zip") {
		t.Errorf("got url %s of path %s", url, path)
	}
	for text, body := range map[string]string{
		"1.0": fmt.Sprintf(`{"download_url":%q}`, "https://former.example"+path),
		"2.0": fmt.Sprintf(`{"download_links":[{"url":"https://x.example/y"},{"url":%q},{"url":%[1]q}],"download_url":%[1]q}`, "http://dl.example"+path+"?x=y"),
		"3.0": `{"download_url":"https://dl.example/f/a/000000000000/a%20b.zip"}`,
	} {
		s.Must(t, 201, "PUT", "/admin/projects/a/versions/by-version/"+text, body)
	}
	got := apitest.Field[[]string](t, s.Must(t, 200, "GET", fileList+"/"+id, ""), "referenced_by")
	if len(got) != 2 || strings.Join(got, "") == "" || strings.Contains(strings.Join(got, " "), "3.0") {
		t.Errorf("got %v, want 1.0 and 2.0", got)
	}
	s.Exchanges(t, []apitest.Exchange{
		{"in the list", "GET", fileList, "", 200, fmt.Sprintf(`{"data":[{"referenced_by":["%s"]}]}`, strings.Join(got, `","`))},
	})
}

// provider is a fake CDN.
type provider struct {
	mu    sync.Mutex
	calls []string // method, path and body
	fail  bool
}

// ServeHTTP responds like Cloudflare.
func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, r.Method+" "+r.URL.Path+" "+string(body))
	w.Header().Set("Content-Type", "application/json")
	if p.fail || r.Header.Get("Authorization") != "Bearer token" {
		_, _ = io.WriteString(w, `{"success":false,"errors":[{"code":1000,"message":"no"}]}`)
		return
	}
	_, _ = io.WriteString(w, `{"success":true,"errors":[],"result":{"id":"task"}}`)
}

// take returns the calls that the provider has received since the previous call of take.
func (p *provider) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	calls := p.calls
	p.calls = nil
	return calls
}

// withCDN starts a server that uses p as its CDN.
func withCDN(t *testing.T, p *provider, opts ...apitest.Option) *apitest.Server {
	t.Helper()
	h := httptest.NewServer(p)
	t.Cleanup(h.Close)
	return withFiles(t, append(opts, apitest.WithCDN(h.URL))...)
}

// distributed configures a separate base address for direct links.
func distributed(c *api.Config) { c.Files.BaseURL = "https://dl.example" }

func TestDeleteFile(t *testing.T) {
	t.Parallel()
	cdn := &provider{}
	s := withCDN(t, cdn, apitest.WithConfig(distributed))
	remove := func(what, refresh string) *linked {
		t.Helper()
		f := place(t, s, "a", "a.zip", what)
		s.Exchanges(t, []apitest.Exchange{
			{what, "DELETE", fileList + "/" + string(f.ID), "", 200, `{"success":true,"cdn_refresh":` + strings.ReplaceAll(refresh, "LINK", "https://dl.example"+f.path) + `}`},
			{what + ": again", "DELETE", fileList + "/" + string(f.ID), "", 404, ``},
		})
		if status, _, _ := s.Send(t, "GET", f.path, nil, ""); status != 404 {
			t.Errorf("%s: link: got %d, want 404", what, status)
		}
		if _, err := os.Stat(object(s, f)); !os.IsNotExist(err) {
			t.Errorf("%s: the object is still there: %v", what, err)
		}
		return f
	}
	remove("no refresh", "null")
	s.Must(t, 200, "PUT", "/admin/storage/cdn", `{"provider":"cloudflare","access_key_id":"zone","access_key_secret":"token"}`)
	remove("switched off", "null")
	s.Must(t, 200, "PUT", "/admin/storage/cdn", `{"enabled":true}`)
	f := remove("refreshed", `{"ok":true,"urls":["LINK"],"task_ids":["task"],"error":null}`)
	if calls := cdn.take(); len(calls) != 1 || calls[0] != `POST /client/v4/zones/zone/purge_cache {"files":["https://dl.example`+f.path+`"]}` {
		t.Errorf("the CDN was called with %q", calls)
	}
	cdn.fail = true
	f = remove("refresh fails", `{"ok":false,"urls":["LINK"],"task_ids":[],"error":"1000: no"}`)
	cdn.take()
	left(t, s, 0)
	cdn.fail = false
	refreshedLater(t, s, cdn, f)
	create(t, s, "a", &store.File{
		ID: "pending00000", Filename: "p", ObjectKey: "f/a/pending00000/p", Status: store.FilePending,
		Source: store.FileMirrored, SourceURL: "https://code.example/o/r/releases/download/1/p", Backend: store.LocalStorage,
	})
	s.Exchanges(t, []apitest.Exchange{{"not ready", "DELETE", fileList + "/pending00000", "", 200, `{"success":true,"cdn_refresh":null}`}})
	if calls := cdn.take(); calls != nil {
		t.Errorf("not ready: the CDN was called with %q", calls)
	}
	left(t, s, 1) // the object stays, because a job may be moving it to its storage
}

// TestDeleteFileDuringABackup checks that the link of a deleted file stops working immediately, and
// that its object is deleted when the backup no longer needs it.
func TestDeleteFileDuringABackup(t *testing.T) {
	t.Parallel()
	s := withFiles(t)
	f := place(t, s, "a", "a.zip", "content")
	release := s.Files.Hold()
	s.Exchanges(t, []apitest.Exchange{{"held", "DELETE", fileList + "/" + string(f.ID), "", 200, `{"success":true}`}})
	if status, _, _ := s.Send(t, "GET", f.path, nil, ""); status != 404 {
		t.Errorf("link: got %d, want 404", status)
	}
	left(t, s, 1)
	background := background(s)
	for _, held := range []bool{true, false} {
		if !held {
			release()
		}
		if _, err := background.Run(t.Context(), "file-deletions"); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(object(s, f)); os.IsNotExist(err) == held {
			t.Errorf("held %v: the object: %v", held, err)
		}
	}
	left(t, s, 0)
}

// background returns jobs for a server. They run only on request.
func background(s *apitest.Server) *jobs.Jobs {
	return jobs.New(jobs.Config{DB: s.DB, Log: slog.New(slog.DiscardHandler), Files: s.Files})
}

// refreshedLater checks that a job refreshes the link of a file after the first refresh has failed.
func refreshedLater(t *testing.T, s *apitest.Server, cdn *provider, f *linked) {
	t.Helper()
	if _, err := background(s).Run(t.Context(), "cdn-refreshes"); err != nil {
		t.Error(err)
	}
	if calls := cdn.take(); len(calls) != 1 || !strings.Contains(calls[0], "https://dl.example"+f.path) {
		t.Errorf("the CDN was called with %q", calls)
	}
	if pending, err := store.Read(s.DB, (*store.Tx).CDNRefreshes); err != nil || len(pending) > 0 {
		t.Errorf("%d links wait for the CDN, %v", len(pending), err)
	}
}

// left checks the number of objects that a job still has to delete.
func left(t *testing.T, s *apitest.Server, want int) {
	t.Helper()
	var list []*store.FileDeletion
	err := s.DB.View(func(tx *store.Tx) (err error) {
		list, err = tx.FileDeletions(100)
		return err
	})
	if err != nil || len(list) != want {
		t.Errorf("left for a job: %d, %v, want %d", len(list), err, want)
	}
}

// TestDeleteFileOnLostStorage checks that the link of a deleted file stops working immediately even
// if its object cannot be removed, and that a job removes the object later.
func TestDeleteFileOnLostStorage(t *testing.T) {
	t.Parallel()
	s := withFiles(t)
	nas := apitest.Field[string](t, s.Must(t, 201, "POST", "/admin/storage/backends", `{"name":"NAS","kind":"webdav","base_url":"http://127.0.0.1:1"}`), "id")
	create(t, s, "a", &store.File{
		ID: "ready0000000", Filename: "a", ObjectKey: "f/a/ready0000000/a", Size: 5, SHA256: sumOf("12345"),
		Status: store.FileReady, Source: store.FileUploaded, Backend: nas,
	})
	status, body, header := s.Send(t, "GET", "/f/a/ready0000000/a", nil, "")
	if status != 502 || body != "Storage Unavailable" || header.Get("Etag") != "" {
		t.Errorf("download: got %d %s %v, want 502", status, body, header)
	}
	if status, _, header := s.Send(t, "HEAD", "/f/a/ready0000000/a", nil, ""); status != 200 || header.Get("Content-Length") != "5" {
		t.Errorf("HEAD: got %d %v, want 200 from the record alone", status, header)
	}
	s.Must(t, 200, "DELETE", fileList+"/ready0000000", "")
	if status, _, _ := s.Send(t, "GET", "/f/a/ready0000000/a", nil, ""); status != 404 {
		t.Errorf("after its deletion: got %d, want 404", status)
	}
	left(t, s, 1)
}

func TestRefreshFile(t *testing.T) {
	t.Parallel()
	cdn := &provider{}
	s := withCDN(t, cdn, apitest.WithConfig(distributed))
	f := place(t, s, "a", "a.zip", "content")
	at := fileList + "/" + string(f.ID) + "/refresh-cdn"
	settings := "/admin/storage/cdn"
	s.Exchanges(t, []apitest.Exchange{
		{"switched off", "POST", at, "", 400, `{"message":"the CDN refresh is switched off"}`},
		{"switched on", "PUT", settings, `{"provider":"cloudflare","enabled":true,"access_key_id":"zone"}`, 200, ``},
		{"no secret", "POST", at, "", 400, `{"message":"the credentials of the CDN are incomplete: access_key_id and access_key_secret are needed"}`},
		{"wrong secret", "PUT", settings, `{"access_key_secret":"x"}`, 200, ``},
		{"refused", "POST", at, "", 200, `{"ok":false,"urls":["https://dl.example` + f.path + `"],"task_ids":[],"error":"1000: no"}`},
		{"right secret", "PUT", settings, `{"access_key_secret":"token"}`, 200, ``},
	})
	cdn.take()
	refreshedLater(t, s, cdn, f)
	s.Exchanges(t, []apitest.Exchange{
		{"wrong secret", "PUT", settings, `{"access_key_secret":"x"}`, 200, ``},
		{"refused", "POST", at, "", 200, `{"ok":false}`},
		{"right secret", "PUT", settings, `{"access_key_secret":"token"}`, 200, ``},
		{"done", "POST", at, "", 200, `{"ok":true,"task_ids":["task"],"error":null}`},
	})
	cdn.take()
	if _, err := background(s).Run(t.Context(), "cdn-refreshes"); err != nil {
		t.Error(err)
	}
	if calls := cdn.take(); calls != nil {
		t.Errorf("after a refresh that settled it: the CDN was called with %q", calls)
	}
	s.Exchanges(t, []apitest.Exchange{
		{"unknown", "POST", fileList + "/000000000000/refresh-cdn", "", 404, ``},
	})
	without := withCDN(t, cdn)
	f = place(t, without, "a", "a.zip", "content")
	without.Exchanges(t, []apitest.Exchange{
		{"all set", "PUT", settings, `{"provider":"cloudflare","enabled":true,"access_key_id":"zone","access_key_secret":"token"}`, 200, `{"dist_base_url":null}`},
		{"no address of links", "POST", fileList + "/" + string(f.ID) + "/refresh-cdn", "", 400, `{"message":"copies cannot be refreshed without a distribution address: set SVC_DIST_BASE_URL"}`},
	})
}

func TestMirrorAssets(t *testing.T) {
	t.Parallel()
	var there atomic.Int64 // size of the attachment at the code host, or -1
	there.Store(-1)
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if size := there.Load(); r.Method == http.MethodHead && size >= 0 {
			w.Header().Set("Content-Length", fmt.Sprint(size))
			return
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(host.Close)
	s := withFiles(t, apitest.WithConfig(distributed), apitest.WithConfig(func(c *api.Config) { c.Files.CodeHost = host.URL }))
	asset := host.URL + "/o/r/releases/download/v1/"
	version := func(text, body string) string {
		return "/admin/projects/a/versions/" + apitest.Field[string](t, s.Must(t, 201, "PUT", "/admin/projects/a/versions/by-version/"+text, body), "id")
	}
	one := version("1.0", fmt.Sprintf(`{"download_url":%q,"download_links":[{"url":%[1]q,"name":"DMG","platform":"macos"},{"url":"https://else.example/x"},{"url":%[2]q}]}`, asset+"a%20b.dmg", asset+"...?x"))
	two := version("2.0", fmt.Sprintf(`{"download_links":[{"url":%q}]}`, asset+"a%20b.dmg"))
	mirror := func(what, want string) {
		t.Helper()
		s.Exchanges(t, []apitest.Exchange{{what, "POST", one + "/mirror-assets", "", 200, want}})
	}
	mirror("new", `{"queued":1,"reused":0,"skipped":2}`)
	mirror("pending", `{"queued":1,"reused":0,"skipped":2}`)
	list := s.Must(t, 200, "GET", fileList, "")
	files := apitest.Field[[]map[string]any](t, list, "data")
	if len(files) != 1 || files[0]["filename"] != "a b.dmg" || files[0]["status"] != "pending" || files[0]["source_url"] != asset+"a%20b.dmg" {
		t.Fatalf("got %s", list)
	}
	id := fmt.Sprint(files[0]["id"])
	fail(t, s, id, "404")
	mirror("failed", `{"queued":1,"reused":0,"skipped":2}`)
	finish(t, s, id)
	mirror("ready", `{"queued":0,"reused":1,"skipped":2}`)
	link := "https://dl.example" + fmt.Sprint(files[0]["path"])
	s.Exchanges(t, []apitest.Exchange{
		{"the version", "GET", one, "", 200, fmt.Sprintf(`{"download_url":%q,"download_links":[{"url":%[1]q,"name":"DMG","platform":"macos"},{"url":"https://else.example/x"},{"url":%q}]}`, link, asset+"...?x")},
		{"the other version", "GET", two, "", 200, fmt.Sprintf(`{"download_links":[{"url":%q}]}`, link)},
		{"its links are no attachments now", "POST", two + "/mirror-assets", "", 200, `{"queued":0,"reused":0,"skipped":1}`},
		{"unknown version", "POST", "/admin/projects/a/versions/00000000-0000-7000-8000-000000000000/mirror-assets", "", 404, `{"message":"version not found"}`},
		{"no id", "POST", "/admin/projects/a/versions/x/mirror-assets", "", 404, `{"message":"version not found"}`},
		{"unknown project", "POST", "/admin/projects/none/versions/x/mirror-assets", "", 404, ``},
	})
	// If a version is changed to link to the code host again, the server checks whether the
	// attachment still matches the local copy.
	size := int64(apitest.Field[float64](t, s.Must(t, 200, "GET", fileList+"/"+id, ""), "size"))
	for i, tc := range []struct {
		what  string
		size  int64 // size of the attachment at the code host
		want  string
		files int
	}{
		{"nobody knows", -1, `{"queued":0,"reused":1,"skipped":0}`, 1},
		{"the same size", size, `{"queued":0,"reused":1,"skipped":0}`, 1},
		{"uploaded again", size + 1, `{"queued":1,"reused":0,"skipped":0}`, 2},
		{"uploaded again, and pending", size + 1, `{"queued":1,"reused":0,"skipped":0}`, 2},
	} {
		there.Store(tc.size)
		three := version(fmt.Sprintf("3.%d", i), fmt.Sprintf(`{"download_links":[{"url":%q}]}`, asset+"a%20b.dmg"))
		s.Exchanges(t, []apitest.Exchange{{tc.what, "POST", three + "/mirror-assets", "", 200, tc.want}})
		list := s.Must(t, 200, "GET", fileList, "")
		if n := apitest.Field[float64](t, list, "total"); int(n) != tc.files {
			t.Errorf("%s: got %s, want %d files", tc.what, list, tc.files)
		}
	}
	s.Exchanges(t, []apitest.Exchange{
		{"the former file stays", "GET", fileList + "/" + id, "", 200, `{"status":"ready"}`},
		{"the new one", "GET", fileList + "?status=pending", "", 200, fmt.Sprintf(`{"total":1,"data":[{"source_url":%q,"size":0}]}`, asset+"a%20b.dmg")},
	})
	without := withFiles(t)
	without.Must(t, 400, "POST", "/admin/projects/a/versions/x/mirror-assets", "")
}

// finish makes a pending file ready.
func finish(t *testing.T, s *apitest.Server, id string) {
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
		f.Status, f.Size, f.SHA256 = store.FileReady, 1, sumOf("x")
		return tx.PutFile(p.ID, f)
	})
	if err != nil {
		t.Fatal(err)
	}
}
