package replica_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"strings"

	"svc/internal/replica"
	"svc/internal/replica/format"
	"svc/internal/replica/target"
)

// promotion is the result of one: what the new primary is, and where its history begins.
type promotion struct {
	state replica.State
	cut   format.Cut
}

// tryPromote does at the target what a promotion does.
func tryPromote(ctx context.Context, t target.Target, owner string) (p promotion, err error) {
	b, err := target.Read(ctx, t, format.IdentityName, format.MaxJSON)
	if err != nil {
		return p, err
	}
	identity, err := format.Decode[format.Identity](b)
	if err != nil {
		return p, err
	}
	newest, last := uint32(0), uint32(1)
	for {
		_, err := target.Read(ctx, t, format.EpochName(newest+1), format.MaxJSON)
		if errors.Is(err, target.ErrMissing) {
			break
		}
		if err != nil {
			return p, err
		}
		newest++
		if _, err := target.Read(ctx, t, format.CutName(newest), format.MaxJSON); err == nil {
			last = newest
		} else if !errors.Is(err, target.ErrMissing) {
			return p, err
		}
	}
	epoch := format.Encode(format.Epoch{Format: format.Version, Number: newest + 1, Owner: owner, Name: owner})
	if err := t.Create(ctx, format.EpochName(newest+1), bytes.NewReader(epoch), int64(len(epoch))); err != nil {
		return p, err
	}
	cut := format.Cut{Format: format.Version, Epoch: last}
	if last > 1 {
		b, err := target.Read(ctx, t, format.CutName(last), format.MaxJSON)
		if err != nil {
			return p, err
		}
		before, err := format.Decode[format.Cut](b)
		if err != nil {
			return p, err
		}
		cut.SHA256, cut.Position = before.SHA256, before.Position
	}
	end := int64(0)
	err = t.List(ctx, format.LogFolder(last), func(o target.Object) error {
		segment, err := target.Read(ctx, t, o.Name, 1<<30)
		if err != nil {
			return err
		}
		h, err := format.ReadHeader(segment)
		sum := format.SumOf(segment)
		cut.Segment, cut.SHA256, cut.Position, end = h.Number, hex.EncodeToString(sum[:]), h.Last, h.End
		return err
	})
	if err != nil {
		return p, err
	}
	err = t.List(ctx, format.Snapshots, func(o target.Object) error { // one after a gap has what no segment has
		if !strings.HasSuffix(o.Name, "/manifest") {
			return nil
		}
		b, err := target.Read(ctx, t, o.Name, format.MaxJSON)
		if err != nil {
			return err
		}
		m, err := format.Decode[format.Manifest](b)
		if err == nil && m.Epoch == last && m.Next <= cut.Segment+1 && m.Position > cut.Position {
			cut.Position, end = m.Position, m.Time
		}
		return err
	})
	if err != nil {
		return p, err
	}
	b = format.Encode(cut)
	if err := t.Create(ctx, format.CutName(newest+1), bytes.NewReader(b), int64(len(b))); err != nil {
		return p, err
	}
	return promotion{cut: cut, state: replica.State{
		Replica: identity.ID, Owner: owner, Epoch: newest + 1, Begun: true, Next: 1, Before: cut.SHA256, Position: cut.Position, End: end,
	}}, nil
}
