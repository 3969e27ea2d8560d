package engine_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/internal/boltfile"
	"svc/internal/cdn"
	"svc/internal/disk"
	"svc/internal/event"
	"svc/internal/fault"
	"svc/internal/files"
	"svc/internal/files/engine"
	"svc/internal/files/slicecache"
	"svc/internal/files/storage"
	"svc/internal/files/upload"
	"svc/internal/jobs"
	"svc/internal/outbound"
	"svc/internal/seal"
	"svc/internal/testutil"
	"svc/store"
)

// depot holds an engine and its jobs, with a temporary directory and a new database.
type depot struct {
	t    *testing.T
	db   *store.Store
	p    *store.Project
	jobs *jobs.Jobs
	dir  string
	*engine.Engine
	age       atomic.Int64 // nanoseconds by which the clock of the jobs is ahead
	refreshed atomic.Int64 // number of links for which the CDN received a purge request
}

// openStore opens a new database. The database is checked and closed at the end of the test.
func openStore(t *testing.T) *store.Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "svc.db")
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(db.Close(), boltfile.Verify(path)); err != nil {
			t.Error(err)
		}
	})
	return db
}

// newDepot returns a depot. Its jobs are not running yet. host is the address of the code
// host, or "" if there is none.
func newDepot(t *testing.T, host string) *depot {
	t.Helper()
	d := &depot{t: t, db: openStore(t), dir: t.TempDir(), p: &store.Project{Key: "app", StatsRetentionDays: 90, EventRetentionDays: 90}}
	d.update(func(tx *store.Tx) error { return tx.CreateProject(d.p) })
	operator := outbound.New(outbound.Config{Profile: outbound.Operator, Version: "test"})
	storages, err := storage.NewStorages(d.dir, operator)
	if err != nil {
		t.Fatal(err)
	}
	uploads, err := upload.Open(filepath.Join(d.dir, "staging", "uploads"), time.Now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := slicecache.Open(slicecache.Config{Dir: filepath.Join(d.dir, "cache"), MaxBytes: 1 << 30, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(cache.Close(), storages.Close()); err != nil {
			t.Error(err)
		}
	})
	keys := seal.NewKeys([]byte("secret"))
	d.Engine = engine.New(engine.Config{
		DB: d.db, Log: slog.New(slog.DiscardHandler), Now: d.now,
		Dir: d.dir, Storages: storages, Uploads: uploads, Cache: cache, Keys: keys, CDN: cdn.NewClient(operator, d.cdn(), ""),
		Fetch:   outbound.New(outbound.Config{Profile: outbound.Data, Version: "test", Trusted: host}),
		BaseURL: "https://dl.example.org", MaxSize: 1 << 20, Pauses: []time.Duration{0, 0},
	})
	d.update(func(tx *store.Tx) error {
		return store.CDNSettings.Put(tx, &store.CDN{Provider: store.CDNAliyun, Enabled: true, KeyID: "id", Secret: keys.Seal(seal.CDNKeySecret, "s")})
	})
	d.renew()
	return d
}

// cdn starts a fake CDN and returns its address. The CDN counts the links in purge
// requests but refuses the requests.
func (d *depot) cdn() string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.refreshed.Add(int64(len(strings.Split(r.FormValue("ObjectPath"), "\n"))))
		w.WriteHeader(http.StatusForbidden)
	}))
	d.t.Cleanup(s.Close)
	return s.URL
}

// renew replaces the engine and the jobs with new ones, as a restart of the process does.
func (d *depot) renew() {
	d.Engine = engine.New(d.Config)
	d.jobs = jobs.New(jobs.Config{DB: d.db, Log: d.Log, Files: d.Engine, Flush: func() error { return nil }, Now: d.now})
}

func (d *depot) now() time.Time { return time.Now().Add(time.Duration(d.age.Load())) }

func (d *depot) start() {
	d.jobs.Start()
	d.t.Cleanup(func() {
		if err := d.jobs.Stop(); err != nil {
			d.t.Error(err)
		}
	})
}

