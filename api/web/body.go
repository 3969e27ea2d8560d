package web

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"svc/internal/fault"
	"svc/internal/limit"
)

// Limits of request bodies, in bytes.
const (
	AuthBodyLimit   = 4 << 10
	CheckBodyLimit  = 64 << 10 // of update checks
	PublicBodyLimit = 1 << 20
	AdminBodyLimit  = 32 << 20
)

const (
	// firstPiece is the maximum initial size of the buffer of a body. Each connection has such
	// buffers anyway, so this much does not count against the budget, and small bodies are read
	// even if the budget is used up.
	firstPiece = 4 << 10
	// arrivalTime is how long a body may take to arrive before it counts as in
	// progress. Most bodies arrive with their header.
	arrivalTime = 250 * time.Millisecond
	// stallTime is the maximum pause of a body above MinBytesPerSecond.
	stallTime = 30 * time.Second

	bodiesPerAddress = 8
	largePerAddress  = 2 // of bodies above PublicBodyLimit
)

// Bodies limits the memory and the number of the request bodies of callers without a credential
// that could be checked first. It is safe for concurrent use.
type Bodies struct {
	memory   *limit.Budget // bytes of buffers above firstPiece
	arriving *limit.Slots  // bodies in progress, by address

	// Bodies above PublicBodyLimit may take seven eighths of memory, and those of one address
	// half of that. So with the default, the largest delivery fits beside those of any other
	// address.
	large      *limit.Budget
	largeOf    *limit.Slots // their number, by address
	largeBytes *limit.Slots // their bytes, by address

	// The bodies that are being received form a ring, in the order in which they began. One timer
	// watches it, because a timer for each small request would cost a microsecond.
	mu       sync.Mutex // guards the fields below, and prev, next, begun and late of bodies
	ends     body       // its next is the body that began first, its prev the last one
	watching bool       // the timer is set
}

// NewBodies returns limits with a budget in bytes.
func NewBodies(budget int64) *Bodies {
	b := &Bodies{
		memory: limit.NewBudget(budget), arriving: limit.NewSlots(bodiesPerAddress),
		large: limit.NewBudget(budget * 7 / 8), largeOf: limit.NewSlots(largePerAddress), largeBytes: limit.NewSlots(budget * 7 / 16),
	}
	b.ends.prev, b.ends.next = &b.ends, &b.ends
	return b
}

// begin watches a body that is about to be received.
func (b *Bodies) begin(r *Request, now time.Time) {
	one := &r.body
	b.mu.Lock()
	defer b.mu.Unlock()
	one.request, one.begun = r, now
	one.prev, one.next = b.ends.prev, &b.ends
	one.prev.next, b.ends.prev = one, one
	if !b.watching {
		b.watching = true
		time.AfterFunc(arrivalTime, b.findLate)
	}
}

// end stops watching a body and reports whether it was late.
func (b *Bodies) end(one *body) (late bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !one.late {
		one.unlink()
	}
	return one.late
}

// findLate counts the bodies that have not arrived in time as in progress.
func (b *Bodies) findLate() {
	var late []*Request
	b.mu.Lock()
	now := time.Now()
	first := b.ends.next
	for ; first != &b.ends && now.Sub(first.begun) >= arrivalTime; first = b.ends.next {
		first.late = true
		first.unlink()
		late = append(late, first.request)
	}
	if b.watching = first != &b.ends; b.watching {
		time.AfterFunc(arrivalTime-now.Sub(first.begun), b.findLate)
	}
	b.mu.Unlock()
	for _, r := range late {
		r.becomeLate()
	}
}

// Budget returns the bytes that bodies hold, and the bytes that they may hold.
func (b *Bodies) Budget() (used, size int64) { return b.memory.Used(), b.memory.Size() }

// Refused returns the number of bodies refused because the budget was used up, and
// because their address had too many.
func (b *Bodies) Refused() (byBudget, byAddress uint64) {
	return b.memory.Refused() + b.large.Refused(), b.arriving.Refused() + b.largeOf.Refused() + b.largeBytes.Refused()
}

