package follow

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"svc/internal/boltfile"
	"svc/internal/datadir"
	"svc/internal/replica/format"
	"svc/internal/replica/spool"
)

// Files applies changes to the databases of a directory that no server has open.
type Files struct {
	writers map[format.File]*boltfile.Writer
}

// databases are the names of the databases.
var databases = map[format.File]string{format.Records: datadir.Database, format.Events: datadir.Events}

// OpenFiles opens the databases in a data directory.
func OpenFiles(data string) (*Files, error) {
	f := &Files{writers: map[format.File]*boltfile.Writer{}}
	for file, name := range databases {
		path := filepath.Join(data, name)
		db, err := boltfile.Open(path, boltfile.Options{Loaded: [][]byte{}, Follow: true})
		if err != nil {
			return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), f.Close())
		}
		f.writers[file] = boltfile.NewWriter(db, slog.New(slog.DiscardHandler))
	}
	return f, nil
}

// Apply applies changes; see the type Apply.
func (f *Files) Apply(changes []format.Change, position uint64) error {
	for _, file := range []format.File{format.Records, format.Events} {
		w := f.writers[file]
		w.Lock()
		_, err := w.Apply(Of(changes, file), position, nil)
		w.Unlock()
		if err != nil {
			return fmt.Errorf("%s: %w", databases[file], err)
		}
	}
	return nil
}

// Of returns the changes of one database.
func Of(changes []format.Change, file format.File) (of []boltfile.Change) {
	for _, c := range changes {
		if c.File == file {
			of = append(of, boltfile.Change{Position: c.Position, Set: c.Set})
		}
	}
	return of
}

// Close closes the databases.
func (f *Files) Close() (err error) {
	for _, w := range f.writers {
		err = errors.Join(err, w.Close())
	}
	return err
}

// positions returns the positions of the databases in a data directory, which are not open.
func positions(data string) (records, events spool.At, err error) {
	if records.Position, records.Complete, err = boltfile.ReadPosition(filepath.Join(data, datadir.Database)); err != nil {
		return records, events, err
	}
	events.Position, events.Complete, err = boltfile.ReadPosition(filepath.Join(data, datadir.Events))
	return records, events, err
}
