package codehost_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/api/apitest"
	"svc/internal/codehost/codehosttest"
	"svc/internal/seal"
	"svc/store"
)

const (
	releasePreview = "/admin/projects/beacon/versions/codehost-release-preview"
	releaseImport  = "/admin/projects/beacon/versions/codehost-release-import"
)

func repoPreview(address string) string {
	return "/admin/projects/codehost-repo-preview?repo_url=" + url.QueryEscape(address)
}

// configure stores the app in the server's settings.
func (w *world) configure(t *testing.T, app *codehosttest.App) {
	t.Helper()
	keys := seal.NewKeys([]byte(apitest.Secret))
	err := w.DB.Update(func(tx *store.Tx) error {
		return store.CodehostAppSettings.Put(tx, &store.CodehostApp{AppID: app.ID, PrivateKey: keys.Seal(seal.AppPrivateKey, app.PKCS1)})
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRepoPreview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	host := w.host.URL
	w.Exchanges(t, []apitest.Exchange{
		{"all fields", "GET", repoPreview(host + "/lumen-works/beacon"), "", 200, `{"project_key":"lumen-works-beacon","name":"lumen-works/beacon",
			"repo_url":"` + host + `/lumen-works/beacon","description":"A lamp that tells ships where the land is","author":"lumen-works",
			"author_homepage_url":"` + host + `/lumen-works","icon_url":"https://avatars.code.example/u/583231?v=4","website_url":"https://beacon.example",
			"docs_url":null,"published_at":1614834367,"optional_update_min_comparable_version":null,"optional_update_max_comparable_version":null}`},
		{"an address with .git", "GET", repoPreview(" " + host + "/Lumen-Works/Beacon.git "), "", 200, `{"name":"lumen-works/beacon"}`},
		{"a page of the repository", "GET", repoPreview(host + "/lumen-works/beacon/releases?page=2"), "", 200, `{"name":"lumen-works/beacon"}`},
		{"no address", "GET", "/admin/projects/codehost-repo-preview", "", 400, `{"message":["repo_url is required"]}`},
		{"too long", "GET", repoPreview(host + "/a/" + strings.Repeat("b", 512)), "", 400, `{"message":["repo_url must have at most 512 characters"]}`},
		{"another host", "GET", repoPreview("https://elsewhere.example/a/b"), "", 400, `{"message":["repo_url must be the address of a repository, such as ` + host + `/owner/name"]}`},
		{"only an owner", "GET", repoPreview(host + "/lumen-works"), "", 400, ``},
		{"no address at all", "GET", repoPreview("beacon"), "", 400, ``},
		{"another scheme", "GET", repoPreview(strings.Replace(host, "http", "ssh", 1) + "/a/b"), "", 400, ``},
		{"unknown repository", "GET", repoPreview(host + "/lumen-works/other"), "", 404, `{"message":"the code host has no such repository, or does not show it"}`},
	})
	w.repo.Change(func(r *codehosttest.Repository) {
		r.Name, r.Description, r.Homepage, r.CreatedAt = "lumen-works/bare", "", "beacon.example", time.Time{}
	})
	w.Exchanges(t, []apitest.Exchange{
		{"what is blank or no address is null", "GET", repoPreview(host + "/lumen-works/bare"), "", 200, `{"description":null,"website_url":null,"published_at":null}`},
	})
	w.repo.Rename("lumen-works/lighthouse")
	w.Exchanges(t, []apitest.Exchange{
		{"a former name", "GET", repoPreview(host + "/lumen-works/bare"), "", 200, `{"name":"lumen-works/lighthouse","repo_url":"` + host + `/lumen-works/lighthouse"}`},
	})
	t.Run("a key limited to projects", func(t *testing.T) {
		key := w.Key(t, `{"name":"limited","scopes":["projects:read"],"all_projects":false,"project_ids":["beacon"]}`)
		if status, answer, _ := w.Do(t, "GET", repoPreview(host+"/lumen-works/lighthouse"), key, ""); status != 401 {
			t.Errorf("got %d %s", status, answer)
		}
	})
}

func TestReleasePreview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.repo.Publish(codehosttest.Release{
		Tag: "v1.2.0", Name: " First light ", Body: "Shines.\r\n", PublishedAt: time.Unix(1700000000, 0),
		Assets: []codehosttest.Asset{{Name: "beacon-linux.zip", Content: "a"}, {Name: "beacon-macos.zip", Content: "b"}},
	})
	w.repo.Publish(codehosttest.Release{Tag: "V2.0.0-rc.1", Prerelease: true, Name: " ", PublishedAt: time.Unix(1700000001, 0)})
	w.repo.Publish(codehosttest.Release{Tag: "nightly/2024", Name: strings.Repeat("ж", 200), PublishedAt: time.Unix(1700000002, 0), Prerelease: true})
	w.repo.Publish(codehosttest.Release{Tag: "v9.0.0", Draft: true})
	files := w.host.URL + "/lumen-works/beacon/releases/download/v1.2.0/"
	const fixed = `"forced":false,"is_milestone":false,"is_deprecated":false,"platform":null,"platforms":[]`
	const first = `{"version":"1.2.0","comparable_version":"1.2.0","title":"First light","content":"Shines.","is_latest":true,"is_preview":false,"published_at":1700000000,` + fixed +
		`,"custom_data":{"source":"codehost-release","owner":"lumen-works","repo":"beacon","release_tag":"v1.2.0"}}`
	w.Exchanges(t, []apitest.Exchange{
		{"the latest without a tag", "GET", releasePreview, "", 200, first},
		{"a blank tag is none", "GET", releasePreview + "?tag=%20", "", 200, first},
		{"by tag, with attachments", "GET", releasePreview + "?tag=v1.2.0", "", 200, `{"download_url":"` + files + `beacon-linux.zip","download_links":[
			{"url":"` + files + `beacon-linux.zip","name":"beacon-linux.zip"},{"url":"` + files + `beacon-macos.zip","name":"beacon-macos.zip"}]}`},
		{"a prerelease without attachments", "GET", releasePreview + "?tag=V2.0.0-rc.1", "", 200, `{"version":"2.0.0-rc.1","is_latest":false,"is_preview":true,
			"download_url":"` + w.host.URL + `/repos/lumen-works/beacon/zipball/V2.0.0-rc.1","download_links":[]}`},
		{"a tag that is no version", "GET", releasePreview + "?tag=nightly/2024", "", 200, `{"version":"nightly/2024","title":"` + strings.Repeat("ж", 127) + `…"}`},
		{"a draft", "GET", releasePreview + "?tag=v9.0.0", "", 404, `{"message":"the code host has no such release, or does not show it"}`},
		{"unknown tag", "GET", releasePreview + "?tag=v1", "", 404, ``},
		{"dots", "GET", releasePreview + "?tag=..", "", 404, ``},
		{"tag of 128 characters", "GET", releasePreview + "?tag=" + strings.Repeat("x", 128), "", 404, ``},
		{"tag of 129 characters", "GET", releasePreview + "?tag=" + strings.Repeat("x", 129), "", 400, `{"message":["tag must have at most 128 characters"]}`},
		{"unknown project", "GET", "/admin/projects/none/versions/codehost-release-preview", "", 404, ``},
	})
	t.Run("blank texts are left out", func(t *testing.T) {
		var view map[string]any
		if err := json.Unmarshal([]byte(w.Must(t, 200, "GET", releasePreview+"?tag=V2.0.0-rc.1", "")), &view); err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{"title", "content"} {
			if value, there := view[field]; there {
				t.Errorf("%s is %v", field, value)
			}
		}
	})
	if list := w.Must(t, 200, "GET", apitest.VersionsOf("beacon"), ""); !strings.Contains(list, `"total":0`) {
		t.Errorf("a preview stored something: %s", list)
	}
}

// TestRepoURLOfTheProject checks the responses for a project with an unusable repository address.
func TestRepoURLOfTheProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, tc := range map[string]struct{ address, message string }{
		"none":         {`null`, "the project has no repo_url: set it to the address of its repository, such as " + w.host.URL + "/owner/name"},
		"another host": {`"https://elsewhere.example/a/b"`, "repo_url of the project is not the address of a repository at the code host, such as " + w.host.URL + "/owner/name"},
		"no address":   {`"lumen-works/beacon"`, "repo_url of the project is not the address"},
	} {
		w.Must(t, 200, "PATCH", "/admin/projects/beacon", `{"repo_url":`+tc.address+`}`)
		for _, call := range [][2]string{{"GET", releasePreview}, {"POST", releaseImport}} {
			if status, answer := w.Ask(t, call[0], call[1], ""); status != 400 || !strings.Contains(answer, tc.message) {
				t.Errorf("%s: %s: got %d %s", name, call[1], status, answer)
			}
		}
	}
}

