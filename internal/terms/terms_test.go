package terms_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"svc/internal/terms"
)

var update = flag.Bool("update", false, "write testdata/revisions.golden")

func TestLanguageFor(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, preference string
		want             terms.Language
		unknown          bool
	}{
		{"none", "", terms.English, false},
		{"blank", " \t", terms.English, false},
		{"English", "en", terms.English, false},
		{"English of a country", "EN (gb)", terms.English, false},
		{"Chinese", "zh", terms.Chinese, false},
		{"Chinese of a country", " zh_CN ", terms.Chinese, false},
		{"Chinese in another script: better than English", "zh-Hant-TW", terms.Chinese, false},
		{"another language", "fr", terms.English, true},
		{"a word that begins with a tag", "english", terms.English, true},
		{"no tag at all", "--", terms.English, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got, unknown := terms.LanguageFor(tc.preference); got != tc.want || unknown != tc.unknown {
				t.Errorf("got %d, %t, want %d, %t", got, unknown, tc.want, tc.unknown)
			}
		})
	}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	var slugs []string
	for _, d := range terms.All() {
		slugs = append(slugs, d.Slug)
		if terms.Find(d.Slug) != d {
			t.Errorf("%s is not found", d.Slug)
		}
	}
	if want := []string{terms.PrivacyPolicy, terms.SDKCompliance}; !slices.Equal(slugs, want) {
		t.Errorf("got %q, want %q", slugs, want)
	}
	if terms.Find("imprint") != nil {
		t.Error("there is a document that nobody wrote")
	}
}

// TestTexts checks that every text contains the parts that it must have.
func TestTexts(t *testing.T) {
	t.Parallel()
	chapters := map[string]int{terms.PrivacyPolicy: 12, terms.SDKCompliance: 11}
	keys := map[string][]string{
		terms.PrivacyPolicy: terms.PlaceholderKeys(),
		terms.SDKCompliance: {"contact_email", "effective_date", "operator_name"},
	}
	eachText(t, func(t *testing.T, slug string, l terms.Language, _ string) {
		text := terms.Find(slug).In(l)
		if n := utf8.RuneCountInString(text.Content); n < 4000 || n > 40_000 {
			t.Errorf("got %d characters, want a whole document that fits into a draft with its blanks filled in", n)
		}
		if n := len(regexp.MustCompile(`(?m)^## `).FindAllString(text.Content, -1)); n != chapters[slug] {
			t.Errorf("got %d chapters, want %d", n, chapters[slug])
		}
		if strings.Contains(text.Summary, "{{") || strings.Contains(text.Title, "{{") {
			t.Error("title and summary are shown everywhere and must be whole")
		}
		got := []string{}
		for _, p := range text.Placeholders {
			got = append(got, p.Key)
			if p.Label == "" || p.Hint == "" || p.Example == "" || p.Required == (p.Key == "dpo_contact") {
				t.Errorf("placeholder %+v is not described", p)
			}
		}
		if first := strings.Index(text.Content, "{{"); !strings.HasPrefix(text.Content[first:], "{{ "+got[0]+" }}") {
			t.Errorf("the first placeholder is not %s", got[0])
		}
		slices.Sort(got)
		if want := slices.Sorted(slices.Values(keys[slug])); !slices.Equal(got, want) {
			t.Errorf("got placeholders %q, want %q", got, want)
		}
	})
}

// TestHeadings checks that chapters and sections are numbered in order, and that each
// reference leads to a section that exists.
func TestHeadings(t *testing.T) {
	t.Parallel()
	heading := regexp.MustCompile(`(?m)^(#{2,3}) (?:(\d+)\. |(\d+)\.(\d+) )?\S`)
	reference := regexp.MustCompile(`(?:[Ss]ections?|[Cc]hapters?|第) ?\d+(?:\.\d+)?(?:(?:, | and | or | ?、| ?和| ?或) ?\d+(?:\.\d+)?)*`)
	eachText(t, func(t *testing.T, _ string, _ terms.Language, source string) {
		known := map[string]bool{}
		chapter, section := 0, 0
		for _, m := range heading.FindAllStringSubmatch(source, -1) {
			switch want := fmt.Sprint(chapter+1, ".", 0); {
			case m[1] == "##" && m[2] == fmt.Sprint(chapter+1):
				chapter, section = chapter+1, 0
				known[m[2]] = true
			case m[1] == "###" && m[3] == fmt.Sprint(chapter) && m[4] == fmt.Sprint(section+1):
				section++
				known[m[3]+"."+m[4]] = true
			default:
				t.Errorf("heading %q: want %s or %d.%d", m[0], want, chapter, section+1)
			}
		}
		for _, m := range reference.FindAllString(source, -1) {
			for _, to := range regexp.MustCompile(`\d+(?:\.\d+)?`).FindAllString(m, -1) {
				if !known[to] {
					t.Errorf("%q refers to nothing", m)
				}
			}
		}
	})
}

