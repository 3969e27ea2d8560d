// Package search is the index of everything that can be searched. It follows
// the change feed of the store and is derived from it: it may be deleted at any
// time. It is never believed either: it says where a text can be, the store
// adds what changed since and looks.
package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"

	"svc/internal/fault"
	"svc/internal/fold"
	"svc/store"
)

// The folders of the index in a data directory.
const (
	folderName = "search.bleve"
	newSuffix  = ".new" // while it is built
	oldSuffix  = ".old" // while it is removed
)

// mostHits is the number of hits from which on looking everywhere is as good.
const mostHits = 10_000

// Index is the index of a data directory. Its methods may be called from any
// goroutine. A nil Index knows nothing.
type Index struct {
	path string
	db   *store.Store
	log  *slog.Logger

	// current is what answers; nil while there is nothing that can.
	current atomic.Pointer[engine]
	wake    chan struct{} // for Run: current has been given up
	life    context.Context
	end     func()
	close   func() error

	// building is held by whoever builds an index.
	building sync.Mutex

	writing sync.Mutex
	engine  *engine // open, though perhaps given up; guarded by writing
	closed  bool    // guarded by writing

	observed observed
}

// Open looks at the index in a data directory whose lock the caller holds; Run
// reads it, which takes a while, and makes it answer. One that is missing is no
// error; one that is damaged, foreign or too old is thrown away, and Run makes
// another. The error is that of files that cannot be removed.
func Open(dir string, db *store.Store, log *slog.Logger) (*Index, error) {
	x := &Index{path: filepath.Join(dir, folderName), db: db, log: log, wake: make(chan struct{}, 1)}
	x.life, x.end = context.WithCancel(context.Background())
	x.close = sync.OnceValue(x.shut)
	if err := errors.Join(os.RemoveAll(x.path+newSuffix), os.RemoveAll(x.path+oldSuffix)); err != nil {
		return nil, fmt.Errorf("open search index: %w", err)
	}
	err := Look(dir, db)
	if errors.Is(err, errMissing) {
		return x, nil
	}
	if err != nil && !passes(err) {
		// It must not stay: when the store has gone on for a while, a stamp from
		// its future could look like one from its past.
		if err := x.throwAway(err); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// passes reports whether an index cannot be opened for a reason that is not its
// own: the process may not open more files, the disk is full or read-only.
func passes(err error) bool {
	err = fault.Disk(err)
	return fault.Is(err, fault.NoSpace) || fault.Is(err, fault.Unavailable) && !errors.Is(err, syscall.EIO)
}

// openUsable opens an index that can be caught up with the store.
func (x *Index) openUsable() (*engine, error) {
	e, made, err := openEngine(x.life, x.path)
	if err != nil {
		return nil, err
	}
	if err := made.check(x.db); err != nil {
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}

// throwAway removes an index that cannot be used.
func (x *Index) throwAway(reason error) error {
	x.log.Warn("search index is thrown away and built again", "reason", reason)
	if err := os.RemoveAll(x.path); err != nil {
		return fmt.Errorf("throw away search index: %w", err)
	}
	return nil
}

// Narrow says where all of some folded texts can be: in which things of a kind,
// of one project or of all when project is 0. When it cannot say, or when that
// would take longer than looking, everything may match. It waits for nothing,
// however far the index lags behind.
func (x *Index) Narrow(ctx context.Context, kind store.Kind, project store.ProjectID, terms []string) store.Narrow {
	all := store.Narrow{All: true}
	if x == nil {
		return all
	}
	e := x.current.Load()
	grams := required(terms)
	if e == nil || len(grams) == 0 {
		return all
	}
	seen := e.seen.Load() // before the search, which may then see more, not less
	refs, err := e.find(ctx, scopeOf(kind, project), grams, mostHits)
	switch {
	case errors.Is(err, errDead):
		x.giveUp(e, err)
		return all
	case errors.Is(err, errMany), ctx.Err() != nil, err != nil && x.current.Load() != e:
		return all
	case err != nil:
		x.log.Warn("search index does not answer", "error", err)
		return all
	}
	n := store.Narrow{Refs: make(map[string]bool, len(refs)), Seen: seen}
	for _, ref := range refs {
		n.Refs[ref] = true
	}
	return n
}

// Seen is the number of the last change that searches find; ok is false while
// there is no index.
func (x *Index) Seen() (seq uint64, ok bool) {
	e := x.current.Load()
	if e == nil {
		return 0, false
	}
	return e.seen.Load(), true
}

// required are the grams that every text with all terms has.
func required(terms []string) []string {
	var grams []string
	seen := map[string]bool{}
	for _, term := range terms {
		for _, g := range fold.Required(term) {
			if !seen[g] {
				seen[g] = true
				grams = append(grams, g)
			}
		}
	}
	return grams
}

// giveUp takes an engine that cannot be trusted away from searches and leaves
// it to Run to build another.
func (x *Index) giveUp(e *engine, reason error) {
	if e.bad.Swap(true) {
		return
	}
	x.current.CompareAndSwap(e, nil)
	x.log.Error("search index is given up and built again", "reason", reason)
	x.rouse()
}

// rouse lets Run look again.
func (x *Index) rouse() {
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

// Close ends what is under way and closes the index. Later calls do nothing.
func (x *Index) Close() error { return x.close() }

func (x *Index) shut() error {
	x.end()
	x.building.Lock()
	defer x.building.Unlock()
	x.writing.Lock()
	defer x.writing.Unlock()
	x.closed = true
	return x.drop()
}

// drop closes the open engine, if any. The caller holds writing.
func (x *Index) drop() error {
	e := x.engine
	if e == nil {
		return nil
	}
	x.engine = nil
	x.current.CompareAndSwap(e, nil)
	return e.close()
}