func TestImport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Must(t, 201, "PUT", apitest.VersionsOf("beacon")+"/by-version/1.1.0", `{"title":"Ours"}`)
	w.repo.Publish(codehosttest.Release{Tag: "v1.0.0", Name: "One", Body: "First.", PublishedAt: time.Unix(1700000000, 0), Assets: []codehosttest.Asset{{Name: "a.zip"}}})
	w.repo.Publish(codehosttest.Release{Tag: "v1.1.0", Name: "Theirs"})
	w.repo.Publish(codehosttest.Release{Tag: "nightly"})
	w.repo.Publish(codehosttest.Release{Tag: "v"})
	w.repo.Publish(codehosttest.Release{Tag: "v2.0.0-beta.1", Prerelease: true})
	w.repo.Publish(codehosttest.Release{Tag: "1.0.0", Name: "The same version again"})
	w.repo.Publish(codehosttest.Release{Tag: "v3.0.0", Draft: true})
	w.repo.Publish(codehosttest.Release{Raw: json.RawMessage(`{"tag_name":{"odd":true},"draft":"?"}`)})
	w.repo.Publish(codehosttest.Release{Raw: json.RawMessage(`{"tag_name":"v4.0.0","name":["odd"],"published_at":"yesterday","assets":{"odd":1}}`)})
	w.repo.Publish(codehosttest.Release{Raw: json.RawMessage(`null`)})

	w.Must(t, 200, "PUT", "/admin/projects/beacon/distribution", `{"channels":[{"name":"beta"}]}`)
	events := w.Hear(t, "")
	// 1.0.0 (the newer of two), 2.0.0-beta.1 and 4.0.0 are new; a draft is not shown.
	w.Exchanges(t, []apitest.Exchange{
		{"import", "POST", releaseImport, "", 200, `{"imported":3,"skipped":6,"scanned":9}`},
		{"again", "POST", releaseImport, "", 200, `{"imported":0,"skipped":9,"scanned":9}`},
	})
	if got := events(); len(got) != 0 {
		t.Errorf("events: got %q, want none for old releases", got)
	}
	get := func(version string) string {
		return w.Must(t, 200, "GET", apitest.VersionsOf("beacon")+"/"+w.VersionID(t, "beacon", version), "")
	}
	for version, want := range map[string]string{
		"1.1.0":        `{"title":"Ours","is_latest":true,"custom_data":null}`,
		"1.0.0":        `{"title":"The same version again","is_latest":false,"is_preview":false,"custom_data":{"source":"codehost-release-import","owner":"lumen-works","repo":"beacon","release_tag":"1.0.0"}}`,
		"2.0.0-beta.1": `{"title":null,"is_latest":false,"is_preview":true,"channel":"beta","download_url":"` + w.host.URL + `/repos/lumen-works/beacon/zipball/v2.0.0-beta.1","download_links":[{"url":"` + w.host.URL + `/repos/lumen-works/beacon/zipball/v2.0.0-beta.1"}]}`,
		"4.0.0":        `{"title":null,"is_latest":false,"download_links":[]}`,
	} {
		if why := apitest.CompareJSON(t, get(version), want); why != "" {
			t.Errorf("%s: %s", version, why)
		}
	}
}

