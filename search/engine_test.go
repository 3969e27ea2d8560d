package search

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"svc/internal/testutil"
	"svc/store"
)

func announcement(i int) store.Change {
	c := store.Change{Kind: store.KindAnnouncement, Project: 1}
	c.ID[0], c.ID[1] = byte(i>>8), byte(i)
	return c
}

// TestBurstsSurviveMerging checks that a defect of bleve 2.6.0 does not reappear: a term
// that occurred in more than 1,024 documents, with a gap between them, was merged into
// segments that made searches panic (blevesearch/bleve#2393, blevesearch/zapx#409).
func TestBurstsSurviveMerging(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	for seed := range uint64(6) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			e, err := makeEngine(filepath.Join(t.TempDir(), "x"), checkpoint{})
			check(t, err)
			defer func() { check(t, e.close()) }()
			r := rand.New(rand.NewPCG(seed, 3))
			want := map[string]map[string]bool{} // the references that each text must find
			text := map[string]string{}
			var b batch
			put := func(i int, words string) {
				c := announcement(i)
				d, _ := newDocument(c, "\x01"+words)
				b.puts = append(b.puts, d)
				if old, ok := text[c.Ref()]; ok {
					delete(want[old], c.Ref())
				}
				if want[words] == nil {
					want[words] = map[string]bool{}
				}
				text[c.Ref()], want[words][c.Ref()] = words, true
			}
			for i := range 12_000 {
				words := fmt.Sprintf("quiet%d", r.IntN(50))
				if i/1500%3 == 0 { // a run of identical lines
					words = "burst"
				}
				put(i, words)
				if r.IntN(10) == 0 {
					put(r.IntN(i+1), "edited")
				}
				if r.IntN(20) == 0 && i > 0 {
					gone := announcement(r.IntN(i)).Ref()
					b.deletes = append(b.deletes, gone)
					delete(want[text[gone]], gone)
					delete(text, gone)
				}
				if len(b.puts) >= 400 || i == 11_999 {
					check(t, e.apply(&batch{puts: b.puts}))
					check(t, e.apply(&batch{deletes: stillGone(b.deletes, text)}))
					b = batch{}
				}
			}
			compare := func(when string) {
				for words, refs := range want {
					got, err := e.find(t.Context(), scopeOf(store.KindAnnouncement, 1), required([]string{words}), 20_000)
					slices.Sort(got)
					if len(words) == len("quiet1") { // a search for quiet1 also finds quiet10
						got = slices.DeleteFunc(got, func(ref string) bool { return !refs[ref] })
					}
					if sorted := slices.Sorted(maps.Keys(refs)); err != nil || !slices.Equal(got, sorted) {
						t.Fatalf("%s merging, %q: got %d documents (%v), want %d", when, words, len(got), err, len(sorted))
					}
				}
			}
			compare("before")
			inner, err := e.bleve.Advanced()
			check(t, err)
			check(t, inner.(*scorch.Scorch).ForceMerge(t.Context(), nil))
			compare("after")
		})
	}
}

// stillGone returns refs without those that were added again after their deletion.
func stillGone(refs []string, text map[string]string) []string {
	return slices.DeleteFunc(refs, func(ref string) bool { return text[ref] != "" })
}

func TestEngine(t *testing.T) {
	t.Parallel()
	e, err := makeEngine(filepath.Join(t.TempDir(), "x"), checkpoint{Seq: 7})
	check(t, err)
	var b batch
	for i := range 10 {
		d, _ := newDocument(announcement(i), "\x01text of all")
		b.puts = append(b.puts, d)
	}
	check(t, e.apply(&b))
	scope := scopeOf(store.KindAnnouncement, 1)

	if refs, err := e.find(t.Context(), scope, []string{"tex"}, 10); len(refs) != 10 || err != nil {
		t.Errorf("as many hits as the limit: got %d, %v, want 10", len(refs), err)
	}
	if refs, err := e.find(t.Context(), scope, []string{"tex"}, 9); !errors.Is(err, errMany) {
		t.Errorf("more hits than the limit: got %d, %v, want %v", len(refs), err, errMany)
	}
	if refs, err := e.find(t.Context(), scopeOf(store.KindAnnouncement, 0), []string{"a"}, 10); len(refs) != 10 || err != nil {
		t.Errorf("in all projects: got %d, %v, want 10", len(refs), err)
	}
	if refs, err := e.find(t.Context(), scopeOf(store.KindAnnouncement, 2), []string{"a"}, 10); len(refs) != 0 || err != nil {
		t.Errorf("in another project: got %d, %v, want 0", len(refs), err)
	}
	if s, err := e.checkpoint(); s.Seq != 7 || e.seen.Load() != 7 || err != nil {
		t.Errorf("a batch without a checkpoint changed it: got %+v, %v, seen %d", s, err, e.seen.Load())
	}

	// Opening it a second time must fail within seconds instead of waiting forever, and must
	// not use the value that bleve returns with the error.
	if other, _, err := openEngine(t.Context(), e.path); err == nil {
		t.Error("opened an index that is open")
		check(t, other.close())
	}
	for range 2 {
		check(t, e.close())
	}
	if _, err := e.find(t.Context(), scope, []string{"tex"}, 10); err == nil {
		t.Error("found something in an index that is closed")
	}
	if err := e.apply(&b); err == nil {
		t.Error("wrote to an index that is closed")
	}
	if _, err := makeEngine(e.path, checkpoint{}); err == nil {
		t.Error("made an index where one is")
	}
}
