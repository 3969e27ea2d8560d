package follow_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/backup"
	"svc/internal/datadir"
	"svc/internal/event"
	"svc/internal/replica"
	"svc/internal/replica/follow"
	"svc/internal/replica/format"
	"svc/internal/replica/target"
	"svc/internal/replica/target/targettest"
	"svc/store"
)

// world is a replica in memory, with the primary that writes it.
type world struct {
	t       *testing.T
	target  *targettest.Memory
	archive []byte
	epoch   uint32
	number  uint64 // of the last segment of the epoch
	before  string // its SHA-256
	at      uint64 // its position
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, target: targettest.NewMemory(), epoch: 1, archive: archive(t)}
	w.put(format.IdentityName, format.Identity{Format: format.Version, ID: "replica", Data: "data"})
	w.put(format.EpochName(1), format.Epoch{Format: format.Version, Number: 1, Owner: "first"})
	w.snapshot()
	return w
}

// archive returns a backup archive of empty databases.
func archive(t *testing.T) []byte {
	dir := t.TempDir()
	db, err := store.Open(filepath.Join(dir, datadir.Database), store.Options{NoSync: true})
	check(t, err)
	events, err := event.Open(filepath.Join(dir, datadir.Events), event.Options{})
	check(t, errors.Join(err, events.Close(), db.Close()))
	var b bytes.Buffer
	w, err := backup.NewWriter(&b, "test", time.Now())
	check(t, err)
	for _, name := range datadir.Databases {
		check(t, w.AddFile(name, filepath.Join(dir, name)))
	}
	_, err = w.Close(false, nil)
	check(t, err)
	return b.Bytes()
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) put(name string, object any) { w.target.Set(name, format.Encode(object)) }

// snapshot stores a snapshot at the current position.
func (w *world) snapshot() {
	sum := sha256.Sum256(w.archive)
	w.target.Set(format.PartName(w.at, 1), w.archive)
	w.put(format.ManifestName(w.at), format.Manifest{
		Format: format.Version, Position: w.at, Epoch: w.epoch, Next: w.number + 1, Before: w.before,
		Parts: []format.Part{{Size: int64(len(w.archive)), SHA256: hex.EncodeToString(sum[:])}},
	})
}

// ship stores a segment with one change.
func (w *world) ship() {
	w.t.Helper()
	before := format.Sum{}
	_, err := hex.Decode(before[:], []byte(w.before))
	check(w.t, err)
	c := format.Change{File: format.Records, Position: w.at + 1, Time: int64(w.at), Set: []byte{1}}
	segment, err := format.Seal(format.Header{
		Epoch: w.epoch, Number: w.number + 1, After: w.at, Last: c.Position, Begin: c.Time, End: c.Time, Before: before,
	}, format.AppendChange(nil, c))
	check(w.t, err)
	sum := format.SumOf(segment)
	w.number, w.before, w.at = w.number+1, hex.EncodeToString(sum[:]), c.Position
	w.target.Set(format.SegmentName(w.epoch, w.number), segment)
}

// cut returns the cut after the last segment.
func (w *world) cut() format.Cut {
	return format.Cut{Format: format.Version, Epoch: w.epoch, Segment: w.number, SHA256: w.before, Position: w.at}
}

// copied is a standby. A list of positions replaces its databases.
type copied struct {
	*follow.Follower
	mu        sync.Mutex
	positions []uint64 // of the changes; guarded by mu
}

// open opens a standby in a directory.
func (w *world) open(dir string, view *targettest.View) *copied {
	w.t.Helper()
	c := &copied{}
	var err error
	c.Follower, err = follow.Open(w.t.Context(), follow.Config{
		Target: target.Count(view), Address: "memory", Data: dir, Every: time.Second, Host: filepath.Base(dir),
		Log: slog.New(slog.NewTextHandler(w.t.Output(), nil)),
	})
	check(w.t, err)
	c.Use(func(changes []format.Change, _ uint64) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, one := range changes {
			c.positions = append(c.positions, one.Position)
		}
		return nil
	})
	return c
}

func (w *world) dir(name string) string { return filepath.Join(w.t.TempDir(), name) }

func (c *copied) applied() []uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.positions)
}

