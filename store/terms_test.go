package store_test

import (
	"testing"

	"svc/store"
)

// TestTermsDocument checks that documents are independent, and that the time of a draft
// is the time of the last change of its text.
func TestTermsDocument(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	read := func(slug string) store.TermsDocument {
		t.Helper()
		d, err := store.Read(db, func(tx *store.Tx) (*store.TermsDocument, error) { return store.TermsSettings(slug).Get(tx) })
		if err != nil {
			t.Fatal(err)
		}
		return *d
	}
	put := func(d store.TermsDocument) store.TermsDocument {
		t.Helper()
		update(t, db, func(tx *store.Tx) error { return store.TermsSettings("a").Put(tx, &d) })
		return read("a")
	}
	if got := read("a"); got != (store.TermsDocument{}) {
		t.Errorf("at first: got %+v", got)
	}
	if got := put(store.TermsDocument{Custom: true, DraftAt: 5}); got.Effective() || got.DraftAt != 0 || got.UpdatedAt == 0 {
		t.Errorf("without a draft: got %+v", got)
	}
	first := put(store.TermsDocument{Custom: true, Draft: "x"})
	if !first.Effective() || first.DraftAt == 0 {
		t.Errorf("with a draft: got %+v", first)
	}
	if got := put(store.TermsDocument{Draft: "x", DraftAt: 5}); got.Effective() || got.DraftAt != first.DraftAt {
		t.Errorf("switched off: got %+v, want the draft and its time %d", got, first.DraftAt)
	}
	if got := read("b"); got != (store.TermsDocument{}) {
		t.Errorf("another document: got %+v", got)
	}
	update(t, db, func(tx *store.Tx) error { return store.TermsSettings("a").Delete(tx) })
	if got := read("a"); got != (store.TermsDocument{}) {
		t.Errorf("deleted: got %+v", got)
	}
}
