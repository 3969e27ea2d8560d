package stories

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"svc/internal/boltfile"
	"svc/internal/datadir"
	"svc/internal/event"
	"svc/internal/replica/format"
	"svc/store"
)

// copied is a copy of both databases that receives recorded changes only.
type copied interface {
	// apply applies changes of one database. It then has the given position.
	apply(of format.File, changes []boltfile.Change, position uint64) error
	// digest returns the digest and the position of a database.
	digest(of format.File) (sum [sha256.Size]byte, position uint64, err error)
	close() error
}

var nameOf = map[format.File]string{format.Records: datadir.Database, format.Events: datadir.Events}

// fileCopy is a copy as plain files.
type fileCopy map[format.File]*boltfile.Writer

func (c fileCopy) apply(of format.File, changes []boltfile.Change, position uint64) error {
	w := c[of]
	w.Lock()
	defer w.Unlock()
	_, err := w.Apply(changes, position, nil)
	return err
}

func (c fileCopy) digest(of format.File) (sum [sha256.Size]byte, position uint64, err error) {
	err = c[of].View(func(tx *boltfile.Tx) (err error) {
		position, _ = tx.Position()
		sum, err = tx.Digest()
		return err
	})
	return sum, position, err
}

func (c fileCopy) close() error {
	return errors.Join(c[format.Records].Close(), c[format.Events].Close())
}

// standby is a copy that is open for readers. It does not bear damage.
type standby struct {
	db     *store.Store
	events *event.Engine
}

func (c *standby) apply(of format.File, changes []boltfile.Change, position uint64) error {
	if of == format.Records {
		return c.db.Apply(changes, position)
	}
	return c.events.Apply(changes, position)
}

func (c *standby) digest(of format.File) (sum [sha256.Size]byte, position uint64, err error) {
	take := c.db.Image
	if of == format.Events {
		take = c.events.Image
	}
	image, err := take()
	if err != nil {
		return sum, 0, err
	}
	return digestOf(image)
}

func (c *standby) close() error { return errors.Join(c.db.Close(), c.events.Close()) }

// digestOf returns the digest and the position of an image, and closes it.
func digestOf(image *boltfile.Image) (sum [sha256.Size]byte, position uint64, err error) {
	dir, err := os.MkdirTemp("", "svc-digest-")
	if err != nil {
		return sum, 0, errors.Join(err, image.Close())
	}
	path := filepath.Join(dir, "image.db")
	if err = errors.Join(image.Copy(path), image.Close()); err == nil {
		sum, position, err = boltfile.DigestFile(path)
	}
	return sum, position, errors.Join(err, os.RemoveAll(dir))
}

// openCopy opens the copy in a directory, which has the given position. One copy in three is a standby.
func (s *story) openCopy(dir string, position uint64) copied {
	s.compared = position
	records, events := filepath.Join(dir, datadir.Database), filepath.Join(dir, datadir.Events)
	if s.IntN(3) == 0 && !s.repairs {
		db, err := store.Open(records, store.Options{Now: s.now, NoSync: true, Follow: true})
		s.must(err)
		e, err := event.Open(events, event.Options{Now: s.now, Follow: true})
		s.must(err)
		s.happened("a standby")
		return &standby{db, e}
	}
	c := fileCopy{}
	for of, path := range map[format.File]string{format.Records: records, format.Events: events} {
		db, err := boltfile.Open(path, boltfile.Options{NoSync: true, Follow: true})
		s.must(err)
		c[of] = boltfile.NewWriter(db, silent)
	}
	return c
}

// catchUp applies all recorded changes to the copy, in groups of random size.
func (s *story) catchUp() {
	s.Helper()
	for {
		b, err := s.spool.Next(s.compared, 1<<(8+s.IntN(14)))
		s.must(err)
		if b.Count == 0 {
			return
		}
		changes := map[format.File][]boltfile.Change{}
		for rest := b.Changes; len(rest) > 0; {
			var c format.Change
			c, rest, err = format.NextChange(rest)
			s.must(err)
			changes[c.File] = append(changes[c.File], boltfile.Change{Position: c.Position, Set: c.Set})
		}
		for of := range nameOf {
			s.must(s.copy.apply(of, changes[of], b.Last))
		}
		s.compared = b.Last
		if s.IntN(2) == 0 {
			s.must(s.spool.Confirm(b.Last))
		}
	}
}

// compare applies all changes to the copy and compares its digests with those of the databases. The
// databases must not change before compare returns.
func (s *story) compare(digest func(format.File) (sum [sha256.Size]byte, position uint64, err error)) {
	s.Helper()
	s.catchUp()
	reached := uint64(0)
	for of, name := range nameOf {
		want, position, err := digest(of)
		s.must(err)
		got, at, err := s.copy.digest(of)
		s.must(err)
		if got != want || at != s.compared || position > at {
			s.Fatalf("the copy of %s has digest %x at %d, want %x at %d (of %d)", name, got, at, want, position, s.compared)
		}
		reached = max(reached, position)
	}
	if reached != s.spool.Position() || reached != s.compared {
		s.Fatalf("the directory is at %d, its spool at %d, the copy at %d", reached, s.spool.Position(), s.compared)
	}
}

// compareOpen compares the copy with the directory while that is open.
func (s *story) compareOpen() {
	s.Helper()
	defer s.hold()()
	s.compare(func(of format.File) (sum [sha256.Size]byte, position uint64, err error) {
		take := s.db.Image
		if of == format.Events {
			take = s.events.Image
		}
		image, err := take()
		if err != nil {
			return sum, 0, err
		}
		return digestOf(image)
	})
}

// compareClosed closes the directory, compares it with the copy, and leaves it closed with an open spool.
func (s *story) compareClosed() {
	s.Helper()
	s.must(s.close())
	s.openSpool()
	if s.spool.Gap() {
		s.Fatal("changes are missing in the spool")
	}
	s.compare(func(of format.File) ([sha256.Size]byte, uint64, error) {
		return boltfile.DigestFile(s.path(nameOf[of]))
	})
	s.must(s.spool.Close())
}

// end closes the copy.
func (s *story) end() {
	if err := s.copy.close(); err != nil {
		s.Fatal(fmt.Errorf("close the copy: %w", err))
	}
}
