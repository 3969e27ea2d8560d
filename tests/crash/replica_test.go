package crash

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/internal/files/storage/storagetest"
)

// TestKilledPrimary repeatedly kills a server that replicates in the mode sync to a target that is slow, fails and comes
// back. After half of the kills, the server starts again with its data; it must not need a new snapshot. Otherwise the
// machine is lost, and a new standby is promoted. Either must have all acknowledged data, and the chain of segments must
// be intact. It runs only with SVC_LONG=1.
func TestKilledPrimary(t *testing.T) {
	t.Parallel()
	if os.Getenv("SVC_LONG") == "" {
		t.Skip("takes several minutes: set SVC_LONG=1")
	}
	const rounds, most = 200, 60
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var now atomic.Int64
	s := &replicated{
		world: newWorld(seed, func() moment { return moment(now.Add(1)) }), dir: keepOnFailure(t), most: most,
		target: &unreliable{random: rand.New(rand.NewPCG(seed, 20))},
	}
	s.target.dir = filepath.Join(s.dir, "target", "replica")
	check(t, os.MkdirAll(s.target.dir, 0o700))
	s.target.dav = storagetest.Handler(filepath.Dir(s.target.dir))
	server := httptest.NewServer(s.target)
	t.Cleanup(server.Close)
	s.url = "webdav+" + server.URL + "/replica"
	for round := range rounds {
		s.round(t, round%2 == 1)
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	s.stop(t)
	t.Logf("%d kills, %d promotions; %d requests to the server, %d to the target", rounds, s.copies, s.steps, s.target.requests)
}

// replicated holds a primary, the target of its replica, and the state of its clients.
type replicated struct {
	world  *world
	dir    string
	target *unreliable
	url    string // of the target
	most   int    // maximum number of requests between two starts
	copies int    // number of standbys that were promoted
	steps  int64
}

// data returns the data directory of the current primary.
func (s *replicated) data() string { return filepath.Join(s.dir, fmt.Sprint("data", s.copies)) }

// program returns a command that runs svc with the credentials of the target.
func (s *replicated) program(as string, args ...string) *exec.Cmd {
	c := program(as, args...)
	c.Env = append(c.Env, "SVC_REPLICATE_USER="+storagetest.User, "SVC_REPLICATE_PASSWORD="+storagetest.Password)
	return c
}

// run runs a command to completion and returns its standard output.
func (s *replicated) run(args ...string) ([]byte, error) {
	var out, failure bytes.Buffer
	c := s.program(aCommand, args...)
	c.Stdout, c.Stderr = &out, &failure
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("svc %s: %w\n%s%s", strings.Join(args, " "), err, &out, &failure)
	}
	return out.Bytes(), nil
}

func (s *replicated) launch(t *testing.T, args ...string) *process {
	t.Helper()
	args = append(args, "--data", s.data(), "--listen", "127.0.0.1:0")
	return launch(t, s.program(aServer, args...), filepath.Join(s.dir, "server.log"))
}

// round starts the primary, verifies its content, and kills it under load. If the machine is lost, a new standby takes
// over.
func (s *replicated) round(t *testing.T, lost bool) {
	t.Helper()
	p, c := s.whole(t)
	clients := s.world.loading(c, 1+s.world.random.IntN(s.most))
	s.target.fail(true)
	check(t, clients.work(p, s.world.random))
	p.end()
	check(t, clients.wait(p))
	s.steps += clients.steps.Load()
	s.target.fail(false)
	_, err := s.run("replicate", "verify", "--from", s.url)
	check(t, err)
	if lost {
		s.promote(t)
		return
	}
	before := s.target.snapshots(t)
	p, _ = s.whole(t)
	check(t, p.stop(patience))
	if after := s.target.snapshots(t); !slices.Equal(before, after) {
		t.Errorf("the kill has cost a snapshot: %v, before %v", after, before)
	}
}

// whole starts the primary, waits until it accepts writes, and verifies its content.
func (s *replicated) whole(t *testing.T) (*process, *client) {
	t.Helper()
	p := s.launch(t, "serve", "--replicate-to", s.url, "--replicate-mode", "sync", "--replicate-every", "100ms",
		"--replicate-sync-timeout", "1m")
	url, err := p.ready()
	check(t, err)
	s.await(t, "has shipped everything", func(is status) bool { return is.Shipped == is.Position && is.LastSnapshot > 0 })
	c, err := s.world.connect(url)
	check(t, err)
	f, err := s.world.verify(c, always)
	check(t, err)
	s.world.settle(f, true)
	check(t, checkData(s.data()))
	return p, c
}

// stop verifies the primary a last time and stops it.
func (s *replicated) stop(t *testing.T) {
	t.Helper()
	p, _ := s.whole(t)
	check(t, p.stop(patience))
	_, err := s.run("replicate", "verify", "--from", s.url)
	check(t, err)
}

// promote starts a standby in a new directory, which becomes the primary.
func (s *replicated) promote(t *testing.T) {
	t.Helper()
	s.copies++
	p := s.launch(t, "standby", "--from", s.url)
	_, err := p.ready()
	check(t, err)
	_, err = s.run("promote", "--data", s.data())
	check(t, err)
	check(t, p.stop(patience))
}

// status is a part of the output of svc replicate status.
type status struct {
	Position, Shipped uint64
	LastSnapshot      int64 `json:"last_snapshot"`
}

// await waits until the status of the replication satisfies the condition.
func (s *replicated) await(t *testing.T, what string, satisfied func(status) bool) {
	t.Helper()
	for end := time.Now().Add(patience); ; {
		out, err := s.run("replicate", "status", "--json", "--data", s.data())
		check(t, err)
		var is status
		check(t, json.Unmarshal(out, &is))
		if satisfied(is) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the primary never %s: %s", what, out)
		}
	}
}

// unreliable is a WebDAV server. While it fails, some of its answers are late, lost or 503, and at times it fails for
// many requests in a row.
type unreliable struct {
	dir string
	dav http.Handler

	mu       sync.Mutex // guards the following fields
	random   *rand.Rand
	failing  bool
	down     int // number of requests that fail next
	requests int
}

// The failures of a request.
const (
	intact      = iota
	busy        // it is answered with 503
	unheard     // the connection ends before it has an effect
	unconfirmed // the connection ends after it has had its effect
)

func (u *unreliable) fail(failing bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.failing, u.down = failing, 0
}

// fate returns what happens to the next request, and its delay.
func (u *unreliable) fate() (failure int, delay time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.requests++
	if !u.failing {
		return intact, 0
	}
	if u.down == 0 && u.random.IntN(100) == 0 {
		u.down = u.random.IntN(4)
	}
	if u.down > 0 {
		u.down--
		return 1 + u.random.IntN(unconfirmed), 0
	}
	return intact, within(u.random, 20*time.Millisecond)
}

// ServeHTTP answers a request, or fails to.
func (u *unreliable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	failure, delay := u.fate()
	<-time.After(delay)
	switch failure {
	case busy:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case unheard:
		panic(http.ErrAbortHandler)
	case unconfirmed:
		u.dav.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	}
	u.dav.ServeHTTP(w, r)
}

// snapshots returns the names of the complete snapshots.
func (u *unreliable) snapshots(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(u.dir, "snapshot", "*", "manifest"))
	check(t, err)
	found := map[string]bool{}
	for _, name := range list {
		found[filepath.Base(filepath.Dir(name))] = true
	}
	return slices.Sorted(maps.Keys(found))
}
