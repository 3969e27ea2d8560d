// Package release implements the rules for published versions: their order, the choice of
// the latest version, the update check, and the conditions for changes of versions. It
// has no state and no side effects.
//
//	comparable.go  comparable versions, their order and ranges
//	native.go      version texts and orders of other updaters
//	channels.go    the channels of a project
//	catalog.go     the versions of a project, and the latest one
//	offer.go       which version a caller is offered
//	since.go       the versions that an update brings
//	baseline.go    the version with which a rollout is compared
//	check.go       the update check
//	explain.go     explaining the result of the update check
//	governance.go  which changes of versions are allowed
package release

import (
	"fmt"
	"slices"
	"strings"
)

// maxLength is the maximum number of characters of a comparable version.
const maxLength = 64

// Comparable is a version that can be ordered: numbers separated by dots, optionally
// followed by -alpha, -beta or -rc. Further numbers may follow such a tag. Neither the
// size nor the count of the numbers is limited, except by the length of the text. The
// zero value means that there is no version, and is less than every version.
//
// The operator == compares texts (1.0 is not 1.0.0); Compare compares values.
type Comparable struct {
	text string
	key  string // the byte order of the keys is the order of the versions
}

// tags lists the tags that can follow the first numbers, in ascending order. Their ranks
// start at 1. A version without a tag is a release, which ranks above all tags.
var tags = []string{"alpha", "beta", "rc"}

const rankRelease = 4

// Parse parses a comparable version of at most 64 characters, without surrounding blanks.
// It returns false for any other text.
func Parse(text string) (Comparable, bool) {
	if len(text) > maxLength { // all characters of the grammar are single bytes
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
		numbers = "0" // because -rc equals -rc.0
	}
	if key, ok = appendNumbers(key, numbers); !ok {
		return Comparable{}, false
	}
	return Comparable{text, string(key)}, true
}

// appendNumbers appends numbers separated by dots in a form with the same byte order as
// the numbers. A number is encoded as the count of its digits plus one, followed by the
// digits without leading zeros. A zero byte, which is less than the start of any number,
// follows the last number. Trailing numbers that are 0 are left out, because a missing
// number is equal to 0. appendNumbers returns false if a number is empty or contains
// anything but digits.
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

// isNumber reports whether a text consists of one or more digits.
func isNumber(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// Derive derives a comparable version from a display text. It removes surrounding blanks
// and one leading v or V, and then calls Parse.
func Derive(display string) (Comparable, bool) {
	text := strings.TrimSpace(display)
	if text != "" && (text[0] == 'v' || text[0] == 'V') {
		text = text[1:]
	}
	return Parse(text)
}

// String returns the text that was parsed, or "" for the zero value.
func (c Comparable) String() string { return c.text }

// IsZero reports whether c is the zero value.
func (c Comparable) IsZero() bool { return c.key == "" }

// Compare returns a negative number if c is less than d, a positive number if it is
// greater, and 0 if both have the same value, however they are written.
func (c Comparable) Compare(d Comparable) int { return strings.Compare(c.key, d.key) }

// MarshalText returns the text that was parsed, which is empty for the zero value.
func (c Comparable) MarshalText() ([]byte, error) { return []byte(c.text), nil }

// UnmarshalText parses a comparable version. An empty text sets c to the zero value. If
// the text is invalid, UnmarshalText returns an error and leaves c unchanged.
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

// Range is a range of comparable versions that includes both ends. If an end is zero, the
// range has no bound on that side.
type Range struct {
	Min Comparable `json:"min,omitzero"`
	Max Comparable `json:"max,omitzero"`
}

// Contains reports whether c is in the range.
func (r Range) Contains(c Comparable) bool {
	return (r.Min.IsZero() || r.Min.Compare(c) <= 0) &&
		(r.Max.IsZero() || c.Compare(r.Max) <= 0)
}

// Valid reports whether the lower end is not greater than the upper one.
func (r Range) Valid() bool {
	return r.Min.IsZero() || r.Max.IsZero() || r.Min.Compare(r.Max) <= 0
}
