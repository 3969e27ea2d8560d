package target_test

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"svc/internal/files/storage"
	"svc/internal/files/storage/storagetest"
	"svc/internal/outbound"
	"svc/internal/replica/target"
	"svc/internal/replica/target/targettest"
)

// openTarget opens the target with a URL.
func openTarget(t testing.TB, url string, c target.Credentials) target.Target {
	t.Helper()
	l, err := target.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	to, err := target.Open(l, c, outbound.New(outbound.Config{Profile: outbound.Operator, Version: "test"}))
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// location returns the URL of a storage as a target, and the credentials for it.
func location(c storage.Config, prefix string) (string, target.Credentials) {
	to := target.Credentials{User: c.Username, Password: c.Password}
	if c.Kind == storage.KindWebDAV {
		return "webdav+" + strings.TrimRight(c.BaseURL, "/") + "/" + prefix, to
	}
	return "s3://" + c.Bucket + "/" + prefix + "?path_style=true&endpoint=" + url.QueryEscape(c.BaseURL), to
}

// clientsOf returns a function that opens clients of a server.
func clientsOf(start func(testing.TB) storage.Config, prefix string) func(testing.TB) func(testing.TB) target.Target {
	return func(t testing.TB) func(testing.TB) target.Target {
		text, credentials := location(start(t), prefix)
		return func(t testing.TB) target.Target { return openTarget(t, text, credentials) }
	}
}

// inProcess starts a WebDAV server in this process.
func inProcess(t testing.TB) storage.Config {
	t.Helper()
	server := httptest.NewServer(storagetest.Handler(t.TempDir()))
	t.Cleanup(server.Close)
	return storage.Config{Kind: storage.KindWebDAV, BaseURL: server.URL, Username: storagetest.User, Password: storagetest.Password}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(testing.TB) func(testing.TB) target.Target{
		"memory": func(testing.TB) func(testing.TB) target.Target {
			m := targettest.NewMemory()
			return func(testing.TB) target.Target { return m.View() }
		},
		"directory": func(t testing.TB) func(testing.TB) target.Target {
			url := "file://" + t.TempDir()
			return func(t testing.TB) target.Target { return openTarget(t, url, target.Credentials{}) }
		},
		"webdav":    clientsOf(inProcess, ""),
		"apache":    clientsOf(storagetest.Apache, ""),
		"rclone":    clientsOf(storagetest.Rclone, ""),
		"versitygw": clientsOf(storagetest.VersityGW, "some/prefix"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			targettest.Run(t, start(t), 64<<20)
		})
	}
}

// TestTargetThatOverwrites checks that CreateOnly detects a target that replaces objects.
func TestTargetThatOverwrites(t *testing.T) {
	t.Parallel()
	m := targettest.NewMemory()
	view := m.View()
	view.Overwrites = true
	if ok, err := target.CreateOnly(t.Context(), view); ok || err != nil || len(m.Objects()) != 0 {
		t.Errorf("got %v, %v, %d objects", ok, err, len(m.Objects()))
	}
}