// notFigures matches digits in a source that are not facts about this program, such as
// numbers of chapters, references to them, names of standards, statuses and file modes.
var notFigures = regexp.MustCompile(`(?m)\[\[[a-z0-9_]+\]\]|^#{2,3} [\d.]+ |^\d+\. |` +
	`(?:[Ss]ections?|[Cc]hapters?|第) ?[\d.]*\d(?:(?:, | and | or | ?、| ?和| ?或) ?[\d.]*\d)*|` +
	`IPv[46]\b|Argon2id|ES2020|a-z 0-9|mode 0600|0600|\b(?:40[01345]|41[03]|422|429|50[234])\b`)

// TestFiguresAreFacts checks that all numbers in the texts come from facts.go, and that all facts
// are used.
func TestFiguresAreFacts(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, name := range sources(t) {
		for _, m := range regexp.MustCompile(`\[\[([a-z0-9_]+)\]\]`).FindAllStringSubmatch(read(t, name), -1) {
			used[m[1]] = true
		}
	}
	for name := range terms.Facts {
		if !used[name] {
			t.Errorf("no text names %s", name)
		}
	}
	eachText(t, func(t *testing.T, _ string, _ terms.Language, source string) {
		for line := range strings.Lines(source) {
			if rest := notFigures.ReplaceAllString(line, ""); strings.ContainsAny(rest, "0123456789") {
				t.Errorf("a figure of its own: %q", rest)
			}
		}
	})
}

// TestTranslations checks that the translations of each document agree. Every section
// must have the same tables and lists, and name the same fields, figures, placeholders
// and other sections.
func TestTranslations(t *testing.T) {
	t.Parallel()
	token := regexp.MustCompile("`[^`]+`|\\[\\[[a-z0-9_]+\\]\\]|\\{\\{ [a-z0-9_]+ \\}\\}|\\b\\d+(?:\\.\\d+)?|(?m)^(?:\\| |- |\\d+\\. |> |\\|-)")
	split := regexp.MustCompile(`(?m)^##`)
	outline := func(source string) (sections []string) {
		for _, section := range split.Split(source, -1) {
			tokens := token.FindAllString(section, -1)
			slices.Sort(tokens)
			number, _, _ := strings.Cut(strings.TrimLeft(section, "# "), " ")
			sections = append(sections, number+strings.Join(tokens, " "))
		}
		return sections[1:]
	}
	for _, d := range terms.All() {
		english := outline(read(t, d.Slug+".en.md"))
		chinese := outline(read(t, d.Slug+".zh.md"))
		if len(english) != len(chinese) {
			t.Fatalf("%s: %d sections in English, %d in Chinese", d.Slug, len(english), len(chinese))
		}
		for i := range english {
			if english[i] != chinese[i] {
				t.Errorf("%s: a section differs\nEnglish %s\nChinese %s", d.Slug, english[i], chinese[i])
			}
		}
	}
}

// TestEmphasis checks that emphasis ends where it should. CommonMark does not end
// emphasis between a punctuation mark and a letter, as in **名称：**某公司. The text for a
// placeholder may begin with a letter.
func TestEmphasis(t *testing.T) {
	t.Parallel()
	mark := regexp.MustCompile(`\*{1,2}`)
	broken := regexp.MustCompile(`\pP\*{1,2}(?:\{|[^\s\pP])`)
	eachText(t, func(t *testing.T, _ string, _ terms.Language, source string) {
		for line := range strings.Lines(source) {
			marks := mark.FindAllStringIndex(line, -1)
			if len(marks)%2 != 0 {
				t.Errorf("emphasis is not closed in %q", line)
			}
			for i, at := range marks {
				_, before := utf8.DecodeLastRuneInString(line[:at[0]])
				_, after := utf8.DecodeRuneInString(line[at[1]:])
				if around := line[at[0]-before : at[1]+after]; i%2 == 1 && broken.MatchString(around) {
					t.Errorf("emphasis does not end at %q", around)
				}
			}
		}
	})
}

