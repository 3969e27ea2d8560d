// Package search implements the full-text index of all records. The index is derived from
// the change feed of the store, so it can be deleted and rebuilt at any time. A search of
// the index returns candidates. The store verifies them, and adds the records that have
// changed since the index was last updated.
//
//	search.go      Index: Open, Candidates, Close
//	indexer.go     Run: batches from the change feed
//	rebuild.go     building a new index while the old one is in use
//	engine.go      the bleve index: batches and queries
//	document.go    documents and their grams
//	checkpoint.go  the origin and the position of an index
//	examine.go     checks before bleve opens a file
//	probe.go       testing whether an index can be used
//	check.go       svc check
//	state.go       counters for status and metrics
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
	"time"

	"svc/internal/datadir"
	"svc/internal/fault"
	"svc/internal/searchtext"
	"svc/store"
)

// Suffixes of the names of the index's directories in a data directory.
const (
	newSuffix = ".new" // the new index, while it is being built
	oldSuffix = ".old" // the old index, while it is being removed
)

// maxHits is the number of hits above which scanning all records is as fast as using the
// index.
const maxHits = 10_000

// Index is the full-text index in a data directory. It is safe for concurrent use. If the
// Index is nil, every record is a candidate for every search.
type Index struct {
	path string
	db   *store.Store
	log  *slog.Logger

	// current is the engine that serves searches. It is nil while no engine can serve them.
	current atomic.Pointer[engine]
	woken   chan struct{} // tells Run that current was invalidated
	life    context.Context
	end     func()
	close   func() error

	// building is held while an index is being built.
	building sync.Mutex

	writing sync.Mutex
	engine  *engine // the open engine, or nil; it may be unusable; guarded by writing
	closed  bool    // guarded by writing

	gatherFor time.Duration // minimum pause after a batch

	observed observed
}

// Open prepares the index in a data directory for use. It only examines the index: Run
// opens it later, because that takes a while, and then lets it serve searches. A missing
// index is not an error. Open discards a damaged, foreign or outdated index, and Run then
// rebuilds it. Open fails only if files cannot be removed. The caller must hold the lock
// of the directory.
func Open(dir string, db *store.Store, log *slog.Logger) (*Index, error) {
	x := &Index{path: filepath.Join(dir, datadir.Index), db: db, log: log, woken: make(chan struct{}, 1), gatherFor: gatherFor}
	x.life, x.end = context.WithCancel(context.Background())
	x.close = sync.OnceValue(x.shut)
	if err := errors.Join(os.RemoveAll(x.path+newSuffix), os.RemoveAll(x.path+oldSuffix)); err != nil {
		return nil, fmt.Errorf("open search index: %w", err)
	}
	err := Probe(dir, db)
	if errors.Is(err, errMissing) {
		return x, nil
	}
	if err != nil && !passes(err) {
		// Discard the index now. When the store has advanced, a checkpoint of a change that did
		// not exist before would look valid.
		if err := x.discard(err); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// passes reports whether an error that occurred while opening an index is temporary, so
// that the index need not be discarded: the process cannot open more files, or the disk
// is full or read-only.
func passes(err error) bool {
	err = fault.Disk(err)
	return fault.Is(err, fault.NoSpace) || fault.Is(err, fault.Unavailable) && !errors.Is(err, syscall.EIO)
}

// openUsable opens the index. It returns an error if the index cannot catch up with the
// store.
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

// discard removes an index that cannot be used.
func (x *Index) discard(reason error) error {
	x.log.Warn("search index discarded; rebuilding it", "reason", reason)
	if err := os.RemoveAll(x.path); err != nil {
		return fmt.Errorf("discard search index: %w", err)
	}
	return nil
}

// Candidates returns the records of a kind that may contain all of the given terms, which
// must be folded. If project is not 0, it returns only records of that project. If the
// index is not available, or if a scan would be as fast, every record is a candidate.
// Candidates does not wait until the index has processed all changes.
func (x *Index) Candidates(ctx context.Context, kind store.Kind, project store.ProjectID, terms []string) store.Candidates {
	all := store.Candidates{All: true}
	if x == nil {
		return all
	}
	e := x.current.Load()
	grams := required(terms)
	if e == nil || len(grams) == 0 {
		return all
	}
	seen := e.seen.Load() // loaded before the search, which may then find later changes but misses none up to seen
	refs, err := e.find(ctx, scopeOf(kind, project), grams, maxHits)
	switch {
	case errors.Is(err, errDead):
		x.invalidate(e, err)
		return all
	case errors.Is(err, errMany), ctx.Err() != nil, err != nil && x.current.Load() != e:
		return all
	case err != nil:
		x.log.Warn("search index does not respond", "error", err)
		return all
	}
	n := store.Candidates{Refs: make(map[string]bool, len(refs)), Seen: seen}
	for _, ref := range refs {
		n.Refs[ref] = true
	}
	return n
}

// Seen returns the sequence number of the last indexed change. ok is false if there is no
// index.
func (x *Index) Seen() (seq uint64, ok bool) {
	e := x.current.Load()
	if e == nil {
		return 0, false
	}
	return e.seen.Load(), true
}

// required returns the distinct grams that occur in every text that contains all of the
// terms.
func required(terms []string) []string {
	var grams []string
	seen := map[string]bool{}
	for _, term := range terms {
		for _, g := range searchtext.Required(term) {
			if !seen[g] {
				seen[g] = true
				grams = append(grams, g)
			}
		}
	}
	return grams
}

// invalidate stops searches from using an engine that is no longer reliable, and makes
// Run replace it.
func (x *Index) invalidate(e *engine, reason error) {
	if e.bad.Swap(true) {
		return
	}
	x.current.CompareAndSwap(e, nil)
	x.log.Error("search index failed; rebuilding it", "reason", reason)
	x.wake()
}

// wake makes Run check the state of the index immediately.
func (x *Index) wake() {
	select {
	case x.woken <- struct{}{}:
	default:
	}
}

// Close stops a rebuild in progress and closes the index. Later calls do nothing.
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

// drop closes the open engine, if there is one. The caller must hold x.writing.
func (x *Index) drop() error {
	e := x.engine
	if e == nil {
		return nil
	}
	x.engine = nil
	x.current.CompareAndSwap(e, nil)
	return e.close()
}
