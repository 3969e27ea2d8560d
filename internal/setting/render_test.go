package setting

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// TestGenerated checks that the committed files match the table of settings.
func TestGenerated(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ path, want string }{
		{"../../config.example.toml", Example()},
		{"../../docs/configuration.md", markdown()},
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

// TestExampleLoads checks that the example file sets every setting to its default when
// its lines are no longer commented out.
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

// TestTable checks that every definition is complete and named by the rules.
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

// markdown returns the reference of all settings as Markdown.
func markdown() string {
	var b strings.Builder
	b.WriteString(`# Configuration

The server needs no configuration. Each setting can come from four sources; the
first one that has a value is used:

1. a flag, such as ` + "`--log-level debug`" + `
2. an environment variable, such as ` + "`SVC_LOG_LEVEL=debug`" + `
3. the file ` + "`config.toml`" + ` in the data directory, or the file named by ` + "`--config`" + ` or
   ` + "`SVC_CONFIG`" + `
4. the default

An empty value counts as unset. If a value is invalid, or the file has an unknown
name, the server does not start: it prints one line per problem and exits with code 2.
` + "`svc config`" + ` shows the effective settings and their sources. ` + "`svc config --check FILE`" + `
rejects an invalid file like the server, and opens the certificates and the database
that the file names; ` + "`--json`" + ` is for programs. ` + "`svc config example`" + ` prints a file that
explains every setting.

Secrets are masked in all output. Each secret has a second variable with the suffix
` + "`_FILE`" + `, which names a file with the value, as container and service managers provide
it. A secret in a flag works, with a warning: every user who can list processes can
see it. If you set no session secret or salt, the server generates them at the first
start and stores them in ` + "`secrets.toml`" + ` in the data directory.

| Setting | Flag | Variable | Default | Meaning |
|---|---|---|---|---|
`)
	for _, d := range definitions {
		fmt.Fprintf(&b, "| %s | `--%s` | %s | %s | %s |\n", keyCell(d), d.Flag(), variableCell(d), defaultCell(d), d.Help)
	}
	b.WriteString("\n## Why these defaults\n\n")
	for _, d := range definitions {
		fmt.Fprintf(&b, "- `%s`: %s\n", d.Key, d.Why)
	}
	return b.String()
}

func keyCell(d Definition) string {
	if d.NotInFile {
		return "`" + d.Key + "` (not in the file)"
	}
	return "`" + d.Key + "`"
}

func variableCell(d Definition) string {
	if d.Secret {
		return "`" + d.Variable + "`, `" + d.FileVariable() + "`"
	}
	return "`" + d.Variable + "`"
}

func defaultCell(d Definition) string {
	if d.Default == "" {
		return d.Unset
	}
	return "`" + d.Default + "`"
}
