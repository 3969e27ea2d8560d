package replica_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/replica"
	"svc/internal/replica/format"
	"svc/internal/replica/target/targettest"
)

// TestRestartAtEachStep ends a server after each request to the target, with the request lost or only its answer, and
// starts it again. The replica must have every change once, in one epoch.
func TestRestartAtEachStep(t *testing.T) {
	t.Parallel()
	for _, lost := range []string{"request", "answer"} {
		for last, done := int64(1), false; !done; last++ {
			synctest.Test(t, func(t *testing.T) {
				m := targettest.NewMemory()
				view := m.View()
				var calls atomic.Int64
				view.Before = func(context.Context, targettest.Call) error {
					if n := calls.Add(1); n > last || n == last && lost == "request" {
						return errDown
					}
					return nil
				}
				view.After = func(context.Context, targettest.Call) error {
					if calls.Load() >= last {
						return errDown
					}
					return nil
				}
				s := start(t, t.TempDir(), "one", view, []string{"old"}, positions{})
				for i := range 3 {
					s.write(t, number("a", i))
					time.Sleep(1500 * time.Millisecond) //nolint:forbidigo // by the fake clock of synctest
				}
				done = calls.Load() < last
				texts, at := s.kill(t)
				s = start(t, s.dir, "one", m.View(), texts, at)
				s.write(t, "b")
				wait(t, "the first snapshot", hasSnapshot(s))
				texts, _ = s.end(t)
				isRestored(t, m, texts)
				if m.Objects()[format.EpochName(2)] != nil {
					t.Error("the restart has begun another epoch")
				}
				if s.Status().Fenced {
					t.Error("the restart has fenced the server")
				}
				if t.Failed() {
					t.Errorf("ended after %d requests, %s lost", last, lost)
					done = true
				}
			})
		}
	}
}

// TestTwoPrimaries starts a copy of the directory of a primary elsewhere. One of them must stop.
func TestTwoPrimaries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := targettest.NewMemory()
		one := start(t, t.TempDir(), "one", m.View(), nil, positions{})
		wait(t, "the first snapshot", hasSnapshot(one))
		texts, at := one.end(t)
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(one.dir)); err != nil {
			t.Fatal(err)
		}
		one = start(t, one.dir, "one", m.View(), texts, at, inSync)
		two := start(t, dir, "two", m.View(), texts, at, inSync)
		one.write(t, "first")
		if err := one.Confirm(t.Context()); err != nil {
			t.Fatal(err)
		}
		two.write(t, "second")
		if err := two.Confirm(t.Context()); err == nil || !two.Status().Fenced || one.Status().Fenced {
			t.Errorf("the second primary confirmed with %v; fenced: %v, and the first one %v",
				err, two.Status().Fenced, one.Status().Fenced)
		}
		texts, _ = one.end(t)
		two.kill(t)
		isRestored(t, m, texts)
	})
}

// TestGap drops the spool while the target is down.
func TestGap(t *testing.T) {
	t.Parallel()
	for _, mode := range []settings{func(*replica.Config) {}, inSync} {
		synctest.Test(t, func(t *testing.T) {
			m := targettest.NewMemory()
			view := m.View()
			var down atomic.Bool
			view.Before = func(_ context.Context, c targettest.Call) error {
				if down.Load() {
					return errDown
				}
				if strings.HasPrefix(c.Name, format.Snapshots+"/") {
					<-time.After(time.Second)
				}
				return nil
			}
			s := start(t, t.TempDir(), "one", view, []string{"old"}, positions{}, mode)
			wait(t, "the first snapshot", hasSnapshot(s))
			s.write(t, "a")
			wait(t, "shipping", shippedAll(s))
			down.Store(true)
			s.write(t, "b")
			s.spool.Drop("it is full")
			s.write(t, "c")
			time.Sleep(time.Minute) //nolint:forbidigo // by the fake clock of synctest
			down.Store(false)
			wait(t, "a snapshot after the gap", func() bool { return s.Status().Shipped >= s.spool.Position() && s.Admit() == nil })
			isRestored(t, m, []string{"old", "a", "b", "c"})
			s.write(t, "d")
			if err := s.Confirm(t.Context()); err != nil {
				t.Error(err)
			}
			texts, at := s.end(t)
			isRestored(t, m, []string{"old", "a", "b", "c", "d"})
			s = start(t, s.dir, "one", view, texts, at, mode)
			s.write(t, "e")
			texts, _ = s.end(t)
			isRestored(t, m, texts)
		})
	}
}

