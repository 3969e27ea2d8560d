package release

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"svc/internal/rollout"
)

// Item contains the fields of a version on which update decisions depend.
type Item struct {
	// ID is a UUIDv7. IDs ascend with the time of creation, so no separate time is needed to
	// find the version that was created last.
	ID      uuid.UUID
	Version string // display text, unique in a project
	// Comparable is zero if the version cannot be compared. Such a version comes last in
	// every order and takes no part in update checks.
	Comparable  Comparable
	PublishedAt int64 // Unix seconds
	Latest      bool
	Preview     bool
	Milestone   bool
	Deprecated  bool

	// Channel is the channel on which the version is published. An empty one stands for
	// Preview if the version is a preview, and otherwise for Stable.
	Channel string
	Yank    *Yank            // nil = not yanked
	Rollout *rollout.Rollout // nil = complete
}

// Yank describes why and when a version was withdrawn.
type Yank struct {
	At          int64      `json:"at"` // Unix seconds
	Reason      string     `json:"reason"`
	DowngradeTo *uuid.UUID `json:"downgrade_to,omitempty"` // the version that replaces it; nil = the greatest older one
}

// Published reports whether the public can see the version.
func (v *Item) Published() bool { return v.Rollout.Published() }

// Eligible reports whether the version can be the latest: it is complete and not yanked.
func (v *Item) Eligible() bool { return v.Yank == nil && v.Rollout.Complete() }

// open reports whether the version is being rolled out.
func (v *Item) open() bool { return v.Rollout != nil && !v.Rollout.State.Final() }

// guards reports whether the version is a milestone that no update may skip.
func (v *Item) guards() bool { return v.Milestone && !v.Preview && !v.Deprecated }

// OnChannel returns the name of the channel on which the version is published.
func (v *Item) OnChannel() string {
	switch {
	case v.Channel != "":
		return v.Channel
	case v.Preview:
		return Preview
	}
	return Stable
}

// Catalog holds the versions of one project in list order: the greatest comparable
// version comes first; versions with equal values are sorted by publication and then by
// creation, the newest first. Positions in this order identify versions; -1 means none. A
// catalog is immutable and safe for concurrent use.
type Catalog struct {
	items  []Item
	named  map[string]int // positions by display text
	values []value        // all distinct values, the greatest first
	guards []int          // the milestones that no update may skip, the greatest first
	open   []int          // the published versions that are being rolled out, the greatest first

	channels      Channels
	pools         []pool        // one for each channel; stable and preview come first
	members       []uint16      // for each version, the set of the pools to which it belongs
	cohorts       map[int]Range // the ranges of versions in the cohorts of rollouts, by the position of the version rolled out
	flagged       int           // position of the version with the latest flag
	latest        int
	latestPreview int
}

// value is a distinct comparable value, with the positions of the versions that have it.
type value struct {
	Comparable
	first   int // the version that was published last; of several, the one created last
	current int // the same among the official versions if there are any, and otherwise the same as first
}

// NewCatalog returns a catalog of items, the versions of a project. channels lists the
// channels that the project has added. NewCatalog sorts items and retains it.
func NewCatalog(items []Item, channels Channels) *Catalog {
	slices.SortFunc(items, inListOrder)
	c := &Catalog{items: items, named: make(map[string]int, len(items)), channels: channels, cohorts: map[int]Range{}}
	for at := range items {
		c.named[items[at].Version] = at
		c.prepare(at)
	}
	c.values = c.findValues()
	c.pools = c.findPools()
	c.flagged = c.newest(func(v *Item) bool { return v.Latest && v.Eligible() })
	c.latest = c.findLatest()
	c.latestPreview = c.first(func(_ int, v *Item) bool { return v.Preview && v.Eligible() })
	return c
}

// prepare adds the version at a position to the lists of milestones and of versions that are
// being rolled out, if it belongs there, and parses the range of versions in its cohort.
func (c *Catalog) prepare(at int) {
	v := &c.items[at]
	if v.open() && v.Rollout.Cohort != nil {
		var r Range
		r.Min, _ = Parse(v.Rollout.Cohort.CurrentMin)
		r.Max, _ = Parse(v.Rollout.Cohort.CurrentMax)
		c.cohorts[at] = r
	}
	if v.guards() {
		c.guards = append(c.guards, at)
	}
	if v.open() && v.Published() && v.Yank == nil {
		c.open = append(c.open, at)
	}
}

// findPools returns the pools of all channels, and sets members.
func (c *Catalog) findPools() []pool {
	names := c.channels.Names()
	marks := make(map[string]uint16, len(names)) // the pools to which the versions of each channel belong
	pools := make([]pool, len(names))
	for i, name := range names {
		seen := c.channels.Seen(name)
		pools[i] = pool{channel: name, bit: 1 << i, previews: slices.Contains(seen, Preview)}
		for _, other := range seen {
			marks[other] |= 1 << i
		}
	}
	c.members = make([]uint16, len(c.items))
	for at := range c.items {
		if v := &c.items[at]; v.Published() && v.Yank == nil {
			c.members[at] = marks[v.OnChannel()]
		}
	}
	for i := range pools {
		p := &pools[i]
		if slices.ContainsFunc(c.open, func(at int) bool { return c.members[at]&p.bit != 0 }) {
			continue
		}
		o := c.offers(p, Query{}, Comparable{})
		p.official, p.preview, p.greatest = o.candidate(false), o.candidate(true), o.greatestPreview()
		p.settled = true
	}
	return pools
}

