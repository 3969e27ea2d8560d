package target

import (
	"context"
	"errors"
	"io"
	"maps"
	"sync"
	"time"
)

// Counters count the requests to a target since the start.
type Counters struct {
	Requests, Failures map[string]uint64 // by operation: create, replace, open, list, delete
	Bytes              uint64            // sent
}

// Counted counts the requests to a target.
type Counted struct {
	to Target

	mu    sync.Mutex // guards everything below
	total Counters
	hours [24]hour
}

// hour counts the requests of one hour.
type hour struct{ number, requests, sent, received int64 }

// Day describes the requests of the last 24 hours.
type Day struct {
	Requests       int64
	Sent, Received int64 // bytes
}

// Count counts the requests to a target.
func Count(t Target) *Counted { return &Counted{to: t} }

// note counts a request, and returns its error.
func (c *Counted) note(operation string, sent, received int64, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.total.Requests == nil {
		c.total.Requests, c.total.Failures = map[string]uint64{}, map[string]uint64{}
	}
	c.total.Requests[operation]++
	if err != nil && !errors.Is(err, ErrExists) && !errors.Is(err, ErrMissing) {
		c.total.Failures[operation]++
	}
	c.total.Bytes += uint64(sent)
	number := time.Now().Unix() / 3600
	h := &c.hours[number%int64(len(c.hours))]
	if h.number != number {
		*h = hour{number: number}
	}
	h.requests, h.sent, h.received = h.requests+1, h.sent+sent, h.received+received
	return err
}

// Day returns what was requested in the last 24 hours.
func (c *Counted) Day() (d Day) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now().Unix() / 3600
	for _, h := range c.hours {
		if now-h.number < int64(len(c.hours)) {
			d = Day{d.Requests + h.requests, d.Sent + h.sent, d.Received + h.received}
		}
	}
	return d
}

// Counters returns what was requested since the start.
func (c *Counted) Counters() Counters {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Counters{Requests: maps.Clone(c.total.Requests), Failures: maps.Clone(c.total.Failures), Bytes: c.total.Bytes}
}

// Create implements Target.
func (c *Counted) Create(ctx context.Context, name string, content io.ReaderAt, size int64) error {
	return c.note("create", size, 0, c.to.Create(ctx, name, content, size))
}

// Replace implements Target.
func (c *Counted) Replace(ctx context.Context, name string, content []byte) error {
	return c.note("replace", int64(len(content)), 0, c.to.Replace(ctx, name, content))
}

// Open implements Target. The content counts as received, even if it is not read to its end.
func (c *Counted) Open(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	content, size, err := c.to.Open(ctx, name)
	return content, size, c.note("open", 0, size, err)
}

// List implements Target.
func (c *Counted) List(ctx context.Context, folder string, visit func(Object) error) error {
	return c.note("list", 0, 0, c.to.List(ctx, folder, visit))
}

// Delete implements Target.
func (c *Counted) Delete(ctx context.Context, name string) error {
	return c.note("delete", 0, 0, c.to.Delete(ctx, name))
}
