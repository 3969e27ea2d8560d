package store_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"svc/internal/loggroup"
	"svc/internal/platform"
	"svc/store"
)

// uploaded returns a log of a client.
func uploaded(level int, content, version string) *store.Log {
	l := &store.Log{Level: level, Content: content, Sender: store.Sender{UserAgent: new("app/1")}}
	if version != "" {
		l.DeviceInfo = fmt.Appendf(nil, `{"app_version":%q}`, version)
	}
	return l
}

// addMixedLogs adds logs of all levels, with few different errors and versions, and some by hand.
func addMixedLogs(t *testing.T, db *store.Store, c *clock, p store.ProjectID, n int, r *rand.Rand) {
	t.Helper()
	for range n {
		c.advance(time.Duration(r.IntN(60)) * time.Second)
		l := uploaded(r.IntN(4), fmt.Sprintf("E%c: no answer after %d ms", 'a'+rune(r.IntN(7)), r.IntN(1000)),
			[]string{"", "1.0", "1.2.0", "2.0-beta.1", "nightly"}[r.IntN(5)])
		if r.IntN(10) == 0 {
			l.Sender = store.Sender{} // by hand
		}
		if r.IntN(3) == 0 {
			l.Platform = new(platform.All[r.IntN(3)])
		}
		if r.IntN(20) == 0 {
			l.CustomData = []byte(`{"group_key":"own","repeated":4}`)
		}
		update(t, db, func(tx *store.Tx) error { return tx.AddLog(p, l) })
	}
}

// groupsOf returns the groups of a project in a form that can be compared.
func groupsOf(t *testing.T, db *store.Store, p store.ProjectID) string {
	t.Helper()
	list, err := store.Read(db, func(tx *store.Tx) ([]*store.LogGroup, error) { return tx.LogGroups(p) })
	if err != nil {
		t.Fatal(err)
	}
	return asJSON(t, list)
}

