package search

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"svc/internal/platform"
	"svc/internal/searchtext"
	"svc/internal/testutil"
	"svc/store"
)

// world is the expected content of a store, as plain slices that are searched
// sequentially.
type world struct {
	*box
	r        *rand.Rand
	projects []*contents
}

type contents struct {
	*store.Project
	versions      []*store.Version
	announcements []*store.Announcement
	feedback      []*store.Feedback
	logs          []*store.Log
}

// TestSearchIsExact checks that each search returns the same records as a scan of every
// record. It performs random operations on records while the index is up to date, behind,
// being built, just restarted or missing.
func TestSearchIsExact(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	for seed := range uint64(4) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			w := &world{box: newBox(t), r: rand.New(rand.NewPCG(seed, 1))}
			w.addContents()
			stop := w.run()
			for range 40 {
				switch w.r.IntN(12) {
				case 0: // after this, the index has unprocessed changes
					stop()
					w.closeIndex()
					w.openIndex()
					check(t, w.index.admit())
					stop = func() {}
				case 1:
					stop()
					w.close()
					w.open()
					stop = w.run()
				case 2:
					stop()
					w.closeIndex()
					remove(t, w.folder())
					w.openIndex()
					stop = w.run()
				case 3:
					rebuilt := make(chan error, 1)
					index := w.index
					go func() { rebuilt <- index.Rebuild(t.Context(), nil) }()
					w.change()
					w.compare()
					if err := <-rebuilt; err != nil {
						t.Log(err) // Conflict, if Run is already building
					}
				case 4:
					check(t, w.db.Purge())
				}
				w.change()
				for range 10 {
					w.compare()
				}
			}
			stop()
			w.closeIndex()
			w.openIndex()
			w.settle()
			for range 50 {
				w.compare()
			}
		})
	}
}

// compare compares a search in every kind of record with the expected content.
func (w *world) compare() {
	w.t.Helper()
	if len(w.projects) == 0 {
		return
	}
	p := pick(w.r, w.projects)
	terms := w.terms(p)
	has := func(fields ...*string) bool { return searchtext.ContainsAll(searchtext.Fields(fields...), terms) }
	w.compareLogs(p, terms, has)
	w.compareFeedback(p, terms, has)

	var projects, versions, announcements []string
	for _, o := range w.projects {
		if has(&o.Key, &o.Name, o.Author) {
			projects = append(projects, store.Change{Kind: store.KindProject, Project: o.ID}.Ref())
		}
	}
	for _, v := range p.versions {
		if number := v.Comparable.String(); has(&v.Version, &number, v.Title, v.Content) {
			versions = append(versions, store.Change{Kind: store.KindVersion, Project: p.ID, ID: v.ID}.Ref())
		}
	}
	for _, a := range p.announcements {
		if has(&a.Title, &a.Content) {
			announcements = append(announcements, store.Change{Kind: store.KindAnnouncement, Project: p.ID, ID: a.ID}.Ref())
		}
	}
	w.compareRefs(store.KindProject, 0, terms, projects)
	w.compareRefs(store.KindVersion, p.ID, terms, versions)
	w.compareRefs(store.KindAnnouncement, p.ID, terms, announcements)
}

func (w *world) compareLogs(p *contents, terms []string, has func(...*string) bool) {
	w.t.Helper()
	q := store.LogSelection{Selection: w.selection(terms), To: endOfTime}
	if w.r.IntN(3) == 0 {
		level := w.r.IntN(4)
		q.Level = &level
	}
	var want []store.ID
	text := false
	for _, l := range slices.Backward(p.logs) {
		matches := has(&l.Content, l.Source)
		text = text || matches && (q.Hidden || !l.Hidden)
		if matches && chosen(q.Selection, l.Hidden, l.Platform) && (q.Level == nil || *q.Level == l.Level) {
			want = append(want, l.ID)
		}
	}
	q.Find.Candidates = w.index.Candidates(w.t.Context(), store.KindLog, pick(w.r, []store.ProjectID{0, p.ID}), terms)
	var got []store.ID
	var found store.Found
	check(w.t, w.db.View(func(tx *store.Tx) error {
		list, f, err := tx.ListLogs(p.ID, q)
		for _, l := range list {
			got = append(got, l.ID)
		}
		found = f
		return err
	}))
	w.same("logs", q.Find, got, want, found, store.Found{Total: len(want), Text: text}, q.Selection)
}

