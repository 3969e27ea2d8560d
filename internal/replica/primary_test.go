package replica_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/fault"
	"svc/internal/replica"
	"svc/internal/replica/format"
	"svc/internal/replica/target/targettest"
)

// isRestored fails unless the newest state of the replica has exactly the texts of the server.
func isRestored(t *testing.T, m *targettest.Memory, want []string) {
	t.Helper()
	got, position, err := restored(m)
	if err != nil {
		t.Fatal(err)
	}
	if at, err := historyEnd(t.Context(), m); err != nil || at != position {
		t.Errorf("the history of the replica ends at %d, error %v; want %d", at, err, position)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the replica has %q, want %q", got, want)
	}
}

func hasSnapshot(s *server) func() bool {
	return func() bool { return s.Status().LastSnapshot > 0 }
}

func shippedAll(s *server) func() bool {
	return func() bool { return s.Status().Shipped >= s.spool.Position() }
}

func TestShips(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := targettest.NewMemory()
		s := start(t, t.TempDir(), "one", m.View(), []string{"old"}, positions{})
		wait(t, "the first snapshot", hasSnapshot(s))
		isRestored(t, m, []string{"old"})
		for i := range 3 {
			s.write(t, number("a", i))
		}
		wait(t, "shipping", shippedAll(s))
		isRestored(t, m, []string{"old", "a-0", "a-1", "a-2"})
		texts, at := s.end(t)

		s = start(t, s.dir, "one", m.View(), texts, at)
		s.write(t, "b")
		texts, _ = s.end(t)
		isRestored(t, m, texts)
		if e := m.Objects()[format.EpochName(2)]; e != nil {
			t.Errorf("a restart has begun the epoch %s", e)
		}
		if n := strings.Count(strings.Join(names(m), " "), "manifest"); n != 1 {
			t.Errorf("%d snapshots after a restart, want the first one only", n)
		}
	})
}

func names(m *targettest.Memory) (names []string) {
	for name := range m.Objects() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// TestCost counts the requests of an idle primary and of one that is never idle.
func TestCost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := targettest.NewMemory()
		s := start(t, t.TempDir(), "one", m.View(), nil, positions{})
		wait(t, "the first snapshot", hasSnapshot(s))
		synctest.Wait() // for the end of the deletions after it
		before := s.Counters()
		time.Sleep(24*time.Hour - time.Minute) //nolint:forbidigo // by the fake clock of synctest: before the snapshot, and the daily test whether the target replaces objects
		after := s.Counters()
		if n := after.Requests["replace"] - before.Requests["replace"]; n < 1430 || n > 1440 {
			t.Errorf("an idle day has %d PUTs, want 1,440", n)
		}
		if n := after.Requests["open"] - before.Requests["open"]; n < 8600 || n > 8640 {
			t.Errorf("an idle day has %d GETs, want 8,640", n)
		}
		if after.Requests["create"] != before.Requests["create"] || after.Requests["list"] != before.Requests["list"] {
			t.Errorf("an idle day has other requests: %v, before %v", after.Requests, before.Requests)
		}
		if got := s.Status().RequestsDay; got < 9000 || got > 10100 {
			t.Errorf("requests_day is %d, want about 10,080", got)
		}
		if age := s.Status().SnapshotAge; age != 0 {
			t.Errorf("the age of a snapshot of unchanged data is %g intervals", age)
		}

		before = s.Counters()
		for range 600 {
			s.write(t, "x")
			time.Sleep(time.Second) //nolint:forbidigo // by the fake clock of synctest
		}
		if age := s.Status().SnapshotAge; age <= 0 {
			t.Errorf("the age of a snapshot without the last changes is %g intervals", age)
		}
		after = s.Counters()
		if n := after.Requests["create"] - before.Requests["create"]; n < 595 || n > 605 {
			t.Errorf("10 busy minutes have %d segments, want 600", n)
		}
		if n := after.Requests["open"] - before.Requests["open"]; n < 595 || n > 620 {
			t.Errorf("10 busy minutes have %d GETs, want 600 and a few for the daily snapshot", n)
		}
		s.end(t)
	})
}

