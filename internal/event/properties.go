package event

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// The properties of a block. A key that is frequent has a column: a list of its
// different values and their places by row. Column 14 is such columns one after
// the other, each:
//
//	text      the key: uvarint length and bytes
//	1 byte    form: bits 0 to 2: 0 to 6 for 0, 1, 2, 4, 8, 16, 32 bits a place;
//	          8: in a list of rows; 16: all rows have the key
//	uvarint   different values
//	uvarint   length of the values
//	          if in a list of rows: uvarint how many, uvarint length of the list
//	          values: packed texts, compact JSON
//	          if in a list of rows: the list
//	          places, as bits: by row of the list, or by row of the block. In a block
//	          whose rows do not all have the key, 0 = not there, otherwise place + 1
//
// What has no column is the rest: values of more than 1,024 bytes and the keys
// that come after the most frequent 256. Packed, in 16: uvarint how many keys, the
// keys as texts, ascending; in 17, by key: uvarint how many rows, the list of
// rows, the length of the value of each (uvarint); in 18: the values in this order.
const (
	mostPropertyColumns = 256
	longestColumnValue  = 1024
	fewValues           = 8

	formWidth = 7
	formList  = 8
	formAll   = 16
)

// propertyColumn is a column on its way into a block.
type propertyColumn struct {
	key    string
	rows   []uint32 // that have it, ascending
	places []uint32 // by entry of rows
	values []string
	known  map[string]uint32 // nil as long as there are few
}

func (p *propertyColumn) add(row uint32, value string) {
	place, ok := p.find(value)
	if !ok {
		place = uint32(len(p.values))
		p.values = append(p.values, value)
		switch {
		case p.known != nil:
			p.known[value] = place
		case len(p.values) > fewValues:
			p.known = make(map[string]uint32, 4*fewValues)
			for i, v := range p.values {
				p.known[v] = uint32(i)
			}
		}
	}
	if last := len(p.rows) - 1; last >= 0 && p.rows[last] == row {
		p.places[last] = place // a key twice: the last one holds
		return
	}
	p.rows, p.places = append(p.rows, row), append(p.places, place)
}

// find is the place of a value. Of few values each is looked at, which is quicker
// than a map.
func (p *propertyColumn) find(value string) (place uint32, ok bool) {
	if p.known != nil {
		place, ok = p.known[value]
		return place, ok
	}
	for i, v := range p.values {
		if v == value {
			return uint32(i), true
		}
	}
	return 0, false
}

// appendTo writes the column in whichever form is smaller.
func (p *propertyColumn) appendTo(raw []byte, n int) []byte {
	values := pack(nil, appendTexts(nil, p.values))
	width := bitWidth(uint32(len(p.values) - 1))
	places, list, form := p.places, []byte(nil), byte(formAll)
	if len(p.rows) < n {
		list, form = appendRowList(nil, p.rows), formList
		if all := bitWidth(uint32(len(p.values))); bitBytes(n, all) <= len(list)+bitBytes(len(places), width) {
			places, list, width, form = make([]uint32, n), nil, all, 0
			for i, row := range p.rows {
				places[row] = p.places[i] + 1
			}
		}
	}
	raw = append(binary.AppendUvarint(raw, uint64(len(p.key))), p.key...)
	raw = append(raw, form|byte(slices.Index(bitWidths[:], width)))
	raw = binary.AppendUvarint(raw, uint64(len(p.values)))
	raw = binary.AppendUvarint(raw, uint64(len(values)))
	if form == formList {
		raw = binary.AppendUvarint(raw, uint64(len(p.rows)))
		raw = binary.AppendUvarint(raw, uint64(len(list)))
	}
	return appendBits(append(append(raw, values...), list...), places, width)
}

var bitWidths = [...]int{0, 1, 2, 4, 8, 16, 32}

