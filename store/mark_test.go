package store_test

import (
	"fmt"
	"testing"

	"svc/internal/fault"
	"svc/store"
)

// TestMarkedColumnsMatchRecords checks that the filter bits of complete and incomplete blocks match
// the records after many records have changed at once, and that a failure changes nothing.
func TestMarkedColumnsMatchRecords(t *testing.T) {
	t.Parallel()
	s := newSearched(t, 600, store.Options{}, func(i int) *store.Log {
		return &store.Log{Level: i % 4, Content: fmt.Sprintf("line %d", i)}
	})
	var ids []store.ID
	for i := 200; i < 599; i += 5 {
		ids = append(ids, s.logs[i].ID)
	}
	for _, hidden := range []bool{true, false, true} {
		update(t, s.db, func(tx *store.Tx) error { return tx.HideLogs(s.project, ids, hidden) })
		if err := s.db.Check(); err != nil {
			t.Fatal(err)
		}
	}
	err := s.db.Update(func(tx *store.Tx) error { return tx.HideLogs(s.project, append(ids, store.ID{1}), false) })
	if !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v, want a missing log", err)
	}
	err = s.db.View(func(tx *store.Tx) error {
		l, err := tx.Log(s.project, ids[0])
		if err == nil && !l.Hidden {
			t.Error("a change that failed has shown a log")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
