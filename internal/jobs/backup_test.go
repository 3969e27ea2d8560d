package jobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"svc/internal/backup"
	"svc/internal/boltfile"
	"svc/internal/datadir"
	"svc/internal/event"
	"svc/internal/event/query"
	"svc/internal/event/submission"
	"svc/internal/fault"
	"svc/internal/files/engine"
	"svc/store"
)

// openArchiver creates a data directory with all kinds of data and returns an Archiver for it.
func openArchiver(t *testing.T) *Archiver {
	t.Helper()
	data := t.TempDir()
	db, err := store.Open(filepath.Join(data, datadir.Database), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	events, err := event.Open(filepath.Join(data, datadir.Events), event.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(events.Close(), db.Close()); err != nil {
			t.Error(err)
			return
		}
		for _, name := range datadir.Databases {
			if err := boltfile.Verify(filepath.Join(data, name)); err != nil {
				t.Error(err)
			}
		}
	})
	put(t, filepath.Join(data, datadir.Secrets), "secret")
	put(t, filepath.Join(data, "files", "objects", "a.zip"), "file")
	put(t, filepath.Join(data, "files", "staging", backupPrefix+"left", datadir.Database), "left by a killed process")
	put(t, filepath.Join(data, "files", "staging", "upload"), "another's")
	return &Archiver{DB: db, Events: events, Data: data, Files: engine.New(engine.Config{Dir: filepath.Join(data, datadir.Files)}), Version: "1", Elsewhere: []string{"JWT_SECRET"}}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// members returns the members of an archive by name.
func members(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	_, err := backup.Read(bytes.NewReader(archive), nil, func(m backup.Member, content io.Reader) (err error) {
		all[m.Name], err = io.ReadAll(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		list = append(list, entry.Name())
	}
	return list
}

func TestArchiveHasEverything(t *testing.T) {
	t.Parallel()
	a := openArchiver(t)
	var out bytes.Buffer
	m, err := a.Write(t.Context(), &out, backup.Options{Files: true})
	if err != nil {
		t.Fatal(err)
	}
	all := members(t, out.Bytes())
	if string(all[datadir.Secrets]) != "secret" || string(all["files/objects/a.zip"]) != "file" || len(all) != 4 || len(m.Members) != 4 {
		t.Errorf("got %d members: %v", len(all), m.Members)
	}
	if got, want := names(t, filepath.Join(a.Data, "files", "staging")), []string{"upload"}; !slices.Equal(got, want) {
		t.Errorf("staging has %v, want %v: what was left is removed, what is another's stays", got, want)
	}
	out.Reset()
	if m, err = a.Write(t.Context(), &out, backup.Options{}); err != nil || len(m.Members) != 3 || m.Files {
		t.Errorf("without files: got %v, %v", m, err)
	}
}

// TestArchiveIsOfOneMoment checks that the two databases in a backup are consistent with each
// other. It writes to them alternately while backups are made: first a project, then an event of
// that project, then the next project.
func TestArchiveIsOfOneMoment(t *testing.T) {
	t.Parallel()
	a := openArchiver(t)
	ctx, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	var written atomic.Int64
	writing.Go(func() {
		for n := 1; ctx.Err() == nil; n++ {
			p := &store.Project{Key: fmt.Sprint("p", n), StatsRetentionDays: 90, EventRetentionDays: 90}
			err := a.DB.Update(func(tx *store.Tx) error { return tx.CreateProject(p) })
			if err == nil {
				now := time.Now().Unix()
				_, err = a.Events.Ingest(&event.Batch{Project: event.Project(p.ID), Received: now, Subject: "u", Items: []submission.Item{{ID: "e", Name: "open", At: now}}})
			}
			if err != nil {
				t.Error(err)
				return
			}
			written.Store(int64(n))
		}
	})
	for range 5 {
		before := int(written.Load())
		var out bytes.Buffer
		if _, err := a.Write(t.Context(), &out, backup.Options{}); err != nil {
			t.Fatal(err)
		}
		projects, events := opened(t, members(t, out.Bytes()))
		if projects < before || events != projects && events != projects-1 {
			t.Errorf("%d projects, %d with an event; want at least %d and the same or one less", projects, events, before)
		}
	}
	stop()
	writing.Wait()
}

// opened returns the number of projects and the number of events in the databases of an archive.
func opened(t *testing.T, all map[string][]byte) (projects, events int) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{datadir.Database, datadir.Events} {
		put(t, filepath.Join(dir, name), string(all[name]))
		if err := boltfile.Verify(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	db, err := store.Open(filepath.Join(dir, datadir.Database), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := event.Open(filepath.Join(dir, datadir.Events), event.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range engine.Projects() {
		o, err := engine.Overview(t.Context(), p, query.Range{End: math.MaxUint32})
		if err != nil {
			t.Fatal(err)
		}
		events += int(o.Total)
	}
	projects = len(db.Projects())
	if err := errors.Join(engine.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	return projects, events
}

// gate is a slow reader of an archive. It signals that it has received the first bytes,
// and then reads more only on request.
type gate struct {
	begun, open chan struct{}
	once        sync.Once
}

func (g *gate) Write(b []byte) (int, error) {
	g.once.Do(func() { close(g.begun) })
	<-g.open
	return len(b), nil
}

// TestSlowReaderHoldsNothing checks that a client that stops reading an archive does not block
// writers and does not prevent the reuse of freed pages. A second backup must be refused in the
// meantime.
func TestSlowReaderHoldsNothing(t *testing.T) {
	t.Parallel()
	a := openArchiver(t)
	g := &gate{begun: make(chan struct{}), open: make(chan struct{})}
	done := make(chan error, 1)
	go func() {
		_, err := a.Write(t.Context(), g, backup.Options{Files: true})
		done <- err
	}()
	<-g.begun
	path := filepath.Join(a.Data, datadir.Database)
	change := func(n int) int64 {
		p := project(t, a.DB, fmt.Sprint("p", n), 20)
		for i := range 200 {
			p.Name = strings.Repeat("x", i)
			if err := a.DB.Update(func(tx *store.Tx) error { return tx.PutProject(p) }); err != nil {
				t.Fatal(err)
			}
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	first := change(1)
	if second := change(2); second != first {
		t.Errorf("the file grows from %d to %d bytes: somebody holds its pages", first, second)
	}
	if _, err := a.Write(t.Context(), io.Discard, backup.Options{}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a second backup: got %v, want Unavailable", err)
	}
	close(g.open)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestBackupDuringSnapshot checks that backups are made while a snapshot for a replica waits for its
// target, that neither removes the copies of the other, and that both archives are intact.
func TestBackupDuringSnapshot(t *testing.T) {
	t.Parallel()
	a := openArchiver(t)
	put(t, filepath.Join(a.Data, "files", "staging", snapshotPrefix+"left", datadir.Database), "left by a killed process")
	project(t, a.DB, "p", 1)
	var snapshot, out bytes.Buffer
	slow := writer(func(b []byte) (int, error) {
		if snapshot.Len() == 0 {
			if _, err := a.Write(t.Context(), &out, backup.Options{Files: true}); err != nil {
				t.Errorf("a backup during a snapshot: %v", err)
			}
		}
		return snapshot.Write(b)
	})
	if err := a.Snapshot(t.Context(), slow, nil, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	for _, archive := range [][]byte{snapshot.Bytes(), out.Bytes()} {
		if projects, _ := opened(t, members(t, archive)); projects != 1 {
			t.Errorf("an archive has %d projects, want 1", projects)
		}
	}
	if got, want := names(t, filepath.Join(a.Data, "files", "staging")), []string{"upload"}; !slices.Equal(got, want) {
		t.Errorf("staging has %v, want %v", got, want)
	}
}

type writer func(b []byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

func TestArchiveThatIsNotWanted(t *testing.T) {
	t.Parallel()
	a := openArchiver(t)
	gone, stop := context.WithCancel(t.Context())
	stop()
	var out bytes.Buffer
	if _, err := a.Write(gone, &out, backup.Options{Files: true}); !errors.Is(err, context.Canceled) || out.Len() > 0 {
		t.Errorf("got %v and %d bytes, want that it was cancelled", err, out.Len())
	}
	if _, err := a.Write(t.Context(), &out, backup.Options{Recipients: []string{"age1x"}}); !fault.Is(err, fault.Invalid) || out.Len() > 0 {
		t.Errorf("got %v and %d bytes, want Invalid", err, out.Len())
	}
	if got, want := names(t, filepath.Join(a.Data, "files", "staging")), []string{"upload"}; !slices.Equal(got, want) {
		t.Errorf("staging has %v, want %v", got, want)
	}
}

// TestDiskThatCannotStage checks that the error names the problem if the databases cannot
// be copied, and that nothing of an archive is written.
func TestDiskThatCannotStage(t *testing.T) {
	t.Parallel()
	a := openArchiver(t)
	staging := filepath.Join(a.Data, "files", "staging")
	if err := os.RemoveAll(staging); err != nil {
		t.Fatal(err)
	}
	put(t, staging, "a file in the place of a folder")
	var out bytes.Buffer
	if _, err := a.Write(t.Context(), &out, backup.Options{}); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "files/staging") || out.Len() > 0 {
		t.Errorf("got %v and %d bytes, want Unavailable that names the folder", err, out.Len())
	}
	full := []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
	if runtime.GOOS == "windows" {
		full = []syscall.Errno{112, 1295} // ERROR_DISK_FULL, ERROR_DISK_QUOTA_EXCEEDED
	}
	for _, cause := range full {
		if err := cannotStage(fmt.Errorf("write: %w", cause)); !fault.Is(err, fault.NoSpace) {
			t.Errorf("a full disk: got %v, want NoSpace", err)
		}
	}
}

// tryingRemoval is a writer that tries to begin a removal of contents during each write.
type tryingRemoval struct {
	bytes.Buffer
	archiver *Archiver
	allowed  bool
}

func (w *tryingRemoval) Write(b []byte) (int, error) {
	if end, ok := w.archiver.Files.BeginRemoval(); ok {
		end()
		w.allowed = true
	}
	return w.Buffer.Write(b)
}

// TestArchiveHasWhatItsRecordsReferTo checks that no content is removed while an archive with files
// is being written, and that the archive contains uploads that wait for a remote storage.
func TestArchiveHasWhatItsRecordsReferTo(t *testing.T) {
	t.Parallel()
	a := openArchiver(t)
	err := a.DB.Update(func(tx *store.Tx) error {
		p := &store.Project{Key: "app", Name: "App", StatsRetentionDays: 90, EventRetentionDays: 90}
		if err := tx.CreateProject(p); err != nil {
			return err
		}
		for i, source := range []store.FileSource{store.FileUploaded, store.FileMirrored, store.FileUploaded, store.FileUploaded} {
			f := &store.File{ID: store.FileID(fmt.Sprintf("%012d", i)), Filename: "a", Status: store.FilePending, Source: source, Backend: store.LocalStorage}
			f.ObjectKey = "f/app/" + string(f.ID) + "/a"
			if err := tx.CreateFile(p.ID, f); err != nil {
				return err
			}
			if i == 3 { // the content is already on the storage, but also still staged
				f.Status = store.FileReady
				if err := tx.PutFile(p.ID, f); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"000000000000", "000000000001", "000000000003", "nobodys"} {
		put(t, filepath.Join(a.Data, "files", "staging", "files", id), "content of "+id)
	}
	out := &tryingRemoval{archiver: a}
	if _, err := a.Write(t.Context(), out, backup.Options{Files: true}); err != nil {
		t.Fatal(err)
	}
	var staged []string
	for name := range members(t, out.Bytes()) {
		if strings.HasPrefix(name, "files/staging/") {
			staged = append(staged, name)
		}
	}
	if !slices.Equal(staged, []string{"files/staging/files/000000000000"}) {
		t.Errorf("got staged contents %v", staged)
	}
	if out.allowed {
		t.Error("contents could be removed while the archive was written")
	}
	out = &tryingRemoval{archiver: a}
	if _, err := a.Write(t.Context(), out, backup.Options{}); err != nil || !out.allowed {
		t.Errorf("an archive without files keeps others from removing contents: %v", err)
	}
	if end, ok := a.Files.BeginRemoval(); !ok {
		t.Error("contents cannot be removed afterwards")
	} else {
		end()
	}
}
