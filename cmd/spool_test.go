package cmd_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"svc/internal/boltfile"
	"svc/internal/boltfile/bolttest"
	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/instance"
	"svc/internal/replica/format"
	"svc/internal/setting"
	"svc/store"
)

// TestOfflineChangesAreRecorded changes a replicated directory with commands while no server runs, and
// with a server that is killed. The spool has all changes since the last snapshot.
func TestOfflineChangesAreRecorded(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	openData := func(target string) *instance.Instance {
		t.Helper()
		_, err := instance.MakeFolder(dir)
		must(t, err)
		lock, err := control.Acquire(dir)
		must(t, err)
		s, err := setting.Load(setting.Sources{Env: func(name string) (string, bool) {
			value, ok := map[string]string{"SVC_DATA": dir, "SVC_REPLICATE_TO": target}[name]
			return value, ok && value != ""
		}, ReadFile: os.ReadFile})
		must(t, err)
		i, err := instance.Open(lock, s, "1.0", slog.New(slog.DiscardHandler))
		must(t, err)
		return i
	}
	i := openData("file:///backup")
	must(t, i.Store.Update(func(tx *store.Tx) error {
		return tx.CreateProject(&store.Project{Key: "app", Name: "App", StatsRetentionDays: 90, EventRetentionDays: 90})
	}))
	release, releaseEvents := i.Store.Hold(), i.Events.Hold()
	position, err := i.Spool.Resume(0)
	releaseEvents()
	release()
	must(t, err)
	copies, _, err := instance.CopyData(i.Store, i.Events, time.Now, t.TempDir(), "copy-*")
	must(t, err)
	must(t, i.Close())

	run(t, "apikey", "create", "--name", "ci", "--data", dir)
	archive := filepath.Join(t.TempDir(), "app.zip")
	run(t, "export", "--data", dir, "--project", "app", archive)
	run(t, "import", "--data", dir, "--key", "copy", "--new-ids", archive)
	p := serve(t, dir)
	p.end(t, os.Kill)
	run(t, "apikey", "create", "--name", "after", "--data", dir)

	i = openData("")
	for after := position; ; {
		b, err := i.Spool.Next(after, format.MaxSegment)
		must(t, err)
		if b.Count == 0 {
			break
		}
		for rest := b.Changes; len(rest) > 0; {
			var c format.Change
			c, rest, err = format.NextChange(rest)
			must(t, err)
			name := map[format.File]string{format.Records: datadir.Database, format.Events: datadir.Events}[c.File]
			must(t, bolttest.Change(filepath.Join(copies, name), func(tx *boltfile.Tx) error {
				return errors.Join(tx.Apply(c.Set), tx.SetPosition(c.Position))
			}))
		}
		after = b.Last
	}
	must(t, i.Close())
	got, err := instance.Digest(copies)
	must(t, err)
	want, err := instance.Digest(dir)
	must(t, err)
	if got != want || got.Position <= position {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
