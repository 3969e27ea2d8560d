package release

import "slices"

// Baseline returns the version with which the failures of a version that is being rolled out are
// compared: the greatest version below it that is complete, not yanked, and seen by callers on its
// channel. It returns -1 if there is none. v need not be in the catalog.
func (c *Catalog) Baseline(v Item) int {
	seen := c.channels.Seen(v.OnChannel())
	return c.first(func(_ int, other *Item) bool {
		return other.ID != v.ID && other.Eligible() && slices.Contains(seen, other.OnChannel()) &&
			!other.Comparable.IsZero() && !v.Comparable.IsZero() && other.Comparable.Compare(v.Comparable) < 0
	})
}
