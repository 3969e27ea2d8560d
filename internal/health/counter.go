// Package health observes the versions that are being rolled out and their baselines. It counts how
// many users they have and how many of these fail, applies the health rules of the project, and
// holds a rollout whose version fails too often.
//
//	counter.go  users and failures, in memory
//	watch.go    the requests of a project that are counted
//	engine.go   what is observed, writing of counts, holding of rollouts
//	report.go   evaluation of the rules
package health

import (
	"hash/maphash"
	"math/bits"
	"net/netip"
	"sync"
	"time"

	"svc/store"
)

// maxSubjects is the maximum number of addresses, and likewise of users, that the counter holds for
// a project on one day. If there are more, it holds only a sample of them.
const maxSubjects = 200_000

// kind is the kind of identifier of a subject: an address or a user ID.
type kind uint8

const (
	address kind = iota
	user
	kinds
)

// counter counts the subjects of versions, which are addresses or users, and the failing ones among
// them. It counts a subject in the bucket of time in which it first saw the subject on a version on
// a UTC day. A failure counts in the bucket of its subject, however much later it occurs, so a
// version and its baseline have had the same time to fail. For each subject, the counter holds a
// 64-bit keyed hash in memory. It never writes the hash to disk, and draws a new key every day. A
// counter is safe for concurrent use.
type counter struct {
	now   func() time.Time
	width int64 // length of a bucket, in seconds
	limit int   // maximum number of subjects of each kind, for a project on one day

	mu       sync.Mutex
	projects map[store.ProjectID]*observed // guarded by mu
}

// observed contains the subjects of a project on one day, and its counts.
type observed struct {
	day    int64 // days since 1970-01-01
	seed   maphash.Seed
	groups [kinds]group
	counts map[bucket]*count
	// failures lists the failures that have been seen: the names of events, and "" for error logs.
	// The index of a failure is the position of its bit in subject.failed.
	failures []string
}

// group contains the subjects of one kind.
type group struct {
	sampled  int // number of leading bits that must be 0 in a hash, or else the subject is not counted
	size     int // number of subjects of all versions
	versions map[store.ID]map[uint64]subject
}

// subject is an address or a user that was seen on a version on the current day.
type subject struct {
	seen   uint32 // Unix time of the first request
	failed uint32 // failures that have been counted; each has a bit, see observed.failures
}

// bucket is the key of a count: a version and the start of a time bucket.
type bucket struct {
	version store.ID
	start   int64 // Unix seconds
}

type count struct {
	store.HealthCount
	changed bool // whether it has changed since counter.take last returned it
}

func newCounter(now func() time.Time, width int64) *counter {
	return &counter{now: now, width: width, limit: maxSubjects, projects: map[store.ProjectID]*observed{}}
}

// seeAddress counts a request from an address. All addresses in one /64 network of IPv6 are one
// subject. failed reports whether the request uploads an error log.
func (c *counter) seeAddress(p store.ProjectID, version store.ID, from netip.Addr, failed bool) {
	from = from.Unmap()
	if from.Is6() {
		network, _ := from.WithZone("").Prefix(64) // cannot fail: an IPv6 address has 128 bits
		from = network.Addr()
	}
	bytes := from.As16()
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.today(p)
	c.see(o, address, version, maphash.Bytes(o.seed, bytes[:]), failed, "")
}

// seeUser counts an event of a user. event is the name of the event if it is a failure, and ""
// otherwise.
func (c *counter) seeUser(p store.ProjectID, version store.ID, id, event string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.today(p)
	c.see(o, user, version, maphash.String(o.seed, id), event != "", event)
}

// today returns the counts of a project. On a new day it forgets the subjects of the day before. The
// caller must hold mu.
func (c *counter) today(p store.ProjectID) *observed {
	day := c.now().Unix() / secondsPerDay
	o := c.project(p)
	if o.day != day {
		o.day, o.seed, o.failures, o.groups = day, maphash.MakeSeed(), nil, [kinds]group{}
	}
	return o
}

// project returns the counts of a project, which may be of an earlier day. The caller must hold mu.
func (c *counter) project(p store.ProjectID) *observed {
	o := c.projects[p]
	if o == nil {
		o = &observed{day: -1, counts: map[bucket]*count{}}
		c.projects[p] = o
	}
	return o
}

const secondsPerDay = 24 * 60 * 60

