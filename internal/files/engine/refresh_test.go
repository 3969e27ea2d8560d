package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/internal/cdn"
	"svc/internal/files/engine"
	"svc/internal/jobs"
	"svc/internal/outbound"
	"svc/internal/testutil"
	"svc/store"
)

// provider is a fake CDN. It responds as the test determines, and stores the links that
// it has accepted.
type provider struct {
	mu       sync.Mutex
	calls    int
	accepted []string
	status   func(call int) int // status of the response to each call; nil = always 200
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	if p.status != nil {
		if status := p.status(p.calls); status != http.StatusOK {
			w.WriteHeader(status)
			_, _ = w.Write([]byte("{}"))
			return
		}
	}
	p.accepted = append(p.accepted, strings.Split(r.FormValue("ObjectPath"), "\n")...)
	_, _ = w.Write([]byte(`{"RefreshTaskId":"task"}`))
}

// set changes the statuses with which the provider responds.
func (p *provider) set(status func(call int) int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status = status
}

// take returns the number of calls and the accepted links since the previous call of take.
func (p *provider) take() (calls int, accepted []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	calls, accepted = p.calls, p.accepted
	p.calls, p.accepted = 0, nil
	return calls, accepted
}

func refusing(int) int { return http.StatusTooManyRequests }

// withProvider returns a depot with p as its CDN.
func withProvider(t *testing.T, p http.Handler) *depot {
	t.Helper()
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	d := newDepot(t, "")
	d.CDN = cdn.NewClient(outbound.New(outbound.Config{Profile: outbound.Operator, Version: "test"}), server.URL, "")
	return d
}

// remove deletes ready files. Their objects are due for removal at the Unix time due.
func (d *depot) remove(due int64, ids ...store.FileID) {
	d.t.Helper()
	d.update(func(tx *store.Tx) error {
		for _, id := range ids {
			if _, err := tx.DeleteFile(d.p.ID, id, true, due); err != nil {
				return err
			}
		}
		return nil
	})
}

