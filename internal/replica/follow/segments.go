package follow

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"svc/internal/replica/format"
	"svc/internal/replica/target"
)

const (
	// maxSegment limits the size of a segment that is read, in bytes. A change that is larger than
	// format.MaxSegment has a segment of its own.
	maxSegment = 1 << 30
	// parallel is the number of segments that are read at the same time while the copy catches up.
	parallel = 16
	// contactInterval is how often the last contact of the primary is compared with the log.
	contactInterval = 10 * time.Second
)

// catchUp applies everything at the target that counts.
func (f *Follower) catchUp(ctx context.Context) error {
	if err := f.acquire(ctx); err != nil {
		return err
	}
	defer f.release()
	if f.promoted() {
		return ErrPromoted
	}
	begun := f.config.Now()
	if err := f.applyAll(ctx, false); err != nil {
		return err
	}
	if f.at.promoted() {
		f.end()
		return ErrPromoted
	}
	f.reached(begun)
	return nil
}

func (f *Follower) promoted() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ended
}

// applyAll applies segments until there is no further one that counts, and saves the state. A primary that
// promotes itself sets all: segments then count although an epoch without a cut follows.
func (f *Follower) applyAll(ctx context.Context, all bool) (err error) {
	before := f.at
	defer func() {
		if f.at != before {
			err = errors.Join(err, f.save())
		}
	}()
	for window := 1; ; window = min(2*window, parallel) {
		n, err := f.step(ctx, window, all)
		if err != nil {
			return err
		}
		if n < window {
			if n > 0 { // look again, because an epoch can have ended there
				window = 1
				continue
			}
			return nil
		}
	}
}

// step applies up to window segments, or moves on to the next epoch. It returns 0 if there is nothing
// that counts, and otherwise at least 1.
func (f *Follower) step(ctx context.Context, window int, all bool) (n int, err error) {
	segments, err := f.read(ctx, window)
	if err != nil {
		return 0, err
	}
	// Only now: a primary that stores a segment after the next epoch exists is fenced.
	l, err := readTimeline(ctx, f.config.Target, f.at.Epoch)
	if err != nil {
		return 0, err
	}
	next, cut, err := l.end()
	if err != nil {
		return 0, err
	}
	switch {
	case next > 0 && cut.Segment < f.at.Segment:
		return 0, fmt.Errorf("%w: epoch %d ended with segment %d, and this copy has segment %d",
			ErrNeedsSnapshot, f.at.Epoch, cut.Segment, f.at.Segment)
	case next > 0 && cut.Segment == f.at.Segment:
		return 1, f.enter(l.epochs[next], cut, l.newest)
	case next > 0:
		if left := cut.Segment - f.at.Segment; uint64(len(segments)) > left {
			segments = segments[:left]
		}
	case l.newest > f.at.Epoch && !all:
		return 0, nil // which segments count is known once the cut is there
	}
	if len(segments) == 0 {
		err := f.checkLog(ctx, next > 0)
		if all && errors.Is(err, errGap) {
			f.config.Log.Warn("segments of the primary are missing; the changes in them are lost", "position", f.at.Position)
			err = nil
		}
		return 0, err
	}
	return f.applySegments(segments, all)
}

// read reads up to window segments after the last one, in parallel.
func (f *Follower) read(ctx context.Context, window int) (segments [][]byte, err error) {
	found, errs := make([][]byte, window), make([]error, window)
	var group sync.WaitGroup
	for i := range window {
		group.Go(func() {
			name := format.SegmentName(f.at.Epoch, f.at.Segment+1+uint64(i))
			found[i], errs[i] = target.Read(ctx, f.config.Target, name, maxSegment)
		})
	}
	group.Wait()
	for i, segment := range found {
		if errors.Is(errs[i], target.ErrMissing) {
			break
		}
		if errs[i] != nil {
			if i > 0 {
				break
			}
			return nil, errs[i]
		}
		segments = append(segments, segment)
	}
	return segments, nil
}