func (d *depot) update(fn func(tx *store.Tx) error) {
	d.t.Helper()
	if err := d.db.Update(fn); err != nil {
		d.t.Fatal(err)
	}
}

// add creates the record of a pending file.
func (d *depot) add(f store.File) store.FileID {
	d.t.Helper()
	f.ID = store.FileID(files.NewID())
	f.ObjectKey, f.Status = files.ObjectKey(d.p.Key, string(f.ID), f.Filename), store.FilePending
	if f.Backend == "" {
		f.Backend = store.LocalStorage
	}
	d.update(func(tx *store.Tx) error { return tx.CreateFile(d.p.ID, &f) })
	return f.ID
}

// mirror creates the record of an attachment that has to be fetched.
func (d *depot) mirror(url string) store.FileID {
	return d.add(store.File{Filename: "app.zip", Source: store.FileMirrored, SourceURL: url})
}

// stage creates the record of an uploaded file and stages its content.
func (d *depot) stage(content string) store.FileID {
	d.t.Helper()
	sum := sha256.Sum256([]byte(content))
	id := d.add(store.File{Filename: "app.zip", Source: store.FileUploaded, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])})
	staged := d.Storages.Local().Staged(string(id))
	if err := errors.Join(os.MkdirAll(filepath.Dir(staged), 0o700), os.WriteFile(staged, []byte(content), 0o600)); err != nil {
		d.t.Fatal(err)
	}
	return id
}

// ready creates n ready files with the content "kept" on the local storage.
func (d *depot) ready(n int) (ids []store.FileID) {
	d.t.Helper()
	for range n {
		id := d.stage("kept")
		if _, err := d.Storages.Local().Put(d.t.Context(), d.file(id).ObjectKey, d.Storages.Local().Staged(string(id)), 4); err != nil {
			d.t.Fatal(err)
		}
		d.update(func(tx *store.Tx) error {
			f, err := tx.FileByID(id)
			if err != nil {
				return err
			}
			f.Status = store.FileReady
			return tx.PutFile(d.p.ID, f)
		})
		ids = append(ids, id)
	}
	return ids
}

// strange creates files in the storage directory to which no record refers.
func (d *depot) strange(names ...string) {
	d.t.Helper()
	for _, name := range names {
		path := filepath.Join(d.dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("x"), 0o600)); err != nil {
			d.t.Fatal(err)
		}
	}
}

// file returns the record of a file, or nil if there is none.
func (d *depot) file(id store.FileID) *store.File {
	d.t.Helper()
	f, err := store.Read(d.db, func(tx *store.Tx) (*store.File, error) { return tx.FileByID(id) })
	if err != nil && !fault.Is(err, fault.NotFound) {
		d.t.Fatal(err)
	}
	return f
}

// settled waits until a file is no longer pending. It returns the file's record.
func (d *depot) settled(id store.FileID) *store.File {
	d.t.Helper()
	testutil.Until(d.t, "the end of a transfer", func() bool { f := d.file(id); return f == nil || f.Status != store.FilePending })
	return d.file(id)
}

// objects lists the files below objects/ and staging/files/.
func (d *depot) objects() (names []string) { return d.below("objects", "staging/files") }

// lost lists the files that have been moved to the directory lost.
func (d *depot) lost() []string { return d.below("lost") }

func (d *depot) below(folders ...string) (names []string) {
	d.t.Helper()
	for _, folder := range folders {
		found, err := filepath.Glob(filepath.Join(d.dir, folder, "*"))
		if err != nil {
			d.t.Fatal(err)
		}
		for _, name := range found {
			err := filepath.WalkDir(name, func(path string, entry os.DirEntry, err error) error {
				switch {
				case errors.Is(err, fs.ErrNotExist): // removed since it was listed
					return nil
				case err == nil && !entry.IsDir():
					names = append(names, path)
				}
				return err
			})
			if err != nil {
				d.t.Fatal(err)
			}
		}
	}
	return names
}

