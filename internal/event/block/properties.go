package block

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"

	"svc/internal/event/encoding"
	"svc/internal/jsonscan"
)

// The properties of a block. A frequent key has a column: a list of its distinct values
// and their codes by row. Column 14 is the concatenation of these columns, each:
//
//	text      the key: uvarint length and bytes
//	1 byte    form: the number of bits of a code (0 to 32), plus 64 if the column has a
//	          list of the rows that have the key, or plus 128 if all rows have the key
//	uvarint   distinct values
//	uvarint   length of the values
//	          with 64: uvarint number of rows in the list, uvarint length of the list
//	          values: packed texts, compact JSON; up to 4,096 are ascending
//	          with 64: the list
//	          codes, as bits: with 64, one for each row of the list; with 128, one for each
//	          row of the block; otherwise, for each row of the block, 0 if the row does
//	          not have the key, and the code + 1 if it does
//
// All other properties are called the rest: values of more than 1,024 bytes, and keys
// beyond the 256 most frequent ones. Three packed columns hold the rest. Column 16 holds
// the number of keys (uvarint), then the keys as texts, ascending. Column 17 holds for
// each key the number of rows (uvarint), the list of rows, and the length of each value
// (uvarint). Column 18 holds the values in this order.
const (
	// maxPropertyColumns limits the number of columns, because a reader of one property has
	// to skip the columns of the other properties.
	maxPropertyColumns = 256
	// maxColumnValue is the maximum length of a value in a column, in bytes. Longer
	// values rarely repeat, so a code would save nothing.
	maxColumnValue = 1024
	// maxScanned is the greatest number of values for which a linear search is faster than a
	// map.
	maxScanned = 8

	// maxSorted is the greatest number of values that a column sorts. Sorted values compress
	// better and, if there are few, are the same in most blocks. Sorting more values would
	// take too long.
	maxSorted = 4096

	formWidth = 63
	formList  = 64
	formAll   = 128
)

// propertyBuilder builds the column of a property.
type propertyBuilder struct {
	key    string
	rows   []uint32 // rows that have the property, ascending
	codes  []uint32 // code of the value for each entry of rows
	values []string
	known  map[string]uint32 // codes by value; nil while there are few values
}

func (p *propertyBuilder) add(row uint32, value string) {
	code, ok := p.find(value)
	if !ok {
		code = uint32(len(p.values))
		p.values = append(p.values, value)
		switch {
		case p.known != nil:
			p.known[value] = code
		case len(p.values) > maxScanned:
			p.known = make(map[string]uint32, 4*maxScanned)
			for i, v := range p.values {
				p.known[v] = uint32(i)
			}
		}
	}
	if last := len(p.rows) - 1; last >= 0 && p.rows[last] == row {
		p.codes[last] = code // the object has a duplicate key: the last value applies
		return
	}
	p.rows, p.codes = append(p.rows, row), append(p.codes, code)
}

// find returns the code of a value.
func (p *propertyBuilder) find(value string) (code uint32, ok bool) {
	if p.known != nil {
		code, ok = p.known[value]
		return code, ok
	}
	for i, v := range p.values {
		if v == value {
			return uint32(i), true
		}
	}
	return 0, false
}

// appendTo appends the encoded column to raw. It uses the smaller of two forms: a list of
// the rows that have the key, or a code for each of the n rows of the block.
func (p *propertyBuilder) appendTo(raw []byte, n int) []byte {
	if len(p.values) <= maxSorted {
		p.sort()
	}
	values := encoding.Pack(nil, encoding.AppendTexts(nil, p.values))
	width := encoding.BitWidth(uint32(len(p.values) - 1))
	codes, list, form := p.codes, []byte(nil), byte(formAll)
	if len(p.rows) < n {
		list, form = encoding.AppendRows(nil, p.rows), formList
		if all := encoding.BitWidth(uint32(len(p.values))); encoding.BitBytes(n, all) <= len(list)+encoding.BitBytes(len(codes), width) {
			codes, list, width, form = make([]uint32, n), nil, all, 0
			for i, row := range p.rows {
				codes[row] = p.codes[i] + 1
			}
		}
	}
	raw = append(binary.AppendUvarint(raw, uint64(len(p.key))), p.key...)
	raw = append(raw, form|byte(width))
	raw = binary.AppendUvarint(raw, uint64(len(p.values)))
	raw = binary.AppendUvarint(raw, uint64(len(values)))
	if form == formList {
		raw = binary.AppendUvarint(raw, uint64(len(p.rows)))
		raw = binary.AppendUvarint(raw, uint64(len(list)))
	}
	return encoding.AppendBits(append(append(raw, values...), list...), codes, width)
}