// enter moves on to the epoch after the one that ends with a cut. That can be an epoch of this standby, if an attempt to
// promote it was interrupted. If there is a newer epoch by then, the copy remains a standby.
func (f *Follower) enter(next format.Epoch, cut format.Cut, newest uint32) error {
	if cut.SHA256 != f.at.SHA256 {
		return fmt.Errorf("%w: epoch %d continues another history than this copy has", ErrNeedsSnapshot, next.Number)
	}
	f.at.Epoch, f.at.Segment = next.Number, 0
	if own := f.at.Claim; own != nil && own.Number <= next.Number && (own.Owner != next.Owner || newest > own.Number) {
		f.at.Claim = nil // another server has become the primary, or is about to
	}
	f.config.Log.Info("following the primary of the next epoch", "epoch", next.Number, "primary", next.Name, "position", f.at.Position)
	return nil
}

// checkLog returns ErrNeedsSnapshot if the next segment should exist and does not, because it has been deleted.
func (f *Follower) checkLog(ctx context.Context, counts bool) error {
	if !counts {
		if now := f.config.Now(); now.Sub(f.asked) < contactInterval {
			return nil
		}
		contact, err := readObject[format.Contact](ctx, f.config.Target, format.PrimaryName)
		if errors.Is(err, target.ErrMissing) {
			return nil
		}
		if err != nil {
			return err
		}
		f.asked, f.at.Seen = f.config.Now(), max(f.at.Seen, contact.Position)
		if contact.Epoch != f.at.Epoch || contact.Segment <= f.at.Segment {
			return nil
		}
	}
	// it may have been stored since the last request for it
	name := format.SegmentName(f.at.Epoch, f.at.Segment+1)
	content, _, err := f.config.Target.Open(ctx, name)
	if errors.Is(err, target.ErrMissing) {
		return fmt.Errorf("%w: %s does not exist", errGap, name)
	}
	if err != nil {
		return err
	}
	return content.Close()
}

// applySegments applies segments in groups of at most format.MaxSegment bytes. It returns how many it has
// applied. If all is set, a segment that does not continue the log ends it, instead of being an error.
func (f *Follower) applySegments(segments [][]byte, all bool) (n int, err error) {
	var changes []format.Change
	next, size := f.at, 0
	flush := func() error {
		if f.apply == nil {
			return errors.New("follow: Use has not been called")
		}
		if err := f.apply(changes, next.Position); err != nil {
			return &applyError{err}
		}
		f.at, changes, size = next, nil, 0
		f.show()
		return nil
	}
	for _, segment := range segments {
		h, err := check(segment, next)
		if errors.Is(err, errGap) && all {
			f.config.Log.Warn("the log of the primary has a gap; the changes after it are lost", "segment", h.Number, "position", next.Position)
			break
		}
		if err != nil {
			return n, errors.Join(err, flushed(changes, flush))
		}
		_, list, err := format.Open(segment, f.config.Identities...)
		if err != nil {
			return n, errors.Join(fmt.Errorf("%s: %w", format.SegmentName(h.Epoch, h.Number), err), flushed(changes, flush))
		}
		sum := format.SumOf(segment)
		next.Segment, next.SHA256, next.Time = h.Number, hex.EncodeToString(sum[:]), h.End
		next.Position = max(next.Position, h.Last)
		changes = append(changes, list...)
		n++
		for _, c := range list {
			size += len(c.Set) // a compressed segment can be far smaller
		}
		if size >= format.MaxSegment {
			if err := flush(); err != nil {
				return n, err
			}
		}
	}
	return n, flushed(changes, flush)
}

// flushed applies the rest of the changes, if there are any.
func flushed(changes []format.Change, flush func() error) error {
	if len(changes) == 0 {
		return nil
	}
	return flush()
}

// check returns the header of a segment that continues the log after a state.
func check(segment []byte, after state) (h format.Header, err error) {
	name := format.SegmentName(after.Epoch, after.Segment+1)
	if h, err = format.ReadHeader(segment); err != nil {
		return h, fmt.Errorf("%s: %w", name, err)
	}
	before, err := after.sum()
	switch {
	case err != nil:
		return h, err
	case h.Epoch != after.Epoch || h.Number != after.Segment+1:
		return h, fmt.Errorf("%s: %w: it is segment %d of epoch %d", name, format.ErrInvalid, h.Number, h.Epoch)
	case h.Before != before:
		return h, fmt.Errorf("%s: %w: it continues another segment than the one before it", name, format.ErrInvalid)
	case h.After > after.Position:
		return h, fmt.Errorf("%w: %s begins after position %d, and this copy ends at %d", errGap, name, h.After, after.Position)
	}
	return h, nil
}