// TestSlowRetention has a target that takes a minute to list old snapshots. Writes must be accepted before that.
func TestSlowRetention(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		view := targettest.NewMemory().View()
		view.Before = func(_ context.Context, c targettest.Call) error {
			if c.Operation == "List" && c.Name == format.Snapshots {
				<-time.After(time.Minute)
			}
			return nil
		}
		begun := time.Now()
		s := start(t, t.TempDir(), "one", view, nil, positions{}, inSync)
		wait(t, "the first snapshot", func() bool { return s.Admit() == nil })
		if took := time.Since(begun); took > time.Second {
			t.Errorf("writes were refused for %v", took)
		}
		s.end(t)
	})
}

// TestWithoutState starts a primary that has lost its directory. It begins a new epoch.
func TestWithoutState(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := targettest.NewMemory()
		s := start(t, t.TempDir(), "one", m.View(), nil, positions{})
		wait(t, "the first snapshot", hasSnapshot(s))
		for i := range 3 {
			s.write(t, number("a", i))
			wait(t, "shipping", shippedAll(s))
		}
		texts, at := s.end(t)
		s = start(t, t.TempDir(), "one", m.View(), append(texts, "not recorded"), at)
		wait(t, "a snapshot in the new epoch", hasSnapshot(s))
		s.write(t, "b")
		texts, _ = s.end(t)
		isRestored(t, m, texts)
		cut, err := format.Decode[format.Cut](m.Objects()[format.CutName(2)])
		if err != nil || cut.Epoch != 1 || cut.Segment != 3 {
			t.Errorf("the epoch begins with %+v, %v; want segment 3 of epoch 1", cut, err)
		}
	})
}

// TestStateRemoved removes the state of a primary that another one has fenced. Changes in its spool must not continue the
// history of the other one.
func TestStateRemoved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := targettest.NewMemory()
		one := start(t, t.TempDir(), "one", m.View(), nil, positions{})
		wait(t, "the first snapshot", hasSnapshot(one))
		common, at := one.end(t)
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(one.dir)); err != nil {
			t.Fatal(err)
		}
		one = start(t, one.dir, "one", m.View(), common, at)
		one.write(t, "of one")
		wait(t, "shipping", shippedAll(one))
		history, _ := one.end(t)
		two := start(t, dir, "two", m.View(), common, at)
		two.write(t, "of two")
		wait(t, "fencing", func() bool { return two.Status().Fenced })
		texts, at := two.kill(t)
		if err := os.Remove(filepath.Join(dir, "state.json")); err != nil {
			t.Fatal(err)
		}

		view := m.View()
		begun, hold := make(chan struct{}), make(chan struct{})
		begin := sync.OnceFunc(func() { close(begun) })
		view.Before = func(_ context.Context, c targettest.Call) error {
			if c.Operation == "Create" && strings.HasPrefix(c.Name, format.Snapshots+"/") {
				begin()
				<-hold
			}
			return nil
		}
		two = start(t, dir, "two", view, texts, at)
		<-begun
		two.write(t, "more of two")
		time.Sleep(time.Minute) //nolint:forbidigo // by the fake clock of synctest
		// The log has a gap until the snapshot is complete, which restored can report.
		if got, _, err := restored(m); err == nil && !slices.Equal(got, history) {
			t.Errorf("the replica has %q, want %q or a gap", got, history)
		}
		close(hold)
		wait(t, "a snapshot in the new epoch", hasSnapshot(two))
		texts, at = two.end(t)
		isRestored(t, m, texts)
		two = start(t, dir, "two", m.View(), texts, at)
		if two.spool.Gap() {
			t.Error("the changes do not continue after a restart")
		}
		two.write(t, "last")
		texts, _ = two.end(t)
		isRestored(t, m, texts)
	})
}

// TestSnapshots checks when snapshots are made and what is deleted afterwards.
func TestSnapshots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := targettest.NewMemory()
		m.Set("ours/not", []byte("x"))
		s := start(t, t.TempDir(), "one", m.View(), []string{strings.Repeat("x", 250)}, positions{}, func(c *replica.Config) {
			c.SnapshotEvery, c.Retain, c.PartSize = time.Hour, 3*time.Hour, 100
		})
		wait(t, "the first snapshot", hasSnapshot(s))
		if got := folder(m, format.Snapshots); len(got) != 4 {
			t.Errorf("the snapshot is %q, want three parts and the manifest", got)
		}
		time.Sleep(3 * time.Hour) //nolint:forbidigo // by the fake clock of synctest
		if n := manifests(m); n != 1 {
			t.Errorf("%d snapshots of a server that does not change, want 1", n)
		}
		for i := range 10 {
			s.write(t, number("a", i))
			time.Sleep(time.Hour) //nolint:forbidigo // by the fake clock of synctest
		}
		if n := manifests(m); n < 4 || n > 6 { // those of the last three hours, and the one before
			t.Errorf("%d snapshots, one in an hour, with 3 hours kept; want 4 to 6", n)
		}
		if n := len(folder(m, format.Log)); n < 3 || n > 6 {
			t.Errorf("%d segments are left, want those since the oldest snapshot", n)
		}
		before := s.Status().LastSnapshot
		s.write(t, "b")
		if err := s.Snapshot(t.Context()); err != nil || s.Status().LastSnapshot <= before {
			t.Errorf("a snapshot on demand: error %v, time %d after %d", err, s.Status().LastSnapshot, before)
		}
		if err := s.Snapshot(t.Context()); err != nil {
			t.Errorf("another one without a change: %v", err)
		}
		texts, _ := s.end(t)
		isRestored(t, m, texts)
		if m.Objects()["ours/not"] == nil {
			t.Error("an object that is not of the replica was deleted")
		}
	})
}

