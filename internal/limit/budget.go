package limit

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// Budget is an amount that requests share, such as bytes of memory. It is safe for
// concurrent use.
type Budget struct {
	size    int64
	free    *semaphore.Weighted
	used    atomic.Int64
	waiting atomic.Int64
	refused atomic.Uint64
}

// NewBudget returns a Budget of the given size, all of which is available.
func NewBudget(size int64) *Budget {
	return &Budget{size: size, free: semaphore.NewWeighted(size)}
}

// Take takes n from the budget if that much is available, and reports whether it was. It
// does not block.
func (b *Budget) Take(n int64) bool {
	if !b.free.TryAcquire(n) {
		b.refused.Add(1)
		return false
	}
	b.used.Add(n)
	return true
}

// Wait takes n from the budget, and blocks until that much is available. Blocked calls
// are served in order. If n exceeds the size of the budget, Wait takes the whole budget.
// It returns the amount taken. If ctx ends first, it returns the error of ctx.
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

// Return returns to the budget an amount that Take or Wait took.
func (b *Budget) Return(n int64) {
	b.used.Add(-n)
	b.free.Release(n)
}

// Size returns the size of the budget.
func (b *Budget) Size() int64 { return b.size }

// Used returns the amount that is currently taken.
func (b *Budget) Used() int64 { return b.used.Load() }

// Waiting returns the number of calls of Wait that are blocked.
func (b *Budget) Waiting() int64 { return b.waiting.Load() }

// Refused returns the number of calls of Take and Wait that failed to take their amount.
func (b *Budget) Refused() uint64 { return b.refused.Load() }