// on creates the records of n ready files in the given storage.
func (d *depot) on(backend string, n int) (ids []store.FileID) {
	d.t.Helper()
	for range n {
		id := d.add(store.File{Filename: "app.zip", Source: store.FileUploaded, Size: 4, Backend: backend})
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

// pending returns the refreshes that are waiting to be sent to the CDN.
func (d *depot) pending() []*store.CDNRefresh {
	d.t.Helper()
	list, err := store.Read(d.db, (*store.Tx).CDNRefreshes)
	if err != nil {
		d.t.Fatal(err)
	}
	return list
}

// deletions returns the deletions of objects that have not been removed yet.
func (d *depot) deletions() []*store.FileDeletion {
	d.t.Helper()
	list, err := store.Read(d.db, func(tx *store.Tx) ([]*store.FileDeletion, error) { return tx.FileDeletions(1000) })
	if err != nil {
		d.t.Fatal(err)
	}
	return list
}

// run runs the named job and returns its error.
func (d *depot) run(name string) error {
	_, err := d.jobs.Run(d.t.Context(), name)
	return err
}

// TestRefreshThatFailsIsTriedAgain checks that after a failed call the remaining calls
// are made, and that the links of the failed call are refreshed later, even after a
// restart.
func TestRefreshThatFailsIsTriedAgain(t *testing.T) {
	t.Parallel()
	p := &provider{}
	d := withProvider(t, p)
	d.remove(0, d.ready(250)...)
	if err := d.run("file-deletions"); err != nil || len(d.deletions()) > 0 || len(d.pending()) != 250 {
		t.Fatalf("got %v, %d deletions, %d links", err, len(d.deletions()), len(d.pending()))
	}
	p.set(func(call int) int {
		if call == 2 {
			return http.StatusTooManyRequests
		}
		return http.StatusOK
	})
	if err := d.run("cdn-refreshes"); err == nil || !strings.Contains(err.Error(), "100 of 250 links") {
		t.Errorf("got %v, want that 100 links failed", err)
	}
	calls, first := p.take()
	if left := d.pending(); calls != 3 || len(first) != 150 || len(left) != 100 || left[0].Attempts != 1 || !strings.Contains(left[0].Error, "429") {
		t.Fatalf("got %d calls, %d links accepted, %d left: %+v", calls, len(first), len(left), left[0])
	}
	d.renew()
	d.age.Store(int64(2 * time.Minute))
	d.start()
	testutil.Until(t, "the refresh of the others", func() bool { return len(d.pending()) == 0 })
	_, second := p.take()
	all := slices.Concat(first, second)
	slices.Sort(all)
	if len(slices.Compact(all)) != 250 {
		t.Errorf("the CDN was told of %d links, want 250", len(all))
	}
}

// TestRefreshIsTriedForADay checks that the pauses between attempts increase from a minute to an
// hour, and that the attempts end after 24 hours.
func TestRefreshIsTriedForADay(t *testing.T) {
	t.Parallel()
	p := &provider{}
	p.set(refusing)
	d := withProvider(t, p)
	d.remove(0, d.ready(1)...)
	if err := d.run("file-deletions"); err != nil {
		t.Fatal(err)
	}
	begin := d.now()
	var pauses []time.Duration
	for len(d.pending()) > 0 && len(pauses) < 50 {
		before := d.now()
		due, _, err := d.DueRefreshes(before)
		if err != nil || len(due) != 1 {
			t.Fatalf("got %+v, %v, want the link", due, err)
		}
		if err := d.RefreshLinks(t.Context(), due); err == nil {
			t.Fatal("the refresh did not fail")
		}
		if left := d.pending(); len(left) > 0 {
			next := time.Unix(left[0].RetryAt, 0).Sub(before)
			pauses = append(pauses, next.Round(time.Minute))
			d.age.Add(int64(next + time.Second))
		}
	}
	took := d.now().Sub(begin)
	want := []time.Duration{1, 2, 4, 8, 16, 32, 60, 60}
	for i := range want {
		want[i] *= time.Minute
	}
	if len(pauses) < len(want) || !slices.Equal(pauses[:len(want)], want) || took < 24*time.Hour || took > 24*time.Hour+time.Minute {
		t.Errorf("given up after %v, with the pauses %v", took, pauses)
	}
}

// TestRefreshIsSwitchedOff checks that pending refreshes are not lost while refreshing is switched
// off, and are sent to the CDN when it is switched on again.
func TestRefreshIsSwitchedOff(t *testing.T) {
	t.Parallel()
	p := &provider{}
	d := withProvider(t, p)
	enable := func(on bool) {
		d.update(func(tx *store.Tx) error {
			c, err := store.CDNSettings.Get(tx)
			if err != nil {
				return err
			}
			c.Enabled = on
			return store.CDNSettings.Put(tx, c)
		})
	}
	d.remove(0, d.ready(1)...)
	if err := d.run("file-deletions"); err != nil {
		t.Fatal(err)
	}
	enable(false)
	if err := d.run("cdn-refreshes"); err == nil || !strings.Contains(err.Error(), "switched off") || len(d.pending()) != 1 {
		t.Errorf("got %v, %d links", err, len(d.pending()))
	}
	d.remove(0, d.ready(1)...)
	if err := d.run("file-deletions"); err != nil || len(d.pending()) != 1 {
		t.Errorf("a deletion without a refresh: got %v, %d links", err, len(d.pending()))
	}
	enable(true)
	if err := d.run("cdn-refreshes"); err != nil || len(d.pending()) != 0 {
		t.Errorf("got %v, %d links", err, len(d.pending()))
	}
	if calls, links := p.take(); calls != 1 || len(links) != 1 {
		t.Errorf("got %d calls, links %q", calls, links)
	}
}

// TestStoppedDuringARefresh checks that a refresh interrupted by a shutdown stays pending without
// counting as an attempt, so that the CDN is called after the next start.
func TestStoppedDuringARefresh(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	d := withProvider(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		stop()
		panic(http.ErrAbortHandler)
	}))
	d.remove(0, d.ready(1)...)
	if err := d.run("file-deletions"); err != nil {
		t.Fatal(err)
	}
	if err := d.RefreshLinks(ctx, d.pending()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was stopped", err)
	}
	if left := d.pending(); len(left) != 1 || left[0].Attempts != 0 {
		t.Errorf("got %+v, want the link without an attempt", left)
	}
}

// TestLinkThatIsPutAgain checks that a link is refreshed once more if it is queued again during its
// refresh.
func TestLinkThatIsPutAgain(t *testing.T) {
	t.Parallel()
	d := withProvider(t, &provider{})
	put := func(tx *store.Tx) error {
		return tx.PutCDNRefresh(&store.CDNRefresh{ID: "000000000001", ObjectKey: "f/app/000000000001/a"}, 0)
	}
	d.update(put)
	read := d.pending()
	d.update(put)
	for want := 1; want >= 0; want-- {
		if err := d.RefreshLinks(t.Context(), read); err != nil || len(d.pending()) != want {
			t.Errorf("got %v, %d links, want %d", err, len(d.pending()), want)
		}
		read = d.pending()
	}
}

