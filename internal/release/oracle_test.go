package release_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"svc/internal/fault"
	"svc/internal/release"
)

// A second implementation of the rules, against which the package is tested. It follows
// their definition: linear scans over unordered versions, which it compares with
// definedOrder. It does not call the package.

// published is a version. Versions are created in the order of seq.
type published struct {
	seq                                    int
	name, comparable                       string
	at                                     int64
	latest, preview, milestone, deprecated bool
}

func (v *published) official() bool { return !v.preview }

// item returns the version as an Item.
func (v *published) item(t testing.TB) release.Item {
	t.Helper()
	return release.Item{
		ID: id(v.seq), Version: v.name, Comparable: parse(t, v.comparable), PublishedAt: v.at,
		Latest: v.latest, Preview: v.preview, Milestone: v.milestone, Deprecated: v.deprecated,
	}
}

// catalogOf returns a catalog of copies of the versions.
func catalogOf(t testing.TB, all []*published) *release.Catalog {
	t.Helper()
	var items []release.Item
	for _, v := range all {
		items = append(items, v.item(t))
	}
	return release.NewCatalog(items, nil)
}

func where(all []*published, fits func(*published) bool) (found []*published) {
	for _, v := range all {
		if fits(v) {
			found = append(found, v)
		}
	}
	return found
}

// top returns the version that no other version in the list beats, or nil if the list is
// empty.
func top(all []*published, beats func(a, b *published) bool) *published {
	for _, v := range all {
		if !slices.ContainsFunc(all, func(other *published) bool { return other != v && beats(other, v) }) {
			return v
		}
	}
	return nil
}

func newestBeats(a, b *published) bool {
	if a.at != b.at {
		return a.at > b.at
	}
	return a.seq > b.seq
}

func greatestBeats(a, b *published) bool {
	if n := definedOrder(a.comparable, b.comparable); n != 0 {
		return n > 0
	}
	return newestBeats(a, b)
}

func lowestBeats(a, b *published) bool {
	if n := definedOrder(a.comparable, b.comparable); n != 0 {
		return n < 0
	}
	return newestBeats(a, b)
}

// preferred returns the greatest version, preferring those that are not deprecated.
func preferred(all []*published) *published {
	if v := top(where(all, func(v *published) bool { return !v.deprecated }), greatestBeats); v != nil {
		return v
	}
	return top(all, greatestBeats)
}

func definedCandidate(all []*published, preview bool) *published {
	s := preferred(where(all, (*published).official))
	if !preview {
		return s
	}
	p := preferred(where(all, func(v *published) bool { return v.preview }))
	if s == nil || p == nil {
		if s == nil {
			return p
		}
		return s
	}
	if definedOrder(s.comparable, p.comparable) > 0 {
		return s
	}
	return p
}

func definedCurrent(all []*published, a ask) *published {
	if a.comparable == "" {
		return top(where(all, func(v *published) bool { return v.name == a.version }), newestBeats)
	}
	same := where(all, func(v *published) bool { return definedOrder(v.comparable, a.comparable) == 0 })
	return top(same, func(a1, b1 *published) bool {
		if x, y := a1.name == a.version, b1.name == a.version; x != y {
			return x
		}
		if a1.preview != b1.preview {
			return b1.preview
		}
		return newestBeats(a1, b1)
	})
}

// definedAnswer returns the decision according to the definition, as a text that can be
// compared with another. low and high are the ends of the optional range; "" means no
// bound.
func definedAnswer(all []*published, a ask, low, high string) string {
	latest := definedCandidate(all, a.preview)
	if latest == nil {
		return "404"
	}
	current := definedCurrent(all, a)
	by := a.comparable
	if by == "" && current != nil {
		by = current.comparable
	}
	if by == "" {
		return "400"
	}
	isNewer := definedOrder(latest.comparable, by) > 0
	isDeprecated := current != nil && current.deprecated
	isInside := (low == "" || definedOrder(low, by) <= 0) && (high == "" || definedOrder(by, high) <= 0)
	var stop, target *published
	if isNewer {
		stop = top(where(all, func(v *published) bool {
			return v.milestone && v.official() && !v.deprecated &&
				definedOrder(by, v.comparable) < 0 && definedOrder(v.comparable, latest.comparable) <= 0
		}), lowestBeats)
		if target = stop; target == nil {
			target = latest
		}
	}
	why := []string{}
	if isNewer {
		why = append(why, "newer_version_available")
	}
	if isDeprecated {
		why = append(why, "current_version_deprecated")
	}
	if isNewer && !isInside {
		why = append(why, "outside_optional_update_range")
	}
	if stop != nil {
		why = append(why, "milestone_guard")
	}
	greatest := top(where(all, func(v *published) bool { return v.preview }), greatestBeats)
	return spoken(nameOf(latest), nameOf(greatest), nameOf(target), nameOf(current), by,
		isNewer, isNewer && (isDeprecated || !isInside), stop != nil, why)
}

