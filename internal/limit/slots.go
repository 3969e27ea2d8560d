package limit

import (
	"sync"
	"sync/atomic"
)

// Slots limits the number of concurrent operations per key. It only holds keys with operations in
// progress. It is safe for concurrent use.
type Slots struct {
	most    int
	refused atomic.Uint64

	mu    sync.Mutex
	taken map[string]int // guarded by mu
}

// NewSlots returns Slots that allow most operations per key at once.
func NewSlots(most int) *Slots { return &Slots{most: most, taken: map[string]int{}} }

// Take takes a slot for a key and reports whether one was free.
func (s *Slots) Take(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken[key] >= s.most {
		s.refused.Add(1)
		return false
	}
	s.taken[key]++
	return true
}

// Return returns a slot taken with Take.
func (s *Slots) Return(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken[key]--; s.taken[key] == 0 {
		delete(s.taken, key)
	}
}

// Refused returns the number of calls of Take that found no slot.
func (s *Slots) Refused() uint64 { return s.refused.Load() }