// TestLostStorageDoesNotDelayTheCDN checks that the links of an unavailable storage are refreshed
// without delay. They must be refreshed again when the objects have been removed, because a CDN may
// read from the storage directly. All deletions of the storage must be postponed together, so that
// the storage can be deleted.
func TestLostStorageDoesNotDelayTheCDN(t *testing.T) {
	t.Parallel()
	var deletes atomic.Int64
	var works atomic.Bool
	nas := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		deletes.Add(1)
		if works.Load() {
			w.WriteHeader(http.StatusNotFound) // accepts a removal
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer nas.Close()
	p := &provider{}
	d := withProvider(t, p)
	backend := d.remote(nas.URL)
	d.remove(0, d.on(backend, 20)...)
	if err := d.run("file-deletions"); err == nil || !strings.Contains(err.Error(), "NAS") {
		t.Errorf("got %v, want an error that names the storage", err)
	}
	for _, x := range d.deletions() {
		if x.Attempts == 0 || x.RetryAt == 0 {
			t.Errorf("not postponed: %+v", x)
		}
	}
	if n := deletes.Load(); n > 2*engine.DeletersAtOnce {
		t.Errorf("%d requests to a storage that does not work", n)
	}
	if err := d.run("cdn-refreshes"); err != nil {
		t.Fatal(err)
	}
	if _, links := p.take(); len(links) != 20 || len(d.pending()) != 0 || len(d.deletions()) != 20 {
		t.Fatalf("the CDN was told of %d links, %d wait, %d objects are left", len(links), len(d.pending()), len(d.deletions()))
	}
	works.Store(true)
	if err := errors.Join(d.run("file-deletions"), d.run("cdn-refreshes")); err != nil {
		t.Fatal(err)
	}
	if _, links := p.take(); len(links) != 20 || len(d.deletions()) != 0 || len(d.pending()) != 0 {
		t.Errorf("afterwards the CDN was told of %d links, %d objects are left", len(links), len(d.deletions()))
	}
}

// TestFailingStorageIsReported checks that the job counts as failed as long as one storage is
// unavailable, even if the job has since removed objects from another storage.
func TestFailingStorageIsReported(t *testing.T) {
	t.Parallel()
	nas := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	defer nas.Close()
	d := withProvider(t, &provider{})
	local := d.ready(1)
	d.remove(0, d.on(d.remote(nas.URL), 1)...)
	d.start()
	var runs uint64
	failed := func(wanted uint64) func() bool {
		return func() bool {
			at := slices.IndexFunc(d.jobs.List(), func(s jobs.State) bool { return s.Name == "file-deletions" })
			s := d.jobs.List()[at]
			runs = s.Runs
			return s.Runs >= wanted && s.Failed == s.Runs && strings.Contains(s.Failure, "NAS")
		}
	}
	testutil.Until(t, "the failure of the storage", failed(1))
	d.remove(1, local...)
	testutil.Until(t, "the removal of a local object, which does not hide the failure", failed(runs+1))
	if len(d.objects()) > 0 {
		t.Errorf("%q are left", d.objects())
	}
}

// errorCount is a log handler that counts the records with level error.
type errorCount struct {
	slog.Handler
	n *atomic.Int64
}

func (c errorCount) Enabled(context.Context, slog.Level) bool { return true }

func (c errorCount) Handle(_ context.Context, r slog.Record) error {
	if r.Level >= slog.LevelError {
		c.n.Add(1)
	}
	return nil
}

// TestStorageThatWorksIsNotLoggedAsFailed checks that the failure of a storage is logged after each
// attempt with that storage, but not after removals from other storages.
func TestStorageThatWorksIsNotLoggedAsFailed(t *testing.T) {
	t.Parallel()
	nas := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	defer nas.Close()
	d := withProvider(t, &provider{})
	var errs atomic.Int64
	d.jobs.Log = slog.New(errorCount{slog.DiscardHandler, &errs})
	local := d.ready(3)
	d.remove(0, d.on(d.remote(nas.URL), 1)...)
	d.start()
	testutil.Until(t, "the failure of the storage", func() bool { return errs.Load() > 0 })
	for i, id := range local { // each removal begins after the previous one was logged
		d.remove(1, id)
		testutil.Until(t, "the removal of a local object", func() bool { return len(d.objects()) == len(local)-1-i })
	}
	if n := errs.Load(); n != 1 {
		t.Errorf("%d errors are logged, want that of the storage that does not work", n)
	}
}

// TestSlowStorageIsNotedOnce checks that the links of a slow storage's due deletions are queued for
// an early refresh only once, and not at all without a CDN. Nothing else may be written to the
// database.
func TestSlowStorageIsNotedOnce(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		on    bool
		first bool // whether the first slow removal writes to the database
	}{{"with a CDN", true, true}, {"without a CDN", false, false}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := withProvider(t, &provider{})
			if !tc.on {
				d.BaseURL = ""
			}
			d.remove(0, d.ready(3)...)
			wrote := func() bool {
				select {
				case <-d.db.FilesWaiting():
					return true
				default:
					return false
				}
			}
			wrote()
			for i, want := range []bool{tc.first, false} {
				if err := engine.RefreshEarly(d.Engine, store.LocalStorage); err != nil {
					t.Fatal(err)
				}
				if got := wrote(); got != want {
					t.Errorf("slow removal %d: deletions were written: %t, want %t", i+1, got, want)
				}
			}
			for _, x := range d.deletions() {
				if x.Early != tc.on {
					t.Errorf("got %+v, want early: %t", x, tc.on)
				}
			}
		})
	}
}

