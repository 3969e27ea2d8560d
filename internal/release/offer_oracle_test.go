package release_test

import (
	"crypto/sha256"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"svc/internal/fault"
	"svc/internal/platform"
	"svc/internal/release"
	"svc/internal/rollout"
)

// The offer decision again, as its definition says it: sets and linear scans over unordered
// versions. It calls no decision of the package.

// order lists comparable versions in ascending order. Versions in one entry are equal.
var order = [][]string{{"1", "1.0"}, {"2-alpha"}, {"2-beta.2"}, {"2-rc.1"}, {"2", "2.0.0"}, {"2.5"}, {"3-beta"}, {"3"}, {"4"}}

var ranks = func() map[string]int {
	all := map[string]int{"": -1}
	for n, equal := range order {
		for _, text := range equal {
			all[text] = n
		}
	}
	return all
}()

func rank(v release.Comparable) int { return ranks[v.String()] }

// including lists the channels that each channel of the tests includes directly.
var including = map[string][]string{
	"stable": nil, "preview": {"stable"}, "beta": {"stable"}, "nightly": {"beta", "preview"}, "lonely": nil,
}

func ownChannels() release.Channels {
	var own release.Channels
	for _, name := range []string{"beta", "nightly", "lonely"} {
		own = append(own, release.Channel{Name: name, Includes: including[name]})
	}
	return own
}

func visibleChannels(of string) []string {
	all := []string{of}
	for _, name := range including[of] {
		all = append(all, visibleChannels(name)...)
	}
	return all
}

func channelOf(v *release.Item) string {
	if v.Channel == "" && v.Preview {
		return "preview"
	}
	if v.Channel == "" {
		return "stable"
	}
	return v.Channel
}

func isComplete(v *release.Item) bool { return v.Rollout == nil || v.Rollout.State == "completed" }

func isAborted(v *release.Item) bool { return v.Rollout != nil && v.Rollout.State == "aborted" }

func isHeldBack(v *release.Item) bool { return !isComplete(v) && !isAborted(v) }

// caller is a query with the names of the versions that fit; nil = all.
type caller struct {
	release.Query
	fitting []string
}

// model decides about one caller of a project.
type model struct {
	all    []*release.Item
	caller caller
	own    *release.Item // R
	at     int           // the rank of C; -1 = none
}

func newModel(all []*release.Item, c caller) *model {
	m := &model{all: all, caller: c, at: -1}
	switch {
	case !c.Comparable.IsZero():
		m.at = rank(c.Comparable)
		m.own = bestOf(m.where(func(v *release.Item) bool { return rank(v.Comparable) == m.at }), func(a, b *release.Item) bool {
			if x, y := a.Version == c.Version, b.Version == c.Version; x != y {
				return x
			}
			if a.Preview != b.Preview {
				return b.Preview
			}
			return newerItem(a, b)
		})
	default:
		m.own = bestOf(m.where(func(v *release.Item) bool { return v.Version == c.Version }), newerItem)
		if m.own != nil {
			m.at = rank(m.own.Comparable)
		}
	}
	return m
}

func (m *model) where(fits func(*release.Item) bool) (found []*release.Item) {
	for _, v := range m.all {
		if fits(v) {
			found = append(found, v)
		}
	}
	return found
}

// bestOf returns the version that beats all others.
func bestOf(all []*release.Item, beats func(a, b *release.Item) bool) *release.Item {
	var best *release.Item
	for _, v := range all {
		if best == nil || beats(v, best) {
			best = v
		}
	}
	return best
}

func newerItem(a, b *release.Item) bool {
	if a.PublishedAt != b.PublishedAt {
		return a.PublishedAt > b.PublishedAt
	}
	return slices.Compare(a.ID[:], b.ID[:]) > 0
}

func greaterItem(a, b *release.Item) bool {
	if x, y := rank(a.Comparable), rank(b.Comparable); x != y {
		return x > y
	}
	return newerItem(a, b)
}

func lowerItem(a, b *release.Item) bool {
	if x, y := rank(a.Comparable), rank(b.Comparable); x != y {
		return x < y
	}
	return newerItem(a, b)
}

