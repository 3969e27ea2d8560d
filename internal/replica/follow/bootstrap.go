package follow

import (
	"context"
	"errors"
	"fmt"
	"os"

	"svc/internal/backup"
	"svc/internal/datadir"
	"svc/internal/durable"
	"svc/internal/replica/format"
	"svc/internal/replica/history"
	"svc/internal/replica/target"
)

// bootstrap replaces the content of the data directory with the newest snapshot. While it runs, standby.json marks the
// copy as incomplete, so that an interrupted bootstrap begins again.
func (f *Follower) bootstrap(ctx context.Context, identity format.Identity, again bool) error {
	h, err := history.Read(ctx, f.config.Target, f.config.Identities...)
	if err != nil {
		return err
	}
	if err := durable.MkdirAll(f.config.Data, 0o700); err != nil {
		return fmt.Errorf("create data directory: %w", err)
	}
	f.at = state{Format: format.Version, Replica: identity.ID, Data: identity.Data, Target: f.config.Address}
	if err := f.save(); err != nil {
		return err
	}
	m, err := f.unpack(ctx, h)
	for err != nil && errors.Is(err, target.ErrMissing) { // the primary may have deleted it after a newer one
		before := h.Snapshots[len(h.Snapshots)-1].Position
		newer, readErr := history.Read(ctx, f.config.Target, f.config.Identities...)
		if readErr != nil || len(newer.Snapshots) == 0 || newer.Snapshots[len(newer.Snapshots)-1].Position <= before {
			break
		}
		h = newer
		m, err = f.unpack(ctx, h)
	}
	if err != nil {
		if !again { // the directory is as it was
			err = errors.Join(err, os.Remove(f.path(datadir.Standby)))
		}
		return err
	}
	// a replica of another primary would have to be continued from another position
	if err := os.RemoveAll(spoolFolder(f.config.Data)); err != nil {
		return err
	}
	f.at.Complete = true
	f.at.Epoch, f.at.Segment, f.at.SHA256, f.at.Position, f.at.Time = m.Epoch, m.Next-1, m.Before, m.Position, m.Time
	f.config.Log.Info("the copy begins with a snapshot", "position", m.Position, "epoch", m.Epoch)
	return f.save()
}

// unpack unpacks the newest snapshot into the data directory.
func (f *Follower) unpack(ctx context.Context, h *history.History) (m format.Manifest, err error) {
	if _, _, err := backup.FinishSwap(f.config.Data); err != nil {
		return m, err
	}
	staged, m, err := h.StageNewest(ctx, f.config.Data)
	if err != nil {
		return m, err
	}
	if err := ctx.Err(); err != nil {
		return m, errors.Join(err, staged.Discard())
	}
	kept, err := staged.Swap(f.config.Now())
	if err != nil {
		return m, errors.Join(err, staged.Discard())
	}
	if kept != "" { // an older copy of the same data
		err = os.RemoveAll(kept)
	}
	return m, err
}

// Restart makes the next Open begin again with the newest snapshot, after ErrNeedsSnapshot. The databases need not be
// closed yet. If there is no snapshot from which the log goes on yet, Open returns the same error again.
func (f *Follower) Restart() error {
	f.work <- struct{}{}
	defer f.release()
	f.at.Complete = false
	return f.save()
}
