package release_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"svc/internal/fault"
	"svc/internal/platform"
	"svc/internal/release"
	"svc/internal/rollout"
)

// told returns what a caller is told, as one line.
func told(c *release.Catalog, d release.Decision) string {
	text := fmt.Sprintf("latest %s target %s", name(c, d.Latest), name(c, d.Target))
	if d.Rollout >= 0 {
		text += fmt.Sprintf(" rollout %s included %v", name(c, d.Rollout), d.Included)
	}
	if d.Downgrade >= 0 {
		text += " downgrade " + name(c, d.Downgrade)
	}
	return text + " " + strings.Join(d.Reasons, ",")
}

func TestOfferDuringRollout(t *testing.T) {
	t.Parallel()
	const stable, at25, at50, held = "2.2.1", "2.3.0 running=25", "2.3.0 running=50", "2.3.0 held=25"
	const beta = "2.4.0-beta.1 preview channel=beta"
	milestones := []string{"2.0.0", "2.1.0 milestone", "2.2.1", "3.0.0 milestone running=10", "3.1.0"}
	yanked := []string{stable, "2.3.0 yanked", beta}
	out, in := "4711", keyBelow(t, 10_00)
	for _, tc := range []struct {
		name     string
		versions []string
		ask      ask
		want     string
	}{
		{"without a key", []string{stable, at25, beta}, ask{version: "2.2.1"}, "latest 2.2.1 target  rollout 2.3.0 included false rollout_not_reached"},
		{"with a key that is out", []string{stable, at25, beta}, ask{version: "2.2.1", key: out}, "latest 2.2.1 target  rollout 2.3.0 included false rollout_not_reached"},
		{"with a key that is in", []string{stable, at25, beta}, ask{version: "2.2.1", key: "0"}, "latest 2.3.0 target 2.3.0 rollout 2.3.0 included true newer_version_available"},
		{"after the next step", []string{stable, at50, beta}, ask{version: "2.2.1", key: out}, "latest 2.3.0 target 2.3.0 rollout 2.3.0 included true newer_version_available"},
		{"on a channel of the project", []string{stable, at25, beta}, ask{version: "2.2.1", key: out, channel: "beta"}, "latest 2.4.0-beta.1 target 2.4.0-beta.1 newer_version_available"},
		{"held", []string{stable, held}, ask{version: "2.2.1", key: "0"}, "latest 2.2.1 target  rollout 2.3.0 included false rollout_not_reached"},
		{"paused keeps its percentage", []string{stable, "2.3.0 paused=25"}, ask{version: "2.2.1", key: "0"}, "latest 2.3.0 target 2.3.0 rollout 2.3.0 included true newer_version_available"},
		{"aborted", []string{stable, "2.3.0 aborted=25"}, ask{version: "2.2.1", key: "0"}, "latest 2.2.1 target  "},
		{"on the version that is rolled out to others", []string{stable, at25}, ask{version: "2.3.0", key: out}, "latest 2.2.1 target  rollout 2.3.0 included false "},

		{"from a yanked version", yanked, ask{version: "2.3.0"}, "latest 2.2.1 target  downgrade 2.2.1 current_version_yanked,downgrade_offered"},
		{"from a yanked version, accepted", yanked, ask{version: "2.3.0", downgrade: true}, "latest 2.2.1 target 2.2.1 downgrade 2.2.1 current_version_yanked,downgrade_offered"},
		{"to the version that the yank names", []string{"1.0", "2.0", "3.0 yanked=1.0"}, ask{version: "3.0"}, "latest 2.0 target  downgrade 1.0 current_version_yanked,downgrade_offered"},
		{"not to one that is yanked, too", []string{"1.0 yanked", "2.0", "3.0 yanked=1.0"}, ask{version: "3.0"}, "latest 2.0 target  downgrade 2.0 current_version_yanked,downgrade_offered"},
		{"from a yanked version to a newer one", []string{"1.0", "2.0 yanked", "3.0"}, ask{version: "2.0", downgrade: true}, "latest 3.0 target 3.0 newer_version_available,current_version_yanked"},
		{"from a yanked version to a deprecated one", []string{"1.0 deprecated", "2.0 yanked"}, ask{version: "2.0", downgrade: true}, "latest 1.0 target  current_version_yanked"},

		{"out, below the first milestone", milestones, ask{version: "2.0.0", key: out}, "latest 2.2.1 target 2.1.0 newer_version_available,milestone_guard,rollout_not_reached"},
		{"out, before the second milestone", milestones, ask{version: "2.2.1", key: out}, "latest 2.2.1 target  rollout_not_reached"},
		{"in, below the first milestone", milestones, ask{version: "2.0.0", key: in}, "latest 3.1.0 target 2.1.0 newer_version_available,milestone_guard"},
		{"in, before the second milestone", milestones, ask{version: "2.2.1", key: in}, "latest 3.1.0 target 3.0.0 newer_version_available,milestone_guard"},
		{"past the milestone already", milestones, ask{version: "3.0.0", key: out}, "latest 3.1.0 target 3.1.0 newer_version_available"},
		{"a milestone that was aborted stops nobody", []string{"2.2.1", "3.0.0 milestone aborted=10", "3.1.0"}, ask{version: "2.2.1"}, "latest 3.1.0 target 3.1.0 newer_version_available"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := catalog(t, tc.versions...)
			d, err := c.Check(tc.ask.query(t), release.Range{})
			if got := told(c, d); err != nil || got != tc.want {
				t.Errorf("%+v of %q:\n got %s, %v\nwant %s", tc.ask, tc.versions, got, err, tc.want)
			}
		})
	}
}

