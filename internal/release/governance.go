package release

import (
	"slices"

	"svc/internal/fault"
)

// Plan describes how a write changes the latest flags of versions. After all of these
// changes, at most one version has the flag.
type Plan struct {
	Latest bool  // whether the version that is written gets the flag
	Clear  []int // positions of other versions that lose the flag
	Elect  int   // position of the other version that gets the flag, or already has it; -1 = none
}

// PlanCreate plans the flags for the creation of a version. The parameter next is this version,
// which must not be in the catalog yet. PlanCreate ignores next.Latest; latest is the flag that the
// client has sent, or nil. If latest is nil, next gets the flag if it is official and not
// deprecated, unless the version with the flag is greater. A patch of an older line therefore does
// not get the flag. Neither does a version that is yanked or has a rollout that is not completed.
//
// If the error is not nil, it is of kind Invalid, and the write must be refused.
func (c *Catalog) PlanCreate(next Item, latest *bool) (Plan, error) {
	flag := c.flagByDefault(next)
	if latest != nil {
		flag = *latest
	}
	if err := checkFlag(next, flag); err != nil {
		return Plan{}, err
	}
	if next.Deprecated && !c.replaceable(-1, next.Comparable) {
		return Plan{}, errNoReplacement("is_deprecated", next)
	}
	plan := Plan{Latest: flag, Elect: -1}
	if flag {
		plan.Clear = c.holders(-1)
	}
	return plan, nil
}

// flagByDefault reports whether a version that becomes complete gets the flag if the client has
// not sent it.
func (c *Catalog) flagByDefault(next Item) bool {
	return !next.Preview && !next.Deprecated && next.Eligible() &&
		(c.flagged < 0 || c.items[c.flagged].Comparable.Compare(next.Comparable) <= 0)
}

// checkFlag returns an error if a version must not have the flag that a write gives it.
func checkFlag(next Item, flag bool) error {
	switch {
	case !flag:
		return nil
	case next.Deprecated:
		return errLatestDeprecated()
	case next.Yank != nil:
		return fault.New(fault.Invalid, "is_latest: a yanked version cannot be the latest")
	case !next.Rollout.Complete():
		return fault.New(fault.Invalid, "is_latest: the version cannot be the latest before its rollout is completed")
	}
	return nil
}

// PlanUpdate plans the flags for replacing the version at a position with next. It ignores
// next.Latest; latest is the flag that the client has sent, or nil. previewSent reports whether the
// client has sent is_preview. A version that becomes a preview loses the flag, unless latest is
// set. So does a version that is yanked or gets a rollout that is not completed. If a rollout has
// just been completed, its version gets the flag as in PlanCreate.
//
// If the error is not nil, it is of kind Invalid, and the write must be refused.
func (c *Catalog) PlanUpdate(at int, next Item, latest *bool, previewSent bool) (Plan, error) {
	before := &c.items[at]
	flag := before.Latest && next.Eligible() && (!previewSent || !next.Preview)
	if !before.Rollout.Complete() && next.Rollout.Complete() {
		flag = c.flagByDefault(next)
	}
	if latest != nil {
		flag = *latest
	}
	if err := checkFlag(next, flag); err != nil {
		return Plan{}, err
	}
	if err := c.checkDeprecation(at, next); err != nil {
		return Plan{}, err
	}
	switch {
	case flag:
		return Plan{Latest: true, Clear: c.holders(at), Elect: -1}, nil
	case before.Latest:
		return c.succession(at), nil
	}
	return Plan{Elect: -1}, nil
}

// PlanDelete plans the flags for the removal of the version at a position.
func (c *Catalog) PlanDelete(at int) Plan {
	if c.items[at].Latest {
		return c.succession(at)
	}
	return Plan{Elect: -1}
}

// checkDeprecation checks an edit that deprecates a version or changes the comparable
// version of a deprecated one: there must be a greater version to replace it. Other edits
// of a deprecated version are allowed even if the replacement no longer exists.
func (c *Catalog) checkDeprecation(at int, next Item) error {
	before := &c.items[at]
	if !next.Deprecated {
		return nil
	}
	if !before.Deprecated && !c.replaceable(at, next.Comparable) {
		return errNoReplacement("is_deprecated", next)
	}
	if next.Comparable.Compare(before.Comparable) != 0 && !c.replaceable(at, next.Comparable) {
		return errNoReplacement("comparable_version", next)
	}
	return nil
}

// TakesLatest reports whether next, a version that was released at the code host, becomes the
// latest version. It never does if it is a preview, deprecated or yanked, or if its rollout is not
// completed. If another version has the flag, next becomes the latest only if both can be compared
// and next is not less than the other. The parameter at is the position of the version that next
// overwrites, or -1 if next is a new version.
func (c *Catalog) TakesLatest(at int, next Item) bool {
	switch {
	case next.Preview || next.Deprecated || !next.Eligible():
		return false
	case c.flagged < 0 || c.flagged == at:
		return true
	}
	holder := c.items[c.flagged].Comparable
	return !holder.IsZero() && next.Comparable.Compare(holder) >= 0
}

// succession plans that the version at a position passes the flag to its successor. It
// also removes surplus flags.
func (c *Catalog) succession(from int) Plan {
	plan := Plan{Elect: c.successor(from)}
	for _, at := range c.holders(from) {
		if at != plan.Elect {
			plan.Clear = append(plan.Clear, at)
		}
	}
	return plan
}

// successor returns the greatest official version that is not deprecated, can be the latest, and is
// not at the position in the parameter except. It returns -1 if there is none.
func (c *Catalog) successor(except int) int {
	return c.first(func(at int, v *Item) bool { return at != except && !v.Preview && !v.Deprecated && v.Eligible() })
}

// replaceable reports whether there is an official version that is not deprecated and is greater
// than the parameter from. It ignores the version at the position in the parameter except.
func (c *Catalog) replaceable(except int, from Comparable) bool {
	at := c.first(func(at int, v *Item) bool { return at != except && !v.Preview && !v.Deprecated })
	return at >= 0 && c.items[at].Comparable.Compare(from) > 0
}

// holders returns the versions with the flag. It ignores the version at the position in the
// parameter except.
func (c *Catalog) holders(except int) []int {
	var all []int
	for at := range c.items {
		if at != except && c.items[at].Latest {
			all = append(all, at)
		}
	}
	return all
}

func errLatestDeprecated() error {
	return fault.New(fault.Invalid, "is_latest and is_deprecated exclude each other; send is_latest false to deprecate the latest version")
}

func errNoReplacement(field string, next Item) error {
	return fault.New(fault.Invalid, "%s: a version may be deprecated only while another one is official, not deprecated and greater than %s",
		field, next.Comparable)
}

// Deprecate returns a copy of the catalog in which the version at a position is deprecated. If
// the version must not be deprecated, Deprecate returns the error of PlanUpdate.
func (c *Catalog) Deprecate(at int) (*Catalog, error) {
	items := slices.Clone(c.items)
	items[at].Deprecated = true
	plan, err := c.PlanUpdate(at, items[at], nil, false)
	if err != nil {
		return nil, err
	}
	items[at].Latest = plan.Latest
	for _, other := range plan.Clear {
		items[other].Latest = false
	}
	if plan.Elect >= 0 {
		items[plan.Elect].Latest = true
	}
	return NewCatalog(items, c.channels), nil
}
