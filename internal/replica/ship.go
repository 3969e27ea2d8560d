package replica

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"time"

	"svc/internal/durable"
	"svc/internal/replica/format"
	"svc/internal/replica/spool"
	"svc/internal/replica/target"
)

// run ships changes until the server is stopped or fenced.
func (p *Primary) run(ctx context.Context) {
	defer close(p.done)
	hurry, until := false, uint64(0) // a write waits for what is before a position, or the server stops
	stopping := false
	for first := true; ; first = false {
		err := p.step(ctx, hurry)
		if p.note(ctx, err) {
			if errors.Is(err, errFenced) {
				p.work.Go(func() { p.compare(ctx) })
			}
			return
		}
		if first {
			close(p.first)
		}
		everything := p.everything() || p.config.Spool.Gap()
		hurry = hurry && !everything && !p.has(until)
		woken, more, closing := p.demand, p.config.Spool.More(), p.closing
		begins := !stopping && p.stopping() // possibly after step has found that nothing was due
		if stopping = stopping || begins; stopping {
			closing, hurry = nil, true
		}
		wait := p.pause
		switch {
		case err != nil:
			woken, more = nil, nil
		case stopping && everything:
			return
		case begins:
			wait = 0
		default:
			wait = p.idle()
			if due := time.Until(p.shipped.Add(p.settings().Every)); !everything && !hurry && due > 0 {
				wait, more = min(wait, due), nil
			}
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-closing:
			hurry = true
		case <-woken:
			hurry, until = true, p.config.Spool.Position()
		case <-more:
		case <-timer.C:
		}
		timer.Stop()
		if ctx.Err() != nil {
			return
		}
	}
}

func (p *Primary) stopping() bool {
	select {
	case <-p.closing:
		return true
	default:
		return false
	}
}

// everything reports whether the target has all changes that readers see.
func (p *Primary) everything() bool {
	return p.has(p.config.Spool.Position())
}

// has reports whether the target has all changes up to a position.
func (p *Primary) has(position uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state.Position >= position
}

// idle returns the time until a request is due that is not for a change.
func (p *Primary) idle() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, min(p.config.epochInterval()-p.since(p.epochRead), time.Until(p.contact.Add(contactEvery))))
}

// note logs a failure once, and its end once. It reports whether the replication has ended.
func (p *Primary) note(ctx context.Context, err error) (ended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case errors.Is(err, errFenced), ctx.Err() != nil:
		return true
	case err == nil:
		if p.failure != "" {
			p.log.Info("the replication works again", "target", p.config.Location)
		}
		p.failure, p.failingSince, p.pause = "", time.Time{}, 0
		return false
	}
	if p.failure == "" {
		p.failingSince = time.Now()
		p.log.Warn("the replication fails; it is tried again", "target", p.config.Location, "error", err)
	}
	p.failure = err.Error()
	p.pause = min(p.pause+time.Second, maxPause)
	p.pause = max(p.pause, target.RetryAfter(err))
	if ended = errors.Is(err, errRefused); ended {
		p.refused = p.failure
		p.log.Error("the replication ends until the next start", "target", p.config.Location, "error", err)
	}
	return ended
}

// step does what is due. now means that changes are shipped without waiting for others.
func (p *Primary) step(ctx context.Context, now bool) error {
	if !p.contacted {
		if err := p.connect(ctx); err != nil {
			return err
		}
		p.contacted = true
		p.startContents(ctx)
	}
	if now || time.Since(p.shipped) >= p.settings().Every {
		if err := p.ship(ctx, p.stopping()); err != nil {
			return err
		}
	}
	p.mu.Lock()
	epochDue, testDue := p.since(p.epochRead) >= p.config.epochInterval(), time.Since(p.tested) >= createOnlyEvery
	p.mu.Unlock()
	if epochDue {
		if err := p.checkEpoch(ctx); err != nil {
			return err
		}
	}
	if testDue {
		if err := p.testCreateOnly(ctx); err != nil {
			return err
		}
	}
	if time.Since(p.contact) >= contactEvery {
		if err := p.writeContact(ctx); err != nil {
			return err
		}
	}
	if !p.stopping() {
		p.startSnapshot(ctx)
	}
	return nil
}

// writeContact replaces the object with the last contact.
func (p *Primary) writeContact(ctx context.Context) error {
	now := time.Now()
	p.mu.Lock()
	s := p.state
	p.mu.Unlock()
	err := p.target.Replace(ctx, format.PrimaryName, format.Encode(format.Contact{
		Format: format.Version, Epoch: s.Epoch, Segment: s.Next - 1, Position: s.Position,
		Time: now.UnixMilli(), Lease: p.config.Lease.Milliseconds(),
	}))
	if err == nil {
		p.contact = now
	}
	return err
}

