package replica

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"svc/internal/replica/format"
	"svc/internal/replica/target"
)

// errRefused is wrapped by errors after which replication does not take place until the next start.
var errRefused = errors.New("the changes are not replicated")

// errFenced is returned when another server has become the primary.
var errFenced = errors.New("another server is the primary")

// connect makes the first contact after a start. It reads the data ID and the epoch of the replica.
func (p *Primary) connect(ctx context.Context) error {
	identity, err := p.identify(ctx)
	if err != nil {
		return err
	}
	if identity.Data != p.config.Data {
		return fmt.Errorf("%w: the replica at %s is one of other data", errRefused, p.config.Location)
	}
	if err := p.testCreateOnly(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	s := p.state
	p.mu.Unlock()
	if s.Replica != identity.ID {
		newest, _, err := p.epochs(ctx)
		if err != nil {
			return err
		}
		p.pending = nil
		if newest > 0 { // another server may have written since, and the changes would not continue its history
			p.config.Spool.Break("the state of the replication is missing, or of another replica")
		}
		if err := p.update(func(s *State) {
			*s = State{Replica: identity.ID, Owner: newOwner(), Epoch: newest + 1, Gap: true}
		}); err != nil {
			return err
		}
	}
	if !s.Begun || s.Replica != identity.ID {
		if err := p.begin(ctx); err != nil {
			return err
		}
	}
	return p.checkOwner(ctx)
}

// identify returns the identity of the replica, which it creates if there is none.
func (p *Primary) identify(ctx context.Context) (identity format.Identity, err error) {
	own := format.Encode(format.Identity{Format: format.Version, ID: rand.Text(), Data: p.config.Data})
	for range 2 {
		var b []byte
		b, err = target.Read(ctx, p.target, format.IdentityName, format.MaxJSON)
		if err == nil {
			return format.Decode[format.Identity](b)
		}
		if !errors.Is(err, target.ErrMissing) {
			return identity, err
		}
		err = p.target.Create(ctx, format.IdentityName, bytes.NewReader(own), int64(len(own)))
		if err != nil && !errors.Is(err, target.ErrExists) {
			return identity, err
		}
	}
	return identity, err
}

// testCreateOnly finds out whether the target replaces objects that exist.
func (p *Primary) testCreateOnly(ctx context.Context) error {
	honoured, err := target.CreateOnly(ctx, p.target)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.createOnly && !honoured {
		p.log.Warn("the target of the replication replaces objects that exist, so that it cannot tell two primaries apart",
			"target", p.config.Location)
	}
	p.createOnly, p.tested = honoured, time.Now()
	return nil
}

// epochs returns the number of the newest epoch, and that of the newest one that has a history: the first one,
// or one with a cut. They are 0 if there is none.
func (p *Primary) epochs(ctx context.Context) (newest, last uint32, err error) {
	number := func(folder string, visit func(n uint32)) error {
		return p.target.List(ctx, folder, func(o target.Object) error {
			var n uint32
			if _, err := fmt.Sscanf(o.Name, folder+"/%d", &n); err == nil && o.Name == fmt.Sprintf("%s/%010d", folder, n) {
				visit(n)
			}
			return nil
		})
	}
	err = number(format.Epochs, func(n uint32) {
		newest = max(newest, n)
		if n == 1 {
			last = max(last, 1)
		}
	})
	if err == nil {
		err = number(format.Cuts, func(n uint32) { last = max(last, n) })
	}
	return newest, last, err
}

// begin begins the epoch of the state: it creates the epoch and its cut.
func (p *Primary) begin(ctx context.Context) error {
	p.mu.Lock()
	s := p.state
	p.mu.Unlock()
	own := format.Encode(format.Epoch{
		Format: format.Version, Number: s.Epoch, Owner: s.Owner, Name: p.config.Host, Time: time.Now().UnixMilli(),
	})
	err := p.target.Create(ctx, format.EpochName(s.Epoch), bytes.NewReader(own), int64(len(own)))
	if err != nil && !errors.Is(err, target.ErrExists) {
		return err
	}
	if err := p.checkOwner(ctx); err != nil { // the object may be from an attempt whose answer was lost
		return err
	}
	var cut format.Cut
	if s.Epoch > 1 {
		if cut, err = p.cut(ctx, s.Epoch); err != nil {
			return err
		}
	}
	if at := p.config.Spool.Position(); at < cut.Position {
		return fmt.Errorf("%w: the replica is at position %d, and this directory is older, at %d", errRefused, cut.Position, at)
	}
	return p.update(func(s *State) {
		s.Begun, s.Next, s.Before, s.Position = true, 1, cut.SHA256, cut.Position
	})
}

// cut returns the cut with which an epoch of this server begins. It creates the cut if there is none.
func (p *Primary) cut(ctx context.Context, epoch uint32) (cut format.Cut, err error) {
	name := format.CutName(epoch)
	b, err := target.Read(ctx, p.target, name, format.MaxJSON)
	if err == nil {
		return format.Decode[format.Cut](b)
	}
	if !errors.Is(err, target.ErrMissing) {
		return cut, err
	}
	_, last, err := p.epochs(ctx)
	if err != nil {
		return cut, err
	}
	cut = format.Cut{Format: format.Version, Epoch: last}
	if last > 1 {
		b, err := target.Read(ctx, p.target, format.CutName(last), format.MaxJSON)
		if err != nil {
			return cut, err
		}
		before, err := format.Decode[format.Cut](b)
		if err != nil {
			return cut, err
		}
		cut.SHA256, cut.Position = before.SHA256, before.Position
	}
	if cut.Segment, err = p.lastSegment(ctx, last); err != nil {
		return cut, err
	}
	if cut.Segment > 0 {
		segment, err := target.Read(ctx, p.target, format.SegmentName(last, cut.Segment), maxSegment)
		if err != nil {
			return cut, err
		}
		h, err := format.ReadHeader(segment)
		if err != nil {
			return cut, err
		}
		sum := format.SumOf(segment)
		cut.SHA256, cut.Position = hex.EncodeToString(sum[:]), h.Last
	}
	all, err := p.snapshots(ctx)
	if err != nil {
		return cut, err
	}
	for _, m := range all { // one after a gap has what no segment has
		if m.Epoch == last && m.Next <= cut.Segment+1 {
			cut.Position = max(cut.Position, m.Position)
		}
	}
	own := format.Encode(cut)
	return cut, p.target.Create(ctx, name, bytes.NewReader(own), int64(len(own)))
}

// maxSegment limits the size in bytes of a segment that is read.
const maxSegment = 1 << 30

// lastSegment returns the number of the last segment of an epoch without a gap in the numbers before it, or 0.
func (p *Primary) lastSegment(ctx context.Context, epoch uint32) (last uint64, err error) {
	folder := format.LogFolder(epoch)
	err = p.target.List(ctx, folder, func(o target.Object) error {
		var n uint64
		_, err := fmt.Sscanf(o.Name, folder+"/%d", &n)
		if err == nil && o.Name == format.SegmentName(epoch, n) && (last == 0 || n == last+1) {
			last = n
		}
		return nil
	})
	return last, err
}

// checkOwner returns errFenced unless the epoch of the state belongs to this server and is the newest one.
func (p *Primary) checkOwner(ctx context.Context) error {
	p.mu.Lock()
	s := p.state
	p.mu.Unlock()
	b, err := target.Read(ctx, p.target, format.EpochName(s.Epoch), format.MaxJSON)
	if err != nil {
		return err
	}
	e, err := format.Decode[format.Epoch](b)
	if err != nil {
		return err
	}
	if e.Owner != s.Owner {
		p.fence(e)
		return errFenced
	}
	return p.checkEpoch(ctx)
}

// checkEpoch returns errFenced if there is a newer epoch than that of this server.
func (p *Primary) checkEpoch(ctx context.Context) error {
	begun := p.readClocks()
	p.mu.Lock()
	next := p.state.Epoch + 1
	p.mu.Unlock()
	b, err := target.Read(ctx, p.target, format.EpochName(next), format.MaxJSON)
	switch {
	case errors.Is(err, target.ErrMissing):
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.state.Fenced != nil {
			return errFenced
		}
		if !begun.monotonic.Before(p.epochRead.monotonic) {
			p.epochRead = begun
		}
		return nil
	case err != nil:
		return err
	}
	e, err := format.Decode[format.Epoch](b)
	if err != nil {
		e = format.Epoch{Format: format.Version, Number: next} // its owner may have a newer version of svc
	}
	p.fence(e)
	return errFenced
}
