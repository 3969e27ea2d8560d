package setting

import (
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// given contains the input of Load in a test.
type given struct {
	flags, env, files map[string]string
}

func (g given) load() (*Settings, error) {
	lookup := func(m map[string]string) func(string) (string, bool) {
		return func(name string) (string, bool) { v, ok := m[name]; return v, ok }
	}
	return Load(Sources{Flag: lookup(g.flags), Env: lookup(g.env), ReadFile: func(path string) ([]byte, error) {
		text, ok := g.files[path]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return []byte(text), nil
	}})
}

type texts = map[string]string

func TestDefaults(t *testing.T) {
	t.Parallel()
	s, err := Load(Sources{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Data != "./data" || s.Listen != "127.0.0.1:4000" || s.JWTExpiresIn != "2h" || s.BootstrapSecretDir != "./data" ||
		s.PublicRateLimit != 300 || s.TrustedProxyCount != 1 || s.ClientIPHeader != nil || !s.GeoEnabled || s.GeoDatabase != "" || s.LogLevel != slog.LevelInfo ||
		s.LogFormat != "auto" || s.ShutdownTimeout != 10*time.Second || s.JWTSecret+s.APIKeySalt+s.AdminPassword != "" {
		t.Errorf("got %+v", s)
	}
	if len(s.Warnings) > 0 {
		t.Errorf("got warnings %q, want none", s.Warnings)
	}
	for _, v := range s.Values() {
		if v.Origin != FromDefault || v.Name != "" {
			t.Errorf("%s: got origin %q %q, want a default without a name", v.Key, v.Origin, v.Name)
		}
	}
}

// TestPrecedence checks which of several sources provides the value of a setting.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	const long = "0123456789abcdef0123456789abcdef"
	for _, tc := range []struct {
		name      string
		given     given
		key       string
		text      string
		origin    Origin
		from      string
		warningIs string
	}{
		{"default", given{}, "log.level", "info", FromDefault, "", ""},
		{"file over default", given{files: texts{"data/config.toml": `log.level = "warn"`}}, "log.level", "warn", FromFile, "data/config.toml: log.level", ""},
		{"a section is the same as a dotted key", given{files: texts{"data/config.toml": "[log]\nlevel = \"warn\""}}, "log.level", "warn", FromFile, "data/config.toml: log.level", ""},
		{"environment over file", given{env: texts{"SVC_LOG_LEVEL": "error"}, files: texts{"data/config.toml": `log.level = "warn"`}}, "log.level", "error", FromEnvironment, "SVC_LOG_LEVEL", ""},
		{"flag over environment", given{flags: texts{"log-level": "debug"}, env: texts{"SVC_LOG_LEVEL": "error"}}, "log.level", "debug", FromFlag, "--log-level", ""},
		{"a blank flag is unset", given{flags: texts{"log-level": " "}, env: texts{"SVC_LOG_LEVEL": "error"}}, "log.level", "error", FromEnvironment, "SVC_LOG_LEVEL", ""},
		{"a blank variable is unset", given{env: texts{"SVC_LOG_LEVEL": " "}, files: texts{"data/config.toml": `log.level = "warn"`}}, "log.level", "warn", FromFile, "data/config.toml: log.level", ""},
		{"a blank value in the file is unset", given{files: texts{"data/config.toml": `log.level = " "`}}, "log.level", "info", FromDefault, "", ""},
		{"a number in the file needs no quotes", given{files: texts{"data/config.toml": `public_rate_limit = 7`}}, "public_rate_limit", "7", FromFile, "data/config.toml: public_rate_limit", ""},
		{"the file of another data directory", given{env: texts{"SVC_DATA": "/srv/x"}, files: texts{"/srv/x/config.toml": `listen = ":1"`}}, "listen", ":1", FromFile, "/srv/x/config.toml: listen", ""},
		{"a file that is named", given{env: texts{"SVC_CONFIG": "my.toml"}, files: texts{"my.toml": `listen = ":2"`, "data/config.toml": `listen = ":1"`}}, "listen", ":2", FromFile, "my.toml: listen", ""},
		{"the flag names the file before the variable", given{flags: texts{"config": "a"}, env: texts{"SVC_CONFIG": "b"}, files: texts{"a": `listen = ":3"`}}, "listen", ":3", FromFile, "a: listen", ""},
		{"PORT changes the port only", given{env: texts{"PORT": "8080"}}, "listen", "127.0.0.1:8080", FromEnvironment, "PORT", ""},
		{"listen wins over PORT", given{env: texts{"PORT": "8080", "SVC_LISTEN": ":5"}}, "listen", ":5", FromEnvironment, "SVC_LISTEN", ""},
		{"a port that is not used is said", given{flags: texts{"port": "8080"}, env: texts{"SVC_LISTEN": ":5"}}, "listen", ":5", FromEnvironment, "SVC_LISTEN", "--port is not used because SVC_LISTEN is set"},
		{"a secret from a file loses its line end", given{env: texts{"JWT_SECRET_FILE": "/run/x"}, files: texts{"/run/x": long + "\r\n"}}, "jwt_secret", long, FromEnvironment, "JWT_SECRET_FILE", ""},
		{"a blank secret file is unset", given{env: texts{"JWT_SECRET_FILE": "/run/x"}, files: texts{"/run/x": " \n"}}, "jwt_secret", "", FromDefault, "", ""},
		{"a secret by flag warns", given{flags: texts{"jwt-secret": long}}, "jwt_secret", long, FromFlag, "--jwt-secret", "--jwt-secret is visible to everyone who can list processes; use JWT_SECRET or JWT_SECRET_FILE"},
		{"only secrets have _FILE", given{env: texts{"SVC_LISTEN_FILE": "/nothing"}}, "listen", "127.0.0.1:4000", FromDefault, "", ""},
		{"bootstrap folder follows the data directory", given{flags: texts{"data": "/srv/x"}}, "bootstrap_secret_dir", "/srv/x", FromDefault, "", ""},
		{"a truth value in the file needs no quotes", given{files: texts{"data/config.toml": "[geo]\nenabled = false"}}, "geo.enabled", "false", FromFile, "data/config.toml: geo.enabled", ""},
		{"a list in the file", given{files: texts{"data/config.toml": `client_ip_header = ["a-b", "c"]`}}, "client_ip_header", "a-b,c", FromFile, "data/config.toml: client_ip_header", ""},
		{"a life that cannot be read is no error here", given{env: texts{"JWT_EXPIRES_IN": "soon"}}, "jwt_expires_in", "soon", FromEnvironment, "JWT_EXPIRES_IN", ""},
		{"a short first password is no error here", given{env: texts{"ADMIN_PASSWORD": "abc"}}, "admin_password", "abc", FromEnvironment, "ADMIN_PASSWORD", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, err := tc.given.load()
			if err != nil {
				t.Fatal(err)
			}
			v := s.Value(tc.key)
			if v.Text != tc.text || v.Origin != tc.origin || v.Name != tc.from {
				t.Errorf("got %q from %s %q, want %q from %s %q", v.Text, v.Origin, v.Name, tc.text, tc.origin, tc.from)
			}
			if got := strings.Join(s.Warnings, "\n"); got != tc.warningIs {
				t.Errorf("got warning %q, want %q", got, tc.warningIs)
			}
		})
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	file := func(text string) given { return given{files: texts{"data/config.toml": text}} }
	env := fromEnv
	for _, tc := range []struct {
		name  string
		given given
		want  []string
	}{
		{"listen without a port", env("SVC_LISTEN", "localhost"), []string{"SVC_LISTEN must be host:port, such as 127.0.0.1:4000 or :4000, or unix: and a path"}},
		{"metrics on a socket", env("SVC_METRICS_LISTEN", "unix:/run/svc/metrics.sock"), []string{"SVC_METRICS_LISTEN must be host:port, such as 127.0.0.1:4000 or :4000"}},
		{"listen with a URL", env("SVC_LISTEN", "http://localhost:1"), []string{"SVC_LISTEN must be host:port, such as 127.0.0.1:4000 or :4000, or unix: and a path"}},
		{"listen with a named port", env("SVC_LISTEN", ":http"), []string{"SVC_LISTEN must end in a port from 0 to 65535"}},
		{"listen with a port that does not exist", env("SVC_LISTEN", ":65536"), []string{"SVC_LISTEN must end in a port from 0 to 65535"}},
		{"port over its bound", env("PORT", "65536"), []string{"PORT must be a whole number from 0 to 65535"}},
		{"port that is a text", env("PORT", "http"), []string{"PORT must be a whole number from 0 to 65535"}},
		{"secret too short, by flag", given{flags: texts{"jwt-secret": "short"}}, []string{"--jwt-secret must have at least 32 bytes"}},
		{"secret too short, in a file", given{env: texts{"JWT_SECRET_FILE": "x"}, files: texts{"x": "short"}}, []string{"JWT_SECRET_FILE must have at least 32 bytes"}},
		{"secret file that does not exist", env("API_KEY_SALT_FILE", "x"), []string{"API_KEY_SALT_FILE cannot be read: open x: file does not exist"}},
		{"secret twice", given{env: texts{"API_KEY_SALT": "a", "API_KEY_SALT_FILE": "x"}, files: texts{"x": "b"}}, []string{"API_KEY_SALT and API_KEY_SALT_FILE are both set; keep one of them"}},
		{"negative limit", env("SVC_PUBLIC_RATE_LIMIT", "-1"), []string{"SVC_PUBLIC_RATE_LIMIT must be a whole number from 0 to 2147483647"}},
		{"fraction", file("public_rate_limit = 1.5"), []string{"data/config.toml: public_rate_limit must be a whole number"}},
		{"negative proxy count", given{flags: texts{"trusted-proxy-count": "-1"}}, []string{"--trusted-proxy-count must be a whole number from 0 to 2147483647"}},
		{"header that is none", env("SVC_CLIENT_IP_HEADER", "X-A, b c"), []string{"SVC_CLIENT_IP_HEADER must be a comma-separated list of header names"}},
		{"storage that there is not", env("SVC_EVENT_IP_STORAGE", "hashed"), []string{"SVC_EVENT_IP_STORAGE must be anonymized, full or none"}},
		{"clock skew of nothing", env("SVC_EVENT_CLOCK_SKEW_SECONDS", "0"), []string{"SVC_EVENT_CLOCK_SKEW_SECONDS must be a whole number from 1 to 2147483647"}},
		{"batches of nothing", env("SVC_EVENT_BATCH_MAX", "0"), []string{"SVC_EVENT_BATCH_MAX must be a whole number from 1 to 2147483647"}},
		{"truth value that is none", env("SVC_GEO_ENABLED", "maybe"), []string{"SVC_GEO_ENABLED must be true or false"}},
		{"truth value that is a number", file("geo.enabled = 2"), []string{"data/config.toml: geo.enabled must be true or false"}},
		{"truth value that is a fraction", file("geo.enabled = 1.5"), []string{"data/config.toml: geo.enabled must be true or false"}},
		{"list of other things", file("client_ip_header = [1]"), []string{"data/config.toml: client_ip_header must be a list of strings"}},
		{"unknown level", file(`log.level = "loud"`), []string{"data/config.toml: log.level must be debug, info, warn or error"}},
		{"unknown format", env("SVC_LOG_FORMAT", "xml"), []string{"SVC_LOG_FORMAT must be auto, text or json"}},
		{"duration without a unit", env("SVC_SHUTDOWN_TIMEOUT", "10"), []string{"SVC_SHUTDOWN_TIMEOUT must be a duration from 0s to 1h, such as 10s"}},
		{"duration over its bound", env("SVC_SHUTDOWN_TIMEOUT", "61m"), []string{"SVC_SHUTDOWN_TIMEOUT must be a duration from 0s to 1h, such as 10s"}},
		{"backups too often", env("SVC_BACKUP_EVERY", "59s"), []string{"SVC_BACKUP_EVERY must be 0 or a duration from 1m to 365d, such as 24h or 7d"}},
		{"backups too seldom", env("SVC_BACKUP_EVERY", "366d"), []string{"SVC_BACKUP_EVERY must be 0 or a duration from 1m to 365d, such as 24h or 7d"}},
		{"backups every so often", env("SVC_BACKUP_EVERY", "daily"), []string{"SVC_BACKUP_EVERY must be 0 or a duration from 1m to 365d, such as 24h or 7d"}},
		{"files of no size", env("SVC_UPLOAD_MAX_MB", "0"), []string{"SVC_UPLOAD_MAX_MB must be a whole number from 1 to 16777216"}},
		{"a cache of a unit that there is not", env("SVC_DIST_CACHE_MAX_SIZE", "10t"), []string{"SVC_DIST_CACHE_MAX_SIZE must be a number of bytes, or a number with k, m or g, such as 10g"}},
		{"a cache larger than any disk", env("SVC_DIST_CACHE_MAX_SIZE", "9999999999g"), []string{"SVC_DIST_CACHE_MAX_SIZE must be at most 9223372036854775807 bytes"}},
		{"no backup kept", env("SVC_BACKUP_KEEP", "0"), []string{"SVC_BACKUP_KEEP must be a whole number from 1 to 100000"}},
		{"recipient that is none", env("SVC_BACKUP_RECIPIENT", "age1abc, ssh-ed25519 AAAA"), []string{"SVC_BACKUP_RECIPIENT must be a comma-separated list of age public keys, which start with age1"}},
		{"replication in an unknown mode", env("SVC_REPLICATE_MODE", "semi"), []string{"SVC_REPLICATE_MODE must be async or sync"}},
		{"replication too often", env("SVC_REPLICATE_EVERY", "99ms"), []string{"SVC_REPLICATE_EVERY must be a duration from 100ms to 1h, such as 1s"}},
		{"replication too seldom", env("SVC_REPLICATE_EVERY", "61m"), []string{"SVC_REPLICATE_EVERY must be a duration from 100ms to 1h, such as 1s"}},
		{"no time to wait for the target", env("SVC_REPLICATE_SYNC_TIMEOUT", "0s"), []string{"SVC_REPLICATE_SYNC_TIMEOUT must be a duration from 1s to 10m, such as 10s"}},
		{"snapshots too often", env("SVC_REPLICATE_SNAPSHOT_EVERY", "59s"), []string{"SVC_REPLICATE_SNAPSHOT_EVERY must be a duration from 1m to 30d, such as 24h or 7d"}},
		{"snapshots too seldom", env("SVC_REPLICATE_SNAPSHOT_EVERY", "31d"), []string{"SVC_REPLICATE_SNAPSHOT_EVERY must be a duration from 1m to 30d, such as 24h or 7d"}},
		{"retention of a negative time", env("SVC_REPLICATE_RETAIN", "-1d"), []string{"SVC_REPLICATE_RETAIN must be a duration from 0s to 3650d, such as 24h or 7d"}},
		{"days that overflow", env("SVC_REPLICATE_RETAIN", "9999999999d"), []string{"SVC_REPLICATE_RETAIN must be a duration from 0s to 3650d, such as 24h or 7d"}},
		{"a spool too small", env("SVC_REPLICATE_SPOOL_MAX", "16383k"), []string{"SVC_REPLICATE_SPOOL_MAX must be at least 16m"}},
		{"a lease too short", env("SVC_REPLICATE_LEASE", "9s"), []string{"SVC_REPLICATE_LEASE must be 0s or a duration from 10s to 10m, such as 30s"}},
		{"replication for a recipient that is none", env("SVC_REPLICATE_RECIPIENT", "bob"), []string{"SVC_REPLICATE_RECIPIENT must be a comma-separated list of age public keys, which start with age1"}},
		{"wrong type", file("listen = true"), []string{"data/config.toml: listen must be a quoted string"}},
		{"misspelt key", file(`lissten = ":1"`), []string{`data/config.toml: "lissten" is not a setting; the nearest is listen`}},
		{"key like a flag", file(`log-level = "info"`), []string{`data/config.toml: "log-level" is not a setting; the nearest is log.level`}},
		{"key like a variable", file(`SVC_PUBLIC_RATE_LIMIT = 1`), []string{`data/config.toml: "SVC_PUBLIC_RATE_LIMIT" is not a setting; the nearest is public_rate_limit`}},
		{"key without its section", file(`level = "info"`), []string{`data/config.toml: "level" is not a setting; the nearest is log.level`}},
		{"unknown section", file("[logs]\nlevel = \"info\""), []string{`data/config.toml: "logs.level" is not a setting; the nearest is log.level`}},
		{"data in the file", file(`data = "x"`), []string{"data/config.toml: data cannot be set in the file; use --data or SVC_DATA"}},
		{"file that is no TOML", file("a = 1\nlisten ="), []string{"data/config.toml: line 2, column 8: expected value, not end of input"}},
		{"named file that does not exist", given{flags: texts{"config": "x"}}, []string{"--config cannot be read: open x: file does not exist"}},
		{
			"all at once, in the order of the table behind the file",
			given{flags: texts{"port": "x"}, env: texts{"SVC_LISTEN": "x", "SVC_LOG_LEVEL": "x"}, files: texts{"data/config.toml": "portb = 1\nporta = 1\nshutdown_timeout = \"x\""}},
			[]string{
				`data/config.toml: "porta" is not a setting; the nearest is port`,
				`data/config.toml: "portb" is not a setting; the nearest is port`,
				"SVC_LISTEN must be host:port, such as 127.0.0.1:4000 or :4000, or unix: and a path",
				"--port must be a whole number from 0 to 65535",
				"SVC_LOG_LEVEL must be debug, info, warn or error",
				"data/config.toml: shutdown_timeout must be a duration from 0s to 1h, such as 10s",
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := tc.given.load()
			errs, ok := errors.AsType[Errors](err)
			if !ok {
				t.Fatalf("got %v, want Errors", err)
			}
			var got []string
			for _, e := range errs {
				got = append(got, e.Error())
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tc.want, "\n"))
			}
		})
	}
}

