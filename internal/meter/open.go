package meter

import (
	"sync"
	"time"
)

// Open tracks things that are open at present, such as transactions. The zero value is
// ready to use. It is safe for concurrent use.
type Open struct {
	mu     sync.Mutex
	number uint64               // the number that was assigned last; guarded by mu
	begun  map[uint64]time.Time // start of each open thing, by its number; guarded by mu
}

// Begin records that a thing has been opened. The caller must call end once, when the
// thing is closed.
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

// Oldest returns the age of the thing that has been open for the longest time, or 0 if
// none is open.
func (o *Open) Oldest() (age time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, begun := range o.begun {
		age = max(age, time.Since(begun))
	}
	return age
}
