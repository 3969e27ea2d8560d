package store_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/internal/fault"
	"svc/internal/integrity"
	"svc/internal/searchtext"
	"svc/store"
)

// fileID returns the n-th file id.
func fileID(n int) store.FileID { return store.FileID(fmt.Sprintf("%012d", n)) }

// newFileRecord returns a file that is not stored yet.
func newFileRecord(n int, status store.FileStatus, edits ...func(*store.File)) *store.File {
	f := &store.File{
		ID: fileID(n), Filename: fmt.Sprintf("app-%d.zip", n), Size: 5, Status: status,
		Source: store.FileUploaded, Backend: store.LocalStorage,
	}
	f.ObjectKey = fmt.Sprintf("f/app/%s/%s", f.ID, f.Filename)
	for _, edit := range edits {
		edit(f)
	}
	return f
}

// addFile stores a file.
func addFile(t testing.TB, db *store.Store, p store.ProjectID, n int, status store.FileStatus, edits ...func(*store.File)) *store.File {
	t.Helper()
	f := newFileRecord(n, status, edits...)
	update(t, db, func(tx *store.Tx) error { return tx.CreateFile(p, f) })
	return f
}

// addBackend stores a storage.
func addBackend(t testing.TB, db *store.Store, name string) *store.StorageBackend {
	t.Helper()
	b := &store.StorageBackend{Name: name, Kind: store.StorageWebDAV, BaseURL: "https://" + name}
	update(t, db, func(tx *store.Tx) error { return tx.PutStorageBackend(b) })
	return b
}

// readFile reads a file.
func readFile(t testing.TB, db *store.Store, p store.ProjectID, id store.FileID) (*store.File, error) {
	t.Helper()
	return store.Read(db, func(tx *store.Tx) (*store.File, error) { return tx.File(p, id) })
}

// pending returns the ids of the files that wait for a job.
func pending(t testing.TB, db *store.Store) (ids []store.FileID) {
	t.Helper()
	list, err := store.Read(db, func(tx *store.Tx) ([]*store.File, error) { return tx.PendingFiles(100) })
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		ids = append(ids, f.ID)
	}
	return ids
}

// deletions returns the objects that are to be removed.
func deletions(t testing.TB, db *store.Store, limit int) []*store.FileDeletion {
	t.Helper()
	list, err := store.Read(db, func(tx *store.Tx) ([]*store.FileDeletion, error) { return tx.FileDeletions(limit) })
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestFileStates tries to change each state to each other state.
func TestFileStates(t *testing.T) {
	t.Parallel()
	allowed := map[[2]store.FileStatus]bool{
		{store.FilePending, store.FilePending}: true,
		{store.FilePending, store.FileReady}:   true,
		{store.FilePending, store.FileFailed}:  true,
		{store.FileFailed, store.FilePending}:  true,
	}
	db := newStore(t)
	p := addProject(t, db, "app")
	n := 0
	for _, from := range store.FileStatuses {
		for _, to := range store.FileStatuses {
			n++
			f := addFile(t, db, p.ID, n, store.FilePending)
			if from != store.FilePending {
				f.Status = from
				update(t, db, func(tx *store.Tx) error { return tx.PutFile(p.ID, f) })
			}
			changed := *f
			changed.Status = to
			err := db.Update(func(tx *store.Tx) error { return tx.PutFile(p.ID, &changed) })
			if want := allowed[[2]store.FileStatus{from, to}]; (err == nil) != want || err != nil && !fault.Is(err, fault.Conflict) {
				t.Errorf("%s to %s: got %v, want allowed: %t", from, to, err, want)
			}
			_, err = store.Read(db, func(tx *store.Tx) (*store.File, error) { return tx.File(p.ID, f.ID) })
			if err != nil {
				t.Error(err)
			}
		}
	}
	for _, status := range []store.FileStatus{store.FileFailed, "other", ""} {
		err := db.Update(func(tx *store.Tx) error { return tx.CreateFile(p.ID, newFileRecord(99, status)) })
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("a new file that is %q: got %v", status, err)
		}
	}
}