// body is the body of a request, with its part of the limits in Bodies.
type body struct {
	bytes []byte
	err   error
	read  bool
	held  int64 // bytes of Bodies.memory
	large bool  // has a slot of Bodies.largeOf, and held is also of Bodies.large and Bodies.largeBytes

	request    *Request // that it belongs to, while it is received
	prev, next *body    // in the ring of Bodies
	begun      time.Time
	late       bool // it was taken out of the ring because it did not arrive in time

	mu      sync.Mutex // guards the fields below
	ended   bool
	slot    bool // has a slot of Bodies.arriving
	refused bool // found none
}

func (b *body) unlink() { b.prev.next, b.next.prev = b.next, b.prev }

var (
	errNoMemory = error(fault.New(fault.Unavailable, "too many request bodies are being received; try again in a second").After(time.Second))
	errArriving = error(fault.New(fault.Unavailable,
		"at most %d request bodies of one address may be on their way at a time; try again in a second", bodiesPerAddress).After(time.Second))
	errLarge = error(fault.New(fault.Unavailable,
		"at most %d request bodies above %d bytes of one address are received at a time; try "+
			"again in a second", largePerAddress, PublicBodyLimit).After(time.Second))
	errBroken = error(fault.New(fault.Invalid, "the request body ended early"))
)

func errTooLarge(limit int64) error {
	return fault.New(fault.TooLarge, "the request body must have at most %d bytes", limit)
}

// ReadBody reads the request body once, within the route's limit.
func (r *Request) ReadBody() ([]byte, error) {
	if !r.body.read {
		r.body.bytes, r.body.err = r.readBody()
		r.body.read = true
	}
	return r.body.bytes, r.body.err
}

func (r *Request) readBody() ([]byte, error) {
	limit := r.Route.BodyLimit
	if r.ContentLength > limit {
		return nil, errTooLarge(limit)
	}
	from, size := io.Reader(r.Body), r.ContentLength
	if size < 0 { // net/http reads no more than a length that is known
		from, size = http.MaxBytesReader(r.Writer, r.Body, limit), limit+1
	}
	b, err := r.receive(from, size)
	if err != nil || r.ContentLength < 0 || r.ContentLength > MinBytesPerSecond {
		r.restartDeadline()
	}
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, errTooLarge(limit)
	}
	if fault.Is(err, fault.Unavailable) {
		r.stopReading()
		return nil, err
	}
	if err != nil {
		return nil, errBroken
	}
	return b, nil
}

// restartDeadline restarts the write timeout, which has been running since the header came. After
// a slow body, or a wait, it may be nearly over.
func (r *Request) restartDeadline() {
	_ = http.NewResponseController(r.Writer).SetWriteDeadline(time.Now().Add(30 * time.Second))
}

// receive reads a body of ContentLength bytes, or up to its end if that is unknown. The
// buffer grows with the bytes that have arrived, up to size.
func (r *Request) receive(from io.Reader, size int64) (b []byte, err error) {
	if size == 0 {
		return nil, nil
	}
	begin := time.Now()
	if r.Route.Bodies != nil && r.Addr.IsValid() {
		r.Route.Bodies.begin(r, begin)
		defer func() {
			if refused := r.arrived(); refused && err != nil {
				err = errArriving
			}
		}()
	}
	if r.ContentLength > MinBytesPerSecond {
		r.extend(begin, 0)
	}
	b = make([]byte, 0, min(size, firstPiece))
	for {
		n, err := from.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case int64(len(b)) == r.ContentLength, errors.Is(err, io.EOF) && r.ContentLength < 0:
			return b, nil
		case err != nil:
			return nil, err
		case len(b) == cap(b):
			if b, err = r.grow(b, size); err != nil {
				return nil, err
			}
		}
		if len(b) > MinBytesPerSecond {
			r.extend(begin, len(b))
		}
	}
}