// TestDeletionsThatCannotBeNoted checks that DeleteObjects returns ErrNotRecorded if the
// results of removals cannot be stored. The job then pauses instead of immediately
// repeating the removals, over and over.
func TestDeletionsThatCannotBeNoted(t *testing.T) {
	t.Parallel()
	d := newDepot(t, "")
	d.remove(0, d.ready(1)...)
	due := d.deletions()
	closed, err := store.Open(filepath.Join(t.TempDir(), "svc.db"), store.Options{})
	if err == nil {
		err = closed.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	d.DB = closed // a closed store refuses writes, like a full disk
	if err := d.DeleteObjects(t.Context(), store.LocalStorage, due); !errors.Is(err, engine.ErrNotRecorded) {
		t.Errorf("got %v, want that it cannot be noted", err)
	}
}

// TestBackupDoesNotDelayTheCDN checks that objects stay while a backup is being written, and that
// their links are refreshed once, during the backup.
func TestBackupDoesNotDelayTheCDN(t *testing.T) {
	t.Parallel()
	p := &provider{}
	d := withProvider(t, p)
	d.remove(0, d.ready(3)...)
	release := d.Hold()
	if err := errors.Join(d.run("file-deletions"), d.run("cdn-refreshes")); err != nil {
		t.Fatal(err)
	}
	if _, links := p.take(); len(links) != 3 || len(d.deletions()) != 3 {
		t.Errorf("during the backup the CDN was told of %d links, %d objects are left", len(links), len(d.deletions()))
	}
	release()
	if err := errors.Join(d.run("file-deletions"), d.run("cdn-refreshes")); err != nil {
		t.Fatal(err)
	}
	if calls, _ := p.take(); calls != 0 || len(d.deletions()) != 0 {
		t.Errorf("afterwards the CDN was called %d times, %d objects are left", calls, len(d.deletions()))
	}
}

// TestHangingStorageDelaysOnlyItself checks that objects are removed from other storages while the
// removals from one storage hang.
func TestHangingStorageDelaysOnlyItself(t *testing.T) {
	t.Parallel()
	var begun, ended atomic.Int64
	over := make(chan struct{})
	nas := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		begun.Add(1)
		select {
		case <-r.Context().Done():
		case <-over:
		}
		ended.Add(1)
	}))
	defer nas.Close()
	defer close(over)
	d := withProvider(t, &provider{})
	hanging := d.remote(nas.URL)
	local := d.ready(6)
	d.remove(0, d.on(hanging, 6)...)
	d.start()
	testutil.Until(t, "a removal that hangs", func() bool { return begun.Load() > 0 })
	for i := range 3 { // some objects become due later
		d.remove(1, local[2*i:2*i+2]...)
		testutil.Until(t, fmt.Sprint("the removal of local objects ", i), func() bool { return len(d.objects()) == 4-2*i })
	}
	if n := ended.Load(); n > 0 {
		t.Errorf("%d removals that hang have ended meanwhile, want that nobody waits for them", n)
	}
	for _, x := range d.deletions() {
		if x.Backend == hanging && x.Attempts > 0 {
			t.Errorf("got %+v, want no attempt that is over", x)
		}
	}
}
