package instance_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/doctor"
	"svc/internal/event"
	"svc/internal/event/query"
	"svc/internal/fault"
	"svc/internal/files/upload"
	"svc/internal/instance"
	"svc/internal/integrity"
	"svc/internal/setting"
	"svc/store"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// settings returns settings that only contain a data directory.
func settings(t *testing.T, dir string) *setting.Settings {
	t.Helper()
	s, err := setting.Load(setting.Sources{Env: func(name string) (string, bool) {
		if name == "SVC_DATA" {
			return dir, true
		}
		return "", false
	}, ReadFile: os.ReadFile})
	must(t, err)
	return s
}

// open opens a data directory and creates it if it does not exist.
func open(t *testing.T, dir string, log *slog.Logger) (*instance.Instance, *setting.Settings) {
	t.Helper()
	_, err := instance.MakeFolder(dir)
	must(t, err)
	lock, err := control.Acquire(dir)
	must(t, err)
	s := settings(t, dir)
	i, err := instance.Open(lock, s, "1.0", log)
	must(t, err)
	return i, s
}

var silent = slog.New(slog.DiscardHandler)

// TestOpen checks that opening a data directory creates it with its files, and that it is locked
// while it is open. Its content must exist when it is opened again.
func TestOpen(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	if found, err := instance.FindFolder(dir); found || err != nil {
		t.Errorf("before: found %v, %v", found, err)
	}
	i, first := open(t, dir, silent)
	if _, err := control.Acquire(dir); !isHeld(err) {
		t.Errorf("a second process: got %v, want a HeldError", err)
	}
	left := filepath.Join(i.Staging, "left")
	must(t, os.MkdirAll(left, 0o700))
	staged := filepath.Join(dir, datadir.Files, "staging", "files", "0123456789ab")
	must(t, os.MkdirAll(filepath.Dir(staged), 0o700))
	must(t, os.WriteFile(staged, []byte("content"), 0o600))
	session, err := i.Files.Uploads.Create(upload.Request{Project: 1, Filename: "a.zip", Size: 1000, Backend: store.LocalStorage})
	must(t, err)
	must(t, i.Store.Update(func(tx *store.Tx) error { return tx.CreateProject(&store.Project{Key: "a", Name: "A"}) }))
	must(t, i.Close())
	for _, name := range []string{datadir.Database, datadir.Events, datadir.Secrets, datadir.Readme, datadir.Lock} {
		if !instance.Has(dir, name) {
			t.Errorf("%s is missing", name)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, datadir.Secrets)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("secrets: %v, %v", info.Mode(), err)
	}
	if found, err := instance.FindFolder(dir); !found || err != nil {
		t.Errorf("afterwards: found %v, %v", found, err)
	}

	i, second := open(t, dir, silent)
	if first.JWTSecret == "" || first.JWTSecret != second.JWTSecret || first.APIKeySalt != second.APIKeySalt {
		t.Error("the secrets are not those of the first time")
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what a crash left in staging is still there: %v", err)
	}
	if _, err := os.Stat(staged); err != nil {
		t.Errorf("what waits for other storage is gone: %v", err)
	}
	if _, err := i.Files.Uploads.Get(1, session.ID); err != nil {
		t.Errorf("an upload in progress: %v", err)
	}
	must(t, i.Store.View(func(tx *store.Tx) error { _, err := tx.Project("a"); return err }))
	must(t, i.Close())
}

func isHeld(err error) bool {
	_, ok := errors.AsType[*control.HeldError](err)
	return ok
}

// TestOpenFails checks that a failed Open releases the lock.
func TestOpenFails(t *testing.T) {
	t.Parallel()
	dir, s := damaged(t, datadir.Database)
	lock, err := control.Acquire(dir)
	must(t, err)
	if _, err := instance.Open(lock, s, "1.0", silent); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("got %v, want damaged", err)
	}
	lock, err = control.Acquire(dir)
	must(t, err)
	must(t, lock.Release())
}

