package engine_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"svc/store"
)

// TestCleanUp checks that content without a record is moved to the directory lost when no upload
// session can refer to it any longer, and that it is removed from there after 30 days. Content with
// a record must stay.
func TestCleanUp(t *testing.T) {
	t.Parallel()
	d := newDepot(t, "")
	kept := d.ready(18)
	pending := d.stage("pending")
	failed := d.stage("failed")
	d.update(func(tx *store.Tx) error {
		f, err := tx.FileByID(failed)
		if err != nil {
			return err
		}
		f.Status, f.Error = store.FileFailed, "full"
		return tx.PutFile(d.p.ID, f)
	})
	d.strange("objects/f/app/000000000000/a.zip", "objects/stray", "staging/files/000000000001")
	const day = 24 * time.Hour
	for _, step := range []struct {
		age         time.Duration
		there, lost int
	}{{0, 23, 0}, {day + 2*time.Hour, 20, 3}, {8 * day, 19, 3}, {30 * day, 19, 3}, {33 * day, 19, 0}} {
		d.age.Store(int64(step.age))
		if _, err := d.jobs.Run(t.Context(), "file-cleanup"); err != nil {
			t.Fatal(err)
		}
		if got, lost := d.objects(), d.lost(); len(got) != step.there || len(lost) != step.lost {
			t.Errorf("after %v: got %d files and %d lost, want %d and %d: %q, %q", step.age, len(got), len(lost), step.there, step.lost, got, lost)
		}
	}
	if _, err := os.Stat(d.Storages.Local().Staged(string(pending))); err != nil || d.content(d.file(kept[0])) != "kept" {
		t.Errorf("what has a record is gone: %v", err)
	}
}

// TestManyUnknownObjectsStay checks that the job fails and moves nothing if there are many objects
// without a record, or if they are a large part of all objects. They probably belong to another
// database.
func TestManyUnknownObjectsStay(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name           string
		known, unknown int
		moved          bool
	}{
		{"a tenth", 18, 2, true},
		{"more than a tenth", 17, 2, false},
		{"all", 0, 1, false},
		{"20", 230, 20, true},
		{"more than 20", 230, 21, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := newDepot(t, "")
			d.ready(tc.known)
			for i := range tc.unknown {
				d.strange(fmt.Sprintf("objects/f/app/%012d/a.zip", i))
			}
			d.age.Store(int64(26 * time.Hour))
			_, err := d.jobs.Run(t.Context(), "file-cleanup")
			there, lost := tc.known+tc.unknown, 0
			if tc.moved {
				there, lost = tc.known, tc.unknown
			}
			if got := len(d.objects()); got != there || len(d.lost()) != lost {
				t.Errorf("got %d objects and %d lost, want %d and %d", got, len(d.lost()), there, lost)
			}
			want := fmt.Sprintf("%d of %d objects in %s have no record", tc.unknown, tc.known+tc.unknown, d.dir)
			if tc.moved != (err == nil) || err != nil && !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got %v, want it to begin with %q: %t", err, want, !tc.moved)
			}
		})
	}
}

// TestSweepWaits checks that nothing is swept for a day after a restore, an import or an adoption.
func TestSweepWaits(t *testing.T) {
	t.Parallel()
	d := newDepot(t, "")
	d.ready(9)
	d.strange("objects/f/app/000000000000/a.zip", "staging/files/000000000001")
	for _, name := range d.objects() {
		if err := os.Chtimes(name, time.Time{}, time.Now().Add(-48*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	d.update((*store.Tx).HoldSweeps)
	for _, step := range []struct {
		age  time.Duration
		lost int
	}{{23 * time.Hour, 0}, {25 * time.Hour, 2}} {
		d.age.Store(int64(step.age))
		if _, err := d.jobs.Run(t.Context(), "file-cleanup"); err != nil || len(d.lost()) != step.lost {
			t.Errorf("after %v: got %v, lost %q, want %d", step.age, err, d.lost(), step.lost)
		}
	}
}
