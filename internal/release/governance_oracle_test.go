package release_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"svc/internal/fault"
	"svc/internal/release"
)

// write is a write to a project. before is the version before the write; it is nil if the
// write creates one. next is the version after the write; it is nil if the write removes
// one.
type write struct {
	before, next *published
	latest       *bool // the value of is_latest that the client has sent; nil = none
	previewSent  bool
}

func (w write) String() string {
	say := func(v *published) string {
		if v == nil {
			return "nothing"
		}
		return fmt.Sprintf("%+v", *v)
	}
	explicit := "not sent"
	if w.latest != nil {
		explicit = fmt.Sprint(*w.latest)
	}
	return fmt.Sprintf("write %s\n  to %s\n  is_latest %s, is_preview sent %v", say(w.before), say(w.next), explicit, w.previewSent)
}

// randomWrite returns a write that creates, edits or removes a version. Edits make few
// changes, as clients do.
func randomWrite(r *rand.Rand, all []*published, seq int) write {
	w := write{latest: pick(r, nil, nil, yes, no)}
	if len(all) == 0 || r.IntN(3) == 0 {
		w.next = randomPublished(r, seq, texts)
		return w
	}
	w.before = pick(r, all...)
	if r.IntN(5) == 0 {
		return w
	}
	next := *w.before
	w.next = &next
	if r.IntN(3) == 0 {
		next.deprecated = !next.deprecated
	}
	if r.IntN(3) == 0 {
		next.comparable = pick(r, texts...)
	}
	if r.IntN(3) == 0 {
		next.preview, w.previewSent = r.IntN(2) == 0, true
	}
	return w
}

// definedFlag reports whether, by definition, the written version has the flag after a
// write.
func definedFlag(all []*published, w write) bool {
	switch {
	case w.next == nil:
		return false
	case w.latest != nil:
		return *w.latest
	case w.before == nil:
		holder := top(where(all, func(v *published) bool { return v.latest }), newestBeats)
		return !w.next.preview && !w.next.deprecated && (holder == nil || definedOrder(holder.comparable, w.next.comparable) <= 0)
	case w.previewSent && w.next.preview:
		return false
	}
	return w.before.latest
}

// definedRefusal reports whether, by definition, a write must be refused.
func definedRefusal(others []*published, w write, flag bool) bool {
	if w.next == nil || !w.next.deprecated {
		return false
	}
	if flag {
		return true
	}
	settled := w.before != nil && w.before.deprecated && definedOrder(w.before.comparable, w.next.comparable) == 0
	return !settled && !slices.ContainsFunc(others, func(v *published) bool {
		return v.official() && !v.deprecated && definedOrder(v.comparable, w.next.comparable) > 0
	})
}

// definedHolder returns the name of the version that, by definition, is the latest after
// a write.
func definedHolder(others []*published, w write, flag bool) string {
	if flag {
		return w.next.name
	}
	if w.before == nil || !w.before.latest {
		return nameOf(top(where(others, func(v *published) bool { return v.latest }), newestBeats))
	}
	return nameOf(top(where(others, func(v *published) bool { return v.official() && !v.deprecated }), greatestBeats))
}

func plan(t *testing.T, c *release.Catalog, w write) (release.Plan, error) {
	t.Helper()
	switch {
	case w.before == nil:
		return c.PlanCreate(w.next.item(t), w.latest)
	case w.next == nil:
		return c.PlanDelete(c.Named(w.before.name)), nil
	}
	return c.PlanUpdate(c.Named(w.before.name), w.next.item(t), w.latest, w.previewSent)
}

// carryOut applies a plan to a list of versions, as the store applies it to its records.
func carryOut(c *release.Catalog, all []*published, w write, p release.Plan) []*published {
	flags := map[string]bool{}
	for _, at := range p.Clear {
		flags[name(c, at)] = false
	}
	if p.Elect >= 0 {
		flags[name(c, p.Elect)] = true
	}
	var result []*published
	for _, v := range all {
		if v == w.before {
			continue
		}
		next := *v
		if flag, ok := flags[v.name]; ok {
			next.latest = flag
		}
		result = append(result, &next)
	}
	if w.next != nil {
		next := *w.next
		next.latest = p.Latest
		result = append(result, &next)
	}
	return result
}

// TestGovernanceByDefinition checks the flags after each of many writes to projects: at
// most one version is the latest, no version is both latest and deprecated, and the
// holder of the flag agrees with the definition.
func TestGovernanceByDefinition(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	refused, elected := 0, 0
	for range 1_000 {
		var all []*published
		for seq := range 40 {
			w := randomWrite(r, all, seq)
			c := catalogOf(t, all)
			others := where(all, func(v *published) bool { return v != w.before })
			flag := definedFlag(all, w)
			p, err := plan(t, c, w)
			if want := definedRefusal(others, w, flag); (err != nil) != want || want && !fault.Is(err, fault.Invalid) {
				t.Fatalf("seed %d, %v, among:\n%s got %v, want a refusal: %v", seed, w, listed(all), err, want)
			}
			if err != nil {
				refused++
				continue
			}
			if p.Elect >= 0 {
				elected++
			}
			want := definedHolder(others, w, flag)
			before := listed(all)
			all = carryOut(c, all, w, p)
			holders := where(all, func(v *published) bool { return v.latest })
			if len(holders) > 1 || nameOf(top(holders, newestBeats)) != want {
				t.Fatalf("seed %d, %v, among:\n%s got the latest versions:\n%s want %q", seed, w, before, listed(holders), want)
			}
			if len(holders) == 1 && holders[0].deprecated {
				t.Fatalf("seed %d, %v, among:\n%s got a latest version that is deprecated", seed, w, before)
			}
		}
	}
	if refused < 1_000 || elected < 1_000 {
		t.Errorf("seed %d: got %d refusals and %d successions, want thousands of both", seed, refused, elected)
	}
}
