package limit

import (
	"sync"
	"time"
)

// Duplicates remembers for a while what was submitted, so that the same again
// is one record. The table is bounded: when it is full the oldest entry goes.
// It is safe for concurrent use.
type Duplicates struct {
	window time.Duration
	most   int

	mu    sync.Mutex
	byKey map[Key]*entry // guarded by mu, like what follows
	order []*entry       // oldest first, from head on
	head  int
}

// Key identifies a submission: a hash of everything that makes it the same.
type Key [32]byte

type entry struct {
	key Key
	id  [16]byte
	at  time.Time
}

// NewDuplicates makes a memory of a window and of at most so many entries. A
// window of zero or less remembers nothing.
func NewDuplicates(window time.Duration, most int) *Duplicates {
	return &Duplicates{window: window, most: most, byKey: map[Key]*entry{}}
}

// Find returns the id of the record that was made of the same submission
// within the window.
func (d *Duplicates) Find(key Key, now time.Time) (id [16]byte, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := d.byKey[key]
	if e == nil || now.Sub(e.at) >= d.window {
		return id, false
	}
	return e.id, true
}

// Add remembers that a record was made of a submission.
func (d *Duplicates) Add(key Key, id [16]byte, now time.Time) {
	if d.window <= 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.head < len(d.order) && (len(d.order)-d.head >= d.most || now.Sub(d.order[d.head].at) >= d.window) {
		d.dropOldest()
	}
	e := &entry{key, id, now}
	d.byKey[key] = e
	d.order = append(d.order, e)
}

// Forget undoes Add for a record that could not be stored after all.
func (d *Duplicates) Forget(key Key) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.byKey, key)
}

func (d *Duplicates) dropOldest() {
	e := d.order[d.head]
	d.order[d.head] = nil
	d.head++
	if d.byKey[e.key] == e {
		delete(d.byKey, e.key)
	}
	if d.head > len(d.order)/2 { // at most half of the slice is gone entries
		d.order = append(d.order[:0:0], d.order[d.head:]...)
		d.head = 0
	}
}