// TestContinuousLoad confirms writes in the mode sync, of which some arrive during each upload. The primary must make
// snapshots nevertheless.
func TestContinuousLoad(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := targettest.NewMemory()
		view := m.View()
		view.Before = func(context.Context, targettest.Call) error {
			time.Sleep(100 * time.Millisecond) //nolint:forbidigo // by the fake clock of synctest
			return nil
		}
		s := start(t, t.TempDir(), "one", view, nil, positions{}, inSync)
		wait(t, "the first snapshot", func() bool { return hasSnapshot(s)() && s.Admit() == nil })
		writing, stop := context.WithCancel(t.Context())
		var writers sync.WaitGroup
		for i := range 10 {
			writers.Go(func() {
				for j := 0; writing.Err() == nil; j++ {
					s.write(t, number(number("a", i), j))
					if err := s.Confirm(t.Context()); err != nil {
						t.Error(err)
					}
					time.Sleep(time.Duration(10+i) * time.Millisecond) //nolint:forbidigo // by the fake clock of synctest
				}
			})
		}
		time.Sleep(10 * time.Second) //nolint:forbidigo // by the fake clock of synctest
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if err := s.Snapshot(ctx); err != nil {
			t.Errorf("snapshot: %v", err)
		}
		stop()
		writers.Wait()
		texts, _ := s.end(t)
		isRestored(t, m, texts)
	})
}

var errDown = errors.New("the target is down")

// TestTargetDown cuts a primary off, and lets it come back.
func TestTargetDown(t *testing.T) {
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
		down.Store(true)
		begun := time.Now()
		s := start(t, t.TempDir(), "one", view, nil, positions{})
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("the start took %v", took)
		}
		s.write(t, "a")
		if err := s.Admit(); err != nil {
			t.Errorf("async refuses a write: %v", err)
		}
		time.Sleep(time.Hour) //nolint:forbidigo // by the fake clock of synctest
		if got := s.Status(); got.Failure != errDown.Error() || got.FailingSince != begun.Unix() || got.LagSeconds < 3599 {
			t.Errorf("status %+v", got)
		}
		if n := s.Counters().Failures["open"]; n < 360 || n > 380 {
			t.Errorf("%d attempts in an hour, want one in 10 s", n)
		}
		down.Store(false)
		wait(t, "the first snapshot", hasSnapshot(s))
		wait(t, "shipping", shippedAll(s))
		if got := s.Status(); got.Failure != "" || got.FailingSince != 0 || got.LagSeconds != 0 {
			t.Errorf("status %+v after the target is back", got)
		}
		s.end(t)
		isRestored(t, m, []string{"a"})
	})
}

// TestEvery writes continuously while uploads take long. There must be one segment per interval, and a change must be at
// the target after an interval and an upload.
func TestEvery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const upload, pause = 400 * time.Millisecond, 10 * time.Millisecond
		m := targettest.NewMemory()
		view := m.View()
		view.Before = func(_ context.Context, c targettest.Call) error {
			if c.Operation == "Create" {
				<-time.After(upload)
			}
			return nil
		}
		s := start(t, t.TempDir(), "one", view, nil, positions{})
		wait(t, "the first snapshot", hasSnapshot(s))
		begun := time.Now()
		for n := range 1000 {
			s.write(t, number("a", n))
			<-time.After(pause)
			if late := n - int((time.Second+upload)/pause) - 2; late >= 0 && s.Status().Shipped <= uint64(late) {
				t.Errorf("after %v, the target has %d of %d changes", time.Since(begun), s.Status().Shipped, n+1)
				break
			}
		}
		segments := 0
		for name := range m.Objects() {
			if strings.HasPrefix(name, format.LogFolder(1)+"/") {
				segments++
			}
		}
		if segments < 9 || segments > 11 {
			t.Errorf("there are %d segments after 10 s, want one per second", segments)
		}
		s.end(t)
	})
}

// TestStopAfterWrite stops the primary when a write has just woken it. It must ship the write at once.
func TestStopAfterWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := targettest.NewMemory()
		var texts []string
		dir, at := t.TempDir(), positions{}
		for n := range 20 {
			s := start(t, dir, "one", m.View(), texts, at)
			s.write(t, number("a", n))
			wait(t, "shipping", func() bool { return hasSnapshot(s)() && shippedAll(s)() })
			s.write(t, number("b", n))
			begun := time.Now()
			texts, at = s.end(t)
			if took := time.Since(begun); took > 0 {
				t.Errorf("the stop took %v", took)
			}
		}
		isRestored(t, m, texts)
	})
}

// TestSilentTarget has a target that accepts a request and never answers it.
func TestSilentTarget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int64
		view := targettest.NewMemory().View()
		view.Before = func(ctx context.Context, _ targettest.Call) error {
			if requests.Add(1) > 1 {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}
		begun := time.Now()
		s := start(t, t.TempDir(), "one", view, nil, positions{})
		wait(t, "the failure", func() bool { return s.Status().Failure != "" })
		if text := s.Status().Failure; !strings.Contains(text, "no answer within 30s") {
			t.Errorf("failure %q", text)
		}
		wait(t, "the first snapshot", hasSnapshot(s))
		if took := time.Since(begun); took > 35*time.Second {
			t.Errorf("the next request was sent after %v", took)
		}
		s.end(t)
	})
}