// TestImportReadsAllPages checks an import of several pages of releases, and an import from a
// repository with more releases than an import reads.
func TestImportReadsAllPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 1030 {
		w.repo.Publish(codehosttest.Release{Tag: fmt.Sprintf("v1.%d.0", i), Assets: []codehosttest.Asset{{Name: "a.zip"}}})
	}
	w.Exchanges(t, []apitest.Exchange{
		{"import", "POST", releaseImport, "", 200, `{"imported":1000,"skipped":0,"scanned":1000}`},
		{"the newest", "GET", "/public/beacon/versions/by-version/1.1029.0", "", 200, ``},
		{"the last that is read", "GET", "/public/beacon/versions/by-version/1.30.0", "", 200, ``},
		{"the first that is not", "GET", "/public/beacon/versions/by-version/1.29.0", "", 404, ``},
	})
	if n := w.host.Asked("GET", "/releases"); n != 10 {
		t.Errorf("read %d pages; want 10", n)
	}
}

// TestImportBreaksOff checks that the pages that were read before a failure are stored, and that
// the next import stores the remaining ones.
func TestImportBreaksOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 150 {
		w.repo.Publish(codehosttest.Release{Tag: fmt.Sprintf("v1.%d.0", i)})
	}
	app := w.host.App(t, map[string]string{"contents": "read"})
	app.Install(w.repo)
	w.configure(t, app)
	pages := 0
	w.host.Break("GET", "/releases", func(_ *codehosttest.Host, next http.Handler) http.Handler {
		if pages++; pages == 2 {
			return codehosttest.Status(500)(w.host, next)
		}
		return next
	})
	w.Exchanges(t, []apitest.Exchange{
		{"the second page fails", "POST", releaseImport, "", 502, ``},
		{"the first is stored", "GET", apitest.VersionsOf("beacon") + "?limit=1", "", 200, `{"total":100}`},
		{"again", "POST", releaseImport, "", 200, `{"imported":50,"skipped":100,"scanned":150}`},
	})
}

