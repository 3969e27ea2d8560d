package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"svc/internal/boltfile"
	"svc/internal/integrity"
	"svc/store"
)

// refreshes returns the links that are waiting to be refreshed in the CDN.
func refreshes(t testing.TB, db *store.Store) []*store.CDNRefresh {
	t.Helper()
	list, err := store.Read(db, (*store.Tx).CDNRefreshes)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestLinkOfADeletedFile checks when and how often the link of a deleted file is
// refreshed in the CDN.
func TestLinkOfADeletedFile(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		backend               string
		wanted, on            bool // the file was ready, and the CDN is configured
		early                 bool // the first attempt to remove the object failed
		afterEarly, afterGone int  // number of pending refreshes
	}{
		"once":                             {store.LocalStorage, true, true, false, 0, 1},
		"not ready":                        {store.LocalStorage, false, true, true, 0, 0},
		"no CDN":                           {store.LocalStorage, true, false, true, 0, 0},
		"early, nobody reads it elsewhere": {store.LocalStorage, true, true, true, 1, 0},
		"early, and again from a storage that a CDN may read from": {"nas", true, true, true, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{})
			d := &store.FileDeletion{ID: "000000000001", ObjectKey: "f/app/000000000001/a", Backend: tc.backend, Refresh: tc.wanted, RetryAt: 7}
			settle := func(want int) {
				t.Helper()
				list := refreshes(t, db)
				if len(list) != want {
					t.Errorf("%d links wait, want %d", len(list), want)
				}
				for _, r := range list {
					if r.ID != d.ID || r.ObjectKey != d.ObjectKey || r.RetryAt != 100 || r.Until != 100+86400 {
						t.Errorf("got %+v", r)
					}
					update(t, db, func(tx *store.Tx) error {
						_, err := tx.SettleCDNRefresh(r, time.Unix(100, 0), "")
						return err
					})
				}
			}
			update(t, db, func(tx *store.Tx) error { return tx.PutFileDeletion(d) })
			if tc.early {
				update(t, db, func(tx *store.Tx) error {
					d, err := tx.FileDeletion(d)
					return errors.Join(err, tx.RefreshEarly(d, tc.on, 100), tx.PutFileDeletion(d))
				})
				settle(tc.afterEarly)
			}
			update(t, db, func(tx *store.Tx) error {
				d, err := tx.FileDeletion(d)
				return errors.Join(err, tx.FinishFileDeletion(d, tc.on, 100))
			})
			settle(tc.afterGone)
			if left := deletions(t, db, 10); len(left) > 0 || len(refreshes(t, db)) > 0 {
				t.Errorf("%d deletions are left", len(left))
			}
		})
	}
}

// TestDueFileDeletions checks that each storage has its own limit, and that skipped
// storages are left out.
func TestDueFileDeletions(t *testing.T) {
	t.Parallel()
	db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{})
	update(t, db, func(tx *store.Tx) error {
		for i, backend := range []string{"a", "a", "a", "b", "busy", "a"} {
			d := &store.FileDeletion{ID: store.FileID("00000000000" + string(rune('0'+i))), Backend: backend, RetryAt: int64(10 + i)}
			if err := tx.PutFileDeletion(d); err != nil {
				return err
			}
		}
		return nil
	})
	for _, tc := range []struct {
		by, next int64
		a, b     int
	}{{9, 10, 0, 0}, {10, 11, 1, 0}, {13, 14, 2, 1}, {20, 0, 2, 1}} {
		err := db.View(func(tx *store.Tx) error {
			due, next, err := tx.DueFileDeletions(tc.by, 2, func(backend string) bool { return backend == "busy" })
			if next != tc.next || len(due["a"]) != tc.a || len(due["b"]) != tc.b || len(due["busy"]) != 0 {
				t.Errorf("by %d: got %v, next %d", tc.by, due, next)
			}
			if !slices.IsSortedFunc(due["a"], func(x, y *store.FileDeletion) int { return int(x.RetryAt - y.RetryAt) }) {
				t.Errorf("by %d: not in order: %v", tc.by, due["a"])
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestDueFileDeletionsOfOthers checks that only the deletions of a storage that is
// skipped or has reached its limit are left out. Deletions of other storages must be
// returned, even if their records contain the name of a skipped storage.
func TestDueFileDeletionsOfOthers(t *testing.T) {
	t.Parallel()
	db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{})
	update(t, db, func(tx *store.Tx) error {
		for i, d := range []store.FileDeletion{
			{Backend: "busy"}, {Backend: "full"}, {Backend: "full"},
			{Backend: "busy2"}, {Backend: "ful"}, {Backend: "a", ObjectKey: `"backend":"busy"`}, {Backend: "a", Error: `"backend":"full"`},
		} {
			d.ID, d.RetryAt = store.FileID(fmt.Sprintf("%012d", i)), int64(i)
			if err := tx.PutFileDeletion(&d); err != nil {
				return err
			}
		}
		return nil
	})
	due, err := store.Read(db, func(tx *store.Tx) (map[string][]*store.FileDeletion, error) {
		due, _, err := tx.DueFileDeletions(10, 1, func(backend string) bool { return backend == "busy" })
		return due, err
	})
	if err != nil {
		t.Fatal(err)
	}
	for backend, want := range map[string]store.FileID{"busy2": "000000000003", "ful": "000000000004", "full": "000000000001", "a": "000000000005"} {
		if len(due[backend]) != 1 || due[backend][0].ID != want {
			t.Errorf("of %s: got %v, want the object %s", backend, due[backend], want)
		}
	}
	if len(due) != 4 {
		t.Errorf("got those of %d storages, want 4", len(due))
	}
}

// TestDamagedRefresh checks that a check finds a refresh that cannot be decoded.
func TestDamagedRefresh(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{"the record": "000000000001", "the key": "1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, _ := newDamageable(t)
			rewrite(t, path, func(tx *boltfile.Tx) error {
				b, err := tx.CreateBucketIfNotExists([]byte("cdn_refreshes"))
				if err != nil {
					return err
				}
				if name == "the key" {
					return b.Put([]byte(key), []byte("{}"))
				}
				return b.Put([]byte(key), []byte("{"))
			})
			report := checkFile(t, path)
			if report.Clean() || report.Listed()[0].Kind != integrity.Record {
				t.Errorf("got %v, want a record that cannot be read", report.Listed())
			}
		})
	}
}
