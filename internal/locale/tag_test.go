package locale_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"svc/internal/locale"
)

func TestKey(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, tag, want string
	}{
		{"lower case", "PT", "pt"},
		{"lower case beyond ASCII", "ČEŠTINA", "čeština"},
		{"blanks around it are dropped", " \tpt-br\n", "pt-br"},
		{"a hyphen", "en-US", "en-us"},
		{"an underscore is a hyphen", "en_US", "en-us"},
		{"parentheses are hyphens", "en(US)", "en-us"},
		{"a blank before a parenthesis", "EN (us)", "en-us"},
		{"a run of separators is one", "uk-__ - UA", "uk-ua"},
		{"separators at the ends are dropped", "-_en-us_ -", "en-us"},
		{"parentheses at the ends are dropped", "(en)", "en"},
		{"parentheses within", "sr-Latn(RS)x", "sr-latn-rs-x"},
		{"every part counts", "sr_Latn_RS", "sr-latn-rs"},
		{"without a separator blanks stay", "Pt  Br", "pt  br"},
		{"with one, blanks are separators everywhere", "a b(c)", "a-b-c"},
		{"any blank is one", "a\tb\u00a0c_d", "a-b-c-d"},
		{"other punctuation is text", "en.US/x", "en.us/x"},
		{"a name", "Deutsch", "deutsch"},
		{"a name without case", "日本語", "日本語"},
		{"nothing left but parentheses: unchanged", "()", "()"},
		{"nothing left but underscores: unchanged", "__", "__"},
		{"nothing left: trimmed all the same", " (_ -) ", "(_ -)"},
		{"empty", "", ""},
		{"blank", " \n", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := locale.Key(tc.tag); got != tc.want {
				t.Errorf("Key(%q): got %q, want %q", tc.tag, got, tc.want)
			}
		})
	}
}

func TestCleanTag(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, tag, want string // want is "" if the tag must be rejected
	}{
		{"kept as written", "pt_BR", "pt_BR"},
		{"blanks around it are dropped", " \tpt\n", "pt"},
		{"blanks inside are kept", "pt BR", "pt BR"},
		{"any other text", "日本語 (日本)", "日本語 (日本)"},
		{"separators alone", "()", "()"},
		{"one character", "x", "x"},
		{"35 characters", strings.Repeat("ж", 35), strings.Repeat("ж", 35)},
		{"35 characters within blanks", " " + strings.Repeat("x", 35) + " ", strings.Repeat("x", 35)},
		{"36 characters", strings.Repeat("x", 36), ""},
		{"empty", "", ""},
		{"blank", " \t\n", ""},
		{"a slash", "pt/BR", ""},
		{"a backslash", `pt\BR`, ""},
		{"a control character", "pt\tBR", ""},
		{"a NUL byte", "pt\x00", ""},
		{"a delete character", "pt\x7fBR", ""},
		{"a control character beyond ASCII", "pt\u009bBR", ""},
		{"bytes that are not UTF-8", "pt\xff", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, ok := locale.CleanTag(tc.tag)
			if got != tc.want || ok != (tc.want != "") {
				t.Errorf("CleanTag(%q): got %q, %v, want %q, %v", tc.tag, got, ok, tc.want, tc.want != "")
			}
		})
	}
}

func TestCleanSynonyms(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, primary string
		list, want    []string
	}{
		{"kept in order and as written", "pt", []string{"pt_PT", "PT (ao)"}, []string{"pt_PT", "PT (ao)"}},
		{"equal to the primary tag", "pt-BR", []string{"pt_br", "pt"}, []string{"pt"}},
		{"equal to an earlier one", "pt", []string{"pt_PT", "x", "PT(PT)"}, []string{"pt_PT", "x"}},
		{"all dropped", "pt", []string{"PT", " pt "}, []string{}},
		{"none", "pt", nil, []string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			before := slices.Clone(tc.list)
			got := locale.CleanSynonyms(tc.primary, tc.list)
			if got == nil || !slices.Equal(got, tc.want) {
				t.Errorf("CleanSynonyms(%q, %q): got %#v, want %#v", tc.primary, tc.list, got, tc.want)
			}
			if !slices.Equal(tc.list, before) {
				t.Errorf("the list that was handed over: got %q, want %q", tc.list, before)
			}
		})
	}
}

// FuzzKey compares Key with a second implementation that follows the steps of its
// definition, and checks the properties on which users of Key rely.
func FuzzKey(f *testing.F) {
	f.Fuzz(func(t *testing.T, tag string) {
		key := locale.Key(tag)
		if want := definedKey(tag); key != want {
			t.Fatalf("Key(%q): got %q, want %q", tag, key, want)
		}
		if again := locale.Key(key); again != key {
			t.Fatalf("Key(%q) = %q: got %q for the key itself, want no change", tag, key, again)
		}
		if other := locale.Key(" " + strings.ReplaceAll(tag, "-", "_") + "\t"); other != key && strings.ContainsFunc(key, isText) {
			t.Fatalf("Key(%q) = %q: got %q with underscores for hyphens, want no change", tag, key, other)
		}
		if clean, ok := locale.CleanTag(tag); ok && (clean == "" || locale.Key(clean) != key) {
			t.Fatalf("CleanTag(%q): got %q with the key %q, want the key %q", tag, clean, locale.Key(clean), key)
		}
		text := locale.Message(tag)
		if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) || utf8.RuneCountInString(text) > 160 {
			t.Fatalf("Message(%q): got %q, want a short sentence that can be shown", tag, text)
		}
		set := locale.NewSet([]locale.Language{{Tag: "xx"}, {Tag: tag}})
		if at := set.Find(key); at < 0 || at == 0 && key != "xx" {
			t.Fatalf("Find(%q): got %d, want the language %q", key, at, tag)
		}
	})
}

func isText(r rune) bool { return !strings.ContainsRune("-_()", r) && !unicode.IsSpace(r) }

func definedKey(tag string) string {
	first := strings.ToLower(strings.TrimSpace(tag))
	if !strings.ContainsAny(first, "-_()") {
		return first
	}
	var out []rune
	for _, r := range first {
		if r == '(' || r == ')' || r == '_' || unicode.IsSpace(r) {
			r = '-'
		}
		if r == '-' && len(out) > 0 && out[len(out)-1] == '-' {
			continue
		}
		out = append(out, r)
	}
	if key := strings.Trim(string(out), "-"); key != "" {
		return key
	}
	return first
}
