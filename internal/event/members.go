package event

// members are sets of subjects, one for each group: bits for the groups that are
// met first, which are the frequent ones, and a hash table of pairs for the
// others, most of which have few subjects.
type members struct {
	sets   []*bitset // by group; nil = pairs
	made   int       // sets
	memory *budget

	pairs []uint64 // group and slot; 0 = free
	n     int
}

// mostSets is how many groups have bits.
const mostSets = 256

// add reports whether the subject was not in the group. Slots begin at 1.
func (m *members) add(group, slot uint32) bool {
	if more := int(group) + 1 - len(m.sets); more > 0 && m.made < mostSets {
		m.sets = append(m.sets, make([]*bitset, more)...)
	}
	if int(group) >= len(m.sets) {
		return m.addPair(group, slot)
	}
	if m.sets[group] == nil {
		if m.made == mostSets {
			return m.addPair(group, slot)
		}
		m.sets[group] = newBitset(m.memory)
		m.made++
	}
	return m.sets[group].add(slot)
}

func (m *members) addPair(group, slot uint32) bool {
	pair := uint64(group)<<32 | uint64(slot)
	if 2*m.n >= len(m.pairs) {
		m.grow()
	}
	if !insertPair(m.pairs, pair) {
		return false
	}
	m.n++
	return true
}

// grow doubles the table.
func (m *members) grow() {
	old := m.pairs
	m.pairs = make([]uint64, max(1024, 2*len(old)))
	m.memory.take(8 * (len(m.pairs) - len(old)))
	for _, pair := range old {
		if pair != 0 {
			insertPair(m.pairs, pair)
		}
	}
}

// insertPair puts a pair into a table, whose length is a power of two and in
// which there is room. It is false when the pair was there.
func insertPair(table []uint64, pair uint64) bool {
	last := uint64(len(table) - 1)
	const mix = 0x9e3779b97f4a7c15 // 2⁶⁴ divided by the golden ratio
	for at := (pair * mix) >> 32 & last; ; at = (at + 1) & last {
		switch table[at] {
		case pair:
			return false
		case 0:
			table[at] = pair
			return true
		}
	}
}
