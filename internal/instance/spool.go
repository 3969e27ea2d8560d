package instance

import (
	"errors"
	"io/fs"
	"log/slog"
	"math"
	"path/filepath"

	"svc/internal/boltfile"
	"svc/internal/datadir"
	"svc/internal/replica/format"
	"svc/internal/replica/spool"
	"svc/internal/setting"
)

// openSpool opens the spool of a data directory if the changes of the directory are recorded. They are if it
// has a target, has ever had one, or follows another directory. The databases must not be open yet. If there
// is a gap, the result is the position after it, and otherwise 0.
func (i *Instance) openSpool(s *setting.Settings, log *slog.Logger) (gap uint64, err error) {
	standby := Has(s.Data, datadir.Standby)
	if s.ReplicateTo == "" && !Has(s.Data, datadir.Replicate) && !standby {
		return 0, nil
	}
	i.Spool, err = openSpool(s.Data, spool.Options{Max: s.ReplicateSpoolMax, Log: log, Following: standby})
	if err != nil || standby || !i.Spool.Gap() {
		return 0, err
	}
	return i.Spool.Position(), nil
}

// openSpool opens the spool of a data directory. Its databases must not be open yet.
func openSpool(dir string, o spool.Options) (*spool.Spool, error) {
	records, err := positionOf(dir, datadir.Database)
	if err != nil {
		return nil, err
	}
	events, err := positionOf(dir, datadir.Events)
	if err != nil {
		return nil, err
	}
	return spool.Open(filepath.Join(dir, datadir.Replicate), records, events, o)
}

// recorded calls fn with the recorders of both databases of a data directory, which fn may open. The
// recorders are nil if the changes of the directory are not recorded.
func recorded(dir string, fn func(records, events boltfile.Recorder) error) error {
	if !Has(dir, datadir.Replicate) {
		return fn(nil, nil)
	}
	s, err := openSpool(dir, spool.Options{Max: math.MaxInt64}) // the next server knows the limit
	if err != nil {
		return err
	}
	return errors.Join(fn(s.Recorder(format.Records), s.Recorder(format.Events)), s.Close())
}

// positionOf returns the position of a database. It is zero if the database does not exist, or is too
// damaged to be read.
func positionOf(dir, name string) (at spool.At, err error) {
	at.Position, at.Complete, err = boltfile.ReadPosition(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, boltfile.ErrDamaged) {
		return spool.At{}, nil
	}
	return at, err
}

// Apply applies changes of another directory, which this one follows, to both databases. Copies of both databases
// contain either none of these changes or all of them.
func (i *Instance) Apply(records, events []boltfile.Change, position uint64) error {
	i.Store.Whole.Lock()
	defer i.Store.Whole.Unlock()
	if err := i.Store.Apply(records, position); err != nil {
		return err
	}
	return i.Events.Apply(events, position)
}

// startAt gives both databases the position after a gap in the spool, so that the next start does not find
// the same gap. It does nothing if the position is 0.
func (i *Instance) startAt(position uint64, log *slog.Logger) error {
	if position == 0 {
		return nil
	}
	if err := i.Store.StartAt(position); err != nil {
		return err
	}
	if err := i.Events.StartAt(position); err != nil { // it is damaged, or its disk is full
		log.Warn("the position of the events was not stored; the replica needs another snapshot after the next start", "error", err)
	}
	return nil
}
