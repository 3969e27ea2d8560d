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
	errDead  = errors.New("the index stopped working")
	errMany  = errors.New("too many hits")
	errWrite = errors.New("write to the index")
)

// engine is one bleve index on disk. What bleve does to the careless is
// handled here and nowhere else.
type engine struct {
	path  string
	bleve bleve.Index
	seen  atomic.Uint64 // last change that a search finds, as in the checkpoint

	observed *observed // of the index that it belongs to

	bad     atomic.Bool   // it must not be used any more
	dead    chan struct{} // closed when a background goroutine of bleve is gone
	die     func()
	closing chan struct{} // closed when close begins
	close   func() error
}

// checkpointKey is where bleve keeps the checkpoint.
var checkpointKey = []byte("svc_stamp")

// settings are those of bleve's storage, for opening and for making an index.
func settings() map[string]any {
	return map[string]any{
		// Without it bleve waits for ever for a folder that is locked.
		"bolt_timeout":           "2s",
		"asyncErrorCallbackName": callbackName,
		// The sizes are in documents. bleve's own are for small ones: it would
		// merge everything that is smaller than 2,000 documents, half a million
		// logs in blocks, again and again.
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

// makeEngine makes an empty index in a folder that does not exist yet.
func makeEngine(path string, first checkpoint) (*engine, error) {
	m := bleve.NewIndexMapping()
	m.DefaultMapping = bleve.NewDocumentStaticMapping() // the fields of documents come complete
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

// openEngine opens an index of which every file is whole. ctx can end the
// check, which takes a while.
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
	// What bleve cannot read it leaves out without an error.
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

// guard opens an index with what bleve leaves to its callers: a torn file
// makes it panic; beside an error it returns an interface that is not nil
// around a pointer that is, on which nothing may be called; and a second Close
// panics.
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

// panicOnFault makes a fault in the memory map of a file that was cut or cannot
// be read any more a panic of this goroutine instead of the end of the process,
// until the returned function is called. bleve's own goroutines are out of reach.
func panicOnFault() (end func()) {
	before := debug.SetPanicOnFault(true)
	return func() { debug.SetPanicOnFault(before) }
}

// recovered, when deferred, makes a panic of bleve an errDead.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: panic: %v", errDead, r)
	}
}

// closeWait is how long closing waits for what is left of a dead index.
const closeWait = 2 * time.Second

// shut closes the index. When a background goroutine of bleve has panicked, it
// may have left root.bolt locked, and closing that would hang for ever.
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

// closeBleve closes what bleve has open. A batch that hangs would make bleve's
// Close hang too, so of a dead index only the inner part is closed.
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

// batch is written as a whole or not at all.
type batch struct {
	puts       []*document.Document
	deletes    []string    // references
	checkpoint *checkpoint // nil = as before
}

// apply writes a batch and returns when it is on disk and searches find it. An
// error that is errWrite has left the batch in memory, where bleve tries again
// to write it and searches find it; another batch would make it panic. So the
// index must be opened again.
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
	// When a background goroutine of bleve has panicked, a batch waits for it
	// for ever.
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

// find lists the references of the documents of a scope that may have all of
// some grams: those that have them, and those with too many to tell. More than
// limit are errMany; the error of a panic is errDead.
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

// some lists the references of any size documents that a query finds, or of
// all when they are fewer.
func (e *engine) some(ctx context.Context, q query.Query, size int) ([]string, error) {
	request := bleve.NewSearchRequestOptions(q, size, 0, false)
	// Without scores and an order bleve stops as soon as it has so many, and
	// its total means nothing.
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

// bleve reports what goes wrong in its background goroutines to a function
// that has to be registered by name for the whole process.
const callbackName = "svc"

var (
	engines          sync.Map // folder as bleve names it -> *engine
	registerCallback = sync.OnceFunc(func() { scorch.RegistryAsyncErrorCallbacks[callbackName] = backgroundError })
)

// backgroundError is called in the goroutine in which the error happened. That
// goroutine would try again at once, for ever: when the disk is full it is made
// to wait. After a panic it is gone.
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
