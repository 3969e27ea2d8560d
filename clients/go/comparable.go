package svcsdk

import (
	"cmp"
	"strings"
)

// IsComparableVersion reports whether v can be compared with other versions. Such a version
// consists of numbers separated by dots and an optional suffix: "-alpha", "-beta" or "-rc". The
// suffix may be followed by further numbers, as in "2.0.0-rc.1".
func IsComparableVersion(v string) bool {
	_, ok := parseVersion(v)
	return ok
}

// CompareVersions returns -1 if a is older than b, 0 if they are equal, and 1 if a is newer. A
// missing number counts as 0. A version without a suffix is newer than one with a suffix, and alpha
// < beta < rc. If a version cannot be compared, the error is a [*UsageError].
func CompareVersions(a, b string) (int, error) {
	x, ok := parseVersion(a)
	if !ok {
		return 0, usage("%q is not a comparable version", cutText(a, 64))
	}
	y, ok := parseVersion(b)
	if !ok {
		return 0, usage("%q is not a comparable version", cutText(b, 64))
	}
	return cmp.Or(
		compareNumbers(x.core, y.core),
		cmp.Compare(x.tag, y.tag),
		compareNumbers(x.tagNumbers, y.tagNumbers),
	), nil
}

// deriveComparable extracts the comparable version from a display version, for example 1.4.0 from
// v1.4.0. It reports whether the display version contains a comparable version.
func deriveComparable(display string) (string, bool) {
	text := strings.TrimSpace(display)
	if strings.HasPrefix(text, "v") || strings.HasPrefix(text, "V") {
		text = text[1:]
	}
	return text, IsComparableVersion(text)
}

type version struct {
	core       []string // decimal digits without leading zeros
	tag        int      // index into tags; that of a release is the greatest
	tagNumbers []string
}

var versionTags = []string{"alpha", "beta", "rc"}

func parseVersion(text string) (version, bool) {
	core, rest, tagged := strings.Cut(text, "-")
	v := version{tag: len(versionTags)}
	var ok bool
	if v.core, ok = parseNumbers(core); !ok || !tagged {
		return v, ok
	}
	name, numbers, numbered := strings.Cut(rest, ".")
	for i, tag := range versionTags {
		if name != tag {
			continue
		}
		v.tag = i
		if numbered {
			v.tagNumbers, ok = parseNumbers(numbers)
		}
		return v, ok
	}
	return v, false
}

func parseNumbers(text string) ([]string, bool) {
	numbers := strings.Split(text, ".")
	for i, n := range numbers {
		if n == "" || strings.Trim(n, "0123456789") != "" {
			return nil, false
		}
		numbers[i] = strings.TrimLeft(n, "0")
	}
	return numbers, true
}

// compareNumbers compares lists of numbers of any size. Missing numbers count as 0.
func compareNumbers(a, b []string) int {
	for i := range max(len(a), len(b)) {
		var x, y string
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); c != 0 {
			return c
		}
	}
	return 0
}
