package column

// Label is a value that several records can share, and by which a search selects those that have
// it. Each kind of record defines its meaning. A record with the zero Label has none.
type Label [16]byte

// Labeled reports whether there is a label for each record. It returns false for columns without
// labels, and for a damaged file.
func (c Columns) Labeled() bool {
	n := c.Len()
	if len(c.Labels) < n || (len(c.Labels)-n)%len(Label{}) != 0 {
		return false
	}
	distinct := (len(c.Labels) - n) / len(Label{})
	for _, at := range c.Labels[:n] {
		if int(at) >= distinct {
			return false
		}
	}
	return true
}

// Label returns the label of record i. The columns must be labeled.
func (c Columns) Label(i int) Label {
	at := c.Len() + int(c.Labels[i])*len(Label{})
	return Label(c.Labels[at:])
}

// MatchLabel calls the function passes once for each distinct label. It returns the records with a
// label for which passes returned true, but only those that are marked in the parameter among. The
// columns must be labeled.
func (c Columns) MatchLabel(passes func(Label) bool, among Bitmap) (m Bitmap) {
	var passing [BlockSize]bool
	some := false
	distinct := c.Labels[c.Len():]
	for i := 0; len(distinct) > 0; i, distinct = i+1, distinct[len(Label{}):] {
		passing[i] = passes(Label(distinct))
		some = some || passing[i]
	}
	if !some {
		return m
	}
	for i := range among.All() {
		if passing[c.Labels[i]] {
			m.Set(i)
		}
	}
	return m
}