// TestRead checks which sources are rejected: readers of their texts would see marks that
// are meant for the authors.
func TestRead(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, source, want string }{
		{"good", "# Title\n\nSummary.\n\nAt most [[content_max]] of {{ operator_name }}.\n", ""},
		{"no title", "Title\n\nSummary.\n\nText.\n", "must have a title"},
		{"no summary", "# Title\n\nText.\n", "must have a title, a summary"},
		{"unregistered placeholder", "# Title\n\nSummary.\n\n{{ operator }}\n", `no placeholder "operator"`},
		{"capital letter", "# Title\n\nSummary.\n\n{{ operator_Name }}\n", "is not a placeholder"},
		{"half a placeholder", "# Title\n\nSummary.\n\n{{ operator_name }\n", "is not a placeholder"},
		{"placeholder in the title", "# {{ title }}\n\nSummary.\n\nText.\n", "is not a placeholder"},
		{"unregistered figure", "# Title\n\nSummary.\n\n[[content]]\n", `no figure "content"`},
		{"figure in capitals", "# Title\n\nSummary.\n\n[[CONTENT_MAX]]\n", `no figure "CONTENT_MAX"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			text, err := terms.Read(tc.source, terms.English)
			if tc.want == "" {
				if err != nil || text.Title != "Title" || text.Summary != "Summary." || text.Content != "At most 4096 of {{ operator_name }}." || len(text.Placeholders) != 1 {
					t.Errorf("got %+v, %v", text, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q in it", err, tc.want)
			}
		})
	}
}

// TestHeadCells checks that every column of a table has a heading, which screen readers need.
func TestHeadCells(t *testing.T) {
	t.Parallel()
	unnamed := regexp.MustCompile(`(?m)^.*\|\s*\|.*\n\|---.*$`)
	for _, d := range terms.All() {
		for tag, l := range terms.Languages() {
			if head := unnamed.FindString(d.In(l).Content); head != "" {
				t.Errorf("%s %s: a column has no name:\n%s", d.Slug, tag, head)
			}
		}
	}
}

// TestRevisions checks that a text that has changed has a later revision. The golden file
// contains the last revision and the checksum of each text. It is updated only if the
// revision is later.
func TestRevisions(t *testing.T) {
	t.Parallel()
	const golden = "testdata/revisions.golden"
	former := map[string][]string{} // revision and checksum of each text, by slug and language
	for line := range strings.Lines(read(t, golden)) {
		words := strings.Fields(line)
		former[words[0]+" "+words[1]] = words[2:]
	}
	var now strings.Builder
	for _, d := range terms.All() {
		revised := time.Unix(d.Revised, 0).UTC().Format(time.RFC3339)
		for _, tag := range slices.Sorted(maps.Keys(terms.Languages())) {
			text := d.In(terms.Languages()[tag])
			sum := fmt.Sprintf("%x", sha256.Sum256([]byte(text.Title+"\n"+text.Summary+"\n"+text.Content)))[:16]
			name := d.Slug + " " + tag
			fmt.Fprintf(&now, "%s %s %s\n", name, revised, sum)
			if before := former[name]; before != nil && before[1] != sum && before[0] >= revised {
				t.Errorf("%s is another text than that of %s: set a later Revised in terms.go", name, before[0])
			}
		}
	}
	switch {
	case t.Failed():
	case *update:
		if err := os.WriteFile(golden, []byte(now.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	case read(t, golden) != now.String():
		t.Errorf("%s is out of date: run go test ./internal/terms -update", golden)
	}
}

// eachText runs a subtest with the source of each text.
func eachText(t *testing.T, test func(t *testing.T, slug string, l terms.Language, source string)) {
	t.Helper()
	for _, name := range sources(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parts := strings.Split(name, ".")
			test(t, parts[0], terms.Languages()[parts[1]], read(t, name))
		})
	}
}

// sources returns the file names of the texts: one for each document and language.
func sources(t *testing.T) (names []string) {
	t.Helper()
	for _, d := range terms.All() {
		for tag := range maps.Keys(terms.Languages()) {
			names = append(names, d.Slug+"."+tag+".md")
		}
	}
	return names
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