func TestTypedValues(t *testing.T) {
	t.Parallel()
	s, err := given{env: texts{
		"SVC_LISTEN": " [::1]:0 ", "SVC_LOG_LEVEL": "WARN", "SVC_LOG_FORMAT": "JSON", "SVC_SHUTDOWN_TIMEOUT": "1m30s",
		"SVC_CLIENT_IP_HEADER": "x-real-ip,, cf-connecting-ip ", "ADMIN_PASSWORD": " secret ", "BOOTSTRAP_SECRET_DIR": "/run",
		"SVC_PUBLIC_RATE_LIMIT": "0", "SVC_TRUSTED_PROXY_COUNT": "2", "SVC_GEO_ENABLED": " False ", "SVC_GEO_DATABASE": "/srv/city.mmdb",
		"SVC_REPLICATE_SNAPSHOT_EVERY": "2d", "SVC_REPLICATE_LEASE": "0", "SVC_REPLICATE_SPOOL_MAX": "16m",
		"SVC_BACKUP_EVERY": " 7d ", "SVC_BACKUP_KEEP": "3", "SVC_BACKUP_RECIPIENT": "age1abc, age1def",
	}}.load()
	if err != nil {
		t.Fatal(err)
	}
	if s.Listen != "[::1]:0" || s.LogLevel != slog.LevelWarn || s.LogFormat != "json" || s.ShutdownTimeout != 90*time.Second ||
		!slices.Equal(s.ClientIPHeader, []string{"X-Real-Ip", "Cf-Connecting-Ip"}) || s.AdminPassword != "secret" ||
		s.BootstrapSecretDir != "/run" || s.PublicRateLimit != 0 || s.TrustedProxyCount != 2 || s.GeoEnabled || s.GeoDatabase != "/srv/city.mmdb" ||
		s.ReplicateSnapshotEvery != 48*time.Hour || s.ReplicateLease != 0 || s.ReplicateSpoolMax != 16<<20 || s.ReplicateEvery != time.Second ||
		s.BackupEvery != 7*24*time.Hour || s.BackupKeep != 3 || !slices.Equal(s.BackupRecipient, []string{"age1abc", "age1def"}) || s.BackupDir != filepath.Join("data", "backups") {
		t.Errorf("got %+v", s)
	}
}