// TestInterruptedSnapshot checks that the parts of a snapshot without a manifest are deleted after the next snapshot.
func TestInterruptedSnapshot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := targettest.NewMemory()
		s := start(t, t.TempDir(), "one", m.View(), nil, positions{})
		wait(t, "the first snapshot", hasSnapshot(s))
		left := []string{format.PartName(s.spool.Position()+1, 1), format.PartName(s.spool.Position()+1, 2)}
		others := []string{format.PartName(s.spool.Position()+100, 1), format.Snapshots + "/2/000001"}
		for _, name := range append(left, others...) {
			m.Set(name, []byte("x"))
		}
		for range 3 {
			s.write(t, "a")
		}
		if err := s.Snapshot(t.Context()); err != nil {
			t.Error(err)
		}
		s.end(t)
		objects := m.Objects()
		if objects[left[0]] != nil || objects[left[1]] != nil {
			t.Error("the parts of an interrupted snapshot are still there")
		}
		if objects[others[0]] == nil || objects[others[1]] == nil || manifests(m) != 2 {
			t.Error("other objects were deleted")
		}
	})
}

// TestClockSetBack makes a snapshot that contains a change from before the clock was set back.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := targettest.NewMemory()
		var s *server
		var write atomic.Bool
		s = start(t, t.TempDir(), "one", m.View(), nil, positions{}, func(c *replica.Config) {
			archive := c.Archive
			c.Archive = func(ctx context.Context, to io.Writer, recipients []string, imaged func() error) error {
				if write.Load() {
					s.write(t, "a") // it is not at the target when the images are taken
				}
				return archive(ctx, to, recipients, imaged)
			}
		})
		wait(t, "the first snapshot", hasSnapshot(s))
		ahead := time.Now().Add(time.Hour).UnixMilli()
		if _, err := s.spool.Resume(ahead); err != nil { // the time of the next change, as of a clock that is ahead
			t.Fatal(err)
		}
		write.Store(true)
		if err := s.Snapshot(t.Context()); err != nil {
			t.Fatal(err)
		}
		position := s.Status().Shipped
		s.end(t)
		snapshot, err := format.Decode[format.Manifest](m.Objects()[format.ManifestName(position)])
		if err != nil || snapshot.Time < ahead {
			t.Errorf("the snapshot has the time %d, error %v; it contains a change at %d", snapshot.Time, err, ahead)
		}
	})
}

func folder(m *targettest.Memory, folder string) []string {
	return slices.DeleteFunc(names(m), func(name string) bool { return !strings.HasPrefix(name, folder+"/") })
}

func manifests(m *targettest.Memory) (n int) {
	for _, name := range folder(m, format.Snapshots) {
		if strings.HasSuffix(name, "/manifest") {
			n++
		}
	}
	return n
}

// TestContents copies the contents of local files, and deletes them when no restore needs them.
func TestContents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := targettest.NewMemory()
		dir := t.TempDir()
		sum := sha256.Sum256([]byte("content"))
		name := hex.EncodeToString(sum[:])
		if err := os.WriteFile(filepath.Join(dir, name), []byte("content"), 0o600); err != nil {
			t.Fatal(err)
		}
		gone, damaged, unreadable := strings.Repeat("0", 64), strings.Repeat("1", 64), strings.Repeat("2", 64)
		if err := os.WriteFile(filepath.Join(dir, damaged), []byte("other"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(dir, unreadable), 0o700); err != nil {
			t.Fatal(err)
		}
		var deleted atomic.Bool
		contents := &replica.Contents{
			List: func() ([]string, error) {
				if deleted.Load() {
					return nil, nil
				}
				return []string{gone, damaged, unreadable, name}, nil
			},
			Open: func(sum string) (*os.File, error) { return os.Open(filepath.Join(dir, sum)) },
		}
		s := start(t, t.TempDir(), "one", m.View(), nil, positions{}, func(c *replica.Config) { c.Contents = contents })
		stored := func() bool { return string(m.Objects()[format.ContentName(name)]) == "content" }
		wait(t, "the content", stored)
		for _, sum := range []string{gone, damaged, unreadable} {
			if m.Objects()[format.ContentName(sum)] != nil {
				t.Errorf("a content that is not %s was stored under this name", sum)
			}
		}
		deleted.Store(true)
		time.Sleep(6 * 24 * time.Hour) //nolint:forbidigo // by the fake clock of synctest
		if !stored() {
			t.Error("a content that a restore can need was deleted")
		}
		time.Sleep(25 * time.Hour) //nolint:forbidigo // by the fake clock of synctest
		if stored() {
			t.Error("a content that no restore needs is still there")
		}
		s.end(t)
	})
}

