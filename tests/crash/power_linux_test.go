package crash

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPowerCut simulates power failures at random times while a server works on a drive that
// guarantees only synced data. Any part of the other data may survive, in any order. The test
// checks that a server starts with the surviving data and that all acknowledged data exists.
// Everything that holds after a SIGKILL must hold as well. An in-memory file system records the
// server's operations, and strace records a few runs in addition. If the file system cannot be
// mounted, strace records all runs. SVC_LONG=1 tests more failures.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	cuts, requests := 12, 100
	if os.Getenv("SVC_LONG") != "" {
		cuts, requests = 400, 1500
	}
	mounted := false
	t.Run("file system", func(t *testing.T) {
		d, err := mount(t)
		if err != nil {
			t.Skipf("needs a file system of its own: run this as root where there is /dev/fuse, in a container with that device and the capability SYS_ADMIN: %v", err)
		}
		mounted = true
		cutPower(t, d, cuts, requests)
	})
	if mounted {
		cuts, requests = cuts/4, requests/4
	}
	t.Run("strace", func(t *testing.T) {
		d, err := trace(t)
		if err != nil {
			t.Skipf("needs strace: install the package strace, and in a container add the capability SYS_PTRACE: %v", err)
		}
		cutPower(t, d, cuts, requests)
	})
}

// device is a drive that can record its operations while servers use it.
type device struct {
	dir    string
	clock  func() moment           // returns the current time on the clock of the recorded operations
	before func() []string         // returns the command that starts a server; nil if none is needed
	ended  func(killed bool) error // called after a server has ended
	done   func() []operation      // ends the recording and returns the operations
}

// cutPower records servers on a device and simulates the given number of power failures.
func cutPower(t *testing.T, d *device, cuts, requests int) {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	s := record(t, d, seed, requests)
	random := rand.New(rand.NewPCG(seed, 1000))
	drive, at := newDrive(), 0
	for _, end := range s.moments(random, cuts) {
		for ; at < len(s.operations) && s.operations[at].at <= end; at++ {
			drive.do(s.operations[at])
		}
		data, names, torn := fate(random.IntN(int(fates))), fate(random.IntN(int(fates))), random.IntN(2) == 0
		left := drive.cut(random, data, names, torn)
		if err := s.judge(t, left, end); err != nil {
			left.build(t, rootNode, filepath.Join(s.dir, "before-the-start"))
			t.Fatalf("power cut after %d of %d operations, fate of data %d, of names %d, torn %t: %v", at, len(s.operations), data, names, torn, err)
		}
	}
	t.Logf("%d cuts in %d operations", cuts, len(s.operations))
	drive = newDrive() // once more with a drive on which no file is ever synced
	for _, o := range s.operations {
		if o.action != syncFile {
			drive.do(o)
		}
	}
	if err := s.judge(t, drive.cut(random, lost, kept, false), always); err == nil {
		t.Error("nothing was synced and nobody noticed")
	}
}

// recording holds the operations of servers on a drive, and the model of their clients.
type recording struct {
	world      *world
	operations []operation
	dir        string
	cuts       int // power failures so far
}

// record runs three servers in succession on a drive. It kills the first one and stops the second.
// Each server responds to at least the given number of requests while it overwrites free pages.
func record(t *testing.T, d *device, seed uint64, requests int) *recording {
	t.Helper()
	s := &recording{world: newWorld(seed, d.clock), dir: keepOnFailure(t)}
	data, log := filepath.Join(d.dir, "data"), filepath.Join(s.dir, "server.log")
	for n := range 3 {
		var before []string
		if d.before != nil {
			before = d.before()
		}
		p := start(t, data, log, before...)
		url, err := p.ready()
		check(t, err)
		c, err := s.world.connect(url)
		check(t, err)
		f, err := s.world.verify(c, always)
		check(t, err)
		s.world.settle(f, false)
		clients := s.world.loading(c, requests)
		erased := make(chan error, 1)
		go func() {
			err := run("job", "run", "erased-data", "--data", data)
			if err != nil && strings.Contains(err.Error(), "runs already") { // the server has started the job by itself
				err = nil
			}
			erased <- err
		}()
		check(t, clients.work(p, s.world.random))
		check(t, <-erased)
		killed := n != 1
		if killed {
			p.end()
		} else {
			if err := run("reindex", "--data", data); err != nil && !strings.Contains(err.Error(), "already being rebuilt") { // the server has started this by itself after an erasure
				t.Fatal(err)
			}
			check(t, run("compact", "--always", "--data", data))
			check(t, p.stop(patience))
		}
		check(t, clients.wait(p))
		check(t, d.ended(killed))
	}
	s.operations = d.done()
	return s
}

// moments returns n random times in ascending order. Some are arbitrary, some are just after an
// acknowledgement, and some are early.
func (s *recording) moments(random *rand.Rand, n int) []moment {
	acknowledged := []moment{s.world.loggedIn}
	for _, e := range s.world.editors {
		for _, p := range e.projects {
			for _, th := range append([]*thing{p.thing}, p.things...) {
				for _, r := range th.past {
					acknowledged = append(acknowledged, r.done)
				}
			}
		}
	}
	for _, t := range s.world.trackers {
		for _, b := range t.batches {
			acknowledged = append(acknowledged, b.done)
		}
	}
	acknowledged = slices.DeleteFunc(acknowledged, func(m moment) bool { return m == 0 })
	all := make([]moment, n)
	for i := range all {
		switch random.IntN(5) {
		case 0, 1:
			all[i] = s.operations[random.IntN(len(s.operations))].at
		case 2:
			all[i] = s.operations[random.IntN(min(200, len(s.operations)))].at
		default:
			all[i] = acknowledged[random.IntN(len(acknowledged))]
		}
	}
	slices.Sort(all)
	return all
}

// judge starts a server on the data that survived a power failure at the time end, and verifies the
// data. Sometimes it kills the server and verifies the data again.
func (s *recording) judge(t *testing.T, left *contents, end moment) error {
	t.Helper()
	s.cuts++
	dir := filepath.Join(s.dir, fmt.Sprint("cut-", s.cuts))
	left.build(t, rootNode, dir)
	for range 1 + s.cuts%4/3 {
		if err := s.restart(t, dir, end); err != nil {
			return err
		}
	}
	return os.RemoveAll(dir)
}

// restart starts a server in a directory, verifies its content, and makes changes.
func (s *recording) restart(t *testing.T, dir string, end moment) error {
	t.Helper()
	data := filepath.Join(dir, "data")
	p := start(t, data, filepath.Join(dir, "server.log"))
	defer p.kill()
	url, err := p.ready()
	if err != nil {
		return err
	}
	if end >= s.world.loggedIn {
		c := newClient(url, s.world.token)
		if _, err := s.world.verify(c, end); err != nil {
			return err
		}
		if _, err := c.must(200, "PATCH", projects.list+"/"+eventProject, map[string]string{"name": "goes on"}); err != nil {
			return err
		}
	}
	return checkData(data)
}
