package searchtext_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"svc/internal/searchtext"
)

func TestText(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"lower ASCII stays", "err_conn_42 v1.2.0-beta.1", "err_conn_42 v1.2.0-beta.1"},
		{"upper case", "ERR_CONN_42", "err_conn_42"},
		{"accented capital", "ÉTÉ", "été"},
		{"decomposed letters are composed", "e\u0301te\u0301", "été"},
		{"decomposed capitals", "E\u0301", "é"},
		{"Greek and Cyrillic", "ΑΘΗΝΑ МОСКВА", "αθηνα москва"},
		{"final sigma is not sigma", "ς", "ς"},
		{"Turkish capital I with dot is one rune", "İstanbul", "istanbul"},
		{"Turkish capital I with dot, decomposed", "I\u0307stanbul", "istanbul"},
		{"sharp s", "STRAẞE Straße", "straße straße"},
		{"Kelvin sign", "300 \u212a", "300 k"},
		{"capital that only has a composed small letter", "\u01c4 H\u0331 J\u030c", "\u01c6 \u1e96 \u01f0"},
		{"Chinese, Japanese, Korean", "连接超时 カタカナ 한국어", "连接超时 カタカナ 한국어"},
		{"decomposed Hangul", "\u1112\u1161\u11ab", "한"},
		{"decomposed kana", "か\u3099", "が"},
		{"compatibility forms stay", "ﬁ ① Ａ", "ﬁ ① ａ"},
		{"control characters are blanks", "a\tb\nc\x00d\x1be\x7ff\u0085g", "a b c d e f g"},
		{"a border in the text is a blank", "a\x01b", "a b"},
		{"no-break space stays", "a\u00a0b", "a\u00a0b"},
		{"emoji with joiners and modifiers", "👩‍🚀👍🏽🇩🇪", "👩‍🚀👍🏽🇩🇪"},
		{"what is no UTF-8 becomes the replacement character", "a\xffB", "a\ufffdb"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := searchtext.Text(tc.in); got != tc.want {
				t.Errorf("Text(%q): got %q, want %q", tc.in, got, tc.want)
			}
		})
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	a, empty, b := "One", "", "Two\x01"
	for _, tc := range []struct {
		name string
		in   []*string
		want string
	}{
		{"none", nil, ""},
		{"each begins with a border", []*string{&a, &b}, "\x01one\x01two "},
		{"missing and empty ones leave nothing", []*string{nil, &a, &empty, nil}, "\x01one"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := searchtext.Fields(tc.in...); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestGrams(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"one rune", "a", "a"},
		{"two runes", "ab", "a b ab"},
		{"four runes", "abcd", "a b ab c bc abc d cd bcd"},
		{"runes, not bytes", "连接超", "连 接 连接 超 接超 连接超"},
		{"none across a border", "\x01ab\x01cd", "a b ab c d cd"},
		{"border alone", "\x01\x01", ""},
		{"runes of four bytes", "👍🏽", "👍 🏽 👍🏽"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			searchtext.Grams(tc.in, func(g string) { got = append(got, g) })
			if joined := strings.Join(got, " "); joined != tc.want {
				t.Errorf("got %q, want %q", joined, tc.want)
			}
		})
	}
}

func TestRequired(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, want string }{
		{"one rune is itself", "a", "a"},
		{"two runes", "超时", "超时"},
		{"three runes", "1.2", "1.2"},
		{"longer ones need their runs of three", "abcd", "abc|bcd"},
		{"each run once", "aaaaa", "aaa"},
		{"blanks count", "a b c", "a b| b |b c"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(searchtext.Required(tc.in), "|"); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// FuzzText checks the properties of folding on which searches rely.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "ERR_CONN_42", "İ I\u0307 H\u0331", "e\u0301\u0301", "\x01\x7f\u0085", "\xff\xfe", "连接超时", "👩‍🚀", "\u1112\u1161\u11ab", "\u0344\u0958\ufb1d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		folded := searchtext.Text(s)
		if slow := searchtext.Compose(s); folded != slow {
			t.Errorf("Text(%q): got %q, in three passes %q", s, folded, slow)
		}
		if again := searchtext.Text(folded); again != folded {
			t.Errorf("Text(%q) is %q, folded again %q", s, folded, again)
		}
		if upper := searchtext.Text(strings.ToUpper(folded)); searchtext.Text(strings.ToLower(upper)) != upper {
			t.Errorf("Text(%q) is %q, which has capitals", strings.ToUpper(folded), upper)
		}
		if !utf8.ValidString(folded) {
			t.Errorf("Text(%q) is %q, which is not UTF-8", s, folded)
		}
		for _, r := range folded {
			if unicode.IsControl(r) {
				t.Errorf("Text(%q) is %q, which has control character %U", s, folded, r)
			}
		}
	})
}

// FuzzRequired checks that a text has all grams that Required returns for any part of the
// text.
func FuzzRequired(f *testing.F) {
	f.Add("upstream 10.0.0.1 连接超时", "second field", 3, 9)
	f.Add("İstanbul e\u0301", "\x00\x01", 0, 100)
	f.Add("👩‍🚀👍🏽", "aaaa", 1, 2)
	f.Add("", "", 0, 0)
	f.Fuzz(func(t *testing.T, a, b string, from, to int) {
		text := searchtext.Fields(&a, &b)
		grams := map[string]bool{}
		searchtext.Grams(text, func(g string) {
			if n := utf8.RuneCountInString(g); n < 1 || n > 3 || strings.ContainsRune(g, searchtext.Border) || !strings.Contains(text, g) {
				t.Errorf("gram %q of %q", g, text)
			}
			grams[g] = true
		})
		for _, field := range []string{searchtext.Text(a), searchtext.Text(b)} {
			runes := []rune(field)
			low := min(max(from, 0), len(runes))
			part := string(runes[low:min(max(to, low), len(runes))])
			if part == "" {
				continue
			}
			for _, g := range searchtext.Required(part) {
				if !grams[g] {
					t.Errorf("%q is in %q and requires %q, which is no gram of it", part, field, g)
				}
			}
		}
	})
}

// TestFoldOfEachRune compares the fast implementations with the general one, for each
// rune alone and between runes that compose.
func TestFoldOfEachRune(t *testing.T) {
	t.Parallel()
	const manyEqual = 0x18000 // beyond this, there are only ideographs, tags and unassigned runes
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		if r > manyEqual {
			r = min(r+30, utf8.MaxRune)
		}
		for _, s := range []string{string(r), "A" + string(r) + "\u0301", "É" + string(r) + "i\u094d"} {
			if got, want := searchtext.Text(s), searchtext.Compose(s); got != want {
				t.Errorf("Text(%+q): got %+q, want %+q", s, got, want)
			}
		}
	}
}

// TestFoldOfMarks folds combining marks in and out of canonical order, and long sequences
// of them.
func TestFoldOfMarks(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"क्षि", "क\u094d\u0334", "क\u0334\u094d", "é\u094d", "ệ" + strings.Repeat("\u094d", 16), "ệ" + strings.Repeat("\u094d", 17),
		strings.Repeat("\u0334", 40), "x" + strings.Repeat("\u094d\u0951", 20), "\u094d", "\u0951\u094d",
	} {
		if got, want := searchtext.Text(s), searchtext.Compose(s); got != want {
			t.Errorf("Text(%+q): got %+q, want %+q", s, got, want)
		}
	}
}
