package instance_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"svc/internal/boltfile"
	"svc/internal/boltfile/bolttest"
	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/event"
	"svc/internal/event/submission"
	"svc/internal/instance"
	"svc/internal/integrity"
	"svc/internal/platform"
	"svc/internal/replica/format"
	"svc/internal/replica/spool"
	"svc/store"
)

// openReplicated opens a data directory with a target.
func openReplicated(t *testing.T, dir, target string) *instance.Instance {
	t.Helper()
	_, err := instance.MakeFolder(dir)
	must(t, err)
	lock, err := control.Acquire(dir)
	must(t, err)
	s := settings(t, dir)
	s.ReplicateTo = target
	i, err := instance.Open(lock, s, "1.0", silent)
	must(t, err)
	return i
}

// change changes both databases.
func change(t *testing.T, i *instance.Instance, key string) {
	t.Helper()
	must(t, i.Store.Update(func(tx *store.Tx) error {
		return tx.CreateProject(&store.Project{Key: key, Name: key})
	}))
	now := time.Now().Unix()
	_, err := i.Events.Ingest(&event.Batch{
		Project: 1, Received: now, Subject: key, Session: key, Client: submission.Client{Platform: platform.Linux},
		Items: []submission.Item{{ID: key, Name: "opened", At: now}},
	})
	must(t, err)
}

// resume ends a gap and returns copies of both databases at the position.
func resume(t *testing.T, i *instance.Instance) (copies string, position uint64) {
	t.Helper()
	copies = t.TempDir()
	defer i.Store.Hold()()
	defer i.Events.Hold()()
	position, err := i.Spool.Resume(0)
	must(t, err)
	for name, take := range map[string]func() (*boltfile.Image, error){datadir.Database: i.Store.Image, datadir.Events: i.Events.Image} {
		image, err := take()
		must(t, err)
		must(t, errors.Join(image.Copy(filepath.Join(copies, name)), image.Close()))
	}
	return copies, position
}

