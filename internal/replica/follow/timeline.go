package follow

import (
	"context"
	"errors"
	"fmt"

	"svc/internal/replica/format"
	"svc/internal/replica/target"
)

// timeline has the epochs after a given one. An epoch has no cut while its server is being promoted, and if that
// promotion has failed.
type timeline struct {
	base   uint32
	epochs map[uint32]format.Epoch
	cuts   map[uint32]format.Cut // by the epoch that begins with it
	newest uint32                // the newest epoch; base if there is none after it
	head   uint32                // the newest epoch with a cut; base if there is none after it
}

// readTimeline reads the epochs after base.
func readTimeline(ctx context.Context, t target.Target, base uint32) (*timeline, error) {
	l := &timeline{base: base, epochs: map[uint32]format.Epoch{}, cuts: map[uint32]format.Cut{}, newest: base, head: base}
	for n := base + 1; ; n++ {
		epoch, err := readObject[format.Epoch](ctx, t, format.EpochName(n))
		if errors.Is(err, target.ErrMissing) {
			return l, nil
		}
		if err != nil {
			return nil, err
		}
		l.epochs[n], l.newest = epoch, n
		cut, err := readObject[format.Cut](ctx, t, format.CutName(n))
		switch {
		case err == nil && cut.Epoch >= n:
			return nil, fmt.Errorf("%s: %w: it names epoch %d", format.CutName(n), format.ErrInvalid, cut.Epoch)
		case err == nil:
			l.cuts[n], l.head = cut, n
		case !errors.Is(err, target.ErrMissing):
			return nil, err
		}
	}
}

// end returns the cut at which the base ends, and the epoch that begins with it. It returns 0 if the base
// has not ended. The error wraps ErrNeedsSnapshot if the base is not in the history.
func (l *timeline) end() (next uint32, cut format.Cut, err error) {
	for next = l.head; next > l.base; next = cut.Epoch {
		cut = l.cuts[next]
		if cut.Epoch == l.base {
			return next, cut, nil
		}
		if _, known := l.cuts[cut.Epoch]; !known {
			return 0, cut, fmt.Errorf("%w: epoch %d is not in the history", ErrNeedsSnapshot, l.base)
		}
	}
	return 0, format.Cut{}, nil
}
