package limit

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// Slots limits how many operations, or bytes, each key may have in progress. Each of them takes a
// slot. Slots stores only keys that have something in progress. It is safe for concurrent use.
type Slots struct {
	most    int64
	waiting atomic.Int64
	refused atomic.Uint64

	mu   sync.Mutex
	keys map[string]*slots // guarded by mu
}

// slots holds the slots of one key.
type slots struct {
	free   *semaphore.Weighted
	wanted int64 // slots that are taken or for which a call is waiting; guarded by Slots.mu
}

// NewSlots returns a Slots that allows each key at most the given number of slots.
func NewSlots(most int64) *Slots { return &Slots{most: most, keys: map[string]*slots{}} }

// Take takes n slots of a key if they are free, and reports whether they were. It does
// not block.
func (s *Slots) Take(key string, n int64) bool {
	if !s.enter(key, n).TryAcquire(n) {
		s.refused.Add(1)
		s.leave(key, n)
		return false
	}
	return true
}

// Wait takes n slots of a key, and blocks until they are free. Blocked calls are served
// in order. If ctx ends first, Wait returns the error of ctx. n must not exceed the
// maximum of a key.
func (s *Slots) Wait(ctx context.Context, key string, n int64) error {
	free := s.enter(key, n)
	s.waiting.Add(1)
	err := free.Acquire(ctx, n)
	s.waiting.Add(-1)
	if err != nil {
		s.refused.Add(1)
		s.leave(key, n)
	}
	return err
}

// Return frees n slots of a key. Slots that one call of Take or Wait took can be returned
// by several calls.
func (s *Slots) Return(key string, n int64) { s.leave(key, n).Release(n) }

// enter returns the slots of a key as a semaphore. n is the number of slots that the caller wants.
// The key is stored at least until leave is called with the same n.
func (s *Slots) enter(key string, n int64) *semaphore.Weighted {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.keys[key]
	if of == nil {
		of = &slots{free: semaphore.NewWeighted(s.most)}
		s.keys[key] = of
	}
	of.wanted += n
	return of.free
}

func (s *Slots) leave(key string, n int64) *semaphore.Weighted {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.keys[key]
	if of.wanted -= n; of.wanted == 0 {
		delete(s.keys, key)
	}
	return of.free
}

// Waiting returns the number of calls of Wait that are blocked.
func (s *Slots) Waiting() int64 { return s.waiting.Load() }

// Refused returns the number of calls of Take and Wait that found too few free slots.
func (s *Slots) Refused() uint64 { return s.refused.Load() }
