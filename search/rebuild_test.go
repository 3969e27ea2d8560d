package search

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/blevesearch/bleve/v2"
	index "github.com/blevesearch/bleve_index_api"

	"svc/internal/datadir"
	"svc/internal/fault"
	"svc/internal/testutil"
	"svc/store"
)

// filled returns a box with an index of 1,500 logs.
func filled(t *testing.T) (*box, store.ProjectID) {
	t.Helper()
	b := newBox(t)
	p := b.addProject("app")
	b.addLogs(p.ID, 1500, numbered)
	b.settle()
	return b, p.ID
}

// narrows reports whether the index excludes any records from a search for a term.
func (b *box) narrows(p store.ProjectID, term string) bool {
	return !b.index.Candidates(b.t.Context(), store.KindLog, p, []string{term}).All
}

func TestOldIndexAnswersUntilTheNewOneIsComplete(t *testing.T) {
	t.Parallel()
	b, p := filled(t)
	before := b.index.engine
	calls := 0
	check(t, b.index.Rebuild(t.Context(), func(int) {
		if calls++; calls > 3 {
			return
		}
		if !b.narrows(p, "line") || b.findLogs(p, "line 77 ") != calls {
			t.Error("old index does not answer while another is built")
		}
		b.addLogs(p, 300, numbered) // the new index must contain logs that are added during the build
		if err := b.index.Rebuild(t.Context(), nil); !fault.Is(err, fault.Conflict) {
			t.Errorf("another one at the same time: got %v, want a conflict", err)
		}
	}))
	if b.index.engine == before || calls == 0 {
		t.Errorf("no other index after %d calls", calls)
	}
	if seen, ok := b.index.Seen(); !ok || seen != b.db.LastChange() {
		t.Errorf("new index has seen %d, want %d", seen, b.db.LastChange())
	}
	if got, want := b.findLogs(p, "line 77 "), 1+min(calls, 3); !b.narrows(p, "line") || got != want {
		t.Errorf("new index: got %d logs, want %d", got, want)
	}
}

func TestRebuildThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		want error
		stop func(b *box, cancel context.CancelFunc)
	}{
		{"caller goes away", context.Canceled, func(_ *box, cancel context.CancelFunc) { cancel() }},
		{"index is closed", errClosed, func(b *box, _ context.CancelFunc) {
			go func() { _ = b.index.Close() }()
			<-b.index.life.Done()
		}},
		{"run ends", errClosed, func(b *box, _ context.CancelFunc) {
			b.run()()
			<-b.index.life.Done()
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b, p := filled(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			err := b.index.Rebuild(ctx, func(int) { tc.stop(b, cancel) })
			if !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
			if _, err := os.Stat(b.folder() + newSuffix); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("half an index is left: %v", err)
			}
			b.closeIndex()
			b.openIndex()
			check(t, b.index.admit())
			if !b.narrows(p, "line") || b.findLogs(p, "line 77 ") != 1 {
				t.Error("old index does not answer any more")
			}
		})
	}
}

// TestRebuildAfterClose checks that a rebuild that starts after the index was closed does
// not touch the directory in which indexes are built, because it belongs to the next
// Open.
func TestRebuildAfterClose(t *testing.T) {
	t.Parallel()
	b, _ := filled(t)
	b.closeIndex()
	folder := b.folder() + newSuffix
	check(t, os.Mkdir(folder, 0o700))
	if err := b.index.Rebuild(t.Context(), nil); !errors.Is(err, errClosed) {
		t.Errorf("got %v, want %v", err, errClosed)
	}
	if _, err := os.Stat(folder); err != nil {
		t.Errorf("the folder of another index: %v", err)
	}
}

