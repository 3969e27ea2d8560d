package replica

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"svc/internal/replica/format"
	"svc/internal/replica/target"
)

// history contains the end of each epoch in the history of this primary. It determines which snapshots can be used. The
// current epoch has no end.
type history map[uint32]*format.Cut

// history reads the cuts of the epochs that lead to the current one.
func (p *Primary) history(ctx context.Context) (history, error) {
	p.mu.Lock()
	epoch := p.state.Epoch
	p.mu.Unlock()
	h := history{epoch: nil}
	for epoch > 1 {
		b, err := target.Read(ctx, p.target, format.CutName(epoch), format.MaxJSON)
		if err != nil {
			return nil, err
		}
		cut, err := format.Decode[format.Cut](b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", format.CutName(epoch), err)
		}
		if cut.Epoch >= epoch {
			return nil, fmt.Errorf("%s: %w: it names epoch %d", format.CutName(epoch), format.ErrInvalid, cut.Epoch)
		}
		epoch = cut.Epoch
		h[epoch] = &cut
	}
	return h, nil
}

// has reports whether a snapshot is of the history.
func (h history) has(m format.Manifest) bool {
	cut, known := h[m.Epoch]
	return known && (cut == nil || m.Next <= cut.Segment+1 && m.Position <= cut.Position)
}

// retain deletes the snapshots and segments that no restore within the time of the settings needs.
func (p *Primary) retain(ctx context.Context) error {
	if err := p.checkEpoch(ctx); err != nil { // a primary that is none any more has another history
		return err
	}
	h, err := p.history(ctx)
	if err != nil {
		return err
	}
	all, err := p.snapshots(ctx)
	if err != nil {
		return err
	}
	oldest := time.Now().Add(-p.settings().Retain).UnixMilli()
	var base *format.Manifest // the oldest snapshot that is kept
	for i, m := range all {
		if h.has(m) && (base == nil || m.Time <= oldest) {
			base = &all[i]
		}
	}
	if base == nil {
		return nil
	}
	for _, m := range all {
		if m.Position < base.Position {
			if err := p.deleteSnapshot(ctx, m.Position); err != nil {
				return err
			}
			p.forget(m.Position)
		}
	}
	if err := p.deleteIncomplete(ctx); err != nil {
		return err
	}
	return p.trim(ctx, base)
}

// deleteIncomplete deletes the parts of snapshots that were interrupted, because they can be as large as the data. Only
// this primary makes snapshots, one after the other, so that none before its last one is still being made.
func (p *Primary) deleteIncomplete(ctx context.Context) error {
	p.mu.Lock()
	last := p.state.Snapshot.Position
	p.mu.Unlock()
	complete, names := map[uint64]bool{}, map[uint64][]string{}
	err := p.target.List(ctx, format.Snapshots, func(o target.Object) error {
		var position uint64
		if _, err := fmt.Sscanf(o.Name, format.Snapshots+"/%d/", &position); err != nil || position >= last ||
			!strings.HasPrefix(o.Name, format.SnapshotFolder(position)+"/") {
			return nil
		}
		complete[position] = complete[position] || o.Name == format.ManifestName(position)
		names[position] = append(names[position], o.Name)
		return nil
	})
	for position, parts := range names {
		if err == nil && !complete[position] {
			err = p.target.delete(ctx, parts)
		}
	}
	return err
}

// snapshots returns the manifests of all complete snapshots, in the order of their positions.
func (p *Primary) snapshots(ctx context.Context) (all []format.Manifest, err error) {
	var positions []uint64
	err = p.target.List(ctx, format.Snapshots, func(o target.Object) error {
		var position uint64
		_, err := fmt.Sscanf(o.Name, format.Snapshots+"/%d/", &position)
		if err == nil && o.Name == format.ManifestName(position) {
			positions = append(positions, position)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, position := range positions {
		m, known := p.manifests[position]
		if !known {
			if m, err = p.manifest(ctx, position); errors.Is(err, format.ErrInvalid) || errors.Is(err, target.ErrMissing) {
				continue // written by a newer version of svc, damaged, or replaced
			}
			if err != nil {
				return nil, err
			}
			m.Parts = nil
			if p.manifests == nil {
				p.manifests = map[uint64]format.Manifest{}
			}
			p.manifests[position] = m
		}
		all = append(all, m)
	}
	return all, nil
}

// forget removes a manifest from the ones that snapshots has read.
func (p *Primary) forget(position uint64) { delete(p.manifests, position) }

// trim deletes the segments that a snapshot makes superfluous, except for the last one before it. A promotion needs
// the number and the checksum of that segment.
func (p *Primary) trim(ctx context.Context, base *format.Manifest) error {
	p.mu.Lock()
	epoch, trimmed := p.state.Epoch, max(p.state.Trimmed, 1)
	p.mu.Unlock()
	for e := uint32(1); e <= base.Epoch && e < epoch; e++ {
		var names []string
		err := p.target.List(ctx, format.LogFolder(e), func(o target.Object) error {
			if e < base.Epoch || o.Name < format.SegmentName(e, max(base.Next, 1)-1) {
				names = append(names, o.Name)
			}
			return nil
		})
		if err == nil {
			err = p.target.delete(ctx, names)
		}
		if err != nil {
			return err
		}
	}
	if base.Epoch != epoch || base.Next <= trimmed+1 {
		return nil
	}
	// The numbers are known, so that the log need not be listed.
	for n := trimmed; n+1 < base.Next; n++ {
		if err := p.target.Delete(ctx, format.SegmentName(epoch, n)); err != nil {
			return err
		}
	}
	return p.update(func(s *State) { s.Trimmed = base.Next - 1 })
}