// pool is step 1 of the definition. The greatest preview may be a version that cannot be
// compared, so these versions are left out later.
func (m *model) pool(channel string) []*release.Item {
	return m.where(func(v *release.Item) bool {
		isPublished := v.Rollout == nil || v.Rollout.StartedAt != nil
		return slices.Contains(visibleChannels(channel), channelOf(v)) && isPublished && v.Yank == nil &&
			(m.caller.fitting == nil || slices.Contains(m.caller.fitting, v.Version))
	})
}

// reached is step 2 of the definition.
func (m *model) reached(v *release.Item) bool {
	if isComplete(v) {
		return true
	}
	if v.Rollout.State == "held" || v.Rollout.State == "aborted" {
		return false
	}
	if c := v.Rollout.Cohort; c != nil {
		if len(c.Platforms) > 0 && !slices.Contains(c.Platforms, m.caller.Platform) {
			return false
		}
		if len(c.Countries) > 0 && !slices.Contains(c.Countries, m.caller.Country) {
			return false
		}
		if (c.CurrentMin != "" || c.CurrentMax != "") && m.at < 0 {
			return false
		}
		if c.CurrentMin != "" && m.at < rank(known(c.CurrentMin)) || c.CurrentMax != "" && m.at > rank(known(c.CurrentMax)) {
			return false
		}
	}
	if v.Rollout.Percent == 100_00 {
		return true
	}
	sum := sha256.Sum256([]byte(v.Rollout.Seed + ":" + m.caller.Key))
	bucket := new(big.Int).Mod(new(big.Int).SetBytes(sum[:8]), big.NewInt(10_000)).Int64()
	return m.caller.Key != "" && bucket < int64(v.Rollout.Percent)
}

func known(text string) release.Comparable {
	c, _ := release.Parse(text)
	return c
}

// offered is steps 2 and 3 of the definition.
func (m *model) offered(pool []*release.Item) []*release.Item {
	isOffered := func(v *release.Item) bool { return m.reached(v) }
	blocked := bestOf(slices.DeleteFunc(slices.Clone(pool), func(v *release.Item) bool {
		return m.at < 0 || rank(v.Comparable) <= m.at || v.Preview || !v.Milestone || v.Deprecated || isAborted(v) || isOffered(v)
	}), lowerItem)
	return slices.DeleteFunc(slices.Clone(pool), func(v *release.Item) bool {
		return !isOffered(v) || blocked != nil && rank(v.Comparable) >= rank(blocked.Comparable)
	})
}

func only(all []*release.Item, fits func(*release.Item) bool) []*release.Item {
	return slices.DeleteFunc(slices.Clone(all), func(v *release.Item) bool { return !fits(v) })
}

func preferredItem(all []*release.Item) *release.Item {
	if v := bestOf(only(all, func(v *release.Item) bool { return !v.Deprecated }), greaterItem); v != nil {
		return v
	}
	return bestOf(all, greaterItem)
}

// verdict is a decision with display texts; "" means none.
type verdict struct {
	latest, preview, target, current string
	update, required, guarded        bool
	withheld                         bool
	rollout                          string
	included                         bool
	downgrade                        string
	reasons                          string
}

