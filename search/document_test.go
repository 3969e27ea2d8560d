package search

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"svc/internal/searchtext"
	"svc/store"
)

func TestDocumentHasTheGramsOfTheText(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	var long strings.Builder
	for range 5000 {
		fmt.Fprintf(&long, "%x 连接%c ", r.Uint32(), rune(0x4e00+r.IntN(5000)))
	}
	for _, tc := range []struct{ name, text string }{
		{"nothing", ""},
		{"border alone", "\x01"},
		{"one rune", "\x01a"},
		{"two fields", searchtext.Fields(&vocabulary[0], &vocabulary[1])},
		{"runes of all sizes", "\x01aé连👩‍🚀\U0010ffff"},
		{"the same again and again", strings.Repeat("\x01aaa bbb", 1000)},
		{"a block of lines", "\x01" + long.String()},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			want := map[string]bool{}
			searchtext.Grams(tc.text, func(g string) { want[g] = true })
			grams, ok := gramsOf(tc.text)
			if got := slices.Sorted(maps.Keys(grams)); !ok || !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
				t.Errorf("got %d grams (%t), want %d", len(got), ok, len(want))
			}
		})
	}
}

// TestDamagedText checks that invalid text does no harm. Such text can only come from a
// damaged file.
func TestDamagedText(t *testing.T) {
	t.Parallel()
	if grams, ok := gramsOf("\x01a\xff\xfeb\xe8\xb6"); !ok || grams["a"] == nil || grams["b"] == nil {
		t.Errorf("got %v", grams)
	}
}

// TestVeryLongText checks that a text with too many grams is still found.
func TestVeryLongText(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	p := b.addProject("app")
	var text strings.Builder
	for r := rand.New(rand.NewPCG(4, 4)); text.Len() < 300_000; {
		text.WriteRune(rune(0x4e00 + r.IntN(20_000)))
	}
	if _, ok := gramsOf(text.String()); ok {
		t.Fatalf("text of %d bytes has at most %d grams", text.Len(), maxGrams)
	}
	long := &store.Announcement{Title: "long", Content: text.String() + "needle"}
	short := &store.Announcement{Title: "short", Content: "straw"}
	b.update(func(tx *store.Tx) error {
		if err := tx.PutAnnouncement(p.ID, long); err != nil {
			return err
		}
		return tx.PutAnnouncement(p.ID, short)
	})
	b.settle()
	ref := func(a *store.Announcement) string {
		return store.Change{Kind: store.KindAnnouncement, Project: p.ID, ID: a.ID}.Ref()
	}
	for _, tc := range []struct {
		term string
		want []string
	}{
		{"needle", []string{ref(long)}},
		{"straw", []string{ref(long), ref(short)}}, // the long text is always a candidate
		{"long", []string{ref(long)}},
	} {
		n := b.index.Candidates(t.Context(), store.KindAnnouncement, p.ID, []string{tc.term})
		slices.Sort(tc.want)
		if got := slices.Sorted(maps.Keys(n.Refs)); n.All || !slices.Equal(got, tc.want) {
			t.Errorf("%q: got %x (all: %t), want %x", tc.term, got, n.All, tc.want)
		}
	}
	// After its text is shortened, the record is an ordinary document.
	long.Content = "needle"
	b.update(func(tx *store.Tx) error { return tx.PutAnnouncement(p.ID, long) })
	b.settle()
	if n := b.index.Candidates(t.Context(), store.KindAnnouncement, p.ID, []string{"straw"}); n.All || len(n.Refs) != 1 {
		t.Errorf("straw: got %d refs (all: %t), want 1", len(n.Refs), n.All)
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	var s numbers
	have := map[uint64]bool{}
	r := rand.New(rand.NewPCG(2, 2))
	for range 20_000 {
		n := 1 + r.Uint64N(8000)*r.Uint64N(3)<<40
		if got, want := s.add(n), !have[n]; got != want {
			t.Fatalf("add(%d): got %t, want %t", n, got, want)
		}
		have[n] = true
	}
}