// checkGroupFilters compares lists by group and version with a scan of all logs.
func checkGroupFilters(t *testing.T, db *store.Store, p store.ProjectID) {
	t.Helper()
	err := db.View(func(tx *store.Tx) error {
		byGroup, byVersion, both := map[loggroup.ID]int{}, map[string]int{}, map[string]int{}
		err := tx.EachLog(p, func(l *store.Log) error {
			byGroup[l.Group]++
			byVersion[l.AppVersion()]++
			both[l.Group.String()+l.AppVersion()]++
			return nil
		})
		delete(byGroup, loggroup.ID{})
		delete(byVersion, "")
		count := func(q store.LogSelection) int {
			q.Hidden, q.Limit, q.To = true, 3, math.MaxInt64
			logs, found, listed := tx.ListLogs(p, q)
			err = errors.Join(err, listed)
			for _, l := range logs {
				if q.Group != nil && l.Group != *q.Group || q.Version != nil && l.AppVersion() != *q.Version {
					t.Errorf("log %s of group %s and version %q is in the list of another", l.ID, l.Group, l.AppVersion())
				}
			}
			return found.Total
		}
		for group, n := range byGroup {
			if got := count(store.LogSelection{Group: &group}); got != n {
				t.Errorf("group %s: got %d logs, want %d", group, got, n)
			}
			for version := range byVersion {
				if got, n := count(store.LogSelection{Group: &group, Version: &version}), both[group.String()+version]; got != n {
					t.Errorf("group %s, version %s: got %d logs, want %d", group, version, got, n)
				}
			}
		}
		for version, n := range byVersion {
			if got := count(store.LogSelection{Version: &version}); got != n {
				t.Errorf("version %s: got %d logs, want %d", version, got, n)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestLogsByGroup checks that logs are found by group and by version, also after some have been hidden
// and removed, and that removing logs changes no group.
func TestLogsByGroup(t *testing.T) {
	t.Parallel()
	c := newClock()
	db := openStore(t, t.TempDir()+"/svc.db", store.Options{Now: c.now})
	p := addProject(t, db, "app").ID
	addMixedLogs(t, db, c, p, 700, rand.New(rand.NewPCG(1, 2)))
	checkGroupFilters(t, db, p)
	groups := groupsOf(t, db, p)
	var ids []store.ID
	err := db.View(func(tx *store.Tx) error {
		return tx.EachLog(p, func(l *store.Log) error { ids = append(ids, l.ID); return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	update(t, db, func(tx *store.Tx) error { return tx.HideLogs(p, ids[100:400], true) })
	update(t, db, func(tx *store.Tx) error {
		l, err := tx.Log(p, ids[50])
		if err != nil {
			return err
		}
		l.Hidden = true
		return tx.PutLog(p, l)
	})
	for _, which := range []store.LogRange{{Level: new(2)}, {Before: new(store.CreatedAt(ids[300]))}} {
		if _, deleted, err := db.PruneLogs(t.Context(), p, which, false); err != nil || deleted == 0 {
			t.Fatalf("pruned %d logs: %v", deleted, err)
		}
		checkGroupFilters(t, db, p)
		if err := db.Check(); err != nil {
			t.Fatal(err)
		}
	}
	if got := groupsOf(t, db, p); got != groups {
		t.Errorf("removing logs has changed the groups:\n%s\nbefore:\n%s", got, groups)
	}
}

// TestGroupsAfterCrash checks that a file as a killed server leaves it has the same groups as the server
// had, and that logs which come after that are counted once. The groups must be those that counting all
// logs from the beginning gives.
func TestGroupsAfterCrash(t *testing.T) {
	t.Parallel()
	c := newClock()
	r := rand.New(rand.NewPCG(5, 6))
	path := filepath.Join(t.TempDir(), "svc.db")
	db := openStore(t, path, store.Options{Now: c.now})
	p := addProject(t, db, "app").ID
	for round := range 12 {
		addMixedLogs(t, db, c, p, r.IntN(200), r)
		update(t, db, func(tx *store.Tx) (err error) {
			for range r.IntN(3) * 150 { // more logs than a block has
				err = errors.Join(err, tx.AddLog(p, uploaded(r.IntN(4), fmt.Sprintf("E%c: lost", 'a'+rune(r.IntN(9))), "1.1")))
			}
			return err
		})
		if n := db.UncountedLogs(t, p); n >= 256 {
			t.Errorf("round %d: %d logs are counted by each reader, want less than 256", round, n)
		}
		if round%3 == 0 {
			continue
		}
		want := groupsOf(t, db, p)
		left, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		closeStore(t, db)
		path = filepath.Join(t.TempDir(), "svc.db")
		if err := os.WriteFile(path, left, 0o600); err != nil {
			t.Fatal(err)
		}
		db = openStore(t, path, store.Options{Now: c.now})
		if got := groupsOf(t, db, p); got != want {
			t.Fatalf("round %d: after a crash:\n%s\nwant:\n%s", round, got, want)
		}
	}
	want := groupsOf(t, db, p)
	if err := errors.Join(db.ForgetGroups(p), db.GroupLogs(t.Context(), p)); err != nil {
		t.Fatal(err)
	}
	if got := groupsOf(t, db, p); got != want {
		t.Errorf("counted from the beginning:\n%s\nwant:\n%s", got, want)
	}
}

// TestVersionPublishedAfterLogs checks that logs keep the order that their version had when they came.
func TestVersionPublishedAfterLogs(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app").ID
	add := func(version string) {
		update(t, db, func(tx *store.Tx) error { return tx.AddLog(p, uploaded(3, "failed", version)) })
	}
	add("1.0")
	add("Winter")
	before := groupsOf(t, db, p)
	v := addVersion(t, db, p, "5.0", func(v *store.Version) { v.Version = "Winter" })
	if got := groupsOf(t, db, p); got != before {
		t.Errorf("publishing a version has changed the groups:\n%s\nbefore:\n%s", got, before)
	}
	add("Winter")
	before = groupsOf(t, db, p)
	update(t, db, func(tx *store.Tx) error {
		v.Version = "Spring"
		return tx.UpdateVersion(p, v, nil, false)
	})
	update(t, db, func(tx *store.Tx) error { return tx.DeleteVersion(p, v) })
	if got := groupsOf(t, db, p); got != before {
		t.Errorf("removing a version has changed the groups:\n%s\nbefore:\n%s", got, before)
	}
}

// TestOlderLogsAreGrouped checks that grouping the logs of an earlier version of the program gives the
// same groups as grouping them when they came, that new logs meanwhile are counted once, and that
// the lists are right at every moment.
func TestOlderLogsAreGrouped(t *testing.T) {
	t.Parallel()
	for _, n := range []int{10, 256, 2500} {
		c := newClock()
		db := openStore(t, t.TempDir()+"/svc.db", store.Options{Now: c.now})
		p := addProject(t, db, "app").ID
		r := rand.New(rand.NewPCG(3, uint64(n)))
		addMixedLogs(t, db, c, p, n, r)
		half := groupsOf(t, db, p)
		if err := db.ForgetGroups(p); err != nil {
			t.Fatal(err)
		}
		if err := db.GroupLogs(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if got := groupsOf(t, db, p); got != half {
			t.Errorf("%d logs: grouped later:\n%s\nwant:\n%s", n, got, half)
		}
		addMixedLogs(t, db, c, p, 300, r)
		whole := groupsOf(t, db, p)
		if err := db.ForgetGroups(p); err != nil {
			t.Fatal(err)
		}
		update(t, db, func(tx *store.Tx) error { return tx.AddLog(p, uploaded(3, "Ea: no answer after 5 ms", "1.0")) })
		checkGroupFilters(t, db, p)
		if err := db.GroupLogs(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if grouped, err := store.Read(db, func(tx *store.Tx) (bool, error) { return tx.LogsGrouped(p) }); err != nil || !grouped {
			t.Errorf("%d logs are still not grouped: %v", n, err)
		}
		checkGroupFilters(t, db, p)
		if got := groupsOf(t, db, p); got == whole {
			t.Errorf("%d logs: the new log is not counted", n)
		}
		sum := int64(0)
		err := db.View(func(tx *store.Tx) error {
			list, err := tx.LogGroups(p)
			for _, g := range list {
				sum += g.Count
			}
			return errors.Join(err, tx.EachLog(p, func(l *store.Log) error {
				if l.Group != (loggroup.ID{}) {
					sum--
				}
				return nil
			}))
		})
		if err != nil || sum != 0 {
			t.Errorf("%d logs: the groups count %d more logs than there are: %v", n, sum, err)
		}
	}
}

// TestTooManyGroups checks that logs beyond the maximum number of groups belong to one further group,
// whose logs can be listed.
func TestTooManyGroups(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app").ID
	name := func(i int) string {
		return fmt.Sprintf("E%c%c%c: failed", 'a'+rune(i%26), 'a'+rune(i/26%26), 'a'+rune(i/676))
	}
	update(t, db, func(tx *store.Tx) error {
		for i := range loggroup.MaxGroups + 5 {
			if err := tx.AddLog(p, uploaded(3, name(i), "")); err != nil {
				return err
			}
		}
		return nil
	})
	update(t, db, func(tx *store.Tx) error {
		return errors.Join(tx.AddLog(p, uploaded(3, name(0), "")), tx.AddLog(p, uploaded(3, name(loggroup.MaxGroups+1), "")))
	})
	err := db.View(func(tx *store.Tx) error {
		list, err := tx.LogGroups(p)
		if len(list) != loggroup.MaxGroups+1 {
			t.Errorf("got %d groups, want %d", len(list), loggroup.MaxGroups+1)
		}
		over, missing := tx.LogGroup(p, loggroup.Overflow)
		if missing != nil || over.Title != loggroup.OverflowTitle || over.Count != 6 {
			t.Errorf("got %v, %v", over, missing)
		}
		logs, found, listed := tx.ListLogs(p, store.LogSelection{Selection: store.Selection{Limit: 2}, To: math.MaxInt64, Group: &loggroup.Overflow})
		if found.Total != 6 || len(logs) != 2 || logs[0].Group != loggroup.Overflow {
			t.Errorf("got %v of %d logs", logs, found.Total)
		}
		return errors.Join(err, listed)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFailedUploadIsNotCounted checks that a transaction that fails leaves the groups unchanged.
func TestFailedUploadIsNotCounted(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app").ID
	update(t, db, func(tx *store.Tx) error { return tx.AddLog(p, uploaded(3, "failed", "1.0")) })
	before := groupsOf(t, db, p)
	errStop := errors.New("stop")
	err := db.Update(func(tx *store.Tx) error {
		return errors.Join(tx.AddLog(p, uploaded(3, "failed", "2.0")), tx.AddLog(p, uploaded(3, "another", "2.0")), errStop)
	})
	if !errors.Is(err, errStop) {
		t.Fatal(err)
	}
	update(t, db, func(tx *store.Tx) error { return tx.AddLog(p, uploaded(1, "nothing to group", "")) })
	if got := groupsOf(t, db, p); got != before {
		t.Errorf("got %s\nwant %s", got, before)
	}
	update(t, db, func(tx *store.Tx) error { return tx.AddLog(p, uploaded(3, "failed", "3.0")) })
	err = db.View(func(tx *store.Tx) error {
		list, err := tx.LogGroups(p)
		if len(list) != 1 || list[0].Count != 2 || len(list[0].Versions) != 2 {
			t.Errorf("got %s", asJSON(t, list))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestVersionsOfGroup checks the order of the versions of a group, and which ones it forgets.
func TestVersionsOfGroup(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app").ID
	addVersion(t, db, p, "3.5", func(v *store.Version) { v.Version = "Autumn" })
	add := func(versions ...string) {
		update(t, db, func(tx *store.Tx) (err error) {
			for _, v := range versions {
				err = errors.Join(err, tx.AddLog(p, uploaded(3, "failed", v)))
			}
			return err
		})
	}
	versions := func() (list []string, g *store.LogGroup) {
		groups, err := store.Read(db, func(tx *store.Tx) ([]*store.LogGroup, error) { return tx.LogGroups(p) })
		if err != nil || len(groups) != 1 {
			t.Fatal(groups, err)
		}
		for _, v := range groups[0].Versions {
			list = append(list, fmt.Sprint(v.Text, " ", v.Count))
		}
		return list, groups[0]
	}
	add("dev", "", "3.0", "Autumn", "4.0", "3.0", "Winter")
	got, g := versions()
	if want := []string{"4.0 1", "Autumn 1", "3.0 2", "dev 1", "Winter 1", " 1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if g.First.Text != "3.0" || g.Last.Text != "4.0" {
		t.Errorf("got %q to %q, want 3.0 to 4.0", g.First.Text, g.Last.Text)
	}
	addVersion(t, db, p, "5.0", func(v *store.Version) { v.Version = "Winter" })
	add("Winter")
	if got, g = versions(); got[0] != "Winter 2" || g.Last.Text != "Winter" {
		t.Errorf("a version that was published later is not the greatest: %q, %q", got, g.Last.Text)
	}
	for i := range 60 {
		add(fmt.Sprintf("1.%d", i))
	}
	got, g = versions()
	if len(got) != 50 || got[0] != "Winter 2" || got[48] != "1.15" && got[48] != "1.15 1" || got[49] != " 1" {
		t.Errorf("got %q", got)
	}
	if g.First.Text != "1.0" || g.Count != 68 {
		t.Errorf("got %q and %d logs, want 1.0 and 68", g.First.Text, g.Count)
	}
}

// TestDamagedGroups checks that the check of a file finds groups that cannot be decoded, and wrong
// labels.
func TestDamagedGroups(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app").ID
	update(t, db, func(tx *store.Tx) error {
		for range 300 {
			if err := tx.AddLog(p, uploaded(3, "failed", "1.0")); err != nil {
				return err
			}
		}
		return nil
	})
	damaged := func(bucket string, key, value []byte) {
		t.Helper()
		restore := db.Overwrite(t, p, bucket, key, value)
		if err := db.Check(); err == nil {
			t.Errorf("the check does not find damage in %s", bucket)
		}
		restore()
		if err := db.Check(); err != nil {
			t.Errorf("after restoring %s: %v", bucket, err)
		}
	}
	damaged("log_groups", []byte("0123456"), []byte{1})
	damaged("log_groups", []byte("01234567"), []byte{1, 2, 3})
	damaged("log_groups", []byte("ungrouped"), []byte("x"))
	damaged("log_groups", []byte("counted"), []byte("x"))
	damaged("log_labels", []byte{0, 0, 0, 0}, make([]byte, 272))
	damaged("log_labels", []byte{0, 0, 0, 9}, make([]byte, 272))
}
