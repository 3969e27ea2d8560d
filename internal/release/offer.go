package release

import (
	"slices"
	"sort"

	"svc/internal/platform"
	"svc/internal/rollout"
)

// Query contains what is known about a caller that asks for a version.
type Query struct {
	Version    string     // display text without surrounding blanks; "" = not sent
	Comparable Comparable // zero = not sent
	Channel    string     // "" = Stable
	Key        string     // identifies the caller to decide whether a rollout includes it; "" = not sent

	// Platform and Country are compared with the cohorts of rollouts. An unknown one is "".
	Platform platform.Platform
	Country  string

	CompleteOnly    bool // offer no version that is being rolled out, even if its rollout includes the caller
	AcceptDowngrade bool // take an older version if the caller's version is yanked

	// Fits reports whether the version at a position is usable for the caller. nil = all are.
	Fits func(at int) bool
}

// Decision is the version that a caller is offered, and why. Versions are positions in the
// catalog; -1 means none.
type Decision struct {
	Latest  int // the greatest version offered to this caller, which may be less than its own
	Preview int // the greatest preview offered on the preview channel, whatever the caller's channel; only set by Check
	Target  int // the version to install now; -1 if there is nothing newer
	Current int // the caller's version, if the catalog contains it

	Comparable   Comparable // the version with which the caller was compared; zero if there is none
	ShouldUpdate bool       // whether there is a target
	Required     bool       // whether the caller must update; only set by Check
	Guarded      bool       // whether Target is a milestone that must not be skipped
	Withheld     int        // a version greater than Target and the caller's own that is not offered to this caller yet

	Rollout   int  // the greatest version on the channel, if its rollout is neither completed nor aborted
	Included  bool // whether the version Rollout is offered to this caller
	Downgrade int  // the older version for a caller whose version is yanked and that has nothing newer

	Reasons []string // never nil after Check; shared, so it must not be changed
}

// Offer decides which version a caller is offered. Update checks, feeds and links to the
// latest version all rest on this decision. If no comparable version of the caller is known, the
// target is the greatest version that is offered, and milestones are ignored. Nothing is offered
// on a channel that does not exist.
//
// If no version in the caller's channel is being rolled out and Fits is nil, Offer takes
// logarithmic time unless there is a downgrade. It allocates no memory itself.
func (c *Catalog) Offer(q Query) Decision {
	d := Decision{Latest: -1, Preview: -1, Target: -1, Current: c.registered(q), Withheld: -1, Rollout: -1, Downgrade: -1}
	d.Comparable = q.Comparable
	if d.Comparable.IsZero() && d.Current >= 0 {
		d.Comparable = c.items[d.Current].Comparable
	}
	o := c.offers(c.pool(q.Channel), q, d.Comparable)
	if o.pool == nil {
		return d
	}
	d.Latest = o.latest()
	switch {
	case d.Latest < 0:
	case d.Comparable.IsZero():
		d.Target = d.Latest
	case c.items[d.Latest].Comparable.Compare(d.Comparable) > 0:
		d.Target = d.Latest
		if guard := o.guard(); guard >= 0 {
			d.Target, d.Guarded = guard, true
		}
	}
	d.ShouldUpdate = d.Target >= 0
	if !o.settled() {
		d.Withheld = o.withheld(d.Target)
		if top := o.top(); top >= 0 && c.items[top].open() {
			d.Rollout, d.Included = top, o.has(top)
		}
	}
	if d.Target < 0 && d.Current >= 0 && c.items[d.Current].Yank != nil {
		d.Downgrade = o.downgrade(c.items[d.Current].Yank)
	}
	return d
}

// Offered returns a function that reports whether the version at a position is offered to a caller,
// regardless of greater versions.
func (c *Catalog) Offered(q Query) func(at int) bool {
	current := q.Comparable
	if at := c.registered(q); current.IsZero() && at >= 0 {
		current = c.items[at].Comparable
	}
	o := c.offers(c.pool(q.Channel), q, current)
	if o.pool == nil {
		return func(int) bool { return false }
	}
	return func(at int) bool { return !c.items[at].Comparable.IsZero() && o.has(at) }
}

// pool describes the versions that the callers on one channel see: those on the channel and on
// the channels that it includes, if they are published and not yanked.
type pool struct {
	channel  string
	bit      uint16 // the bit that marks the versions of the pool in Catalog.members
	previews bool   // whether the channel includes the preview channel, or is it

	// settled reports whether no version of the pool is being rolled out, so that all callers
	// are offered the same versions. The candidates are only set then.
	settled           bool
	official, preview int // the candidates: the versions that the method candidate returns
	greatest          int // the greatest preview, even if it is deprecated
}

// offers decides which versions of a pool are offered to one caller.
type offers struct {
	c       *Catalog
	q       Query
	pool    *pool
	current Comparable // the caller's version; zero = unknown

	// limit is the position of a milestone that the caller may not have yet. Neither its value
	// nor a greater one is offered. -1 means that there is no limit.
	limit int
}

func (c *Catalog) offers(p *pool, q Query, current Comparable) offers {
	o := offers{c: c, q: q, pool: p, current: current, limit: -1}
	if p == nil || p.settled || current.IsZero() {
		return o
	}
	for _, at := range slices.Backward(c.open) { // the lowest first
		if v := &c.items[at]; v.guards() && v.Comparable.Compare(current) > 0 && o.fits(at) && !o.reached(at) {
			o.limit = at
			break
		}
	}
	return o
}