// TestSync has writes wait for the target, and latch when it does not answer.
func TestSync(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := targettest.NewMemory()
		view := m.View()
		var down atomic.Bool
		view.Before = func(ctx context.Context, _ targettest.Call) error {
			if down.Load() {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}
		s := start(t, t.TempDir(), "one", view, nil, positions{}, inSync)
		wait(t, "the first snapshot", func() bool { return s.Admit() == nil })
		s.write(t, "a")
		begun := time.Now()
		if err := s.Confirm(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took >= time.Second {
			t.Errorf("a waiting write took %v; it must not wait for replicate.every", took)
		}
		isRestored(t, m, []string{"a"})

		down.Store(true)
		s.write(t, "b")
		begun = time.Now()
		err := s.Confirm(t.Context())
		if took := time.Since(begun); took != 10*time.Second {
			t.Errorf("the write waited %v, want 10s", took)
		}
		isRefused(t, err, 5*time.Second, fault.OutcomeUnknown)
		isRefused(t, s.Admit(), 5*time.Second, fault.OutcomeNone)
		down.Store(false)
		wait(t, "the end of the latch", func() bool { return s.Admit() == nil })
		isRestored(t, m, []string{"a", "b"})
		s.end(t)
	})
}

func isRefused(t *testing.T, err error, after time.Duration, outcome fault.Outcome) {
	t.Helper()
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != fault.Unavailable || f.RetryAfter != after || f.Changed != outcome {
		t.Errorf("got %#v, want Unavailable with %v and %q", err, after, outcome)
	}
}

// TestFenced begins another epoch while a primary works.
func TestFenced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := targettest.NewMemory()
		s := start(t, t.TempDir(), "one", m.View(), nil, positions{})
		wait(t, "the first snapshot", hasSnapshot(s))
		s.write(t, "a")
		wait(t, "shipping", shippedAll(s))
		cut := format.Cut{Format: format.Version, Epoch: 1, Segment: 1, SHA256: strings.Repeat("0", 64), Position: s.Status().Shipped}
		m.Set(format.EpochName(2), format.Encode(format.Epoch{Format: format.Version, Number: 2, Owner: "other", Name: "two"}))
		m.Set(format.CutName(2), format.Encode(cut))
		wait(t, "the fence of an idle primary", func() bool { return s.Status().Fenced })
		s.write(t, "only here")
		isRefused(t, s.Admit(), 0, fault.OutcomeNone)
		if err := s.Admit(); err == nil || !strings.Contains(err.Error(), "two") {
			t.Errorf("%v does not name the new primary", err)
		}
		texts, at := s.end(t)
		s = start(t, s.dir, "one", m.View(), texts, at)
		isRefused(t, s.Admit(), 0, fault.OutcomeNone)
		wait(t, "the end of the common history", func() bool { return s.Status().DiffersAfter != nil })
		if got := s.Status(); *got.DiffersAfter != cut.Position || got.Position <= cut.Position {
			t.Errorf("position %d differs after %v, want after %d", got.Position, got.DiffersAfter, cut.Position)
		}
		s.end(t)
	})
}

func TestOtherData(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := targettest.NewMemory()
		one := start(t, t.TempDir(), "one", m.View(), nil, positions{})
		wait(t, "the first snapshot", hasSnapshot(one))
		one.end(t)
		before := m.Objects()
		s := start(t, t.TempDir(), "two", m.View(), nil, positions{}, func(c *replica.Config) { c.Data = "other" })
		s.write(t, "a")
		time.Sleep(time.Hour) //nolint:forbidigo // by the fake clock of synctest
		if got := s.Status().Failure; !strings.Contains(got, "of other data") {
			t.Errorf("failure %q", got)
		}
		if len(m.Objects()) != len(before) {
			t.Errorf("a replica of other data was changed: %q", names(m))
		}
		s.end(t)
	})
}

// TestCreateOnly starts primaries on a target that replaces objects.
func TestCreateOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		view := targettest.NewMemory().View()
		view.Overwrites = true
		s := open(t, t.TempDir(), "one", nil, positions{})
		if _, err := s.start(t, view, inSync); !errors.Is(err, replica.ErrCreateOnly) {
			t.Errorf("sync started with error %v, want ErrCreateOnly", err)
		}
		p, err := s.start(t, view)
		if err != nil {
			t.Fatal(err)
		}
		s.Primary = p
		if s.Status().CreateOnly {
			t.Error("the status says that the target honours create-only")
		}
		wait(t, "the first snapshot", hasSnapshot(s))
		s.end(t)
	})
}