func (d *depot) content(f *store.File) string {
	d.t.Helper()
	data, err := os.ReadFile(filepath.Join(d.dir, "objects", filepath.FromSlash(f.ObjectKey)))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(data)
}

// TestAttachmentIsFetchedAndLinked checks the content and the checksum of a fetched attachment, and
// the links of all versions.
func TestAttachmentIsFetchedAndLinked(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("attachment ", 1000)
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept") != "application/octet-stream" || r.Header.Get("User-Agent") != "svc/test" {
			t.Errorf("got Accept %q and User-Agent %q", r.Header.Get("Accept"), r.Header.Get("User-Agent"))
		}
		if r.URL.Path != "/real" {
			http.Redirect(w, r, "/real", http.StatusFound)
			return
		}
		_, _ = w.Write([]byte(content))
	}))
	defer host.Close()
	d := newDepot(t, host.URL)
	url := host.URL + "/o/r/releases/download/v1/app.zip"
	version := &store.Version{Version: "1.0", DownloadURL: new(url), DownloadLinks: []store.DownloadLink{{URL: url, Name: "zip"}}}
	d.update(func(tx *store.Tx) error { return tx.CreateVersion(d.p.ID, version, nil) })
	d.start()
	f := d.settled(d.mirror(url))
	sum := sha256.Sum256([]byte(content))
	if f.Status != store.FileReady || f.Size != int64(len(content)) || f.SHA256 != hex.EncodeToString(sum[:]) || d.content(f) != content {
		t.Fatalf("got %+v", f)
	}
	v, err := store.Read(d.db, func(tx *store.Tx) (*store.Version, error) { return tx.Version(d.p.ID, version.ID) })
	if err != nil {
		t.Fatal(err)
	}
	want := d.BaseURL + files.EscapePath(f.ObjectKey)
	if *v.DownloadURL != want || v.DownloadLinks[0] != (store.DownloadLink{URL: want, Name: "zip"}) {
		t.Errorf("got the links %s and %+v, want %s", *v.DownloadURL, v.DownloadLinks, want)
	}
	if got := d.objects(); len(got) != 1 {
		t.Errorf("more than the object is left: %q", got)
	}
}

// TestAttachmentFails checks which responses of a code host cause a download to be
// retried, and that a failed download leaves no content behind.
func TestAttachmentFails(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		answer http.HandlerFunc
		tries  int64
		reason string
	}{
		{"missing", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }, 1, "404"},
		{"nothing", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, 1, "204"},
		{"a part of it", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", "bytes 0-3/100")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write([]byte("part"))
		}, 1, "206"},
		{"compressed", func(w http.ResponseWriter, r *http.Request) {
			if got := r.Header.Get("Accept-Encoding"); got != "identity" {
				t.Errorf("got Accept-Encoding %q", got)
			}
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write([]byte("compressed"))
		}, 1, "Content-Encoding"},
		{"out of order", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, 3, "502"},
		{"asked too often", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }, 3, "429"},
		{"declared too large", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1048577")
			w.WriteHeader(http.StatusOK)
		}, 1, "larger than 1 MiB"},
		{"too large", func(w http.ResponseWriter, _ *http.Request) {
			for range 2048 {
				_, _ = w.Write(bytes.Repeat([]byte("x"), 1024))
			}
		}, 1, "larger than 1 MiB"},
		{"broken off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("short"))
			panic(http.ErrAbortHandler)
		}, 3, "broke off"},
		{"led to a private address", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://127.0.0.1:1/x", http.StatusFound)
		}, 3, "not allowed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var tries atomic.Int64
			host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				tries.Add(1)
				tc.answer(w, r)
			}))
			defer host.Close()
			d := newDepot(t, host.URL)
			d.start()
			f := d.settled(d.mirror(host.URL + "/o/r/releases/download/v1/app.zip"))
			if f.Status != store.FileFailed || !strings.Contains(f.Error, tc.reason) || strings.Contains(f.Error, "127.0.0.1") {
				t.Errorf("got %s: %q, want failed: %q", f.Status, f.Error, tc.reason)
			}
			if tries.Load() != tc.tries {
				t.Errorf("got %d tries, want %d", tries.Load(), tc.tries)
			}
			if left := d.objects(); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// TestAttachmentHasNoRoom checks limits.md 4.2: the uploads and pending files of a project may use
