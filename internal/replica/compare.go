package replica

import (
	"context"
	"time"

	"svc/internal/replica/format"
	"svc/internal/replica/target"
)

// compare finds out which part of the history of this server the new primary has. It repeats that until it succeeds,
// because the target may be down, and the new primary may still be applying the last segments.
func (p *Primary) compare(ctx context.Context) {
	p.mu.Lock()
	s := p.state
	p.mu.Unlock()
	for s.DiffersAfter == nil && s.Begun {
		if at, found, err := p.common(ctx, s); found && err == nil {
			if err := p.update(func(s *State) { s.DiffersAfter = &at }); err != nil {
				p.log.Warn("the end of the common history was not stored", "error", err)
			}
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(epochEvery):
		}
	}
}

// common returns the last position that this server and the new primary have in common: the position of the cut that ends
// the epoch of this server. found is false if there is no such cut yet.
func (p *Primary) common(ctx context.Context, s State) (position uint64, found bool, err error) {
	if s.Fenced.Number <= s.Epoch { // another server writes to the same epoch
		return s.Position, true, nil
	}
	_, last, err := p.epochs(ctx)
	for err == nil && last > s.Epoch {
		var b []byte
		if b, err = target.Read(ctx, p.target, format.CutName(last), format.MaxJSON); err != nil {
			break
		}
		var cut format.Cut
		if cut, err = format.Decode[format.Cut](b); err == nil && cut.Epoch <= s.Epoch {
			return cut.Position, true, nil
		}
		last = min(cut.Epoch, last-1)
	}
	return 0, false, err
}