func TestNarrow(t *testing.T) {
	t.Parallel()
	b, p := filled(t)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	closed, p2 := filled(t)
	closed.closeIndex()
	unread := newBox(t)
	for _, tc := range []struct {
		name    string
		index   *Index
		ctx     context.Context
		project store.ProjectID
		terms   []string
		all     bool
		refs    int
	}{
		{"what is everywhere", b.index, t.Context(), p, []string{"line"}, false, 5},
		{"what is nowhere", b.index, t.Context(), p, []string{"zzz"}, false, 0},
		{"all terms must be there", b.index, t.Context(), p, []string{"line", "zzz"}, false, 0},
		{"a number in one block", b.index, t.Context(), p, []string{"line 1000 "}, false, 1},
		{"all projects", b.index, t.Context(), 0, []string{"line"}, false, 5},
		{"another project", b.index, t.Context(), p + 1, []string{"line"}, false, 0},
		{"no terms", b.index, t.Context(), p, nil, true, 0},
		{"nobody waits any more", b.index, over, p, []string{"line"}, true, 0},
		{"index is closed", closed.index, t.Context(), p2, []string{"line"}, true, 0},
		{"index is not there yet", unread.index, t.Context(), p, []string{"line"}, true, 0},
		{"no index at all", nil, t.Context(), p, []string{"line"}, true, 0},
	} {
		n := tc.index.Candidates(tc.ctx, store.KindLog, tc.project, tc.terms)
		if n.All != tc.all || len(n.Refs) != tc.refs {
			t.Errorf("%s: got all %t, %d refs, want %t, %d", tc.name, n.All, len(n.Refs), tc.all, tc.refs)
		}
	}
}

func TestProjectIsForgottenInSteps(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	p, other := b.addProject("app"), b.addProject("other")
	b.update(func(tx *store.Tx) error {
		for range 1200 {
			if err := tx.PutAnnouncement(p.ID, &store.Announcement{Title: "news"}); err != nil {
				return err
			}
		}
		return tx.PutAnnouncement(other.ID, &store.Announcement{Title: "news"})
	})
	b.addLogs(p.ID, 600, numbered)
	b.settle()
	if n := b.index.Candidates(t.Context(), store.KindAnnouncement, 0, []string{"news"}); len(n.Refs) != 1201 {
		t.Errorf("before: got %d announcements, want 1201", len(n.Refs))
	}
	b.update(func(tx *store.Tx) error { return tx.DeleteProject(p) })
	b.settle()
	documents, err := b.index.engine.bleve.DocCount()
	if n := b.index.Candidates(t.Context(), store.KindAnnouncement, 0, []string{"news"}); len(n.Refs) != 1 || documents != 2 || err != nil {
		t.Errorf("after: got %d announcements of %d documents (%v), want 1 of 2", len(n.Refs), documents, err)
	}
}

type inner = bleve.Index // an alias, because bleve.Index has a method of the same name

// broken is a bleve index with operations that fail or hang.
type broken struct {
	inner
	search, write func()
	shut          func() // called when only the inner part of the index is closed
}

func (x broken) Advanced() (index.Index, error) {
	whole, err := x.inner.Advanced()
	return stuck{whole, x.shut}, err
}

// stuck is the inner part of a bleve index. It calls a function before it closes.
type stuck struct {
	index.Index
	before func()
}

func (s stuck) Close() error {
	s.before()
	return s.Index.Close()
}

func (x broken) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	x.search()
	return x.inner.SearchInContext(ctx, r)
}

func (x broken) Batch(b *bleve.Batch) error {
	x.write()
	return x.inner.Batch(b)
}

// TestBrokenIndexIsBuiltAnew checks that an index is rebuilt if bleve panics or hangs.
func TestBrokenIndexIsBuiltAnew(t *testing.T) {
	t.Parallel()
	nothing := func() {}
	for _, tc := range []struct {
		name string
		hurt func(t *testing.T, e *engine) broken
		find bool // whether a search detects the failure
	}{
		{"panic in a search", func(t *testing.T, _ *engine) broken {
			written := func() { t.Error("an index that was given up was written to") }
			return broken{search: func() { panic("damaged segment") }, write: written, shut: nothing}
		}, true},
		{"panic in a batch", func(*testing.T, *engine) broken {
			return broken{search: nothing, write: func() { panic("damaged segment") }, shut: nothing}
		}, false},
		{"batch waits for a goroutine that is gone", func(_ *testing.T, e *engine) broken {
			return broken{search: nothing, write: func() { e.die(); select {} }, shut: nothing}
		}, false},
		{"and closing waits for what it has locked", func(_ *testing.T, e *engine) broken {
			return broken{search: nothing, write: func() { e.die(); select {} }, shut: func() { select {} }}
		}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b, p := filled(t)
			e := b.index.engine
			x := tc.hurt(t, e)
			x.inner = e.bleve
			e.bleve = x
			b.addLogs(p, 300, numbered)
			if all := !b.narrows(p, "line"); all != tc.find {
				t.Errorf("search looks everywhere: got %t, want %t", all, tc.find)
			}
			if got := b.findLogs(p, "line 77 "); got != 2 {
				t.Errorf("got %d logs, want 2", got)
			}
			b.settle()
			if b.index.engine == e || !b.narrows(p, "line") || b.findLogs(p, "line 77 ") != 2 {
				t.Error("no other index")
			}
		})
	}
}

