package store_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"svc/internal/fault"
	"svc/store"
)

func TestWebhookSecrets(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	var w store.Webhook
	accepted := func(after time.Duration, want ...string) {
		t.Helper()
		if got := w.Accepted(now.Add(after)); !slices.Equal(got, want) {
			t.Errorf("after %s: got %q, want %q", after, got, want)
		}
	}
	accepted(0)
	w.Replace("one", "1", 16, time.Hour, now)
	accepted(0, "one")
	w.Replace("two", "2", 17, time.Hour, now)
	accepted(0, "two", "one")
	accepted(time.Hour-time.Second, "two", "one")
	accepted(time.Hour, "two")
	w.Replace("three", "3", 18, 0, now)
	accepted(0, "three")
	if want := (store.Webhook{Secret: "three", Hint: "3", Length: 18, UpdatedAt: now.Unix()}); w != want {
		t.Errorf("got %+v, want %+v", w, want)
	}
}

func TestWebhookIsAProjectsOwn(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	a, b := addProject(t, db, "a"), addProject(t, db, "b")
	want := &store.Webhook{Secret: "sealed", Hint: "ealed", Length: 16, UpdatedAt: 5, Former: "before", FormerUntil: 6}
	update(t, db, func(tx *store.Tx) error { return store.WebhookSettings(a.ID).Put(tx, want) })
	read := func(p store.ProjectID) *store.Webhook {
		t.Helper()
		w, err := store.Read(db, func(tx *store.Tx) (*store.Webhook, error) { return store.WebhookSettings(p).Get(tx) })
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	if got := read(a.ID); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := read(b.ID); *got != (store.Webhook{}) {
		t.Errorf("another project: got %+v, want none", got)
	}
	update(t, db, func(tx *store.Tx) error { return tx.DeleteProject(a) })
	if got := read(a.ID); *got != (store.Webhook{}) {
		t.Errorf("deleted project: got %+v, want none", got)
	}
	if err := db.Update(func(tx *store.Tx) error { return store.WebhookSettings(a.ID).Put(tx, want) }); !fault.Is(err, fault.NotFound) {
		t.Errorf("deleted project: got %v, want NotFound", err)
	}
}

func TestDeliveries(t *testing.T) {
	t.Parallel()
	c := newClock()
	path := filepath.Join(t.TempDir(), "svc.db")
	db := openStore(t, path, store.Options{Now: c.now})
	delivered := func(p store.ProjectID, id string, want bool) {
		t.Helper()
		got, err := store.Read(db, func(tx *store.Tx) (bool, error) { return tx.Delivered(p, id), nil })
		if err != nil || got != want {
			t.Errorf("delivery %q of project %d: got %v, %v; want %v", id, p, got, err, want)
		}
	}
	drop := func(limit int) (n int) {
		t.Helper()
		update(t, db, func(tx *store.Tx) (err error) {
			n, err = tx.DropDeliveries(limit)
			return err
		})
		return n
	}
	delivered(1, "a", false)
	update(t, db, func(tx *store.Tx) error { return tx.ForgetDelivery(1, "a") })
	if n := drop(10); n != 0 {
		t.Errorf("dropped %d of none", n)
	}
	update(t, db, func(tx *store.Tx) error { return tx.RememberDelivery(1, "a", 7*24*time.Hour) })
	delivered(1, "a", true)
	delivered(2, "a", false)
	delivered(store.InstanceDeliveries, "a", false)
	delivered(1, "b", false)

	c.advance(7*24*time.Hour - time.Second)
	for i := range 5 {
		update(t, db, func(tx *store.Tx) error {
			return tx.RememberDelivery(store.InstanceDeliveries, fmt.Sprint(i), time.Minute)
		})
	}
	closeStore(t, db)
	db = openStore(t, path, store.Options{Now: c.now})
	delivered(1, "a", true)
	c.advance(time.Second)
	delivered(1, "a", false)
	delivered(store.InstanceDeliveries, "4", true)
	if n := drop(10); n != 1 {
		t.Errorf("dropped %d, want the one that is over", n)
	}
	update(t, db, func(tx *store.Tx) error { return tx.ForgetDelivery(store.InstanceDeliveries, "4") })
	delivered(store.InstanceDeliveries, "4", false)
	c.advance(time.Minute)
	if first, second := drop(3), drop(3); first != 3 || second != 1 {
		t.Errorf("dropped %d and %d, want 3 at most and the 1 that is left", first, second)
	}
}
