package release

// Since returns the versions that a client on a channel gains with an update, the greatest first.
// They are greater than the parameter from, the client's version, and at most the version at the
// position in the parameter to. Except for the version at this position, they are offered to all
// callers. None is yanked. If the parameter from is zero, only the version at this position can be
// among them.
func (c *Catalog) Since(channel string, from Comparable, to int) (all []int) {
	p := c.pool(channel)
	if p == nil {
		return nil
	}
	for at := range c.items {
		v := &c.items[at]
		switch {
		case !from.IsZero() && v.Comparable.Compare(from) <= 0:
			return all // all that follow are less
		case c.members[at]&p.bit == 0:
		case at == to, !from.IsZero() && v.Rollout.Complete() && v.Comparable.Compare(c.items[to].Comparable) <= 0:
			all = append(all, at)
		}
	}
	return all
}
