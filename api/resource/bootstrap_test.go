package resource_test

import (
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
	"svc/internal/control"
)

func bootstrapFile(s *apitest.Server) string { return filepath.Join(s.Dir, "svc.bootstrap-admin.txt") }

// checkBootstrap checks that the bootstrap file contains the password and that only its owner can
// read it.
func checkBootstrap(t *testing.T, s *apitest.Server, password string) {
	t.Helper()
	text, err := os.ReadFile(bootstrapFile(s))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "user name: admin\n") || !strings.Contains(string(text), "password:  "+password+"\n") {
		t.Errorf("the file does not say how to log in with %q:\n%s", password, text)
	}
	info, err := os.Stat(bootstrapFile(s))
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode != 0o600 {
		t.Errorf("the file has mode %o, want 600", mode)
	}
}

func hasBootstrap(s *apitest.Server) bool {
	_, err := os.Stat(bootstrapFile(s))
	return err == nil
}

func TestEnsureAdminGenerates(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithoutAdmin())
	password, created, err := s.Handler.EnsureAdmin(t.Context(), "")
	if err != nil || !created || len(password) < 20 {
		t.Fatalf("got password %q, created %v, error %v", password, created, err)
	}
	checkBootstrap(t, s, password)
	if status, _ := s.LogIn(t, "admin", password+"x"); status != 401 || !hasBootstrap(s) {
		t.Errorf("failed login: got %d, file there: %v, want 401 and the file left alone", status, hasBootstrap(s))
	}
	for _, which := range []string{"first", "second"} {
		if status, _ := s.LogIn(t, "admin", password); status != 201 || hasBootstrap(s) {
			t.Errorf("%s login: got %d, file there: %v, want 201 and no file", which, status, hasBootstrap(s))
		}
	}
}

func TestEnsureAdminTakesPassword(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithoutAdmin())
	generated, created, err := s.Handler.EnsureAdmin(t.Context(), "  as given  ")
	if generated != "" || !created || err != nil {
		t.Fatalf("got password %q, created %v, error %v, want one created with the given password", generated, created, err)
	}
	if hasBootstrap(s) {
		t.Error("a password that was given is written to a file")
	}
	if status, token := s.LogIn(t, "admin", "  as given  "); status != 201 || !s.Works(t, token) {
		t.Errorf("login with the given password: got %d", status)
	}
}

func TestEnsureAdminKeepsAccount(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	for _, password := range []string{"", "another password"} {
		generated, created, err := s.Handler.EnsureAdmin(t.Context(), password)
		if generated != "" || created || err != nil {
			t.Errorf("with password %q: got %q, created %v, error %v, want nothing to happen", password, generated, created, err)
		}
	}
	if hasBootstrap(s) {
		t.Error("a file with a first password was written")
	}
	if status, _ := s.LogIn(t, "admin", apitest.Password); status != 201 || !s.Works(t, s.Admin) {
		t.Errorf("login as before: got %d, want 201", status)
	}
}

// TestEnsureAdminWithoutFile checks that a generated password does not become valid if it cannot be
// written to the bootstrap file.
func TestEnsureAdminWithoutFile(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithoutAdmin(), func(o *apitest.Options) {
		o.Config.BootstrapFile = filepath.Join(o.Config.BootstrapFile, "below a folder that is not there")
	})
	if _, created, err := s.Handler.EnsureAdmin(t.Context(), ""); created || err == nil || s.DB.Account() != nil {
		t.Errorf("got created %v, error %v, account %v, want an error and no account", created, err, s.DB.Account())
	}
}

func TestResetPassword(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Must(t, 200, "PATCH", "/auth/account", `{"current_password":"correct horse","username":"boss"}`)
	_, before := s.LogIn(t, "boss", apitest.Password)
	s.Admin = before
	key := s.Key(t, `{"name":"k","scopes":["projects:read"]}`)
	for _, round := range []string{"first", "second"} {
		status, answer := s.Owner(t, "POST", "/control/admin/reset-password", "")
		if status != 200 {
			t.Fatalf("%s reset: got %d %s", round, status, answer)
		}
		password := apitest.Field[string](t, answer, "password")
		if name, file := apitest.Field[string](t, answer, "username"), apitest.Field[string](t, answer, "file"); name != "admin" || file != bootstrapFile(s) {
			t.Errorf("%s reset: got name %q and file %q", round, name, file)
		}
		checkBootstrap(t, s, password)
		if s.Works(t, before) {
			t.Errorf("%s reset: a login from before still works", round)
		}
		for _, name := range []string{"boss", "admin"} {
			if status, _ := s.LogIn(t, name, apitest.Password); status != 401 {
				t.Errorf("%s reset: login as %s with the old password: got %d, want 401", round, name, status)
			}
		}
		var after string
		if status, after = s.LogIn(t, "admin", password); status != 201 || hasBootstrap(s) {
			t.Errorf("%s reset: login with the new password: got %d, file there: %v", round, status, hasBootstrap(s))
		}
		before = after
	}
	if status, _, _ := s.Do(t, "GET", "/admin/projects", key, ""); status != 200 {
		t.Errorf("API key after the reset: got %d, want 200", status)
	}
}