// at most half of the free space.
func TestAttachmentHasNoRoom(t *testing.T) {
	t.Parallel()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(1<<50))
		w.WriteHeader(http.StatusOK)
	}))
	defer host.Close()
	d := newDepot(t, host.URL)
	d.MaxSize = 1 << 60
	d.start()
	f := d.settled(d.mirror(host.URL + "/o/r/releases/download/v1/app.zip"))
	if f.Status != store.FileFailed || !strings.Contains(f.Error, "half of the free space") {
		t.Errorf("got %s: %q, want failed: no room", f.Status, f.Error)
	}
	if left := d.objects(); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestAttachmentIsFetchedAgain checks that, when a download is repeated, the file's size
// is not counted twice against the project's share of the disk space.
func TestAttachmentIsFetchedAgain(t *testing.T) {
	t.Parallel()
	d := newDepot(t, "")
	free, err := disk.Free(d.dir)
	if err != nil {
		t.Fatal(err)
	}
	size := (int64(free) - disk.Reserve) / 2
	if size <= 0 {
		t.Skip("the disk is full")
	}
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(size))
		w.WriteHeader(http.StatusOK)
	}))
	defer host.Close()
	d.Fetch, d.MaxSize = outbound.New(outbound.Config{Profile: outbound.Data, Version: "test", Trusted: host.URL}), size
	f := d.file(d.add(store.File{
		Filename: "app.zip", Source: store.FileMirrored, SourceURL: host.URL + "/o/r/releases/download/v1/app.zip", Size: size,
	}))
	err = engine.FetchContent(d.Engine, t.Context(), f, d.Storages.Local().Staged(string(f.ID)))
	if err == nil || fault.Is(err, fault.NoSpace) {
		t.Errorf("got %v, want that the host sends nothing of it", err)
	}
}

// TestAttachmentStandsStill checks that a stalled download fails, no matter how much has
// already been received.
func TestAttachmentStandsStill(t *testing.T) {
	t.Parallel()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte("the beginning"))
		_ = http.NewResponseController(w).Flush() // fails if the client has disconnected
		<-r.Context().Done()
	}))
	defer host.Close()
	d := newDepot(t, host.URL)
	d.Fetch.Transport = outbound.Idle(d.Fetch.Transport, 50*time.Millisecond)
	d.start()
	f := d.settled(d.mirror(host.URL + "/o/r/releases/download/v1/app.zip"))
	if f.Status != store.FileFailed || !strings.Contains(f.Error, "stalled") {
		t.Errorf("got %s: %q, want failed: it stalled", f.Status, f.Error)
	}
	if left := d.objects(); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// drip returns a code host that sends an endless attachment. begun receives a value when
// a download begins, and ended receives one when the client has disconnected.
func drip(t *testing.T) (host *httptest.Server, begun, ended chan struct{}) {
	t.Helper()
	begun, ended = make(chan struct{}, 10), make(chan struct{}, 10)
	host = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000000")
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for first := true; ; first = false {
			_, _ = w.Write([]byte("x"))
			_ = http.NewResponseController(w).Flush()
			if first {
				begun <- struct{}{}
			}
			select {
			case <-r.Context().Done():
				ended <- struct{}{}
				return
			case <-tick.C:
			}
		}
	}))
	t.Cleanup(host.Close)
	return host, begun, ended
}

