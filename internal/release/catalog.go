package release

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Item contains those fields of a version that the rules use.
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
}

// Catalog holds the versions of one project in list order: the greatest comparable
// version comes first; versions with equal values are sorted by publication and then by
// creation, the newest first. Positions in this order identify versions; -1 means none. A
// catalog is immutable and safe for concurrent use.
type Catalog struct {
	items  []Item
	named  map[string]int // positions by display text
	values []value        // all distinct values, the greatest first
	guards []int          // the result of findGuards

	official, preview int // the candidates for update checks without and with previews
	flagged           int // position of the version with the latest flag
	latest            int
	latestPreview     int
}

// value is a distinct comparable value, with the positions of the versions that have it.
type value struct {
	Comparable
	first   int // the version that was published last; of several, the one created last
	current int // the same among the official versions if there are any, and otherwise the same as first
}

// NewCatalog returns a catalog of the versions of a project. It sorts the slice and
// retains it.
func NewCatalog(items []Item) *Catalog {
	slices.SortFunc(items, inListOrder)
	c := &Catalog{items: items, named: make(map[string]int, len(items))}
	for at := range items {
		c.named[items[at].Version] = at
	}
	c.values = c.findValues()
	c.guards = c.findGuards()
	c.official = c.findCandidate(false)
	c.preview = c.findCandidate(true)
	c.flagged = c.newest(func(v *Item) bool { return v.Latest })
	c.latest = c.findLatest()
	c.latestPreview = c.first(func(v *Item) bool { return v.Preview })
	return c
}

func inListOrder(a, b Item) int {
	return cmp.Or(b.Comparable.Compare(a.Comparable), newestFirst(&a, &b))
}

func newestFirst(a, b *Item) int {
	return cmp.Or(cmp.Compare(b.PublishedAt, a.PublishedAt), bytes.Compare(b.ID[:], a.ID[:]))
}

// first returns the first version in list order for which fits returns true.
func (c *Catalog) first(fits func(*Item) bool) int {
	for at := range c.items {
		if fits(&c.items[at]) {
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
	if at := c.newest(func(v *Item) bool { return !v.Preview }); at >= 0 {
		return at
	}
	return c.newest(func(*Item) bool { return true })
}

// Len returns the number of versions.
func (c *Catalog) Len() int { return len(c.items) }

// Item returns the version at a position, which must be valid. The caller must not change
// it.
func (c *Catalog) Item(at int) *Item { return &c.items[at] }

// Latest returns the version with the latest flag. If there is none, it returns the
// newest published official version, or else the newest published version. It returns -1
// only for an empty catalog.
func (c *Catalog) Latest() int { return c.latest }

// LatestPreview returns the preview with the greatest comparable version. If several have
// equal values, it returns the newest published one. If these were published at the same
// time, it returns the newest created one. It returns -1 if there is no preview.
// Deprecated previews are included.
func (c *Catalog) LatestPreview() int { return c.latestPreview }

// ByVersion returns the version with the given display text, ignoring surrounding blanks.
// If there is none, it parses text as a comparable version and looks for a version with
// the same value. Of several, it returns the one published last, and of these the one
// created last. It returns -1 if there is no such version.
func (c *Catalog) ByVersion(text string) int {
	text = strings.TrimSpace(text)
	if at := c.Named(text); at >= 0 {
		return at
	}
	if wanted, ok := Parse(text); ok {
		if v := c.value(wanted); v != nil {
			return v.first
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

// value returns the entry for the same value as wanted, or nil if no version has it.
func (c *Catalog) value(wanted Comparable) *value {
	at, ok := slices.BinarySearchFunc(c.values, wanted, func(v value, wanted Comparable) int {
		return wanted.Compare(v.Comparable) // the values descend
	})
	if !ok {
		return nil
	}
	return &c.values[at]
}
