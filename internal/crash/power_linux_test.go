package crash

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestPowerCut: the power goes at random moments while a server works on a drive
// that keeps nothing but what was synced. Of the rest anything may be there, in
// part and in any order. The server starts on what is left, everything is there
// that was acknowledged, and all else holds that holds after SIGKILL. SVC_LONG=1
// cuts more often.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	cuts, requests := 20, 150
	if os.Getenv("SVC_LONG") != "" {
		cuts, requests = 400, 1500
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	s := record(t, seed, requests)
	random := rand.New(rand.NewPCG(seed, 1000))
	drive, at := newDrive(), 0
	for _, end := range s.moments(random, cuts) {
		for ; moment(at) < end; at++ {
			drive.do(s.operations[at])
		}
		data, names, torn := fate(random.IntN(int(fates))), fate(random.IntN(int(fates))), random.IntN(2) == 0
		if err := s.judge(t, drive.cut(random, data, names, torn), end); err != nil {
			t.Fatalf("power cut at %d of %d, fate of data %d, of names %d, torn %t: %v", end, len(s.operations), data, names, torn, err)
		}
	}
	t.Logf("%d cuts in %d operations", cuts, len(s.operations))
	for i, o := range s.operations { // the same with a drive that never syncs
		if o.action == syncFile {
			s.operations[i] = operation{action: syncFile, node: -1}
		}
	}
	drive = newDrive()
	for _, o := range s.operations {
		drive.do(o)
	}
	if err := s.judge(t, drive.cut(random, lost, kept, false), moment(len(s.operations))); err == nil {
		t.Error("nothing was synced and nobody noticed")
	}
}

// recording is what servers did to a drive, and what their clients know.
type recording struct {
	world      *world
	operations []operation
	dir        string
	cuts       int // so far
}

// record lets three servers work on a drive, one after the other: the first is
// killed, the second is stopped. Each answers a number of requests at least.
func record(t *testing.T, seed uint64, requests int) *recording {
	t.Helper()
	r, unmount, err := mount(t)
	if err != nil {
		t.Skipf("skipped: no file system can be mounted here: %v", err)
	}
	s := &recording{world: newWorld(seed, r.now), dir: keepOnFailure(t)}
	data, log := filepath.Join(r.dir, "data"), filepath.Join(s.dir, "server.log")
	for n := range 3 {
		p := start(t, data, log)
		url, err := p.ready()
		check(t, err)
		c, err := s.world.connect(url)
		check(t, err)
		f, err := s.world.verify(c, always)
		check(t, err)
		s.world.settle(f, false)
		clients := s.world.loading(c, requests)
		clients.work(p, s.world.random)
		if n == 1 {
			check(t, run("reindex", "--data", data))
			check(t, p.stop(patience))
		} else {
			p.end()
		}
		check(t, clients.wait(p))
	}
	unmount()
	s.operations = r.operations
	return s
}

// moments are random ones in their order: any, when something has just been
// acknowledged, or early.
func (s *recording) moments(random *rand.Rand, n int) []moment {
	var acknowledged []moment
	for _, e := range s.world.editors {
		for _, p := range e.projects {
			for _, th := range append([]*thing{p.thing}, p.things...) {
				acknowledged = append(acknowledged, th.last().done)
			}
		}
	}
	for _, t := range s.world.trackers {
		for _, b := range t.batches {
			acknowledged = append(acknowledged, b.done)
		}
	}
	all := make([]moment, n)
	for i := range all {
		switch random.IntN(5) {
		case 0, 1:
			all[i] = moment(random.IntN(len(s.operations) + 1))
		case 2:
			all[i] = moment(random.IntN(min(200, len(s.operations))))
		default:
			all[i] = acknowledged[random.IntN(len(acknowledged))]
		}
	}
	slices.Sort(all)
	return all
}

// judge starts a server on what a power cut at a moment left and holds it to what
// must be there.
func (s *recording) judge(t *testing.T, left *contents, end moment) error {
	t.Helper()
	s.cuts++
	dir := filepath.Join(s.dir, fmt.Sprint("cut-", s.cuts))
	left.build(t, rootNode, dir)
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
	if err := checkData(data); err != nil {
		return err
	}
	p.kill()
	return os.RemoveAll(dir)
}
