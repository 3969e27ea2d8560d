package cmd

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"svc/internal/datadir"
	"svc/internal/httpserver"
	"svc/internal/setting"
)

func TestCommandsOfAContainer(t *testing.T) {
	t.Parallel()
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ mark, want string }{
		{".dockerenv", "docker exec " + name + " "},
		{"run/.containerenv", "podman exec " + name + " "},
		{"etc/hostname", ""},
	} {
		got := container(fstest.MapFS{tc.mark: {}})
		if !strings.HasPrefix(got, tc.want) || tc.want == "" && got != "" {
			t.Errorf("with /%s: got %q, want %q", tc.mark, got, tc.want)
		}
	}
}

func TestStartScreen(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		report startReport
		file   bool // the file with an unused first password exists
		want   []string
	}{
		{
			"generated password",
			startReport{newFolder: true, newAdmin: true, password: "pass-word"},
			true,
			[]string{"  data     DIR (new)\n", "  login    admin / pass-word   also in DIR/svc.bootstrap-admin.txt\n"},
		},
		{"given password", startReport{newAdmin: true}, false, []string{"  data     DIR\n", "  login    admin / the password from ADMIN_PASSWORD\n"}},
		{"password not used yet", startReport{}, true, []string{"  login    admin / the password in DIR/svc.bootstrap-admin.txt\n"}},
		{
			"nothing new",
			startReport{},
			false,
			[]string{"  login    admin   password lost? svc admin reset-password --data DIR\n", "  listen   http://127.0.0.1:4000\n  console  http://127.0.0.1:4000/admin\n  login", "  next     a key for CI: svc apikey create --name ci --data DIR\n"},
		},
		{
			"built by go run",
			startReport{self: "go run ."},
			false,
			[]string{"lost? go run . admin reset-password --data DIR\n", "  next     a key for CI: go run . apikey create --name ci --data DIR\n"},
		},
		{
			"in a container",
			startReport{inside: "docker exec svc /svc"},
			false,
			[]string{"  login    admin   password lost? docker exec svc /svc admin reset-password\n", "  next     a key for CI: docker exec svc /svc apikey create --name ci\n"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if tc.file {
				if err := os.WriteFile(filepath.Join(dir, datadir.Bootstrap), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var err error
			tc.report.self = cmp.Or(tc.report.self, "svc")
			tc.report.public = &httpserver.Listeners{URLs: []string{"http://127.0.0.1:4000"}}
			tc.report.settings, err = setting.Load(setting.Sources{Env: func(name string) (string, bool) {
				v, ok := map[string]string{"SVC_DATA": dir, "ADMIN_PASSWORD": "given-one"}[name]
				return v, ok
			}})
			if err != nil {
				t.Fatal(err)
			}
			got := strings.ReplaceAll(filepath.ToSlash(tc.report.screen()), filepath.ToSlash(dir), "DIR")
			for _, want := range tc.want {
				if !strings.Contains(got, want) {
					t.Errorf("got\n%s\nwant in it %q", got, want)
				}
			}
			if strings.Contains(got, "given-one") {
				t.Errorf("a password that was given is shown:\n%s", got)
			}
		})
	}
}

// TestStartScreenHasEveryAddress checks that the start screen shows each listen address on a
// separate line, followed by the addresses of the console.
func TestStartScreenHasEveryAddress(t *testing.T) {
	t.Parallel()
	s, err := setting.Load(setting.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		public httpserver.Listeners
		want   string
	}{
		{
			httpserver.Listeners{URLs: []string{"https://a.example", "https://b.example"}},
			"  listen   https://a.example\n           https://b.example\n  console  https://a.example/admin\n  login",
		},
		{
			httpserver.Listeners{URLs: []string{"http://127.0.0.1:1", "http://192.168.1.5:1"}},
			"  listen   http://127.0.0.1:1\n           http://192.168.1.5:1\n  console  http://127.0.0.1:1/admin\n  login",
		},
		{httpserver.Listeners{URLs: []string{"unix:/run/svc/http.sock"}}, "  listen   unix:/run/svc/http.sock\n  login"},
	} {
		if got := (startReport{settings: s, public: &tc.public}).screen(); !strings.Contains(got, tc.want) {
			t.Errorf("got\n%s\nwant in it %q", got, tc.want)
		}
	}
	site := *s
	site.SiteURL = "https://svc.example"
	for listen, want := range map[string]string{
		"unix:/run/svc/http.sock": "  listen   unix:/run/svc/http.sock\n  console  https://svc.example/admin\n  login",
		"http://127.0.0.1:1":      "\n  console  http://127.0.0.1:1/admin\n           https://svc.example/admin\n  login",
		"https://svc.example":     "\n  console  https://svc.example/admin\n  login",
	} {
		public := httpserver.Listeners{URLs: []string{listen}}
		if got := (startReport{settings: &site, public: &public}).screen(); !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant in it %q", got, want)
		}
	}
}
