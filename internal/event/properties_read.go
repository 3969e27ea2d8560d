package event

import (
	"slices"
)

// storedProperty is a column of properties as it lies in a block.
type storedProperty struct {
	key    []byte
	form   byte
	count  int    // values
	values []byte // packed
	listed int    // rows in the list
	list   []byte
	places bitColumn
}

// storedProperty reads the next column of a block of n rows.
func (c *cursor) storedProperty(n int) (s storedProperty) {
	s.key = c.take(c.count(len(c.raw)))
	s.form = c.byte()
	// A value has one byte at least, but a chunk of packed bytes holds more than
	// its own: the number is bounded by the rows.
	s.count = c.count(n)
	values := c.count(len(c.raw))
	entries, list := n, 0
	if s.form&formList != 0 {
		s.listed = c.count(n)
		entries, list = s.listed, c.count(len(c.raw))
	}
	s.values, s.list = c.take(values), c.take(list)
	if int(s.form&formWidth) >= len(bitWidths) || s.form > formAll|formWidth ||
		s.form&formList != 0 && s.form&formAll != 0 || s.count == 0 {
		c.fail()
		return s
	}
	s.places.width = bitWidths[s.form&formWidth]
	s.places.raw = c.take(bitBytes(entries, s.places.width))
	return s
}

// appendValues reads the values, each once, behind those of list.
func (s *storedProperty) appendValues(list []string) ([]string, error) {
	plain, err := unpack(s.values)
	if err != nil {
		return nil, err
	}
	c := cursor{raw: plain}
	list = c.texts(list, s.count)
	return list, c.err()
}

// codes writes the places of the values by row, from 1; 0 = not there.
func (s *storedProperty) codes(into []uint32) error {
	most := uint32(0)
	switch {
	case s.form&formAll != 0:
		most = s.places.unpack(into, 1)
	case s.form&formList == 0:
		most = s.places.unpack(into, 0)
	default:
		c := cursor{raw: s.list}
		rows := c.rowList(s.listed, len(into))
		if err := c.err(); err != nil {
			return err
		}
		clear(into)
		places := make([]uint32, len(rows))
		most = s.places.unpack(places, 1)
		for i, row := range rows {
			into[row] = places[i]
		}
	}
	if most > uint32(s.count) && slices.Max(into) > uint32(s.count) {
		return errDamagedBlock
	}
	return nil
}

// property is a column of the part that the block is. It keeps nothing of the
// block.
func (b *block) property(key string) (*column, error) {
	var found *column
	c := cursor{raw: b.columns[columnProperties]}
	for len(c.raw) > 0 {
		stored := c.storedProperty(b.n)
		if c.bad || string(stored.key) != key {
			continue
		}
		found = &column{codes: make([]uint32, b.n)}
		var err error
		if found.values, err = stored.appendValues([]string{""}); err != nil {
			return nil, err
		}
		if err := stored.codes(found.codes); err != nil {
			return nil, err
		}
		break
	}
	if c.bad {
		return nil, errDamagedBlock
	}
	return b.addRest(key, found)
}

// addRest adds the values of a property that lie in the rest to its column, which
// is nil where it has none.
func (b *block) addRest(key string, found *column) (*column, error) {
	if len(b.columns[columnRestKeys]) == 0 {
		return found, nil
	}
	rest, err := b.readRest(&key)
	if err != nil || len(rest) == 0 {
		return found, err
	}
	if found == nil {
		found = &column{codes: make([]uint32, b.n), values: []string{""}}
	}
	places := map[string]uint32{}
	for i, row := range rest[0].rows {
		found.codes[row] = found.place(places, rest[0].values[i])
	}
	return found, nil
}

// readRest reads the properties without a column, or those with one key.
func (b *block) readRest(only *string) ([]restKey, error) {
	plain, err := unpack(b.columns[columnRestKeys])
	if err != nil || len(plain) == 0 {
		return nil, err
	}
	c := cursor{raw: plain}
	keys := c.texts(nil, c.count(len(plain)))
	if err := c.err(); err != nil {
		return nil, err
	}
	if only != nil {
		if _, ok := slices.BinarySearch(keys, *only); !ok {
			return nil, nil
		}
	}
	if plain, err = unpack(b.columns[columnRestRows]); err != nil {
		return nil, err
	}
	c = cursor{raw: plain}
	var rest []restKey
	from := 0
	for _, key := range keys {
		rows, lengths, total := c.restRows(b.n)
		if c.bad {
			return nil, errDamagedBlock
		}
		if only == nil || *only == key {
			values, err := b.restValues(from, total, lengths)
			if err != nil {
				return nil, err
			}
			rest = append(rest, restKey{key: key, rows: rows, values: values})
		}
		from += total
	}
	return rest, c.err()
}