// decide is steps 4 to 6 of the definition, and what the update check makes of them.
func (m *model) decide(low, high string) verdict {
	var v verdict
	pool := only(m.pool(m.caller.Channel), func(v *release.Item) bool { return rank(v.Comparable) >= 0 })
	offered := m.offered(pool)
	s := preferredItem(only(offered, func(v *release.Item) bool { return !v.Preview }))
	p := preferredItem(only(offered, func(v *release.Item) bool { return v.Preview }))
	latest := p
	if p == nil || s != nil && rank(s.Comparable) > rank(p.Comparable) {
		latest = s
	}
	var target *release.Item
	floor := m.at
	if latest != nil && rank(latest.Comparable) > m.at {
		target = latest
		if m.at >= 0 {
			guard := bestOf(only(offered, func(v *release.Item) bool {
				r := rank(v.Comparable)
				return v.Milestone && !v.Preview && !v.Deprecated && m.at < r && r <= rank(latest.Comparable)
			}), lowerItem)
			if guard != nil {
				target, v.guarded = guard, true
			}
		}
		floor = rank(target.Comparable)
	}
	v.withheld = slices.ContainsFunc(pool, func(x *release.Item) bool {
		return rank(x.Comparable) > floor && !isAborted(x) && !slices.Contains(offered, x)
	})
	if top := bestOf(pool, greaterItem); top != nil && isHeldBack(top) {
		v.rollout, v.included = top.Version, slices.Contains(offered, top)
	}
	if m.own != nil && m.own.Yank != nil && target == nil {
		v.downgrade = versionOf(m.downgrade(pool))
	}
	isNewer := target != nil
	isDeprecated := m.own != nil && m.own.Deprecated
	isInside := (low == "" || rank(known(low)) <= m.at) && (high == "" || m.at <= rank(known(high)))
	v.required = isNewer && (isDeprecated || !isInside)
	var why []string
	for _, reason := range []struct {
		applies bool
		code    string
	}{
		{isNewer, "newer_version_available"},
		{isDeprecated, "current_version_deprecated"},
		{isNewer && !isInside, "outside_optional_update_range"},
		{v.guarded, "milestone_guard"},
		{v.withheld, "rollout_not_reached"},
		{m.own != nil && m.own.Yank != nil, "current_version_yanked"},
		{v.downgrade != "", "downgrade_offered"},
	} {
		if reason.applies {
			why = append(why, reason.code)
		}
	}
	v.reasons = strings.Join(why, " ")
	v.latest, v.target, v.current, v.update = versionOf(latest), versionOf(target), versionOf(m.own), isNewer
	v.preview = versionOf(bestOf(only(m.offered(m.pool("preview")), func(v *release.Item) bool { return v.Preview }), greaterItem))
	if m.caller.AcceptDowngrade && v.downgrade != "" {
		v.target, v.update = v.downgrade, true
	}
	return v
}

func (m *model) downgrade(pool []*release.Item) *release.Item {
	if to := m.own.Yank.DowngradeTo; to != nil {
		for _, v := range m.all {
			if v.ID == *to && isComplete(v) && v.Yank == nil && (m.caller.fitting == nil || slices.Contains(m.caller.fitting, v.Version)) {
				return v
			}
		}
	}
	return bestOf(only(pool, func(v *release.Item) bool {
		return isComplete(v) && !v.Deprecated && rank(v.Comparable) < m.at
	}), greaterItem)
}

func versionOf(v *release.Item) string {
	if v == nil {
		return ""
	}
	return v.Version
}

// randomProject returns versions on all channels, with rollouts and yanks. A bland project
// has neither, and no own channels.
func randomProject(r *rand.Rand, bland bool) []*release.Item {
	var all []*release.Item
	for n := range r.IntN(9) {
		v := &release.Item{
			ID: id(n), Version: fmt.Sprintf("v%d", n), Comparable: known(pick(r, pick(r, order...)...)), PublishedAt: r.Int64N(3),
			Preview: r.IntN(3) == 0, Milestone: r.IntN(3) == 0, Deprecated: r.IntN(5) == 0,
		}
		if r.IntN(30) == 0 {
			v.Comparable = release.Comparable{}
		}
		all = append(all, v)
		if bland {
			continue
		}
		if v.Preview {
			v.Channel = pick(r, "", "preview", "beta", "nightly", "lonely")
		}
		if r.IntN(3) == 0 {
			v.Rollout = randomRollout(r)
		}
		if r.IntN(5) == 0 {
			v.Yank = &release.Yank{Reason: "broken"}
			if to := id(r.IntN(9)); r.IntN(2) == 0 {
				v.Yank.DowngradeTo = &to
			}
		}
	}
	return all
}

func randomRollout(r *rand.Rand) *rollout.Rollout {
	ro := &rollout.Rollout{
		State: pick(r, "running", "running", "running", "paused", "held", "completed", rollout.Aborted), Seed: pick(r, "a", "b"),
		Percent: pick(r, 0, 10_00, 25_00, 50_00, rollout.Whole),
	}
	if r.IntN(5) > 0 || ro.State == "completed" {
		ro.StartedAt = new(int64)
	}
	if r.IntN(3) == 0 && ro.State != "completed" {
		ro.Cohort = &rollout.Cohort{
			Platforms: pick(r, nil, nil, []platform.Platform{"linux"}), Countries: pick(r, nil, nil, []string{"DE", "FR"}),
			CurrentMin: pick(r, "", "", "2"), CurrentMax: pick(r, "", "", "2.0.0", "3"),
		}
	}
	return ro
}

