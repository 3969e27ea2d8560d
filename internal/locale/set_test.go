package locale_test

import (
	"strings"
	"testing"

	"svc/internal/locale"
)

// registered returns the set of languages used by the tests of this file.
func registered() *locale.Set {
	return locale.NewSet([]locale.Language{
		{Tag: "pt", Synonyms: []string{"pt-PT", "pt_AO"}},
		{Tag: "ja-JP"},
		{Tag: "Deutsch", Synonyms: []string{"de"}},
	})
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, preference string
		index            int
		unknown          bool
	}{
		{"absent: the default, nothing to tell", "", -1, false},
		{"blank: the default, nothing to tell", " \t\n", -1, false},
		{"the primary tag", "pt", 0, false},
		{"the primary tag in another case", "PT", 0, false},
		{"the primary tag written in another way", "ja (jp)", 1, false},
		{"the primary tag within blanks", " deutsch ", 2, false},
		{"a synonym", "pt-PT", 0, false},
		{"a synonym written in another way", "PT(ao)", 0, false},
		{"a synonym of a name", "DE", 2, false},
		{"a language does not stand for its regions", "pt-BR", -1, true},
		{"a region does not stand for its language", "ja", -1, true},
		{"a longer tag", "ja-Hira-JP", -1, true},
		{"the beginning of a name", "Deut", -1, true},
		{"no tag at all", "xx**", -1, true},
		{"separators alone", "()", -1, true},
		{"no check of characters", "a/b\x00\xff", -1, true},
		{"no check of the length", strings.Repeat("x", 100_000), -1, true},
		{"many separators are still one", "ja" + strings.Repeat("_", 100_000) + "jp", 1, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			index, unknown := registered().Resolve(tc.preference)
			if index != tc.index || unknown != tc.unknown {
				t.Errorf("Resolve(%.40q): got %d, %v, want %d, %v", tc.preference, index, unknown, tc.index, tc.unknown)
			}
			if found := registered().Find(tc.preference); found != tc.index {
				t.Errorf("Find(%.40q): got %d, want %d", tc.preference, found, tc.index)
			}
		})
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name      string
		languages []locale.Language
		tag       string
		want      int
	}{
		{"no language", nil, "pt", -1},
		{"a synonym alone is no other one", []locale.Language{{Tag: "pt", Synonyms: []string{"x"}}}, "y", -1},
		{"two claim a tag: the earlier one has it", []locale.Language{{Tag: "pt", Synonyms: []string{"x"}}, {Tag: "X"}}, "x", 0},
		{"what is not claimed twice is found", []locale.Language{{Tag: "pt", Synonyms: []string{"x"}}, {Tag: "X", Synonyms: []string{"y"}}}, "y", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := locale.NewSet(tc.languages).Find(tc.tag); got != tc.want {
				t.Errorf("%q in %+v: got %d, want %d", tc.tag, tc.languages, got, tc.want)
			}
		})
	}
}

func TestMessage(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, tag, shown string
	}{
		{"the tag as submitted", "pt_BR", "pt_BR"},
		{"without blanks around it", " pt-BR\n", "pt-BR"},
		{"any script", "日本語", "日本語"},
		{"64 characters", strings.Repeat("ж", 64), strings.Repeat("ж", 64)},
		{"more are cut", strings.Repeat("ж", 65), strings.Repeat("ж", 64) + "…"},
		{"control characters are replaced", "a\x00b\x1b[31m\u009b", "a�b�[31m�"},
		{"line breaks are replaced", "a\nb\u2028c", "a�b�c"},
		{"a change of direction is replaced", "a\u202eb", "a�b"},
		{"bytes that are not UTF-8 are replaced", "a\xff\xfeb", "a��b"},
		{"quotes stay", `a"b`, `a"b`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			want := `The language "` + tc.shown + `" is not available, so the default text is shown.`
			if got := locale.Message(tc.tag); got != want {
				t.Errorf("Message(%q): got %q, want %q", tc.tag, got, want)
			}
		})
	}
}
