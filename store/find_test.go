package store_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/internal/integrity"
	"svc/internal/platform"
	"svc/internal/searchtext"
	"svc/internal/testutil"
	"svc/store"
)

// searched is a project with logs, and a slice with the same logs.
type searched struct {
	db      *store.Store
	project store.ProjectID
	logs    []*store.Log
	texts   []string // the folded texts of logs
}

// newSearched creates a project with n logs, the oldest first.
func newSearched(t *testing.T, n int, o store.Options, log func(i int) *store.Log) *searched {
	t.Helper()
	c := newClock()
	o.Now = c.now
	s := &searched{db: openStore(t, filepath.Join(t.TempDir(), "svc.db"), o)}
	s.project = addProject(t, s.db, "app").ID
	s.add(t, c, n, log)
	return s
}

func (s *searched) add(t *testing.T, c *clock, n int, log func(i int) *store.Log) {
	t.Helper()
	const step = 3000 // the number of logs with the same time
	for first := 0; first < n; first += step {
		c.advance(time.Hour)
		update(t, s.db, func(tx *store.Tx) error {
			for i := first; i < min(first+step, n); i++ {
				l := log(i)
				if err := tx.AddLog(s.project, l); err != nil {
					return err
				}
				s.logs, s.texts = append(s.logs, l), append(s.texts, searchtext.Fields(&l.Content))
			}
			return nil
		})
	}
}

// everywhere is the result of an index that knows nothing.
var everywhere = store.Candidates{All: true}

// narrow returns the result of an index that knows exactly which blocks contain the
// terms.
func (s *searched) narrow(terms []string) store.Candidates {
	n := store.Candidates{Refs: map[string]bool{}, Seen: s.db.LastChange()}
	for i, text := range s.texts {
		if searchtext.ContainsAll(text, terms) {
			n.Refs[store.Change{Kind: store.KindLog, Project: s.project, Block: uint32(i / 256)}.Ref()] = true
		}
	}
	return n
}

// list runs a query on the store. Without terms, the query is a plain list and not a
// search.
func (s *searched) list(q store.LogSelection, n store.Candidates, terms ...string) (page []*store.Log, found store.Found, err error) {
	if terms != nil {
		q.Find = &store.Find{Terms: terms, Candidates: n}
	}
	if q.To == 0 {
		q.To = math.MaxInt64
	}
	err = s.db.View(func(tx *store.Tx) (err error) {
		page, found, err = tx.ListLogs(s.project, q)
		return err
	})
	return page, found, err
}

// want returns the expected result of list, which it determines by reading every log.
// text reports whether any log that the list may show contains the terms.
func (s *searched) want(q store.LogSelection, terms ...string) (page []*store.Log, total int, text bool) {
	for i, l := range slices.Backward(s.logs) {
		at := store.CreatedAt(l.ID)
		if !searchtext.ContainsAll(s.texts[i], terms) || l.Hidden && !q.Hidden || at < q.From || q.To != 0 && at > q.To {
			continue
		}
		text = text || terms != nil
		if q.Platform != nil && (l.Platform == nil || *l.Platform != *q.Platform) || q.Level != nil && *q.Level != l.Level {
			continue
		}
		if total >= q.Offset && len(page) < q.Limit {
			page = append(page, l)
		}
		total++
	}
	return page, total, text
}

func logIDs(list []*store.Log) (ids []store.ID) {
	for _, l := range list {
		ids = append(ids, l.ID)
	}
	return ids
}

// randomLog returns a log with random words. Some words are in nearly every log and some
// only in a few. Two words are frequent, but only in old logs.
func randomLog(r *rand.Rand, old bool) *store.Log {
	words := make([]string, 1+r.IntN(12))
	for i := range words {
		words[i] = []string{"a", "error", "errors", "10.17.", "超时", "checksum", "mismatch", "e", fmt.Sprint(r.IntN(300)), strings.Repeat("x", r.IntN(40))}[r.IntN(10)]
	}
	for _, word := range []string{"alpha", "omega"} {
		if old && r.IntN(5) < 3 {
			words = append(words, word)
		}
	}
	l := &store.Log{Level: r.IntN(4), Content: strings.Join(words, " "), Hidden: r.IntN(5) == 0}
	if r.IntN(8) > 0 {
		l.Platform = &platform.All[r.IntN(len(platform.All))]
	}
	if r.IntN(30) == 0 {
		l.Content = "" // a log without any text
	}
	return l
}

