package feeds_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"svc/api/apitest"
	"svc/internal/testutil/minisign"
)

// tauri builds the client in testdata and returns the path of its program. A change of the client
// makes a new program. Its packages, and those of a build that was interrupted, are compiled once.
func tauri(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: the test publishes AppImages")
	}
	names := []string{"Cargo.toml", "Cargo.lock", "src/main.rs"}
	sources, hash := map[string][]byte{}, sha256.New()
	for _, name := range names {
		text, err := os.ReadFile(source(t, "tauri/"+name))
		if err != nil {
			t.Fatal(err)
		}
		sources[name] = text
		_, _ = hash.Write(text)
	}
	dir := apitest.Installed(t, cargoPackager+"-"+hex.EncodeToString(hash.Sum(nil)[:4]), func(ctx context.Context, dir string) error {
		if err := os.Mkdir(filepath.Join(dir, "src"), 0o700); err != nil {
			return err
		}
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(dir, name), sources[name], 0o600); err != nil {
				return err
			}
		}
		target := filepath.Join(filepath.Dir(dir), "cargo")
		if _, err := command(ctx, dir, "cargo", "build", "--quiet", "--locked", "--target-dir", target); err != nil {
			return err
		}
		program, err := os.ReadFile(filepath.Join(target, "debug", "update"))
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, "update"), program, 0o700) //nolint:gosec // it is run
	})
	return filepath.Join(dir, "update")
}

// TestTauri updates apps with cargo-packager-updater, which reads the dynamic feed of Tauri. What it
// downloads is verified a second time with the packages that the updater of Tauri uses.
func TestTauri(t *testing.T) {
	t.Parallel()
	client := tauri(t)
	s := apitest.NewServer(t) // has no address of its own, so files come from the server of the test
	s.Project(t, "demo")
	mine, foreign := minisign.NewKey("mine"), minisign.NewKey("foreign")
	publish := func(version string, by minisign.Key) {
		name, content := "demo_"+version+"_universal.AppImage", []byte("program "+version)
		upload(t, s, version, map[string][]byte{name: content, name + ".sig": []byte(by.Sign(content, "timestamp:1795327200\tversion:"+version))})
	}
	publish("2.2.1", mine)
	publish("2.3.0", mine)
	const address = "/tauri/stable/{{target}}/{{arch}}/{{current_version}}"
	demo, absent := s.URL+"/feeds/demo"+address, s.URL+"/feeds/absent"+address
	type result struct {
		Version, Notes, Format, Refused, Failure string
		Date                                     int64
		Accepted                                 bool
	}
	check := func(name, current string, key minisign.Key, endpoints ...string) result {
		t.Helper()
		var r result
		file := filepath.Join(t.TempDir(), "update")
		run(t, &r, t.TempDir(), client, append([]string{current, key.Public(), file}, endpoints...)...)
		if got, err := os.ReadFile(file); r.Accepted && (err != nil || string(got) != "program "+r.Version) {
			t.Errorf("%s: got the file %q, %v", name, got, err)
		}
		return r
	}
	offers := func(name, current, want string, endpoints ...string) {
		t.Helper()
		if r := check(name, current, mine, endpoints...); r.Version != want || r.Accepted != (want != "") || r.Failure != "" {
			t.Errorf("%s: got %+v, want %q", name, r, want)
		}
	}
	offers("an older app", "2.2.1", "2.3.0", demo)
	offers("the same version", "2.3.0", "", demo)
	offers("a newer app, with build metadata", "2.4.0+7", "", demo)
	offers("the second address", "2.2.1", "2.3.0", absent, demo)
	if r := check("no such project", "2.2.1", mine, absent); r.Failure == "" {
		t.Errorf("no such project: got %+v, want a failure", r)
	}
	if r := check("another key", "2.2.1", foreign, demo); r.Refused == "" || r.Accepted {
		t.Errorf("another key: got %+v, want that the client refuses the file", r)
	}
	if r := check("fields", "2.2.1", mine, demo); r.Notes != "Notes of 2.3.0" || r.Format != "appimage" || r.Date == 0 {
		t.Errorf("got %+v", r)
	}

	s.Must(t, 201, "POST", "/admin/projects/demo/trust-keys", fmt.Sprintf(`{"scheme":"minisign","public_key":%q}`, mine.Public()))
	offers("a trusted key", "2.2.1", "2.3.0", demo)
	publish("2.4.0", foreign)
	offers("a version with a foreign signature", "2.2.1", "2.3.0", demo)
	offers("only that version", "2.3.0", "", demo)
	publish("2.5.0", mine)
	offers("the version after it", "2.3.0", "2.5.0", demo)
	if got := statusOf(t, s, "2.4.0") + statusOf(t, s, "2.5.0"); got != "untrustedvalid" {
		t.Errorf("got signatures %s", got)
	}
}

// statusOf returns the status of the signature of the AppImage of a version.
func statusOf(t *testing.T, s *apitest.Server, version string) string {
	t.Helper()
	list := s.Must(t, 200, "GET", apitest.VersionsOf("demo")+"/"+s.VersionID(t, "demo", version)+"/assets", "")
	type signed struct {
		Signatures map[string]struct{ Status string }
	}
	assets := apitest.Field[[]signed](t, list, "data")
	return assets[0].Signatures["minisign"].Status
}
