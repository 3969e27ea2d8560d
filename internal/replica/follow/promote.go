package follow

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"svc/internal/datadir"
	"svc/internal/durable"
	"svc/internal/replica"
	"svc/internal/replica/format"
	"svc/internal/replica/spool"
	"svc/internal/replica/target"
)

// ErrTaken reports that another server became the primary first.
var ErrTaken = errors.New("another server has become the primary")

// ErrUnsafe reports a target that replaces objects that exist, so that it cannot prevent two primaries.
var ErrUnsafe = errors.New("the target replaces objects that exist, so it cannot keep the old primary from writing; " +
	"stop the old primary, and repeat the promotion with --old-primary-is-down")

// staleContact is how old the last contact of a primary can seem although it runs: a minute between two of them, a
// minute by which the clocks of both machines can differ (svc doctor reports more), and a margin.
const staleContact = 130 * time.Second

// Promote makes this copy the primary. oldPrimaryIsDown means that the caller knows that the old primary has stopped: the
// lease of the old primary is then not waited for, and the target need not be able to refuse objects that exist. After an
// error, the copy is still a standby. A promotion that was interrupted can be repeated. Afterwards, Run returns
// ErrPromoted, and the directory belongs to a primary once Finish has been called on the closed databases.
func (f *Follower) Promote(ctx context.Context, oldPrimaryIsDown bool) (p replica.Promotion, err error) {
	if err := f.acquire(ctx); err != nil {
		return p, err
	}
	defer f.release()
	if f.promoted() {
		return f.promotion(), nil
	}
	if !oldPrimaryIsDown {
		safe, err := target.CreateOnly(ctx, f.config.Target)
		if err != nil {
			return p, err
		}
		if !safe {
			return p, ErrUnsafe
		}
	}
	// Before anything is changed: a copy that cannot be brought up to date must not become the primary.
	if err := f.applyAll(ctx, false); err != nil && (!oldPrimaryIsDown || !errors.Is(err, errGap)) {
		return p, err
	}
	if f.at.promoted() { // by an attempt whose answer was lost
		f.end()
		return f.promotion(), nil
	}
	if err := f.claim(ctx); err != nil {
		return p, err
	}
	if !oldPrimaryIsDown {
		if err := f.waitForLease(ctx); err != nil {
			return p, err
		}
	}
	if err := f.applyAll(ctx, true); err != nil {
		return p, err
	}
	if err := f.checkClaim(ctx); err != nil {
		return p, err
	}
	if err := f.writeCut(ctx); err != nil {
		return p, err
	}
	f.end()
	f.config.Log.Info("this copy is the primary now", "epoch", f.at.Claim.Number, "position", f.at.Position)
	return f.promotion(), nil
}

// end notes that this copy is the primary.
func (f *Follower) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
}

func (f *Follower) promotion() replica.Promotion {
	return replica.Promotion{Epoch: f.at.Claim.Number, Position: f.at.Position, Time: time.UnixMilli(f.at.Time)}
}

// claim creates the next epoch. If this standby has created it before, it is used again.
func (f *Follower) claim(ctx context.Context) error {
	l, err := readTimeline(ctx, f.config.Target, f.at.Epoch)
	if err != nil {
		return err
	}
	if own := f.at.Claim; own != nil && l.epochs[l.newest].Owner == own.Owner {
		return nil
	}
	if own := f.at.Claim; own == nil || own.Number != l.newest+1 {
		f.at.Claim = &format.Epoch{
			Format: format.Version, Number: l.newest + 1, Owner: rand.Text(), Name: f.config.Host, Time: f.config.Now().UnixMilli(),
		}
		if err := f.save(); err != nil { // before it exists, so that it is known after a kill
			return err
		}
	}
	return f.create(ctx, format.EpochName(f.at.Claim.Number), format.Encode(*f.at.Claim))
}