func (w *world) compareFeedback(p *contents, terms []string, has func(...*string) bool) {
	w.t.Helper()
	q := store.FeedbackSelection{Selection: w.selection(terms)}
	var want []store.ID
	text := false
	for _, f := range slices.Backward(p.feedback) {
		matches := has(&f.Content, f.Contact)
		text = text || matches && (q.Hidden || !f.Hidden)
		if matches && chosen(q.Selection, f.Hidden, f.Platform) {
			want = append(want, f.ID)
		}
	}
	q.Find.Candidates = w.index.Candidates(w.t.Context(), store.KindFeedback, pick(w.r, []store.ProjectID{0, p.ID}), terms)
	var got []store.ID
	var found store.Found
	check(w.t, w.db.View(func(tx *store.Tx) error {
		list, f, err := tx.ListFeedback(p.ID, q)
		for _, l := range list {
			got = append(got, l.ID)
		}
		found = f
		return err
	}))
	w.same("feedback", q.Find, got, want, found, store.Found{Total: len(want), Text: text}, q.Selection)
}

func (w *world) selection(terms []string) store.Selection {
	s := store.Selection{Hidden: w.r.IntN(2) == 0, Find: &store.Find{Terms: terms}, Limit: 1 + w.r.IntN(30)}
	if w.r.IntN(3) == 0 {
		s.Offset = w.r.IntN(40)
	}
	if w.r.IntN(4) == 0 {
		s.Platform = w.platform()
	}
	return s
}

func chosen(q store.Selection, hidden bool, on *platform.Platform) bool {
	return (q.Hidden || !hidden) && (q.Platform == nil || on != nil && *on == *q.Platform)
}

func (w *world) same(what string, find *store.Find, got, all []store.ID, found, want store.Found, q store.Selection) {
	w.t.Helper()
	page := all[min(q.Offset, len(all)):min(q.Offset+q.Limit, len(all))]
	if !slices.Equal(got, page) || !reflect.DeepEqual(found, want) {
		w.t.Fatalf("%s with %q (index: all %t, %d refs, seen %d of %d), offset %d, limit %d:\ngot  %+v %v\nwant %+v %v", what, find.Terms,
			find.Candidates.All, len(find.Candidates.Refs), find.Candidates.Seen, w.db.LastChange(), q.Offset, q.Limit, found, got, want, page)
	}
}

// compareRefs verifies the candidates that the index and the feed return.
func (w *world) compareRefs(kind store.Kind, p store.ProjectID, terms, want []string) {
	w.t.Helper()
	n := w.index.Candidates(w.t.Context(), kind, p, terms)
	var got []string
	check(w.t, w.db.View(func(tx *store.Tx) error {
		n, err := tx.WithChanges(n)
		if err != nil {
			return err
		}
		refs := make([]string, 0, len(n.Refs))
		for ref := range n.Refs {
			refs = append(refs, ref)
		}
		if n.All {
			list, err := tx.Searchable("", 1<<20)
			if err != nil {
				return err
			}
			for _, c := range list {
				refs = append(refs, c.Ref())
			}
		}
		for _, ref := range refs {
			c, err := store.ParseRef(ref)
			if err != nil {
				return err
			}
			text, ok, err := tx.SearchText(c)
			if err != nil {
				return err
			}
			if ok && c.Kind == kind && (p == 0 || c.Project == p) && searchtext.ContainsAll(text, terms) {
				got = append(got, ref)
			}
		}
		return nil
	}))
	slices.SortFunc(got, cmp.Compare)
	slices.SortFunc(want, cmp.Compare)
	if !slices.Equal(got, want) {
		w.t.Fatalf("kind %d, project %d with %q (index: all %t, %d refs, seen %d of %d): got %x, want %x", kind, p, terms,
			n.All, len(n.Refs), n.Seen, w.db.LastChange(), got, want)
	}
}
