package boltfile_test

import (
	"bytes"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"svc/internal/boltfile"
	"svc/internal/boltfile/bolttest"
	"svc/internal/fault"
	"svc/internal/testutil"
)

// shared is a Group of texts. It stores each text as a key and records which texts shared
// a commit.
type shared struct {
	file  *boltfile.Writer
	group *boltfile.Group[string]

	mu      sync.Mutex
	commits [][]string // guarded by mu
}

func newShared(t *testing.T, limits boltfile.Limits) *shared {
	t.Helper()
	s := &shared{file: bolttest.Open(t, filepath.Join(t.TempDir(), "test.db"))}
	s.group = boltfile.NewGroup[string](s.file, "texts", limits)
	s.group.Commit = func(items []string) error {
		s.mu.Lock()
		s.commits = append(s.commits, items)
		s.mu.Unlock()
		return s.file.Update(func(tx *boltfile.Tx) error {
			b, err := tx.CreateBucketIfNotExists(bucket)
			for _, item := range items {
				if strings.HasPrefix(item, "bug") {
					panic("a bug")
				}
				if item == "nothing" {
					return boltfile.ErrNothing
				}
				err = errors.Join(err, b.Put([]byte(item), nil))
			}
			return err
		})
	}
	return s
}

// submit submits texts one after the other while commits are blocked, so that all of them
// wait. The size of each is its length. submit returns the errors when all have been
// answered.
func (s *shared) submit(t *testing.T, texts ...string) []error {
	t.Helper()
	errs := make([]error, len(texts))
	var running sync.WaitGroup
	release := s.file.Hold()
	for i, text := range texts {
		running.Go(func() { errs[i] = s.group.Submit(text, len(text)) })
		testutil.Until(t, "it waits", func() bool { n, _ := s.group.Waiting(); return n == i+1 })
	}
	release()
	running.Wait()
	s.group.Wait()
	return errs
}

// keys returns the keys in the file.
func (s *shared) keys(t *testing.T) (list []string) {
	t.Helper()
	err := s.file.View(func(tx *boltfile.Tx) error {
		b := tx.Bucket(bucket)
		if b == nil {
			return nil
		}
		return b.ForEach(func(key, _ []byte) error {
			list = append(list, string(key))
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestGroupShares checks that waiting items share a commit, in order and within the
// limits, and that they are on disk when Submit returns.
func TestGroupShares(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 50)
	for _, tc := range []struct {
		name   string
		limits boltfile.Limits
		texts  []string
		want   []int // texts of each commit
	}{
		{"all that wait", boltfile.Limits{Waiting: 9, Together: 9}, []string{"a", "b", "c"}, []int{3}},
		{"as many as may", boltfile.Limits{Waiting: 9, Together: 2}, []string{"a", "b", "c", "d", "e"}, []int{2, 2, 1}},
		{"as large as may", boltfile.Limits{Waiting: 9, WaitingBytes: 99, Together: 9, TogetherBytes: 4}, []string{"aa", "bb", "c", "ddd", "e"}, []int{2, 2, 1}},
		{"one alone, however large", boltfile.Limits{Waiting: 9, WaitingBytes: 99, Together: 9, TogetherBytes: 4}, []string{long, "b"}, []int{1, 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newShared(t, tc.limits)
			if err := errors.Join(s.submit(t, tc.texts...)...); err != nil {
				t.Fatal(err)
			}
			var sizes []int
			for _, items := range s.commits {
				sizes = append(sizes, len(items))
			}
			if !slices.Equal(sizes, tc.want) || !slices.Equal(slices.Concat(s.commits...), tc.texts) {
				t.Errorf("got %q, want commits of %d", s.commits, tc.want)
			}
			if got, want := s.keys(t), slices.Sorted(slices.Values(tc.texts)); !slices.Equal(got, want) {
				t.Errorf("got keys %q, want %q", got, want)
			}
			if state, err := s.file.State(); err != nil || state.Group.Sum != int64(len(tc.texts)) || state.Commits != uint64(len(tc.want)) {
				t.Errorf("got %d items in %d commits, %v", state.Group.Sum, state.Commits, err)
			}
		})
	}
}

// TestGroupRefuses checks the limits for waiting items.
func TestGroupRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		limits boltfile.Limits
	}{
		{"too many", boltfile.Limits{Waiting: 2, Together: 9}},
		{"too large", boltfile.Limits{Waiting: 9, WaitingBytes: 25, Together: 9, TogetherBytes: 9}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newShared(t, tc.limits)
			release := s.file.Hold()
			var running sync.WaitGroup
			for i, text := range []string{"first of ten", "second one"} {
				running.Go(func() {
					if err := s.group.Submit(text, len(text)); err != nil {
						t.Error(err)
					}
				})
				testutil.Until(t, "it waits", func() bool { n, _ := s.group.Waiting(); return n == i+1 })
			}
			if err := s.group.Submit("third", 5); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "too many texts are waiting") {
				t.Errorf("got %v, want Unavailable", err)
			}
			release()
			running.Wait()
			s.group.Wait()
			if got := s.keys(t); len(got) != 2 {
				t.Errorf("got keys %q, want two", got)
			}
		})
	}
}

