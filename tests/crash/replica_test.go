package crash

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/internal/control"
	"svc/internal/replica"
	"svc/internal/replica/format"
)

// every is the interval at which primaries in the mode async ship changes. look is the interval at which standbys look for
// them.
const (
	every = 200 * time.Millisecond
	look  = 100 * time.Millisecond
)

// TestKilledPrimary repeatedly kills a server that replicates to a target that is slow, fails and comes back. After about
// half of the kills, the server starts again with its data. It must have everything that it has acknowledged, and it must
// not make a new snapshot. Otherwise the machine is lost, and a new standby is promoted. In the mode sync, the standby
// must have everything that was acknowledged. In the mode async, it may lack only what was acknowledged within the interval
// of shipping and an upload before the kill, or since the target last worked. After each kill, the chain of segments must
// be intact, with each change once. SVC_LONG=1 kills more often.
func TestKilledPrimary(t *testing.T) {
	t.Parallel()
	worlds, rounds := 1, 2
	if os.Getenv("SVC_LONG") != "" {
		worlds, rounds = 20, 10 // short histories, because a verification reads the whole history
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for i, mode := range []string{"sync", "async"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			var total figures
			t.Run("worlds", func(t *testing.T) {
				for n := range worlds {
					t.Run(fmt.Sprint(n), func(t *testing.T) {
						t.Parallel()
						s := newReplicated(t, mode, seed+uint64(2*n+i), &total)
						s.verify(t, always)
						for range rounds {
							s.round(t)
						}
						s.stop(t)
					})
				}
			})
			t.Log(total.String())
		})
	}
}

// figures describes a run of a test.
type figures struct {
	kills, early, promotions, requests, uploads, segments atomic.Int64
	losses, oldest                                        atomic.Int64 // promotions that have lost something; the age of the oldest loss, in nanoseconds
}

func (f *figures) String() string {
	return fmt.Sprintf("%d kills under load, %d while a process began, %d promotions; %d requests to the server, %d to the target; "+
		"%d segments; %d promotions have lost changes, the oldest of them %v old",
		f.kills.Load(), f.early.Load(), f.promotions.Load(), f.requests.Load(), f.uploads.Load(), f.segments.Load(),
		f.losses.Load(), time.Duration(f.oldest.Load()).Round(time.Millisecond))
}

// replicated holds a primary, the target of its replica, and the state of its clients.
type replicated struct {
	world   *world
	dir     string
	mode    string
	flags   []string // additional flags of servers
	target  *unreliable
	from    string // the target, as the primary sees it
	total   *figures
	copies  int       // number of standbys that were promoted
	begun   time.Time // of the clock of the world
	chain   chain
	primary *process
	client  *client
	shipped moment // everything acknowledged before is at the target
}

// newReplicated starts a primary.
func newReplicated(t *testing.T, mode string, seed uint64, total *figures, flags ...string) *replicated {
	t.Helper()
	s := &replicated{dir: keepOnFailure(t), mode: mode, flags: flags, total: total, begun: time.Now()}
	s.world = newWorld(seed, func() moment { return s.at(time.Now()) })
	dir := filepath.Join(s.dir, "target")
	check(t, os.Mkdir(dir, 0o700))
	s.target = &unreliable{bucket: newBucket(t, dir), dir: dir, stalls: &stalls{begun: time.Now()}, random: rand.New(rand.NewPCG(seed, 20))}
	s.target.stalls.measure(t, s.dir)
	s.chain.dir = dir
	server := httptest.NewServer(s.target)
	t.Cleanup(server.Close)
	s.from = "s3://replica?region=here&path_style=true&endpoint=" + url.QueryEscape(server.URL)
	if mode == "async" {
		s.world.pause = 15 * time.Millisecond
	}
	s.launch(t, "serve")
	return s
}

// at converts a time to one of the clock of the world.
func (s *replicated) at(now time.Time) moment { return moment(now.Sub(s.begun)) + 1 }

// data returns the data directory of the current primary.
func (s *replicated) data() string { return filepath.Join(s.dir, fmt.Sprint("data", s.copies)) }

