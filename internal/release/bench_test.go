package release_test

import (
	"fmt"
	"testing"

	"svc/internal/release"
	"svc/internal/rollout"
)

// project returns a catalog of 300 versions that resembles a real project: patches,
// release candidates, some milestones and some withdrawn versions.
func project(t testing.TB) *release.Catalog {
	t.Helper()
	var items []release.Item
	for n := range 300 {
		v := describe(t, fmt.Sprintf("v%d.%d.%d @%d", 1+n/100, n/10%10, n%10, 1_700_000_000+n))
		if n%10 == 9 {
			v = describe(t, fmt.Sprintf("v%d.%d.0-rc.%d @%d preview", 1+n/100, n/10%10+1, n%3, 1_700_000_000+n))
		}
		v.ID, v.Milestone, v.Deprecated = id(n), n%50 == 20, n%40 == 7
		items = append(items, v)
	}
	return release.NewCatalog(items, nil)
}

// checks contains one query for each form that a client can send.
var checks = []struct {
	name string
	ask  ask
}{
	{"display", ask{version: "v1.4.2"}},
	{"comparable", ask{comparable: "1.4.2"}},
	{"both", ask{version: "v1.4.2", comparable: "1.4.2"}},
	{"unregistered", ask{comparable: "1.4.2.7"}},
	{"preview", ask{version: "v3.9.8", preview: true}},
	{"up_to_date", ask{version: "v3.9.8"}},
	{"rollout", ask{version: "v1.4.2", key: "4711"}},
}

func BenchmarkCheck(b *testing.B) {
	settled := project(b)
	open := items(settled)
	open[0].Rollout = rolledOut(b, rollout.Running, "25")
	optional := span(b, "2.0", "")
	for _, bc := range checks {
		c := settled
		if bc.ask.key != "" {
			c = release.NewCatalog(open, nil)
		}
		b.Run(bc.name, func(b *testing.B) {
			q := bc.ask.query(b)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Check(q, optional); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := release.Parse("12.34.56-rc.7"); !ok {
			b.Fatal("got false, want a comparable version")
		}
	}
}

func BenchmarkNewCatalog(b *testing.B) {
	c := project(b)
	items := make([]release.Item, c.Len())
	b.ReportAllocs()
	for b.Loop() {
		for at := range items {
			items[at] = *c.Item((at*7 + 3) % len(items)) // 7 and 300 are coprime
		}
		release.NewCatalog(items, nil)
	}
}

// TestCheckDoesNotAllocate checks that Check does not allocate. It counts the allocations
// of the whole process, so no other test may run at the same time.
//
//nolint:paralleltest // counts the allocations of the whole process
func TestCheckDoesNotAllocate(t *testing.T) {
	settled := project(t)
	open := items(settled)
	open[0].Rollout = rolledOut(t, rollout.Running, "25")
	optional := span(t, "2.0", "")
	for _, c := range []*release.Catalog{settled, release.NewCatalog(open, nil)} {
		for _, tc := range checks {
			q := tc.ask.query(t)
			allocations := testing.AllocsPerRun(100, func() {
				if _, err := c.Check(q, optional); err != nil {
					t.Error(err)
				}
			})
			if allocations != 0 {
				t.Errorf("%s: got %v allocations a check, want none", tc.name, allocations)
			}
		}
	}
}

// items returns copies of the versions of a catalog.
func items(c *release.Catalog) (all []release.Item) {
	for at := range c.Len() {
		all = append(all, *c.Item(at))
	}
	return all
}