// TestAttachmentTakesTooLong checks that a download ends after its maximum total time
// even if it makes progress.
func TestAttachmentTakesTooLong(t *testing.T) {
	t.Parallel()
	host, _, ended := drip(t)
	d := newDepot(t, host.URL)
	d.FetchTime = 100 * time.Millisecond
	d.renew()
	d.start()
	f := d.settled(d.mirror(host.URL + "/o/r/releases/download/v1/app.zip"))
	if f.Status != store.FileFailed || !strings.Contains(f.Error, "took longer than") {
		t.Errorf("got %s: %q, want failed: it took too long", f.Status, f.Error)
	}
	<-ended
	if left := d.objects(); len(left) > 0 || len(ended) > 0 {
		t.Errorf("left behind: %q; tried %d times more", left, len(ended))
	}
}

// TestDeletionEndsADownload checks that deleting a pending file or its project ends the file's
// download, so that the next file can be transferred.
func TestDeletionEndsADownload(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(d *depot, tx *store.Tx, id store.FileID) error{
		"the file": func(d *depot, tx *store.Tx, id store.FileID) error {
			_, err := tx.DeleteFile(d.p.ID, id, false, tx.Now().Unix())
			return err
		},
		"its project": func(d *depot, tx *store.Tx, _ store.FileID) error { return tx.DeleteProject(d.p) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host, begun, ended := drip(t)
			d := newDepot(t, host.URL)
			d.start()
			id := d.mirror(host.URL + "/o/r/releases/download/v1/app.zip")
			<-begun
			d.update(func(tx *store.Tx) error { return remove(d, tx, id) })
			<-ended
			testutil.Until(t, "the end of the file, its object and its deletion", func() bool {
				return d.file(id) == nil && len(d.objects()) == 0 && len(d.deletions()) == 0
			})
		})
	}
}

// TestTransferGoesOnAfterAKill checks that a transfer continues after the process was killed. The
// test performs the steps of the killed process itself.
func TestTransferGoesOnAfterAKill(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		done   func(d *depot, f *store.File) error
		status store.FileStatus
	}{
		{"before anything", func(*depot, *store.File) error { return nil }, store.FileReady},
		{"after the object was moved", func(d *depot, f *store.File) error {
			_, err := d.Storages.Local().Put(t.Context(), f.ObjectKey, d.Storages.Local().Staged(string(f.ID)), f.Size)
			return err
		}, store.FileReady},
		{"and the content was lost", func(d *depot, f *store.File) error {
			return os.Remove(d.Storages.Local().Staged(string(f.ID)))
		}, store.FileFailed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := newDepot(t, "")
			id := d.stage("content")
			if err := tc.done(d, d.file(id)); err != nil {
				t.Fatal(err)
			}
			d.renew()
			d.start()
			f := d.settled(id)
			if f.Status != tc.status {
				t.Fatalf("got %s: %q, want %s", f.Status, f.Error, tc.status)
			}
			if f.Status == store.FileReady && d.content(f) != "content" {
				t.Errorf("got the content %q", d.content(f))
			}
		})
	}
}

// TestTransferThatEndsIsNotBegunAgain checks that a file is not returned as due if it
// becomes ready while the list of pending files is being read. Otherwise a second
// transfer would store the file again, and could not record a failure because the file is
// ready.
func TestTransferThatEndsIsNotBegunAgain(t *testing.T) {
	t.Parallel()
	d := newDepot(t, "")
	id := d.stage("content")
	f := d.file(id)
	end := engine.BeginTransfer(d.Engine, id)
	var once sync.Once
	d.Now = func() time.Time { // called after each file that is read
		once.Do(func() {
			engine.TransferOne(d.Engine, t.Context(), f)
			end()
		})
		return time.Now()
	}
	due, _, err := engine.DueTransfers(d.Engine)
	if err != nil || len(due) > 0 {
		t.Errorf("got %+v, %v, want nothing to begin with", due, err)
	}
	if got := d.file(id).Status; got != store.FileReady {
		t.Errorf("the file is %s, want ready", got)
	}
}