// create creates an object. If it exists with the same content, that is a success, because the answer of an earlier
// attempt can have been lost.
func (f *Follower) create(ctx context.Context, name string, content []byte) error {
	err := f.config.Target.Create(ctx, name, bytes.NewReader(content), int64(len(content)))
	if err == nil {
		return nil
	}
	found, readErr := target.Read(ctx, f.config.Target, name, format.MaxJSON)
	switch {
	case readErr == nil && bytes.Equal(found, content):
		return nil
	case errors.Is(err, target.ErrExists):
		if readErr != nil {
			return readErr
		}
		e, _ := format.Decode[format.Epoch](found) // its owner may have a newer version of svc
		return taken(e)
	}
	return err
}

// taken returns an ErrTaken that names the owner of an epoch, if it is known.
func taken(by format.Epoch) error {
	if by.Name == "" {
		return ErrTaken
	}
	return fmt.Errorf("%w: %s, with epoch %d", ErrTaken, by.Name, by.Number)
}

// checkClaim returns an ErrTaken if another server has created a later epoch since the epoch of this standby was created.
func (f *Follower) checkClaim(ctx context.Context) error {
	if f.at.Claim == nil { // the copy has followed that server already
		return ErrTaken
	}
	if f.at.promoted() {
		return nil
	}
	later, err := readObject[format.Epoch](ctx, f.config.Target, format.EpochName(f.at.Claim.Number+1))
	switch {
	case errors.Is(err, target.ErrMissing):
		return nil
	case err == nil:
		return taken(later)
	}
	return err
}

// waitForLease waits until the lease of the old primary has ended, so that it accepts no writes. The old primary
// cannot renew the lease, because the next epoch exists.
func (f *Follower) waitForLease(ctx context.Context) error {
	contact, err := readObject[format.Contact](ctx, f.config.Target, format.PrimaryName)
	if errors.Is(err, target.ErrMissing) {
		return nil
	}
	if err != nil {
		return err
	}
	lease := time.Duration(contact.Lease) * time.Millisecond
	if lease == 0 || f.config.Now().Sub(time.UnixMilli(max(contact.Time, f.at.Time))) > lease+staleContact {
		return nil
	}
	f.config.Log.Info("waiting until the lease of the old primary has ended", "lease", lease.String())
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(lease):
		return nil
	}
}

// writeCut says at the target which segments count before this epoch.
func (f *Follower) writeCut(ctx context.Context) error {
	if f.at.promoted() { // written by an attempt that was interrupted afterwards
		return nil
	}
	cut := format.Cut{
		Format: format.Version, Epoch: f.at.Epoch, Segment: f.at.Segment, SHA256: f.at.SHA256, Position: f.at.Position,
	}
	if err := f.create(ctx, format.CutName(f.at.Claim.Number), format.Encode(cut)); err != nil {
		return err
	}
	f.at.Epoch, f.at.Segment = f.at.Claim.Number, 0
	return f.save()
}

// Finish makes the directory of a copy that was promoted that of a primary. The databases must be closed. It can be
// repeated.
func (f *Follower) Finish() error { return finish(f.config.Data, f.at) }

// finish writes the state of the primary and an empty spool, and then removes the marker of a standby.
func finish(data string, at state) error {
	dir := spoolFolder(data)
	err := replica.State{
		Replica: at.Replica, Owner: at.Claim.Owner, Epoch: at.Claim.Number, Begun: true, Next: 1, Before: at.SHA256,
		Position: at.Position, End: at.Time,
	}.Write(dir)
	if err != nil {
		return err
	}
	if err := startSpool(dir, data, at); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(data, datadir.Standby)); err != nil {
		return err
	}
	return durable.SyncDir(data)
}

// startSpool makes the spool continue where the copy ends, so that no snapshot is needed.
func startSpool(dir, data string, at state) (err error) {
	records, events, err := positions(data)
	if err != nil {
		return err
	}
	s, err := spool.Open(dir, records, events, spool.Options{Following: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return s.Start(at.Position, records.Position, events.Position, at.Time)
}
