package search

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"svc/internal/fault"
	"svc/store"
)

const (
	// batchChanges is the maximum number of changes that one transaction reads, and
	// pageBytes the maximum number of bytes of text.
	batchChanges = 1000
	pageBytes    = 2 << 20
	// batchGrams limits the memory of a batch, which is about 100 bytes for each gram.
	batchGrams = 250_000

	// feedTail is the number of changes before the checkpoint that stay in the feed, so
	// that an index that was restored from a copy can catch up.
	feedTail = 10_000
	// trimStep is the minimum number of changes that trim removes at once.
	trimStep = 2_000

	// Changes are gathered before they are indexed. A batch costs several syncs, which
	// compete with those of the store, and a small batch costs nearly as much as a large
	// one. A batch is therefore followed by a pause of gatherFor, or of gatherShare times
	// the duration of the batch if that is longer, but at most maxGather. During a burst of
	// changes, indexing thus leaves at least nine tenths of one processor free.
	//
	// The pause ends early when no change has arrived for gatherFor. It also ends after
	// gatherChanges changes or gatherText bytes of text (about 350,000 short logs), because
	// searches have to scan the changes that the index has not processed.
	gatherFor     = time.Second
	gatherShare   = 9
	maxGather     = 15 * time.Second
	gatherChanges = 2048
	gatherText    = 64 << 20 // bytes of text

	firstRetry = time.Second
	lastRetry  = time.Minute
)

// errStale is returned if the feed no longer contains all changes that the index lacks.
var errStale = errors.New("the index cannot catch up")

