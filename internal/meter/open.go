package meter

import (
	"sync"
	"time"
)

// Open is what is open at the moment, such as transactions. The zero value is
// ready, and its methods may be called from any goroutine.
type Open struct {
	mu     sync.Mutex
	number uint64               // of the last one that began; guarded by mu
	begun  map[uint64]time.Time // by number; guarded by mu
}

// Begin notes that something is open until end is called, once.
func (o *Open) Begin() (end func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.begun == nil {
		o.begun = map[uint64]time.Time{}
	}
	o.number++
	number := o.number
	o.begun[number] = time.Now()
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.begun, number)
	}
}

// Oldest is for how long that which began first is open; 0 when nothing is.
func (o *Open) Oldest() (age time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, begun := range o.begun {
		age = max(age, time.Since(begun))
	}
	return age
}