// run follows for a while.
func (w *world) run(c *copied) error {
	ctx, cancel := context.WithTimeout(w.t.Context(), 30*time.Second)
	defer cancel()
	err := c.Run(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

func (w *world) mustApply(c *copied, want ...uint64) {
	w.t.Helper()
	check(w.t, w.run(c))
	if got := c.applied(); !slices.Equal(got, want) {
		w.t.Errorf("got the changes %v, want %v", got, want)
	}
}

func TestFollow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		dir := w.dir("copy")
		c := w.open(dir, w.target.View())
		w.ship()
		w.ship()
		w.mustApply(c, 1, 2)
		if lag := c.Lag(); lag > 2*time.Second {
			t.Errorf("got a lag of %s", lag)
		}
		for range 40 {
			w.ship()
		}
		again := w.open(dir, w.target.View()) // it goes on where the first one was
		check(t, w.run(again))
		if got := again.applied(); len(got) != 40 || got[0] != 3 {
			t.Errorf("got the changes %v, want 3 to 42", got)
		}
	})
}

// TestSnapshotIsDeleted deletes the snapshot with which a copy begins while it is being read.
func TestSnapshotIsDeleted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		view := w.target.View()
		first := format.PartName(w.at, 1)
		view.Before = func(_ context.Context, c targettest.Call) error {
			if c.Name == first {
				w.target.Set(format.ManifestName(w.at), nil)
				w.target.Set(first, nil)
				w.ship()
				w.snapshot()
				first = ""
			}
			return nil
		}
		c := w.open(w.dir("copy"), view)
		if got := c.Status().Position; got != 1 {
			t.Errorf("the copy begins at position %d, want that of the next snapshot, 1", got)
		}
	})
}

// TestLagAfterStart checks that a copy that cannot reach the target does not pretend to be up to date.
func TestLagAfterStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		dir := w.dir("copy")
		c := w.open(dir, w.target.View())
		w.ship()
		w.mustApply(c, 1)
		time.Sleep(time.Hour) //nolint:forbidigo // by the fake clock of synctest
		view := w.target.View()
		view.Before = func(context.Context, targettest.Call) error { return errors.New("no answer") }
		again := w.open(dir, view)
		check(t, w.run(again))
		if lag := again.Lag(); lag < time.Hour {
			t.Errorf("got a lag of %s an hour after the last contact", lag)
		}
		view.Before = nil
		check(t, w.run(again))
		if lag := again.Lag(); lag > 2*time.Second {
			t.Errorf("got a lag of %s with the target", lag)
		}
	})
}

// TestLateSegment checks that a segment of the old primary is applied only if the cut includes it.
func TestLateSegment(t *testing.T) {
	t.Parallel()
	for counts, want := range map[bool][]uint64{true: {1, 2, 3}, false: {1, 2}} {
		t.Run(fmt.Sprint(counts), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				c := w.open(w.dir("copy"), w.target.View())
				w.ship()
				w.mustApply(c, 1)
				cut := w.cut()
				w.put(format.EpochName(2), format.Epoch{Format: format.Version, Number: 2, Owner: "second"})
				w.ship() // it is late
				w.mustApply(c, 1)
				if counts {
					cut = w.cut()
				}
				w.put(format.CutName(2), cut)
				w.epoch, w.number, w.before, w.at = 2, 0, cut.SHA256, cut.Position
				w.ship()
				w.mustApply(c, want...)
				if got := c.Status(); got.Epoch != 2 || got.Position != want[len(want)-1] {
					t.Errorf("got epoch %d, position %d", got.Epoch, got.Position)
				}
			})
		})
	}
}

// TestGap checks that a standby waits for a snapshot that continues after a gap.
func TestGap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		dir := w.dir("copy")
		c := w.open(dir, w.target.View())
		w.ship()
		w.at += 10
		w.ship()
		before := c.Status()
		w.mustApply(c, 1)
		after := c.Status()
		if after.Failure == "" {
			t.Error("the gap is no failure")
		}
		if after.RequestsDay <= before.RequestsDay || before.RequestsDay == 0 || after.BytesDay <= before.BytesDay ||
			after.RequestsDay != int64(c.Counters().Requests["open"]+c.Counters().Requests["list"]) {
			t.Errorf("%d requests and %d bytes, then %d and %d", before.RequestsDay, before.BytesDay, after.RequestsDay, after.BytesDay)
		}
		w.snapshot()
		if err := w.run(c); !errors.Is(err, follow.ErrNeedsSnapshot) {
			t.Fatalf("got %v, want ErrNeedsSnapshot", err)
		}
		check(t, c.Restart())
		c = w.open(dir, w.target.View())
		if got := c.Status().Position; got != w.at {
			t.Errorf("the new copy is at %d, want %d", got, w.at)
		}
	})
}

