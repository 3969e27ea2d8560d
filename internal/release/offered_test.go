package release_test

import (
	"testing"

	"github.com/google/uuid"

	"svc/internal/release"
	"svc/internal/rollout"
)

// TestOffered checks that Offered agrees with Offer about catalogs of which only one version fits, and
// that it stops at a milestone that has not reached the caller.
func TestOffered(t *testing.T) {
	t.Parallel()
	started := int64(1)
	item := func(version, channel string, milestone bool, percent int) release.Item {
		i := release.Item{ID: uuid.New(), Version: version, Preview: channel != release.Stable, Channel: channel, Milestone: milestone}
		i.Comparable, _ = release.Parse(version)
		if percent < 100 {
			i.Rollout = &rollout.Rollout{State: rollout.Running, Percent: rollout.Percent(percent * 100), Seed: "seed", StartedAt: &started}
		}
		return i
	}
	c := release.NewCatalog([]release.Item{
		item("1.0", release.Stable, false, 100), item("2.0", release.Stable, true, 0), item("3.0", release.Stable, false, 100),
		item("4.0-beta", release.Preview, false, 100), {ID: uuid.New(), Version: "unordered"},
	}, nil)
	for _, channel := range []string{release.Stable, release.Preview, "unknown"} {
		offered := c.Offered(release.Query{Channel: channel})
		for at := range c.Len() {
			only := c.Offer(release.Query{Channel: channel, Fits: func(one int) bool { return one == at }})
			if got, want := offered(at), only.Latest == at; got != want {
				t.Errorf("%s: %s: got %v, want %v", channel, c.Item(at).Version, got, want)
			}
		}
	}
	offered := c.Offered(release.Query{Version: "1.0", Channel: release.Preview})
	for at := range c.Len() {
		if got, want := offered(at), c.Item(at).Version == "1.0"; got != want {
			t.Errorf("from 1.0: %s: got %v, want %v", c.Item(at).Version, got, want)
		}
	}
}