// TestOpenDamagedEvents checks that records can be used if the events cannot be opened.
// It must be possible to copy and close the damaged file without changing it.
func TestOpenDamagedEvents(t *testing.T) {
	t.Parallel()
	dir, s := damaged(t, datadir.Events)
	lock, err := control.Acquire(dir)
	must(t, err)
	i, err := instance.Open(lock, s, "1.0", silent)
	must(t, err)
	must(t, i.Store.View(func(tx *store.Tx) error { _, err := tx.Project("a"); return err }))
	for name, err := range map[string]error{
		"a batch":    second(i.Events.Ingest(&event.Batch{Project: 1, Subject: "u"})),
		"an erasure": second(i.Events.DeleteSubject(t.Context(), 1, "u")),
		"a deletion": i.Events.DropProject(t.Context(), 1),
		"retention":  i.Events.ApplyRetention(t.Context(), 1, 0, 0),
		"a query":    second(i.Events.Overview(t.Context(), 1, query.Range{})),
		"a name":     second(i.Events.Definition(1, "x")),
		"compaction": second(i.Events.CompactFile(true)),
	} {
		if !fault.Is(err, fault.Damaged) || !errors.Is(err, event.ErrDamaged) {
			t.Errorf("%s: got %v, want a fault of kind Damaged", name, err)
		}
	}
	folder, _, err := instance.CopyData(i.Store, i.Events, time.Now, i.Staging, "copy-")
	must(t, err)
	if copied, err := os.ReadFile(filepath.Join(folder, datadir.Events)); err != nil || len(copied) != 0 {
		t.Errorf("the copy has %d bytes: %v", len(copied), err)
	}
	must(t, i.Close())
}

func second[T any](_ T, err error) error { return err }

// damaged creates a data directory with a project and truncates one of its databases.
func damaged(t *testing.T, name string) (dir string, s *setting.Settings) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "data")
	i, settings := open(t, dir, silent)
	must(t, i.Store.Update(func(tx *store.Tx) error { return tx.CreateProject(&store.Project{Key: "a", Name: "A"}) }))
	must(t, i.Close())
	must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	return dir, settings
}

// TestLostSecrets checks that a warning is logged if new secrets are generated although
// there are records. A file of secrets that cannot be parsed must be reported as an error
// of the settings.
func TestLostSecrets(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	i, first := open(t, dir, silent)
	must(t, i.Close())
	path := filepath.Join(dir, datadir.Secrets)
	must(t, os.Remove(path))
	var log bytes.Buffer
	i, second := open(t, dir, slog.New(slog.NewTextHandler(&log, nil)))
	must(t, i.Close())
	if first.JWTSecret == second.JWTSecret || !strings.Contains(log.String(), "were missing") {
		t.Errorf("got the log %q", log.String())
	}
	must(t, os.WriteFile(path, []byte("no toml"), 0o600))
	lock, err := control.Acquire(dir)
	must(t, err)
	_, err = instance.Open(lock, settings(t, dir), "1.0", silent)
	if _, ok := errors.AsType[setting.Errors](err); !ok || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want an error of the settings with the path", err)
	}
}

// TestFoldersThatAreNone checks that all functions refuse the path of a file that is not
// a folder.
func TestFoldersThatAreNone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(path, nil, 0o600))
	_, made := instance.MakeFolder(path)
	_, found := instance.FindFolder(path)
	for _, err := range []error{made, found, instance.CheckFolder(path)} {
		if !errors.Is(err, instance.ErrNotFolder) || !strings.Contains(err.Error(), path) {
			t.Errorf("got %v, want ErrNotFolder with the path", err)
		}
	}
}

// TestCopyData checks that copies are consistent, complete and can be opened.
func TestCopyData(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	i, _ := open(t, dir, silent)
	must(t, i.Store.Update(func(tx *store.Tx) error { return tx.CreateProject(&store.Project{Key: "a", Name: "A"}) }))
	now := time.Now()
	folder, at, err := instance.CopyData(i.Store, i.Events, func() time.Time { return now }, i.Staging, "test-")
	must(t, err)
	if !at.Equal(now) || filepath.Dir(folder) != i.Staging || !strings.HasPrefix(filepath.Base(folder), "test-") {
		t.Errorf("got %s of %s", folder, at)
	}
	must(t, i.Close())
	report := integrity.NewReport(nil)
	must(t, instance.CheckDatabases(t.Context(), folder, report))
	if got := report.Listed(); len(got) > 0 {
		t.Errorf("got findings %v", got)
	}
	db, err := store.Open(filepath.Join(folder, datadir.Database), store.Options{ReadOnly: true})
	must(t, err)
	must(t, db.View(func(tx *store.Tx) error { _, err := tx.Project("a"); return err }))
	must(t, db.Close())
}

// TestRepair checks that Repair removes an incomplete search index, which the next start then
// rebuilds.
func TestRepair(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	i, _ := open(t, dir, silent)
	must(t, i.Store.Update(func(tx *store.Tx) error { return tx.CreateProject(&store.Project{Key: "a", Name: "A"}) }))
	must(t, i.Close())
	must(t, os.RemoveAll(filepath.Join(dir, datadir.Index)))
	must(t, os.MkdirAll(filepath.Join(dir, datadir.Index), 0o700))
	report := integrity.NewReport(nil)
	must(t, instance.Check(t.Context(), dir, filepath.Join(dir, datadir.Files), report))
	if report.Of(integrity.SearchIndex) == 0 || len(instance.Repairable(report)) == 0 {
		t.Fatalf("an empty index: got %v", report.Listed())
	}
	skipped, err := instance.Repair(t.Context(), dir, report)
	if err != nil || len(skipped) > 0 {
		t.Errorf("skipped %v, %v", skipped, err)
	}
	if instance.Has(dir, datadir.Index) {
		t.Error("the index is still there")
	}
}