// see counts a subject, which is identified by its hash, and its failure if failed is true. failure
// is the name of the event that is the failure, or "" for an error log. The caller must hold mu.
func (c *counter) see(o *observed, k kind, version store.ID, hash uint64, failed bool, failure string) {
	g := &o.groups[k]
	if bits.LeadingZeros64(hash) < g.sampled {
		return
	}
	subjects := g.versions[version]
	s, known := subjects[hash]
	if !known {
		s.seen = uint32(c.now().Unix())
		if subjects == nil {
			if g.versions == nil {
				g.versions = map[store.ID]map[uint64]subject{}
			}
			subjects = map[uint64]subject{}
			g.versions[version] = subjects
		}
		g.size++
	}
	bit := uint32(0)
	if failed {
		bit = o.bit(failure)
	}
	if known && s.failed|bit == s.failed {
		return
	}
	n := o.count(bucket{version, int64(s.seen) / c.width * c.width})
	n.changed = true
	if !known {
		n.add(k)
	}
	if s.failed|bit != s.failed {
		n.Failures[failure]++
		s.failed |= bit
	}
	subjects[hash] = s
	if g.size > c.limit {
		g.halve()
	}
}

// count returns the count of a bucket, and creates it if necessary.
func (o *observed) count(b bucket) *count {
	n := o.counts[b]
	if n == nil {
		n = &count{HealthCount: store.HealthCount{Failures: map[string]int64{}}}
		o.counts[b] = n
	}
	return n
}

func (n *count) add(k kind) {
	if k == address {
		n.Addresses++
	} else {
		n.Users++
	}
}

// bit returns the bit that represents a failure in subject.failed, or 0 if all 32 bits are in use.
// The rules of a project use at most 8 bits; the others belong to rules that have been replaced
// today.
func (o *observed) bit(failure string) uint32 {
	for i, f := range o.failures {
		if f == failure {
			return 1 << i
		}
	}
	if len(o.failures) == 32 {
		return 0
	}
	o.failures = append(o.failures, failure)
	return 1 << (len(o.failures) - 1)
}

// halve removes roughly half of the subjects of all versions: from now on, one more leading bit of
// a hash must be 0.
func (g *group) halve() {
	g.sampled++
	g.size = 0
	for _, subjects := range g.versions {
		for hash := range subjects {
			if bits.LeadingZeros64(hash) < g.sampled {
				delete(subjects, hash)
			}
		}
		g.size += len(subjects)
	}
}

// closed is the count of a bucket that has ended.
type closed struct {
	project store.ProjectID
	bucket
	store.HealthCount
}

// take returns the counts of closed buckets that have changed since the last call. It removes
// counts that can no longer change, and all counts of projects for which watched returns false.
func (c *counter) take(watched func(store.ProjectID) bool) (changed []closed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now().Unix()
	today := now / secondsPerDay * secondsPerDay
	for p, o := range c.projects {
		for b, n := range o.counts {
			if b.start+c.width > now {
				continue
			}
			if n.changed {
				changed = append(changed, closed{p, b, n.Clone()})
				n.changed = false
			}
			if b.start+c.width <= today {
				delete(o.counts, b)
			}
		}
		if !watched(p) {
			delete(c.projects, p)
		}
	}
	return changed
}

// restore makes take return the given counts again, because they could not be written.
func (c *counter) restore(list []closed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range list {
		o := c.project(one.project)
		if o.counts[one.bucket] == nil {
			o.counts[one.bucket] = &count{HealthCount: one.HealthCount}
		}
		o.counts[one.bucket].changed = true
	}
}

// since counts the addresses that were first seen on a version at or after a point in time, the
// parameter from. It returns a count for each bucket in memory that ends after that time. The keys
// of the map are the start times of the buckets. All times are in Unix seconds.
func (c *counter) since(p store.ProjectID, version store.ID, from int64) map[int64]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.projects[p]
	if o == nil {
		return nil
	}
	first := from / c.width * c.width
	found := map[int64]int64{}
	for b, n := range o.counts {
		if b.version == version && b.start >= first {
			found[b.start] = n.Addresses
		}
	}
	if _, ok := found[first]; !ok || first == from {
		return found
	}
	found[first] = 0
	for _, s := range o.groups[address].versions[version] {
		if seen := int64(s.seen); seen >= from && seen < first+c.width {
			found[first]++
		}
	}
	return found
}
