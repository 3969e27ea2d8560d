package store_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/internal/fault"
	"svc/internal/platform"
	"svc/store"
)

// fill imports request counters and records of several kinds, in sufficient numbers for
// complete blocks.
func fill(t *testing.T, i *store.Import, now int64) {
	t.Helper()
	err := i.Update(func(tx *store.ImportTx) error {
		if err := tx.Version(newVersion(t, "1.0", func(v *store.Version) { v.Latest = true }), now); err != nil {
			return err
		}
		if err := tx.Announcement(&store.Announcement{Title: "a", Content: "needle", Pinned: true}, now); err != nil {
			return err
		}
		for n := range 300 {
			if err := tx.Feedback(&store.Feedback{Content: fmt.Sprint("feedback ", n)}, now); err != nil {
				return err
			}
			if err := tx.Log(&store.Log{Content: fmt.Sprint("log ", n), Level: n % 4}, now); err != nil {
				return err
			}
		}
		if err := tx.Card(&store.Card{Title: "a", Query: []byte("{}")}, now); err != nil {
			return err
		}
		return tx.Requests(map[store.RequestCounter]uint64{store.CountSystem(i.Project(), 7, platform.Linux, "6"): 3})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// counts returns the numbers of records of all projects, as a text.
func counts(t *testing.T, db *store.Store) string {
	t.Helper()
	var text string
	err := db.View(func(tx *store.Tx) error {
		versions, err := tx.VersionStatistics()
		if err != nil {
			return err
		}
		all, pinned, err := tx.AnnouncementStatistics()
		if err != nil {
			return err
		}
		feedback, err := tx.FeedbackStatistics()
		if err != nil {
			return err
		}
		logs, err := tx.LogStatistics()
		text = fmt.Sprint(versions.Versions, all, pinned, feedback.Count, logs, len(db.Projects()))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestImportIsHiddenUntilRevealed checks that nothing of an imported project is visible
// before it is revealed, and that everything is visible afterwards.
func TestImportIsHiddenUntilRevealed(t *testing.T) {
	t.Parallel()
	c := newClock()
	db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{Now: c.now})
	other := addProject(t, db, "other")
	before := counts(t, db)
	i, err := db.BeginImport(store.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	seen := db.LastChange()
	fill(t, i, c.now().Unix())
	if got := counts(t, db); got != before || db.LastChange() != seen {
		t.Errorf("while it is hidden: got %s and change %d, want %s and %d", got, db.LastChange(), before, seen)
	}
	if err := db.Purge(); err != nil { // Purge must not treat the import as a deleted project
		t.Fatal(err)
	}
	update(t, db, func(tx *store.Tx) error { return tx.RenameProject(other, "renamed") })
	taken, err := i.Reveal(&store.Project{Key: "new", Name: "New", Aliases: []store.Alias{{Name: "free"}, {Name: "other"}}, CreatedAt: 1, UpdatedAt: 2})
	if err != nil || fmt.Sprint(taken) != "[other]" {
		t.Fatalf("aliases that were taken: got %q, %v", taken, err)
	}
	i.Abandon() // has no effect after Reveal
	if err := db.Purge(); err != nil {
		t.Fatal(err)
	}
	if got, want := counts(t, db), "1 1 1 300 [75 75 75 75] 2"; got != want {
		t.Errorf("when it is revealed: got %s, want %s", got, want)
	}
	p, err := db.FindProject("free")
	if err != nil || p.Key != "new" || p.CreatedAt != 1 || p.UpdatedAt != 2 || p.ID != i.Project() {
		t.Errorf("by its alias: got %+v, %v", p, err)
	}
	if got := len(snapshot(t, db, "new").Versions(nil)); got != 1 {
		t.Errorf("versions: got %d, want 1", got)
	}
	kinds := map[store.Kind]int{}
	err = db.View(func(tx *store.Tx) error {
		changes, err := tx.Changes(seen, 1000)
		for _, change := range changes {
			if change.Project == i.Project() {
				kinds[change.Kind]++
			}
		}
		return err
	})
	want := map[store.Kind]int{store.KindProject: 1, store.KindVersion: 1, store.KindAnnouncement: 1, store.KindFeedback: 1, store.KindLog: 1}
	if err != nil || fmt.Sprint(kinds) != fmt.Sprint(want) {
		t.Errorf("the index is told of %v, want %v: %v", kinds, want, err)
	}
	v := addVersion(t, db, i.Project(), "2.0")
	if old := snapshot(t, db, "new").Versions(nil)[1].Record; string(v.ID[:]) <= string(old.ID[:]) || old.Latest {
		t.Errorf("a version that is made now has id %s, one that was brought in %s, latest %v", v.ID, old.ID, old.Latest)
	}
}

// TestImportLeavesNothing checks that nothing remains of an import that was abandoned or
// interrupted by a kill.
func TestImportLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"given up", "killed"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "svc.db")
			db := openStore(t, path, store.Options{})
			i, err := db.BeginImport(store.ImportOptions{})
			if err != nil {
				t.Fatal(err)
			}
			fill(t, i, time.Now().Unix())
			if end == "given up" {
				i.Abandon()
			} else {
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				db = openStore(t, path, store.Options{})
			}
			if db.Importing(i.Project()) {
				t.Error("it still goes on")
			}
			if err := db.Purge(); err != nil {
				t.Fatal(err)
			}
			again, err := db.BeginImport(store.ImportOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if again.Project() <= i.Project() {
				t.Errorf("number %d was given again", again.Project())
			}
			again.Abandon() // closing the store checks that nothing remains
		})
	}
}

// TestImportRefusesRecords checks that an import and a dry run refuse the same records,
// and that a dry run writes nothing.
func TestImportRefusesRecords(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	other := addProject(t, db, "other")
	there := addVersion(t, db, other.ID, "1.0")
	now := time.Now().Unix()
	for _, dry := range []bool{true, false} {
		for _, row := range []struct {
			name string
			kind fault.Kind
			want string
			put  func(*store.ImportTx) error
		}{
			{"an id of another project", fault.Conflict, `is that of a record of project "other"`, func(tx *store.ImportTx) error {
				return tx.Announcement(&store.Announcement{ID: there.ID}, 0)
			}},
			{"an id of another kind", fault.Invalid, "is that of another record of the project", func(tx *store.ImportTx) error {
				id := db.ID() // as a UUIDv7 with a time in 2023
				copy(id[:], []byte{1, 0x88, 0, 0, 0, 0, 0x70})
				if err := tx.Announcement(&store.Announcement{ID: id}, 0); err != nil {
					return err
				}
				return tx.Feedback(&store.Feedback{ID: id}, 0)
			}},
			{"a version twice", fault.Conflict, `version "1.0" exists already`, func(tx *store.ImportTx) error {
				if err := tx.Version(newVersion(t, "1.0"), now); err != nil {
					return err
				}
				return tx.Version(newVersion(t, "1.0"), now)
			}},
			{"a negative time", fault.Invalid, "created_at must be at least 0", func(tx *store.ImportTx) error { return tx.Log(&store.Log{}, -1) }},
			{"the future", fault.Invalid, "must not be from the future", func(tx *store.ImportTx) error { return tx.Log(&store.Log{}, now+3600) }},
			{"a key of another project", fault.Conflict, `project_key "other" is taken by another project`, func(tx *store.ImportTx) error { return tx.CheckKey("other") }},
		} {
			i, err := db.BeginImport(store.ImportOptions{DryRun: dry})
			if err != nil {
				t.Fatal(err)
			}
			if err := i.Update(row.put); !fault.Is(err, row.kind) || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%s, dry %v: got %v, want %q", row.name, dry, err, row.want)
			}
			i.Abandon()
		}
	}
	i, err := db.BeginImport(store.ImportOptions{DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	seen := db.LastChange()
	fill(t, i, now)
	i.Abandon()
	if got, want := counts(t, db), "1 0 0 0 [0 0 0 0] 1"; got != want || db.LastChange() != seen {
		t.Errorf("after a dry run: got %s, want %s", got, want)
	}
}

// TestDryRunBesideOthers checks that a dry run does not affect projects and imports that
// begin during it, and is not affected by them.
func TestDryRunBesideOthers(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	begin := func(dry bool) *store.Import {
		t.Helper()
		i, err := db.BeginImport(store.ImportOptions{DryRun: dry})
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	now := time.Now().Unix()
	dry := begin(true)
	addProject(t, db, "other")
	fill(t, dry, now)

	second := begin(true)
	other := begin(false)
	fill(t, other, now)
	fill(t, second, now)
	dry.Abandon()
	second.Abandon()
	if !db.Importing(other.Project()) {
		t.Error("the import does not go on after the dry runs")
	}
	if err := db.Purge(); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Reveal(&store.Project{Key: "new", Name: "New"}); err != nil {
		t.Fatal(err)
	}
	if got, want := counts(t, db), "1 1 1 300 [75 75 75 75] 2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestImportOfFiles checks that jobs do not see imported files before the project is
// visible. The files of an abandoned import must become deletions.
func TestImportOfFiles(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	other := addProject(t, db, "other")
	addFile(t, db, other.ID, 1, store.FileReady)
	addFile(t, db, other.ID, 2, store.FileReady)
	update(t, db, func(tx *store.Tx) error { return deleteFile(tx, other.ID, fileID(2), false) })
	update(t, db, func(tx *store.Tx) error {
		return tx.PutStorageBackend(&store.StorageBackend{Name: "NAS", Kind: store.StorageWebDAV, BaseURL: "http://nas.example"})
	})
	nas := ""
	err := db.View(func(tx *store.Tx) error {
		list, err := tx.StorageBackends()
		for _, b := range list {
			if !b.Builtin() {
				nas = b.ID
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	begin := func(dry bool) *store.Import {
		i, err := db.BeginImport(store.ImportOptions{DryRun: dry})
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	for _, dry := range []bool{true, false} {
		i := begin(dry)
		for _, row := range []struct {
			name string
			file *store.File
			kind fault.Kind
			want string
		}{
			{"an id of another project", newFileRecord(1, ""), fault.Conflict, `is that of a file of project "other"`},
			{"an id that was deleted", newFileRecord(2, ""), fault.Conflict, "was deleted a moment ago"},
			{"an id of another form", newFileRecord(3, "", func(f *store.File) { f.ID = "../../000000" }), fault.Invalid, "12 characters"},
			{"a storage of nowhere", newFileRecord(3, "", func(f *store.File) { f.Backend = "x" }), fault.NotFound, "storage backend not found"},
		} {
			err := i.Update(func(tx *store.ImportTx) error { return tx.File(row.file) })
			if !fault.Is(err, row.kind) || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%s, dry %t: got %v", row.name, dry, err)
			}
		}
		err := i.Update(func(tx *store.ImportTx) error {
			if err := tx.File(newFileRecord(3, "")); err != nil {
				return err
			}
			return tx.File(newFileRecord(3, ""))
		})
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "another file of the project") {
			t.Errorf("an id twice, dry %t: got %v", dry, err)
		}
		i.Abandon()
	}

	bring := func() *store.Import {
		i := begin(false)
		err := i.Update(func(tx *store.ImportTx) error {
			for n := 3; n <= 5; n++ {
				if err := tx.File(newFileRecord(n, "", func(f *store.File) {
					if n == 4 {
						f.Backend = nas
					}
				})); err != nil {
					return err
				}
			}
			if err := tx.FileStored(&store.File{ID: fileID(3)}); err != nil {
				return err
			}
			return tx.FileStored(&store.File{ID: fileID(4)})
		})
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	i := bring()
	if got := pending(t, db); len(got) != 0 {
		t.Errorf("jobs see files that are hidden: %v", got)
	}
	if _, _, err := db.LinkedFile(newFileRecord(3, "").ObjectKey); !fault.Is(err, fault.NotFound) {
		t.Errorf("the link of a hidden file: got %v", err)
	}
	i.Abandon()
	if err := db.Purge(); err != nil {
		t.Fatal(err)
	}
	update(t, db, func(tx *store.Tx) error {
		list, err := tx.FileDeletions(10)
		if len(list) != 4 {
			t.Errorf("deletions after an import that was given up: got %d, want 3 and the one from before", len(list))
		}
		for _, d := range list {
			if err := tx.DropFileDeletion(d); err != nil {
				return err
			}
		}
		return err
	})

	i = bring()
	if _, err := i.Reveal(&store.Project{Key: "new", Name: "New"}); err != nil {
		t.Fatal(err)
	}
	if got := pending(t, db); len(got) != 1 {
		t.Errorf("pending: got %v, want the file on the NAS", got)
	}
	if f, _, err := db.LinkedFile(newFileRecord(3, "").ObjectKey); err != nil || f.Project != i.Project() {
		t.Errorf("the link of a file: got %+v, %v", f, err)
	}
	for n, want := range map[int]store.FileStatus{3: store.FileReady, 4: store.FilePending, 5: store.FileFailed} {
		if f, err := readFile(t, db, i.Project(), fileID(n)); err != nil || f.Status != want {
			t.Errorf("file %d: got %+v, %v, want %s", n, f, err, want)
		}
	}
}