// TestRetry checks that only a failed file can be retried, and that this clears its
// error.
func TestRetry(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	f := addFile(t, db, p.ID, 1, store.FilePending)
	retry := func() error {
		return db.Update(func(tx *store.Tx) error {
			_, err := tx.RetryFile(p.ID, f.ID)
			return err
		})
	}
	if err := retry(); !fault.Is(err, fault.Conflict) {
		t.Errorf("a pending one: got %v", err)
	}
	f.Status, f.Error = store.FileFailed, strings.Repeat("é", 600)
	update(t, db, func(tx *store.Tx) error { return tx.PutFile(p.ID, f) })
	if got, _ := readFile(t, db, p.ID, f.ID); got.Error != strings.Repeat("é", 500) {
		t.Errorf("got an error of %d bytes", len(got.Error))
	}
	if len(pending(t, db)) != 0 {
		t.Error("a failed file waits for a job")
	}
	if err := retry(); err != nil {
		t.Fatal(err)
	}
	if got, _ := readFile(t, db, p.ID, f.ID); got.Status != store.FilePending || got.Error != "" || len(pending(t, db)) != 1 {
		t.Errorf("got %+v, pending %v", got, pending(t, db))
	}
}

// TestNewFile checks the conditions that a new file must meet.
func TestNewFile(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	addFile(t, db, p.ID, 1, store.FileReady)
	for name, tc := range map[string]struct {
		project store.ProjectID
		file    *store.File
		want    fault.Kind
	}{
		"an id in use":         {p.ID, newFileRecord(1, store.FileReady), fault.Conflict},
		"an id too short":      {p.ID, newFileRecord(2, store.FileReady, func(f *store.File) { f.ID = "abc" }), fault.Invalid},
		"an id in capitals":    {p.ID, newFileRecord(2, store.FileReady, func(f *store.File) { f.ID = "ABCDEFGHIJKL" }), fault.Invalid},
		"a storage of nowhere": {p.ID, newFileRecord(2, store.FileReady, func(f *store.File) { f.Backend = "nas" }), fault.NotFound},
		"no such project":      {99, newFileRecord(2, store.FileReady), fault.NotFound},
	} {
		if err := db.Update(func(tx *store.Tx) error { return tx.CreateFile(tc.project, tc.file) }); !fault.Is(err, tc.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestListFilesByModel compares lists of files with a slice that holds the expected files.
func TestListFilesByModel(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	clock := newClock()
	db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{Now: clock.now})
	projects := []*store.Project{addProject(t, db, "a"), addProject(t, db, "b"), addProject(t, db, "c")}
	model := map[store.ProjectID][]*store.File{}
	names := []string{"Setup.EXE", "app-ünï.zip", "ARCHIV.tar.gz", "x"}
	for n := range 120 {
		p := projects[r.IntN(len(projects))].ID
		switch r.IntN(6) {
		case 0:
			if list := model[p]; len(list) > 0 {
				at := r.IntN(len(list))
				update(t, db, func(tx *store.Tx) error { return deleteFile(tx, p, list[at].ID, false) })
				model[p] = slices.Delete(list, at, at+1)
			}
		case 1:
			for _, f := range model[p] {
				if f.Status == store.FilePending {
					f.Status = store.FileStatuses[r.IntN(3)]
					f.SHA256 = fmt.Sprintf("%064x", r.Uint64())
					update(t, db, func(tx *store.Tx) error { return tx.PutFile(p, f) })
					break
				}
			}
		default:
			if r.IntN(2) == 0 {
				clock.advance(time.Second)
			}
			f := addFile(t, db, p, r.IntN(1_000_000_000)*200+n, store.FileStatuses[r.IntN(2)], func(f *store.File) { f.Filename, f.Size = names[r.IntN(len(names))], r.Int64N(4) })
			model[p] = append(model[p], f)
		}
		for _, p := range projects {
			compareLists(t, db, r, p.ID, model[p.ID])
		}
	}
}

// compareLists compares a random part of a project's list of files with the slice all.
func compareLists(t *testing.T, db *store.Store, r *rand.Rand, p store.ProjectID, all []*store.File) {
	t.Helper()
	q := store.FileSelection{Offset: r.IntN(5), Limit: 1 + r.IntN(6), By: store.FileOrder(r.IntN(3)), Ascending: r.IntN(2) == 0}
	if r.IntN(2) == 0 {
		q.Status = store.FileStatuses[r.IntN(3)]
	}
	if r.IntN(2) == 0 {
		q.Terms = []string{[]string{"setup", "ün", "00", "zip", "nothing"}[r.IntN(5)]}
	}
	var want []string
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b *store.File) int {
		newest := cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), strings.Compare(string(b.ID), string(a.ID)))
		by := -newest
		switch q.By {
		case store.FilesByName:
			by = strings.Compare(searchtext.Text(a.Filename), searchtext.Text(b.Filename))
		case store.FilesBySize:
			by = cmp.Compare(a.Size, b.Size)
		}
		if !q.Ascending {
			by = -by
		}
		return cmp.Or(by, newest)
	})
	for _, f := range all {
		if (q.Status == "" || f.Status == q.Status) && searchtext.ContainsAll(f.SearchText(), q.Terms) {
			want = append(want, asJSON(t, f))
		}
	}
	err := db.View(func(tx *store.Tx) error {
		page, total, err := tx.ListFiles(p, q)
		var got []string
		for _, f := range page {
			got = append(got, asJSON(t, f))
		}
		if total != len(want) || !slices.Equal(got, want[min(q.Offset, len(want)):min(q.Offset+q.Limit, len(want))]) {
			t.Fatalf("%+v: got %d of\n%v\nwant %d of\n%v", q, total, got, len(want), want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPendingFilesAreInOrder checks that pending files are listed in the order in which
// they are due, and that each file is listed once.
func TestPendingFilesAreInOrder(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	var files []*store.File
	for n := range 3 {
		files = append(files, addFile(t, db, p.ID, n, store.FilePending))
	}
	select {
	case <-db.FilesWaiting():
	default:
		t.Error("nobody was told that files wait")
	}
	files[0].Attempts, files[0].RetryAt = 1, 100
	files[1].Attempts, files[1].RetryAt = 2, 50
	update(t, db, func(tx *store.Tx) error { return errors.Join(tx.PutFile(p.ID, files[0]), tx.PutFile(p.ID, files[1])) })
	if got := pending(t, db); !slices.Equal(got, []store.FileID{fileID(2), fileID(1), fileID(0)}) {
		t.Errorf("got %v", got)
	}
	files[1].Status = store.FileReady
	update(t, db, func(tx *store.Tx) error { return tx.PutFile(p.ID, files[1]) })
	if got, _ := readFile(t, db, p.ID, fileID(1)); got.Attempts != 0 || got.RetryAt != 0 {
		t.Errorf("a ready file still has attempts: %+v", got)
	}
	update(t, db, func(tx *store.Tx) error { return deleteFile(tx, p.ID, fileID(0), false) })
	if got := pending(t, db); !slices.Equal(got, []store.FileID{fileID(2)}) {
		t.Errorf("got %v", got)
	}
}

// TestDeletedFileIsGoneAtOnce checks that the link of a deleted file stops working
// immediately. Its object must stay in the list of deletions until the removal is
// recorded.
func TestDeletedFileIsGoneAtOnce(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	f := addFile(t, db, p.ID, 1, store.FileReady, func(f *store.File) { f.PartSize = 3 })
	waiting := addFile(t, db, p.ID, 2, store.FilePending)
	if got, b, err := db.LinkedFile(f.ObjectKey); err != nil || got.ID != f.ID || b.ID != store.LocalStorage {
		t.Fatalf("got %+v, %+v, %v", got, b, err)
	}
	for name, key := range map[string]string{
		"one that is pending": waiting.ObjectKey, "another name": f.ObjectKey + "x", "an id only": string(f.ID), "nothing": "",
		"no id": "f/app//app-1.zip", "a longer path": f.ObjectKey + "/x", "another project": strings.Replace(f.ObjectKey, "/app/", "/other/", 1),
	} {
		if _, _, err := db.LinkedFile(key); !fault.Is(err, fault.NotFound) {
			t.Errorf("the link of %s: got %v", name, err)
		}
	}
	update(t, db, func(tx *store.Tx) error {
		return errors.Join(deleteFile(tx, p.ID, f.ID, true), deleteFile(tx, p.ID, waiting.ID, true))
	})
	if _, _, err := db.LinkedFile(f.ObjectKey); !fault.Is(err, fault.NotFound) {
		t.Errorf("after the deletion: got %v", err)
	}
	err := db.Update(func(tx *store.Tx) error { return tx.PutFile(p.ID, f) })
	if !fault.Is(err, fault.NotFound) {
		t.Errorf("a job that ends after the deletion: got %v", err)
	}
	list := deletions(t, db, 10)
	if len(list) != 2 || list[0].ObjectKey != f.ObjectKey || list[0].PartSize != 3 || list[0].Size != 5 || !list[0].Refresh || list[1].Refresh {
		t.Fatalf("got %+v", list)
	}
	update(t, db, func(tx *store.Tx) error {
		return errors.Join(tx.PostponeFileDeletion(list[0], list[0].RetryAt+60, "no answer"), tx.DropFileDeletion(list[1]))
	})
	list = deletions(t, db, 10)
	if len(list) != 1 || list[0].ID != f.ID || list[0].Attempts != 1 || list[0].Error != "no answer" {
		t.Errorf("got %+v", list)
	}
}

// TestFilesOfDeletedProject checks that the files of a deleted project are unreachable
// immediately, regardless of their number. They must become deletions in steps, between
// which the process can be killed.
func TestFilesOfDeletedProject(t *testing.T) {
	t.Parallel()
	const many = 2500
	path := filepath.Join(t.TempDir(), "svc.db")
	db, err := store.Open(path, store.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	p, other := addProject(t, db, "app"), addProject(t, db, "other")
	update(t, db, func(tx *store.Tx) error {
		for n := range many {
			f := newFileRecord(n, store.FileReady, func(f *store.File) { f.SourceURL = fmt.Sprint("https://x/", n%7) })
			if err := tx.CreateFile(p.ID, f); err != nil {
				return err
			}
		}
		return tx.CreateFile(other.ID, newFileRecord(many, store.FileReady))
	})
	update(t, db, func(tx *store.Tx) error { return tx.DeleteProject(p) })
	key := newFileRecord(7, store.FileReady).ObjectKey
	for range 10 { // until everything is purged; the store is opened again after each step
		if _, _, err := db.LinkedFile(key); !fault.Is(err, fault.NotFound) {
			t.Fatalf("a file of a deleted project: got %v", err)
		}
		more, err := db.PurgeStep()
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		if report := checkFile(t, path); !report.Clean() {
			t.Fatalf("between steps: %v", report.Listed())
		}
		if db, err = store.Open(path, store.Options{NoSync: true}); err != nil {
			t.Fatal(err)
		}
		if !more {
			break
		}
	}
	defer closeStore(t, db)
	if list := deletions(t, db, 2*many); len(list) != many {
		t.Errorf("got %d deletions, want %d", len(list), many)
	}
	for path := range db.Dump() {
		if strings.HasPrefix(path, `"content"/"00000001"`) || strings.HasPrefix(path, `"file_sources"/`) {
			t.Errorf("there is still %s", path)
		}
	}
	if _, _, err := db.LinkedFile(newFileRecord(many, store.FileReady).ObjectKey); err != nil {
		t.Errorf("the file of the other project: %v", err)
	}
}

// TestFileBySource checks that the newest file with a source address is returned. After that file
// is deleted, the next newest one must be returned.
func TestFileBySource(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p, other := addProject(t, db, "app"), addProject(t, db, "other")
	const address = "https://host/o/r/releases/download/v1/a.zip"
	for n := range 3 { // the ids descend, and the times are equal
		addFile(t, db, p.ID, 9-n, store.FileReady, func(f *store.File) { f.SourceURL = address })
	}
	bySource := func(p store.ProjectID, url string) store.FileID {
		f, err := store.Read(db, func(tx *store.Tx) (*store.File, error) { return tx.FileBySource(p, url) })
		if err != nil {
			t.Fatal(err)
		}
		if f == nil {
			return ""
		}
		return f.ID
	}
	for _, want := range []store.FileID{fileID(7), fileID(8), fileID(9), ""} {
		if got := bySource(p.ID, address); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if want != "" {
			update(t, db, func(tx *store.Tx) error { return deleteFile(tx, p.ID, want, false) })
		}
	}
	if got := bySource(other.ID, address); got != "" {
		t.Errorf("another project: got %q", got)
	}
}

// TestReplaceLinks checks that the links with the old address are replaced in all
// versions, and that their other fields are unchanged.
func TestReplaceLinks(t *testing.T) {
	t.Parallel()
	const from, to = "https://host/a.zip", "https://dist/f/app/000000000001/a.zip"
	db := newStore(t)
	p := addProject(t, db, "app")
	content := strings.Repeat("text ", 20_000) // too large to be held in memory
	addVersion(t, db, p.ID, "1.0", func(v *store.Version) { v.DownloadURL, v.Content = new(" "+from+" "), &content })
	addVersion(t, db, p.ID, "1.1", func(v *store.Version) {
		v.DownloadLinks = []store.DownloadLink{{URL: from, Name: "A", Platform: "linux"}, {URL: from + "?x"}, {URL: from + "\n"}}
	})
	addVersion(t, db, p.ID, "1.2", func(v *store.Version) { v.DownloadURL = new(from + "/b") })
	change := func() (n int) {
		update(t, db, func(tx *store.Tx) (err error) {
			n, err = tx.ReplaceLinks(p.ID, from, to)
			return err
		})
		return n
	}
	if n := change(); n != 2 {
		t.Errorf("got %d versions, want 2", n)
	}
	if n := change(); n != 0 {
		t.Errorf("again: got %d versions, want 0", n)
	}
	var got []string
	for _, e := range snapshot(t, db, "app").Versions(nil) {
		got = append(got, asJSON(t, []any{e.Record.Version, e.Record.DownloadURL, e.Record.DownloadLinks, e.Large}))
	}
	slices.Sort(got)
	want := []string{
		`["1.0","` + to + `",null,true]` + "\n",
		`["1.1",null,[{"url":"` + to + `","name":"A","platform":"linux"},{"url":"` + from + `?x"},{"url":"` + to + `"}],false]` + "\n",
		`["1.2","` + from + `/b",null,false]` + "\n",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
	v, err := store.Read(db, func(tx *store.Tx) (*store.Version, error) { return tx.VersionNamed(p.ID, "1.0") })
	if err != nil || *v.Content != content {
		t.Errorf("the content of the changed version: %v", err)
	}
}

// TestFileReferences checks that only the path of a link matters, and that the newest
// version comes first.
func TestFileReferences(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	const key = "f/app/000000000001/my app (1).zip"
	link := func(url string) func(*store.Version) {
		return func(v *store.Version) {
			v.DownloadLinks = []store.DownloadLink{{URL: "https://x/y"}, {URL: url}, {URL: url}}
		}
	}
	for i, tc := range []struct {
		url  string
		want bool
	}{
		{"https://dist/f/app/000000000001/my%20app%20(1).zip", true},
		{"http://elsewhere:99/f/app/000000000001/my%20app%20%281%29.zip", true},
		{" https://dist/f/app/000000000001/my%20app%20(1).zip?x=1#y ", true},
		{"/f/app/000000000001/my%20app%20(1).zip", true},
		{"https://dist/f/app/000000000002/my%20app%20(1).zip", false},
		{"https://dist/x/f/app/000000000001/my%20app%20(1).zip", false},
		{"https://dist/f/app%2F000000000001/my%20app%20(1).zip", false},
		{"https://dist/f/app/000000000001/my%2Fapp.zip", false},
		{"https://dist/f/app/000000000001/my%zzapp.zip", false},
	} {
		version := fmt.Sprintf("1.%d", i)
		addVersion(t, db, p.ID, version, link(tc.url))
		got := slices.Contains(snapshot(t, db, "app").FileReferences(key)[key], version)
		if got != tc.want {
			t.Errorf("%q: got %t, want %t", tc.url, got, tc.want)
		}
	}
	addVersion(t, db, p.ID, "0.1", func(v *store.Version) { v.DownloadURL = new("/" + strings.ReplaceAll(key, " ", "%20")) })
	if got := snapshot(t, db, "app").FileReferences(key, "f/other"); len(got) != 1 || strings.Join(got[key], " ") != "0.1 1.3 1.2 1.1 1.0" {
		t.Errorf("got %v", got)
	}
}

// TestCheckFindsAndRepairsFiles checks that each kind of damage to the indexes of files
// is found and can be repaired.
func TestCheckFindsAndRepairsFiles(t *testing.T) {
	t.Parallel()
	root := func(name string) [][]byte { return [][]byte{[]byte(name)} }
	due := func(at int, n int) []byte { return append([]byte{0, 0, 0, 0, 0, 0, 0, byte(at)}, fileID(n)...) }
	first := func(tx *store.Tx, bucket string) []byte { return tx.First([]byte(bucket)) }
	for _, tc := range []struct {
		name   string
		kind   integrity.Kind
		damage func(tx *store.Tx) error
	}{
		{"an entry of the order is missing", integrity.FileIndex, func(tx *store.Tx) error {
			return tx.Put(first(tx, "file_order"), nil, root("file_order")...)
		}},
		{"an entry of the order is another", integrity.FileIndex, func(tx *store.Tx) error {
			return tx.Put(first(tx, "file_order"), []byte("r\x01x"), root("file_order")...)
		}},
		{"the order leads nowhere", integrity.FileIndex, func(tx *store.Tx) error {
			return tx.Put(append(first(tx, "file_order")[:12:12], fileID(99)...), []byte("r"), root("file_order")...)
		}},
		{"a source is missing", integrity.FileIndex, func(tx *store.Tx) error {
			return tx.Put(first(tx, "file_sources"), nil, root("file_sources")...)
		}},
		{"a source leads nowhere", integrity.FileIndex, func(tx *store.Tx) error {
			return tx.Put([]byte("x"), []byte(fileID(1)), root("file_sources")...)
		}},
		{"a pending file does not wait", integrity.FileIndex, func(tx *store.Tx) error { return tx.Put(due(0, 2), nil, root("file_pending")...) }},
		{"a ready file waits", integrity.FileIndex, func(tx *store.Tx) error { return tx.Put(due(0, 1), []byte{}, root("file_pending")...) }},
		{"no such file waits", integrity.FileIndex, func(tx *store.Tx) error { return tx.Put([]byte("x"), []byte{}, root("file_pending")...) }},
		{"a wrong number of files", integrity.Miscount, func(tx *store.Tx) error {
			return tx.Put([]byte("files.ready"), []byte{0, 0, 0, 0, 0, 0, 0, 9}, []byte("content"), []byte{0, 0, 0, 1}, []byte("counts"))
		}},
		{"a wrong number on a storage", integrity.Miscount, func(tx *store.Tx) error { return tx.Put([]byte("local"), []byte{9}, root("file_counts")...) }},
		{"no number of a storage", integrity.Miscount, func(tx *store.Tx) error { return tx.Put([]byte("local"), nil, root("file_counts")...) }},
		{"no storage is there", integrity.FileHome, func(tx *store.Tx) error { return tx.Put([]byte("nas"), nil, root("storage_backends")...) }},
		{"two storages are the default", integrity.FileHome, func(tx *store.Tx) error {
			return tx.Put([]byte("nas"), []byte(`{"name":"NAS","kind":"webdav","default":true}`), root("storage_backends")...)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "svc.db")
			db, err := store.Open(path, store.Options{NoSync: true})
			if err != nil {
				t.Fatal(err)
			}
			p := addProject(t, db, "app")
			addFile(t, db, p.ID, 1, store.FileReady, func(f *store.File) { f.SourceURL = "https://host/a" })
			addFile(t, db, p.ID, 2, store.FilePending)
			update(t, db, func(tx *store.Tx) error {
				if tc.name == "no storage is there" {
					err := tx.Put([]byte("nas"), []byte(`{"name":"NAS","kind":"webdav"}`), root("storage_backends")...)
					p.StorageBackend = "nas"
					return errors.Join(err, tx.PutProject(p))
				}
				return nil
			})
			update(t, db, tc.damage)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			repair(t, path, tc.kind)
		})
	}
}

// deleteFile deletes a file. The removal of its object is due immediately.
func deleteFile(tx *store.Tx, p store.ProjectID, id store.FileID, refresh bool) error {
	_, err := tx.DeleteFile(p, id, refresh, tx.Now().Unix())
	return err
}
