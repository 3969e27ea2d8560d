package store_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/internal/fault"
	"svc/internal/notify"
	"svc/store"
)

// addHook adds a hook of a project, or of the instance if p is 0.
func addHook(t testing.TB, db *store.Store, p store.ProjectID, events ...string) *store.Hook {
	t.Helper()
	h := &store.Hook{Name: "H", Kind: notify.Webhook, Enabled: true, URL: "https://receiver.example/", Events: events}
	update(t, db, func(tx *store.Tx) error { return tx.PutHook(p, h) })
	return h
}

// happen causes an event of a project, or of the instance if p is 0.
func happen(t testing.TB, db *store.Store, p store.ProjectID, name string) {
	t.Helper()
	update(t, db, func(tx *store.Tx) error {
		return tx.Notify(p, notify.Event{Name: name, Data: notify.Notice{Message: name}})
	})
}

// sent describes the selected deliveries of a hook, the newest first.
func sent(t testing.TB, db *store.Store, h *store.Hook, f store.DeliveryFilter, offset, limit int) string {
	t.Helper()
	var all []string
	err := db.View(func(tx *store.Tx) error {
		list, total, err := tx.HookDeliveries(h.ID, f, offset, limit)
		for _, d := range list {
			body, wrong := tx.HookBody(d)
			if wrong != nil || !strings.Contains(string(body), d.Event) {
				t.Errorf("delivery %s: got the body %s, %v", d.MessageID(), body, wrong)
			}
			all = append(all, fmt.Sprintf("%s %s", d.Event, d.State))
		}
		all = append(all, fmt.Sprint(total))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, ", ")
}

// TestNotify checks which hooks get which events.
func TestNotify(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	a, b := addProject(t, db, "a"), addProject(t, db, "b")
	all, logs := addHook(t, db, a.ID, "*"), addHook(t, db, a.ID, "log.*")
	other, instance := addHook(t, db, b.ID, "*"), addHook(t, db, 0, "file.failed", "instance.*")
	off := addHook(t, db, a.ID, "*")
	off.Enabled = false
	update(t, db, func(tx *store.Tx) error { return tx.PutHook(a.ID, off) })
	happen(t, db, a.ID, notify.FileFailedEvent)
	happen(t, db, a.ID, notify.LogGuardEvent)
	happen(t, db, 0, notify.DiskLowEvent)
	for i, tc := range []struct {
		hook *store.Hook
		want string
	}{
		{all, "log.guard queued, file.failed queued, 2"},
		{logs, "log.guard queued, 1"},
		{other, "0"},
		{instance, "instance.disk_low queued, file.failed queued, 2"},
		{off, "0"},
	} {
		if got := sent(t, db, tc.hook, store.DeliveryFilter{}, 0, 10); got != tc.want {
			t.Errorf("hook %d: got %s, want %s", i, got, tc.want)
		}
	}
	for f, want := range map[store.DeliveryFilter]string{
		{State: store.DeliveryQueued}: "log.guard queued, 2", {Event: "file.failed"}: "file.failed queued, 1", {State: store.DeliveryDead}: "0",
	} {
		if got := sent(t, db, all, f, 0, 1); got != want {
			t.Errorf("%v: got %s, want %s", f, got, want)
		}
	}
	if got := sent(t, db, all, store.DeliveryFilter{}, 1, 10); got != "file.failed queued, 2" {
		t.Errorf("the second page: got %s", got)
	}
	update(t, db, func(tx *store.Tx) error { // the event is caused by the transaction that adds the hook
		h := &store.Hook{Name: "H", Kind: notify.Ntfy, Enabled: true, Events: []string{"*"}}
		if err := tx.PutHook(b.ID, h); err != nil {
			return err
		}
		if err := tx.Notify(b.ID, notify.Event{Name: notify.LogGuardEvent, Data: notify.LogGuard{}}); err != nil {
			return err
		}
		_, total, err := tx.HookDeliveries(h.ID, store.DeliveryFilter{}, 0, 1)
		if total != 1 {
			t.Errorf("a new hook has %d deliveries", total)
		}
		return err
	})
}

// TestHookRules checks the number of hooks, that the kind is final, and that hooks belong to their
// project.
func TestHookRules(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	a, b := addProject(t, db, "a"), addProject(t, db, "b")
	first := addHook(t, db, a.ID, "*")
	for range store.MaxHooks - 1 {
		addHook(t, db, a.ID, "*")
	}
	put := func(p store.ProjectID, h *store.Hook) error {
		return db.Update(func(tx *store.Tx) error { return tx.PutHook(p, h) })
	}
	if err := put(a.ID, &store.Hook{Kind: notify.Slack}); !fault.Is(err, fault.Conflict) {
		t.Errorf("one hook more: got %v", err)
	}
	addHook(t, db, b.ID, "*")
	changed := *first
	changed.Kind = notify.Slack
	if err := put(a.ID, &changed); !fault.Is(err, fault.Invalid) {
		t.Errorf("another kind: got %v", err)
	}
	if err := put(b.ID, first); !fault.Is(err, fault.NotFound) {
		t.Errorf("a hook of another project: got %v", err)
	}
	list, err := store.Read(db, func(tx *store.Tx) ([]*store.Hook, error) { return tx.Hooks(a.ID) })
	if err != nil || len(list) != store.MaxHooks || list[0].ID != first.ID || list[0].Project != a.ID {
		t.Errorf("got %d hooks, %v", len(list), err)
	}
}

// TestHooksGoWithTheirProject checks that deliveries are deleted with the hook, and hooks with their
// project. The body of an event stays until the last hook does not need it any more.
func TestHooksGoWithTheirProject(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	a := addProject(t, db, "a")
	one, two, instance := addHook(t, db, a.ID, "*"), addHook(t, db, a.ID, "*"), addHook(t, db, 0, "*")
	happen(t, db, a.ID, notify.LogGuardEvent)
	update(t, db, func(tx *store.Tx) error { return tx.DeleteHook(a.ID, one.ID) })
	if err := db.Purge(); err != nil {
		t.Fatal(err)
	}
	if got := sent(t, db, one, store.DeliveryFilter{}, 0, 10) + sent(t, db, two, store.DeliveryFilter{}, 0, 10); got != "0log.guard queued, 1" {
		t.Errorf("got %s", got)
	}
	update(t, db, func(tx *store.Tx) error { return tx.DeleteProject(a) })
	if err := db.Purge(); err != nil {
		t.Fatal(err)
	}
	if hooks := db.EnabledHooks(); len(hooks) != 1 || hooks[0].ID != instance.ID {
		t.Errorf("got %d hooks", len(hooks))
	}
	happen(t, db, a.ID, notify.LogGuardEvent) // nothing
	if got := sent(t, db, instance, store.DeliveryFilter{}, 0, 10); got != "log.guard queued, 1" {
		t.Errorf("got %s", got)
	}
	update(t, db, func(tx *store.Tx) error { return tx.DeleteHook(0, instance.ID) })
	if err := db.Purge(); err != nil {
		t.Fatal(err)
	}
	for key := range db.Dump() {
		if strings.HasPrefix(key, `"hook`) && strings.Contains(key, "/") {
			t.Errorf("%s is left", key)
		}
	}
}

// TestImportNotifiesNobody checks that a project that is being imported sends nothing.
func TestImportNotifiesNobody(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	h := addHook(t, db, 0, "*")
	in, err := db.BeginImport(store.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	happen(t, db, in.Project(), notify.LogGuardEvent)
	if _, err := in.Reveal(&store.Project{Key: "a"}); err != nil {
		t.Fatal(err)
	}
	if got := sent(t, db, h, store.DeliveryFilter{}, 0, 10); got != "0" {
		t.Errorf("got %s", got)
	}
}

// TestDeliveryLimits checks that the oldest deliveries of a hook are dropped and then deleted.
func TestDeliveryLimits(t *testing.T) {
	t.Parallel()
	clock := newClock()
	db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{Now: clock.now})
	h := addHook(t, db, 0, "*")
	many := func(n int) {
		update(t, db, func(tx *store.Tx) error {
			for range n {
				if err := tx.Notify(0, notify.Event{Name: notify.DiskLowEvent, Data: notify.Notice{}}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	many(store.MaxWaitingDeliveries + 3)
	for state, want := range map[store.DeliveryState]string{store.DeliveryQueued: "10000", store.DeliveryDropped: "3"} {
		if got := sent(t, db, h, store.DeliveryFilter{State: state}, 20_000, 1); got != want {
			t.Errorf("%s: got %s, want %s", state, got, want)
		}
	}
	many(store.MaxEndedDeliveries)
	if got := sent(t, db, h, store.DeliveryFilter{State: store.DeliveryDropped}, 20_000, 1); got != "10000" {
		t.Errorf("got %s deliveries that have ended", got)
	}
	clock.advance(30*24*time.Hour + time.Second)
	many(1)
	dropped := 0
	for n := 1; n > 0; dropped += n {
		update(t, db, func(tx *store.Tx) (err error) {
			n, err = tx.DropHookDeliveries(7000)
			return err
		})
	}
	if got := sent(t, db, h, store.DeliveryFilter{}, 0, 10); dropped != 20_000-1 || got != "instance.disk_low queued, 1" {
		t.Errorf("dropped %d, got %s", dropped, got)
	}
	old, err := store.Read(db, (*store.Tx).HasOldHookDeliveries)
	if err != nil || old {
		t.Errorf("got %v, %v", old, err)
	}
}

// TestMessageID checks the text form of the ids of deliveries.
func TestMessageID(t *testing.T) {
	t.Parallel()
	for _, id := range []store.ID{{}, {1, 2, 3, 15: 0xff}} {
		text := store.MessageID(id)
		got, ok := store.ParseMessageID(text)
		if !ok || got != id || len(text) != len("msg_")+26 {
			t.Errorf("%v: got %q, %v", id, text, got)
		}
	}
	for _, wrong := range []string{"", "msg_", "msg_0", strings.Repeat("0", 30), "msg_" + strings.Repeat("z", 26), "msg_" + strings.Repeat("0", 25) + "1"} {
		if _, ok := store.ParseMessageID(wrong); ok {
			t.Errorf("%q is accepted", wrong)
		}
	}
}
