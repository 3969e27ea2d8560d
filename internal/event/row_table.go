package event

// rowTable finds rows by the hashes of a column: open addressing with linear
// probing over a power of two of places, at most half of them taken. It holds no
// hashes itself, so it is four bytes a place and nothing that the collector looks
// at.
type rowTable struct {
	places []uint32 // row + 1; 0 = free
}

// add puts the last row of a column in.
func (t *rowTable) add(hashes []uint64) {
	if 2*len(hashes) > len(t.places) {
		t.places = make([]uint32, max(1<<10, 2*len(t.places)))
		for row := range hashes {
			t.put(hashes[row], uint32(row))
		}
		return
	}
	t.put(hashes[len(hashes)-1], uint32(len(hashes)-1))
}

func (t *rowTable) put(hash uint64, row uint32) {
	last := uint64(len(t.places) - 1)
	at := hash & last
	for t.places[at] != 0 {
		at = (at + 1) & last
	}
	t.places[at] = row + 1
}

// any reports whether fits holds for one of the rows with a hash.
func (t *rowTable) any(hashes []uint64, hash uint64, fits func(row uint32) bool) bool {
	if len(t.places) == 0 {
		return false
	}
	last := uint64(len(t.places) - 1)
	for at := hash & last; t.places[at] != 0; at = (at + 1) & last {
		if row := t.places[at] - 1; hashes[row] == hash && fits(row) {
			return true
		}
	}
	return false
}