func randomCaller(r *rand.Rand, all []*release.Item) caller {
	c := caller{Query: release.Query{
		Channel: pick(r, "stable", "stable", "preview", "beta", "nightly", "lonely"), Key: pick(r, "", "0", "4711", "7", "99"),
		Platform: pick(r, "", "linux", platform.Platform("windows")), Country: pick(r, "", "DE", "US"), AcceptDowngrade: r.IntN(3) == 0,
	}}
	if r.IntN(3) > 0 {
		c.Version = fmt.Sprintf("v%d", r.IntN(len(all)+2))
	}
	if r.IntN(2) == 0 {
		c.Comparable = known(pick(r, pick(r, order...)...))
	}
	return c
}

// newCatalog returns a catalog of copies of the versions, in random order.
func newCatalog(r *rand.Rand, all []*release.Item, own release.Channels) *release.Catalog {
	var items []release.Item
	for _, v := range all {
		items = append(items, *v)
	}
	r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	return release.NewCatalog(items, own)
}

func verdictOf(c *release.Catalog, d release.Decision) verdict {
	return verdict{
		latest: name(c, d.Latest), preview: name(c, d.Preview), target: name(c, d.Target), current: name(c, d.Current),
		update: d.ShouldUpdate, required: d.Required, guarded: d.Guarded, withheld: d.Withheld >= 0,
		rollout: name(c, d.Rollout), included: d.Included, downgrade: name(c, d.Downgrade), reasons: strings.Join(d.Reasons, " "),
	}
}

// TestOfferByDefinition compares update checks and offers with the model, for random projects
// and callers. Some projects use neither rollouts nor yanks nor own channels.
func TestOfferByDefinition(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	seen := map[string]int{}
	for n := range 100_000 {
		bland := n%4 == 0
		all := randomProject(r, bland)
		c := newCatalog(r, all, ownChannels())
		asking := randomCaller(r, all)
		low, high := pick(r, "", "", "2", "2.5"), pick(r, "", "", "2.5", "3")
		m := newModel(all, asking)
		want := m.decide(low, high)
		d, err := c.Check(asking.Query, span(t, low, high))
		switch {
		case want.latest == "" && fault.Is(err, fault.NotFound):
		case want.latest != "" && m.at < 0 && fault.Is(err, fault.Invalid):
		case want.latest == "" || m.at < 0 || err != nil || want != verdictOf(c, d):
			t.Fatalf("seed %d, %+v within %q to %q of:\n%s got  %+v, %v\nwant %+v", seed, asking, low, high, itemsListed(all), verdictOf(c, d), err, want)
		default:
			seen[want.reasons]++
		}
		checkOffer(t, r, c, all, asking)
	}
	if len(seen) != 44 { // 32 with an update, and 12 without
		t.Errorf("seed %d: got %d lists of reasons, want all 44 that can be", seed, len(seen))
	}
}

// checkOffer compares the offer to a caller that can use only some of the versions with the
// model.
func checkOffer(t *testing.T, r *rand.Rand, c *release.Catalog, all []*release.Item, asking caller) {
	t.Helper()
	asking.fitting = []string{}
	for _, v := range all {
		if r.IntN(3) > 0 {
			asking.fitting = append(asking.fitting, v.Version)
		}
	}
	asking.Fits = func(at int) bool { return slices.Contains(asking.fitting, c.Item(at).Version) }
	if r.IntN(3) == 0 {
		asking.Version, asking.Comparable = "", release.Comparable{}
	}
	asking.AcceptDowngrade = false
	want, got := newModel(all, asking).decide("", ""), verdictOf(c, c.Offer(asking.Query))
	got.required, got.reasons, got.preview = want.required, want.reasons, want.preview // only for update checks
	if got != want {
		t.Fatalf("%+v of:\n%s got  %+v\nwant %+v", asking, itemsListed(all), got, want)
	}
}

func itemsListed(all []*release.Item) (text string) {
	for _, v := range all {
		text += fmt.Sprintf("\t%s=%s %+v", v.Version, v.Comparable, *v)
		if v.Rollout != nil {
			text += fmt.Sprintf(" rollout %+v cohort %+v", *v.Rollout, v.Rollout.Cohort)
		}
		text += "\n"
	}
	return text
}
