package meter

import (
	"sync"
	"time"
)

// rateSeconds is how far back a Rate looks.
const rateSeconds = 60

// Rate is how much there was a second of something during the last minute. The
// zero value is ready, and its methods may be called from any goroutine.
type Rate struct {
	mu     sync.Mutex
	counts [rateSeconds]int64 // by Unix second; guarded by mu, like what follows
	last   int64              // the second of the newest count
}

// Add counts n at a moment.
func (r *Rate) Add(now time.Time, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(now.Unix())
	r.counts[r.last%rateSeconds] += int64(n)
}

// PerSecond is the mean of the minute before a moment.
func (r *Rate) PerSecond(now time.Time) float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(now.Unix())
	var sum int64
	for _, n := range r.counts {
		sum += n
	}
	return float64(sum) / rateSeconds
}

// forget drops the seconds that are over since the last call. A clock that was
// set back counts on in the newest second.
func (r *Rate) forget(now int64) {
	if now-r.last >= rateSeconds {
		clear(r.counts[:])
	} else {
		for s := r.last + 1; s <= now; s++ {
			r.counts[s%rateSeconds] = 0
		}
	}
	r.last = max(r.last, now)
}
