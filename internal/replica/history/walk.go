package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"svc/internal/replica/format"
	"svc/internal/replica/target"
)

// Segment is a segment that counts.
type Segment struct {
	format.Header
	Name    string // of the object
	Sum     format.Sum
	Changes []format.Change // also those that the snapshot contains, from which the walk began
}

// End is where a walk has ended.
type End struct {
	Position uint64 // the last position of the history
	Time     int64  // of the change at that position, or of the snapshot if no change follows it; Unix milliseconds
	Segments int    // number of segments that were visited
	// Gap is not nil if the walk ended before an object because changes before it are not at the target. Gap names
	// that object. Only a later snapshot can continue there.
	Gap *Error
}

// maxObject limits the size of a segment, in bytes.
const maxObject = 1 << 30

// ahead is the number of segments that are read at the same time, because the latency of a target can be far longer
// than the transfer of a segment.
const ahead = 6

// Walk visits the segments after a snapshot in order, until visit returns an error, which Walk returns. Each segment
// was verified: its checksums, its place in the epochs, and the segment that it continues. The error is an *Error, or
// one of visit. The result describes the last segment that was visited without an error.
func (h *History) Walk(ctx context.Context, from format.Manifest, visit func(Segment) error) (End, error) {
	return h.walk(ctx, from, nil, visit)
}

// walk is like Walk, but ends before the first segment after the snapshot to, if that is not nil, and verifies that
// the snapshot continues the segments.
func (h *History) walk(ctx context.Context, from format.Manifest, to *format.Manifest, visit func(Segment) error) (End, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	before, err := parseSum(from.Before)
	if err != nil {
		return End{}, err
	}
	c := chain{before: before, end: End{Position: from.Position, Time: from.Time}}
	r := reader{h: h, ctx: ctx, ahead: place{from.Epoch, from.Next}}
	at := r.ahead
	for {
		if err := c.cross(h, &at); err != nil || c.end.Gap != nil {
			return c.end, err
		}
		if to != nil && !at.less(h.settle(place{to.Epoch, to.Next})) {
			return c.end, c.meet(*to)
		}
		s, err := r.next()
		if errors.Is(err, target.ErrMissing) && at.epoch == h.Epoch {
			if s, err = h.recheck(ctx, at); s == nil && err == nil {
				return c.end, nil
			}
		}
		if err == nil {
			err = c.add(at, s)
		}
		if err != nil || c.end.Gap != nil {
			return c.end, err
		}
		if err := visit(*s); err != nil {
			return c.end, err
		}
		c.end.Position, c.end.Time, c.end.Segments = max(c.end.Position, s.Last), max(c.end.Time, s.End), c.end.Segments+1
		at.number++
	}
}

// place identifies a segment.
type place struct {
	epoch  uint32
	number uint64
}

func (p place) less(other place) bool {
	return p.epoch < other.epoch || p.epoch == other.epoch && p.number < other.number
}

// settle returns the place of the next segment that counts, which is in a later epoch if the cut is before p.
func (h *History) settle(p place) place {
	for i := h.index(p.epoch); h.epochs[i].cut != nil && p.number > h.epochs[i].cut.Segment; i++ {
		p = place{h.epochs[i+1].number, 1}
	}
	return p
}

// chain verifies that each segment continues the one before it.
type chain struct {
	before format.Sum // of the last segment
	last   *Segment   // nil before the first
	end    End
}

// cross moves p to the next epoch if it is behind the last segment of its own, and verifies the cuts between.
func (c *chain) cross(h *History, p *place) error {
	for i := h.index(p.epoch); h.epochs[i].cut != nil && p.number > h.epochs[i].cut.Segment; i++ {
		cut, name := h.epochs[i].cut, format.CutName(h.epochs[i+1].number)
		sum, err := parseSum(cut.SHA256)
		switch {
		case err != nil:
			return &Error{name, fmt.Errorf("%w: %w", format.ErrInvalid, err)}
		case sum != c.before:
			return &Error{name, fmt.Errorf("%w: it names another last segment of epoch %d", ErrForked, cut.Epoch)}
		case c.last != nil && cut.Position < c.last.Last:
			return &Error{name, fmt.Errorf("%w: it is at position %d, its last segment at %d", ErrForked, cut.Position, c.last.Last)}
		case cut.Position > c.end.Position:
			c.end.Gap = gap(name, c.end.Position, cut.Position)
			return nil
		}
		*p = place{h.epochs[i+1].number, 1}
	}
	return nil
}

