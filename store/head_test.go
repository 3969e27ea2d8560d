package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"svc/store"
)

// TestColumnsAreThoseOfTheRecords completes blocks in every way that a head can
// come about, be dropped or be lost. Closing the store compares the columns with
// the records.
func TestColumnsAreThoseOfTheRecords(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "svc.db")
	db := openStore(t, path, store.Options{})
	var projects []store.ProjectID
	for i := range 40 { // more than there are heads
		projects = append(projects, addProject(t, db, fmt.Sprintf("app-%d", i)).ID)
	}
	r := rand.New(rand.NewPCG(3, 3))
	refused := errors.New("refused")
	var last *store.Feedback // of the first project
	for step := range 200 {
		p := projects[0]
		if r.IntN(3) == 0 {
			p = projects[r.IntN(len(projects))]
		}
		err := db.Update(func(tx *store.Tx) error {
			for range r.IntN(200) {
				text := []string{"timeout", "Größe", "bytes \xff\xfe", "\uFFFD", strings.Repeat("long ", 100)}[r.IntN(5)]
				if err := tx.AddLog(p, &store.Log{Level: r.IntN(4), Content: text, Hidden: r.IntN(3) == 0}); err != nil {
					return err
				}
				f := &store.Feedback{Content: text}
				if err := tx.AddFeedback(p, f); err != nil {
					return err
				}
				if p == projects[0] {
					last = f
				}
			}
			if last != nil && step%3 == 0 {
				last.Hidden = !last.Hidden
				if err := tx.PutFeedback(projects[0], last); err != nil {
					return err
				}
			}
			if last != nil && step%11 == 0 {
				if err := tx.DeleteFeedback(projects[0], last); err != nil {
					return err
				}
				last = nil
			}
			if step%13 == 0 {
				return refused
			}
			return nil
		})
		if step%13 == 0 {
			last = nil
		} else if err != nil {
			t.Fatal(err)
		}
		if step == 100 {
			closeStore(t, db)
			db = openStore(t, path, store.Options{})
		}
	}
}