// setProperties makes the columns of properties.
func (columns *blockColumns) setProperties(list []properties) {
	frequent := frequentKeys(list)
	var rest restProperties
	var bare []uint32
	var guesses []*propertyColumn // the column of the property at a place of the row before
	for row, props := range list {
		if props != nil && len(props) == 0 {
			bare = append(bare, uint32(row))
		}
		for i, p := range props {
			if i == len(guesses) {
				guesses = append(guesses, nil)
			}
			column := guesses[i]
			if column == nil || column.key != p.key {
				column = frequent.columns[p.key]
				guesses[i] = column
			}
			if column == nil || len(p.value) > longestColumnValue {
				rest.add(p.key, uint32(row), p.value)
				continue
			}
			column.add(uint32(row), p.value)
		}
	}
	var raw []byte
	for _, column := range frequent.order {
		raw = column.appendTo(raw, len(list))
	}
	columns[columnProperties] = raw
	if len(bare) > 0 {
		columns[columnBare] = pack(nil, appendRowList(binary.AppendUvarint(nil, uint64(len(bare))), bare))
	}
	rest.encode(columns)
}

// propertyColumns are the columns of the most frequent keys, in that order.
type propertyColumns struct {
	order   []*propertyColumn
	columns map[string]*propertyColumn
}

func frequentKeys(list []properties) propertyColumns {
	type keyCount struct {
		key   string
		count int
	}
	counts := map[string]*keyCount{}
	var guesses []*keyCount // the key at a place of the row before
	for _, props := range list {
		for i, p := range props {
			if i == len(guesses) {
				guesses = append(guesses, &keyCount{})
			}
			if guesses[i].key != p.key || guesses[i].count == 0 {
				known := counts[p.key]
				if known == nil {
					known = &keyCount{key: p.key}
					counts[p.key] = known
				}
				guesses[i] = known
			}
			if len(p.value) <= longestColumnValue {
				guesses[i].count++
			}
		}
	}
	order := make([]*keyCount, 0, len(counts))
	for _, known := range counts {
		if known.count > 0 {
			order = append(order, known)
		}
	}
	slices.SortFunc(order, func(a, b *keyCount) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.key, b.key))
	})
	frequent := propertyColumns{columns: map[string]*propertyColumn{}}
	for _, known := range order[:min(len(order), mostPropertyColumns)] {
		column := &propertyColumn{key: known.key, rows: make([]uint32, 0, known.count), places: make([]uint32, 0, known.count)}
		frequent.order = append(frequent.order, column)
		frequent.columns[known.key] = column
	}
	return frequent
}

// restProperties are those without a column, on their way into a block.
type restProperties struct {
	keys []*restKey
	by   map[string]*restKey
}

type restKey struct {
	key    string
	rows   []uint32
	values []string
}

func (r *restProperties) add(key string, row uint32, value string) {
	known := r.by[key]
	if known == nil {
		if r.by == nil {
			r.by = map[string]*restKey{}
		}
		known = &restKey{key: key}
		r.by[key] = known
		r.keys = append(r.keys, known)
	}
	if last := len(known.rows) - 1; last >= 0 && known.rows[last] == row {
		known.values[last] = value
		return
	}
	known.rows, known.values = append(known.rows, row), append(known.values, value)
}

func (r *restProperties) encode(columns *blockColumns) {
	if len(r.keys) == 0 {
		return
	}
	slices.SortFunc(r.keys, func(a, b *restKey) int { return cmp.Compare(a.key, b.key) })
	keys := make([]string, 0, len(r.keys))
	var rows, values []byte
	for _, k := range r.keys {
		keys = append(keys, k.key)
		rows = appendRowList(binary.AppendUvarint(rows, uint64(len(k.rows))), k.rows)
		for _, value := range k.values {
			rows = binary.AppendUvarint(rows, uint64(len(value)))
			values = append(values, value...)
		}
	}
	columns[columnRestKeys] = pack(nil, appendTexts(binary.AppendUvarint(nil, uint64(len(keys))), keys))
	columns[columnRestRows] = pack(nil, rows)
	columns[columnRestValues] = pack(nil, values)
}