// ship ships the changes that are in the spool, after the segment that was being sent before them. If all is set, it
// continues with the changes that arrive in the meantime until there are none. Otherwise, they wait for the next interval,
// which begins when ship reads the spool, or for a write that waits for them. A slow upload therefore does not delay the next
// one, and more writes than uploads do not keep the loop from its other work.
func (p *Primary) ship(ctx context.Context, all bool) error {
	begun, until := time.Now(), p.config.Spool.Position()
	for {
		if p.pending == nil {
			if found, err := p.pack(); !found || err != nil {
				return err
			}
		}
		if err := p.send(ctx); err != nil {
			return err
		}
		p.shipped = begun
		if !all && p.has(until) && !p.isLatched() {
			return nil
		}
	}
}

// isLatched reports whether writes are refused until next finds that the target has everything.
func (p *Primary) isLatched() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.latched
}

// pack makes the next segment and stores it on disk, so that it is sent with the same bytes after a
// restart. It reports whether there is one.
func (p *Primary) pack() (found bool, err error) {
	s, batch, err := p.next()
	if err != nil || batch.Count == 0 {
		return false, err
	}
	h := format.Header{
		Epoch: s.Epoch, Number: s.Next, After: s.Position, Last: batch.Last, Begin: batch.Begin, End: batch.End,
	}
	if _, err := hex.Decode(h.Before[:], []byte(s.Before)); err != nil {
		return false, err
	}
	if p.pending, err = p.seal(h, batch.Changes); err != nil {
		p.pending = nil
		return false, err
	}
	p.stored = false
	if err := durable.WriteFile(filepath.Join(p.config.Dir, pendingFile), p.pending, 0o600); err != nil {
		p.pending = nil
		return false, err
	}
	return true, nil
}

// next returns the changes of the next segment, and the state that it continues. The batch is empty if there is
// nothing to ship.
func (p *Primary) next() (s State, batch spool.Batch, err error) {
	p.spooling.Lock()
	defer p.spooling.Unlock()
	at := p.config.Spool.Position()
	p.mu.Lock()
	s = p.state
	p.mu.Unlock()
	batch, err = p.config.Spool.Next(s.Position, format.MaxSegment)
	if errors.Is(err, spool.ErrGap) {
		p.config.Spool.Drop("changes are missing")
		return s, spool.Batch{}, p.noteGap()
	}
	if err != nil || batch.Count > 0 {
		return s, batch, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state.Position >= at && !p.state.Gap {
		p.latched = false
	}
	return s, batch, nil
}

// noteGap notes that a snapshot is needed, because the spool does not have all changes. It ends the running
// snapshot unless the images for that one have yet to be taken. The caller must hold spooling.
func (p *Primary) noteGap() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.latched = p.latched || p.config.Sync
	if p.snapshotEnd != nil && p.imaged {
		p.snapshotEnd()
	}
	if p.state.Gap {
		return nil
	}
	p.state.Gap, p.state.Reached = true, p.state.Position
	return p.state.Write(p.config.Dir)
}

// send stores the pending segment at the target, and reads the next epoch afterwards. Only then the
// changes are confirmed.
func (p *Primary) send(ctx context.Context) error {
	h, err := format.ReadHeader(p.pending)
	if err != nil {
		return err
	}
	if !p.stored {
		if err := p.create(ctx, format.SegmentName(h.Epoch, h.Number), p.pending); err != nil {
			return err
		}
		p.stored = true
	}
	if err := p.checkEpoch(ctx); err != nil {
		return err
	}
	size := int64(len(p.pending))
	sum := format.SumOf(p.pending)
	if err := p.update(func(s *State) {
		if s.Next == h.Number {
			s.Snapshot.Log += size
		}
		s.Next, s.Before = h.Number+1, hex.EncodeToString(sum[:])
		s.Position, s.End = max(s.Position, h.Last), max(s.End, h.End)
	}); err != nil {
		return err // the next segment must not replace the pending one before the state is on disk
	}
	p.pending = nil
	if err := os.Remove(filepath.Join(p.config.Dir, pendingFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return p.confirm(h.Last)
}

// confirm tells the spool what the target has.
func (p *Primary) confirm(position uint64) error {
	p.spooling.Lock()
	defer p.spooling.Unlock()
	return p.config.Spool.Confirm(position)
}

// create stores a segment. If there is another one with its name, another server writes to the replica.
func (p *Primary) create(ctx context.Context, name string, segment []byte) error {
	err := p.target.Create(ctx, name, bytes.NewReader(segment), int64(len(segment)))
	if !errors.Is(err, target.ErrExists) {
		return err
	}
	found, err := target.Read(ctx, p.target, name, maxSegment)
	if err != nil || bytes.Equal(found, segment) {
		return err
	}
	if err := p.checkEpoch(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	epoch := p.state.Epoch
	p.mu.Unlock()
	p.fence(format.Epoch{Format: format.Version, Number: epoch})
	return errFenced
}
