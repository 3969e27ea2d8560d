package meter

import (
	"sync"
	"time"
)

// Open is what is open at the moment, such as transactions. The zero value is
// ready, and its methods may be called from any goroutine.
type Open struct {
	mu          sync.Mutex
	first, last *span // by begin; guarded by mu
}

type span struct {
	begin      time.Time
	prev, next *span
}

// Begin notes that something is open until end is called, once.
func (o *Open) Begin() (end func()) {
	s := &span{}
	o.mu.Lock()
	defer o.mu.Unlock()
	s.begin = time.Now()
	if s.prev = o.last; s.prev == nil {
		o.first = s
	} else {
		s.prev.next = s
	}
	o.last = s
	return func() { o.end(s) }
}

func (o *Open) end(s *span) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if s.prev == nil {
		o.first = s.next
	} else {
		s.prev.next = s.next
	}
	if s.next == nil {
		o.last = s.prev
	} else {
		s.next.prev = s.prev
	}
}

// Oldest is for how long that which began first is open; 0 when nothing is.
func (o *Open) Oldest() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.first == nil {
		return 0
	}
	return time.Since(o.first.begin)
}