// TestDeletedProjectLeavesNoObject checks that the files and uploads of a deleted project are
// removed in the background without delay.
func TestDeletedProjectLeavesNoObject(t *testing.T) {
	t.Parallel()
	d := newDepot(t, "")
	ids := make([]store.FileID, 20)
	for i := range ids {
		ids[i] = d.stage(fmt.Sprint("content ", i))
	}
	if _, err := d.Uploads.Create(upload.Request{Project: uint32(d.p.ID), Filename: "b.zip", Size: 10, Backend: store.LocalStorage}); err != nil {
		t.Fatal(err)
	}
	d.start()
	for _, id := range ids {
		if f := d.settled(id); f.Status != store.FileReady {
			t.Fatalf("got %+v", f)
		}
	}
	d.update(func(tx *store.Tx) error { return tx.DeleteProject(d.p) })
	testutil.Until(t, "the end of the uploads", func() bool { return len(d.Uploads.Projects()) == 0 })
	testutil.Until(t, "the end of all objects", func() bool { return len(d.objects()) == 0 })
	testutil.Until(t, "the end of the queue", func() bool {
		left, err := store.Read(d.db, func(tx *store.Tx) ([]*store.FileDeletion, error) { return tx.FileDeletions(1) })
		return err == nil && len(left) == 0
	})
	testutil.Until(t, "the refresh of all links", func() bool { return d.refreshed.Load() >= int64(len(ids)) })
	if d.refreshed.Load() != int64(len(ids)) {
		t.Errorf("the CDN was told of %d links, want %d", d.refreshed.Load(), len(ids))
	}
}

// TestDeletedProjectDoesNotWaitForAnUpload checks that the events and objects of a deleted project
// are removed even while an upload to the project is being completed. The completion may take long.
func TestDeletedProjectDoesNotWaitForAnUpload(t *testing.T) {
	t.Parallel()
	d := newDepot(t, "")
	events, err := event.Open(filepath.Join(t.TempDir(), "events.db"), event.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := events.Close(); err != nil {
			t.Error(err)
		}
	})
	d.jobs.Events = events
	if err := events.NewImporter(event.Project(d.p.ID), false).Define([]event.Definition{{ID: "x", Name: "open"}}); err != nil {
		t.Fatal(err)
	}
	d.ready(3)
	u, err := d.Uploads.Create(upload.Request{Project: uint32(d.p.ID), Filename: "b.zip", Size: 1, Backend: store.LocalStorage})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Uploads.WriteChunk(t.Context(), uint32(d.p.ID), u.ID, 0, -1, strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	completing, finish := make(chan struct{}), make(chan struct{})
	var completed sync.WaitGroup
	completed.Go(func() {
		_, _ = d.Uploads.Complete(uint32(d.p.ID), u.ID, func(upload.Content) (string, error) {
			close(completing)
			<-finish
			return "", errors.New("the project is deleted")
		})
	})
	<-completing
	d.update(func(tx *store.Tx) error { return tx.DeleteProject(d.p) })
	d.start()
	t.Cleanup(completed.Wait)
	t.Cleanup(func() { close(finish) }) // registered last and therefore called before the jobs stop, because they wait for the completion
	testutil.Until(t, "the end of the objects", func() bool { return len(d.objects()) == 0 })
	testutil.Until(t, "the end of the events", func() bool { return len(events.Projects()) == 0 })
}

