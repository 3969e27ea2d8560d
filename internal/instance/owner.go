package instance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
	"github.com/google/uuid"

	"svc/internal/boltfile"
	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/durable"
	"svc/internal/setting"
	"svc/store"
)

// ownerMark is the content of the file owner.json in a storage directory. It names the
// database to which the directory belongs.
type ownerMark struct {
	Owner uuid.UUID `json:"owner"` // the result of store.Store.Owner
	Data  string    `json:"data"`  // path of the data directory, with symbolic links resolved
}

// OwnerError reports that a storage directory belongs to another database.
type OwnerError struct {
	Data  string // the data directory that was being opened
	Owner string // the data directory to which the storage directory belongs
	Copy  bool   // whether both data directories have the same owner id, because one is a copy of the other
}

// Error names both data directories.
func (e *OwnerError) Error() string {
	switch {
	case e.Owner == e.Data:
		return fmt.Sprintf("it belongs to another database that was in %s", e.Data)
	case e.Copy:
		return fmt.Sprintf("it belongs to %s, of which %s is a copy", e.Owner, e.Data)
	}
	return fmt.Sprintf("it belongs to %s, not to %s", e.Owner, e.Data)
}

// storageLock is the lock of a storage directory that is in use.
type storageLock struct{ file *flock.Flock }

func (l *storageLock) release() error {
	if l == nil {
		return nil
	}
	return l.file.Unlock()
}

// lockStorage locks a storage directory and creates it if it does not exist. It returns a
// *control.HeldError if another process uses the directory.
func lockStorage(dir string) (*storageLock, error) {
	if err := durable.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	l := &storageLock{flock.New(filepath.Join(dir, datadir.OwnerLock), flock.SetPermissions(0o600))}
	ok, err := l.file.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	if !ok {
		return nil, &control.HeldError{Dir: dir}
	}
	return l, nil
}

// claimStorage locks a storage directory for a data directory. owner is the owner id in the
// database of the data directory. If the storage directory has no mark of an owner, which is a file
// owner.json, claimStorage writes one.
//
// The error is an *OwnerError if the mark contains another owner id. It is also an *OwnerError if
// the mark names another data directory that still exists, because one of the two is then a copy of
// the other. If the storage directory is inside its data directory, the path in the mark is
// ignored, because both are moved and copied together.
func claimStorage(dir, data string, owner uuid.UUID) (*storageLock, error) {
	own := ownerMark{Owner: owner, Data: resolved(data)}
	if err := own.check(dir); err != nil {
		return nil, err
	}
	lock, err := lockStorage(dir)
	if err != nil {
		return nil, err
	}
	// another process may have written the mark before it released the lock
	if err := errors.Join(own.check(dir), own.write(dir)); err != nil {
		return nil, errors.Join(err, lock.release())
	}
	return lock, nil
}

// check returns an *OwnerError if the storage directory dir contains a mark that does not permit
// the owner m to use it. See claimStorage for the rules.
func (m ownerMark) check(dir string) error {
	found, err := readOwner(dir)
	if err != nil || found == nil {
		return err
	}
	refused := &OwnerError{Data: m.Data, Owner: found.Data, Copy: found.Owner == m.Owner}
	switch {
	case !refused.Copy:
		return refused
	case found.Data == m.Data || isBelow(resolved(dir), m.Data) || !Has(found.Data, datadir.Database):
		return nil
	}
	return refused
}

// write writes the mark to a storage directory unless the directory already contains the
// same mark.
func (m ownerMark) write(dir string) error {
	if found, err := readOwner(dir); err != nil || found != nil && *found == m {
		return err
	}
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(dir, datadir.Owner), append(text, '\n'), 0o600)
}

// readOwner returns the mark of a storage directory, or nil if there is none.
func readOwner(dir string) (*ownerMark, error) {
	path := filepath.Join(dir, datadir.Owner)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	m := &ownerMark{}
	if err == nil {
		err = json.Unmarshal(text, m)
	}
	if err == nil && m.Owner == uuid.Nil {
		err = errors.New("it has no owner")
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return m, nil
}

// AdoptStorage assigns the storage directory in the settings to the data directory in the settings.
// It also suspends the sweeps that remove contents without a record. The result before is the data
// directory to which the storage directory belonged, or "" if it contained no valid mark of an
// owner. The caller must hold the lock of the data directory. The error is a *control.HeldError if
// another process uses the storage directory.
func AdoptStorage(s *setting.Settings) (before string, err error) {
	err = recorded(s.Data, func(records, _ boltfile.Recorder) error {
		before, err = adoptStorage(s, records)
		return err
	})
	return before, err
}

func adoptStorage(s *setting.Settings, recorder boltfile.Recorder) (before string, err error) {
	db, err := store.Open(filepath.Join(s.Data, datadir.Database), store.Options{Recorder: recorder})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	lock, err := lockStorage(s.StorageDir)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, lock.release()) }()
	// a mark that cannot be read is replaced, too
	if found, err := readOwner(s.StorageDir); err == nil && found != nil {
		before = found.Data
	} else if err != nil {
		if err := os.Remove(filepath.Join(s.StorageDir, datadir.Owner)); err != nil {
			return "", err
		}
	}
	// suspend sweeps first, so that none runs after an interrupted adoption
	if err := db.Update((*store.Tx).HoldSweeps); err != nil {
		return "", err
	}
	return before, ownerMark{Owner: db.Owner(), Data: resolved(s.Data)}.write(s.StorageDir)
}

// resolved returns the absolute path of a directory. It resolves symbolic links if the directory
// exists.
func resolved(dir string) string {
	if full, err := filepath.Abs(dir); err == nil {
		dir = full
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir
}

// isBelow reports whether a path is below a directory. Both paths must be absolute and must not
// contain symbolic links.
func isBelow(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
