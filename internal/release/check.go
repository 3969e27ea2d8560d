package release

import (
	"slices"
	"sort"

	"svc/internal/fault"
)

// The reasons that a decision can have, in the order in which they are listed.
const (
	NewerVersionAvailable      = "newer_version_available"
	CurrentVersionDeprecated   = "current_version_deprecated"
	OutsideOptionalUpdateRange = "outside_optional_update_range"
	MilestoneGuard             = "milestone_guard"
)

// Query contains the information that a client sends with an update check.
type Query struct {
	Version    string     // display text without surrounding blanks; "" = not sent
	Comparable Comparable // zero = not sent
	Preview    bool       // include previews
}

// Decision is the result of an update check. Versions are positions in the catalog; -1
// means none.
type Decision struct {
	Latest  int // the greatest version offered to this client, which may be less than its own; never -1
	Preview int // the greatest preview, even if previews are not included; see Catalog.LatestPreview
	Target  int // the version to install now; -1 if and only if there is nothing newer
	Current int // the client's version, if the catalog contains it

	Comparable   Comparable // the version with which the client was compared; never zero
	ShouldUpdate bool       // whether there is a newer version
	Required     bool       // whether the client must update
	Guarded      bool       // whether Target is a milestone that must not be skipped
	Reasons      []string   // never nil; shared, so it must not be changed
}

// Check decides whether a client must update, should update, or is up to date. A client
// with a version in the optional range does not have to update, unless its version is
// deprecated. The latest flag has no influence.
//
// The error is NotFound if there is no version to offer, and Invalid if the client's
// version is neither in the catalog nor comparable. Check takes logarithmic time, and
// allocates memory only for errors.
func (c *Catalog) Check(q Query, optional Range) (Decision, error) {
	latest := c.candidate(q.Preview)
	if latest < 0 {
		return Decision{}, errNoCandidate(q)
	}
	d := Decision{Latest: latest, Preview: c.latestPreview, Target: -1, Current: c.registered(q), Comparable: q.Comparable}
	if d.Comparable.IsZero() && d.Current >= 0 {
		d.Comparable = c.items[d.Current].Comparable
	}
	if d.Comparable.IsZero() {
		return Decision{}, errNotComparable(q)
	}
	d.ShouldUpdate = c.items[latest].Comparable.Compare(d.Comparable) > 0
	deprecated := d.Current >= 0 && c.items[d.Current].Deprecated
	outside := d.ShouldUpdate && !optional.Contains(d.Comparable)
	if d.ShouldUpdate {
		d.Target = latest
		if guard := c.guard(d.Comparable); guard >= 0 {
			d.Target, d.Guarded = guard, true
		}
	}
	d.Required = d.ShouldUpdate && (deprecated || outside)
	d.Reasons = reasons[bit(d.ShouldUpdate)|bit(deprecated)<<1|bit(outside)<<2|bit(d.Guarded)<<3]
	return d, nil
}

func errNoCandidate(q Query) error {
	if q.Preview {
		return fault.New(fault.NotFound, "no version has been published yet")
	}
	return fault.New(fault.NotFound, "no official version has been published yet")
}

func errNotComparable(q Query) error {
	return fault.New(fault.Invalid, "no comparable version is known for current_version %q; send current_comparable_version", q.Version)
}

// findCandidate returns the greatest official version or, if preview is true, the
// greatest preview. It returns a deprecated version only if there is no other, so that a
// client is never offered a withdrawn version while an older one is not deprecated.
func (c *Catalog) findCandidate(preview bool) int {
	fits := func(v *Item) bool { return v.Preview == preview && !v.Comparable.IsZero() }
	if at := c.first(func(v *Item) bool { return fits(v) && !v.Deprecated }); at >= 0 {
		return at
	}
	return c.first(fits)
}

// candidate returns the greatest version that a client may be offered, or -1. If preview
// is true, it includes previews, and prefers a preview to an official version of the same
// value.
func (c *Catalog) candidate(preview bool) int {
	switch {
	case !preview || c.preview < 0:
		return c.official
	case c.official < 0:
		return c.preview
	case c.items[c.official].Comparable.Compare(c.items[c.preview].Comparable) > 0:
		return c.official
	}
	return c.preview
}

// registered returns the version in the catalog that the client runs, or -1. If the
// client has sent a comparable version, registered looks for versions of that value, and
// uses the display text only to choose one of them.
func (c *Catalog) registered(q Query) int {
	named := c.Named(q.Version)
	if q.Comparable.IsZero() {
		return named
	}
	if named >= 0 && c.items[named].Comparable.Compare(q.Comparable) == 0 {
		return named
	}
	if same := c.value(q.Comparable); same != nil {
		return same.current
	}
	return -1
}

// findGuards returns the milestones that no update may skip, the greatest first. They are
// official and not deprecated. Of several with the same value, it returns only the first
// one in list order.
func (c *Catalog) findGuards() []int {
	var all []int
	for at := range c.items {
		v := &c.items[at]
		if !v.Milestone || v.Preview || v.Deprecated {
			continue
		}
		if n := len(all); n > 0 && c.items[all[n-1]].Comparable.Compare(v.Comparable) == 0 {
			continue
		}
		all = append(all, at)
	}
	return all
}

// guard returns the lowest milestone that is greater than current, or -1. It is never
// greater than the candidate, because the candidate is at least the greatest official
// version that is not deprecated.
func (c *Catalog) guard(current Comparable) int {
	above := sort.Search(len(c.guards), func(i int) bool {
		return c.items[c.guards[i]].Comparable.Compare(current) <= 0
	})
	if above == 0 {
		return -1
	}
	return c.guards[above-1]
}

// reasons contains the list of reasons for each combination of reasons, so that a check
// allocates no memory. Bit i of the index means that the i-th reason applies.
var reasons = func() (lists [1 << 4][]string) {
	all := []string{NewerVersionAvailable, CurrentVersionDeprecated, OutsideOptionalUpdateRange, MilestoneGuard}
	for set := range lists {
		list := []string{}
		for i, reason := range all {
			if set>>i&1 == 1 {
				list = append(list, reason)
			}
		}
		lists[set] = slices.Clip(list)
	}
	return lists
}()

func bit(set bool) int {
	if set {
		return 1
	}
	return 0
}
