package event

import (
	"encoding/json"
	"strings"
)

// eachProperty visits the first-level properties of a compact JSON object, the
// keys unescaped, until visit returns false. The object has been checked before.
func eachProperty(object string, visit func(key, value string) bool) {
	at := 1
	for at < len(object) && object[at] == '"' {
		end := endOfText(object, at)
		key := object[at+1 : end-1]
		if strings.IndexByte(key, '\\') >= 0 {
			var plain string
			if json.Unmarshal([]byte(object[at:end]), &plain) == nil {
				key = plain
			}
		}
		at = end + 1 // the colon
		end = endOfValue(object, at)
		if !visit(key, object[at:end]) {
			return
		}
		at = end + 1 // the comma or the brace
	}
}

// endOfText is where the JSON text that begins at a place ends.
func endOfText(s string, at int) int {
	for at++; at < len(s); at++ {
		switch s[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(s)
}

// endOfValue is where the JSON value that begins at a place ends.
func endOfValue(s string, at int) int {
	depth := 0
	for at < len(s) {
		switch s[at] {
		case '"':
			if at = endOfText(s, at); depth == 0 {
				return at
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return at
			}
			if depth--; depth == 0 {
				return at + 1
			}
		case ',':
			if depth == 0 {
				return at
			}
		}
		at++
	}
	return len(s)
}

// splitProperties is the properties of an object; nil for none.
func splitProperties(object string) properties {
	if object == "" {
		return nil
	}
	list := make(properties, 0, strings.Count(object, ":"))
	eachProperty(object, func(key, value string) bool {
		list = append(list, property{key, value})
		return true
	})
	return list
}

// rawColumn is one property of objects.
func rawColumn(objects []string, key string) *column {
	c := &column{codes: make([]uint32, len(objects)), values: []string{""}}
	places := map[string]uint32{}
	for row, object := range objects {
		if object == "" {
			continue
		}
		eachProperty(object, func(found, value string) bool {
			if found != key {
				return true
			}
			c.codes[row] = c.place(places, value)
			return false
		})
	}
	if len(c.values) == 1 {
		return nil
	}
	return c
}