func TestSecretsAreNeverShown(t *testing.T) {
	t.Parallel()
	s, err := given{env: texts{"JWT_SECRET": "hunter2", "ADMIN_PASSWORD": "hunter2"}}.load()
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got error %v, want one without the value", err)
	}
	if got := s.Value("admin_password").Shown(); got != "********" {
		t.Errorf("got %q, want a mask", got)
	}
	if got := s.Value("api_key_salt").Shown(); got != "" {
		t.Errorf("got %q for a secret that is not set, want nothing", got)
	}
}

func TestPut(t *testing.T) {
	t.Parallel()
	s, err := given{}.load()
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 32)
	if err := s.Put("jwt_secret", long, FromData, "secrets.toml"); err != nil {
		t.Fatal(err)
	}
	if v := s.Value("jwt_secret"); s.JWTSecret != long || v.Text != long || v.Origin != FromData || v.Name != "secrets.toml" {
		t.Errorf("got %q %+v", s.JWTSecret, v)
	}
	err = s.Put("jwt_secret", "short", FromData, "secrets.toml: JWT_SECRET")
	if err == nil || err.Error() != "secrets.toml: JWT_SECRET must have at least 32 bytes" {
		t.Errorf("got %v", err)
	}
}

func TestAdminPasswordOfTheFirstStart(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, password string
		ok             bool
	}{
		{"none: one is generated", "", true},
		{"blanks around it do not count", "  12345  ", false},
		{"at least 6 characters", "123456", true},
		{"characters, not bytes", strings.Repeat("é", 128), true},
		{"at most 128 characters", strings.Repeat("x", 129), false},
	} {
		s, err := given{env: texts{"ADMIN_PASSWORD": tc.password}}.load()
		if err != nil {
			t.Fatal(err)
		}
		err = s.CheckAdminPassword()
		if (err == nil) != tc.ok {
			t.Errorf("%s: got %v", tc.name, err)
		}
		if err != nil && err.Error() != "ADMIN_PASSWORD must have 6 to 128 characters" {
			t.Errorf("%s: got %q", tc.name, err)
		}
	}
}

