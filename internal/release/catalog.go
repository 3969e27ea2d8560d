package release

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Item is the part of a version that the rules use.
type Item struct {
	// ID is a UUIDv7. A greater ID was created later, so that "newest created" needs no
	// separate time.
	ID      uuid.UUID
	Version string // display text, unique in a project
	// Comparable is zero if a record has no usable comparable version. Such a version
	// comes last in every order and takes no part in update checks.
	Comparable  Comparable
	PublishedAt int64 // Unix seconds
	Latest      bool
	Preview     bool
	Milestone   bool
	Deprecated  bool
}

// Catalog holds the versions of one project in list order: the greatest comparable
// version first; then the newest published; then the newest created. A version is
// addressed by its position in that order; -1 means none. A catalog is immutable and safe
// for concurrent use.
type Catalog struct {
	items  []Item
	named  map[string]int // by display text
	values []value        // greatest first
	guards []int          // see findGuards

	official, preview int // candidates of update checks
	flagged           int // holder of the latest flag
	latest            int
	latestPreview     int
}

// value holds the positions of the versions that share a comparable value.
type value struct {
	Comparable
	first   int // the newest published, then newest created
	current int // the same, but official versions before previews
}

// NewCatalog returns a catalog of the versions of a project. It retains the slice and
// sorts it.
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

// newest returns the newest published version for which fits returns true. If several
// were published at the same time, it returns the newest created one.
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

// findLatest returns the flagged version. If there is none, it returns the newest
// official version, or else the newest version.
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

// Item returns the version at a valid position. The caller must not change it.
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

// ByVersion returns the version with this display text, ignoring surrounding blanks. If
// there is none, it parses text as a comparable version and returns a version with the
// same value. If there are several, it returns the newest published one. If these were
// published at the same time, it returns the newest created one. If there is no such
// version, it returns -1.
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

// Named returns the version with exactly this display text, or -1 if there is none.
func (c *Catalog) Named(version string) int {
	if at, ok := c.named[version]; ok {
		return at
	}
	return -1
}

// value returns the entry for the value of wanted, or nil if there is none.
func (c *Catalog) value(wanted Comparable) *value {
	at, ok := slices.BinarySearchFunc(c.values, wanted, func(v value, wanted Comparable) int {
		return wanted.Compare(v.Comparable) // greatest first
	})
	if !ok {
		return nil
	}
	return &c.values[at]
}