// Start calls Run in a new goroutine. stop ends Run and waits until it has returned.
func (x *Index) Start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	x.observed.running.Store(true) // Run sets this too, but a search could arrive first
	var running sync.WaitGroup
	running.Go(func() { x.Run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

// Run keeps the index up to date until ctx is done: it processes the feed, builds the
// index if there is none, and retries after failures. When it ends, it also stops a
// Rebuild that is in progress.
func (x *Index) Run(ctx context.Context) {
	defer context.AfterFunc(ctx, x.end)()
	x.observed.running.Store(true)
	defer x.observed.running.Store(false)
	retry := firstRetry
	var due time.Time // when the next batch is due if there are only few changes
	for ctx.Err() == nil {
		changed, begun, before := x.db.Changed(), time.Now(), x.observed.batches.Load()
		text := x.db.ChangedText()
		// Whatever is wrong with a record, the server must continue, without an up-to-date
		// index.
		err := fault.Catch(func() error { return x.catchUp(ctx) })
		if x.observed.batches.Load() != before {
			due = time.Now().Add(max(x.gatherFor, min(gatherShare*time.Since(begun), maxGather)))
		}
		if ctx.Err() != nil {
			return
		}
		x.observed.caughtUp(err)
		if err == nil {
			retry = firstRetry
			select {
			case <-ctx.Done():
			case <-changed:
				x.gather(ctx, due, text)
			case <-x.woken:
			}
			continue
		}
		x.log.Error("search index is behind", "error", err, "retry_in", retry.String())
		select {
		case <-ctx.Done():
		case <-time.After(retry):
		}
		retry = min(2*retry, lastRetry)
	}
}

// gather waits until the next batch should be written: when the time in the parameter due is
// reached, when no change has arrived for gatherFor, or when gatherChanges or gatherText is
// reached. seen is the value of ChangedText at the last indexed change.
func (x *Index) gather(ctx context.Context, due time.Time, seen int64) {
	timer, quiet := time.NewTimer(time.Until(due)), time.NewTimer(x.gatherFor)
	defer timer.Stop()
	defer quiet.Stop()
	for {
		changed := x.db.Changed()
		if x.State().Lag() >= gatherChanges || x.db.ChangedText()-seen >= gatherText {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			return
		case <-quiet.C:
			return
		case <-x.woken:
			return
		case <-changed:
			quiet.Reset(x.gatherFor)
		}
	}
}

// admit opens the index if it exists and is not open yet, and lets searches use it.
func (x *Index) admit() error {
	x.writing.Lock()
	defer x.writing.Unlock()
	if x.engine != nil || x.closed {
		return nil
	}
	if _, err := os.Stat(x.path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return x.reopen(nil)
}

// catchUp makes the index process all changes in the feed. If there is no index, catchUp
// builds it.
func (x *Index) catchUp(ctx context.Context) error {
	if err := x.admit(); err != nil {
		return err
	}
	for ctx.Err() == nil {
		more, err := x.step()
		switch {
		case errors.Is(err, errNone):
			err = x.build(ctx)
		case err == nil && !more:
			return x.trim()
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// errNone is returned if there is no index to write to.
var errNone = errors.New("there is no index")

// step indexes one batch of changes and reports whether there may be more. If the index
// has failed, step closes and removes it. The error is errNone if there is no index.
func (x *Index) step() (more bool, err error) {
	x.writing.Lock()
	defer x.writing.Unlock()
	if x.engine != nil && !x.engine.bad.Load() {
		more, err = x.engine.processFeed(x.db)
	}
	switch {
	case errors.Is(err, errStale), errors.Is(err, errDead):
		x.invalidate(x.engine, err)
	case errors.Is(err, errWrite):
		if cause := x.reopen(err); cause != nil {
			return false, errors.Join(err, cause)
		}
	}
	if x.engine == nil {
		return false, errNone
	}
	if x.engine.bad.Load() {
		return false, errors.Join(x.drop(), os.RemoveAll(x.path), errNone)
	}
	return more, err
}

// reopen opens the index from disk. If an error made it necessary to reopen an open index, the
// caller passes that error as the parameter after; otherwise this parameter is nil. reopen discards
// an index that cannot be used. If the reason why the index cannot be opened is temporary, the
// index stays closed. The caller must hold x.writing.
func (x *Index) reopen(after error) error {
	if err := x.drop(); err != nil {
		x.log.Warn("cannot close search index", "error", err)
	}
	e, err := x.openUsable()
	switch {
	case err != nil && x.life.Err() != nil:
		return errClosed
	case passes(err):
		return err
	case err != nil:
		return x.discard(errors.Join(after, err))
	}
	x.use(e)
	return nil
}

// use makes an engine serve searches. The caller must hold x.writing.
func (x *Index) use(e *engine) {
	e.observed = &x.observed
	x.engine = e
	x.current.Store(e)
}

// trim removes from the feed the changes that the index has processed, except the last
// feedTail of them. In a store that follows another one, the other store's index does so; an
// index that is slower than that one is rebuilt.
func (x *Index) trim() error {
	if x.db.Following() {
		return nil
	}
	if !x.building.TryLock() {
		return nil // a build in progress needs all changes since its start
	}
	defer x.building.Unlock()
	e := x.current.Load()
	if e == nil {
		return nil
	}
	var oldest uint64
	err := x.db.View(func(tx *store.Tx) error {
		oldest, _ = tx.FeedRange()
		return nil
	})
	if upTo := int64(e.seen.Load()) - feedTail; err == nil && upTo-int64(oldest) >= trimStep {
		err = x.db.TrimFeed(uint64(upTo))
	}
	return err
}

// processFeed indexes the next changes and reports whether there may be more. It is safe
// to index the same changes again.
func (e *engine) processFeed(db *store.Store) (more bool, err error) {
	next := newCheckpoint(db, e.seen.Load())
	var p page
	var gone []store.ProjectID
	err = db.View(func(tx *store.Tx) error {
		if err := inFeed(tx, next.Seq); err != nil {
			return fmt.Errorf("%w: %w", errStale, err)
		}
		changes, err := tx.Changes(next.Seq, batchChanges)
		if err != nil {
			return err
		}
		more = len(changes) == batchChanges
		seen := map[string]bool{}
		for _, c := range changes {
			if p.full() {
				more = true
				break
			}
			next.Seq = c.Seq
			if seen[c.Ref()] {
				continue
			}
			seen[c.Ref()] = true
			there, err := p.add(tx, c)
			if err != nil {
				return err
			}
			if !there && c.Kind == store.KindProject {
				gone = append(gone, c.Project)
			}
		}
		return nil
	})
	if err != nil || next.Seq == e.seen.Load() {
		return false, err
	}
	for _, project := range gone {
		if err := e.purge(project); err != nil {
			return false, err
		}
	}
	return more, e.write(p, next)
}

// page holds the records that were read in one transaction.
type page struct {
	there []text
	gone  []string // references of records that no longer exist
	bytes int
}

type text struct {
	of     store.Change
	folded string
}

func (p *page) full() bool { return p.bytes >= pageBytes }

// add reads the text of a changed record and adds it to the page. The result there is
// false if the record no longer exists.
func (p *page) add(tx *store.Tx, c store.Change) (there bool, err error) {
	folded, there, err := tx.SearchText(c)
	switch {
	case err != nil:
		return false, fmt.Errorf("read text of %x: %w", c.Ref(), err)
	case there:
		p.there = append(p.there, text{c, folded})
		p.bytes += len(folded)
	default:
		p.gone = append(p.gone, c.Ref())
	}
	return there, nil
}

// write indexes the records of a page in as many batches as their size requires. The last
// batch contains the checkpoint next.
func (e *engine) write(p page, next checkpoint) error {
	b := batch{deletes: p.gone}
	grams := 0
	for _, t := range p.there {
		if grams > batchGrams {
			if err := e.apply(&b); err != nil {
				return err
			}
			b, grams = batch{}, 0
		}
		d, n := newDocument(t.of, t.folded)
		b.puts = append(b.puts, d)
		grams += n
	}
	b.checkpoint = &next
	return e.apply(&b)
}

// purge removes the documents of a project from the index, in batches of limited size.
func (e *engine) purge(p store.ProjectID) error {
	const step = 500
	for kind := store.KindProject; kind <= store.KindLog; kind++ {
		for {
			refs, err := e.some(context.Background(), term(scopeField, scopeOf(kind, p)), step)
			if err != nil {
				return err
			}
			if len(refs) == 0 {
				break
			}
			if err := e.apply(&batch{deletes: refs}); err != nil {
				return err
			}
		}
	}
	return nil
}