// TestLease refuses writes when the epoch has not been read for as long as the lease.
func TestLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := targettest.NewMemory()
		view := m.View()
		var down atomic.Bool
		view.Before = func(context.Context, targettest.Call) error {
			if down.Load() {
				return errDown
			}
			return nil
		}
		s := start(t, t.TempDir(), "one", view, nil, positions{}, func(c *replica.Config) { c.Lease = time.Minute })
		wait(t, "the first snapshot", hasSnapshot(s))
		time.Sleep(time.Hour) //nolint:forbidigo // by the fake clock of synctest
		if err := s.Admit(); err != nil {
			t.Errorf("an idle primary refuses a write: %v", err)
		}
		if c, err := format.Decode[format.Contact](m.Objects()[format.PrimaryName]); err != nil || c.Lease != 60_000 {
			t.Errorf("the last contact is %+v, %v; want the lease", c, err)
		}
		down.Store(true)
		time.Sleep(40 * time.Second) //nolint:forbidigo // by the fake clock of synctest
		if err := s.Admit(); err != nil {
			t.Errorf("a write within the lease is refused: %v", err)
		}
		time.Sleep(20 * time.Second) //nolint:forbidigo // by the fake clock of synctest
		if err := s.Admit(); err == nil {
			t.Error("a write is accepted after the lease")
		}
		down.Store(false)
		wait(t, "the lease", func() bool { return s.Admit() == nil })
		s.end(t)
	})
}

// TestLeaseWhileSuspended sets the wall clock forward, as it is after the machine was suspended. The monotonic clock does
// not count that time.
func TestLeaseWhileSuspended(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var suspended atomic.Int64
		s := start(t, t.TempDir(), "one", targettest.NewMemory().View(), nil, positions{}, func(c *replica.Config) {
			c.Lease = time.Minute
			c.Now = func() time.Time { return time.Now().Add(time.Duration(suspended.Load())) }
		})
		wait(t, "the first snapshot", hasSnapshot(s))
		if err := s.Admit(); err != nil {
			t.Errorf("before: %v", err)
		}
		suspended.Store(int64(time.Hour))
		if err := s.Admit(); err == nil {
			t.Error("a write is accepted before the epoch is read again")
		}
		wait(t, "the epoch to be read again", func() bool { return s.Admit() == nil })
		s.end(t)
	})
}

// TestShortestLease has an idle primary with the shortest lease, which must accept a write at any moment.
func TestShortestLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t, t.TempDir(), "one", targettest.NewMemory().View(), nil, positions{}, func(c *replica.Config) { c.Lease = 10 * time.Second })
		wait(t, "the first snapshot", hasSnapshot(s))
		for begun := time.Now(); time.Since(begun) < time.Minute; <-time.After(100 * time.Millisecond) {
			if err := s.Admit(); err != nil {
				t.Errorf("a write after %v: %v", time.Since(begun), err)
				break
			}
		}
		s.end(t)
	})
}

// TestSnapshotFails makes the copy of the databases fail.
func TestSnapshotFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := targettest.NewMemory()
		var s *server
		failed := errors.New("no space")
		var fail atomic.Bool
		fail.Store(true)
		s = open(t, t.TempDir(), "one", nil, positions{})
		p, err := s.start(t, m.View(), func(c *replica.Config) {
			archive := c.Archive
			c.Archive = func(ctx context.Context, to io.Writer, recipients []string, imaged func() error) error {
				if fail.Load() {
					return failed
				}
				return archive(ctx, to, recipients, imaged)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Primary = p
		if err := s.Snapshot(t.Context()); !errors.Is(err, failed) {
			t.Errorf("a snapshot that fails returns %v", err)
		}
		fail.Store(false)
		wait(t, "the next attempt", hasSnapshot(s))
		s.end(t)
	})
}
