package release_test

import (
	"math/big"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"svc/internal/release"
)

// grammar defines a comparable version independently of Parse.
var grammar = regexp.MustCompile(`\A[0-9]+(?:\.[0-9]+)*(?:-(?:alpha|beta|rc)(?:\.[0-9]+)*)?\z`)

// FuzzParse compares Parse with the grammar, and Compare with the definition of the
// order. The order must be total, antisymmetric and transitive, and versions with equal
// numbers must be equal.
func FuzzParse(f *testing.F) {
	f.Fuzz(func(t *testing.T, a, b, c string) {
		for _, text := range []string{a, b, c} {
			got, ok := release.Parse(text)
			if want := len(text) <= 64 && grammar.MatchString(text); ok != want {
				t.Fatalf("Parse(%q): got %v, want %v", text, ok, want)
			}
			if ok && got.String() != text {
				t.Fatalf("Parse(%q): got text %q, want it unchanged", text, got)
			}
			display, rest := " v"+text+"\n", strings.TrimRightFunc(text, unicode.IsSpace)
			derived, ok := release.Derive(display)
			if want := len(rest) <= 64 && grammar.MatchString(rest); ok != want || ok && derived.String() != rest {
				t.Fatalf("Derive(%q): got %q, %v, want %q, %v", display, derived, ok, rest, want)
			}
		}
		checkOrder(t, a, b, c)
	})
}

// checkOrder compares the given versions with each other. It ignores texts that are not
// versions.
func checkOrder(t *testing.T, texts ...string) {
	t.Helper()
	var all []release.Comparable
	for _, text := range texts {
		if c, ok := release.Parse(text); ok {
			all = append(all, c)
		}
	}
	for _, x := range all {
		for _, y := range all {
			got, want := sign(x.Compare(y)), definedOrder(x.String(), y.String())
			if got != want {
				t.Fatalf("%s to %s: got %d, want %d", x, y, got, want)
			}
			if back := sign(y.Compare(x)); back != -got {
				t.Fatalf("%s to %s: got %d, but %d the other way round", x, y, got, back)
			}
			for _, z := range all {
				if x.Compare(y) <= 0 && y.Compare(z) <= 0 && x.Compare(z) > 0 {
					t.Fatalf("%s <= %s <= %s: got the first greater than the last", x, y, z)
				}
			}
		}
	}
}

// definedOrder compares two versions according to the definition of the order.
func definedOrder(a, b string) int {
	aCore, aTag, aNumbers := takeApart(a)
	bCore, bTag, bNumbers := takeApart(b)
	if n := orderNumbers(aCore, bCore); n != 0 {
		return n
	}
	if n := strings.Index(tags, aTag) - strings.Index(tags, bTag); n != 0 {
		return sign(n)
	}
	return orderNumbers(aNumbers, bNumbers)
}

const tags = "alpha beta rc release" // the tags in ascending order

func takeApart(version string) (core []string, tag string, numbers []string) {
	halves := strings.Split(version, "-")
	core, tag = strings.Split(halves[0], "."), "release"
	if len(halves) == 2 {
		parts := strings.Split(halves[1], ".")
		tag, numbers = parts[0], parts[1:]
	}
	return core, tag, numbers
}

func orderNumbers(a, b []string) int {
	for i := range max(len(a), len(b)) {
		x, y := new(big.Int), new(big.Int) // a missing number is 0
		if i < len(a) {
			x.SetString(a[i], 10)
		}
		if i < len(b) {
			y.SetString(b[i], 10)
		}
		if n := x.Cmp(y); n != 0 {
			return n
		}
	}
	return 0
}

// TestOrderOfRandomVersions checks the order of versions with small differences, which a
// fuzzer rarely generates.
func TestOrderOfRandomVersions(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 20_000 {
		checkOrder(t, randomVersion(r), randomVersion(r), randomVersion(r))
	}
}

// randomVersion returns a version made from few different numbers, so that equal prefixes
// and equal values with different texts are frequent. A few of its results are too long.
func randomVersion(r *rand.Rand) string {
	numbers := func(n int) string {
		var parts []string
		for range n {
			parts = append(parts, pick(r, "0", "0", "00", "1", "01", "2", "9", "10", "18446744073709551616", "999999999999999999999999", "1000000000000000000000000"))
		}
		return strings.Join(parts, ".")
	}
	text := numbers(1 + r.IntN(4))
	if r.IntN(2) == 0 {
		text += "-" + pick(r, "alpha", "beta", "rc")
		if n := r.IntN(3); n > 0 {
			text += "." + numbers(n)
		}
	}
	return text
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }
