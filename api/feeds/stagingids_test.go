package feeds_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"svc/api/apitest"
	"svc/internal/rollout"
)

// TestStagingIDs checks that the ids that electron-updater and Velopack keep and send decide whether a
// rollout includes an app, as the server's own function decides.
func TestStagingIDs(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.Project(t, "demo")
	for _, version := range []string{"2.2.1", "2.3.0"} {
		upload(t, s, version, map[string][]byte{
			"Demo-" + version + ".AppImage":         []byte("program " + version),
			"demo-" + version + "-linux-full.nupkg": nupkg(t, version, "<channel>linux</channel><os>linux</os>"),
		})
	}
	path := apitest.VersionsOf("demo") + "/" + s.VersionID(t, "demo", "2.3.0") + "/rollout"
	seed := apitest.Field[string](t, s.Must(t, 201, "PUT", path, `{"percent":25}`), "seed")
	in, out := "", ""
	for n := 0; in == "" || out == ""; n++ {
		id := fmt.Sprintf("c0ffee00-1111-4222-8333-%012x", n)
		if rollout.Bucket(seed, id) < 25_00 {
			in = id
		} else {
			out = id
		}
	}
	// keep writes the file in which a client keeps its id to a new folder.
	keep := func(t *testing.T, name, id string) (folder string) {
		t.Helper()
		folder = t.TempDir()
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(id), 0o600); err != nil {
			t.Fatal(err)
		}
		return folder
	}
	offers := map[string]bool{in: true, out: false}
	t.Run("electron-updater", func(t *testing.T) {
		t.Parallel()
		dir := electronFolder(t)
		for id, want := range offers {
			var result struct {
				Offered   string
				Available bool
			}
			run(t, &result, dir, "node", source(t, "electron/update.cjs"), s.URL+"/feeds/demo/electron", keep(t, ".updaterId", id), "2.2.1")
			if result.Available != want || (result.Offered == "2.3.0") != want {
				t.Errorf("bucket %d at 25 %%: got %+v, want an update: %v", rollout.Bucket(seed, id), result, want)
			}
		}
	})
	t.Run("Velopack", func(t *testing.T) {
		t.Parallel()
		dir := velopackFolder(t)
		for id, want := range offers {
			var result struct{ Offered *string }
			run(t, &result, dir, "venv/bin/python", source(t, "velopack/update.py"), s.URL+"/feeds/demo/velopack/stable", keep(t, "packages/.betaId", id), "2.2.1")
			if got := result.Offered != nil && *result.Offered == "2.3.0"; got != want || result.Offered != nil && !want {
				t.Errorf("bucket %d at 25 %%: got an update: %v, want %v", rollout.Bucket(seed, id), got, want)
			}
		}
	})
}
