package follow_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/replica"
	"svc/internal/replica/follow"
	"svc/internal/replica/format"
	"svc/internal/replica/history"
	"svc/internal/replica/target"
	"svc/internal/replica/target/targettest"
)

// pace is how fast the servers of a race work, and how long its steps take.
type pace struct {
	every       time.Duration // interval of segments, and of looking for them
	syncTimeout time.Duration
	lease       time.Duration // of the races with a lease
	write       time.Duration // between two texts of a server
	delay, late time.Duration // see network
	loss        int           // see link; for the old primary, and less than half as much for the standbys
	before      time.Duration // longest time before the old primary is cut off
	cut         time.Duration // longest time for which it is cut off
	apart       time.Duration // longest time between the promotions
	after       time.Duration // for which both primaries write after the promotions
	patience    time.Duration // until every server but one must be fenced
	slack       time.Duration // between the answer to a request and its consequences
}

// fakePace is the pace by the fake clock of synctest.
var fakePace = pace{
	every: time.Second, syncTimeout: 3 * time.Second, lease: 4 * time.Second, write: 90 * time.Millisecond,
	delay: 300 * time.Millisecond, late: 8 * time.Second, loss: 25, before: 4 * time.Second, cut: 8 * time.Second,
	apart: time.Second, after: 30 * time.Second, patience: 10 * time.Minute,
}

// race is a promotion of two standbys while the old primary is alive and goes on writing.
type race struct {
	pace
	sync   bool
	lease  bool
	random *random
	net    *network
	dir    string
	// client opens the target for one server.
	client func() target.Target
	// The targets as the old primary and those that want to become the new one see them.
	old, new func(target.Target) target.Target

	log      logs
	mu       sync.Mutex // guards the fields below
	links    map[*server]*link
	acked    map[*server][]entry // texts of which a client was told that they are stored
	problems []string
}

// logs collects what the servers of a race log.
type logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logs) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (r *race) problem(text string, values ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problems = append(r.problems, fmt.Sprintf(text, values...))
}

// check notes an error that must not happen.
func (r *race) check(what string, err error) (ok bool) {
	if err != nil {
		r.problem("%s: %v", what, err)
	}
	return err == nil
}

func (r *race) config() replica.Config {
	c := replica.Config{
		Sync: r.sync, SyncTimeout: r.syncTimeout, Log: slog.New(slog.NewTextHandler(&r.log, nil)),
		Tunable: replica.Tunable{Every: r.every, SnapshotEvery: 24 * time.Hour, Retain: 7 * 24 * time.Hour},
	}
	if r.lease {
		c.Lease = r.pace.lease
	}
	return c
}

