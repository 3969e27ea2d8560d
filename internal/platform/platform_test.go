package platform

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		want       Platform
		ok         bool
	}{
		{"a value of the set", "windows", Windows, true},
		{"any case", "MacOS", MacOS, true},
		{"blanks around it", " \t ios\n", IOS, true},
		{"empty is none", "", "", false},
		{"blank is none", "  ", "", false},
		{"another name for a platform is none of the set", "osx", "", false},
		{"a prefix is not enough", "androi", "", false},
		{"text after it is not allowed", "windows 11", "", false},
		{"no blanks inside", "mac os", "", false},
		{"a dotted capital I is not an i", "İos", "", false},
		{"a long s is not an s", "ioſ", "", false},
		{"bytes that are not UTF-8", "web\xff", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got, ok := Parse(tc.text); got != tc.want || ok != tc.ok {
				t.Errorf("Parse(%q): got %q, %v, want %q, %v", tc.text, got, ok, tc.want, tc.ok)
			}
		})
	}
}

func TestAllOrder(t *testing.T) {
	t.Parallel()
	var got []string
	for _, p := range All {
		got = append(got, string(p))
		if q, ok := Parse(strings.ToUpper(string(p))); q != p || !ok {
			t.Errorf("Parse of %q in capitals: got %q, %v", p, q, ok)
		}
	}
	want := []string{"windows", "linux", "macos", "ios", "android", "web", "others"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