// pool returns the pool of a channel, or nil if the project has no such channel.
func (c *Catalog) pool(channel string) *pool {
	for i := range c.pools {
		if p := &c.pools[i]; p.channel == channel || channel == "" { // the first one is that of Stable
			return p
		}
	}
	return nil
}

// Targeted reports whether a version that is being rolled out is only offered to callers with
// certain platforms, countries or versions.
func (c *Catalog) Targeted() bool { return len(c.cohorts) > 0 }

// Channels returns the project's own channels. The caller must not change them.
func (c *Catalog) Channels() Channels { return c.channels }

func inListOrder(a, b Item) int {
	return cmp.Or(b.Comparable.Compare(a.Comparable), newestFirst(&a, &b))
}

func newestFirst(a, b *Item) int {
	return cmp.Or(cmp.Compare(b.PublishedAt, a.PublishedAt), bytes.Compare(b.ID[:], a.ID[:]))
}

// first returns the first version in list order for which fits returns true, or -1.
func (c *Catalog) first(fits func(at int, v *Item) bool) int {
	for at := range c.items {
		if fits(at, &c.items[at]) {
			return at
		}
	}
	return -1
}

// newest returns the version that was published last among those for which fits returns
// true. If several were published at the same time, it returns the one that was created
// last.
func (c *Catalog) newest(fits func(*Item) bool) int {
	best := -1
	for at := range c.items {
		if v := &c.items[at]; fits(v) && (best < 0 || newestFirst(v, &c.items[best]) < 0) {
			best = at
		}
	}
	return best
}

func (c *Catalog) findValues() []value {
	var all []value
	for at := range c.items {
		v := &c.items[at]
		if len(all) == 0 || all[len(all)-1].Compare(v.Comparable) != 0 {
			all = append(all, value{v.Comparable, at, at})
		} else if same := &all[len(all)-1]; c.items[same.current].Preview && !v.Preview {
			same.current = at
		}
	}
	return all
}

// findLatest returns the version with the latest flag. If there is none, it returns the
// newest official version, or else the newest version.
func (c *Catalog) findLatest() int {
	if c.flagged >= 0 {
		return c.flagged
	}
	if at := c.newest(func(v *Item) bool { return !v.Preview && v.Eligible() }); at >= 0 {
		return at
	}
	return c.newest((*Item).Eligible)
}

// Len returns the number of versions.
func (c *Catalog) Len() int { return len(c.items) }

// Item returns the version at a position, which must be valid. The caller must not change
// it.
func (c *Catalog) Item(at int) *Item { return &c.items[at] }

// Latest returns the version with the latest flag. If there is none, it returns the
// newest published official version, or else the newest published version. Versions that are
// yanked, or whose rollout is not completed, do not count. It returns -1 if there is no version that counts.
func (c *Catalog) Latest() int { return c.latest }

// LatestPreview returns the preview with the greatest comparable version. If several have
// equal values, it returns the newest published one. If these were published at the same
// time, it returns the newest created one. It returns -1 if there is no preview. Deprecated
// previews are included. Previews that are yanked, or whose rollout is not completed, are not.
func (c *Catalog) LatestPreview() int { return c.latestPreview }

// ByVersion returns the version with the given display text, ignoring surrounding blanks.
// If there is none, it parses text as a comparable version and looks for a version with
// the same value. Of several, it returns the one published last, and of these the one
// created last. It returns -1 if there is no such version. Versions that the public cannot see
// yet are ignored.
func (c *Catalog) ByVersion(text string) int {
	text = strings.TrimSpace(text)
	if at := c.Named(text); at >= 0 && c.items[at].Published() {
		return at
	}
	wanted, ok := Parse(text)
	if !ok {
		return -1
	}
	if v := c.value(wanted); v != nil {
		for at := v.first; at < len(c.items) && c.items[at].Comparable.Compare(wanted) == 0; at++ {
			if c.items[at].Published() {
				return at
			}
		}
	}
	return -1
}

// Named returns the version with exactly the given display text, or -1 if there is none.
func (c *Catalog) Named(version string) int {
	if at, ok := c.named[version]; ok {
		return at
	}
	return -1
}

// value returns the entry of values that is equal to the parameter wanted, or nil if no version has
// this value.
func (c *Catalog) value(wanted Comparable) *value {
	at, ok := slices.BinarySearchFunc(c.values, wanted, func(v value, wanted Comparable) int {
		return wanted.Compare(v.Comparable) // the values descend
	})
	if !ok {
		return nil
	}
	return &c.values[at]
}
