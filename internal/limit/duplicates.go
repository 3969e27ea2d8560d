package limit

import (
	"sync"
	"time"
)

// Duplicates remembers for a while what was submitted, so that the same again
// is one record. The table is bounded: when it is full the oldest entry goes.
// It is safe for concurrent use.
//
// Nothing in the table is a pointer: the garbage collector would follow hundreds
// of thousands of them in each cycle while many submit.
type Duplicates struct {
	window time.Duration
	most   int

	mu     sync.Mutex
	start  time.Time      // of the times of entries; guarded by mu, like what follows
	byKey  map[Key]uint64 // number of the last entry of a key
	order  []entry        // oldest first
	oldest int            // place of the oldest in order; those before are gone
	gone   uint64         // number of the entry at the first place of order
}

// Key identifies a submission: a hash of everything that makes it the same.
type Key [32]byte

type entry struct {
	key Key
	id  [16]byte
	at  time.Duration // since start
}

// NewDuplicates makes a memory of a window and of at most so many entries. A
// window of zero or less remembers nothing.
func NewDuplicates(window time.Duration, most int) *Duplicates {
	return &Duplicates{window: window, most: most, byKey: map[Key]uint64{}}
}

// Find returns the id of the record that was made of the same submission
// within the window.
func (d *Duplicates) Find(key Key, now time.Time) (id [16]byte, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	number, ok := d.byKey[key]
	if !ok {
		return id, false
	}
	e := &d.order[number-d.gone]
	if now.Sub(d.start)-e.at >= d.window {
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
	if d.start.IsZero() {
		d.start = now
	}
	at := now.Sub(d.start)
	for d.oldest < len(d.order) && (len(d.order)-d.oldest >= d.most || at-d.order[d.oldest].at >= d.window) {
		d.dropOldest()
	}
	d.byKey[key] = d.gone + uint64(len(d.order))
	d.order = append(d.order, entry{key, id, at})
}

// Forget undoes Add for a record that could not be stored after all.
func (d *Duplicates) Forget(key Key) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.byKey, key)
}

func (d *Duplicates) dropOldest() {
	key := d.order[d.oldest].key
	if number, ok := d.byKey[key]; ok && number == d.gone+uint64(d.oldest) {
		delete(d.byKey, key)
	}
	d.oldest++
	if d.oldest > len(d.order)/2 { // at most half of the slice is gone entries
		d.order = append(d.order[:0:0], d.order[d.oldest:]...)
		d.gone += uint64(d.oldest)
		d.oldest = 0
	}
}
