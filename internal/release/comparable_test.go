package release_test

import (
	"encoding/json"
	"strings"
	"testing"

	"svc/internal/release"
)

// parse parses a text that must be a comparable version.
func parse(t testing.TB, text string) release.Comparable {
	t.Helper()
	c, ok := release.Parse(text)
	if !ok {
		t.Fatalf("Parse(%q): got false, want a comparable version", text)
	}
	return c
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		ok         bool
	}{
		{"one number", "1", true},
		{"zero is a number", "0", true},
		{"numbers separated by dots", "1.0.0", true},
		{"any count of numbers", "1.2.3.4.5.6.7.8.9", true},
		{"leading zeros are digits like others", "007.010", true},
		{"numbers of any size", "184467440737095516160.1", true},
		{"64 characters in one number", strings.Repeat("9", 64), true},
		{"64 characters in many numbers", strings.Repeat("1.", 30) + "1-rc", true},
		{"alpha", "2.0.0-alpha", true},
		{"beta with a number", "2.0.0-beta.3", true},
		{"rc with numbers", "2.0.0-rc.1.2", true},
		{"a tag after one number", "2-rc", true},
		{"65 characters are too many", strings.Repeat("9", 65), false},
		{"65 characters are too many, with a tag", strings.Repeat("1.", 30) + "1-rc.", false},
		{"empty", "", false},
		{"a leading v", "v1.0.0", false},
		{"another tag", "1.0.0-preview.1", false},
		{"a letter for a number", "1.0.x", false},
		{"a tag number needs its dot", "1.0.0-rc1", false},
		{"tags are lower case", "1.0.0-RC.1", false},
		{"only the whole word is a tag", "1.0-rcx.1", false},
		{"a dot needs a number before it", ".1", false},
		{"a dot needs a number after it", "1.", false},
		{"two dots", "1..2", false},
		{"a hyphen needs a tag", "1-", false},
		{"a tag needs numbers before it", "-rc", false},
		{"the dot of a tag needs a number", "1-rc.", false},
		{"two dots after a tag", "1-rc..1", false},
		{"a letter in the number of a tag", "1-rc.x", false},
		{"two tags", "1-rc-beta", false},
		{"a tag after the number of a tag", "1-rc.1-beta", false},
		{"build metadata", "1.0.0+7", false},
		{"a sign", "+1", false},
		{"a minus sign is no part of a number", "1.-2", false},
		{"a blank before", " 1", false},
		{"a blank after", "1 ", false},
		{"a final newline", "1.0\n", false},
		{"a blank inside", "1. 0", false},
		{"digits of other scripts", "١.٢", false},
		{"a comma", "1,2", false},
		{"bytes that are not UTF-8", "1.\xff", false},
		{"a NUL byte", "1\x00", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, ok := release.Parse(tc.text)
			if ok != tc.ok {
				t.Fatalf("Parse(%q): got %v, want %v", tc.text, ok, tc.ok)
			}
			want := ""
			if ok {
				want = tc.text
			}
			if c.String() != want || c.IsZero() == ok {
				t.Errorf("Parse(%q): got text %q, zero %v, want %q, %v", tc.text, c, c.IsZero(), want, !ok)
			}
		})
	}
}

// TestOrder checks the order of each pair of rows. The rows are ascending, and each names
// the rule by which it is greater than the previous one.
func TestOrder(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		order []string
	}{
		{"numbers compare as numbers", []string{"0", "1", "2", "9", "10", "11", "99", "100"}},
		{"left numbers come first", []string{"1.9.9", "1.10.0", "1.70.4", "2.00.0", "2.0.1", "10.0"}},
		{"a missing number counts as 0", []string{"1.2", "1.2.0.1", "1.2.1", "1.3"}},
		{"a release is greater than any tag of it", []string{"1.0-alpha", "1.0-beta", "1.0-rc", "1.0", "1.0.1-alpha", "1.0.1"}},
		{"the core comes before the tag", []string{"1.0", "1.1-alpha", "1.1-rc.99", "1.1", "2-alpha"}},
		{"numbers of tags compare as numbers", []string{"1-rc", "1-rc.0.1", "1-rc.1", "1-rc.1.5", "1-rc.2", "1-rc.10", "1-rc.11.0.1"}},
		{"a tag comes before its numbers", []string{"1-alpha.99", "1-beta.1", "1-beta.98", "1-rc"}},
		{"nothing is rounded above 2^53", []string{"9007199254740992", "9007199254740993", "9007199254740993.1"}},
		{"nothing is cut above 2^64", []string{"18446744073709551615", "18446744073709551616", "18446744073709551617"}},
		{"more digits are more at any length", []string{strings.Repeat("9", 30), "1" + strings.Repeat("0", 30), strings.Repeat("9", 31)}},
		{"numbers of the greatest length", []string{"1" + strings.Repeat("0", 63), strings.Repeat("9", 63) + "0", strings.Repeat("9", 64)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for i, left := range tc.order {
				for j, right := range tc.order {
					got := parse(t, left).Compare(parse(t, right))
					if want := sign(i - j); sign(got) != want {
						t.Errorf("%s to %s: got %d, want %d", left, right, got, want)
					}
				}
				if none := (release.Comparable{}); none.Compare(parse(t, left)) >= 0 {
					t.Errorf("none to %s: got not less, want less", left)
				}
			}
		})
	}
}

func sign(n int) int {
	return min(1, max(-1, n))
}