func TestResetPasswordMakesAdmin(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithoutAdmin())
	status, answer := s.Owner(t, "POST", "/control/admin/reset-password", "")
	if status != 200 {
		t.Fatalf("got %d %s", status, answer)
	}
	if status, token := s.LogIn(t, "admin", apitest.Field[string](t, answer, "password")); status != 201 || !s.Works(t, token) {
		t.Errorf("login with the new password: got %d, want 201", status)
	}
}

func TestOwner(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	const keys = "/control/api-keys"
	for _, tc := range []struct {
		name, method, path, body string
		status                   int
		answer                   string
	}{
		{"version", "GET", "/control/version", "", 200, `{"version":"test","pid":`},
		{"unknown control path", "GET", "/control/nothing", "", 404, `no such path or method`},
		{"unknown control method", "DELETE", "/control/version", "", 404, `no such path or method`},
		{"is the administrator", "GET", "/api/v1/auth/me", "", 200, `"username":"admin"`},
		{"new project without a credential", "POST", "/api/v1/admin/projects", `{"project_key":"a","name":"A"}`, 201, `"project_key":"a"`},
		{"key for everything ends in 30 days", "POST", keys, `{"name":" ci "}`, 201, `"name":"ci","scopes":["versions:write"],"all_projects":true,"project_ids":[],"expires_at":1`},
		{"key that never ends", "POST", keys, `{"name":"ci","never_expires":true,"expires_in_seconds":5}`, 201, `"expires_at":null`},
		{"key for a project", "POST", keys, `{"name":"ci","projects":[" A "],"scopes":["logs:read"]}`, 201, `"scopes":["logs:read"],"all_projects":false,"project_ids":["a"]`},
		{"key for no project in particular", "POST", keys, `{"name":"ci","projects":[]}`, 201, `"all_projects":true`},
		{"key for an unknown project", "POST", keys, `{"name":"ci","projects":["b"]}`, 400, `project_ids: project \"b\" not found`},
		{"all broken rules at once", "POST", keys, `{"scopes":["all"],"projects":"a","expires_in_seconds":0,"never_expires":1}`, 400,
			`["name is required","expires_in_seconds must be an integer from 1 to 3153600000","never_expires must be true or false","scopes[0]: \"all\" is not a scope","projects must be a list"]`},
	} {
		if status, answer := s.Owner(t, tc.method, tc.path, tc.body); status != tc.status || !strings.Contains(answer, tc.answer) {
			t.Errorf("%s: got %d %s, want %d %s", tc.name, status, answer, tc.status, tc.answer)
		}
	}
	status, answer := s.Owner(t, "POST", keys, `{"name":"ends","scopes":["projects:read"],"expires_in_seconds":90}`)
	key := apitest.Field[string](t, answer, "token")
	if got := apitest.Field[int64](t, answer, "expires_at") - apitest.Field[int64](t, answer, "created_at"); status != 201 || got != 90 {
		t.Errorf("key for 90 seconds: got %d, it ends after %d seconds", status, got)
	}
	for _, want := range []int{200, 401} {
		if status, answer, _ := s.Do(t, "GET", "/admin/projects", key, ""); status != want {
			t.Errorf("key for 90 seconds: got %d %s, want %d", status, answer, want)
		}
		s.Clock.Advance(91 * time.Second)
	}
}

// TestOwnerRefusesBrowsers checks that the control connection rejects the headers that a browser
// would send if a web page managed to reach it.
func TestOwnerRefusesBrowsers(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	for _, name := range []string{"Origin", "Referer"} {
		for _, path := range []string{"/control/admin/reset-password", "/control/api-keys", "/api/v1/admin/projects"} {
			r, err := http.NewRequestWithContext(t.Context(), "POST", "http://svc"+path, strings.NewReader(`{"name":"x","project_key":"x"}`))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set(name, "http://svc")
			answer, err := control.InProcess(s.Handler).Do(r)
			if err != nil {
				t.Fatal(err)
			}
			if err := answer.Body.Close(); err != nil || answer.StatusCode != 401 {
				t.Errorf("POST %s with %s: got %d, error %v, want 401", path, name, answer.StatusCode, err)
			}
		}
	}
	if !s.Works(t, s.Admin) || hasBootstrap(s) || len(s.DB.APIKeys())+len(s.DB.Projects()) > 0 {
		t.Error("a refused request did something")
	}
}
