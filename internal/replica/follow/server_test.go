package follow_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"svc/internal/backup"
	"svc/internal/boltfile"
	"svc/internal/datadir"
	"svc/internal/replica"
	"svc/internal/replica/follow"
	"svc/internal/replica/format"
	"svc/internal/replica/spool"
	"svc/internal/replica/target"
)

// databases are the files of a data directory. Texts are written to both by turns.
var databases = map[format.File]string{format.Records: datadir.Database, format.Events: datadir.Events}

var textsBucket = []byte("texts")

// entry is a text that a server has accepted.
type entry struct {
	text  string
	begun time.Time // before the server decided
	acked time.Time // after a client was told that the text is stored; zero if none was
}

// server is a data directory with a primary.
type server struct {
	name, dir string
	config    replica.Config

	mu      sync.Mutex // guards the fields below
	primary *replica.Primary
	spool   *spool.Spool
	files   map[format.File]*boltfile.Writer
	entries []entry // what it has accepted, in order
}

// create creates the databases of a new server.
func create(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, name := range databases {
		if err := boltfile.Create(filepath.Join(dir, name), func(tx *boltfile.Tx) error {
			_, err := tx.CreateBucket(textsBucket)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// serve starts a server on a data directory. The configuration contains what all servers have in common.
func serve(dir, name string, to target.Target, c replica.Config) (*server, error) {
	c.Dir, c.Data, c.Host, c.Target, c.Location = filepath.Join(dir, datadir.Replicate), "data", name, to, "test"
	c.Log = c.Log.With("server", name)
	s := &server{name: name, dir: dir, config: c}
	return s, s.open()
}

func (s *server) open() error {
	at := map[format.File]spool.At{}
	for file, name := range databases {
		position, complete, err := boltfile.ReadPosition(filepath.Join(s.dir, name))
		if err != nil {
			return err
		}
		at[file] = spool.At{Position: position, Complete: complete}
	}
	changes, err := spool.Open(s.config.Dir, at[format.Records], at[format.Events], spool.Options{
		Log: s.config.Log, Free: func() (uint64, error) { return 1 << 40, nil },
	})
	if err != nil {
		return err
	}
	files := map[format.File]*boltfile.Writer{}
	for file, name := range databases {
		db, err := boltfile.Open(filepath.Join(s.dir, name), boltfile.Options{
			NoSync: true, Loaded: [][]byte{}, Recorder: changes.Recorder(file),
		})
		if err != nil {
			return err
		}
		files[file] = boltfile.NewWriter(db, s.config.Log)
		if changes.Gap() {
			if err := files[file].StartAt(changes.Position()); err != nil {
				return err
			}
		}
	}
	s.mu.Lock()
	s.spool, s.files = changes, files
	s.mu.Unlock()
	c := s.config
	c.Spool, c.Archive = changes, s.archive
	p, err := replica.Start(c)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.primary = p
	return nil
}

// archive writes a backup archive of the databases.
func (s *server) archive(_ context.Context, to io.Writer, _ []string, imaged func() error) (err error) {
	dir, err := os.MkdirTemp(s.dir, "images-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := s.copyTo(dir, imaged); err != nil {
		return err
	}
	w, err := backup.NewWriter(to, "test", time.Now())
	if err != nil {
		return err
	}
	for _, name := range datadir.Databases {
		if err := w.AddFile(name, filepath.Join(dir, name)); err != nil {
			w.Abort()
			return err
		}
	}
	_, err = w.Close(false, nil)
	return err
}

func (s *server) copyTo(dir string, imaged func() error) error {
	for _, file := range s.files {
		defer file.Hold()()
	}
	if err := imaged(); err != nil {
		return err
	}
	for file, name := range databases {
		image, err := s.files[file].Image()
		if err != nil {
			return err
		}
		if err := errors.Join(image.Copy(filepath.Join(dir, name)), image.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) replication() *replica.Primary {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.primary
}

// accept commits a text, if the server accepts writes now.
func (s *server) accept(text string) (e entry, accepted bool, err error) {
	e = entry{text: text, begun: time.Now()}
	if s.replication().Admit() != nil {
		return e, false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.files[[]format.File{format.Records, format.Events}[len(s.entries)%2]]
	w.Lock()
	defer w.Unlock()
	s.entries = append(s.entries, e)
	return e, true, w.UpdateUncounted(func(tx *boltfile.Tx) error {
		b := tx.Bucket(textsBucket)
		n, err := b.NextSequence()
		if err != nil {
			return err
		}
		return b.Put(fmt.Appendf(nil, "%08d", n), []byte(text))
	})
}

// kill ends the server at once.
func (s *server) kill() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = s.replication().Stop(ctx) // what it has not shipped is shipped after the next start
	var err error
	for _, file := range s.files {
		err = errors.Join(err, file.Close())
	}
	return errors.Join(err, s.spool.Close())
}

// restart kills the server and starts it again.
func (s *server) restart() error { return errors.Join(s.kill(), s.open()) }

func (s *server) accepted() []entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.entries)
}

func (s *server) position() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spool.Position()
}

// shippedAll reports whether the target has everything.
func (s *server) shippedAll() bool { return s.replication().Status().Shipped >= s.position() }

// digests returns the digests of the databases in a data directory, which no server has open.
func digests(dir string) (all [2][32]byte, err error) {
	for i, name := range datadir.Databases {
		var failed error
		all[i], _, failed = boltfile.DigestFile(filepath.Join(dir, name))
		err = errors.Join(err, failed)
	}
	return all, err
}

// texts returns the texts in the databases of a data directory, which no server has open.
func texts(dir string) (all []string, err error) {
	for _, name := range datadir.Databases {
		db, openErr := boltfile.Open(filepath.Join(dir, name), boltfile.Options{ReadOnly: true})
		if openErr != nil {
			return nil, openErr
		}
		err = errors.Join(err, db.View(func(tx *boltfile.Tx) error {
			return tx.Bucket(textsBucket).ForEach(func(_, value []byte) error {
				all = append(all, string(value))
				return nil
			})
		}), db.Close())
	}
	return all, err
}

// standby is a data directory that follows a primary.
type standby struct {
	config follow.Config
	*follow.Follower
	files *follow.Files
	stop  context.CancelFunc
	ended chan error // receives the result of Run
}

// start begins to follow, or goes on.
func (s *standby) start(ctx context.Context) (err error) {
	if s.Follower, err = follow.Open(ctx, s.config); err != nil {
		return err
	}
	if s.files, err = follow.OpenFiles(s.config.Data); err != nil {
		return err
	}
	s.Use(s.files.Apply)
	ctx, s.stop = context.WithCancel(ctx)
	f, ended := s.Follower, make(chan error, 1)
	s.ended = ended
	go func() { ended <- f.Run(ctx) }()
	return nil
}

// end stops following, and returns why Run has ended.
func (s *standby) end() (reason, err error) {
	s.stop()
	reason = <-s.ended
	return reason, s.files.Close()
}
