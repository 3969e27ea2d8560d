package instance

import (
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"

	"svc/internal/boltfile"
	"svc/internal/datadir"
	"svc/internal/replica/spool"
	"svc/internal/setting"
)

// openSpool opens the spool of a data directory whose databases are not open, unless the changes of the
// directory are not recorded: there is neither a target, nor has there ever been one, nor does the directory
// follow another one, which it can replace later. If there is a gap, the result is the position after it,
// and otherwise 0.
func (i *Instance) openSpool(s *setting.Settings, log *slog.Logger) (gap uint64, err error) {
	standby := Has(s.Data, datadir.Standby)
	if s.ReplicateTo == "" && !Has(s.Data, datadir.Replicate) && !standby {
		return 0, nil
	}
	records, err := positionOf(s.Data, datadir.Database)
	if err != nil {
		return 0, err
	}
	events, err := positionOf(s.Data, datadir.Events)
	if err != nil {
		return 0, err
	}
	i.Spool, err = spool.Open(filepath.Join(s.Data, datadir.Replicate), records, events,
		spool.Options{Max: s.ReplicateSpoolMax, Log: log, Following: standby})
	if err != nil || standby || !i.Spool.Gap() {
		return 0, err
	}
	return i.Spool.Position(), nil
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