// sort sorts the values and adjusts the codes.
func (p *propertyBuilder) sort() {
	if slices.IsSorted(p.values) {
		return
	}
	order := make([]uint32, len(p.values))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(p.values[a], p.values[b]) })
	values, codes := make([]string, len(order)), make([]uint32, len(order))
	for code, old := range order {
		values[code], codes[old] = p.values[old], uint32(code)
	}
	p.values = values
	for i, old := range p.codes {
		p.codes[i] = codes[old]
	}
}

// setProperties encodes the properties of all rows into columns 14 to 18.
func (columns *rawColumns) setProperties(list []Properties) {
	frequent := frequentKeys(list)
	var rest restProperties
	var bare []uint32
	var guesses []*propertyBuilder // the builders of the previous row's properties, which the next row probably uses in the same order
	for row, props := range list {
		if props != nil && len(props) == 0 {
			bare = append(bare, uint32(row))
		}
		for i, p := range props {
			if i == len(guesses) {
				guesses = append(guesses, nil)
			}
			column := guesses[i]
			if column == nil || column.key != p.Key {
				column = frequent.columns[p.Key]
				guesses[i] = column
			}
			if column == nil || len(p.Value) > maxColumnValue {
				rest.add(p.Key, uint32(row), p.Value)
				continue
			}
			column.add(uint32(row), p.Value)
		}
	}
	var raw []byte
	for _, column := range frequent.order {
		raw = column.appendTo(raw, len(list))
	}
	columns[columnProperties] = raw
	if len(bare) > 0 {
		columns[columnBare] = encoding.Pack(nil, encoding.AppendRows(binary.AppendUvarint(nil, uint64(len(bare))), bare))
	}
	rest.encode(columns)
}

// propertyBuilders holds the builders of the most frequent keys, the most frequent first.
type propertyBuilders struct {
	order   []*propertyBuilder
	columns map[string]*propertyBuilder
}

