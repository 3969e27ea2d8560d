package svcsdk

import (
	"context"
	"sync"
	"time"
)

// fakeClock is a clock that advances only through its methods, or when a caller waits.
type fakeClock struct {
	mu        sync.Mutex
	wall      time.Time
	monotonic time.Duration
	waited    []time.Duration
}

func newFakeClock(wall time.Time) *fakeClock { return &fakeClock{wall: wall} }

func (f *fakeClock) clock() *clock {
	return &clock{
		now: func() time.Time {
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.wall
		},
		monotonic: func() time.Duration {
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.monotonic
		},
		wait: func(ctx context.Context, d time.Duration) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			f.advance(d, d)
			f.mu.Lock()
			defer f.mu.Unlock()
			f.waited = append(f.waited, d)
			return nil
		},
		random: func() float64 { return 0 },
	}
}

func (f *fakeClock) advance(wall, monotonic time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wall = f.wall.Add(wall)
	f.monotonic += monotonic
}

func withClock(c *clock) Option {
	return func(cfg *config) error {
		cfg.clock = c
		return nil
	}
}

// memoryStorage is a storage that is shared by successive clients.
type memoryStorage struct {
	mu    sync.Mutex
	texts map[string]string
}

func (m *memoryStorage) Read(key string) (string, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, ok := m.texts[key]
	return text, ok, nil
}

func (m *memoryStorage) Write(key, value string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.texts == nil {
		m.texts = map[string]string{}
	}
	m.texts[key] = value
	return nil
}

func (m *memoryStorage) Remove(key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.texts, key)
	return nil
}
