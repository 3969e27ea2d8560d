package store_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"svc/internal/testutil"
	"svc/store"
)

// TestColumnsAreThoseOfTheRecords completes blocks after heads were created, dropped and
// lost in all possible ways. Closing the store compares the columns with the records.
func TestColumnsAreThoseOfTheRecords(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	path := filepath.Join(t.TempDir(), "svc.db")
	db := openStore(t, path, store.Options{})
	var projects []store.ProjectID
	for i := range 40 { // more blocks than heads in memory
		projects = append(projects, addProject(t, db, fmt.Sprintf("app-%d", i)).ID)
	}
	r := rand.New(rand.NewPCG(3, 3))
	refused := errors.New("refused")
	var last *store.Feedback // the last feedback of the first project
	steps := 200
	for step := range steps {
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
		if step == steps/2 {
			closeStore(t, db)
			db = openStore(t, path, store.Options{})
		}
	}
}

// TestLongTexts checks blocks with texts that are stored in their own buckets, and one
// block with texts that are stored next to other entries. All of them must be searched
// and rewritten, and all their pages must be freed with their project.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "svc.db")
	db := openStore(t, path, store.Options{})
	project := addProject(t, db, "app")
	p := project.ID
	var logs []*store.Log
	for block := range 3 {
		update(t, db, func(tx *store.Tx) error {
			for i := range 256 {
				l := &store.Log{Content: fmt.Sprintf("number %d of block %d %s", i, block, strings.Repeat("long ", 200))}
				if err := tx.AddLog(p, l); err != nil {
					return err
				}
				logs = append(logs, l)
			}
			return nil
		})
	}
	update(t, db, func(tx *store.Tx) error {
		moved, err := tx.ShareTexts(p, 1)
		if !moved {
			t.Error("texts of 256 KiB lie among others")
		}
		return err
	})
	find := func(text string, want int) {
		t.Helper()
		err := db.View(func(tx *store.Tx) error {
			q := store.LogSelection{To: math.MaxInt64, Selection: store.Selection{Limit: 10, Find: &store.Find{Terms: []string{text}, Candidates: store.Candidates{All: true}}}}
			_, found, err := tx.ListLogs(p, q)
			if found.Total != want {
				t.Errorf("search for %q: got %d logs, want %d", text, found.Total, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	find("number 7 of", 3)
	find("of block 1", 256)
	closeStore(t, db) // closing compares the columns with the records
	db = openStore(t, path, store.Options{})
	update(t, db, func(tx *store.Tx) error {
		for _, l := range []*store.Log{logs[7], logs[256+7]} {
			l.Hidden = true
			if err := tx.PutLog(p, l); err != nil {
				return err
			}
		}
		return nil
	})
	find("number 7 of", 1)
	if got := db.ChangedText(); got < 2*256*1000 {
		t.Errorf("two blocks were written, ChangedText is %d", got)
	}
	update(t, db, func(tx *store.Tx) error { return tx.DeleteProject(project) })
	closeStore(t, db) // closing purges
}