// restRows reads the rows of the next key of the rest and the lengths of their
// values.
func (c *cursor) restRows(n int) (rows []uint32, lengths []int, total int) {
	rows = c.rowList(c.count(n), n)
	lengths = make([]int, len(rows))
	for i := range lengths {
		lengths[i] = c.count(1 << 31)
		total += lengths[i]
	}
	return rows, lengths, total
}

// restValues are the values of one key of the rest.
func (b *block) restValues(from, total int, lengths []int) ([]string, error) {
	plain, err := unpackFrom(b.columns[columnRestValues], from, total)
	if err != nil {
		return nil, err
	}
	all := string(plain)
	values := make([]string, len(lengths))
	for i, length := range lengths {
		values[i], all = all[:length], all[length:]
	}
	return values, nil
}

// decodeProperties reads the properties of the rows of an ascending list.
func (b *block) decodeProperties(list []uint32) ([]properties, error) {
	d := propertyDecoder{wanted: make([]uint32, b.n), counts: make([]int, len(list))}
	for i, row := range list {
		d.wanted[row] = uint32(i) + 1
	}
	c := cursor{raw: b.columns[columnProperties]}
	for len(c.raw) > 0 && len(d.columns) < mostPropertyColumns {
		d.columns = append(d.columns, c.storedProperty(b.n))
	}
	if c.err() != nil {
		return nil, errDamagedBlock
	}
	var err error
	if d.rest, err = b.readRest(nil); err != nil {
		return nil, err
	}
	d.scratch = make([]uint32, b.n)
	if err := d.count(); err != nil {
		return nil, err
	}
	if err := d.fill(); err != nil {
		return nil, err
	}
	return d.props, b.markBare(d.wanted, d.props)
}

// propertyDecoder turns columns of properties into rows of them: it counts, then
// fills, so that the properties of all rows are one piece of memory.
type propertyDecoder struct {
	wanted  []uint32 // by row of the block: place in the answer + 1
	columns []storedProperty
	rest    []restKey
	scratch []uint32 // codes of the present column

	counts []int // by place in the answer
	props  []properties
}

func (d *propertyDecoder) count() error {
	for i := range d.columns {
		if err := d.columns[i].codes(d.scratch); err != nil {
			return err
		}
		for row, code := range d.scratch {
			if at := d.wanted[row]; code != 0 && at != 0 {
				d.counts[at-1]++
			}
		}
	}
	for _, k := range d.rest {
		for _, row := range k.rows {
			if at := d.wanted[row]; at != 0 {
				d.counts[at-1]++
			}
		}
	}
	return nil
}

func (d *propertyDecoder) fill() error {
	total := 0
	for _, count := range d.counts {
		total += count
	}
	all := make(properties, total)
	d.props = make([]properties, len(d.counts))
	for i, count := range d.counts {
		if count > 0 {
			d.props[i], all = all[:0:count], all[count:]
		}
	}
	for i := range d.columns {
		stored := &d.columns[i]
		key := string(stored.key)
		values, err := stored.appendValues([]string{""})
		if err != nil {
			return err
		}
		if err := stored.codes(d.scratch); err != nil {
			return err
		}
		for row, code := range d.scratch {
			if at := d.wanted[row]; code != 0 && at != 0 {
				d.props[at-1] = append(d.props[at-1], property{key, values[code]})
			}
		}
	}
	for _, k := range d.rest {
		for i, row := range k.rows {
			if at := d.wanted[row]; at != 0 {
				d.props[at-1] = append(d.props[at-1], property{k.key, k.values[i]})
			}
		}
	}
	return nil
}

// markBare gives rows that were sent with properties {} such properties.
func (b *block) markBare(wanted []uint32, props []properties) error {
	plain, err := unpack(b.columns[columnBare])
	if err != nil || len(plain) == 0 {
		return err
	}
	c := cursor{raw: plain}
	for _, row := range c.rowList(c.count(b.n), b.n) {
		if at := wanted[row]; at != 0 && props[at-1] == nil {
			props[at-1] = properties{}
		}
	}
	return c.err()
}