// TestPromote checks that a promotion applies everything, ends the epoch, and leaves the directory of a primary.
func TestPromote(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		dir := w.dir("copy")
		c := w.open(dir, w.target.View())
		for range 5 {
			w.ship()
		}
		p, err := c.Promote(t.Context(), false)
		check(t, err)
		if p.Epoch != 2 || p.Position != 5 || len(c.applied()) != 5 {
			t.Errorf("got %+v with the changes %v", p, c.applied())
		}
		if err := w.run(c); !errors.Is(err, follow.ErrPromoted) {
			t.Errorf("Run: got %v", err)
		}
		cut, err := format.Decode[format.Cut](w.target.Objects()[format.CutName(2)])
		check(t, err)
		if want := w.cut(); cut != want {
			t.Errorf("got the cut %+v, want %+v", cut, want)
		}
		check(t, c.Finish())
		s, found, err := replica.ReadState(filepath.Join(dir, datadir.Replicate))
		check(t, err)
		if !found || s.Epoch != 2 || !s.Begun || s.Next != 1 || s.Before != w.before || s.Position != 5 || s.Replica != "replica" {
			t.Errorf("got the state %+v", s)
		}
		if _, err := follow.Open(t.Context(), follow.Config{Target: target.Count(w.target.View()), Data: dir}); !errors.Is(err, follow.ErrOther) {
			t.Errorf("a standby on the directory of a primary: got %v", err)
		}
	})
}

// TestPromoteRace checks that one of several standbys becomes the primary.
func TestPromoteRace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.ship()
		results := make([]error, 4)
		var group, claims sync.WaitGroup
		claims.Add(len(results))
		for i := range results {
			view := w.target.View()
			view.Before = func(_ context.Context, c targettest.Call) error {
				if c.Operation == "Create" && c.Name == format.EpochName(2) { // none has seen the epoch of another
					claims.Done()
					claims.Wait()
				}
				return nil
			}
			c := w.open(w.dir(fmt.Sprint("copy", i)), view)
			group.Go(func() { _, results[i] = c.Promote(t.Context(), false) })
		}
		group.Wait()
		won := 0
		for _, err := range results {
			if err == nil {
				won++
			} else if !errors.Is(err, follow.ErrTaken) {
				t.Errorf("got %v, want ErrTaken", err)
			}
		}
		if won != 1 {
			t.Errorf("%d standbys were promoted", won)
		}
	})
}

// TestPromoteDuring lets other servers change the replica after the standby has created its epoch.
func TestPromoteDuring(t *testing.T) {
	t.Parallel()
	other := func(w *world, number uint32) {
		w.put(format.EpochName(number), format.Epoch{Format: format.Version, Number: number, Owner: "other", Name: "other"})
	}
	for _, tc := range []struct {
		name          string
		before, after func(w *world)
		taken         bool
		want          format.Cut // with which epoch 3 begins
	}{
		{"a later epoch begins", func(w *world) { other(w, 2) }, func(w *world) { other(w, 4) }, true, format.Cut{}},
		{"another standby becomes the primary", func(w *world) { other(w, 2) }, func(w *world) {
			other(w, 4)
			w.put(format.CutName(4), w.cut())
		}, true, format.Cut{}},
		{"an earlier promotion is completed", func(w *world) { other(w, 2) }, func(w *world) {
			cut := w.cut()
			w.put(format.CutName(2), cut)
			w.epoch, w.number = 2, 0
			w.ship()
		}, false, format.Cut{Epoch: 2, Segment: 1, Position: 2}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.ship()
				tc.before(w)
				view := w.target.View()
				view.After = func(_ context.Context, c targettest.Call) error {
					if c.Operation == "Create" && c.Name == format.EpochName(3) {
						tc.after(w)
					}
					return nil
				}
				c := w.open(w.dir("copy"), view)
				p, err := c.Promote(t.Context(), false)
				cut := w.target.Objects()[format.CutName(3)]
				if tc.taken {
					if !errors.Is(err, follow.ErrTaken) || cut != nil {
						t.Errorf("got %v and the cut %s, want ErrTaken", err, cut)
					}
					return
				}
				check(t, err)
				got, err := format.Decode[format.Cut](cut)
				check(t, err)
				tc.want.Format, tc.want.SHA256 = format.Version, w.before
				if got != tc.want || p.Epoch != 3 || p.Position != 2 {
					t.Errorf("got %+v and the cut %+v, want %+v", p, got, tc.want)
				}
			})
		})
	}
}

