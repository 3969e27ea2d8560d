// Package release holds the rules about published versions: how versions are
// ordered, which one is the latest, what a client is told to do, and which
// writes are allowed. It is pure: values in, values out.
//
//	comparable.go  comparable versions, their order and ranges
//	catalog.go     the versions of a project, which is the latest
//	check.go       the update check
//	explain.go     why the update check answers what it does
//	governance.go  which writes are allowed
package release

import (
	"fmt"
	"slices"
	"strings"
)

// maxLength is the number of characters a comparable version may have.
const maxLength = 64

// Comparable is a version that can be ordered: numbers separated by dots, then
// optionally -alpha, -beta or -rc, which may be followed by numbers of its
// own. Numbers have any size and there may be any count of them. The zero
// value stands for none and is less than every version.
//
// The operator == compares texts (1.0 is not 1.0.0); Compare compares values.
type Comparable struct {
	text string
	key  string // its order as bytes is the order of the values
}

// tags may follow the core numbers; they rank from 1. A release is greater than
// every tag.
var tags = []string{"alpha", "beta", "rc"}

const rankRelease = 4

// Parse reads a comparable version of at most 64 characters. It trims nothing
// and reports false for everything that is not exactly such a version.
func Parse(text string) (Comparable, bool) {
	if len(text) > maxLength { // what the grammar allows is one byte a character
		return Comparable{}, false
	}
	core, tag, tagged := strings.Cut(text, "-")
	key, ok := appendNumbers(make([]byte, 0, maxLength+8), core)
	if !ok {
		return Comparable{}, false
	}
	if !tagged {
		return Comparable{text, string(append(key, rankRelease))}, true
	}
	name, numbers, numbered := strings.Cut(tag, ".")
	rank := slices.Index(tags, name)
	if rank < 0 {
		return Comparable{}, false
	}
	key = append(key, byte(rank+1))
	if !numbered {
		numbers = "0" // -rc equals -rc.0
	}
	if key, ok = appendNumbers(key, numbers); !ok {
		return Comparable{}, false
	}
	return Comparable{text, string(key)}, true
}

// appendNumbers appends numbers separated by dots so that the order of the
// bytes is the order of the numbers: of each number its count of digits plus
// one, then the digits, both without leading zeros; after the last a zero
// byte, which is less than the start of any number. Numbers that are 0 at the
// end are left out, because a missing number counts as 0.
func appendNumbers(key []byte, text string) ([]byte, bool) {
	end := len(key)
	for more := true; more; {
		var number string
		if number, text, more = strings.Cut(text, "."); !isNumber(number) {
			return nil, false
		}
		digits := strings.TrimLeft(number, "0")
		key = append(key, byte(len(digits)+1))
		key = append(key, digits...)
		if digits != "" {
			end = len(key)
		}
	}
	return append(key[:end], 0), true
}

// isNumber reports whether a text is of digits, at least one.
func isNumber(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// Derive reads the comparable version that a display version implies: the
// text without surrounding blanks and without one leading v or V.
func Derive(display string) (Comparable, bool) {
	text := strings.TrimSpace(display)
	if text != "" && (text[0] == 'v' || text[0] == 'V') {
		text = text[1:]
	}
	return Parse(text)
}

// String is the text that was parsed, "" for none.
func (c Comparable) String() string { return c.text }

// IsZero reports whether c stands for none.
func (c Comparable) IsZero() bool { return c.key == "" }

// Compare is negative when c is less than d, positive when it is greater, and
// 0 when both have the same value, however they are written.
func (c Comparable) Compare(d Comparable) int { return strings.Compare(c.key, d.key) }

// MarshalText gives the text; that of none is empty.
func (c Comparable) MarshalText() ([]byte, error) { return []byte(c.text), nil }

// UnmarshalText reads what MarshalText gives. Any other text is an error, and
// c is then unchanged.
func (c *Comparable) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*c = Comparable{}
		return nil
	}
	parsed, ok := Parse(string(text))
	if !ok {
		return fmt.Errorf("%q is not a comparable version", text)
	}
	*c = parsed
	return nil
}

// Range is a span of comparable versions. Both ends belong to it; an end that
// is zero is unbounded.
type Range struct {
	Min Comparable `json:"min,omitzero"`
	Max Comparable `json:"max,omitzero"`
}

// Contains reports whether c lies in the range.
func (r Range) Contains(c Comparable) bool {
	return (r.Min.IsZero() || r.Min.Compare(c) <= 0) &&
		(r.Max.IsZero() || c.Compare(r.Max) <= 0)
}

// Valid reports whether the lower end is not above the upper one.
func (r Range) Valid() bool {
	return r.Min.IsZero() || r.Max.IsZero() || r.Min.Compare(r.Max) <= 0
}
