package setting

import (
	"flag"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// TestGenerated holds the committed files to the table.
func TestGenerated(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ path, want string }{
		{"../../config.example.toml", Example()},
		{"../../docs/configuration.md", Markdown()},
	} {
		if *update {
			if err := os.WriteFile(tc.path, []byte(tc.want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(tc.path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != tc.want {
			t.Errorf("%s is not what the table says; run: go test ./internal/setting -update", tc.path)
		}
	}
}

// TestExampleLoads takes the comment marks off and expects the defaults.
func TestExampleLoads(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(Example()) {
		if line != "\n" && !strings.HasPrefix(line, "# ") {
			t.Errorf("line that is not commented out: %q", line)
		}
	}
	live := regexp.MustCompile(`(?m)^# ([a-z_.]+ = )`).ReplaceAllString(Example(), "$1")
	s, err := Load(Sources{ReadFile: func(path string) ([]byte, error) {
		if path != "data/config.toml" {
			return nil, fs.ErrNotExist
		}
		return []byte(live), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range s.Values() {
		if d := v.Definition; !d.NotInFile && d.Key != "bootstrap_secret_dir" && d.Key != "backup.dir" && d.Key != "storage_dir" && v.Text != d.Default {
			t.Errorf("%s: got %q, want %q", d.Key, v.Text, d.Default)
		}
		if v.Default != "" && !v.NotInFile && v.Origin != FromFile {
			t.Errorf("%s: got origin %q, want the file", v.Key, v.Origin)
		}
	}
}

// TestTable holds each definition to the naming rule and to completeness.
func TestTable(t *testing.T) {
	t.Parallel()
	fixed := map[string]string{
		"port": "PORT", "jwt_secret": "JWT_SECRET", "jwt_expires_in": "JWT_EXPIRES_IN", "api_key_salt": "API_KEY_SALT",
		"admin_password": "ADMIN_PASSWORD", "bootstrap_secret_dir": "BOOTSTRAP_SECRET_DIR",
	}
	seen := map[string]bool{}
	for _, d := range Definitions() {
		want := fixed[d.Key]
		if want == "" {
			want = "SVC_" + strings.ToUpper(strings.ReplaceAll(d.Key, ".", "_"))
		}
		if d.Variable != want {
			t.Errorf("%s: got variable %s, want %s", d.Key, d.Variable, want)
		}
		if seen[d.Key] {
			t.Errorf("%s is there twice", d.Key)
		}
		seen[d.Key] = true
		if (d.Default == "") == (d.Unset == "") {
			t.Errorf("%s must have a default or say what happens without one", d.Key)
		}
		if d.Kind == "" || d.set == nil || !strings.HasSuffix(d.Help, ".") || !strings.HasSuffix(d.Why, ".") {
			t.Errorf("%s is not complete", d.Key)
		}
	}
}