// TestListsAreExact compares lists and searches with the result of reading every log. If
// the limit on the text is small, the total must not be too small, and must be exact
// unless it is marked as an estimate.
func TestListsAreExact(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	for _, tc := range []struct {
		logs       int
		exactBytes int64
		estimates  bool // whether some totals are estimates
	}{
		{255, 0, false}, {256, 0, false}, {517, 0, false}, {9000, 1, false}, {15_003, 0, false}, {15_003, 1, true}, {15_003, 600_000, true},
	} {
		t.Run(fmt.Sprintf("%d logs, %d bytes", tc.logs, tc.exactBytes), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(tc.logs), 3))
			s := newSearched(t, tc.logs, store.Options{ExactBytes: tc.exactBytes}, func(i int) *store.Log { return randomLog(r, i < 2000) })
			estimates := 0
			for range 200 {
				q, terms, n := randomSelection(r, s), randomTerms(r), everywhere
				if r.IntN(2) == 0 {
					n = s.narrow(terms)
				}
				page, found, err := s.list(q, n, terms...)
				if err != nil {
					t.Fatal(err)
				}
				want, total, text := s.want(q, terms...)
				switch {
				case !slices.Equal(logIDs(page), logIDs(want)) || found.Text != text:
					t.Fatalf("%+v with %q: got %d logs, %+v, want %d of %d", q, terms, len(page), found, len(want), total)
				case found.Estimate:
					estimates++
					if _, most, _ := s.want(q); found.Total < total || found.Total > most {
						t.Fatalf("%+v with %q: got an estimate of %d, want from %d to %d", q, terms, found.Total, total, most)
					}
				case found.Total != total:
					t.Fatalf("%+v with %q: got %d, want %d", q, terms, found.Total, total)
				}
			}
			if (estimates > 0) != tc.estimates {
				t.Errorf("got %d estimates, want some: %t", estimates, tc.estimates)
			}
		})
	}
}

func randomSelection(r *rand.Rand, s *searched) store.LogSelection {
	q := store.LogSelection{Selection: store.Selection{Hidden: r.IntN(2) == 0, Limit: 1 + r.IntN(30)}}
	if r.IntN(3) == 0 {
		q.Level = new(r.IntN(4))
	}
	if r.IntN(3) == 0 {
		q.Platform = &platform.All[r.IntN(len(platform.All))]
	}
	if r.IntN(3) == 0 {
		q.Offset = r.IntN(len(s.logs))
	}
	moment := func() int64 { return store.CreatedAt(s.logs[r.IntN(len(s.logs))].ID) + int64(r.IntN(3)) - 1 }
	if r.IntN(4) == 0 {
		q.From = moment()
	}
	if r.IntN(4) == 0 {
		q.To = moment()
	}
	return q
}

// randomTerms returns random search terms, or nil for a list without a search.
func randomTerms(r *rand.Rand) []string {
	all := [][]string{
		nil, {"e"}, {"error"}, {"errors"}, {"10.17."}, {"超时"}, {"超"}, {"mismatch", "checksum"}, {"e", "error", "12"}, {"checksum mismatch"},
		{"x", "xx", "xxxxxxxxxxxxxxxx"}, {"found nowhere"}, {"error", "nowhere"}, {"a"}, {"mismatch e"}, {"alpha", "omega"},
	}
	return append(slices.Clone(all[r.IntN(len(all))]), []string{fmt.Sprint(r.IntN(300))}[:r.IntN(5)/4]...)
}