// TestExamine checks that svc doctor gets the facts without a server, and that nothing in
// the directory changes.
func TestExamine(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	i, s := open(t, dir, silent)
	must(t, i.Store.Update(func(tx *store.Tx) error { return tx.CreateProject(&store.Project{Key: "a", Name: "A"}) }))
	must(t, i.Close())
	before := files(t, dir)
	installation := &doctor.Installation{Settings: s, Machine: os.DirFS("/"), Now: time.Now()}
	instance.Examine(installation, []byte(s.APIKeySalt))
	if len(installation.Databases) != 2 || installation.Databases[0].Err != nil || installation.Databases[1].Err != nil {
		t.Errorf("got databases %+v", installation.Databases)
	}
	if installation.Facts == nil || installation.Facts.Index.Last == 0 {
		t.Errorf("got facts %+v", installation.Facts)
	}
	if after := files(t, dir); !slices.Equal(after, before) {
		t.Errorf("got files %v, want %v", after, before)
	}
	installation = &doctor.Installation{Settings: s, Machine: os.DirFS("/"), Now: time.Now()}
	must(t, os.Remove(filepath.Join(dir, datadir.Events)))
	instance.Examine(installation, nil)
	if installation.Facts != nil || installation.Databases[1].Err == nil {
		t.Errorf("without a salt and events: got %+v, %+v", installation.Facts, installation.Databases)
	}
}

// files returns the files of a data directory with their content. Of the files of the
// search index it returns only the names.
func files(t *testing.T, dir string) (list []string) {
	t.Helper()
	for _, name := range []string{datadir.Database, datadir.Events, datadir.Secrets, datadir.Readme} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		list = append(list, name+string(b))
	}
	index, err := filepath.Glob(filepath.Join(dir, datadir.Index, "*"))
	must(t, err)
	return append(list, index...)
}

// TestCheckComparesFiles checks that a check finds missing contents and contents of the wrong size,
// and that it reports contents without a record as notes.
func TestCheckComparesFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	i, s := open(t, dir, silent)
	add := func(n int, status store.FileStatus) *store.File {
		f := &store.File{ID: store.FileID(fmt.Sprintf("%012d", n)), Filename: "a.zip", Size: 7, Status: status, Source: store.FileUploaded, Backend: store.LocalStorage}
		f.ObjectKey = "f/app/" + string(f.ID) + "/a.zip"
		must(t, i.Store.Update(func(tx *store.Tx) error {
			p, err := tx.Project("app")
			if err != nil {
				return err
			}
			return tx.CreateFile(p.ID, f)
		}))
		return f
	}
	must(t, i.Store.Update(func(tx *store.Tx) error { return tx.CreateProject(&store.Project{Key: "app", Name: "A"}) }))
	write := func(name, text string) {
		path := filepath.Join(s.StorageDir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	whole, missing, short := add(1, store.FileReady), add(2, store.FileReady), add(3, store.FileReady)
	waiting, lost := add(4, store.FilePending), add(5, store.FilePending)
	write("objects/"+whole.ObjectKey, "content")
	write("objects/"+short.ObjectKey, "cont")
	write("objects/f/app/000000000009/a.zip", "content")
	write("objects/f/app/000000000001/other.zip", "content")
	write("staging/files/"+string(waiting.ID), "content")
	write("staging/files/000000000009", "content")
	must(t, i.Close())

	report := integrity.NewReport(nil)
	must(t, instance.Check(t.Context(), dir, s.StorageDir, report))
	var got []string
	for _, f := range report.Listed() {
		if f.File == datadir.Files {
			got = append(got, string(f.Kind)+" "+f.Where)
		}
	}
	want := []string{
		"object " + missing.ObjectKey, "object " + short.ObjectKey, "object " + lost.ObjectKey,
		"spare-object objects/f/app/000000000001/other.zip", "spare-object objects/f/app/000000000009/a.zip", "staged-file staging/files/000000000009",
	}
	if !slices.Equal(got, want) || report.Number(integrity.Damage) != 3 {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	report = integrity.NewReport(nil)
	must(t, instance.Check(t.Context(), dir, filepath.Join(dir, "nothing"), report))
	if n := report.Of(integrity.Object); n != 5 {
		t.Errorf("without the directory: %d contents are missing, want 5", n)
	}
}
