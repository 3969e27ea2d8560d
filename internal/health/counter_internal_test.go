package health

import (
	"encoding/binary"
	"fmt"
	"maps"
	"net/netip"
	"sync"
	"testing"
	"time"

	"svc/store"
)

const width = 600

var (
	newVersion, baseline = store.ID{1}, store.ID{2}

	// noon is the start of a bucket.
	noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
)

// clock is a clock that tests set.
type clock struct{ time.Time }

func (c *clock) now() time.Time { return c.Time }

func (c *clock) add(d time.Duration) { c.Time = c.Add(d) }

func newClock() (*clock, *counter) {
	at := &clock{noon}
	return at, newCounter(at.now, width)
}

// ip returns the nth address.
func ip(n int) netip.Addr {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], uint32(n))
	return netip.AddrFrom4(b)
}

func watched(store.ProjectID) bool { return true }

// counted returns the counts that take returns for a project and a version, by the start of the
// bucket.
func counted(c *counter, version store.ID) map[int64]string {
	found := map[int64]string{}
	for _, one := range c.take(watched) {
		if one.version == version {
			found[one.start] = fmt.Sprint(one.Addresses, one.Users, one.Failures)
		}
	}
	return found
}

func expect(t *testing.T, c *counter, want map[int64]string) {
	t.Helper()
	if got := counted(c, newVersion); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestSubjectsBelongToTheirFirstBucket checks that a subject is counted once a day and version, and
// that its failures, each counted once, belong to its bucket.
func TestSubjectsBelongToTheirFirstBucket(t *testing.T) {
	t.Parallel()
	clock, c := newClock()
	first := noon.Unix()
	c.seeAddress(1, newVersion, ip(1), false)
	c.seeAddress(1, newVersion, ip(2), true) // fails with its first request
	c.seeAddress(1, newVersion, ip(2), true)
	c.seeAddress(1, baseline, ip(1), false)
	c.seeUser(1, newVersion, "ada", "")
	c.seeAddress(2, newVersion, ip(1), false)
	expect(t, c, map[int64]string{}) // the bucket is still open
	clock.add(width * time.Second)
	c.seeAddress(1, newVersion, ip(1), false)
	c.seeAddress(1, newVersion, ip(3), false)
	c.seeUser(1, newVersion, "ada", "crash")
	c.seeUser(1, newVersion, "ada", "crash")
	c.seeUser(1, newVersion, "ada", "hang")
	for from, want := range map[int64]map[int64]int64{
		first: {first: 2, first + width: 1}, first + 1: {first: 0, first + width: 1}, clock.Unix(): {first + width: 1},
	} {
		if got := c.since(1, newVersion, from); !maps.Equal(got, want) {
			t.Errorf("addresses since second %d: %v, want %v", from-first, got, want)
		}
	}
	found := map[store.ProjectID]string{}
	for _, one := range c.take(watched) {
		if one.version == newVersion {
			found[one.project] += fmt.Sprint(one.start-first, one.Addresses, one.Users, one.Failures)
		}
	}
	if want := fmt.Sprint(map[store.ProjectID]string{1: "0 2 1 map[:1 crash:1 hang:1]", 2: "0 1 0 map[]"}); fmt.Sprint(found) != want {
		t.Errorf("got %v, want %v", found, want)
	}
	clock.add(width * time.Second)
	c.seeAddress(1, newVersion, ip(1), true) // changes the first bucket again
	expect(t, c, map[int64]string{first: "2 1 map[:2 crash:1 hang:1]", first + width: "1 0 map[]"})
	expect(t, c, map[int64]string{})
}

// TestSubjectsAreForgottenAtMidnight checks that a subject is counted again on the next day, and that
// a bucket that ends after midnight keeps its counts.
func TestSubjectsAreForgottenAtMidnight(t *testing.T) {
	t.Parallel()
	midnight := noon.Add(12 * time.Hour)
	clock := &clock{midnight.Add(-time.Second)}
	c := newCounter(clock.now, 3500) // does not divide the day
	start := midnight.Unix() / 3500 * 3500
	c.seeAddress(1, newVersion, ip(1), false)
	clock.add(2 * time.Second)
	c.seeAddress(1, newVersion, ip(1), true)
	c.seeAddress(1, newVersion, ip(1), true)
	clock.add(3500 * time.Second)
	expect(t, c, map[int64]string{start: "2 0 map[:1]"})
	clock.add(24 * time.Hour)
	c.take(watched)
	if n := len(c.projects[1].counts); n != 0 {
		t.Errorf("%d counts of the day before are in memory, want none", n)
	}
}

// TestAddressesOfANetwork checks that addresses of one /64 network of IPv6 are one subject, and that
// each address of IPv4 is one.
func TestAddressesOfANetwork(t *testing.T) {
	t.Parallel()
	clock, c := newClock()
	for _, text := range []string{"2001:db8::1", "2001:db8::ffff:1", "2001:db8:0:1::1", "fe80::1%eth0", "192.0.2.1", "192.0.2.2", "::ffff:192.0.2.1"} {
		c.seeAddress(1, newVersion, netip.MustParseAddr(text), false)
	}
	clock.add(width * time.Second)
	expect(t, c, map[int64]string{noon.Unix(): "5 0 map[]"})
}

// TestManySubjectsAreSampled checks that the number of subjects in memory is limited, and that both
// versions keep the same part of them.
func TestManySubjectsAreSampled(t *testing.T) {
	t.Parallel()
	clock, c := newClock()
	c.limit = 1000
	for n := range 3000 {
		c.seeAddress(1, newVersion, ip(n), false)
		c.seeAddress(1, baseline, ip(n), false)
	}
	clock.add(width * time.Second)
	c.take(watched)
	g := c.projects[1].groups[address]
	if g.size > 1000 || g.size != len(g.versions[newVersion])+len(g.versions[baseline]) {
		t.Errorf("%d subjects are in memory, want at most 1000", g.size)
	}
	for hash := range g.versions[newVersion] {
		if _, ok := g.versions[baseline][hash]; !ok {
			t.Fatalf("a subject of one version is not in the sample of the other one")
		}
	}
	for n := range 3000 { // those that were left out are not counted as new ones, and do not fail
		c.seeAddress(1, newVersion, ip(n), true)
	}
	failed := int64(0)
	for _, one := range c.take(watched) {
		if one.start != noon.Unix() {
			t.Errorf("bucket %d has changed, want only the first one", one.start)
		}
		failed += one.Failures[""]
	}
	if want := int64(len(g.versions[newVersion])); failed != want {
		t.Errorf("%d subjects failed, want the %d of the sample", failed, want)
	}
}

// TestCountsAreTakenAgain checks that counts that could not be written are returned again, also after
// the project is no longer watched.
func TestCountsAreTakenAgain(t *testing.T) {
	t.Parallel()
	clock, c := newClock()
	c.seeAddress(1, newVersion, ip(1), false)
	clock.add(width * time.Second)
	taken := c.take(watched)
	c.seeAddress(1, newVersion, ip(1), true)
	c.restore(taken)
	expect(t, c, map[int64]string{noon.Unix(): "1 0 map[:1]"})
	c.seeAddress(1, newVersion, ip(2), false)
	clock.add(width * time.Second)
	nothing := func(store.ProjectID) bool { return false }
	taken = c.take(nothing)
	if len(taken) != 1 || len(c.projects) != 0 {
		t.Fatalf("got %v and %d projects, want one count and no project", taken, len(c.projects))
	}
	c.restore(taken)
	if again := c.take(nothing); fmt.Sprint(again) != fmt.Sprint(taken) {
		t.Errorf("got %v, want %v", again, taken)
	}
}

// TestCounterIsSafe counts from several goroutines at once.
func TestCounterIsSafe(t *testing.T) {
	t.Parallel()
	at := noon
	c := newCounter(func() time.Time { return at }, width)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for n := range 1000 {
				c.seeAddress(1, newVersion, ip(n), n%2 == 0)
				c.seeUser(1, newVersion, fmt.Sprint(n), "")
				if n%100 == 0 {
					c.restore(c.take(watched))
				}
			}
		})
	}
	all.Wait()
	if n := c.since(1, newVersion, 0)[noon.Unix()]; n != 1000 {
		t.Errorf("%d addresses, want 1000", n)
	}
}

// BenchmarkSee measures a request of a subject that is known.
func BenchmarkSee(b *testing.B) {
	c := newCounter(time.Now, width)
	for n := range 100_000 {
		c.seeAddress(1, newVersion, ip(n), false)
	}
	n := 0
	for b.Loop() {
		c.seeAddress(1, newVersion, ip(n%100_000), false)
		n++
	}
}
