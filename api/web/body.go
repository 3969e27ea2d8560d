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
	CheckBodyLimit  = 64 << 10 // for the bodies of update checks
	PublicBodyLimit = 1 << 20
	AdminBodyLimit  = 32 << 20
)

const (
	// firstPiece is the maximum initial size of the buffer of a body. This first piece does not
	// count against the budget, because each connection has buffers of that size anyway. Small
	// bodies can therefore be read even if the budget is used up.
	firstPiece = 4 << 10
	// arrivalTime is the time within which a body must arrive. After that it counts as a body in
	// progress. Most bodies arrive together with their header.
	arrivalTime = 250 * time.Millisecond
	// stallTime is the maximum time between two reads of a body that is larger than
	// MinBytesPerSecond bytes.
	stallTime = 30 * time.Second

	bodiesPerAddress = 8
	largePerAddress  = 2 // the maximum for bodies larger than PublicBodyLimit
)

// Bodies limits the number of request bodies, and the memory for them, on routes that require no
// credential. It is safe for concurrent use.
type Bodies struct {
	memory   *limit.Budget // bytes of buffers above firstPiece
	arriving *limit.Slots  // bodies in progress, by address

	// large limits the memory of all bodies larger than PublicBodyLimit to seven eighths of memory.
	// largeBytes limits those from one address to half of that. With the default budget, the
	// largest delivery therefore fits even while another address uses its maximum.
	large      *limit.Budget
	largeOf    *limit.Slots // the number of large bodies, by address
	largeBytes *limit.Slots // the bytes of large bodies, by address

	// The bodies that are being received form a ring, in the order in which they began. A single
	// timer watches the whole ring, because setting a timer for each body would add a microsecond
	// to every small request.
	mu       sync.Mutex // guards the fields below, and prev, next, begun and late of bodies
	ends     body       // ends.next began first, ends.prev began last
	watching bool       // the timer is set
}

// NewBodies returns a Bodies with the given memory budget in bytes.
func NewBodies(budget int64) *Bodies {
	b := &Bodies{
		memory: limit.NewBudget(budget), arriving: limit.NewSlots(bodiesPerAddress),
		large: limit.NewBudget(budget * 7 / 8), largeOf: limit.NewSlots(largePerAddress), largeBytes: limit.NewSlots(budget * 7 / 16),
	}
	b.ends.prev, b.ends.next = &b.ends, &b.ends
	return b
}

// begin starts watching the body of r. It must be called before the body is read.
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

// end stops watching a body and reports whether it failed to arrive within arrivalTime.
func (b *Bodies) end(one *body) (late bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !one.late {
		one.unlink()
	}
	return one.late
}

// findLate finds the bodies that have not arrived within arrivalTime and counts them as in
// progress.
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

// Budget returns the number of bytes that bodies hold and the maximum that they may hold.
func (b *Bodies) Budget() (used, size int64) { return b.memory.Used(), b.memory.Size() }

// Refused returns the number of bodies that were refused because the budget was used up, and the
// number that were refused because their address had too many bodies in progress.
func (b *Bodies) Refused() (byBudget, byAddress uint64) {
	return b.memory.Refused() + b.large.Refused(), b.arriving.Refused() + b.largeOf.Refused() + b.largeBytes.Refused()
}

// body is a request body, together with the memory and the slots of Bodies that it holds.
type body struct {
	bytes []byte
	err   error
	read  bool
	held  int64 // bytes of Bodies.memory
	large bool  // it has a slot of Bodies.largeOf, and held counts against Bodies.large too

	request    *Request // the request of the body while the body is being received
	prev, next *body    // neighbours in the ring of Bodies
	begun      time.Time
	late       bool // it did not arrive within arrivalTime and was removed from the ring

	mu      sync.Mutex // guards the fields below
	ended   bool
	slot    bool // has a slot of Bodies.arriving
	refused bool // there was no free slot, so the body was refused
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

// ReadBody returns the request body. It reads the body on the first call, up to the route's limit.
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

// restartDeadline restarts the write timeout. The timeout started when the header arrived, so it
// may have nearly expired after a slow body or a wait.
func (r *Request) restartDeadline() {
	_ = http.NewResponseController(r.Writer).SetWriteDeadline(time.Now().Add(30 * time.Second))
}

// receive reads a body of ContentLength bytes, or until EOF if the length is unknown. The buffer
// grows as bytes arrive, up to size bytes.
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

// grow doubles the size of the full buffer b, up to size bytes. It returns an error if the route's
// limits in Bodies do not permit that.
func (r *Request) grow(b []byte, size int64) ([]byte, error) {
	next := min(2*int64(cap(b)), size)
	if r.Route.Bodies != nil {
		if err := r.body.take(r, next, len(b) >= PublicBodyLimit); err != nil {
			return nil, err
		}
	}
	return append(make([]byte, 0, next), b...), nil
}

// take reserves more memory for the body. The parameter next is the total number of bytes that the
// body then holds. The parameter large must be true if the body exceeds PublicBodyLimit.
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

// takeLarge reserves n bytes in the limits for bodies larger than PublicBodyLimit. It does not
// reserve them in b.memory. It reports whether there was enough room, and otherwise reserves
// nothing.
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

// Release gives back the memory and slots of the body and the response. The server calls it when the
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

// becomeLate counts the body, which has not arrived in time, as in progress. If the address has too
// many bodies in progress, becomeLate stops reading the body.
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

// arrived stops watching the body and gives back the slot that becomeLate took. It reports whether
// becomeLate refused the body.
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

// extend sets a new read deadline for a body that is larger than MinBytesPerSecond bytes. The
// deadline is 30 seconds after the time begin, plus one second for each MinBytesPerSecond bytes
// that have arrived, but at most stallTime from now.
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

// stopReading unblocks a pending read of the body and prevents net/http from reading the remainder.
func (r *Request) stopReading() {
	_ = http.NewResponseController(r.Writer).SetReadDeadline(time.Unix(1, 0))
}

// Stream returns a reader of the body, without a size limit, for a handler that does not decode it.
// Read errors have the kind Invalid, because the client causes them.
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
