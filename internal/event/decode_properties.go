package event

import "slices"

// fewMembers is up to how many properties each is compared with each other; of
// more a map is made.
const fewMembers = 16

// properties reads the properties of an event: the value as it was sent and the
// object that it is, compact and with each key once; nil when it is none that
// may be stored.
func (d *decoder) properties() (sent token, object []byte) {
	if d.peek() != '{' {
		return d.value(), nil
	}
	from, outside := d.at, d.level
	d.deepest, d.spaced, d.members = d.level, false, d.members[:0]
	for more := d.enter('}'); more; more = d.further('}') {
		key := d.key()
		if d.failed {
			return token{}, nil
		}
		d.members = append(d.members, member{key, d.value()})
	}
	sent = token{from: from, to: d.at}
	switch {
	case d.failed || d.deepest-outside > deepestProperties:
		return sent, nil
	case d.unique() && !d.spaced:
		return sent, d.body[from:d.at:d.at]
	}
	return sent, d.rewritten()
}

// unique drops of properties with the same key all but the last, and reports
// whether there was nothing to drop.
func (d *decoder) unique() bool {
	n := len(d.members)
	if n > fewMembers {
		d.dropByMap()
		return len(d.members) == n
	}
	for i := n - 2; i >= 0; i-- {
		key := d.members[i].key
		again := func(later member) bool { return d.sameKey(key, later.key) }
		if slices.ContainsFunc(d.members[i+1:], again) {
			d.members = slices.Delete(d.members, i, i+1)
		}
	}
	return len(d.members) == n
}

// sameKey compares two keys, which may be spelled differently.
func (d *decoder) sameKey(a, b token) bool {
	if a.escaped || b.escaped {
		return d.string(a) == d.string(b)
	}
	return d.raw(a) == d.raw(b)
}

// dropByMap does in one pass what unique does for few properties.
func (d *decoder) dropByMap() {
	last := make(map[string]int, len(d.members))
	for i, m := range d.members {
		last[d.string(m.key)] = i
	}
	if len(last) == len(d.members) {
		return
	}
	i := -1
	d.members = slices.DeleteFunc(d.members, func(m member) bool {
		i++
		return last[d.string(m.key)] != i
	})
}

// rewritten is a compact object made of the properties. It lies in memory of its
// own, which never moves while somebody looks at it: append leaves the former
// memory to those who have a part of it.
func (d *decoder) rewritten() []byte {
	from := len(d.room)
	d.room = append(d.room, '{')
	for i, m := range d.members {
		if i > 0 {
			d.room = append(d.room, ',')
		}
		d.room = append(d.room, d.raw(m.key)...)
		d.room = append(d.room, ':')
		d.room = appendCompact(d.room, d.raw(m.value))
	}
	d.room = append(d.room, '}')
	return d.room[from:len(d.room):len(d.room)]
}
