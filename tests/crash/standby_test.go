package crash

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// refusal describes the response to a request: its status, and the headers that only refused writes have.
type refusal struct {
	status         int
	outcome, retry string
}

// exchange sends a request with the token of a client, and returns how it was answered.
func exchange(t *testing.T, c *client, method, path, body string) refusal {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, c.base+path, strings.NewReader(body))
	check(t, err)
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := c.http.Do(r)
	check(t, err)
	_, err = io.Copy(io.Discard, answer.Body)
	check(t, errors.Join(err, answer.Body.Close()))
	return refusal{answer.StatusCode, answer.Header.Get("X-Svc-Outcome"), answer.Header.Get("Retry-After")}
}

// makeProject creates a project.
func makeProject(t *testing.T, c *client, key string) refusal {
	t.Helper()
	return exchange(t, c, "POST", projects.list, fmt.Sprintf(`{"project_key": %q, "name": %[1]q}`, key))
}

// begin logs in at the primary, and waits until it has a complete replica.
func (s *replicated) begin(t *testing.T) {
	t.Helper()
	check(t, s.client.logIn())
	s.await(t)
}

// accepts waits until the primary accepts a project.
func (s *replicated) accepts(t *testing.T, key string) {
	t.Helper()
	eventually(t, "the primary accepts writes again", func() error {
		if got := makeProject(t, s.client, key); got.status != http.StatusCreated {
			return fmt.Errorf("got %+v", got)
		}
		return nil
	})
}

// has reports whether a server has a project.
func has(t *testing.T, c *client, key string) bool {
	t.Helper()
	return exchange(t, c, "GET", projects.list+"/"+key, "").status == http.StatusOK
}

// TestSilentTarget has a target that does not answer in the mode sync.
func TestSilentTarget(t *testing.T) {
	t.Parallel()
	s := newReplicated(t, "sync", 1, &figures{}, "--replicate-sync-timeout", "1s")
	s.begin(t)
	s.accepts(t, "before")
	end := s.target.silence()
	if got := makeProject(t, s.client, "first"); got != (refusal{503, "unknown", "5"}) {
		t.Errorf("the first write got %+v", got)
	}
	if got := makeProject(t, s.client, "second"); got != (refusal{503, "none", "5"}) {
		t.Errorf("the second write got %+v", got)
	}
	if !has(t, s.client, "first") || has(t, s.client, "second") {
		t.Error("the primary must have the first write, and not the second one")
	}
	end()
	s.accepts(t, "after")
	s.stop(t)
}

// TestLostLease has a target that fails for as long as the lease.
func TestLostLease(t *testing.T) {
	t.Parallel()
	s := newReplicated(t, "async", 1, &figures{}, "--replicate-lease", "10s")
	s.begin(t)
	end := s.target.silence()
	begun := time.Now()
	var got refusal
	for n := 0; got.status != http.StatusServiceUnavailable && time.Since(begun) < patience; n++ {
		got = makeProject(t, s.client, fmt.Sprint("p", n))
		pause(s.primary, 50*time.Millisecond)
	}
	if took := time.Since(begun); got != (refusal{503, "none", "5"}) || took < 5*time.Second || took > 15*time.Second {
		t.Errorf("after %v, a write got %+v", took, got)
	}
	end()
	s.accepts(t, "after")
	s.stop(t)
}

// TestDroppedSpool has a target that is silent until the primary drops its spool. A standby must begin again with the
// next snapshot.
func TestDroppedSpool(t *testing.T) {
	t.Parallel()
	s := newReplicated(t, "async", 1, &figures{}, "--replicate-spool-max", "16m")
	s.begin(t)
	s.accepts(t, "before")
	s.await(t)
	copied, data := s.follow(t)
	end := s.target.silence()
	before := s.target.snapshots(t)
	text := strings.Repeat("text ", 12_000)
	for size := 0; size < 20<<20; size += len(text) { // a change contains the whole record
		path := projects.list + "/before/versions"
		body := fmt.Sprintf(`{"version": "1.%d.0", "comparable_version": "1.%[1]d.0", "content": %q}`, size, text)
		if got := exchange(t, s.client, "POST", path, body); got.status != http.StatusCreated {
			t.Fatalf("got %+v", got)
		}
	}
	end()
	s.await(t)
	if after := s.target.snapshots(t); len(after) <= len(before) {
		t.Errorf("the primary has the snapshots %v, before %v", after, before)
	}
	s.equal(t, copied, data)
}

// follow starts a standby, and returns it with its directory.
func (s *replicated) follow(t *testing.T) (p *process, data string) {
	t.Helper()
	data = filepath.Join(s.dir, "copy")
	p = s.start(t, "standby", data)
	s.url(t, p)
	return p, data
}