func FuzzParseFile(f *testing.F) {
	f.Add("listen = \":1\"\n[log]\nlevel = \"info\"")
	f.Add("a.b.c = [{}]\nlisten = 1979-05-27")
	f.Fuzz(func(t *testing.T, text string) {
		file, errs := parseFile([]byte(text))
		for key := range file {
			if !slices.ContainsFunc(definitions, func(d Definition) bool { return d.Key == key }) {
				t.Errorf("%q: unknown key %q passed", text, key)
			}
		}
		for _, err := range errs {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: problem of more than one line: %q", text, err)
			}
		}
	})
}

// fromEnv returns an input that consists of one environment variable.
func fromEnv(name, value string) given { return given{env: texts{name: value}} }

// TestOrigins checks that the address of a server must consist of a scheme and a valid
// host, with or without a port.
func TestOrigins(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"https://dl.example.com":                       "https://dl.example.com",
		" HTTPS://DL.Example.COM/// ":                  "https://dl.example.com",
		"http://localhost:8080/":                       "http://localhost:8080",
		"https://192.0.2.1":                            "https://192.0.2.1",
		"https://[2001:DB8::1]:444":                    "https://[2001:db8::1]:444",
		"https://xn--bcher-kva.example":                "https://xn--bcher-kva.example",
		"https://my_host.internal.":                    "https://my_host.internal.",
		"dl.example.com":                               "",
		"//dl.example.com":                             "",
		"ftp://dl.example.com":                         "",
		"https://":                                     "",
		"https://dl.example.com/files":                 "",
		"https://dl.example.com?x":                     "",
		"https://dl.example.com#x":                     "",
		"https://user@dl.example.com":                  "",
		"https://dl..example.com":                      "",
		"https://-dl.example.com":                      "",
		"https://dl.example-.com":                      "",
		"https://dl example.com":                       "",
		"https://bücher.example":                       "",
		"https://dl.example.com:":                      "",
		"https://dl.example.com:0":                     "",
		"https://dl.example.com:65536":                 "",
		"https://" + strings.Repeat("a", 64) + ".com":  "",
		"https://" + strings.Repeat("a.", 130) + "com": "",
	} {
		s, err := fromEnv("SVC_DIST_BASE_URL", given).load()
		if (err == nil) != (want != "") || err == nil && s.DistBaseURL != want {
			t.Errorf("%q: got %q, %v, want %q", given, s.DistBaseURL, err, want)
		}
	}
}

