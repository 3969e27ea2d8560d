package replica_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/replica"
	"svc/internal/replica/format"
	"svc/internal/replica/spool"
	"svc/internal/replica/target"
	"svc/internal/replica/target/targettest"
)

// race is a promotion while the old primary is alive and goes on writing.
type race struct {
	seed   uint64
	sync   bool
	random *rand.Rand
	memory *targettest.Memory
	// The targets as the old primary and those that want to become the new one see them.
	old, new func(target.Target) target.Target
	problems list // with promotions
}

// list collects texts.
type list struct {
	mu    sync.Mutex
	texts []string
}

func (l *list) add(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.texts = append(l.texts, text)
}

var errLost = errors.New("the answer was lost")

// view returns the target with delays, lost requests and lost answers. While cut is set, it does not answer.
func (r *race) view(cut *atomic.Bool) target.Target {
	v := r.memory.View()
	random := rand.New(rand.NewPCG(r.seed, r.random.Uint64()))
	var mu sync.Mutex
	draw := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return random.IntN(n)
	}
	hook := func(ctx context.Context, _ targettest.Call) error {
		timer := time.NewTimer(time.Duration(draw(300)) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		if cut.Load() || draw(20) == 0 {
			return errLost
		}
		return nil
	}
	v.Before, v.After = hook, hook
	return v
}

// run runs the race and returns what is wrong afterwards.
func (r *race) run(t *testing.T) (wrong []string) {
	var cut atomic.Bool
	var acked list // texts of which a client was told that they are stored
	var writers sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	mode := func(c *replica.Config) {
		c.Sync, c.SyncTimeout, c.Log = r.sync, 3*time.Second, nil
	}
	write := func(s *server, pause time.Duration) {
		writers.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				if text := number(s.name, i); s.Admit() == nil {
					s.write(t, text)
					if s.Confirm(ctx) == nil && r.sync {
						acked.add(text)
					}
				}
				time.Sleep(pause) //nolint:forbidigo // by the fake clock of synctest
			}
		})
	}
	one := start(t, t.TempDir(), "one", r.old(r.view(&cut)), nil, positions{}, mode)
	wait(t, "the first snapshot", hasSnapshot(one))
	write(one, 90*time.Millisecond)
	time.Sleep(time.Duration(r.random.IntN(4000)) * time.Millisecond) //nolint:forbidigo // by the fake clock of synctest
	if r.random.IntN(2) == 0 {
		cut.Store(true)
		time.AfterFunc(time.Duration(r.random.IntN(8000))*time.Millisecond, func() { cut.Store(false) })
	}
	var promoting sync.WaitGroup
	servers := make([]*server, 2)
	for i := range servers {
		name := number("new", i)
		view, dir := r.new(r.view(&atomic.Bool{})), t.TempDir()
		after := time.Duration(r.random.IntN(500)) * time.Millisecond
		promoting.Go(func() {
			time.Sleep(after) //nolint:forbidigo // by the fake clock of synctest
			if s := r.becomePrimary(t, view, dir, name, mode); s != nil {
				servers[i] = s
				write(s, 110*time.Millisecond)
			}
		})
	}
	promoting.Wait()
	time.Sleep(30 * time.Second) //nolint:forbidigo // by the fake clock of synctest
	cancel()
	writers.Wait()
	all := append(slices.DeleteFunc(servers, func(s *server) bool { return s == nil }), one)
	var left []*server // those that are not fenced
	for range 600 {
		left = slices.DeleteFunc(slices.Clone(all), func(s *server) bool { return s.Status().Fenced })
		if len(left) == 1 && shippedAll(left[0])() {
			break
		}
		time.Sleep(time.Second) //nolint:forbidigo // by the fake clock of synctest
	}
	if len(left) != 1 || left[0] == one {
		wrong = append(wrong, fmt.Sprintf("%d of %d servers are not fenced, the old one: %v", len(left), len(all), !one.Status().Fenced))
	}
	texts, position, err := restored(r.memory, nil)
	if err != nil {
		wrong = append(wrong, err.Error())
	}
	if at, err := historyEnd(t.Context(), r.memory); err != nil || at != position {
		wrong = append(wrong, fmt.Sprintf("the history of the replica ends at %d, error %v; want %d", at, err, position))
	}
	for _, text := range acked.texts {
		if n := count(texts, text); n != 1 {
			wrong = append(wrong, fmt.Sprintf("%s was acknowledged and is there %d times", text, n))
		}
	}
	for _, s := range left {
		if !slices.Equal(s.texts, texts) {
			wrong = append(wrong, fmt.Sprintf("%s has %q, the replica %q", s.name, s.texts, texts))
		}
	}
	last := -1
	for _, text := range texts { // what the old primary has lost is at its end
		if rest, ok := strings.CutPrefix(text, "one-"); ok {
			var n int
			if _, err := fmt.Sscan(rest, &n); err != nil || n != last+1 && count(one.texts, number("one", last+1)) > 0 {
				wrong = append(wrong, fmt.Sprintf("%s follows one-%d", text, last))
			}
			last = n
		}
	}
	for _, s := range all {
		s.kill(t)
	}
	return append(wrong, r.problems.texts...)
}

func count(texts []string, text string) (n int) {
	for _, other := range texts {
		if other == text {
			n++
		}
	}
	return n
}

// patient repeats lost requests.
type patient struct{ target.Target }

