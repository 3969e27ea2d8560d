package search

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"svc/internal/datadir"
	"svc/internal/searchtext"
	"svc/internal/testutil"
	"svc/store"
)

// box is a data directory with an open store and index.
type box struct {
	t       testing.TB
	dir     string
	options store.Options
	db      *store.Store
	index   *Index
}

// newBox opens an empty data directory. The index is in its state after Open.
func newBox(t testing.TB) *box {
	t.Helper()
	b := &box{t: t, dir: t.TempDir()}
	b.open()
	t.Cleanup(b.close)
	return b
}

func (b *box) open() {
	b.t.Helper()
	var err error
	if b.db, err = store.Open(b.file(), b.options); err != nil {
		b.t.Fatal(err)
	}
	b.openIndex()
}

func (b *box) openIndex() {
	b.t.Helper()
	index, err := Open(b.dir, b.db, slog.New(slog.NewTextHandler(b.t.Output(), nil)))
	if err != nil {
		b.t.Fatal(err) // the cleanup of the test closes what has been opened so far
	}
	b.index = index
}

func (b *box) close() {
	b.t.Helper()
	b.closeIndex()
	if err := b.db.Close(); err != nil {
		b.t.Error(err)
	}
}

func (b *box) closeIndex() {
	b.t.Helper()
	if err := b.index.Close(); err != nil {
		b.t.Error(err)
	}
}

func (b *box) file() string   { return filepath.Join(b.dir, "svc.db") }
func (b *box) folder() string { return filepath.Join(b.dir, datadir.Index) }

// settle makes the index process all changes, as Run does.
func (b *box) settle() {
	b.t.Helper()
	if err := b.index.catchUp(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
	if seen, ok := b.index.Seen(); !ok || seen != b.db.LastChange() {
		b.t.Fatalf("index has seen %d (there is one: %t), want %d", seen, ok, b.db.LastChange())
	}
}

// run runs the index in the background until the returned function is called.
func (b *box) run() (stop func()) {
	ctx, cancel := context.WithCancel(b.t.Context())
	done := make(chan struct{})
	index := b.index
	go func() {
		defer close(done)
		index.Run(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// seen waits until the running index has processed all changes.
func (b *box) seen() {
	b.t.Helper()
	testutil.Until(b.t, "index has seen everything", func() bool {
		seen, ok := b.index.Seen()
		return ok && seen == b.db.LastChange()
	})
}

func (b *box) update(fn func(*store.Tx) error) {
	b.t.Helper()
	if err := b.db.Update(fn); err != nil {
		b.t.Fatal(err)
	}
}

func (b *box) addProject(key string) *store.Project {
	b.t.Helper()
	p := &store.Project{Key: key, Name: "Project " + key}
	b.update(func(tx *store.Tx) error { return tx.CreateProject(p) })
	return p
}

// addLogs adds n logs. The function content returns the content of log i.
func (b *box) addLogs(p store.ProjectID, n int, content func(i int) string) {
	b.t.Helper()
	b.update(func(tx *store.Tx) error {
		for i := range n {
			if err := tx.AddLog(p, &store.Log{Content: content(i)}); err != nil {
				return err
			}
		}
		return nil
	})
}

// findLogs returns the total of a search in the logs of a project.
func (b *box) findLogs(p store.ProjectID, text string) int {
	b.t.Helper()
	terms := []string{searchtext.Text(text)}
	n := b.index.Candidates(b.t.Context(), store.KindLog, p, terms)
	var found store.Found
	err := b.db.View(func(tx *store.Tx) (err error) {
		_, found, err = tx.ListLogs(p, store.LogSelection{To: endOfTime, Selection: store.Selection{Limit: 1, Find: &store.Find{Terms: terms, Candidates: n}}})
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return found.Total
}

const endOfTime = 1<<63 - 1

// files returns the files of the index that match a pattern.
func (b *box) files(pattern string) []string {
	b.t.Helper()
	list, err := filepath.Glob(filepath.Join(b.folder(), "store", pattern))
	if err != nil {
		b.t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

// copyTree copies a directory.
func copyTree(t testing.TB, to, from string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// numbered returns a line that contains the given number.
func numbered(i int) string {
	return fmt.Sprintf("line %d of %s", i, strings.Repeat("x", i%7))
}
