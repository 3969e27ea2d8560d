package release

import (
	"cmp"
	"regexp"
	"strings"
)

// NativeVersions contains the texts of a version that an administrator has set for updaters that
// compare versions by rules of their own. If a text is empty, one is derived from the comparable
// version instead.
type NativeVersions struct {
	SemVer  string `json:"semver,omitempty"`
	Sparkle string `json:"sparkle,omitempty"`
}

// maxNative is the maximum length of a text of NativeVersions, in bytes.
const maxNative = 64

var nativeText = regexp.MustCompile(`^[0-9A-Za-z.+-]+$`)

// strictSemVer matches a version of SemVer 2.0.0. The first group captures its three numbers, and
// the second captures the identifiers of a pre-release.
var strictSemVer = regexp.MustCompile(`^((?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*))` +
	`(?:-((?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*))?` +
	`(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$`)

// Problems returns a sentence for each rule that the texts break. It returns nil if they are valid.
func (n NativeVersions) Problems() []string {
	var all []string
	for _, set := range []struct{ name, text string }{{"semver", n.SemVer}, {"sparkle", n.Sparkle}} {
		if set.text != "" && (len(set.text) > maxNative || !nativeText.MatchString(set.text)) {
			all = append(all, "native_versions."+set.name+" must have at most 64 letters, digits, dots, plus signs and hyphens")
		}
	}
	if all == nil && n.SemVer != "" && !strictSemVer.MatchString(n.SemVer) {
		all = append(all, "native_versions.semver must be a version of SemVer 2.0.0, such as 1.2.3 or 1.2.3-rc.1")
	}
	return all
}

// SemVerOf returns the SemVer text of a version: the one that was set, or else the one that is
// derived from the comparable version. It returns false if the version has none.
func (n NativeVersions) SemVerOf(version Comparable) (string, bool) {
	if n.SemVer != "" {
		return n.SemVer, true
	}
	return version.SemVer()
}

// SparkleOf returns the text that Sparkle compares with CFBundleVersion: the one that was set, the
// bundle version of the asset if it is known, or else the one that is derived from the comparable
// version. derived reports the last case.
func (n NativeVersions) SparkleOf(version Comparable, bundle string) (text string, derived bool) {
	if text = cmp.Or(n.Sparkle, bundle); text != "" {
		return text, false
	}
	return version.Sparkle(), true
}

// parts returns the numbers before the tag, the tag, and the numbers after it, as they were
// written.
func (c Comparable) parts() (numbers []string, tag string, tagNumbers []string) {
	core, rest, _ := strings.Cut(c.text, "-")
	tag, after, numbered := strings.Cut(rest, ".")
	if numbered {
		tagNumbers = strings.Split(after, ".")
	}
	return strings.Split(core, "."), tag, tagNumbers
}

// The greatest numbers that the clients of a format can read. JavaScript holds integers exactly up
// to the first. WinSparkle uses 32 bits.
const (
	maxSemVerNumber     = "9007199254740991"
	maxWinSparkleNumber = "2147483647"
)

// SemVer derives the text for updaters that read strict SemVer. It returns false if the version has
// more than three numbers, or a number above 2^53 - 1.
func (c Comparable) SemVer() (string, bool) {
	numbers, tag, tagNumbers := c.parts()
	numbers = withoutZeros(plain(numbers), 3)
	tagNumbers = withoutZeros(plain(tagNumbers), 0)
	if len(numbers) > 3 || exceeds(numbers, maxSemVerNumber) || exceeds(tagNumbers, maxSemVerNumber) {
		return "", false
	}
	text := strings.Join(padded(numbers), ".")
	if tag != "" {
		text += "-" + strings.Join(append([]string{tag}, tagNumbers...), ".")
	}
	return text, true
}

// sparkleTags maps each tag of a comparable version to the letters that replace the tag and its
// hyphen, because Sparkle ignores a hyphen and everything after it.
var sparkleTags = map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}

// Sparkle derives the text for Sparkle, such as 1.2b3 for 1.2-beta.3.
func (c Comparable) Sparkle() string {
	numbers, tag, tagNumbers := c.parts()
	text := strings.Join(plain(numbers), ".")
	if tag == "" {
		return text
	}
	return text + sparkleTags[tag] + cmp.Or(strings.Join(withoutZeros(plain(tagNumbers), 0), "."), "0")
}

// WinSparkle derives the text for WinSparkle, such as 1.2.0-beta.3 for 1.2-beta.3. It returns false if a number is above 2^31 - 1.
func (c Comparable) WinSparkle() (string, bool) {
	numbers, tag, tagNumbers := c.parts()
	numbers = plain(numbers)
	if exceeds(numbers, maxWinSparkleNumber) || exceeds(plain(tagNumbers), maxWinSparkleNumber) {
		return "", false
	}
	text := strings.Join(padded(numbers), ".")
	if tag != "" {
		text += "-" + strings.Join(append([]string{tag}, tagNumbers...), ".")
	}
	return text, true
}

// plain returns the numbers without leading zeros.
func plain(numbers []string) []string {
	all := make([]string, len(numbers))
	for i, n := range numbers {
		all[i] = cmp.Or(strings.TrimLeft(n, "0"), "0")
	}
	return all
}

// withoutZeros removes the numbers at the end that are 0, but keeps at least the first n numbers.
func withoutZeros(numbers []string, n int) []string {
	for len(numbers) > n && numbers[len(numbers)-1] == "0" {
		numbers = numbers[:len(numbers)-1]
	}
	return numbers
}

