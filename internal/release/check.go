package release

import (
	"slices"

	"svc/internal/fault"
)

// The reasons that a decision can have, in the order in which they are listed.
const (
	NewerVersionAvailable      = "newer_version_available"
	CurrentVersionDeprecated   = "current_version_deprecated"
	OutsideOptionalUpdateRange = "outside_optional_update_range"
	MilestoneGuard             = "milestone_guard"
	RolloutNotReached          = "rollout_not_reached"
	CurrentVersionYanked       = "current_version_yanked"
	DowngradeOffered           = "downgrade_offered"
)

// Check decides whether a client must update, should update, or is up to date. A client
// with a version in the optional range does not have to update, unless its version is
// deprecated. The latest flag has no influence.
//
// The error is of kind NotFound if there is no version to offer, and Invalid if the project has no
// such channel, or if the client's version is neither in the catalog nor comparable. Check takes
// as long as Offer, and allocates memory only for errors.
func (c *Catalog) Check(q Query, optional Range) (Decision, error) {
	if c.pool(q.Channel) == nil {
		return Decision{}, errNoChannel(q)
	}
	d := c.Offer(q)
	switch {
	case d.Latest < 0:
		return Decision{}, c.errNoCandidate(q, d)
	case d.Comparable.IsZero():
		return Decision{}, errNotComparable(q)
	}
	if p := c.pool(Preview); p.settled {
		d.Preview = p.greatest
	} else {
		o := c.offers(p, q, d.Comparable)
		d.Preview = o.greatestPreview()
	}
	deprecated := d.Current >= 0 && c.items[d.Current].Deprecated
	outside := d.ShouldUpdate && !optional.Contains(d.Comparable)
	yanked := d.Current >= 0 && c.items[d.Current].Yank != nil
	d.Required = d.ShouldUpdate && (deprecated || outside)
	d.Reasons = reasons[bit(d.ShouldUpdate)|bit(deprecated)<<1|bit(outside)<<2|bit(d.Guarded)<<3|
		bit(d.Withheld >= 0)<<4|bit(yanked)<<5|bit(d.Downgrade >= 0)<<6]
	if q.AcceptDowngrade && d.Downgrade >= 0 {
		d.ShouldUpdate, d.Target = true, d.Downgrade
	}
	return d, nil
}

func errNoChannel(q Query) error {
	return fault.New(fault.Invalid, "channel: the project has no channel %q", q.Channel)
}

func (c *Catalog) errNoCandidate(q Query, d Decision) error {
	switch {
	case d.Withheld >= 0:
		return fault.New(fault.NotFound, "no version is offered to this client yet")
	case c.pool(q.Channel).previews:
		return fault.New(fault.NotFound, "no version has been published yet")
	}
	return fault.New(fault.NotFound, "no official version has been published yet")
}

func errNotComparable(q Query) error {
	return fault.New(fault.Invalid, "no comparable version is known for current_version %q; send current_comparable_version", q.Version)
}

// registered returns the index in the catalog of the version that the client runs, or -1 if the
// catalog does not contain it. If the client has sent a comparable version, registered looks for
// versions whose comparable version is equal to it, and uses the display text only to choose one of
// them.
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

// reasons contains the list of reasons for each combination of reasons, so that a check
// allocates no memory. Bit i of the index means that the i-th reason applies.
var reasons = func() (lists [1 << 7][]string) {
	all := []string{
		NewerVersionAvailable, CurrentVersionDeprecated, OutsideOptionalUpdateRange, MilestoneGuard,
		RolloutNotReached, CurrentVersionYanked, DowngradeOffered,
	}
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