func (p patient) Open(ctx context.Context, name string) (content io.ReadCloser, size int64, err error) {
	for {
		if content, size, err = p.Target.Open(ctx, name); !errors.Is(err, errLost) {
			return content, size, err
		}
	}
}

func (p patient) List(ctx context.Context, folder string, visit func(target.Object) error) error {
	for {
		if err := p.Target.List(ctx, folder, visit); !errors.Is(err, errLost) {
			return err
		}
	}
}

func (p patient) Create(ctx context.Context, name string, content io.ReaderAt, size int64) error {
	for again := false; ; again = true {
		err := p.Target.Create(ctx, name, content, size)
		if errors.Is(err, errLost) {
			continue
		}
		if again && errors.Is(err, target.ErrExists) { // the object may be from the request whose answer was lost
			found, readErr := target.Read(ctx, p, name, format.MaxJSON)
			sent := make([]byte, size)
			if _, err := content.ReadAt(sent, 0); readErr == nil && (err == nil || errors.Is(err, io.EOF)) && bytes.Equal(found, sent) {
				return nil
			}
		}
		return err
	}
}

// becomePrimary promotes a server, which takes over the texts of the replica. It returns nil if another one was first.
func (r *race) becomePrimary(t *testing.T, view target.Target, dir, name string, mode settings) *server {
	done, err := tryPromote(context.Background(), patient{view}, name)
	if errors.Is(err, target.ErrExists) {
		return nil
	}
	if err != nil {
		t.Error(err)
		return nil
	}
	state := done.state
	texts, position, err := restored(r.memory, &done)
	if err != nil || position != state.Position {
		r.problems.add(fmt.Sprintf("%s is promoted at %d and has %d, error %v", name, state.Position, position, err))
		return nil
	}
	if err := state.Write(dir); err != nil {
		t.Error(err)
		return nil
	}
	s := open(t, dir, name, texts, positions{})
	if err := s.spool.Start(position, position, position, state.End); err != nil {
		t.Error(err)
		return nil
	}
	s.records = spool.At{Position: position, Complete: true}
	s.events = s.records
	if s.Primary, err = s.start(t, view, mode); err != nil {
		t.Error(err)
		return nil
	}
	return s
}

// races runs promotion races, and returns what was wrong with the first one that was wrong.
func races(t *testing.T, n int, inSync bool, old, new func(target.Target) target.Target) (wrong []string, seed uint64) {
	t.Helper()
	for seed = range uint64(n) {
		synctest.Test(t, func(t *testing.T) {
			r := &race{
				seed: seed, sync: inSync, random: rand.New(rand.NewPCG(seed, 1)), memory: targettest.NewMemory(), old: old, new: new,
			}
			wrong = r.run(t)
		})
		if len(wrong) > 0 || t.Failed() {
			break
		}
	}
	return wrong, seed
}

func unchanged(t target.Target) target.Target { return t }

// number of races in the short and in the long form.
func raceCount() int {
	if os.Getenv("SVC_LONG") != "" {
		return 500
	}
	return 10
}

// TestRaces promotes a server while the old primary is alive, with a target that loses requests and answers. In the
// mode sync, nothing acknowledged is lost. In both, exactly one history remains.
func TestRaces(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"async", "sync"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			if wrong, seed := races(t, raceCount(), mode == "sync", unchanged, unchanged); len(wrong) > 0 {
				t.Errorf("race %d: %s", seed, strings.Join(wrong, "\n"))
			}
		})
	}
}

// blind never sees a newer epoch.
type blind struct{ target.Target }

func (b blind) Open(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	if strings.HasPrefix(name, format.Epochs+"/") && name != format.EpochName(1) {
		return nil, 0, target.ErrMissing
	}
	return b.Target.Open(ctx, name)
}

// overwriting replaces epochs, cuts and segments that exist.
type overwriting struct {
	target.Target
	random *rand.Rand
}

func (o overwriting) Create(ctx context.Context, name string, content io.ReaderAt, size int64) error {
	if strings.HasPrefix(name, "create-only/") {
		return o.Target.Create(ctx, name, content, size)
	}
	b, err := io.ReadAll(io.NewSectionReader(content, 0, size))
	if err != nil {
		return err
	}
	if strings.HasPrefix(name, format.Epochs+"/") { // a slow request
		time.Sleep(time.Duration(o.random.IntN(6000)) * time.Millisecond) //nolint:forbidigo // by the fake clock of synctest
	}
	return o.Replace(ctx, name, b)
}

// forgetful loses cuts.
type forgetful struct{ target.Target }

func (f forgetful) Create(ctx context.Context, name string, content io.ReaderAt, size int64) error {
	if strings.HasPrefix(name, format.Cuts+"/") {
		return nil
	}
	return f.Target.Create(ctx, name, content, size)
}

// TestRacesFindFaults plants faults that TestRaces must find.
func TestRacesFindFaults(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		old, new func(target.Target) target.Target
	}{
		{"the old primary does not read the epoch", func(t target.Target) target.Target { return blind{t} }, unchanged},
		{"the target replaces objects", unchanged, func(t target.Target) target.Target {
			return overwriting{t, rand.New(rand.NewPCG(rand.Uint64(), 0))}
		}},
		{"the cut is lost", unchanged, func(t target.Target) target.Target { return forgetful{t} }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			wrong, _ := races(t, 50, true, tc.old, tc.new)
			if len(wrong) == 0 {
				t.Error("the races did not find it")
			} else {
				t.Log(wrong[0])
			}
		})
	}
}
