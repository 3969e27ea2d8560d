package store

import (
	"sync"
	"sync/atomic"
)

// slot is the place of a project in memory. It lives as long as the project.
type slot struct {
	id       ProjectID
	project  atomic.Pointer[Project]
	snap     atomic.Pointer[Snapshot] // nil until somebody asks
	used     atomic.Int64             // clock of the cache at the last use
	building sync.Mutex               // held by the reader that builds snap

	// generation counts the commits that changed the project. A reader that
	// built a snapshot across one of them must not keep it.
	generation atomic.Int64
}

func newSlot(p *Project) *slot {
	s := &slot{id: p.ID}
	s.project.Store(p)
	return s
}

// cache bounds the memory of all snapshots; the least recently used goes.
type cache struct {
	budget int64
	// clock grows by two with every snapshot that is kept. Uses between two of
	// them have the odd number: readers need not write it to have an order.
	clock atomic.Int64

	mu   sync.Mutex
	held int64 // bytes of all snapshots in slots
}

// keep stores a snapshot that a reader built, unless the project changed
// since generation.
func (c *cache) keep(d *directory, s *slot, snap *Snapshot, generation int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.generation.Load() == generation && d.byID[s.id] == s {
		c.store(d, s, snap)
	}
}

// replace stores the snapshot that a commit made; nil for none.
func (c *cache) replace(d *directory, s *slot, snap *Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.generation.Add(1)
	c.store(d, s, snap)
}

// drop forgets the snapshot of a deleted project.
func (c *cache) drop(s *slot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.generation.Add(1)
	c.set(s, nil)
}

func (c *cache) store(d *directory, s *slot, snap *Snapshot) {
	s.used.Store(c.clock.Add(2))
	c.set(s, snap)
	for c.held > c.budget {
		var oldest *slot
		for _, other := range d.byID {
			if other != s && other.snap.Load() != nil && (oldest == nil || other.used.Load() < oldest.used.Load()) {
				oldest = other
			}
		}
		if oldest == nil {
			return // one project alone may be larger than the budget
		}
		c.set(oldest, nil)
	}
}

func (c *cache) set(s *slot, snap *Snapshot) {
	if old := s.snap.Swap(snap); old != nil {
		c.held -= old.cost
	}
	if snap != nil {
		c.held += snap.cost
	}
}