// serve starts a server that becomes part of the race.
func (r *race) serve(name, dir string, to target.Target, l *link) *server {
	s, err := serve(dir, name, to, r.config())
	if !r.check("start "+name, err) {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.links[s] = l
	return s
}

// write makes clients write to a server until ctx ends. The server is killed and started again before the given text.
func (r *race) write(ctx context.Context, s *server, killed int) {
	for i := 0; ctx.Err() == nil; i++ {
		text := fmt.Sprintf("%s-%d", s.name, i)
		e, accepted, err := s.accept(text)
		if !r.check("write to "+s.name, err) {
			return
		}
		if i == killed {
			r.check("restart "+s.name, s.restart())
		} else if accepted && s.replication().Confirm(ctx) == nil {
			e.acked = time.Now()
			r.mu.Lock()
			r.acked[s] = append(r.acked[s], e)
			r.mu.Unlock()
		}
		_ = pause(ctx, r.pace.write)
	}
}

// promote promotes a standby. It returns nil if another one was first.
func (r *race) promote(ctx context.Context, name string, s *standby, to target.Target, l *link) *server {
	for range 1000 {
		p, err := s.Promote(ctx, false)
		switch {
		case errors.Is(err, follow.ErrTaken):
			return nil
		case err == nil:
			reason, err := s.end()
			if reason != nil && !errors.Is(reason, follow.ErrPromoted) && !errors.Is(reason, context.Canceled) {
				r.problem("%s followed until %v", name, reason)
			}
			if !r.check("close "+name, err) || !r.check("finish "+name, s.Finish()) {
				return nil
			}
			r.config().Log.Info("promoted", "server", name, "epoch", p.Epoch, "position", p.Position)
			return r.serve(name, s.config.Data, to, l)
		case errors.Is(err, follow.ErrNeedsSnapshot) || r.random.below(8) == 0: // it begins again, or is killed
			if !r.again(ctx, name, s) {
				return nil
			}
		default:
			_ = pause(ctx, r.every/10)
		}
	}
	r.problem("%s was never promoted", name)
	return nil
}

// again ends a standby and starts it again.
func (r *race) again(ctx context.Context, name string, s *standby) (ok bool) {
	reason, err := s.end()
	if errors.Is(reason, follow.ErrNeedsSnapshot) {
		err = errors.Join(err, s.Restart())
	}
	return r.check("end "+name, err) && r.begin(ctx, name, s)
}

// begin starts a standby. It tries again while the target does not answer.
func (r *race) begin(ctx context.Context, name string, s *standby) (ok bool) {
	for range 1000 {
		err := s.start(ctx)
		if err == nil || errors.Is(err, follow.ErrOther) {
			return r.check("start standby "+name, err)
		}
		_ = pause(ctx, r.every/10)
	}
	r.problem("standby %s never starts", name)
	return false
}

// until waits for a condition, for a limited time.
func (r *race) until(limit time.Duration, condition func() bool) (ok bool) {
	for begun := time.Now(); time.Since(begun) < limit; {
		if condition() {
			return true
		}
		_ = pause(context.Background(), r.every/20)
	}
	return condition()
}

// run runs the race and returns what is wrong afterwards.
func (r *race) run(ctx context.Context) []string {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.links, r.acked = map[*server]*link{}, map[*server][]entry{}
	defer r.net.behind.Wait()
	dir := filepath.Join(r.dir, "old")
	if !r.check("create", create(dir)) {
		return r.problems
	}
	view := r.net.link(r.client(), r.loss)
	old := r.serve("old", dir, r.old(view), view)
	if old == nil || !r.until(10*time.Minute, func() bool { return old.replication().Status().LastSnapshot > 0 }) {
		r.problem("there is no first snapshot")
		return r.problems
	}
	writing, stop := context.WithCancel(ctx)
	defer stop()
	var writers sync.WaitGroup
	killed := -1
	if r.random.below(3) == 0 {
		killed = r.random.below(int((r.before + r.after) / r.pace.write))
	}
	writers.Go(func() { r.write(writing, old, killed) })
	all, losers := r.promotions(ctx, view, func(s *server) { writers.Go(func() { r.write(writing, s, -1) }) })
	all = append(all, old)
	_ = pause(ctx, r.after)
	var left []*server
	r.until(r.patience, func() bool {
		left = slices.DeleteFunc(slices.Clone(all), func(s *server) bool { return s.replication().Status().Fenced })
		return len(left) == 1
	})
	stop()
	writers.Wait()
	if len(left) != 1 || left[0] == old {
		r.problem("%d of %d servers are not fenced, the old one: %v", len(left), len(all), !old.replication().Status().Fenced)
		for _, s := range left {
			r.problem("%s: %+v", s.name, s.replication().Status())
		}
	} else if !r.until(r.patience, left[0].shippedAll) {
		r.problem("the changes of %s are not shipped: %+v", left[0].name, left[0].replication().Status())
	}
	for name, s := range losers {
		r.follows(ctx, name, s, left)
	}
	r.net.behind.Wait()
	for _, s := range all {
		r.check("end "+s.name, s.kill())
	}
	r.compare(ctx, all, left, losers)
	return r.problems
}

// promotions promotes two standbys while the old primary may be cut off.
func (r *race) promotions(ctx context.Context, old *link, promoted func(*server)) (all []*server, losers map[string]*standby) {
	var standbys sync.WaitGroup
	var mu sync.Mutex
	losers = map[string]*standby{}
	before, apart := r.random.upTo(r.before), []time.Duration{r.random.upTo(r.apart), r.random.upTo(r.apart)}
	if r.random.below(2) == 0 {
		cut := r.random.upTo(r.cut)
		time.AfterFunc(before, func() {
			old.cut.Store(true)
			time.AfterFunc(cut, func() { old.cut.Store(false) })
		})
	}
	for i, apart := range apart {
		name := fmt.Sprint("new", i)
		view := r.net.link(r.client(), 5*r.loss/2)
		to := r.new(view)
		s := &standby{config: follow.Config{
			Target: target.Count(to), Address: "test", Data: filepath.Join(r.dir, name), Every: r.every, Host: name,
			Log: slog.New(slog.NewTextHandler(&r.log, nil)).With("standby", name),
		}}
		standbys.Go(func() {
			begun := time.Now()
			if !r.begin(ctx, name, s) {
				return
			}
			_ = pause(ctx, time.Until(begun.Add(before+apart)))
			next := r.promote(ctx, name, s, to, view)
			mu.Lock()
			defer mu.Unlock()
			if next == nil {
				losers[name] = s
				return
			}
			all = append(all, next)
			promoted(next)
		})
	}
	standbys.Wait()
	return all, losers
}

// follows checks that a standby that was not promoted follows the primary that is left.
func (r *race) follows(ctx context.Context, name string, s *standby, left []*server) {
	if len(left) == 1 && !r.until(r.patience, func() bool {
		select {
		case reason := <-s.ended:
			s.ended <- reason
			if !errors.Is(reason, follow.ErrNeedsSnapshot) || !r.again(ctx, name, s) {
				r.problem("standby %s followed until %v", name, reason)
				return true
			}
		default:
		}
		return s.Status().Position >= left[0].position()
	}) {
		r.problem("standby %s does not reach the position %d: %+v", name, left[0].position(), s.Status())
	}
	_, err := s.end()
	r.check("close "+name, err)
}

// compare compares what the servers have and what their clients know with the replica.
func (r *race) compare(ctx context.Context, all, left []*server, losers map[string]*standby) {
	if len(left) != 1 {
		return
	}
	last := left[0]
	want, err := digests(last.dir)
	if !r.check("digests of "+last.name, err) {
		return
	}
	dirs := map[string]string{}
	for name, s := range losers {
		dirs[name] = s.config.Data
	}
	h, err := history.Read(ctx, r.client())
	if !r.check("read the replica", err) {
		return
	}
	newest := filepath.Join(r.dir, "newest")
	oldest := filepath.Join(r.dir, "oldest") // this has all segments
	for _, dir := range []string{newest, oldest} {
		at, err := restore(ctx, h, dir)
		if r.check("restore", err) && at != last.position() {
			r.problem("the replica ends at position %d, and %s at %d", at, last.name, last.position())
		}
		dirs["the replica "+filepath.Base(dir)] = dir
		h.Snapshots = h.Snapshots[:1]
	}
	for name, dir := range dirs {
		got, err := digests(dir)
		if r.check("digests of "+name, err) && got != want {
			r.problem("%s differs from %s", name, last.name)
		}
	}
	found, err := texts(newest)
	if !r.check("texts", err) {
		return
	}
	kept := map[string]int{}
	for _, text := range found {
		kept[text]++
	}
	for _, s := range all {
		r.compareTexts(s, s == last, kept)
	}
	if r.lease {
		r.compareLeases(all)
	}
}

// restore restores the newest state in a directory, from the newest snapshot of the history.
func restore(ctx context.Context, h *history.History, dir string) (position uint64, err error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return 0, err
	}
	staged, err := h.Stage(ctx, dir, history.Until{})
	if err != nil {
		return 0, err
	}
	_, err = staged.Swap(time.Now())
	if err == nil && staged.Gap != nil {
		err = staged.Gap
	}
	return staged.Position, err
}