// program returns a command that runs svc with the credentials of the target.
func (s *replicated) program(as string, args ...string) *exec.Cmd {
	c := program(as, args...)
	c.Env = append(c.Env, "SVC_REPLICATE_USER=user", "SVC_REPLICATE_PASSWORD=password")
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

// start starts a server or a standby on a directory.
func (s *replicated) start(t *testing.T, command, data string) *process {
	t.Helper()
	args := append([]string{command, "--data", data, "--listen", "127.0.0.1:0", "--replicate-mode", s.mode,
		"--replicate-every", every.String(), "--replicate-sync-timeout", "1m"}, s.flags...)
	if command == "serve" {
		args = append(args, "--replicate-to", s.from)
	} else {
		args = append(args, "--from", s.from, "--every", look.String())
	}
	return launch(t, s.program(aServer, args...), filepath.Join(s.dir, "server.log"))
}

// launch starts the primary, or a standby that becomes it, and waits until it responds.
func (s *replicated) launch(t *testing.T, command string) {
	t.Helper()
	s.primary = s.start(t, command, s.data())
	s.client = newClient(s.url(t, s.primary), "")
}

func (s *replicated) url(t *testing.T, p *process) string {
	t.Helper()
	url, err := p.ready()
	check(t, err)
	return url
}

// interrupt starts a server, a standby or a command that becomes one, and kills it after a short time.
func (s *replicated) interrupt(t *testing.T, command string) {
	t.Helper()
	p := s.start(t, command, s.data())
	pause(p, within(s.world.random, 400*time.Millisecond))
	p.kill()
	s.total.early.Add(1)
}

// verify waits until the primary has shipped everything, and verifies its content. Writes that were acknowledged after the
// time sure may be missing.
func (s *replicated) verify(t *testing.T, sure moment) *findings {
	t.Helper()
	s.await(t)
	c, err := s.world.connect(strings.TrimSuffix(s.client.base, "/api/v1"))
	check(t, err)
	f, err := s.world.verifyLoss(c, sure, always)
	check(t, err)
	s.world.settle(f, true)
	s.client, s.shipped = c, s.at(time.Now())
	s.await(t)
	return f
}

// await waits until the target has a snapshot and all changes. No writes may be in progress.
func (s *replicated) await(t *testing.T) {
	t.Helper()
	eventually(t, "the primary has shipped everything", func() error {
		is := statusOf(t, s.data())
		if is.Role != replica.RolePrimary || is.Shipped != is.Position || is.LastSnapshot == 0 {
			return fmt.Errorf("status %+v", is)
		}
		if got := exchange(t, s.client, "POST", "/public/none/feedbacks", "{}"); got.outcome != "" {
			return fmt.Errorf("a write gets %+v", got) // in the mode sync, until it has noticed that everything is shipped
		}
		return nil
	})
}

// statusOf returns the status of the replication of the server on a directory.
func statusOf(t *testing.T, data string) (is replica.Status) {
	t.Helper()
	client := control.Client(data)
	defer client.CloseIdleConnections()
	answer, err := client.Get(control.BaseURL + "/control/replication")
	check(t, err)
	check(t, errors.Join(json.NewDecoder(answer.Body).Decode(&is), answer.Body.Close()))
	return is
}

// eventually waits until a condition returns no error.
func eventually(t *testing.T, what string, condition func() error) {
	t.Helper()
	for end := time.Now().Add(patience); ; <-time.After(10 * time.Millisecond) {
		err := condition()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: not within %v: %v", what, patience, err)
		}
	}
}

// round kills the primary under load, and verifies the primary after it.
func (s *replicated) round(t *testing.T) {
	t.Helper()
	random := s.world.random
	before := s.target.snapshots(t)
	s.target.forget()
	s.target.fail(true)
	clients := s.world.loading(s.client, 1+random.IntN(60))
	asked := random.IntN(5) == 0
	if asked { // it is probably not complete before the kill
		go func() {
			client := control.Client(s.data())
			defer client.CloseIdleConnections()
			if answer, err := client.Post(control.BaseURL+"/control/replication/snapshot", "", http.NoBody); err == nil {
				_ = answer.Body.Close()
			}
		}()
	}
	check(t, clients.work(s.primary, random))
	if s.mode == "async" {
		pause(s.primary, within(random, 1500*time.Millisecond))
	}
	killed := time.Now()
	sure := s.target.sure(killed)
	s.primary.end()
	check(t, clients.wait(s.primary))
	s.target.fail(false)
	s.total.kills.Add(1)
	s.total.requests.Add(clients.steps.Load())
	s.target.active.Wait()
	s.intact(t)
	lost := random.IntN(2) == 0
	if lost {
		s.promote(t)
	} else {
		if asked {
			before = s.target.snapshots(t)
		}
		for random.IntN(4) == 0 {
			s.interrupt(t, "serve")
		}
		s.launch(t, "serve")
	}
	end := always
	if lost && s.mode == "async" {
		end = max(s.shipped, s.at(sure))
	}
	if end < always {
		t.Logf("killed at %v; the target must have everything until %v", time.Duration(s.at(killed)), time.Duration(end))
	}
	f := s.verify(t, end)
	if f.oldest > 0 {
		s.total.losses.Add(1)
		s.total.oldest.Store(max(s.total.oldest.Load(), int64(s.at(killed)-f.oldest)))
	}
	if after := s.target.snapshots(t); !lost && !slices.Equal(before, after) {
		t.Fatalf("the kill has cost a snapshot: %v, before %v", after, before)
	}
}

