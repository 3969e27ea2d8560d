package meter

import (
	"sync"
	"time"
)

// rateSeconds is the length of the averaging window of a Rate.
const rateSeconds = 60

// Rate measures the average number of events per second in the last minute. The zero value is ready
// to use. It is safe for concurrent use.
type Rate struct {
	mu     sync.Mutex
	counts [rateSeconds]int64 // number of events by Unix second modulo rateSeconds; guarded by mu, as is last
	last   int64              // Unix second of the newest count
}

// Add counts n events at the given time.
func (r *Rate) Add(now time.Time, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(now.Unix())
	r.counts[r.last%rateSeconds] += int64(n)
}

// PerSecond returns the average rate in the minute before the time now.
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

// forget clears the counts of the seconds that have passed since the last call. If the
// clock was set back, events are counted in the newest second.
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
