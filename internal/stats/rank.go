package stats

import (
	"cmp"
	"slices"
	"strings"
)

// Count is a value with its number of occurrences.
type Count struct {
	Key string
	N   int64
}

// maxValues is the maximum number of different values in a Counts. It limits the memory of a
// Counts to about 20 MiB.
const maxValues = 100_000

// Counts keeps a sum for each value. The zero value is ready to use. Counts is exact for up
// to 100,000 different values. A larger number can only come from clients that make values
// up, so Counts then drops the rarest ones. The total stays exact, and so do the sums of
// values that have been frequent from the start.
type Counts struct {
	at    map[string]int
	list  []Count
	total int64
}

// Add adds n to the count of a value. It does not retain the slice.
func (c *Counts) Add(value []byte, n int64) {
	c.total += n
	at, ok := c.at[string(value)] // a lookup with a converted key does not copy it
	if !ok {
		if len(c.list) == maxValues {
			c.forget()
		}
		if c.at == nil {
			c.at = map[string]int{}
		}
		at = len(c.list)
		c.list = append(c.list, Count{Key: string(value)})
		c.at[c.list[at].Key] = at
	}
	c.list[at].N += n
}

// forget drops the half of the values with the lower counts.
func (c *Counts) forget() {
	c.list = c.Ranked()[:maxValues/2]
	clear(c.at)
	for i, one := range c.list {
		c.at[one.Key] = i
	}
}

// Total returns the sum over all values.
func (c *Counts) Total() int64 { return c.total }

// Ranked returns the values sorted by count, the greatest first, and then by the bytes of
// the value.
func (c *Counts) Ranked() []Count {
	list := slices.Clone(c.list)
	slices.SortFunc(list, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.N, a.N), strings.Compare(a.Key, b.Key))
	})
	return list
}
