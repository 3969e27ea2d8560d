package search

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/search/query"
)

var (
	errDead  = errors.New("the index stopped working") // bleve has panicked
	errMany  = errors.New("too many hits")             // returned because a scan would be as fast
	errWrite = errors.New("write to the index")        // a batch was not written; see apply
)

// engine is a bleve index on disk. Its methods work around the defects of bleve.
type engine struct {
	path  string
	bleve bleve.Index
	seen  atomic.Uint64 // sequence number of the last change that searches find, as in the checkpoint

	observed *observed // statistics of the Index to which the engine belongs

	bad     atomic.Bool   // the engine must no longer be used
	dead    chan struct{} // closed when a background goroutine of bleve has panicked
	die     func()
	closing chan struct{} // closed at the start of close
	close   func() error
}

// checkpointKey is the key under which the checkpoint is stored in bleve.
var checkpointKey = []byte("svc_stamp")

// settings returns the settings with which bleve opens or creates an index.
func settings() map[string]any {
	return map[string]any{
		// without this, bleve waits forever for a locked directory
		"bolt_timeout":           "2s",
		"asyncErrorCallbackName": callbackName,
		// The sizes are in documents. bleve's defaults are for small documents: it would
		// repeatedly merge all segments of fewer than 2,000 documents, which are half a
		// million logs in blocks.
		"scorchMergePlanOptions": map[string]any{
			"MaxSegmentsPerTier":   6,
			"MaxSegmentSize":       5_000_000,
			"TierGrowth":           6.0,
			"SegmentsPerMergeTask": 6,
			"FloorSegmentSize":     16,
			"ReclaimDeletesWeight": 2.0,
		},
	}
}

// makeEngine creates an empty index in a directory that does not exist yet.
func makeEngine(path string, first checkpoint) (*engine, error) {
	m := bleve.NewIndexMapping()
	m.DefaultMapping = bleve.NewDocumentStaticMapping() // documents already contain their analysed fields
	e, err := guard(path, func() (bleve.Index, error) {
		return bleve.NewUsing(path, m, scorch.Name, scorch.Name, settings())
	})
	if err != nil {
		return nil, err
	}
	if err := e.apply(&batch{checkpoint: &first}); err != nil {
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}

// openEngine opens the index at path after verifying that all its files are intact. This
// takes a while; ctx can cancel it.
func openEngine(ctx context.Context, path string) (*engine, checkpoint, error) {
	return openWith(ctx, path, settings())
}

func openWith(ctx context.Context, path string, settings map[string]any) (*engine, checkpoint, error) {
	r, err := examine(ctx, path)
	if err != nil {
		return nil, checkpoint{}, fmt.Errorf("open %s: %w", path, err)
	}
	e, err := guard(path, func() (bleve.Index, error) { return bleve.OpenUsing(path, settings) })
	if err != nil {
		return nil, checkpoint{}, err
	}
	// If bleve cannot read a state, it silently uses an older one.
	s, err := e.checkpoint()
	if err == nil && s != r.checkpoint {
		err = fmt.Errorf("open %s: got change %d, want %d", path, s.Seq, r.checkpoint.Seq)
	}
	if err != nil {
		return nil, s, errors.Join(err, e.close())
	}
	e.seen.Store(s.Seq)
	return e, s, nil
}

// guard opens an index and works around three defects of bleve. First, a damaged file
// makes bleve panic. Second, if bleve returns an error, it also returns a non-nil
// interface that holds a nil pointer, on which no method may be called. Third, a second
// Close panics.
func guard(path string, open func() (bleve.Index, error)) (e *engine, err error) {
	registerCallback()
	defer panicOnFault()()
	defer func() {
		if r := recover(); r != nil {
			engines.Delete(storeFolder(path))
			e, err = nil, fmt.Errorf("open %s: panic: %v", path, r)
		}
	}()
	e = &engine{path: path, dead: make(chan struct{}), closing: make(chan struct{})}
	e.die = sync.OnceFunc(func() { close(e.dead) })
	engines.Store(storeFolder(path), e)
	e.bleve, err = open()
	if err != nil {
		engines.Delete(storeFolder(path))
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	e.close = sync.OnceValue(e.shut)
	return e, nil
}

// panicOnFault makes a memory fault of this goroutine cause a panic instead of a crash of
// the process, until end is called. A fault occurs if a memory-mapped file was truncated
// or cannot be read. panicOnFault does not affect bleve's own goroutines.
func panicOnFault() (end func()) {
	before := debug.SetPanicOnFault(true)
	return func() { debug.SetPanicOnFault(before) }
}

// recovered, when deferred, turns a panic of bleve into an error that wraps errDead.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: panic: %v", errDead, r)
	}
}

// closeWait limits how long closing an engine waits after a background goroutine of bleve
// has died.
const closeWait = 2 * time.Second

// shut closes the index. If a background goroutine of bleve has panicked, it may still
// hold the lock of root.bolt, and closing could hang forever. After such a panic, shut
// waits at most closeWait.
func (e *engine) shut() error {
	defer engines.Delete(storeFolder(e.path))
	done := make(chan error, 1)
	go func() { done <- e.closeBleve() }()
	select {
	case err := <-done:
		return err
	case <-e.dead:
	}
	select {
	case err := <-done:
		return err
	case <-time.After(closeWait):
		return fmt.Errorf("close %s: %w", e.path, errDead)
	}
}

