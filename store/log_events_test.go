package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/internal/loggroup"
	"svc/store"
)

// reports returns the events of a hook since the last call, the oldest first.
type reports struct {
	db   *store.Store
	hook *store.Hook
	seen int
}

func (r *reports) next(t *testing.T) string {
	t.Helper()
	var names []string
	err := r.db.View(func(tx *store.Tx) error {
		list, total, err := tx.HookDeliveries(r.hook.ID, store.DeliveryFilter{}, 0, 10_000)
		for _, d := range list[:total-r.seen] {
			names = append([]string{strings.TrimPrefix(d.Event, "log.")}, names...)
		}
		r.seen = total
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, " ")
}

// TestEventsOfGroups checks which logs cause an event: the first one of a group, one that opens a
// resolved group again, and a sudden increase.
func TestEventsOfGroups(t *testing.T) {
	t.Parallel()
	c := newClock()
	db := openStore(t, t.TempDir()+"/svc.db", store.Options{Now: c.now})
	p := addProject(t, db, "app").ID
	r := reports{db: db, hook: addHook(t, db, p, "log.*")}
	var group loggroup.ID
	add := func(n int, version, want string) {
		t.Helper()
		update(t, db, func(tx *store.Tx) (err error) {
			for range n {
				l := uploaded(3, "failed", version)
				err = errors.Join(err, tx.AddLog(p, l))
				group = l.Group
			}
			return err
		})
		if got := r.next(t); got != want {
			t.Errorf("%d logs of version %q: got the events %q, want %q", n, version, got, want)
		}
	}
	set := func(change func(g *store.LogGroup)) {
		t.Helper()
		update(t, db, func(tx *store.Tx) error {
			g, err := tx.LogGroup(p, group)
			if err != nil {
				return err
			}
			change(g)
			return tx.PutLogGroup(p, g)
		})
	}
	add(1, "1.0", "group_created")
	add(150, "1.0", "") // the first hour
	c.advance(26 * time.Hour)
	add(99, "1.0", "")
	add(50, "1.0", "group_spiked")
	add(50, "1.0", "")
	c.advance(20 * time.Hour)
	add(2000, "1.0", "") // not twice in 24 hours
	set(func(g *store.LogGroup) {
		g.Condition = g.Resolve(number(t, "2.0"), number(t, "1.0"), c.now().Unix())
	})
	add(2, "1.9", "")
	add(2, "2.0", "group_regressed")
	set(func(g *store.LogGroup) { g.Condition = g.Mute(0) })
	c.advance(30 * time.Hour)
	add(30_000, "9.0", "")
}

// TestGuardOfEvents checks that only the first events about new groups of an hour are sent, and that
// groups are created all the same. Grouping older logs causes no event.
func TestGuardOfEvents(t *testing.T) {
	t.Parallel()
	c := newClock()
	db := openStore(t, t.TempDir()+"/svc.db", store.Options{Now: c.now})
	p := addProject(t, db, "app").ID
	r := reports{db: db, hook: addHook(t, db, p, "log.*")}
	groups := 0
	add := func(n int) {
		t.Helper()
		for range n {
			name := fmt.Sprintf("E%c%c: failed", 'a'+rune(groups/26), 'a'+rune(groups%26))
			update(t, db, func(tx *store.Tx) error { return tx.AddLog(p, uploaded(3, name, "")) })
			groups++
		}
	}
	add(19)
	r.next(t)
	add(1)
	if got := r.next(t); got != "group_created" {
		t.Errorf("the 20th group: got the events %q", got)
	}
	add(10)
	if got := r.next(t); got != "guard" {
		t.Errorf("further groups: got the events %q, want one guard", got)
	}
	c.advance(time.Hour)
	add(1)
	if got := r.next(t); got != "group_created" {
		t.Errorf("in the next hour: got the events %q", got)
	}
	if err := errors.Join(db.ForgetGroups(p), db.GroupLogs(t.Context(), p)); err != nil {
		t.Fatal(err)
	}
	if got := r.next(t); got != "" {
		t.Errorf("grouping older logs: got the events %q", got)
	}
	list, err := store.Read(db, func(tx *store.Tx) ([]*store.LogGroup, error) { return tx.LogGroups(p) })
	if err != nil || len(list) != groups {
		t.Errorf("got %d groups, %v, want %d", len(list), err, groups)
	}
}

// TestTellsGroup checks the data of an event about a group.
func TestTellsGroup(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	var l *store.Log
	update(t, w.db, func(tx *store.Tx) error {
		l = uploaded(3, "TimeoutError: no answer after 20 ms", "1.2")
		return tx.AddLog(w.p.ID, l)
	})
	want := fmt.Sprintf(`log.group_created {"app_version":"1.2","count":1,"id":%q,"level":3,"source":null,`+
		`"title":"TimeoutError: no answer after \u003cn\u003e ms","url":"https://svc.example/admin/logs/group?project=app\u0026open=%[1]s"}`, l.Group)
	if got := w.news(); len(got) != 1 || got[0] != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}