// add verifies that a segment that was read from p continues the last one.
func (c *chain) add(p place, s *Segment) error {
	switch {
	case s.Epoch != p.epoch || s.Number != p.number:
		return &Error{s.Name, fmt.Errorf("%w: its content is segment %d of epoch %d", ErrForked, s.Number, s.Epoch)}
	case s.Before != c.before:
		return &Error{s.Name, fmt.Errorf("%w: it names another segment before it", ErrForked)}
	case c.last != nil && s.After < c.last.Last:
		return &Error{s.Name, fmt.Errorf("%w: it begins after position %d, the segment before ends at %d", ErrForked, s.After, c.last.Last)}
	case c.last != nil && s.Begin < c.last.End:
		return &Error{s.Name, fmt.Errorf("%w: it begins before the end of the segment before it", ErrForked)}
	case s.After > c.end.Position:
		c.end.Gap = gap(s.Name, c.end.Position, s.After)
		return nil
	}
	c.before, c.last = s.Sum, s
	return nil
}

// meet verifies that a snapshot continues the last segment.
func (c *chain) meet(m format.Manifest) error {
	if sum, err := parseSum(m.Before); err != nil || sum != c.before {
		return &Error{format.ManifestName(m.Position), fmt.Errorf("%w: it names another segment before it", ErrForked)}
	}
	return nil
}

func gap(object string, from, to uint64) *Error {
	return &Error{object, fmt.Errorf("changes between the positions %d and %d are not at the target", from, to)}
}

// reader reads segments in order, several at the same time.
type reader struct {
	h     *History
	ctx   context.Context
	ahead place // of the next segment to request
	queue []chan reading
}

// reading is the result of reading a segment.
type reading struct {
	segment *Segment
	err     error
}

// next returns the next segment. The error is an *Error.
func (r *reader) next() (*Segment, error) {
	for len(r.queue) < ahead {
		r.ahead = r.h.settle(r.ahead)
		result, p := make(chan reading, 1), r.ahead
		go func() {
			s, err := r.h.segment(r.ctx, p)
			result <- reading{s, err}
		}()
		r.queue = append(r.queue, result)
		r.ahead.number++
	}
	first := <-r.queue[0]
	r.queue = r.queue[1:]
	return first.segment, first.err
}

// segment reads and decodes a segment. The error is an *Error.
func (h *History) segment(ctx context.Context, p place) (*Segment, error) {
	name := format.SegmentName(p.epoch, p.number)
	b, err := readObject(ctx, h.target, name, maxObject)
	if err != nil {
		return nil, err
	}
	s := &Segment{Name: name, Sum: format.SumOf(b)}
	if h.sealed {
		s.Header, err = format.ReadHeader(b)
	}
	if err == nil && (!h.sealed || !s.Encrypted) {
		s.Header, s.Changes, err = format.Open(b, h.identities...)
	}
	if err != nil {
		return nil, &Error{name, err}
	}
	return s, nil
}

// recheck is called when a segment of the newest epoch is missing. It returns nil if that is the end of the log. If
// there are later segments, recheck reads the segment again, because the primary may just have stored it.
func (h *History) recheck(ctx context.Context, p place) (*Segment, error) {
	last, err := h.lastSegment(ctx, p.epoch)
	if err != nil || last < p.number {
		return nil, err
	}
	return h.segment(ctx, p)
}

// lastSegment returns the highest number of a segment in an epoch, or 0 if there is none.
func (h *History) lastSegment(ctx context.Context, epoch uint32) (last uint64, err error) {
	folder := format.LogFolder(epoch)
	err = h.target.List(ctx, folder, func(o target.Object) error {
		n, err := strconv.ParseUint(strings.TrimPrefix(o.Name, folder+"/"), 10, 64)
		if err == nil && o.Name == format.SegmentName(epoch, n) {
			last = max(last, n)
		}
		return nil
	})
	return last, err
}

// lastHeader returns the header of the last segment that counts. It is zero if there is none at the target.
func (h *History) lastHeader(ctx context.Context) (header format.Header, err error) {
	for _, e := range slices.Backward(h.epochs) {
		var number uint64
		if e.cut != nil {
			number = e.cut.Segment
		} else if number, err = h.lastSegment(ctx, e.number); err != nil {
			return header, err
		}
		if number == 0 {
			continue
		}
		name := format.SegmentName(e.number, number)
		b, err := readObject(ctx, h.target, name, maxObject)
		if errors.Is(err, target.ErrMissing) { // a snapshot contains it
			return header, nil
		}
		if err != nil {
			return header, err
		}
		if header, err = format.ReadHeader(b); err != nil {
			return header, &Error{name, err}
		}
		return header, nil
	}
	return header, nil
}