// TestDocumentationAddress checks that the address of a page must have a scheme and a
// valid host, and may have other parts.
func TestDocumentationAddress(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"https://docs.example.com":             "https://docs.example.com",
		" https://docs.example.com/svc/?a=b#c": "https://docs.example.com/svc/?a=b#c",
		"http://10.0.0.1:8080/":                "http://10.0.0.1:8080/",
		"":                                     "",
	} {
		s, err := fromEnv("SVC_ABOUT_DOCS_URL", given).load()
		if err != nil || s.AboutDocsURL != want {
			t.Errorf("%q: got %q, %v, want %q", given, s.AboutDocsURL, err, want)
		}
	}
	for _, given := range []string{"docs.example.com", "/docs", "javascript:alert(1)", "ftp://docs.example.com", "https:///docs", "https://a:b@docs.example.com", "https://a b"} {
		if s, err := fromEnv("SVC_ABOUT_DOCS_URL", given).load(); err == nil {
			t.Errorf("%q: got %q, want a refusal", given, s.AboutDocsURL)
		}
	}
}

// TestSizes checks sizes in bytes, with and without a unit.
func TestSizes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"": 10 << 30, "0": 0, "123": 123, "2k": 2 << 10, "3M": 3 << 20, " 4G ": 4 << 30} {
		s, err := fromEnv("SVC_DIST_CACHE_MAX_SIZE", text).load()
		if err != nil || s.DistCacheMaxSize != want {
			t.Errorf("%q: got %d, %v, want %d", text, s.DistCacheMaxSize, err, want)
		}
	}
}

// TestStorageDirectory checks that the storage directory is in the data directory unless
// another one is configured.
func TestStorageDirectory(t *testing.T) {
	t.Parallel()
	for dir, want := range map[string]string{"": filepath.Join("d", "files"), "/srv/files": "/srv/files"} {
		s, err := (given{env: texts{"SVC_DATA": "d", "SVC_STORAGE_DIR": dir}}).load()
		if err != nil || s.StorageDir != want || s.Value("storage_dir").Text != want {
			t.Errorf("%q: got %q, %v, want %q", dir, s.StorageDir, err, want)
		}
	}
}