// closeBleve closes the bleve index. If a batch hangs, because the index is dead, bleve's
// Close would hang, too. closeBleve then closes only the inner part of the index.
func (e *engine) closeBleve() (err error) {
	defer panicOnFault()()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("close %s: panic: %v", e.path, r)
		}
	}()
	close(e.closing)
	select {
	case <-e.dead:
		inner, err := e.bleve.Advanced()
		if err != nil {
			return err
		}
		return inner.Close()
	default:
		return e.bleve.Close()
	}
}

func (e *engine) checkpoint() (s checkpoint, err error) {
	raw, err := e.bleve.GetInternal(checkpointKey)
	if err != nil {
		return s, fmt.Errorf("read checkpoint of %s: %w", e.path, err)
	}
	return parseCheckpoint(raw)
}

// batch is a set of changes that is written as a whole or not at all.
type batch struct {
	puts       []*document.Document
	deletes    []string    // references of the deleted documents
	checkpoint *checkpoint // the checkpoint to store; nil = unchanged
}

// apply writes a batch. When it returns nil, the batch is on disk and searches find it.
// If it returns errWrite, the batch is only in memory: searches find it, and bleve
// retries writing it. Another batch would then make bleve panic, so the index must be
// reopened.
func (e *engine) apply(b *batch) error {
	out := e.bleve.NewBatch()
	for _, ref := range b.deletes {
		out.Delete(documentID(ref))
	}
	for _, d := range b.puts {
		if err := out.IndexAdvanced(d); err != nil {
			return fmt.Errorf("%w: %w", errWrite, err)
		}
	}
	if b.checkpoint != nil {
		out.SetInternal(checkpointKey, b.checkpoint.bytes())
	}
	// If a background goroutine of bleve has panicked, a batch waits for it forever.
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() { done <- err }()
		defer panicOnFault()()
		defer recovered(&err)
		err = e.bleve.Batch(out)
	}()
	var err error
	select {
	case err = <-done:
	case <-e.dead:
		err = errDead
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errWrite, err)
	}
	if b.checkpoint != nil {
		e.seen.Store(b.checkpoint.Seq)
	}
	e.observed.wrote(b)
	return nil
}

// find returns the references of the documents of a scope that may contain all of the
// grams: those that contain them, and those that have too many grams to store. The error
// is errMany if there are more than limit documents, and errDead if bleve panics.
func (e *engine) find(ctx context.Context, scope string, grams []string, limit int) (refs []string, err error) {
	defer panicOnFault()()
	defer recovered(&err)
	having := []query.Query{term(scopeField, scope)}
	for _, g := range grams {
		having = append(having, term(gramField, g))
	}
	for _, all := range [][]query.Query{having, {term(scopeField, scope), term(scopeField, wideScope)}} {
		more, err := e.some(ctx, query.NewConjunctionQuery(all), limit+1)
		if err != nil {
			return nil, err
		}
		if refs = append(refs, more...); len(refs) > limit {
			return nil, errMany
		}
	}
	return refs, nil
}

// some returns the references of at most size documents that a query finds. If the query
// finds more, the choice is arbitrary.
func (e *engine) some(ctx context.Context, q query.Query, size int) ([]string, error) {
	request := bleve.NewSearchRequestOptions(q, size, 0, false)
	// Without scores and an order, bleve stops as soon as it has this many hits, and its
	// total is not meaningful.
	request.Score = bleve.ScoreNone
	result, err := e.bleve.SearchInContext(ctx, request)
	if err != nil {
		return nil, fmt.Errorf("search %s: %w", e.path, err)
	}
	refs := make([]string, len(result.Hits))
	for i, hit := range result.Hits {
		if refs[i], err = parseDocumentID(hit.ID); err != nil {
			return nil, err
		}
	}
	return refs, nil
}

func term(field, text string) query.Query {
	q := query.NewTermQuery(text)
	q.SetField(field)
	return q
}

// callbackName is the name under which backgroundError is registered for the whole
// process. bleve reports errors of its background goroutines to it.
const callbackName = "svc"

var (
	engines          sync.Map // the open engines by directory, as bleve spells it
	registerCallback = sync.OnceFunc(func() { scorch.RegistryAsyncErrorCallbacks[callbackName] = backgroundError })
)

// backgroundError handles an error of one of bleve's background goroutines. bleve calls
// it in that goroutine, which would otherwise retry immediately and forever, for example
// while the disk is full. backgroundError therefore waits a second. After a panic the
// goroutine no longer exists, and the engine is marked as dead.
func backgroundError(err error, path string) {
	v, ok := engines.Load(path)
	if !ok {
		return
	}
	e := v.(*engine)
	if errors.Is(err, scorch.ErrAsyncPanic) {
		e.die()
		return
	}
	select {
	case <-time.After(time.Second):
	case <-e.closing:
	}
}