// compareTexts compares the texts that a server has accepted with those that were kept. last means that the server is the
// primary at the end of the race.
func (r *race) compareTexts(s *server, last bool, kept map[string]int) {
	lost := false
	for _, e := range s.accepted() {
		n := kept[e.text]
		switch {
		case n > 1:
			r.problem("%s is there %d times", e.text, n)
		case n == 0 && last:
			r.problem("%s is lost, although its server is the primary", e.text)
		case n == 1 && lost:
			r.problem("%s is there, although a text before it is lost", e.text)
		}
		lost = lost || n == 0
	}
	// A server knows of the next epoch with the first answer.
	seen, ever := r.links[s].saw(format.EpochName(s.replication().Status().Epoch + 1))
	for _, e := range r.acked[s] {
		if r.sync && kept[e.text] != 1 {
			r.problem("%s was acknowledged and is there %d times", e.text, kept[e.text])
		}
		if ever && e.begun.After(seen.Add(r.slack)) {
			r.problem("%s was acknowledged %s after the server had seen the next epoch", e.text, e.begun.Sub(seen))
		}
	}
}

// compareLeases checks that no server acknowledges after the first acknowledgement of a server with a later epoch.
func (r *race) compareLeases(all []*server) {
	for _, a := range all {
		for _, b := range all {
			before, after := r.acked[a], r.acked[b]
			if a.replication().Status().Epoch >= b.replication().Status().Epoch || len(before) == 0 || len(after) == 0 {
				continue
			}
			if last, first := before[len(before)-1], after[0]; last.begun.After(first.acked) {
				r.problem("%s was acknowledged %s after %s, in spite of the lease", last.text, last.begun.Sub(first.acked), first.text)
			}
		}
	}
}