// settled reports whether the precomputed candidates apply to the caller.
func (o *offers) settled() bool { return o.pool.settled && o.q.Fits == nil }

// fits reports whether the version at a position belongs to the caller's pool.
func (o *offers) fits(at int) bool {
	return o.c.members[at]&o.pool.bit != 0 && (o.q.Fits == nil || o.q.Fits(at))
}

// reached reports whether the rollout of the version at a position has reached the caller.
func (o *offers) reached(at int) bool {
	v := &o.c.items[at]
	switch {
	case v.Rollout.Complete():
		return true
	case o.q.CompleteOnly, v.Rollout.State != rollout.Running && v.Rollout.State != rollout.Paused:
		return false
	}
	return o.matches(at) && v.Rollout.Includes(o.q.Key)
}

// matches reports whether the caller belongs to the cohort of the rollout of the version at a
// position.
func (o *offers) matches(at int) bool {
	inRange := !o.current.IsZero() && o.c.cohorts[at].Contains(o.current)
	return o.c.items[at].Rollout.Cohort.Matches(o.q.Platform, o.q.Country, inRange)
}

// has reports whether the version at a position is offered to the caller.
func (o *offers) has(at int) bool {
	return o.fits(at) && o.reached(at) && (o.limit < 0 || o.c.items[at].Comparable.Compare(o.c.items[o.limit].Comparable) < 0)
}

// latest returns the greatest version that is offered, or -1. It prefers a preview to an
// official version of the same value.
func (o *offers) latest() int {
	official, preview := o.candidate(false), o.candidate(true)
	switch {
	case preview < 0:
		return official
	case official < 0:
		return preview
	case o.c.items[official].Comparable.Compare(o.c.items[preview].Comparable) > 0:
		return official
	}
	return preview
}

// candidate returns the greatest official version or, if preview is true, the greatest
// preview. It returns a deprecated version only if there is no other, so that a caller is
// never offered a withdrawn version while an older one is not deprecated.
func (o *offers) candidate(preview bool) int {
	if o.settled() {
		if preview {
			return o.pool.preview
		}
		return o.pool.official
	}
	deprecated := -1
	for at := range o.c.items {
		v := &o.c.items[at]
		switch {
		case v.Comparable.IsZero(): // all that follow are zero, too
			return deprecated
		case v.Preview != preview || v.Deprecated && deprecated >= 0 || !o.has(at):
		case !v.Deprecated:
			return at
		default:
			deprecated = at
		}
	}
	return deprecated
}

// greatestPreview returns the greatest preview that is offered, or -1. It may be deprecated.
func (o *offers) greatestPreview() int {
	if o.settled() {
		return o.pool.greatest
	}
	return o.c.first(func(at int, v *Item) bool { return v.Preview && o.has(at) })
}

// top returns the greatest version of the pool, whether or not it is offered, or -1.
func (o *offers) top() int {
	return o.c.first(func(at int, v *Item) bool { return !v.Comparable.IsZero() && o.fits(at) })
}

// guard returns the lowest milestone greater than the caller's version that is offered, or
// -1. It is never greater than the candidate, because the candidate is at least the greatest
// official version that is not deprecated.
func (o *offers) guard() int {
	items, guards := o.c.items, o.c.guards
	above := sort.Search(len(guards), func(i int) bool { return items[guards[i]].Comparable.Compare(o.current) <= 0 })
	found := -1
	for i := above - 1; i >= 0; i-- {
		at := guards[i]
		if found >= 0 && items[at].Comparable.Compare(items[found].Comparable) != 0 {
			break
		}
		if o.has(at) {
			found = at
		}
	}
	return found
}

// withheld returns a version that is greater than both the caller's version and the target and
// is not offered to the caller yet, or -1. It returns the milestone that limits the offers, or
// else the greatest version that is being rolled out.
func (o *offers) withheld(target int) int {
	if o.limit >= 0 {
		return o.limit
	}
	floor := o.floor(target)
	for _, at := range o.c.open {
		if o.c.items[at].Comparable.Compare(floor) > 0 && o.fits(at) && !o.reached(at) {
			return at
		}
	}
	return -1
}

// floor returns the greater of the caller's version and the version at the position target, which
// is -1 if there is no target.
func (o *offers) floor(target int) Comparable {
	if target >= 0 { // greater than the caller's version
		return o.c.items[target].Comparable
	}
	return o.current
}

// downgrade returns the older version to which a caller with a yanked version can return, or
// -1.
func (o *offers) downgrade(yank *Yank) int {
	if yank.DowngradeTo != nil {
		at := o.c.first(func(_ int, v *Item) bool { return v.ID == *yank.DowngradeTo })
		if at >= 0 && o.c.items[at].Eligible() && (o.q.Fits == nil || o.q.Fits(at)) {
			return at
		}
	}
	return o.c.first(func(at int, v *Item) bool {
		return !v.Comparable.IsZero() && v.Comparable.Compare(o.current) < 0 && !v.Deprecated && v.Rollout.Complete() && o.fits(at)
	})
}