// grow doubles a full buffer, up to size, within the limits for callers without a credential.
func (r *Request) grow(b []byte, size int64) ([]byte, error) {
	next := min(2*int64(cap(b)), size)
	if r.Route.Bodies != nil {
		if err := r.body.take(r, next, len(b) >= PublicBodyLimit); err != nil {
			return nil, err
		}
	}
	return append(make([]byte, 0, next), b...), nil
}

// take takes the bytes that a buffer of next bytes needs beyond those that the body holds.
// Once large is true, the body exceeds PublicBodyLimit.
func (b *body) take(r *Request, next int64, large bool) error {
	from, more := r.Route.Bodies, next-b.held
	if !large {
		if !from.memory.Take(more) {
			return errNoMemory
		}
		b.held = next
		return nil
	}
	address := limit.AddrKey(r.Addr)
	if !b.large {
		if !from.largeOf.Take(address, 1) {
			return errLarge
		}
		if !from.takeLarge(address, b.held) {
			from.largeOf.Return(address, 1)
			return errNoMemory
		}
		b.large = true
	}
	if !from.takeLarge(address, more) {
		return errNoMemory
	}
	if !from.memory.Take(more) {
		from.returnLarge(address, more)
		return errNoMemory
	}
	b.held = next
	return nil
}

// takeLarge takes n bytes for a body above PublicBodyLimit, beside those of memory.
func (b *Bodies) takeLarge(address string, n int64) bool {
	if !b.largeBytes.Take(address, n) {
		return false
	}
	if !b.large.Take(n) {
		b.largeBytes.Return(address, n)
		return false
	}
	return true
}

func (b *Bodies) returnLarge(address string, n int64) {
	b.large.Return(n)
	b.largeBytes.Return(address, n)
}

// Release returns the memory and slots of the body and the answer. The server calls it when the
// request has been answered.
func (r *Request) Release() {
	r.releaseAnswer()
	b := &r.body
	if b.held > 0 {
		r.Route.Bodies.memory.Return(b.held)
	}
	if b.large {
		address := limit.AddrKey(r.Addr)
		r.Route.Bodies.returnLarge(address, b.held)
		r.Route.Bodies.largeOf.Return(address, 1)
	}
	b.held, b.large = 0, false
}

// becomeLate counts a body that has not arrived in time as in progress, and ends its
// request if its address has too many.
func (r *Request) becomeLate() {
	b := &r.body
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return
	}
	b.slot = r.Route.Bodies.arriving.Take(limit.AddrKey(r.Addr), 1)
	if b.refused = !b.slot; b.refused {
		r.stopReading()
	}
}

// arrived ends what becomeLate began and reports whether that refused the body.
func (r *Request) arrived() (refused bool) {
	b := &r.body
	if !r.Route.Bodies.end(b) {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	if b.slot {
		r.Route.Bodies.arriving.Return(limit.AddrKey(r.Addr), 1)
	}
	return b.refused
}

// extend gives a large body more time: 30 seconds and one more for each MinBytesPerSecond
// received since begin, but at most stallTime from now.
func (r *Request) extend(begin time.Time, arrived int) {
	r.body.mu.Lock()
	defer r.body.mu.Unlock()
	if r.body.refused {
		return
	}
	deadline := begin.Add(30*time.Second + time.Duration(arrived)*time.Second/MinBytesPerSecond)
	if soon := time.Now().Add(stallTime); soon.Before(deadline) {
		deadline = soon
	}
	_ = http.NewResponseController(r.Writer).SetReadDeadline(deadline)
}

// stopReading ends a read of the body that is blocked and keeps net/http from reading
// the remainder.
func (r *Request) stopReading() {
	_ = http.NewResponseController(r.Writer).SetReadDeadline(time.Unix(1, 0))
}

// Stream returns the body, without a limit, for a handler that does not decode it. Read errors
// are the client's and have the kind Invalid.
func (r *Request) Stream() io.Reader { return stream{r.Body} }

type stream struct{ io.Reader }

// Read reads from the body.
func (s stream) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = errBroken
	}
	return n, err
}