// keyBelow returns a key that is in at the given percentage, in hundredths.
func keyBelow(t *testing.T, percent int) string {
	t.Helper()
	seed := rolledOut(t, rollout.Running, "").Seed
	for n := range 10_000 {
		if key := strconv.Itoa(n); rollout.Bucket(seed, key) < percent {
			return key
		}
	}
	t.Fatal("got no key, want one")
	return ""
}

func TestOfferRefused(t *testing.T) {
	t.Parallel()
	c := catalog(t, "2.0 running=25")
	for _, tc := range []struct {
		ask  ask
		kind fault.Kind
		text string
	}{
		{ask{comparable: "1"}, fault.NotFound, "no version is offered to this client yet"},
		{ask{comparable: "1", channel: "nightly"}, fault.Invalid, `channel: the project has no channel "nightly"`},
	} {
		if d, err := c.Check(tc.ask.query(t), release.Range{}); !fault.Is(err, tc.kind) || err.Error() != tc.text {
			t.Errorf("%+v: got %+v, %v, want an error of kind %d: %s", tc.ask, d, err, tc.kind, tc.text)
		}
	}
	if d := c.Offer(release.Query{Channel: "nightly"}); d.Latest >= 0 || d.Target >= 0 || d.Withheld >= 0 {
		t.Errorf("unknown channel: got the offer %+v, want none", d)
	}
}

// TestOfferWithoutVersion checks offers to callers whose version is unknown.
func TestOfferWithoutVersion(t *testing.T) {
	t.Parallel()
	c := catalog(t, "1.0", "2.0 milestone", "3.0", "4.0 running=25", "5.0-rc preview")
	for _, tc := range []struct {
		query release.Query
		want  string
	}{
		{release.Query{}, "3.0"},
		{release.Query{Key: "0"}, "4.0"},
		{release.Query{Channel: "preview"}, "5.0-rc"},
		{release.Query{Fits: func(at int) bool { return c.Item(at).Version != "3.0" }}, "2.0"},
		{release.Query{Fits: func(int) bool { return false }}, ""},
	} {
		if d := c.Offer(tc.query); name(c, d.Target) != tc.want || d.Target != d.Latest || d.Guarded {
			t.Errorf("%+v: got %s, want the target %q", tc.query, told(c, d), tc.want)
		}
	}
}

func TestOfferToCohort(t *testing.T) {
	t.Parallel()
	item := describe(t, "2.0 running")
	item.Rollout.Cohort = &rollout.Cohort{
		Platforms: []platform.Platform{"linux", "macos"}, Countries: []string{"DE"}, CurrentMin: "1.0", CurrentMax: "1.9",
	}
	c := release.NewCatalog([]release.Item{describe(t, "0.1"), item}, nil)
	if !c.Targeted() {
		t.Error("got a catalog without cohorts, want one")
	}
	member := release.Query{Comparable: parse(t, "1.0.0"), Platform: "macos", Country: "DE"}
	for _, tc := range []struct {
		name   string
		change func(*release.Query)
		want   string
	}{
		{"a member", func(*release.Query) {}, "2.0"},
		{"on the greatest version of the cohort", func(q *release.Query) { q.Comparable = parse(t, "1.9") }, "2.0"},
		{"above it", func(q *release.Query) { q.Comparable = parse(t, "1.9.1") }, ""},
		{"below it", func(q *release.Query) { q.Comparable = parse(t, "0.9") }, ""},
		{"another platform", func(q *release.Query) { q.Platform = "windows" }, ""},
		{"an unknown platform", func(q *release.Query) { q.Platform = "" }, ""},
		{"another country", func(q *release.Query) { q.Country = "FR" }, ""},
		{"an unknown country", func(q *release.Query) { q.Country = "" }, ""},
	} {
		q := member
		tc.change(&q)
		if d, err := c.Check(q, release.Range{}); err != nil || name(c, d.Target) != tc.want {
			t.Errorf("%s: got %s, %v, want the target %q", tc.name, told(c, d), err, tc.want)
		}
	}
	if d := c.Offer(release.Query{Platform: "macos", Country: "DE"}); name(c, d.Target) != "0.1" {
		t.Errorf("an unknown version: got %s, want the target 0.1", told(c, d))
	}
}

