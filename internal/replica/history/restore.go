package history

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"svc/internal/backup"
	"svc/internal/boltfile"
	"svc/internal/datadir"
	"svc/internal/replica/format"
)

// Staged is a state that was built beside a data directory.
type Staged struct {
	*backup.Staged
	End // the state; it has the changes up to End.Position and no later ones
}

// Stage builds a state beside the data directory data, or in it; see backup.Stage. The databases of the state have no
// positions, like those of a server that has never replicated. The caller must hold the lock of the data directory, give the data a
// new ID with store.Store.Renew, and then call Swap or Discard. The error is ErrEmpty, a *RangeError, an *Error, or one
// of the file system.
func (h *History) Stage(ctx context.Context, data string, until Until) (*Staged, error) {
	s, err := h.build(ctx, data, until)
	if err != nil {
		return nil, err
	}
	if err := clearPositions(s.Dir()); err != nil {
		return nil, errors.Join(err, s.Discard())
	}
	return s, nil
}

// build is like Stage, but the files have the position of the state.
func (h *History) build(ctx context.Context, data string, until Until) (s *Staged, err error) {
	m, err := h.choose(ctx, until)
	if err != nil {
		return nil, err
	}
	s = &Staged{}
	if s.Staged, err = h.unpack(ctx, data, m); err != nil {
		return nil, err
	}
	if s.End, err = h.apply(ctx, s.Dir(), m, until); err != nil {
		return nil, errors.Join(err, s.Discard())
	}
	return s, nil
}

// unpack unpacks a snapshot beside a data directory.
func (h *History) unpack(ctx context.Context, data string, m format.Manifest) (staged *backup.Staged, err error) {
	a := h.openArchive(ctx, m)
	defer func() { err = errors.Join(err, a.Close()) }()
	staged, err = backup.Stage(data, a, h.identities, nil)
	return staged, a.explain(err)
}

// StageNewest unpacks the newest snapshot beside the data directory data, or in it; see backup.Stage. Its files have the
// position of the snapshot, and the log goes on at the segment that the manifest names. The error is ErrEmpty, an
// *Error, or one of the file system.
func (h *History) StageNewest(ctx context.Context, data string) (*backup.Staged, format.Manifest, error) {
	m, err := h.choose(ctx, Until{})
	if err != nil {
		return nil, m, err
	}
	staged, err := h.unpack(ctx, data, m)
	return staged, m, err
}

// errDone ends a walk at the wanted state.
var errDone = errors.New("the wanted state is reached")

// apply brings the files in a folder from the state of a snapshot to the wanted one.
func (h *History) apply(ctx context.Context, dir string, m format.Manifest, until Until) (end End, err error) {
	a, err := openApplier(dir, m.Position)
	if err != nil {
		return end, err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	reached := Until{m.Time, m.Position}
	end, err = h.Walk(ctx, m, func(s Segment) error {
		for _, c := range s.Changes {
			if until.excludes(c.Position, c.Time) {
				return errDone
			}
			if c.Position <= m.Position {
				continue
			}
			if err := a.add(c); err != nil {
				return fmt.Errorf("apply %s: %w", s.Name, err)
			}
			reached = Until{max(reached.Time, c.Time), c.Position}
		}
		return nil
	})
	if err == nil {
		err = h.reaches(reached, until, end.Gap)
	} else if errors.Is(err, errDone) {
		err = nil
	}
	end.Time, end.Position = reached.Time, reached.Position
	if err == nil {
		err = a.flush()
	}
	return end, err
}

// maxPending is the size of the change sets that are applied in one transaction, in bytes.
const maxPending = 32 << 20

// applier applies changes to both databases in a folder.
type applier struct {
	files    map[format.File]*applied
	pending  int // bytes
	position uint64
}

// applied is a database to which changes are applied.
type applied struct {
	path    string
	w       *boltfile.Writer
	pending [][]byte
}

// mapSize is the address space that a database can fill without being mapped again, which copies everything that a
// transaction has in memory.
const mapSize = 1 << 30

func openApplier(dir string, position uint64) (*applier, error) {
	a := &applier{files: map[format.File]*applied{}, position: position}
	for file, name := range map[format.File]string{format.Records: datadir.Database, format.Events: datadir.Events} {
		path := filepath.Join(dir, name)
		db, err := boltfile.Open(path, boltfile.Options{MapSize: mapSize, Loaded: [][]byte{}, NoSync: true}) // close syncs it
		if err != nil {
			return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), a.close())
		}
		a.files[file] = &applied{path: path, w: boltfile.NewWriter(db, slog.New(slog.DiscardHandler))}
	}
	return a, nil
}

// add adds a change. The change set must not be changed afterwards.
func (a *applier) add(c format.Change) error {
	f := a.files[c.File]
	f.pending = append(f.pending, c.Set)
	a.position = c.Position
	if a.pending += len(c.Set); a.pending < maxPending {
		return nil
	}
	return a.flush()
}

// flush applies the pending changes, in one transaction for each file.
func (a *applier) flush() error {
	for _, f := range a.files {
		if err := f.update(func(tx *boltfile.Tx) error {
			for _, set := range f.pending {
				if err := tx.Apply(set); err != nil {
					return err
				}
			}
			return tx.SetPosition(a.position)
		}); err != nil {
			return err
		}
		f.pending = nil
	}
	a.pending = 0
	return nil
}

func (f *applied) update(fn func(*boltfile.Tx) error) error {
	f.w.Lock()
	defer f.w.Unlock()
	return f.w.UpdateUncounted(fn)
}

// close closes the files and makes them durable.
func (a *applier) close() (err error) {
	for _, f := range a.files {
		err = errors.Join(err, f.w.Close(), syncFile(f.path))
	}
	return err
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// clearPositions removes the positions from both databases in a folder.
func clearPositions(dir string) error {
	a, err := openApplier(dir, 0)
	if err != nil {
		return err
	}
	for _, f := range a.files {
		err = errors.Join(err, f.update((*boltfile.Tx).ClearPosition))
	}
	return errors.Join(err, a.close())
}