// TestPreviewsAsTheApp checks that the server can read a private repository only if the app is
// installed on it.
func TestPreviewsAsTheApp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.repo.Change(func(r *codehosttest.Repository) { r.Private = true })
	w.repo.Publish(codehosttest.Release{Tag: "v1.0.0"})
	calls := [][2]string{{"GET", repoPreview(w.host.URL + "/lumen-works/beacon")}, {"GET", releasePreview}, {"POST", releaseImport}}
	each := func(when string, want int) {
		t.Helper()
		for _, call := range calls {
			if status, answer := w.Ask(t, call[0], call[1], ""); status != want {
				t.Errorf("%s: %s: got %d %s, want %d", when, call[1], status, answer, want)
			}
		}
	}
	each("without an app", 404)
	app := w.host.App(t, map[string]string{"contents": "read"})
	w.configure(t, app)
	each("not installed", 404)
	app.Install(w.repo)
	each("installed", 200)
	app.Uninstall()
	each("no longer installed", 404)
}

// TestJWTSecretChanged checks the error for a private key that cannot be decrypted.
func TestJWTSecretChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	err := w.DB.Update(func(tx *store.Tx) error {
		sealed := seal.NewKeys([]byte("the secret of before, long enough")).Seal(seal.AppPrivateKey, "-----BEGIN PRIVATE KEY-----")
		return store.CodehostAppSettings.Put(tx, &store.CodehostApp{AppID: "1", PrivateKey: sealed})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{repoPreview(w.host.URL + "/lumen-works/beacon"), releasePreview} {
		if status, answer := w.Ask(t, "GET", path, ""); status != 400 || !strings.Contains(answer, "enter it again") {
			t.Errorf("%s: got %d %s", path, status, answer)
		}
	}
}

// TestPreviewsOfGitea checks that responses of Gitea and Forgejo are read like those of GitHub.
// Gitea and Forgejo choose the page size themselves, and their releases have no modification time.
func TestPreviewsOfGitea(t *testing.T) {
	t.Parallel()
	read := func(name string) []byte {
		text, err := os.ReadFile("testdata/gitea_" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	var releases []json.RawMessage
	if err := json.Unmarshal(read("releases"), &releases); err != nil {
		t.Fatal(err)
	}
	repository := read("repository")
	const api = "/repos/lumen-works/beacon"
	m := http.NewServeMux()
	send := func(text []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(text) } // the client checks the body
	}
	m.HandleFunc("GET "+api, send(repository))
	m.HandleFunc("GET "+api+"/releases/latest", send(releases[1]))
	m.HandleFunc("GET "+api+"/releases/tags/v1.5.0-rc.1", send(releases[0]))
	m.HandleFunc("GET "+api+"/releases", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("page") == "2" {
			send([]byte("["+string(releases[1])+"]"))(w, r)
			return
		}
		w.Header().Set("Link", `<https://code.example/api/v1`+api+`/releases?page=2>; rel="next",<https://code.example/api/v1`+api+`/releases?page=2>; rel="last"`)
		send([]byte("["+string(releases[0])+"]"))(w, r)
	})
	m.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		send([]byte(`{"errors":[],"message":"The target couldn't be found.","url":"https://code.example/api/swagger"}`))(w, nil)
	})
	host := httptest.NewServer(m)
	t.Cleanup(host.Close)
	s := apitest.NewServer(t, apitest.WithCodehost(host.URL))
	s.Project(t, "beacon")
	s.Must(t, 200, "PATCH", "/admin/projects/beacon", `{"repo_url":"`+host.URL+`/lumen-works/beacon"}`)
	const files = "https://code.example/lumen-works/beacon/releases/download/v1.4.0/"
	s.Exchanges(t, []apitest.Exchange{
		{"repository", "GET", repoPreview(host.URL + "/lumen-works/beacon"), "", 200, `{"name":"lumen-works/beacon","author":"lumen-works","description":null,
			"icon_url":"https://code.example/avatars/4f2b1f0e","website_url":"https://beacon.example","published_at":1614834367}`},
		{"latest release", "GET", releasePreview, "", 200, `{"version":"1.4.0","title":"Brighter at night","content":"- The lamp is **brighter**.","is_latest":true,
			"download_url":"` + files + `beacon-1.4.0-linux-amd64.tar.gz","published_at":1714979289}`},
		{"prerelease", "GET", releasePreview + "?tag=v1.5.0-rc.1", "", 200, `{"version":"1.5.0-rc.1","is_preview":true,"download_links":[],
			"download_url":"https://code.example/lumen-works/beacon/archive/v1.5.0-rc.1.zip"}`},
		{"unknown release", "GET", releasePreview + "?tag=v9", "", 404, ``},
		{"import", "POST", releaseImport, "", 200, `{"imported":2,"skipped":0,"scanned":2}`},
	})
}

