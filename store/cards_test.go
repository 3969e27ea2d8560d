package store_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"svc/internal/fault"
	"svc/store"
)

// cardTitles lists the cards of a project in order.
func cardTitles(t *testing.T, db *store.Store, p store.ProjectID) string {
	t.Helper()
	var titles []string
	err := db.View(func(tx *store.Tx) error {
		all, err := tx.Cards(p)
		for _, c := range all {
			titles = append(titles, c.Title)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(titles, " ")
}

func putCard(t *testing.T, db *store.Store, p store.ProjectID, title string, order int64) *store.Card {
	t.Helper()
	c := &store.Card{Title: title, Query: []byte(`{"type":"value"}`), SortOrder: order}
	update(t, db, func(tx *store.Tx) error { return tx.PutCard(p, c) })
	return c
}

func TestCards(t *testing.T) {
	t.Parallel()
	path, clock := filepath.Join(t.TempDir(), "svc.db"), newClock()
	db := openStore(t, path, store.Options{Now: clock.now})
	p, other := addProject(t, db, "app").ID, addProject(t, db, "other").ID
	for i, order := range []int64{5, 0, 5, 1, 0} {
		putCard(t, db, p, fmt.Sprint(i), order)
	}
	if got := cardTitles(t, db, p); got != "1 4 3 0 2" {
		t.Errorf("got %s, want them by order, then by age", got)
	}
	c := putCard(t, db, p, "six", 9)
	made := c.UpdatedAt
	clock.advance(60_000_000_000)
	note := "<note> & more"
	c.Description, c.Layout, c.SortOrder = &note, []byte(`{"w":"<1>"}`), 0
	update(t, db, func(tx *store.Tx) error { return tx.PutCard(p, c) })
	closeStore(t, db)
	db = openStore(t, path, store.Options{Now: clock.now})
	err := db.View(func(tx *store.Tx) error {
		stored, err := tx.Card(p, c.ID)
		if err != nil {
			return err
		}
		if asJSON(t, stored) != asJSON(t, c) || stored.UpdatedAt != made+60 || store.CreatedAt(stored.ID) != made {
			t.Errorf("got %s, want %s", asJSON(t, stored), asJSON(t, c))
		}
		if _, err := tx.Card(other, c.ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("in another project: got %v, want not found", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	update(t, db, func(tx *store.Tx) error { return tx.DeleteCard(p, c) })
	if got := cardTitles(t, db, p); got != "1 4 3 0 2" {
		t.Errorf("after the deletion: got %s", got)
	}
}

// TestCardsGoWithTheirProject checks that cards are deleted with their project, and
// cannot be added to a deleted project.
func TestCardsGoWithTheirProject(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	for i := range 5 {
		putCard(t, db, p.ID, fmt.Sprint(i), 0)
	}
	update(t, db, func(tx *store.Tx) error { return tx.DeleteProject(p) })
	if got := cardTitles(t, db, p.ID); got != "" {
		t.Errorf("of a deleted project: got %s", got)
	}
	err := db.Update(func(tx *store.Tx) error { return tx.PutCard(p.ID, &store.Card{}) })
	if !fault.Is(err, fault.NotFound) {
		t.Errorf("into a deleted project: got %v, want not found", err)
	}
	if err := db.Purge(); err != nil {
		t.Fatal(err)
	}
	for path := range db.Dump() {
		if strings.Contains(path, `"cards"`) {
			t.Errorf("left behind: %s", path)
		}
	}
}