// TestPromotedTooLate checks that a standby does not become the primary of an epoch that it has completed without knowing
// it, if a later epoch exists.
func TestPromotedTooLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.ship()
		view := w.target.View()
		c := w.open(w.dir("copy"), view)
		view.After = func(_ context.Context, c targettest.Call) error {
			if c.Operation == "Create" && c.Name == format.CutName(2) || c.Operation == "Open" && c.Name == format.CutName(2) {
				return errors.New("no answer")
			}
			return nil
		}
		if _, err := c.Promote(t.Context(), false); err == nil {
			t.Fatal("the promotion succeeded without an answer")
		}
		w.put(format.EpochName(3), format.Epoch{Format: format.Version, Number: 3, Owner: "other", Name: "other"})
		view.After = nil
		w.mustApply(c, 1)
	})
}

// TestPromoteWhileFollowing checks that a promotion ends with its context while the standby waits for the target.
func TestPromoteWhileFollowing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		view := w.target.View()
		c := w.open(w.dir("copy"), view)
		view.Before = func(ctx context.Context, _ targettest.Call) error {
			<-ctx.Done()
			return ctx.Err()
		}
		following, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(following) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := c.Promote(ctx, false); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Run: got %v", err)
		}
	})
}

// TestPromoteAgain interrupts a promotion at each request, and checks that the next attempt completes it in the same
// epoch.
func TestPromoteAgain(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{true, false} { // whether the request has an effect before it fails
		for fails := 1; ; fails++ {
			completed := false
			t.Run(fmt.Sprintf("%v/%d", lost, fails), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { completed = promoteTwice(t, lost, fails) })
			})
			if completed || t.Failed() {
				break
			}
		}
	}
}

// promoteTwice reports whether the first attempt was complete although the given request fails.
func promoteTwice(t *testing.T, lost bool, fails int) bool {
	w := newWorld(t)
	dir := w.dir("copy")
	view := w.target.View()
	c := w.open(dir, view)
	w.ship()
	var requests atomic.Int64
	fail := func(context.Context, targettest.Call) error {
		if requests.Add(1) >= int64(fails) {
			return errors.New("no answer")
		}
		return nil
	}
	if lost {
		view.After = fail
	} else {
		view.Before = fail
	}
	_, err := c.Promote(t.Context(), true)
	view.After, view.Before = nil, nil
	c = w.open(dir, w.target.View())
	p, again := c.Promote(t.Context(), true)
	check(t, again)
	if p.Epoch != 2 || p.Position != 1 {
		t.Errorf("got %+v, want epoch 2 and position 1", p)
	}
	return err == nil
}

// TestLease checks that a promotion waits for the lease of the old primary, unless that is known to be down.
func TestLease(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		down bool
		age  time.Duration // of the last contact
		want time.Duration
	}{
		{true, 0, 0}, {false, 0, 20 * time.Second}, {false, 2 * time.Minute, 20 * time.Second}, {false, 3 * time.Minute, 0},
	} {
		t.Run(fmt.Sprint(tc), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				c := w.open(w.dir("copy"), w.target.View())
				w.put(format.PrimaryName, format.Contact{Format: format.Version, Epoch: 1, Time: time.Now().Add(-tc.age).UnixMilli(), Lease: 20_000})
				begun := time.Now()
				_, err := c.Promote(t.Context(), tc.down)
				check(t, err)
				if took := time.Since(begun); took != tc.want {
					t.Errorf("took %s, want %s", took, tc.want)
				}
			})
		})
	}
}

// TestUnsafeTarget checks that a target that replaces objects demands that the old primary is down.
func TestUnsafeTarget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		view := w.target.View()
		view.Overwrites = true
		c := w.open(w.dir("copy"), view)
		if _, err := c.Promote(t.Context(), false); !errors.Is(err, follow.ErrUnsafe) {
			t.Errorf("got %v, want ErrUnsafe", err)
		}
		_, err := c.Promote(t.Context(), true)
		check(t, err)
	})
}