func unchanged(t target.Target) target.Target { return t }

// newRace returns a race without planted faults.
func newRace(seed uint64, p pace, inSync bool) *race {
	r := newRandom(seed)
	return &race{
		pace: p, sync: inSync, lease: seed%4 == 3, random: r, old: unchanged, new: unchanged,
		net: &network{delay: p.delay, late: p.late, random: newRandom(r.from.Uint64())},
	}
}

// plant plants a fault in a race.
type plant func(r *race)

// races runs promotion races in memory, and returns what was wrong with the first one that was wrong.
func races(t *testing.T, seeds []uint64, inSync bool, fault plant) (wrong []string) {
	t.Helper()
	for _, seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			r := newRace(seed, fakePace, inSync)
			memory := targettest.NewMemory()
			r.dir, r.client = t.TempDir(), func() target.Target { return memory.View() }
			fault(r)
			if wrong = r.run(t.Context()); len(wrong) > 0 {
				wrong = append(wrong, fmt.Sprintf("race %d, which logged:\n%s", seed, r.log.text.String()))
			}
		})
		if len(wrong) > 0 {
			break
		}
	}
	return wrong
}

// seeds returns numbers for races: long of them with SVC_LONG=1, and otherwise short.
func seeds(short, long int) (all []uint64) {
	if os.Getenv("SVC_LONG") != "" {
		short = long
	}
	for seed := range uint64(short) {
		all = append(all, seed)
	}
	return all
}

// TestRaces promotes two standbys while the old primary is alive, with a target that delays and loses requests and
// answers. In the mode sync, nothing acknowledged is lost. In both, exactly one history remains.
func TestRaces(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"async", "sync"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			if wrong := races(t, seeds(8, 500), mode == "sync", func(*race) {}); len(wrong) > 0 {
				t.Error(strings.Join(wrong, "\n"))
			}
		})
	}
}

// faults contains faults of a primary or a target that the races must find.
var faults = map[string]plant{
	"the old primary does not read the epoch": func(r *race) {
		r.old = func(t target.Target) target.Target { return blind{t} }
	},
	"the target replaces objects": func(r *race) {
		r.new = func(t target.Target) target.Target { return overwriting{t, r.random, 8 * r.late} }
	},
	"the cut is lost": func(r *race) {
		r.new = func(t target.Target) target.Target { return forgetful{t} }
	},
}

// TestRacesFindFaults plants faults that the races must find.
func TestRacesFindFaults(t *testing.T) {
	t.Parallel()
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			isFound(t, races(t, seeds(50, 50), true, func(r *race) {
				r.patience = time.Minute
				fault(r)
			}))
		})
	}
}

func isFound(t *testing.T, wrong []string) {
	t.Helper()
	if len(wrong) == 0 {
		t.Fatal("the races did not find it")
	}
	t.Log(wrong[0])
}