func nameOf(v *published) string {
	if v == nil {
		return ""
	}
	return v.name
}

func spoken(latest, preview, target, current, by string, update, required, guarded bool, why []string) string {
	return fmt.Sprintf("latest %q preview %q target %q current %q by %q update %v required %v guarded %v %q",
		latest, preview, target, current, by, update, required, guarded, why)
}

// texts lists comparable versions, many of which have equal values.
var texts = []string{
	"1", "1.0", "01.0.0", "1-rc", "1.0-rc.0", "1-beta.2", "1.1", "1.01", "2-alpha", "2", "2.0", "2.0.0.0", "2.0.1", "3-rc.1", "3",
	"9007199254740992", "9007199254740993", "18446744073709551616", "18446744073709551616.0",
}

// randomVersions returns the versions of a small project, many of which are equal in some
// respect.
func randomVersions(r *rand.Rand) []*published {
	var all []*published
	pool := texts[r.IntN(len(texts)-3):]
	pool = pool[:3+r.IntN(len(pool)-2)]
	for seq := range r.IntN(9) {
		all = append(all, randomPublished(r, seq, pool))
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func randomPublished(r *rand.Rand, seq int, pool []string) *published {
	return &published{
		seq: seq, name: fmt.Sprintf("v%d", seq), comparable: pick(r, pool...), at: r.Int64N(3),
		latest: r.IntN(4) == 0, preview: r.IntN(3) == 0, milestone: r.IntN(3) == 0, deprecated: r.IntN(3) == 0,
	}
}

func randomAsk(r *rand.Rand, all []*published) ask {
	a := ask{preview: r.IntN(2) == 0}
	if r.IntN(3) > 0 {
		a.version = fmt.Sprintf("v%d", r.IntN(len(all)+2))
	}
	if a.version == "" || r.IntN(2) == 0 {
		a.comparable = pick(r, texts...)
	}
	return a
}

func TestCheckByDefinition(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	seen := map[string]int{} // number of decisions of each interesting kind
	for range 8_000 {
		all := randomVersions(r)
		c := catalogOf(t, all)
		checkReads(t, c, all)
		for range 6 {
			a := randomAsk(r, all)
			low, high := pick(r, append(texts, "", "", "")...), pick(r, append(texts, "", "", "")...)
			want := definedAnswer(all, a, low, high)
			got := "400"
			d, err := c.Check(a.query(t), span(t, low, high))
			switch {
			case err == nil:
				got = spoken(name(c, d.Latest), name(c, d.Preview), name(c, d.Target), name(c, d.Current), d.Comparable.String(),
					d.ShouldUpdate, d.Required, d.Guarded, d.Reasons)
				seen[fmt.Sprint(d.Reasons)]++
			case fault.Is(err, fault.NotFound):
				got = "404"
			case !fault.Is(err, fault.Invalid):
				got = err.Error()
			}
			if got != want {
				t.Fatalf("seed %d, %+v within %q to %q of:\n%s got %s\nwant %s", seed, a, low, high, listed(all), got, want)
			}
		}
	}
	if len(seen) != 10 { // eight lists of reasons with an update, the empty list, and deprecation alone
		t.Errorf("seed %d: got the lists of reasons %v, want all 10 that can be", seed, seen)
	}
}

// checkReads compares the list order and the results of the lookups with their
// definitions.
func checkReads(t *testing.T, c *release.Catalog, all []*published) {
	t.Helper()
	flagged := where(all, func(v *published) bool { return v.latest })
	latest := top(flagged, newestBeats)
	if latest == nil {
		latest = top(where(all, (*published).official), newestBeats)
	}
	if latest == nil {
		latest = top(all, newestBeats)
	}
	if got := name(c, c.Latest()); got != nameOf(latest) {
		t.Fatalf("latest of:\n%s got %q, want %q", listed(all), got, nameOf(latest))
	}
	rest := slices.Clone(all)
	for at := range c.Len() {
		want := top(rest, greatestBeats)
		if got := name(c, at); got != want.name {
			t.Fatalf("list position %d of:\n%s got %q, want %q", at, listed(all), got, want.name)
		}
		rest = slices.DeleteFunc(rest, func(v *published) bool { return v == want })
	}
	for _, text := range texts {
		same := where(all, func(v *published) bool { return definedOrder(v.comparable, text) == 0 })
		if got, want := name(c, c.ByVersion(text)), nameOf(top(same, newestBeats)); got != want {
			t.Fatalf("by version %q of:\n%s got %q, want %q", text, listed(all), got, want)
		}
	}
}

func listed(all []*published) (text string) {
	for _, v := range all {
		text += fmt.Sprintf("\t%+v\n", *v)
	}
	return text
}