// TestGroupAnswersAll checks that all items of a commit get an answer if Commit panics or
// returns ErrNothing, and that later items can be written.
func TestGroupAnswersAll(t *testing.T) {
	t.Parallel()
	limits := boltfile.Limits{Waiting: 9, Together: 9}
	prepare := func(items []string) {
		if items[0] == "bug before" {
			panic("a bug")
		}
	}
	for _, tc := range []struct {
		name    string
		texts   []string
		prepare func([]string)
		want    string
	}{
		{"a panic", []string{"a", "bug", "c"}, nil, "write texts: panic: a bug"},
		{"a panic while preparing", []string{"bug before"}, prepare, "write texts: panic: a bug"},
		{"nothing", []string{"a", "nothing", "c"}, nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newShared(t, limits)
			if s.group.Prepare = tc.prepare; tc.prepare == nil {
				for i, err := range s.submit(t, tc.texts...) {
					if (err == nil) != (tc.want == "") || err != nil && err.Error() != tc.want {
						t.Errorf("%s: got %v, want %q", tc.texts[i], err, tc.want)
					}
				}
			} else if err := s.group.Submit(tc.texts[0], 1); err == nil || err.Error() != tc.want {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if got := s.keys(t); len(got) > 0 {
				t.Errorf("got keys %q, want none", got)
			}
			if err := s.group.Submit("later", 1); err != nil || !slices.Equal(s.keys(t), []string{"later"}) {
				t.Errorf("afterwards: %v, keys %q", err, s.keys(t))
			}
		})
	}
}

// TestGroupPrepares checks that items are prepared in order while previous items are
// being written, and that all prepared items share the next commit, except those for
// which preparation failed.
func TestGroupPrepares(t *testing.T) {
	t.Parallel()
	s := newShared(t, boltfile.Limits{Waiting: 9, Together: 3})
	prepared := make(chan string, 9)
	s.group.Prepare = func(items []string) {
		prepared <- strings.Join(items, " ")
		if items[0] == "bug" {
			panic("a bug")
		}
	}
	errs := map[string]error{}
	var mu sync.Mutex
	var running sync.WaitGroup
	release := s.file.Hold()
	for _, text := range []string{"first", "second", "bug", "third"} {
		running.Go(func() {
			err := s.group.Submit(text, 1)
			mu.Lock()
			defer mu.Unlock()
			errs[text] = err
		})
		if got := <-prepared; got != text {
			t.Errorf("got %q prepared, want %q", got, text)
		}
	}
	running.Go(func() { // the transaction is full
		if err := s.group.Submit("fourth", 1); err != nil {
			t.Error(err)
		}
	})
	testutil.Until(t, "the fourth one waits", func() bool { n, _ := s.group.Waiting(); return n == 1 })
	release()
	running.Wait()
	if got := <-prepared; got != "fourth" {
		t.Errorf("got %q prepared", got)
	}
	for text, err := range errs {
		if (err != nil) != (text == "bug") {
			t.Errorf("%s: got %v", text, err)
		}
	}
	if len(s.commits) != 2 || !slices.Equal(s.commits[0], []string{"first", "second", "third"}) || !slices.Equal(s.commits[1], []string{"fourth"}) {
		t.Errorf("got %q", s.commits)
	}
}

// TestGroupLogsPanics checks that the stack of a panic is logged exactly once.
func TestGroupLogsPanics(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	if err := boltfile.Create(path, func(*boltfile.Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	db, err := boltfile.Open(path, boltfile.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	file := boltfile.NewWriter(db, slog.New(slog.NewTextHandler(&log, nil)))
	group := boltfile.NewGroup[string](file, "texts", boltfile.Limits{Waiting: 1, Together: 1})
	group.Commit = func([]string) error { panic("a bug") }
	if err := group.Submit("a", 1); err == nil {
		t.Error("got no error")
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if got := log.String(); strings.Count(got, "level=ERROR") != 1 || !strings.Contains(got, "group_test.go") {
		t.Errorf("got %s, want one error with the stack", got)
	}
}