func TestEqualValues(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		equal []string
	}{
		{"a missing number counts as 0", []string{"1.2.3", "1.2.3.0", "1.2.3.0.0"}},
		{"zero has any count of numbers", []string{"0", "0.0", "000.0.00"}},
		{"leading zeros have no weight", []string{"2.0.10", "02.00.010", "2.0.0000010"}},
		{"a tag without number has number 0", []string{"1-rc", "1-rc.0", "1.0-rc.0.0", "01-rc.00"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for _, left := range tc.equal {
				for _, right := range tc.equal {
					if got := parse(t, left).Compare(parse(t, right)); got != 0 {
						t.Errorf("%s to %s: got %d, want 0", left, right, got)
					}
				}
			}
		})
	}
}

func TestDerive(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, display, want string // want is "" if nothing can be derived
	}{
		{"a comparable version is its own", "1.2", "1.2"},
		{"one v is dropped", "v1.2.3", "1.2.3"},
		{"one capital V is dropped", "V2.0-rc.1", "2.0-rc.1"},
		{"blanks around it are dropped", "\t v7 \n", "7"},
		{"the tag is kept", "v1.0.0-beta.2", "1.0.0-beta.2"},
		{"a second v is not dropped", "vv1", ""},
		{"blanks after the v are not dropped", "v 1", ""},
		{"a v alone", "v", ""},
		{"empty", "", ""},
		{"blank", "  ", ""},
		{"a name", "release-1.2", ""},
		{"build metadata", "v1.2.3+7", ""},
		{"another tag", "v1.0.0-preview.1", ""},
		{"64 characters after the v", "v" + strings.Repeat("1", 64), strings.Repeat("1", 64)},
		{"65 characters after the v", "v" + strings.Repeat("1", 65), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, ok := release.Derive(tc.display)
			if got.String() != tc.want || ok != (tc.want != "") {
				t.Errorf("Derive(%q): got %q, %v, want %q, %v", tc.display, got, ok, tc.want, tc.want != "")
			}
		})
	}
}

func TestRange(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, low, high, version string // low and high are "" for no bound
		want                     bool
	}{
		{"between the ends", "4.0", "4.9", "4.2.3", true},
		{"the lower end belongs to it", "4.0", "4.9", "4.0.0", true},
		{"the upper end belongs to it", "4.0", "4.9", "4.9.0.0", true},
		{"below", "4.0", "4.9", "3.99", false},
		{"above", "4.0", "4.9", "4.9.0.1", false},
		{"a tag of the lower end is below it", "4.0", "4.9", "4.0-rc.9", false},
		{"no lower end", "", "4.9", "0", true},
		{"no lower end, above", "", "4.9", "5", false},
		{"no upper end", "4.0", "", "999999999999999999999", true},
		{"no upper end, below", "4.0", "", "3", false},
		{"no end", "", "", "1", true},
		{"one value", "4-rc.1", "4.0-rc.1.0", "4-rc.1", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := span(t, tc.low, tc.high).Contains(parse(t, tc.version)); got != tc.want {
				t.Errorf("%s in %q to %q: got %v, want %v", tc.version, tc.low, tc.high, got, tc.want)
			}
		})
	}
}

func TestRangeValid(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, low, high string
		want            bool
	}{
		{"ends in order", "1", "2", true},
		{"equal ends", "1.0", "1", true},
		{"ends the wrong way round", "2", "1", false},
		{"a release above its own tag", "1", "1-rc", false},
		{"no lower end", "", "1", true},
		{"no upper end", "1", "", true},
		{"no end", "", "", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := span(t, tc.low, tc.high).Valid(); got != tc.want {
				t.Errorf("%q to %q: got %v, want %v", tc.low, tc.high, got, tc.want)
			}
		})
	}
}

// span returns a range. An empty text means that there is no bound on that side.
func span(t testing.TB, low, high string) (r release.Range) {
	t.Helper()
	if low != "" {
		r.Min = parse(t, low)
	}
	if high != "" {
		r.Max = parse(t, high)
	}
	return r
}

func TestStoredForm(t *testing.T) {
	t.Parallel()
	type record struct {
		Version release.Comparable `json:"version"`
		Range   release.Range      `json:"range"`
	}
	for _, tc := range []struct {
		name, json string
		want       record
	}{
		{"a version is its text", `{"version":"01.2-rc.3","range":{"min":"1.0","max":"2"}}`, record{parse(t, "01.2-rc.3"), span(t, "1.0", "2")}},
		{"none is empty, an open end is left out", `{"version":"","range":{"max":"2"}}`, record{Range: span(t, "", "2")}},
		{"no end at all", `{"version":"7","range":{}}`, record{Version: parse(t, "7")}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			text, err := json.Marshal(tc.want)
			if err != nil || string(text) != tc.json {
				t.Errorf("write %+v: got %s, %v, want %s", tc.want, text, err, tc.json)
			}
			got := record{Version: parse(t, "9")}
			if err := json.Unmarshal([]byte(tc.json), &got); err != nil || got != tc.want {
				t.Errorf("read %s: got %+v, %v, want %+v", tc.json, got, err, tc.want)
			}
		})
	}
}

func TestStoredFormRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{" ", "v1", "1.0\n", "x"} {
		c := parse(t, "9")
		if err := c.UnmarshalText([]byte(text)); err == nil || c != parse(t, "9") {
			t.Errorf("read %q: got %v, %v, want an error and no change", text, c, err)
		}
	}
}