// TestFilesTakenAway checks that an index is rebuilt if its files are removed while it is
// in use.
func TestFilesTakenAway(t *testing.T) {
	t.Parallel()
	b, p := filled(t)
	remove(t, b.folder())
	b.addLogs(p, 300, numbered)
	b.settle()
	if !b.narrows(p, "line") || b.findLogs(p, "line 77 ") != 2 || len(b.files("root.bolt")) != 1 {
		t.Error("index has not come back")
	}
}

// logged is a log handler that counts errors. It also counts attributes of type Duration,
// which should not occur, because a JSON log writes them in nanoseconds, which are hard
// to read.
type logged struct {
	slog.Handler
	errors, nanoseconds atomic.Int32
}

func (l *logged) Enabled(context.Context, slog.Level) bool { return true }

func (l *logged) Handle(_ context.Context, r slog.Record) error {
	if r.Level >= slog.LevelError {
		l.errors.Add(1)
	}
	r.Attrs(func(a slog.Attr) bool {
		if a.Value.Kind() == slog.KindDuration {
			l.nanoseconds.Add(1)
		}
		return true
	})
	return nil
}

// TestRunTriesAgain checks that Run creates the index although its first attempts have
// failed.
func TestRunTriesAgain(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	p := b.addProject("app")
	log := &logged{Handler: slog.DiscardHandler}
	b.index.log = slog.New(log)
	obstacle := filepath.Join(b.dir, "obstacle")
	write(t, obstacle, nil)
	b.index.path = filepath.Join(obstacle, datadir.Index)
	stop := b.run()
	defer stop()
	b.addLogs(p.ID, 300, numbered)
	testutil.Until(t, "Run has failed", func() bool { return log.errors.Load() > 0 })
	if n := log.nanoseconds.Load(); n > 0 {
		t.Errorf("the log has %d durations in nanoseconds", n)
	}
	if got := b.findLogs(p.ID, "line 77 "); b.narrows(p.ID, "line") || got != 1 {
		t.Errorf("got %d logs without an index, want 1", got)
	}
	remove(t, obstacle)
	b.seen()
	if got := b.findLogs(p.ID, "line 77 "); !b.narrows(p.ID, "line") || got != 1 {
		t.Errorf("got %d logs with an index, want 1", got)
	}
}

// TestRebuildForgetsWhatWasDeleted checks that a rebuilt index contains no grams of
// deleted texts, although the segments of the old index still contain them.
func TestRebuildForgetsWhatWasDeleted(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	p := b.addProject("app")
	// A merge in the background may already drop the gram of a deleted text. Look for a gram
	// that is still there.
	gram := ""
	for letter := 'ꙁ'; gram == "" || !b.hasGram(gram); letter += 2 {
		if letter > 'ꙡ' {
			t.Fatal("the index forgets each gram by itself: this test is not about a rebuild")
		}
		gram = strings.Repeat(string(letter), 3)
		deleted := store.Feedback{Content: gram}
		b.update(func(tx *store.Tx) (err error) {
			for i := range 256 {
				if i == 100 {
					err = errors.Join(err, tx.AddFeedback(p.ID, &deleted))
				}
				err = errors.Join(err, tx.AddFeedback(p.ID, &store.Feedback{Content: "needle in a haystack"}))
			}
			return err
		})
		b.settle()
		b.update(func(tx *store.Tx) error { return tx.DeleteFeedback(p.ID, &deleted) })
		b.settle()
	}
	check(t, b.index.Rebuild(t.Context(), nil))
	if b.hasGram(gram) || !b.hasGram("nee") {
		t.Errorf("the new index has the gram of a deleted text: %t, and that of another one: %t", b.hasGram(gram), b.hasGram("nee"))
	}
}

// hasGram reports whether a segment contains a gram of any document, including deleted
// ones.
func (b *box) hasGram(gram string) bool {
	b.t.Helper()
	dictionary, err := b.index.current.Load().bleve.FieldDict(gramField)
	check(b.t, err)
	defer dictionary.Close()
	for {
		entry, err := dictionary.Next()
		check(b.t, err)
		if entry == nil {
			return false
		}
		if entry.Term == gram {
			return true
		}
	}
}
