package release

import "svc/internal/fault"

// Plan says where the latest flag is after a write. Carried out as a whole, at
// most one version has it.
type Plan struct {
	Latest bool  // of the version that is written
	Clear  []int // other versions that lose it
	Elect  int   // the other version that gets it, which may have it already; -1 = none
}

// PlanCreate plans the creation of next in a catalog that does not have it
// yet; next.Latest is ignored. latest is what the client asked for, nil when
// it did not say: then an official version that is not deprecated becomes the
// latest, unless the holder of the flag is greater, so that a patch of an older
// line does not take it away.
//
// An error is of kind Invalid; nothing may be written then.
func (c *Catalog) PlanCreate(next Item, latest *bool) (Plan, error) {
	flag := !next.Preview && !next.Deprecated &&
		(c.flagged < 0 || c.items[c.flagged].Comparable.Compare(next.Comparable) <= 0)
	if latest != nil {
		flag = *latest
	}
	if flag && next.Deprecated {
		return Plan{}, errLatestDeprecated()
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

// PlanUpdate plans the change of the version at a position to next; next.Latest
// is ignored. latest is what the client asked for, nil when it did not say;
// previewSent says that it sent is_preview: turning a version into a preview
// takes the flag from it unless latest says otherwise.
//
// An error is of kind Invalid; nothing may be written then.
func (c *Catalog) PlanUpdate(at int, next Item, latest *bool, previewSent bool) (Plan, error) {
	before := &c.items[at]
	flag := before.Latest && (!previewSent || !next.Preview)
	if latest != nil {
		flag = *latest
	}
	if flag && next.Deprecated {
		return Plan{}, errLatestDeprecated()
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

// PlanDelete plans the removal of the version at a position.
func (c *Catalog) PlanDelete(at int) Plan {
	if c.items[at].Latest {
		return c.succession(at)
	}
	return Plan{Elect: -1}
}

// checkDeprecation looks at an edit that deprecates a version, or moves one
// that is deprecated already. Other edits of a deprecated version pass, also
// when what it was deprecated for has gone since.
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

// TakesLatest reports whether next, which a release of the code host describes, becomes
// the latest: unless it is a preview or deprecated, or less than the holder of the flag.
// at is the position of the version that it overwrites, -1 for a new one.
func (c *Catalog) TakesLatest(at int, next Item) bool {
	switch {
	case next.Preview || next.Deprecated:
		return false
	case c.flagged < 0 || c.flagged == at:
		return true
	}
	holder := c.items[c.flagged].Comparable
	return !holder.IsZero() && next.Comparable.Compare(holder) >= 0
}

// succession passes the flag from the version at a position on to the best of
// the others. Should more than one have had it, that ends here too.
func (c *Catalog) succession(from int) Plan {
	plan := Plan{Elect: c.successor(from)}
	for _, at := range c.holders(from) {
		if at != plan.Elect {
			plan.Clear = append(plan.Clear, at)
		}
	}
	return plan
}

// successor is the greatest official version that is not deprecated, among all
// but one.
func (c *Catalog) successor(except int) int {
	for at := range c.items {
		if v := &c.items[at]; at != except && !v.Preview && !v.Deprecated {
			return at
		}
	}
	return -1
}

// replaceable reports whether someone on a version can go up to an official
// one that is not deprecated.
func (c *Catalog) replaceable(except int, from Comparable) bool {
	at := c.successor(except)
	return at >= 0 && c.items[at].Comparable.Compare(from) > 0
}

// holders are the versions that have the flag, but one.
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
	return fault.New(fault.Invalid, "%s: a version may be deprecated only while another one is official, not deprecated and greater than %s", field, next.Comparable)
}
