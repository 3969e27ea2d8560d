package limit

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// Budget is an amount shared by requests, such as bytes of memory. It is safe for concurrent use.
type Budget struct {
	size    int64
	free    *semaphore.Weighted
	used    atomic.Int64
	waiting atomic.Int64
	refused atomic.Uint64
}

// NewBudget returns an unused budget.
func NewBudget(size int64) *Budget {
	return &Budget{size: size, free: semaphore.NewWeighted(size)}
}

// Take takes n without waiting and reports whether there was room.
func (b *Budget) Take(n int64) bool {
	if !b.free.TryAcquire(n) {
		b.refused.Add(1)
		return false
	}
	b.used.Add(n)
	return true
}

// Wait takes n, in the order of the calls, and blocks until there is room. If n exceeds
// the budget it takes all of it. It returns the amount taken, or the error of ctx if
// that ends first.
func (b *Budget) Wait(ctx context.Context, n int64) (int64, error) {
	n = min(n, b.size)
	b.waiting.Add(1)
	err := b.free.Acquire(ctx, n)
	b.waiting.Add(-1)
	if err != nil {
		b.refused.Add(1)
		return 0, err
	}
	b.used.Add(n)
	return n, nil
}

// Return gives back what Take or Wait took.
func (b *Budget) Return(n int64) {
	b.used.Add(-n)
	b.free.Release(n)
}

// Size returns the whole amount.
func (b *Budget) Size() int64 { return b.size }

// Used returns the amount that is taken.
func (b *Budget) Used() int64 { return b.used.Load() }

// Waiting returns the number of calls of Wait that are blocked.
func (b *Budget) Waiting() int64 { return b.waiting.Load() }

// Refused returns the number of calls of Take and Wait that found no room.
func (b *Budget) Refused() uint64 { return b.refused.Load() }
