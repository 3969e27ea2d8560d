// Package requests counts the requests of apps in memory and writes the counts to the store.
package requests

import (
	"fmt"
	"log/slog"
	"sync"

	"svc/internal/counter"
	"svc/store"
)

// The maximum numbers of different requests (combinations) and of counters that each core
// holds in memory between two flushes. If clients invent versions as fast as they can, the
// counts take about 6 MiB per core.
const (
	combinationsHeld   = 1 << 12
	countersHeld       = 1 << 14
	countersPerProject = 1 << 13
)

// Counter counts requests in memory until they are flushed. Request statistics are the
// only data that is not on disk when the response to a request is sent: if the server is
// killed, the counts since the last flush are lost. A Counter is safe for concurrent use.
type Counter struct {
	db  *store.Store
	log *slog.Logger

	counter  *counter.Counter[store.CountedRequest, store.RequestCounter]
	flushing sync.Mutex // held while counts are taken from memory and written
	dropped  uint64     // number of lost counts that have been logged; guarded by flushing
}

// NewCounter returns a counter without counts.
func NewCounter(db *store.Store, log *slog.Logger) *Counter {
	return &Counter{
		db: db, log: log,
		counter: counter.New(counter.Rules[store.CountedRequest, store.RequestCounter]{
			Combinations: combinationsHeld, Keys: store.CountedRequest.Counters, Keep: store.CountedRequest.Kept,
			Most: countersHeld, PerGroup: countersPerProject,
			Group: store.RequestCounter.Group, Fold: store.RequestCounter.Folded,
		}),
	}
}

// Add counts a request.
func (c *Counter) Add(r store.CountedRequest) { c.counter.Add(r) }

// Flush writes all counts in memory to the store. If that fails, the counts stay in
// memory for the next flush.
func (c *Counter) Flush() error {
	c.flushing.Lock()
	defer c.flushing.Unlock()
	if n := c.counter.Dropped(); n > c.dropped {
		c.log.Warn("request counters are full", "lost", n-c.dropped)
		c.dropped = n
	}
	counted := c.counter.Drain()
	if len(counted) == 0 {
		return nil
	}
	err := c.db.Update(func(tx *store.Tx) error { return tx.AddRequests(counted) })
	if err != nil {
		c.counter.Restore(counted)
		return fmt.Errorf("write request statistics: %w", err)
	}
	return nil
}

// Dropped returns the number of requests that were not counted because there was no room
// for their counts.
func (c *Counter) Dropped() uint64 { return c.counter.Dropped() }
