package event

// partOf is a part of rows as they are.
func partOf(hour int64, r *rows) *part {
	n := r.len()
	props := r.props[:min(n, len(r.props))]
	return newPart(hour, r, func(key string) (*column, error) { return collectProperty(props, key, n), nil })
}

// collectProperty looks for a property in all of n rows.
func collectProperty(props []properties, key string, n int) *column {
	var c *column
	places := map[string]uint32{}
	for row, list := range props {
		for i := range list {
			if list[i].key != key {
				continue
			}
			if c == nil {
				c = &column{codes: make([]uint32, n), values: []string{""}}
			}
			c.codes[row] = c.place(places, list[i].value)
			break
		}
	}
	return c
}