// shared is a buffer that is safe for concurrent writers.
type shared struct {
	sync.Mutex
	bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.Lock()
	defer s.Unlock()
	return s.Buffer.Write(p)
}

func (s *shared) text() string {
	s.Lock()
	defer s.Unlock()
	return s.String()
}

// TestCodeHostFails checks that the code host's message appears in the log with the id of the
// request, but not in the response.
func TestCodeHostFails(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault  codehosttest.Fault
		status int
		logged string
		after  string // value of Retry-After
	}{
		"500":                       {codehosttest.Status(500), 502, "status 500: " + codehosttest.Secret, ""},
		"403 without a limit":       {codehosttest.Status(403), 502, "status 403: " + codehosttest.Secret, ""},
		"401":                       {codehosttest.Status(401), 502, "status 401: " + codehosttest.Secret, ""},
		"404":                       {codehosttest.Status(404), 404, "", ""},
		"cut":                       {codehosttest.Cut(), 502, "the connection broke off", ""},
		"no JSON":                   {codehosttest.Answer(200, "<html>"+codehosttest.Secret), 502, "another form", ""},
		"rate limit":                {codehosttest.RateLimit(10 * time.Minute), 502, "rate limited until", "600"},
		"secondary limit":           {codehosttest.SecondaryLimit(403, 90*time.Second), 502, "rate limited until", "90"},
		"secondary limit with 429":  {codehosttest.SecondaryLimit(429, 90*time.Second), 502, "rate limited until", "90"},
		"secondary limit of no end": {codehosttest.SecondaryLimit(403, -1), 502, "rate limited until", "60"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := &shared{}
			w := newWorld(t, apitest.WithLog(log))
			w.host.Break("", "", tc.fault)
			for _, call := range [][2]string{{"GET", repoPreview(w.host.URL + "/lumen-works/beacon")}, {"GET", releasePreview}, {"POST", releaseImport}} {
				status, answer, header := w.Do(t, call[0], call[1], w.Admin, "")
				if status != tc.status || strings.Contains(answer, codehosttest.Secret) {
					t.Errorf("%s: got %d %s", call[1], status, answer)
				}
				after, _ := time.ParseDuration(header.Get("Retry-After") + "s")
				want, _ := time.ParseDuration(tc.after + "s")
				if (header.Get("Retry-After") == "") != (tc.after == "") || after > want || after < want-30*time.Second {
					t.Errorf("%s: Retry-After is %q, want %q or a little less", call[1], header.Get("Retry-After"), tc.after)
				}
				if tc.after != "" && !strings.Contains(answer, "the code host accepts no more requests until 20") {
					t.Errorf("%s: %s does not say until when", call[1], answer)
				}
				if id := header.Get("X-Request-Id"); tc.logged != "" && (id == "" || !strings.Contains(log.text(), id)) {
					t.Errorf("the log does not have request %q", id)
				}
			}
			if !strings.Contains(log.text(), tc.logged) {
				t.Errorf("the log does not have %q:\n%s", tc.logged, log.text())
			}
		})
	}
}