// promote makes a standby in a new directory the primary. The standby, or the command that promotes it, may be killed
// repeatedly before that.
func (s *replicated) promote(t *testing.T) {
	t.Helper()
	random := s.world.random
	s.copies++
	s.total.promotions.Add(1)
	for random.IntN(3) == 0 {
		s.interrupt(t, "standby")
	}
	s.launch(t, "standby")
	if random.IntN(2) == 0 { // the standby becomes the primary while it runs
		_, err := s.run("promote", "--data", s.data())
		check(t, err)
		return
	}
	check(t, s.primary.stop(patience))
	for random.IntN(2) == 0 {
		p := launch(t, s.program(aServer, "promote", "--data", s.data()), filepath.Join(s.dir, "server.log"))
		pause(p, within(random, 200*time.Millisecond))
		p.kill()
		s.total.early.Add(1)
	}
	if _, err := os.Stat(filepath.Join(s.data(), "standby.json")); err == nil {
		_, err := s.run("promote", "--data", s.data())
		check(t, err)
	}
	s.launch(t, "serve")
}

// verified is a part of the output of svc replicate verify.
type verified struct {
	Gaps int
	digests
}

// digests is the output of svc check --digest.
type digests struct {
	Position uint64
	Records  string `json:"svc.db"`
	Events   string `json:"events.db"`
}

// intact verifies the replica and its chain.
func (s *replicated) intact(t *testing.T) (v verified) {
	t.Helper()
	out, err := s.run("replicate", "verify", "--json", "--from", "file://"+filepath.ToSlash(s.target.dir))
	check(t, err)
	check(t, json.Unmarshal(out, &v))
	if v.Gaps > 0 {
		t.Fatalf("the log has %d gaps", v.Gaps)
	}
	check(t, s.chain.follow())
	return v
}

// stop stops the primary, and compares its data with the replica.
func (s *replicated) stop(t *testing.T) {
	t.Helper()
	check(t, s.primary.stop(patience))
	want := s.intact(t)
	if got := s.digest(t, s.data()); got != want.digests {
		t.Fatalf("the primary is %+v, its replica %+v", got, want.digests)
	}
	check(t, checkData(s.data()))
	s.total.uploads.Add(int64(s.target.requests))
	s.total.segments.Add(int64(s.chain.segments))
}

// digest returns the digests of a data directory.
func (s *replicated) digest(t *testing.T, data string) (d digests) {
	t.Helper()
	out, err := s.run("check", "--digest", "--json", "--data", data)
	check(t, err)
	check(t, json.Unmarshal(out, &d))
	return d
}

// chain reads the segments of a replica, each of them once.
type chain struct {
	dir      string
	segments int
	epoch    uint32
	number   uint64 // of the last segment in the epoch
	position uint64 // at which it ends
	before   format.Sum
}

// follow reads the segments that have been stored since the last call. Each must continue the one before it.
func (c *chain) follow() error {
	if c.epoch == 0 {
		c.epoch = 1
	}
	for {
		segment, err := os.ReadFile(filepath.Join(c.dir, filepath.FromSlash(format.SegmentName(c.epoch, c.number+1))))
		if errors.Is(err, fs.ErrNotExist) {
			entered, err := c.enter()
			if err != nil || !entered {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		h, _, err := format.Open(segment)
		switch {
		case err != nil:
			return err
		case c.segments > 0 && (h.Before != c.before || h.After != c.position):
			return fmt.Errorf("segment %d of epoch %d begins after position %d, the one before it ends at %d", h.Number, h.Epoch, h.After, c.position)
		}
		c.segments++
		c.number, c.position, c.before = h.Number, h.Last, format.SumOf(segment)
	}
}

// enter enters the next epoch, if there is one. The epoch before must end as its cut describes.
func (c *chain) enter() (entered bool, err error) {
	text, err := os.ReadFile(filepath.Join(c.dir, filepath.FromSlash(format.CutName(c.epoch+1))))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	cut, err := format.Decode[format.Cut](text)
	if err == nil && (cut.Epoch != c.epoch || cut.Segment != c.number) {
		err = fmt.Errorf("epoch %d continues segment %d of epoch %d, want segment %d of epoch %d", c.epoch+1, cut.Segment, cut.Epoch, c.number, c.epoch)
	}
	c.epoch, c.number, c.position = c.epoch+1, 0, max(c.position, cut.Position)
	return err == nil, err
}
