package stats

import (
	"cmp"
	"slices"
	"strings"
)

// Count is a value and how often it was counted.
type Count struct {
	Key string
	N   int64
}

// maxValues bounds the memory of Counts, some 20 MiB.
const maxValues = 100_000

// Counts adds up by value. The zero Counts is ready for use. It is exact for up
// to 100,000 different values. Beyond that values are made up, and the rare
// ones are forgotten: the total and the frequent ones stay right.
type Counts struct {
	at    map[string]int
	list  []Count
	total int64
}

// Add counts n for a value, which it copies when it is new.
func (c *Counts) Add(value []byte, n int64) {
	c.total += n
	at, ok := c.at[string(value)] // no copy is made for looking
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

// forget drops the rarer half of the values.
func (c *Counts) forget() {
	c.list = c.Ranked()[:maxValues/2]
	clear(c.at)
	for i, one := range c.list {
		c.at[one.Key] = i
	}
}

// Total is the sum over all values.
func (c *Counts) Total() int64 { return c.total }

// Ranked lists the values from the greatest count to the smallest, those that tie
// by the bytes of the value.
func (c *Counts) Ranked() []Count {
	list := slices.Clone(c.list)
	slices.SortFunc(list, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.N, a.N), strings.Compare(a.Key, b.Key))
	})
	return list
}