// TestShareOfKeys checks that each percentage reaches that share of 10,000 keys, that a greater
// one reaches all of the keys of a lesser one, and that two seeds choose independently.
func TestShareOfKeys(t *testing.T) {
	t.Parallel()
	reached := func(seed string, percent rollout.Percent) []bool {
		v := describe(t, "2.0 running")
		v.Rollout.Seed, v.Rollout.Percent = seed, percent
		c := release.NewCatalog([]release.Item{describe(t, "1.0"), v}, nil)
		keys := make([]bool, 10_000)
		for n := range keys {
			keys[n] = c.Offer(release.Query{Version: "1.0", Key: strconv.Itoa(n)}).ShouldUpdate
		}
		return keys
	}
	count := func(keys []bool) (n float64) {
		for _, in := range keys {
			if in {
				n++
			}
		}
		return n
	}
	const seed, other = "9f86d081884c7d659a2feaa0c55ad015", "60303ae22b998861bce3b28f33eec1be"
	before := make([]bool, 10_000)
	for _, percent := range []rollout.Percent{0, 50, 1_00, 10_00, 25_00, 50_00, 90_00, rollout.Whole} {
		now := reached(seed, percent)
		p := float64(percent) / 10_000
		if tolerance := 5 * math.Sqrt(10_000*p*(1-p)); math.Abs(count(now)-10_000*p) > tolerance {
			t.Errorf("%v %%: got %v keys of 10,000, want %v ± %v", percent, count(now), 10_000*p, tolerance)
		}
		for n := range now {
			if before[n] && !now[n] {
				t.Fatalf("%v %%: key %d lost the offer", percent, n)
			}
		}
		before = now
	}
	a, b := reached(seed, 25_00), reached(other, 25_00)
	both := make([]bool, len(a))
	for n := range both {
		both[n] = a[n] && b[n]
	}
	if n := count(both); math.Abs(n-625) > 125 { // five standard deviations
		t.Errorf("two seeds at 25 %%: got %v keys in both, want about 625", n)
	}
}

// TestOffersOnlyGrow checks, for random projects and callers, that a greater percentage takes no
// offer away, that 0 % reaches nobody, and that no offer leads past a milestone. No version is
// deprecated, because a deprecated candidate makes room for a lesser version that is not.
func TestOffersOnlyGrow(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	grown := 0
	for range 20_000 {
		all := randomProject(r, false)
		asking := randomCaller(r, all)
		for _, v := range all {
			v.Deprecated = false
		}
		open := only(all, func(v *release.Item) bool { return isHeldBack(v) && v.Rollout.StartedAt != nil })
		if len(open) == 0 {
			continue
		}
		changed := pick(r, open...)
		changed.Rollout.State, changed.Rollout.Cohort = rollout.Running, nil
		var before *release.Item
		for _, percent := range []rollout.Percent{0, 1, 20_00, 80_00, rollout.Whole} {
			changed.Rollout.Percent = percent
			c := newCatalog(r, all, ownChannels())
			d := c.Offer(asking.Query)
			if percent == 0 && name(c, d.Latest) == changed.Version {
				t.Fatalf("seed %d, %+v is offered a version at 0 %% of:\n%s", seed, asking, itemsListed(all))
			}
			var now *release.Item
			if d.Target >= 0 {
				now = c.Item(d.Target)
			}
			if before != nil && (now == nil || now.Comparable.Compare(before.Comparable) < 0) {
				t.Fatalf("seed %d, %+v at %v %% loses the offer of %s of:\n%s", seed, asking, percent, before.Version, itemsListed(all))
			}
			if before == nil && now != nil {
				grown++
			}
			checkMilestones(t, c, all, asking, now)
			before = now
		}
	}
	if grown < 1_000 {
		t.Errorf("seed %d: got %d new offers, want thousands", seed, grown)
	}
}

// checkMilestones checks that no milestone lies between the caller's version and the offered one,
// except one that was aborted.
func checkMilestones(t *testing.T, c *release.Catalog, all []*release.Item, asking caller, offered *release.Item) {
	t.Helper()
	m := newModel(all, asking)
	if offered == nil || m.at < 0 {
		return
	}
	skipped := slices.ContainsFunc(m.pool(asking.Channel), func(v *release.Item) bool {
		return v.Milestone && !v.Preview && !v.Deprecated && !isAborted(v) && m.at < rank(v.Comparable) && rank(v.Comparable) < rank(offered.Comparable)
	})
	if skipped {
		t.Fatalf("%+v is offered %s past a milestone of:\n%s", asking, offered.Version, itemsListed(all))
	}
}
