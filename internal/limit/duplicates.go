package limit

import (
	"sync"
	"time"
)

// Duplicates remembers submissions for a limited time, so that identical ones are stored
// only once. When the table is full, the oldest entry is removed. Duplicates is safe for
// concurrent use.
//
// The table contains no pointers, because the garbage collector would have to follow
// hundreds of thousands of them in each cycle.
type Duplicates struct {
	window time.Duration
	most   int

	mu     sync.Mutex
	start  time.Time      // the times of entries are relative to it; guarded by mu, like the fields below
	byKey  map[Key]uint64 // number of the last entry with each key; entries are numbered from 0 as they are added
	order  []entry        // the entries, the oldest first
	oldest int            // index of the oldest entry in order; the entries before it have been removed
	gone   uint64         // number of the entry at index 0 of order
}

// Key identifies a submission. It is a hash of the data that is equal in identical
// submissions.
type Key [32]byte

type entry struct {
	key Key
	id  [16]byte
	at  time.Duration // time since Duplicates.start
}

// NewDuplicates returns a Duplicates that remembers each submission for the given window
// of time, but at most the given number of submissions. If window is 0 or less, it
// remembers nothing.
func NewDuplicates(window time.Duration, most int) *Duplicates {
	return &Duplicates{window: window, most: most, byKey: map[Key]uint64{}}
}

// Find returns the ID of the record that was created from an identical submission within
// the window. ok is false if there is none.
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

// Add records that a submission has created the record with the given ID.
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

// Forget undoes Add, because the record could not be stored.
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
	if d.oldest > len(d.order)/2 { // removed entries may take at most half of the slice
		d.order = append(d.order[:0:0], d.order[d.oldest:]...)
		d.gone += uint64(d.oldest)
		d.oldest = 0
	}
}