// TestEstimate checks when a total becomes an upper bound. That must happen after the
// block that completes 10,000 searched logs, provided that enough text has been searched,
// the page is complete, and there are more blocks.
func TestEstimate(t *testing.T) {
	t.Parallel()
	const block, looked = 256, 40 * 256 // the first multiple of a block's size that exceeds 10,000
	hit := func(i int) string {
		if i%10 == 0 {
			return "needle"
		}
		return "reed"
	}
	level := func(n int) *int { return &n }
	for _, tc := range []struct {
		name  string
		logs  int
		bytes int64
		q     store.LogSelection
		term  string
		want  store.Found
	}{
		{"nothing is left", looked, 1, store.LogSelection{}, "needle", store.Found{Total: looked / 10, Text: true}},
		{"less than 10,000 logs in whole blocks", looked + 10, 1, store.LogSelection{}, "needle", store.Found{Total: looked/10 + 1, Text: true}},
		{"a block is left", looked + block, 1, store.LogSelection{}, "needle", store.Found{Total: looked/10 + block, Estimate: true, Text: true}},
		{"everything matches", looked + block, 1, store.LogSelection{}, "e", store.Found{Total: looked + block, Estimate: true, Text: true}},
		{"all text is looked into unless told otherwise", looked + block, 0, store.LogSelection{}, "needle", store.Found{Total: looked/10 + 26, Text: true}},
		{"not that much text", looked + block, 1 << 20, store.LogSelection{}, "needle", store.Found{Total: looked/10 + 26, Text: true}},
		{"the page begins where all was looked into", looked + block, 1, store.LogSelection{Selection: store.Selection{Offset: looked/10 + 1}}, "needle", store.Found{Total: looked/10 + 26, Text: true}},
		{"found nowhere", looked + block, 1, store.LogSelection{}, "nowhere", store.Found{}},
		{"less than 10,000 logs pass the filter", looked + block, 1, store.LogSelection{Level: level(0)}, "needle", store.Found{Total: looked/10 + 26, Text: true}},
		{"nothing that is left passes the filter", looked + 2*block, 1, store.LogSelection{Level: level(2)}, "needle", store.Found{Total: looked / 10, Text: true}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newSearched(t, tc.logs, store.Options{ExactBytes: tc.bytes}, func(i int) *store.Log {
				l := &store.Log{Level: i % 2, Content: hit(i)}
				if tc.q.Level != nil && *tc.q.Level == 2 && i >= 2*block {
					l.Level = 2
				}
				return l
			})
			tc.q.Limit = 20
			page, found, err := s.list(tc.q, everywhere, tc.term)
			if err != nil {
				t.Fatal(err)
			}
			want, _, _ := s.want(tc.q, tc.term)
			if !reflect.DeepEqual(found, tc.want) || !slices.Equal(logIDs(page), logIDs(want)) {
				t.Errorf("got %+v with %d on the page, want %+v with %d", found, len(page), tc.want, len(want))
			}
		})
	}
}

// TestDamagedColumns checks that a search in a damaged block reports the damage. The
// search uses several goroutines, in which a panic would end the process.
func TestDamagedColumns(t *testing.T) {
	t.Parallel()
	setEnd := func(i int, end uint32) func(words, texts []byte) ([]byte, []byte) {
		return func(words, texts []byte) ([]byte, []byte) {
			binary.LittleEndian.PutUint32(texts[4*i:], end)
			return words, texts
		}
	}
	for _, tc := range []struct {
		name   string
		change func(words, texts []byte) ([]byte, []byte)
	}{
		{"a text ends before it begins", setEnd(100, 1)},
		{"a text ends behind the last one", setEnd(100, 1<<31)},
		{"the last one ends too early", setEnd(255, 5)},
		{"the last one ends too late", setEnd(255, 1<<32-1)},
		{"no ends", func(words, _ []byte) ([]byte, []byte) { return words, nil }},
		{"half of the ends", func(words, texts []byte) ([]byte, []byte) { return words, texts[:512] }},
		{"texts cut", func(words, texts []byte) ([]byte, []byte) { return words, texts[:len(texts)-1] }},
		{"no words", func(_, texts []byte) ([]byte, []byte) { return nil, texts }},
		{"half of the words", func(words, texts []byte) ([]byte, []byte) { return words[:256], texts }},
		{"one byte of words too many", func(words, texts []byte) ([]byte, []byte) { return append(words, 0), texts }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newSearched(t, 10*256, store.Options{}, func(i int) *store.Log { return &store.Log{Content: fmt.Sprint("line ", i)} })
			update(t, s.db, func(tx *store.Tx) error { return tx.SetColumns(s.project, 7, tc.change) })
			for _, term := range []string{"e", "line", "nowhere", "77"} {
				q := store.LogSelection{Selection: store.Selection{Limit: 5}}
				if page, _, err := s.list(q, everywhere, term); err == nil || !strings.Contains(err.Error(), "block 7") {
					t.Errorf("%q: got %d logs and %v, want an error that names the block", term, len(page), err)
				}
			}
			path := s.db.Path()
			if err := s.db.Close(); err != nil {
				t.Fatal(err)
			}
			repair(t, path, integrity.Columns)
		})
	}
}
