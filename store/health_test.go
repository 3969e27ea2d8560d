package store_test

import (
	"fmt"
	"slices"
	"testing"

	"svc/internal/rollout"
	"svc/store"
)

// health returns the counts of all versions of a project.
func health(t *testing.T, db *store.Store, p store.ProjectID) (all []string) {
	t.Helper()
	err := db.View(func(tx *store.Tx) error {
		return tx.EachHealthCount(p, func(version store.ID, at int64, c store.HealthCount) bool {
			v, err := tx.Version(p, version)
			if err != nil {
				all = append(all, fmt.Sprint("deleted ", at))
				return true
			}
			all = append(all, fmt.Sprint(v.Version, " ", at, " ", c.Addresses, c.Users, c.Failures))
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestHealthCounts checks that counts are stored for each version and bucket, that a later count
// replaces an earlier one, and that old counts and those of deleted versions are dropped in steps.
func TestHealthCounts(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app").ID
	one, two := addVersion(t, db, p, "1.0"), addVersion(t, db, p, "2.0")
	put := func(v *store.Version, at int64, c store.HealthCount) {
		t.Helper()
		update(t, db, func(tx *store.Tx) error { return tx.PutHealth(p, v.ID, at, c) })
	}
	if got := health(t, db, p); len(got) != 0 {
		t.Errorf("a new project has counts: %q", got)
	}
	full := store.HealthCount{Addresses: 7, Users: 5, Failures: map[string]int64{"": 2, "crash": 1, "update_failed": 3}}
	put(two, 1200, store.HealthCount{})
	put(two, 600, store.HealthCount{Addresses: 1})
	put(two, 600, full)
	put(one, 600, store.HealthCount{Users: 300})
	want := []string{"1.0 600 0 300 map[]", "2.0 600 7 5 map[:2 crash:1 update_failed:3]", "2.0 1200 0 0 map[]"}
	if got := health(t, db, p); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, tc := range []struct {
		rule rollout.HealthRule
		want [2]int64
	}{
		{rollout.HealthRule{Metric: rollout.ErrorLogs}, [2]int64{7, 2}},
		{rollout.HealthRule{Metric: rollout.EventMetric, Event: "crash"}, [2]int64{5, 1}},
		{rollout.HealthRule{Metric: rollout.EventMetric, Event: "hang"}, [2]int64{5, 0}},
	} {
		if exposure, failures := full.Of(tc.rule); [2]int64{exposure, failures} != tc.want {
			t.Errorf("%+v: %d subjects and %d failures, want %v", tc.rule, exposure, failures, tc.want)
		}
	}
	var since []int64
	err := db.View(func(tx *store.Tx) error {
		return tx.EachHealth(p, two.ID, 601, func(at int64, _ store.HealthCount) { since = append(since, at) })
	})
	if err != nil || !slices.Equal(since, []int64{1200}) {
		t.Errorf("since 601: buckets %v (%v), want 1200", since, err)
	}
	update(t, db, func(tx *store.Tx) error { return tx.DeleteVersion(p, one) })
	put(one, 1800, full) // ignored
	for _, n := range []int{1, 1, 0} {
		update(t, db, func(tx *store.Tx) error {
			if has := tx.HasHealthBefore(p, 1200); has != (n > 0) {
				t.Errorf("there is something to drop: %v", has)
			}
			dropped, err := tx.DropHealth(p, 1200, 1)
			if dropped != n {
				t.Errorf("dropped %d counts, want %d", dropped, n)
			}
			return err
		})
	}
	if got, want := health(t, db, p), []string{"2.0 1200 0 0 map[]"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