func frequentKeys(list []Properties) propertyBuilders {
	type keyCount struct {
		key   string
		count int
	}
	counts := map[string]*keyCount{}
	var guesses []*keyCount // the keys of the previous row, which the next row probably has in the same order
	for _, props := range list {
		for i, p := range props {
			if i == len(guesses) {
				guesses = append(guesses, &keyCount{})
			}
			if guesses[i].key != p.Key || guesses[i].count == 0 {
				known := counts[p.Key]
				if known == nil {
					known = &keyCount{key: p.Key}
					counts[p.Key] = known
				}
				guesses[i] = known
			}
			if len(p.Value) <= maxColumnValue {
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
	frequent := propertyBuilders{columns: map[string]*propertyBuilder{}}
	for _, known := range order[:min(len(order), maxPropertyColumns)] {
		column := &propertyBuilder{key: known.key, rows: make([]uint32, 0, known.count), codes: make([]uint32, 0, known.count)}
		frequent.order = append(frequent.order, column)
		frequent.columns[known.key] = column
	}
	return frequent
}

// restProperties collects the properties that are stored in the rest, columns 16 to 18.
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

func (r *restProperties) encode(columns *rawColumns) {
	if len(r.keys) == 0 {
		return
	}
	slices.SortFunc(r.keys, func(a, b *restKey) int { return cmp.Compare(a.key, b.key) })
	keys := make([]string, 0, len(r.keys))
	var rows, values []byte
	for _, k := range r.keys {
		keys = append(keys, k.key)
		rows = encoding.AppendRows(binary.AppendUvarint(rows, uint64(len(k.rows))), k.rows)
		for _, value := range k.values {
			rows = binary.AppendUvarint(rows, uint64(len(value)))
			values = append(values, value...)
		}
	}
	columns[columnRestKeys] = encoding.Pack(nil, encoding.AppendTexts(binary.AppendUvarint(nil, uint64(len(keys))), keys))
	columns[columnRestRows] = encoding.Pack(nil, rows)
	columns[columnRestValues] = encoding.Pack(nil, values)
}

// storedProperty is the column of a property as it is stored in a block.
type storedProperty struct {
	key      []byte
	form     byte
	count    int    // number of values
	values   []byte // packed values
	listed   int    // number of rows in the list
	list     []byte
	codeBits encoding.Bits
}

// readStoredProperty reads the next property column of a block. n is the number of rows
// of the block.
func readStoredProperty(c *encoding.Reader, n int) (s storedProperty) {
	s.key = c.Take(c.Count(len(c.Rest)))
	s.form = c.Byte()
	// each value takes at least one byte, but packed bytes expand, so limit the number of
	// values by the number of rows instead
	s.count = c.Count(n)
	values := c.Count(len(c.Rest))
	entries, list := n, 0
	if s.form&formList != 0 {
		s.listed = c.Count(n)
		entries, list = s.listed, c.Count(len(c.Rest))
	}
	s.values, s.list = c.Take(values), c.Take(list)
	s.codeBits.Width = int(s.form & formWidth)
	if s.codeBits.Width > encoding.MaxBitWidth || s.form&formList != 0 && s.form&formAll != 0 || s.count == 0 {
		c.Fail()
		return s
	}
	s.codeBits.Raw = c.Take(encoding.BitBytes(entries, s.codeBits.Width))
	return s
}

// appendValues decodes the distinct values and appends them to list.
func (s *storedProperty) appendValues(list []string) ([]string, error) {
	plain, err := encoding.Unpack(s.values)
	if err != nil {
		return nil, err
	}
	c := encoding.Reader{Rest: plain}
	list = c.Texts(list, s.count)
	return list, c.Err()
}

// codes stores the code of each row's value in the slice into. Codes start at 1; 0 means
// that the row does not have the property.
func (s *storedProperty) codes(into []uint32) error {
	most := uint32(0)
	switch {
	case s.form&formAll != 0:
		most = s.codeBits.Unpack(into, 1)
	case s.form&formList == 0:
		most = s.codeBits.Unpack(into, 0)
	default:
		c := encoding.Reader{Rest: s.list}
		rows := c.Rows(s.listed, len(into))
		if err := c.Err(); err != nil {
			return err
		}
		clear(into)
		codes := make([]uint32, len(rows))
		most = s.codeBits.Unpack(codes, 1)
		for i, row := range rows {
			into[row] = codes[i]
		}
	}
	if most > uint32(s.count) && slices.Max(into) > uint32(s.count) {
		return errDamaged
	}
	return nil
}

// property returns the Column of a key, or nil if no row has it. If possible, it shares
// the memory of the block.
func (b *block) property(key string) (*Column, error) {
	var found *storedProperty
	c := encoding.Reader{Rest: b.columns[columnProperties]}
	for len(c.Rest) > 0 && found == nil {
		if stored := readStoredProperty(&c, b.n); !c.Bad && string(stored.key) == key {
			found = &stored
		}
	}
	if c.Bad {
		return nil, errDamaged
	}
	rest, err := b.restOf(key)
	if err != nil || found == nil && rest == nil {
		return nil, err
	}
	if found != nil && rest == nil && found.form&formList == 0 {
		return found.column()
	}
	return b.mixed(found, rest)
}

// column returns a Column that reads the property in place.
func (s *storedProperty) column() (c *Column, err error) {
	c = &Column{bits: s.codeBits}
	if s.form&formAll != 0 {
		c.first = 1
	}
	c.Values, err = s.appendValues([]string{""})
	return c, err
}

// restOf returns those values of a key that are stored in the rest (columns 16 to 18), or
// nil if there are none.
func (b *block) restOf(key string) (*restKey, error) {
	if len(b.columns[columnRestKeys]) == 0 {
		return nil, nil
	}
	rest, err := b.readRest(&key)
	if err != nil || len(rest) == 0 {
		return nil, err
	}
	return &rest[0], nil
}

// mixed returns a Column with all values of a property. The parameter found holds the values in its
// property column, and the parameter rest holds those in columns 16 to 18. Either of them can be
// nil.
func (b *block) mixed(found *storedProperty, rest *restKey) (c *Column, err error) {
	built := newColumnBuilder(b.n)
	if found != nil {
		if built.Values, err = found.appendValues(built.Values); err != nil {
			return nil, err
		}
		if err := found.codes(built.byRow); err != nil {
			return nil, err
		}
	}
	if rest != nil { // values that are too long for a column, or values of a key without a column
		for i, row := range rest.rows {
			built.set(int(row), rest.values[i])
		}
	}
	return built.column(), nil
}

// readRest reads the properties in the rest (columns 16 to 18). If the parameter only is
// not nil, readRest returns only the properties with the key *only.
func (b *block) readRest(only *string) ([]restKey, error) {
	plain, err := encoding.Unpack(b.columns[columnRestKeys])
	if err != nil || len(plain) == 0 {
		return nil, err
	}
	c := encoding.Reader{Rest: plain}
	keys := c.Texts(nil, c.Count(len(plain)))
	if err := c.Err(); err != nil {
		return nil, err
	}
	if only != nil {
		if _, ok := slices.BinarySearch(keys, *only); !ok {
			return nil, nil
		}
	}
	if plain, err = encoding.Unpack(b.columns[columnRestRows]); err != nil {
		return nil, err
	}
	c = encoding.Reader{Rest: plain}
	var rest []restKey
	from := 0
	for _, key := range keys {
		rows, lengths, total := restRows(&c, b.n)
		if c.Bad {
			return nil, errDamaged
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
	return rest, c.Err()
}

// restRows reads, for the next key in column 17, the rows that have the key and the
// lengths of their values. total is the sum of the lengths. n is the number of rows of
// the block.
func restRows(c *encoding.Reader, n int) (rows []uint32, lengths []int, total int) {
	rows = c.Rows(c.Count(n), n)
	lengths = make([]int, len(rows))
	for i := range lengths {
		lengths[i] = c.Count(1 << 31)
		total += lengths[i]
	}
	return rows, lengths, total
}

// restValues reads the values of one key from column 18. The parameter from is their
// offset in the unpacked column, and total is their total length, in bytes.
func (b *block) restValues(from, total int, lengths []int) ([]string, error) {
	plain, err := encoding.UnpackFrom(b.columns[columnRestValues], from, total)
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

// decodeProperties decodes the properties of the rows with the given ascending row
// numbers.
func (b *block) decodeProperties(list []uint32) ([]Properties, error) {
	d := propertyDecoder{wanted: make([]uint32, b.n), counts: make([]int, len(list))}
	for i, row := range list {
		d.wanted[row] = uint32(i) + 1
	}
	c := encoding.Reader{Rest: b.columns[columnProperties]}
	for len(c.Rest) > 0 && len(d.columns) < maxPropertyColumns {
		d.columns = append(d.columns, readStoredProperty(&c, b.n))
	}
	if c.Err() != nil {
		return nil, errDamaged
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

// propertyDecoder converts columns of properties to rows. It first counts the properties
// of each row and then stores them, so that all rows can share one allocation.
type propertyDecoder struct {
	wanted  []uint32 // for each row of the block: its index in the result + 1; 0 = not in the result
	columns []storedProperty
	rest    []restKey
	scratch []uint32 // buffer for the codes of the current column

	counts []int // number of properties, by index in the result
	props  []Properties
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
	all := make(Properties, total)
	d.props = make([]Properties, len(d.counts))
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
				d.props[at-1] = append(d.props[at-1], Property{key, values[code]})
			}
		}
	}
	for _, k := range d.rest {
		for i, row := range k.rows {
			if at := d.wanted[row]; at != 0 {
				d.props[at-1] = append(d.props[at-1], Property{k.key, k.values[i]})
			}
		}
	}
	return nil
}

// markBare sets the properties of the rows that were sent with properties {} to an empty
// list, which differs from nil.
func (b *block) markBare(wanted []uint32, props []Properties) error {
	plain, err := encoding.Unpack(b.columns[columnBare])
	if err != nil || len(plain) == 0 {
		return err
	}
	c := encoding.Reader{Rest: plain}
	for _, row := range c.Rows(c.Count(b.n), b.n) {
		if at := wanted[row]; at != 0 && props[at-1] == nil {
			props[at-1] = Properties{}
		}
	}
	return c.Err()
}

// ParseProperties returns the properties of a compact JSON object. It returns nil for "".
func ParseProperties(object string) Properties {
	if object == "" {
		return nil
	}
	list := make(Properties, 0, strings.Count(object, ":"))
	jsonscan.EachMember(object, func(key, value string) bool {
		list = append(list, Property{key, value})
		return true
	})
	return list
}

// keys implements the field Keys of Columns. It reads no values.
func (b *block) keys(rows []uint32, see func(key string)) error {
	if len(rows) == 0 {
		return nil
	}
	wanted, codes := make([]bool, b.n), make([]uint32, len(rows))
	for _, row := range rows {
		wanted[row] = true
	}
	c := encoding.Reader{Rest: b.columns[columnProperties]}
	for len(c.Rest) > 0 {
		stored := readStoredProperty(&c, b.n)
		if c.Bad {
			return errDamaged
		}
		has, err := stored.occursIn(rows, wanted, codes)
		if err != nil {
			return err
		}
		if has {
			see(string(stored.key))
		}
	}
	return b.restKeys(wanted, see)
}

// occursIn reports whether one of the given rows has the property. wanted contains the same
// rows as a set, and codes is a buffer with an element for each of them.
func (s *storedProperty) occursIn(rows []uint32, wanted []bool, codes []uint32) (bool, error) {
	switch {
	case s.form&formAll != 0:
		return true, nil
	case s.form&formList == 0:
		s.codeBits.Gather(rows, codes)
		return slices.ContainsFunc(codes, func(code uint32) bool { return code != 0 }), nil
	}
	c := encoding.Reader{Rest: s.list}
	list := c.Rows(s.listed, len(wanted))
	return slices.ContainsFunc(list, func(row uint32) bool { return wanted[row] }), c.Err()
}

// restKeys calls the function see for each key in the rest (columns 16 to 18) that a wanted row
// has.
func (b *block) restKeys(wanted []bool, see func(key string)) error {
	plain, err := encoding.Unpack(b.columns[columnRestKeys])
	if err != nil || len(plain) == 0 {
		return err
	}
	c := encoding.Reader{Rest: plain}
	keys := c.Texts(nil, c.Count(len(plain)))
	if err := c.Err(); err != nil {
		return err
	}
	if plain, err = encoding.Unpack(b.columns[columnRestRows]); err != nil {
		return err
	}
	c = encoding.Reader{Rest: plain}
	for _, key := range keys {
		rows, _, _ := restRows(&c, b.n)
		if c.Bad {
			return errDamaged
		}
		if slices.ContainsFunc(rows, func(row uint32) bool { return wanted[row] }) {
			see(key)
		}
	}
	return nil
}

// KeysOf returns a function for the field Keys of Columns. objects returns the properties of a
// row as a compact JSON object, or "" if the row has none.
func KeysOf(objects func(row uint32) string) func(rows []uint32, see func(key string)) error {
	return func(rows []uint32, see func(key string)) error {
		seen := map[string]bool{}
		for _, row := range rows {
			object := objects(row)
			if object == "" {
				continue
			}
			jsonscan.EachMember(object, func(key, _ string) bool {
				if !seen[key] {
					seen[key] = true
					see(key)
				}
				return true
			})
		}
		return nil
	}
}

// PropertyOf returns the Column of one property, given the properties of each row as a
// compact JSON object. It returns nil if no object has the property.
func PropertyOf(objects []string, key string) *Column {
	built := newColumnBuilder(len(objects))
	for row, object := range objects {
		if object == "" {
			continue
		}
		jsonscan.EachMember(object, func(found, value string) bool {
			if found != key {
				return true
			}
			built.set(row, value)
			return false
		})
	}
	return built.column()
}

// JSON returns the properties as a JSON object, or nil if list is nil. The keys are
// sorted, because blocks do not store their original order.
func (list Properties) JSON() []byte {
	if list == nil {
		return nil
	}
	object := []byte{'{'}
	sorted := slices.Clone(list)
	slices.SortFunc(sorted, func(a, b Property) int { return strings.Compare(a.Key, b.Key) })
	for i, p := range sorted {
		if i > 0 {
			object = append(object, ',')
		}
		key, err := json.Marshal(p.Key)
		if err != nil {
			continue // encoding a text never fails
		}
		object = append(append(append(object, key...), ':'), p.Value...)
	}
	return append(object, '}')
}