// equal stops the primary and waits until a standby has everything. Both must have the same content.
func (s *replicated) equal(t *testing.T, copied *process, data string) {
	t.Helper()
	check(t, s.primary.stop(patience))
	want := s.digest(t, s.data())
	eventually(t, "the standby has everything", func() error {
		select {
		case <-copied.exited:
			t.Fatalf("the standby ended: %s", &copied.lines)
		default:
		}
		if got := s.digest(t, data); got.Position != want.Position {
			return fmt.Errorf("position %d, want %d", got.Position, want.Position)
		}
		return nil
	})
	check(t, copied.stop(patience))
	if got := s.digest(t, data); got != want {
		t.Errorf("the standby is %+v, the primary %+v", got, want)
	}
	check(t, checkData(data))
}

// TestKilledStandby repeatedly kills a standby while the primary is under load, also while it begins with a snapshot. It
// must continue each time, and not lag behind for longer than the intervals of both and two seconds.
func TestKilledStandby(t *testing.T) {
	t.Parallel()
	kills := 2
	if os.Getenv("SVC_LONG") != "" {
		kills = 60
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	s := newReplicated(t, "async", seed, &figures{})
	s.world.pause = 20 * time.Millisecond
	s.verify(t, always)
	clients := s.world.loading(s.client, 1)
	data := filepath.Join(s.dir, "copy")
	for range kills {
		p := s.start(t, "standby", data)
		pause(p, within(s.world.random, time.Second))
		p.kill()
	}
	copied, data := s.follow(t)
	lag := time.Duration(0)
	for range 5 {
		at := statusOf(t, s.data()).Position
		written := time.Now()
		eventually(t, "the standby has a change", func() error {
			if is := statusOf(t, data); is.Position < at {
				return fmt.Errorf("position %d, want %d", is.Position, at)
			}
			return nil
		})
		lag = max(lag, time.Since(written))
	}
	t.Logf("%d kills; the longest of 5 lags was %v", kills, lag.Round(time.Millisecond))
	if lag > every+look+2*time.Second {
		t.Errorf("the standby is %v behind", lag)
	}
	check(t, s.primary.stop(patience))
	check(t, clients.wait(s.primary))
	s.equal(t, copied, data)
}

// TestKilledPromotion promotes two standbys of a lost primary at the same time, and kills the commands at random times.
// Afterwards, each command must succeed or report that the other one was first. Of all three servers, exactly one may
// accept a write.
func TestKilledPromotion(t *testing.T) {
	t.Parallel()
	rounds := 1
	if os.Getenv("SVC_LONG") != "" {
		rounds = 40
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 30))
	kills := 0
	for range rounds {
		s := newReplicated(t, "sync", seed, &figures{})
		s.begin(t)
		s.accepts(t, "before")
		s.primary.kill()
		directories := []string{s.data(), filepath.Join(s.dir, "a"), filepath.Join(s.dir, "b")}
		for _, data := range directories[1:] {
			p := s.start(t, "standby", data)
			s.url(t, p)
			check(t, p.stop(patience))
		}
		for range 1 + random.IntN(3) {
			var running sync.WaitGroup
			for _, data := range directories[1:] {
				p := launch(t, s.program(aServer, "promote", "--data", data), filepath.Join(s.dir, "server.log"))
				wait := within(random, 250*time.Millisecond)
				kills++
				running.Go(func() {
					pause(p, wait)
					p.kill()
				})
			}
			running.Wait()
		}
		s.onePrimary(t, directories)
	}
	t.Logf("%d kills", kills)
}

// onePrimary promotes all standbys, and verifies that one of the servers is the primary.
func (s *replicated) onePrimary(t *testing.T, directories []string) {
	t.Helper()
	var last string
	for _, data := range directories[1:] {
		_, err := os.Stat(filepath.Join(data, "standby.json"))
		if err != nil {
			continue // promoted already
		}
		var failure bytes.Buffer
		c := s.program(aCommand, "promote", "--data", data)
		c.Stderr = &failure
		if err := c.Run(); err != nil && !strings.Contains(failure.String(), "another") {
			t.Errorf("promote: %v\n%s", err, &failure)
		}
		last = failure.String()
	}
	accepted := 0
	for n, data := range directories {
		if _, err := os.Stat(filepath.Join(data, "standby.json")); err == nil {
			continue // it accepts no writes
		}
		p := s.start(t, "serve", data)
		c := newClient(s.url(t, p), "")
		if c.logIn() == nil {
			if got := makeProject(t, c, fmt.Sprint("new", n)); got.status == http.StatusCreated {
				accepted++
			}
			if !has(t, c, "before") {
				t.Errorf("%s has lost what was acknowledged", data)
			}
		}
		defer p.kill()
	}
	if accepted != 1 {
		t.Errorf("%d servers accept writes, want 1; %s", accepted, last)
	}
}