// TestDeletionWaitsForABackup checks that a removal that a backup prevents is retried a
// minute later. It must count neither as a failure nor as an attempt.
func TestDeletionWaitsForABackup(t *testing.T) {
	t.Parallel()
	d := newDepot(t, "")
	id := d.stage("content")
	d.update(func(tx *store.Tx) error {
		_, err := tx.DeleteFile(d.p.ID, id, false, 0)
		return err
	})
	d.strange("staging/files/000000000001")
	d.age.Store(int64(26 * time.Hour))
	release := d.Hold()
	begin := d.now()
	for _, name := range []string{"file-deletions", "file-cleanup"} {
		if state, err := d.jobs.Run(t.Context(), name); err != nil || state.Failure != "" {
			t.Errorf("%s: got %v, %+v, want no failure", name, err, state)
		}
	}
	if got := d.objects(); len(got) != 2 {
		t.Errorf("during the backup %q are left, want both", got)
	}
	list, err := store.Read(d.db, func(tx *store.Tx) ([]*store.FileDeletion, error) { return tx.FileDeletions(2) })
	if err != nil || len(list) != 1 || list[0].Attempts != 0 || list[0].Error != "" || list[0].RetryAt < begin.Unix()+30 {
		t.Errorf("got the deletions %+v, %v, want one in a minute", list, err)
	}
	release()
	d.age.Add(int64(2 * time.Minute))
	d.start()
	testutil.Until(t, "the end of both", func() bool { return len(d.objects()) == 0 })
}

// TestDeletionThatOthersHaveDone checks that a job does not remove an object if its
// deletion has been completed since the job read it, because another file may own the
// object by then.
func TestDeletionThatOthersHaveDone(t *testing.T) {
	t.Parallel()
	d := newDepot(t, "")
	id := d.stage("content")
	o, err := d.Storages.Local().Put(t.Context(), d.file(id).ObjectKey, d.Storages.Local().Staged(string(id)), 7)
	if err != nil {
		t.Fatal(err)
	}
	var due []*store.FileDeletion
	d.update(func(tx *store.Tx) error {
		if _, err := tx.DeleteFile(d.p.ID, id, true, 0); err != nil {
			return err
		}
		due, err = tx.FileDeletions(10)
		return err
	})
	d.update(func(tx *store.Tx) error { return tx.DropFileDeletion(due[0]) })
	if err := d.DeleteObjects(t.Context(), store.LocalStorage, due); err != nil {
		t.Fatal(err)
	}
	if there, err := d.Storages.Local().Stat(t.Context(), o); !there || err != nil || d.refreshed.Load() != 0 {
		t.Errorf("the object is there: %t, %v; the CDN was told of %d links", there, err, d.refreshed.Load())
	}
	d.update(func(tx *store.Tx) error { return tx.PutFileDeletion(due[0]) })
	release, ok := d.TryHold()
	if !ok {
		t.Fatal("somebody holds the contents")
	}
	if err := d.DeleteObjects(t.Context(), store.LocalStorage, due); err != nil {
		t.Fatal(err)
	}
	if there, err := d.Storages.Local().Stat(t.Context(), o); !there || err != nil {
		t.Errorf("while somebody holds contents the object is there: %t, %v", there, err)
	}
	release()
	if err := d.DeleteObjects(t.Context(), store.LocalStorage, d.deletions()); err != nil {
		t.Fatal(err)
	}
	if there, err := d.Storages.Local().Stat(t.Context(), o); there || err != nil {
		t.Errorf("the object is there: %t, %v", there, err)
	}
}

// TestAttachmentWithPrivateKey checks that a private key beside the attachments of a release is not
// stored, not even for another attempt.
func TestAttachmentWithPrivateKey(t *testing.T) {
	t.Parallel()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("untrusted comment: rsign encrypted secret key\nRWRTY0IyAAAA\n"))
	}))
	defer host.Close()
	d := newDepot(t, host.URL)
	d.start()
	f := d.settled(d.add(store.File{
		Filename: "app.exe.sig", Source: store.FileMirrored, SourceURL: host.URL + "/o/r/releases/download/v1/app.exe.sig",
	}))
	if f.Status != store.FileFailed || f.Error != "the file contains a private key; keep it in your CI" || f.SHA256 != "" || f.Attempts != 0 {
		t.Errorf("got %+v", f)
	}
	if left := d.objects(); len(left) != 0 {
		t.Errorf("content is left: %q", left)
	}
}