// apply applies all changes above a position to copies of the databases, and returns the last position.
func apply(t *testing.T, s *spool.Spool, copies string, after uint64) uint64 {
	t.Helper()
	for {
		b, err := s.Next(after, 10_000)
		must(t, err)
		if b.Count == 0 {
			return after
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
}

// TestNothingIsRecordedWithoutATarget opens a directory that has never had a target.
func TestNothingIsRecordedWithoutATarget(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	i, _ := open(t, dir, silent)
	if i.Spool != nil {
		t.Error("there is a spool")
	}
	change(t, i, "app")
	must(t, i.Close())
	if instance.Has(dir, datadir.Replicate) {
		t.Error("there is a directory for the spool")
	}
	if d, err := instance.Digest(dir); err != nil || d.Position != 0 {
		t.Errorf("got position %d, error %v", d.Position, err)
	}
}

// TestSpoolContinues records over several starts, the later ones without a target in the settings, and a
// repair. The changes lead from the first snapshot to the content of the directory.
func TestSpoolContinues(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	i, _ := open(t, dir, silent) // has data before it is replicated
	change(t, i, "before")
	must(t, i.Close())

	i = openReplicated(t, dir, "file:///backup")
	if !i.Spool.Gap() {
		t.Fatal("no gap before the first snapshot")
	}
	copies, position := resume(t, i)
	change(t, i, "first")
	must(t, i.Close())
	for n := range 3 {
		i = openReplicated(t, dir, "")
		if i.Spool.Gap() {
			t.Fatalf("start %d: gap", n)
		}
		change(t, i, fmt.Sprint("app-", n))
		if n == 1 {
			_, err := i.Store.CompactFile(true)
			must(t, err)
			_, err = i.Events.CompactFile(true)
			must(t, err)
		}
		must(t, i.Close())
	}
	path := filepath.Join(dir, datadir.Database)
	at, _, err := boltfile.ReadPosition(path)
	must(t, err)
	must(t, bolttest.Change(path, func(tx *boltfile.Tx) error { // damage is not recorded, but its repair is
		return errors.Join(tx.Bucket([]byte("names")).Delete([]byte("app-0")), tx.SetPosition(at+1))
	}))
	must(t, bolttest.Change(path, func(tx *boltfile.Tx) error { return tx.SetPosition(at) }))
	must(t, repair(t, dir))
	i = openReplicated(t, dir, "")
	last := apply(t, i.Spool, copies, position)
	must(t, i.Close())
	got, err := instance.Digest(copies)
	must(t, err)
	want, err := instance.Digest(dir)
	must(t, err)
	if got != want || last != want.Position {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestUnrecordedChangesAreAGap opens directories that have changed without a recorder. After a snapshot, the
// next start finds no gap.
func TestUnrecordedChangesAreAGap(t *testing.T) {
	t.Parallel()
	for name, changed := range map[string]func(dir string) error{
		"unrecorded change": func(dir string) error {
			return bolttest.Change(filepath.Join(dir, datadir.Database), func(tx *boltfile.Tx) error {
				return tx.Bucket([]byte("names")).Delete([]byte("app"))
			})
		},
		"lost events": func(dir string) error { return os.Remove(filepath.Join(dir, datadir.Events)) },
		"damaged events": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, datadir.Events), []byte("not a database"), 0o600)
		},
		"lost spool": func(dir string) error { return os.RemoveAll(filepath.Join(dir, datadir.Replicate)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			i := openReplicated(t, dir, "file:///backup")
			resume(t, i)
			change(t, i, "app")
			before := i.Spool.Position()
			must(t, i.Close())
			must(t, changed(dir))
			i = openReplicated(t, dir, "file:///backup")
			if !i.Spool.Gap() {
				t.Error("no gap")
			}
			if _, position := resume(t, i); position <= before {
				t.Errorf("the snapshot has position %d, which is not above %d", position, before)
			}
			if name == "damaged events" {
				must(t, i.Close())
				return
			}
			change(t, i, "more")
			at := i.Spool.Position()
			must(t, i.Close())
			i = openReplicated(t, dir, "file:///backup")
			if i.Spool.Gap() || i.Spool.Position() < at {
				t.Errorf("gap %v, position %d after %d", i.Spool.Gap(), i.Spool.Position(), at)
			}
			must(t, i.Close())
		})
	}
}

func repair(t *testing.T, dir string) error {
	report := integrity.NewReport(nil)
	if err := instance.Check(t.Context(), dir, filepath.Join(dir, datadir.Files), report); err != nil {
		return err
	}
	if len(instance.Repairable(report)) == 0 {
		return errors.New("nothing to repair")
	}
	_, err := instance.Repair(t.Context(), dir, report)
	return err
}

// TestGapBeforeTheFirstSnapshot restarts before a snapshot was made, and again after one, with no changes.
func TestGapBeforeTheFirstSnapshot(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	for n := range 3 {
		i := openReplicated(t, dir, "file:///backup")
		if !i.Spool.Gap() {
			t.Errorf("start %d: no gap", n)
		}
		if n == 2 {
			_, position := resume(t, i)
			if d, err := instance.Digest(copyOf(t, i)); err != nil || d.Position != position {
				t.Errorf("snapshot at %d, position of the databases %d, error %v", position, d.Position, err)
			}
		}
		must(t, i.Close())
	}
	i := openReplicated(t, dir, "file:///backup")
	if i.Spool.Gap() {
		t.Error("gap after the snapshot")
	}
	must(t, i.Close())
}

// copyOf copies the databases.
func copyOf(t *testing.T, i *instance.Instance) (dir string) {
	t.Helper()
	dir, _, err := instance.CopyData(i.Store, i.Events, time.Now, t.TempDir(), "copy-*")
	must(t, err)
	return dir
}

// TestStandbyKeepsItsPositions opens the directory of a standby. Its positions must stay equal to those of its
// primary.
func TestStandbyKeepsItsPositions(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	i, _ := open(t, dir, silent)
	must(t, errors.Join(i.Store.StartAt(70), i.Events.StartAt(90), i.Close()))
	must(t, os.WriteFile(filepath.Join(dir, datadir.Standby), []byte("{}"), 0o600))
	i = openReplicated(t, dir, "")
	if i.Spool == nil || i.Spool.Position() != 90 {
		t.Fatalf("got spool %v", i.Spool)
	}
	must(t, i.Close())
	for name, want := range map[string]uint64{datadir.Database: 70, datadir.Events: 90} {
		if got, complete, err := boltfile.ReadPosition(filepath.Join(dir, name)); got != want || !complete || err != nil {
			t.Errorf("%s: position %d, complete %v, error %v", name, got, complete, err)
		}
	}
	i = openReplicated(t, dir, "")
	release, releaseEvents := i.Store.Hold(), i.Events.Hold()
	err := i.Spool.Start(95, 70, 90, 0)
	releaseEvents()
	release()
	must(t, errors.Join(err, i.Close(), os.Remove(filepath.Join(dir, datadir.Standby))))
	i = openReplicated(t, dir, "")
	change(t, i, "promoted")
	b, err := i.Spool.Next(95, format.MaxSegment)
	if err != nil || b.First != 96 || b.Count < 2 {
		t.Errorf("got %d changes from %d, error %v", b.Count, b.First, err)
	}
	must(t, i.Close())
	i = openReplicated(t, dir, "")
	if i.Spool.Gap() {
		t.Error("gap after the promotion")
	}
	must(t, i.Close())
}

// TestCopiesOfStandby copies both databases of a standby while changes are applied. The copies must have the same
// position.
func TestCopiesOfStandby(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	i, _ := open(t, dir, silent)
	must(t, errors.Join(i.Store.StartAt(1), i.Events.StartAt(1), i.Close()))
	must(t, os.WriteFile(filepath.Join(dir, datadir.Standby), []byte("{}"), 0o600))
	i = openReplicated(t, dir, "")
	stop, done := make(chan struct{}), make(chan error)
	go func() {
		for position := uint64(2); ; position++ {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if err := i.Apply(nil, nil, position); err != nil {
				done <- err
				return
			}
		}
	}()
	for range 20 {
		copies := copyOf(t, i)
		records, _, err := boltfile.ReadPosition(filepath.Join(copies, datadir.Database))
		must(t, err)
		events, _, err := boltfile.ReadPosition(filepath.Join(copies, datadir.Events))
		must(t, err)
		if records != events {
			t.Fatalf("the copies are at positions %d and %d", records, events)
		}
	}
	close(stop)
	must(t, errors.Join(<-done, i.Close()))
}
