package replica

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"sync"
	"time"

	"svc/internal/replica/target"
)

// Counters count the requests to a target since the start.
type Counters struct {
	Requests, Failures map[string]uint64 // by operation: create, replace, open, list, delete
	Bytes              uint64            // sent
}

// counted counts the requests to a target, and gives each one a time limit.
type counted struct {
	target.Target

	mu    sync.Mutex // guards everything below
	total Counters
	hours [24]hour
}

// hour counts what was sent in one hour.
type hour struct{ number, requests, bytes int64 }

const (
	// requestTime is the time limit of a request, in addition to the time for its content at slowest bytes per second.
	requestTime = 30 * time.Second
	slowest     = 64 << 10
)

// limited returns a context for a request with a content of the given size.
func limited(ctx context.Context, size int64) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, requestTime+time.Duration(size/slowest)*time.Second)
}

func (c *counted) note(operation string, bytes int64, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.total.Requests == nil {
		c.total.Requests, c.total.Failures = map[string]uint64{}, map[string]uint64{}
	}
	c.total.Requests[operation]++
	if err != nil && !errors.Is(err, target.ErrExists) && !errors.Is(err, target.ErrMissing) {
		c.total.Failures[operation]++
	}
	c.total.Bytes += uint64(bytes)
	number := time.Now().Unix() / 3600
	h := &c.hours[number%int64(len(c.hours))]
	if h.number != number {
		*h = hour{number: number}
	}
	h.requests, h.bytes = h.requests+1, h.bytes+bytes
	return err
}

// day returns the number of requests and of bytes sent in the last 24 hours.
func (c *counted) day() (requests, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now().Unix() / 3600
	for _, h := range c.hours {
		if now-h.number < int64(len(c.hours)) {
			requests, bytes = requests+h.requests, bytes+h.bytes
		}
	}
	return requests, bytes
}

func (c *counted) counters() Counters {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Counters{Requests: maps.Clone(c.total.Requests), Failures: maps.Clone(c.total.Failures), Bytes: c.total.Bytes}
}

// Create implements target.Target.
func (c *counted) Create(ctx context.Context, name string, content io.ReaderAt, size int64) error {
	ctx, cancel := limited(ctx, size)
	defer cancel()
	return c.note("create", size, c.Target.Create(ctx, name, content, size))
}

// Replace implements target.Target.
func (c *counted) Replace(ctx context.Context, name string, content []byte) error {
	ctx, cancel := limited(ctx, int64(len(content)))
	defer cancel()
	return c.note("replace", int64(len(content)), c.Target.Replace(ctx, name, content))
}

// Open implements target.Target. The target must answer within requestTime. The time limit for the content is that of a
// part of a snapshot.
func (c *counted) Open(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	ctx, cancel := limited(ctx, 64<<20)
	unanswered := time.AfterFunc(requestTime, cancel)
	content, size, err := c.Target.Open(ctx, name)
	if !unanswered.Stop() && err != nil {
		err = fmt.Errorf("%s: no answer within %v", name, requestTime)
	}
	if c.note("open", 0, err) != nil {
		cancel()
		return nil, 0, err
	}
	return cancelling{content, cancel}, size, nil
}

// cancelling cancels a context when it is closed.
type cancelling struct {
	io.ReadCloser
	cancel context.CancelFunc
}

// Close closes the reader.
func (c cancelling) Close() error {
	defer c.cancel()
	return c.ReadCloser.Close()
}

// List implements target.Target.
func (c *counted) List(ctx context.Context, folder string, visit func(target.Object) error) error {
	return c.note("list", 0, c.Target.List(ctx, folder, visit))
}

// Delete implements target.Target.
func (c *counted) Delete(ctx context.Context, name string) error {
	ctx, cancel := limited(ctx, 0)
	defer cancel()
	return c.note("delete", 0, c.Target.Delete(ctx, name))
}

// delete deletes objects.
func (c *counted) delete(ctx context.Context, names []string) error {
	for _, name := range names {
		if err := c.Delete(ctx, name); err != nil {
			return err
		}
	}
	return nil
}
