package distribution_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/files/storage/storagetest"
	"svc/internal/seal"
	"svc/store"
)

const backends = "/admin/storage/backends"

func TestStorageSettings(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithConfig(distributed))
	s.Exchanges(t, []apitest.Exchange{
		{"at the first start", "GET", "/admin/storage", "", 200, `{"dist_base_url":"https://dl.example","upload_max_bytes":4294967296,"chunk_size":8388608,
			"backends":[{"id":"local","kind":"local","is_builtin":true,"is_default":true,"base_url":null,"username":null,"has_password":false,"password_fingerprint":null,
			"part_size_kb":null,"region":null,"bucket":null,"path_prefix":null,"path_style":null,"file_count":0,"cdn_origin":null}]}`},
		{"probe of local", "POST", backends + "/local/test", "", 200, `{"ok":true,"range_supported":true,"large_write_ok":true,"error":null}`},
	})
	nas := s.Must(t, 201, "POST", backends, `{"name":" NAS ","kind":"webdav","base_url":" HTTPS://NAS.example:443/dav/a%20b// ","username":" me ","password":" secret ","is_default":true,"bucket":null}`)
	if why := apitest.CompareJSON(t, nas, fmt.Sprintf(`{"name":"NAS","kind":"webdav","is_builtin":false,"is_default":true,"base_url":"HTTPS://NAS.example:443/dav/a%%20b","username":"me","has_password":true,
		"password_fingerprint":%q,"part_size_kb":null,"bucket":null,"path_style":null,"file_count":0,"cdn_origin":{"scheme":"https","host":"NAS.example","path_prefix":"/dav/a%%20b"}}`, seal.Fingerprint("secret"))); why != "" {
		t.Error(why)
	}
	one := backends + "/" + apitest.Field[string](t, nas, "id")
	s3 := s.Must(t, 201, "POST", backends, `{"name":"S3","kind":"s3","base_url":"http://s3.example:9000","bucket":"files","path_prefix":"a b","part_size_kb":null}`)
	two := backends + "/" + apitest.Field[string](t, s3, "id")
	s.Exchanges(t, []apitest.Exchange{
		{"one default", "GET", "/admin/storage", "", 200, `{"backends":[{"id":"local","is_default":false},{"name":"NAS","is_default":true},
			{"name":"S3","is_default":false,"region":null,"bucket":"files","path_prefix":"a b","path_style":true,"cdn_origin":null}]}`},
		{"nothing changes", "PATCH", one, `{"kind":"s3"}`, 200, `{"kind":"webdav","name":"NAS","username":"me","has_password":true}`},
		{
			"parts",
			"PATCH",
			one,
			`{"part_size_kb":512,"username":"","password":""}`,
			200,
			`{"part_size_kb":512,"username":null,"has_password":false,"password_fingerprint":null,"cdn_origin":null}`,
		},
		{
			"no parts",
			"PATCH",
			one,
			`{"part_size_kb":null,"base_url":"http://nas.example:8080"}`,
			200,
			`{"part_size_kb":null,"cdn_origin":{"scheme":"http","host":"nas.example:8080","path_prefix":""}}`,
		},
		{"another default", "PATCH", backends + "/local", `{"is_default":true,"name":"Disk"}`, 200, `{"is_default":true,"name":"Disk"}`},
		{
			"S3",
			"PATCH",
			two,
			`{"region":"eu","path_prefix":"","path_style":false,"username":"id","password":"key"}`,
			200,
			`{"region":"eu","path_prefix":"","path_style":false,"username":"id","has_password":true}`,
		},
		{"in use", "POST", "/admin/projects", fmt.Sprintf(`{"project_key":"a","name":"a","storage_backend_id":%q}`, strings.TrimPrefix(one, backends+"/")), 201, ``},
		{"deleted", "DELETE", one, "", 200, `{"success":true}`},
		{"not in use any more", "GET", "/admin/projects/a", "", 200, `{"storage_backend_id":null}`},
		{"deleted again", "DELETE", one, "", 404, `{"message":"storage backend not found"}`},
	})
	err := s.DB.View(func(tx *store.Tx) error {
		b, err := tx.StorageBackend(strings.TrimPrefix(two, backends+"/"))
		if err == nil && strings.Contains(b.Password, "key") {
			t.Errorf("the secret is stored as %q", b.Password)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestStorageRules(t *testing.T) {
	t.Parallel()
	s := withFiles(t)
	nas := apitest.Field[string](t, s.Must(t, 201, "POST", backends, `{"name":"NAS","kind":"webdav","base_url":"http://127.0.0.1:1","is_default":true}`), "id")
	one := backends + "/" + nas
	bucket := backends + "/" + apitest.Field[string](t, s.Must(t, 201, "POST", backends, `{"name":"S3","kind":"s3","base_url":"http://127.0.0.1:1","bucket":"files"}`), "id")
	create(t, s, "a", &store.File{
		ID: "ready0000000", Filename: "a", ObjectKey: "f/a/ready0000000/a", Size: 5, SHA256: sumOf("12345"),
		Status: store.FileReady, Source: store.FileUploaded, Backend: nas,
	})
	long := func(n int) string { return strings.Repeat("x", n) }
	s.Refusals(t, "/admin/storage", []apitest.Refusal{
		{"nothing", "POST", backends, "", 400, "kind must be webdav or s3; name is required; base_url is required"},
		{"local", "POST", backends, `{"name":"x","kind":"local","base_url":"http://x"}`, 400, "kind must be webdav or s3"},
		{"everything", "POST", backends, `{"name":" ","kind":"webdav","base_url":"ftp://x","username":"` + long(257) + `","password":"` + long(513) + `","part_size_kb":63,"is_default":"yes"}`, 400,
			"name must not be empty; is_default must be true or false; base_url must be an http or https URL without user name, query and fragment; username must have at most 256 characters; " +
				"password must have at most 512 characters; part_size_kb must be an integer from 64 to 1048576"},
		{"long texts", "POST", backends, `{"name":"` + long(65) + `","kind":"s3","base_url":"http://` + long(512) + `","region":"` + long(65) + `","bucket":"ab","path_prefix":"/x","part_size_kb":64}`, 400,
			"name must have at most 64 characters; base_url must have at most 512 characters; part_size_kb must be null for storages of kind s3; region must have at most 64 characters; " +
				"bucket must have at least 3 characters; path_prefix must neither begin nor end with a slash"},
		{"no bucket", "POST", backends, `{"name":"x","kind":"s3","base_url":"http://x"}`, 400, "bucket is required"},
		{
			"path of S3",
			"POST",
			backends,
			`{"name":"x","kind":"s3","base_url":" http://x/a/ ","bucket":"files"}`,
			400,
			"base_url must have no path for storages of kind s3: it is the endpoint, the folder belongs in path_prefix",
		},
		{"path of S3, later", "PATCH", bucket, `{"base_url":"http://x/a"}`, 400, "base_url must have no path"},
		{"fields of S3", "POST", backends, `{"name":"x","kind":"webdav","base_url":"http://x","bucket":"files","region":"r","path_prefix":"p","path_style":true}`, 400,
			"region is for storages of kind s3; bucket is for storages of kind s3; path_prefix is for storages of kind s3; path_style is for storages of kind s3"},
		{"address with a password", "POST", backends, `{"name":"x","kind":"webdav","base_url":"http://u:p@x"}`, 400, "without user name"},
		{"address with a query", "PATCH", one, `{"base_url":"http://x?y"}`, 400, "without user name, query"},
		{"address without a host", "PATCH", one, `{"base_url":"http://"}`, 400, "base_url must be an http"},
		{"port", "PATCH", one, `{"base_url":"http://x:99999"}`, 400, "base_url must be an http"},
		{
			"null",
			"PATCH",
			one,
			`{"name":null,"base_url":null,"is_default":null}`,
			400,
			"name must not be null; is_default must not be null; base_url must not be null",
		},
		{"blank", "PATCH", one, `{"name":" ","base_url":" "}`, 400, "name must not be empty; base_url must not be empty"},
		{"no default", "PATCH", one, `{"is_default":false}`, 400, "is_default must be true"},
		{"bucket of null", "PATCH", bucket, `{"bucket":null,"path_style":null}`, 400, "bucket must not be null; path_style must not be null"},
		{"connection of local", "PATCH", backends + "/local", `{"base_url":"http://x","username":null,"password":"","part_size_kb":null,"bucket":"x"}`, 400,
			"base_url must not be sent for the built-in storage; username must not be sent for the built-in storage; password must not be sent"},
		{"unknown", "PATCH", backends + "/x", `{"name":""}`, 404, "storage backend not found"},
		{"unknown: test", "POST", backends + "/x/test", "", 404, "storage backend not found"},
		{"delete local", "DELETE", backends + "/local", "", 400, "built-in"},
		{"delete the default", "DELETE", one, "", 409, "the default"},
	})
	s.Must(t, 200, "PATCH", backends+"/local", `{"is_default":true}`)
	s.Refusals(t, "/admin/storage", []apitest.Refusal{{"delete one with files", "DELETE", one, "", 409, "has 1 files"}})
	s.Exchanges(t, []apitest.Exchange{
		{"unknown storage of a project", "PATCH", "/admin/projects/a", `{"storage_backend_id":"x"}`, 400, ``},
		{
			"storage of a project",
			"PATCH",
			"/admin/projects/a",
			fmt.Sprintf(`{"storage_backend_id":%q,"mirror_codehost_assets":"true"}`, nas),
			200,
			fmt.Sprintf(`{"storage_backend_id":%q,"mirror_codehost_assets":true}`, nas),
		},
		{"none", "PATCH", "/admin/projects/a", `{"storage_backend_id":" "}`, 200, `{"storage_backend_id":null}`},
	})
}

// TestStorageProbe checks that a probe reports which operations work, and that the response is
// successful even if the probe fails.
func TestStorageProbe(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	dav := httptest.NewServer(storagetest.Handler(t.TempDir()))
	t.Cleanup(dav.Close)
	one := backends + "/" + apitest.Field[string](t, s.Must(t, 201, "POST", backends, fmt.Sprintf(`{"name":"NAS","kind":"webdav","base_url":%q,"username":%q,"password":%q}`, dav.URL, storagetest.User, storagetest.Password)), "id")
	s.Exchanges(t, []apitest.Exchange{
		{"works", "POST", one + "/test", "", 200, `{"ok":true,"range_supported":true,"large_write_ok":true,"error":null}`},
		{"another password", "PATCH", one, `{"password":"x"}`, 200, ``},
	})
	answer := s.Must(t, 200, "POST", one+"/test", "")
	if apitest.Field[bool](t, answer, "ok") || apitest.Field[*string](t, answer, "error") == nil || apitest.Field[*bool](t, answer, "large_write_ok") != nil {
		t.Errorf("wrong password: got %s", answer)
	}
	// Encrypt the password with another JWT_SECRET.
	err := s.DB.Update(func(tx *store.Tx) error {
		b, err := tx.StorageBackend(strings.TrimPrefix(one, backends+"/"))
		if err != nil {
			return err
		}
		b.Password = seal.NewKeys([]byte("another")).Seal(seal.StoragePassword, "x")
		return tx.PutStorageBackend(b)
	})
	if err != nil {
		t.Fatal(err)
	}
	if answer := s.Must(t, 200, "POST", one+"/test", ""); !strings.Contains(answer, "enter it again") {
		t.Errorf("after a change of JWT_SECRET: got %s", answer)
	}
}

// TestRemoteDownload checks that files on remote storages are read through the cache. The first
// request fetches the file. Later requests must succeed even without the storage, until the file is
// deleted.
func TestRemoteDownload(t *testing.T) {
	t.Parallel()
	s := withFiles(t)
	folder := t.TempDir()
	dav := httptest.NewServer(storagetest.Handler(folder))
	id := apitest.Field[string](t, s.Must(t, 201, "POST", backends, fmt.Sprintf(`{"name":"NAS","kind":"webdav","base_url":%q,"username":%q,"password":%q}`, dav.URL, storagetest.User, storagetest.Password)), "id")
	content := alphabet(9 << 20)
	key := "f/a/ready0000000/a.zip"
	for _, dir := range []string{"/f", "/f/a", "/f/a/ready0000000"} {
		if err := os.Mkdir(folder+dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(folder+"/"+key, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	create(t, s, "a", &store.File{
		ID: "ready0000000", Filename: "a.zip", ObjectKey: key, Size: int64(len(content)), SHA256: sumOf(content),
		Status: store.FileReady, Source: store.FileUploaded, Backend: id,
	})
	get := func(ranges, want, cache string) {
		t.Helper()
		header := map[string]string{}
		if ranges != "" {
			header["Range"] = ranges
		}
		status, body, answer := s.Send(t, "GET", "/"+key, header, "")
		if status/100 != 2 || body != want || answer.Get("X-Svc-Cache-Status") != cache {
			t.Errorf("range %q: got %d, %d bytes, %s; want %d bytes, %s", ranges, status, len(body), answer.Get("X-Svc-Cache-Status"), len(want), cache)
		}
	}
	get("bytes=5000000-5000009", content[5000000:5000010], "MISS")
	get("bytes=5000005-5000009", content[5000005:5000010], "HIT")
	get("bytes=-5", content[len(content)-5:], "MISS")
	get("", content, "MISS")
	get("", content, "HIT")
	dav.Close()
	get("", content, "HIT")
	s.Must(t, 200, "DELETE", fileList+"/ready0000000", "")
	if status, _, _ := s.Send(t, "GET", "/"+key, nil, ""); status != 404 {
		t.Errorf("after its deletion: got %d, want 404", status)
	}
}

// TestSlowStorage checks that a storage may take longer to respond than the time limit of a request,
// even if it fails in the end.
func TestSlowStorage(t *testing.T) {
	t.Parallel()
	s := withFiles(t)
	var broken atomic.Bool
	folder := t.TempDir()
	working := storagetest.Handler(folder)
	dav := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "GET" {
			select {
			case <-time.After(2500 * time.Millisecond): // the server under test has a limit of 2 s
			case <-r.Context().Done():
				return
			}
			if broken.Load() {
				w.WriteHeader(http.StatusForbidden)
				return
			}
		}
		working.ServeHTTP(w, r)
	}))
	t.Cleanup(dav.Close)
	id := apitest.Field[string](t, s.Must(t, 201, "POST", backends, fmt.Sprintf(`{"name":"NAS","kind":"webdav","base_url":%q,"username":%q,"password":%q}`, dav.URL, storagetest.User, storagetest.Password)), "id")
	if err := os.MkdirAll(folder+"/f/a/ready0000000", 0o700); err != nil {
		t.Fatal(err)
	}
	const key = "f/a/ready0000000/a.zip"
	if err := os.WriteFile(folder+"/"+key, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	create(t, s, "a", &store.File{
		ID: "ready0000000", Filename: "a.zip", ObjectKey: key, Size: 5, SHA256: sumOf("12345"),
		Status: store.FileReady, Source: store.FileUploaded, Backend: id,
	})
	s.Impatient(t)
	if answer := s.Must(t, 200, "POST", backends+"/"+id+"/test", ""); !apitest.Field[bool](t, answer, "ok") {
		t.Errorf("probe: got %s", answer)
	}
	broken.Store(true)
	if status, body, _ := s.Send(t, "GET", "/"+key, nil, ""); status != 502 || body != "Storage Unavailable" {
		t.Errorf("broken: got %d %q", status, body)
	}
	broken.Store(false)
	if status, body, _ := s.Send(t, "GET", "/"+key, nil, ""); status != 200 || body != "12345" {
		t.Errorf("got %d %q", status, body)
	}
}

func TestCDNSettings(t *testing.T) {
	t.Parallel()
	cdn := &provider{}
	s := withCDN(t, cdn, apitest.WithConfig(func(c *api.Config) { c.Files.BaseURL = "https://dl.example" }))
	const at = "/admin/storage/cdn"
	empty := `{"provider":"aliyun","enabled":false,"configured":false,"access_key_id":null,"has_access_key_secret":false,"access_key_secret_fingerprint":null,"dist_base_url":"https://dl.example","updated_at":null}`
	s.Exchanges(t, []apitest.Exchange{
		{"before the first save", "GET", at, "", 200, empty},
		{
			"no credentials",
			"POST",
			at + "/test",
			"",
			200,
			`{"ok":false,"url_remain":null,"url_quota":null,"error":"the credentials of the CDN are incomplete: access_key_id and access_key_secret are needed"}`,
		},
		{"set", "PUT", at, `{"provider":"cloudflare","access_key_id":" zone ","access_key_secret":" token "}`, 200,
			fmt.Sprintf(`{"provider":"cloudflare","enabled":false,"configured":true,"access_key_id":"zone","has_access_key_secret":true,"access_key_secret_fingerprint":%q}`, seal.Fingerprint("token"))},
		{"works while switched off", "POST", at + "/test", "", 200, `{"ok":true,"url_remain":null,"url_quota":null,"error":null}`},
		{"switched on, the rest stays", "PUT", at, `{"enabled":true}`, 200, `{"enabled":true,"configured":true,"access_key_id":"zone"}`},
		{"no id", "PUT", at, `{"access_key_id":""}`, 200, `{"configured":false,"access_key_id":null,"has_access_key_secret":true}`},
		{"another provider", "PUT", at, `{"provider":"aliyun"}`, 200, `{"provider":"aliyun","configured":false,"has_access_key_secret":false}`},
		{"credentials", "PUT", at, `{"access_key_id":"zone","access_key_secret":"token"}`, 200, `{"configured":true}`},
		{
			"another provider, credentials of before",
			"PUT",
			at,
			`{"provider":"cloudflare","access_key_id":"zone","access_key_secret":"token"}`,
			200,
			`{"provider":"cloudflare","enabled":true,"configured":true,"access_key_id":"zone"}`,
		},
		{
			"another provider, id of before",
			"PUT",
			at,
			`{"provider":"aliyun","access_key_id":"zone"}`,
			200,
			`{"configured":false,"access_key_id":"zone","has_access_key_secret":false,"access_key_secret_fingerprint":null}`,
		},
		{"the same provider", "PUT", at, `{"provider":"aliyun","access_key_secret":"token"}`, 200, `{"configured":true,"access_key_id":"zone"}`},
		{"every broken rule", "PUT", at, `{"provider":"x","enabled":null,"access_key_id":"` + strings.Repeat("x", 129) + `","access_key_secret":"` + strings.Repeat("x", 257) + `"}`, 400,
			`{"message":["provider must be aliyun or cloudflare","enabled must not be null","access_key_id must have at most 128 characters","access_key_secret must have at most 256 characters"]}`},
		{"cleared", "DELETE", at, "", 200, empty},
		{"stays cleared", "GET", at, "", 200, empty},
	})
}
