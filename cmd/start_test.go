package cmd

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc/internal/setting"
)

func TestAddressesCanBeClicked(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ ip, want string }{
		{"127.0.0.1", "http://127.0.0.1:4000"},
		{"::1", "http://[::1]:4000"},
		{"192.0.2.7", "http://192.0.2.7:4000"},
		{"0.0.0.0", "http://127.0.0.1:4000"},
		{"::", "http://127.0.0.1:4000"},
	} {
		if got := "http://" + reachable(&net.TCPAddr{IP: net.ParseIP(tc.ip), Port: 4000}); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.ip, got, tc.want)
		}
	}
}

func TestStartScreen(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		report startReport
		file   bool // a first password waits to be used
		want   []string
	}{
		{"generated password", startReport{newFolder: true, newAdmin: true, password: "pass-word"}, true, []string{"  data     DIR (new)\n", "  login    admin / pass-word   also in DIR/svc.bootstrap-admin.txt\n"}},
		{"given password", startReport{newAdmin: true}, false, []string{"  data     DIR\n", "  login    admin / the password from ADMIN_PASSWORD\n"}},
		{"password not used yet", startReport{}, true, []string{"  login    admin / the password in DIR/svc.bootstrap-admin.txt\n"}},
		{"nothing new", startReport{}, false, []string{"  login    admin   password lost? svc admin reset-password --data DIR\n", "  listen   http://127.0.0.1:4000\n", "  next     a key for CI: svc apikey create --name ci --data DIR\n"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if tc.file {
				if err := os.WriteFile(filepath.Join(dir, bootstrapName), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var err error
			tc.report.front = &front{urls: []string{"http://127.0.0.1:4000"}}
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

// TestStartScreenHasEveryAddress: with several names each stands on a line, and
// an address that is one of many says so.
func TestStartScreenHasEveryAddress(t *testing.T) {
	t.Parallel()
	s, err := setting.Load(setting.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		front front
		want  string
	}{
		{front{urls: []string{"https://a.example", "https://b.example"}}, "  listen   https://a.example\n           https://b.example\n  login"},
		{front{urls: []string{"http://127.0.0.1:1"}, every: true}, "  listen   http://127.0.0.1:1 and every other address of this machine\n  login"},
		{front{urls: []string{"unix:/run/svc/http.sock"}}, "  listen   unix:/run/svc/http.sock\n  login"},
	} {
		if got := (startReport{settings: s, front: &tc.front}).screen(); !strings.Contains(got, tc.want) {
			t.Errorf("got\n%s\nwant in it %q", got, tc.want)
		}
	}
}