// padded appends the number 0 until there are at least three numbers.
func padded(numbers []string) []string {
	for len(numbers) < 3 {
		numbers = append(numbers, "0")
	}
	return numbers
}

func exceeds(numbers []string, limit string) bool {
	for _, n := range numbers {
		if compareNumbers(n, limit) > 0 {
			return true
		}
	}
	return false
}

// compareNumbers compares texts of digits by their value, which may be of any size.
func compareNumbers(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// CompareSemVer compares two versions by the order of SemVer 2.0.0, which ignores build metadata.
// Both must be valid.
func CompareSemVer(a, b string) int {
	x, y := strictSemVer.FindStringSubmatch(a), strictSemVer.FindStringSubmatch(b)
	if x == nil || y == nil {
		return cmp.Compare(len(x), len(y)) // a text that is not a version precedes all versions
	}
	if order := compareIdentifiers(x[1], y[1]); order != 0 {
		return order
	}
	if x[2] == "" || y[2] == "" { // a release follows its pre-releases
		return cmp.Compare(len(y[2]), len(x[2]))
	}
	return compareIdentifiers(x[2], y[2])
}

// compareIdentifiers compares identifiers separated by dots. Numbers are compared by value and
// precede texts. A list precedes a longer one that starts with it.
func compareIdentifiers(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		order := strings.Compare(x[i], y[i])
		switch numberX, numberY := isNumber(x[i]), isNumber(y[i]); {
		case numberX && numberY:
			order = compareNumbers(x[i], y[i])
		case numberX:
			order = -1
		case numberY:
			order = 1
		}
		if order != 0 {
			return order
		}
	}
	return cmp.Compare(len(x), len(y))
}

// CompareSparkle compares two versions as Sparkle does. It ignores the first hyphen of a version
// and everything after it.
func CompareSparkle(a, b string) int {
	a, _, _ = strings.Cut(a, "-")
	b, _, _ = strings.Cut(b, "-")
	return CompareWinSparkle(a, b)
}

// CompareWinSparkle compares two versions as WinSparkle does. It splits them into numbers, dots and
// other text. Numbers are compared by value. Where two versions differ in the kind of a part, other
// text comes first, then the end of a version, a dot, and a number. So 1.0 precedes 1.0.0, and
// 1.0-rc precedes 1.0.
func CompareWinSparkle(a, b string) int {
	for a != "" && b != "" {
		var x, y string
		x, a = cutPart(a)
		y, b = cutPart(b)
		order := cmp.Compare(rank(x), rank(y))
		if order == 0 && rank(x) == rankNumber {
			order = compareNumbers(x, y)
		} else if order == 0 {
			order = strings.Compare(x, y)
		}
		if order != 0 {
			return order
		}
	}
	return cmp.Compare(rank(a), rank(b))
}

// The ranks of the parts of a version, in ascending order.
const (
	rankText = iota
	rankEnd
	rankDot
	rankNumber
)

// rank returns the rank of the part with which a text starts.
func rank(text string) int {
	switch {
	case text == "":
		return rankEnd
	case text[0] == '.':
		return rankDot
	case isNumber(text[:1]):
		return rankNumber
	}
	return rankText
}

// cutPart cuts the first part off a text that is not empty. Each dot is a part of its own.
func cutPart(text string) (part, rest string) {
	end := 1
	for kind := rank(text); kind != rankDot && end < len(text) && rank(text[end:]) == kind; {
		end++
	}
	return text[:end], text[end:]
}

// Native is the text of a version for one format.
type Native struct {
	Version Comparable
	Text    string
}

// Misordered finds the pairs of versions in which the texts are not in the same order as the comparable
// versions: in the order of the function compare, the text of the lower version is equal to that of
// the greater version or comes after it. versions must be in descending order of their comparable
// versions. For each version, problem reports whether it belongs to such a pair, and leftOut reports
// whether it is the lower version of such a pair. Two versions with equal comparable versions never
// form a pair.
func Misordered(versions []Native, compare func(a, b string) int) (problem, leftOut []bool) {
	problem, leftOut = make([]bool, len(versions)), make([]bool, len(versions))
	ends := valueEnds(versions)
	lowest := "" // the lowest text of the greater versions
	for i, from := 0, 0; i < len(ends); i++ {
		for at := from; at < ends[i] && from > 0; at++ {
			leftOut[at] = compare(versions[at].Text, lowest) >= 0
			problem[at] = leftOut[at]
		}
		for ; from < ends[i]; from++ {
			if from == 0 || compare(versions[from].Text, lowest) < 0 {
				lowest = versions[from].Text
			}
		}
	}
	greatest := "" // the greatest text of the lower versions
	for i := len(ends) - 2; i >= 0; i-- {
		for at := ends[i]; at < ends[i+1]; at++ {
			if greatest == "" || compare(versions[at].Text, greatest) > 0 {
				greatest = versions[at].Text
			}
		}
		from := 0
		if i > 0 {
			from = ends[i-1]
		}
		for at := from; at < ends[i]; at++ {
			problem[at] = problem[at] || compare(versions[at].Text, greatest) <= 0
		}
	}
	return problem, leftOut
}

// valueEnds returns, for each run of versions with equal comparable versions, the index after the
// last one.
func valueEnds(versions []Native) (ends []int) {
	for at := range versions {
		if next := at + 1; next == len(versions) || versions[next].Version.Compare(versions[at].Version) != 0 {
			ends = append(ends, next)
		}
	}
	return ends
}
