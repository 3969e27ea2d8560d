package codehost_test

import (
	"bytes"
	"fmt"
	"html"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	rendering "github.com/yuin/goldmark/renderer/html"

	"svc/internal/codehost"
	"svc/internal/fault"
	"svc/internal/placeholder"
)

// invisible is the character that the escaping inserts to prevent mentions and references.
const invisible = "\u200B"

// seen returns a text without the invisible characters that the escaping has inserted.
func seen(text string) string { return strings.ReplaceAll(text, invisible, "") }

// TestParseTemplateFile checks valid and invalid template files.
func TestParseTemplateFile(t *testing.T) {
	t.Parallel()
	builtin := codehost.BuiltinTemplate
	for _, tc := range []struct {
		name, file  string
		title, body string
		labels      []string
	}{
		{"without front matter the file is the body", "# Hi\n{{content}}\n", builtin.Title, "# Hi\n{{content}}\n", nil},
		{"front matter", "---\ntitle: Report\nlabels: bug, from users\n---\nB\n", "Report", "B\n", []string{"bug", "from users"}},
		{"line ends of Windows, and those of old", "---\r\ntitle: T\r---\r\nB\r\nC\r", "T", "B\nC\n", nil},
		{"a byte-order mark", "\uFEFF---\ntitle: T\n---\nB", "T", "B", nil},
		{"keys in any case, any order, and others", "---\nLabels: x\nassignees: y\n\nno key\nTITLE:T: more\n---\nB", "T: more", "B", []string{"x"}},
		{"one pair of quotation marks", "---\ntitle: \"\"T\"\"\nlabels: 'a, b'\n---\nB", `"T"`, "B", []string{"a", "b"}},
		{"quotation marks that are no pair", "---\ntitle: \"T'\n---\nB", `"T'`, "B", nil},
		{"blank title", "---\ntitle: ' '\n---\nB", builtin.Title, "B", nil},
		{"blank body", "---\ntitle: T\n---\n \n", "T", builtin.Body, nil},
		{"front matter at the end of the file", "---\ntitle: T\n---", "T", builtin.Body, nil},
		{"front matter that does not end", "---\ntitle: T\nB\n", builtin.Title, "---\ntitle: T\nB\n", nil},
		{"front matter that is not at the very start", "\n---\ntitle: T\n---\nB", builtin.Title, "\n---\ntitle: T\n---\nB", nil},
		{"a rule in the body", "---\ntitle: T\n---\nB\n---\nC", "T", "B\n---\nC", nil},
		{"four dashes are no fence", "----\ntitle: T\n----\nB", builtin.Title, "----\ntitle: T\n----\nB", nil},
		{"empty front matter", "---\n---\nB", builtin.Title, "B", nil},
		{"labels: blank, twice, too long, too many", "---\nlabels: a,, a ," + strings.Repeat("x", 65) + ",b,c,d,e,f,g,h,i\n---\nB", builtin.Title, "B", []string{"a", "b", "c", "d", "e", "f", "g", "h"}},
		{"blank labels", "---\nlabels: ,\n---\nB", builtin.Title, "B", nil},
		{"an empty file", "", builtin.Title, builtin.Body, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := codehost.ParseTemplateFile(tc.file)
			if want := (codehost.Template{Title: tc.title, Body: tc.body, Labels: tc.labels}); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, %v, want %+v", got, err, want)
			}
		})
	}
	for name, file := range map[string]string{"other bytes": "\xff\xfe", "zeros": "a\x00b", "a very long one": strings.Repeat("x", 64<<10+1)} {
		if _, err := codehost.ParseTemplateFile(file); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func FuzzParseTemplateFile(f *testing.F) {
	f.Add("---\ntitle: 'T'\nlabels: a,b\n---\nB")
	f.Add("\uFEFF---\r\nLABELS:\r---")
	f.Add("---")
	f.Fuzz(func(t *testing.T, file string) {
		got, err := codehost.ParseTemplateFile(file)
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%q: %v", file, err)
			}
			return
		}
		if strings.TrimSpace(got.Title) == "" || strings.TrimSpace(got.Body) == "" || strings.Contains(got.Title+got.Body, "\r") || strings.Contains(got.Title, "\n") {
			t.Errorf("%q: got %+v", file, got)
		}
		for _, label := range got.Labels {
			if label != strings.TrimSpace(label) || label == "" || utf8.RuneCountInString(label) > 64 || len(got.Labels) > 8 {
				t.Errorf("%q: got labels %q", file, got.Labels)
			}
		}
	})
}

// feedback returns a feedback with a value for each variable.
func feedback() codehost.Feedback {
	return codehost.Feedback{
		ProjectKey: "my-app", ProjectName: "My App", ID: "01890000-0000-7000-8000-000000000000", Content: "It crashed", Rating: 4,
		Contact: "ann@example.com", UserID: "u1", Platform: "windows", PlatformVersion: "11",
		CreatedAt: time.Date(2026, 2, 3, 4, 5, 6, 7, time.FixedZone("", 3600)),
	}
}

// TestVariables checks the value of each variable.
func TestVariables(t *testing.T) {
	t.Parallel()
	none := codehost.Feedback{CreatedAt: feedback().CreatedAt}
	long := feedback()
	long.Content = strings.Repeat("é", 61)
	exact := feedback()
	exact.Content = strings.Repeat("é", 60)
	lines := feedback()
	lines.Content = " one\r\n\n two  three\n"
	for _, tc := range []struct {
		name     string
		feedback codehost.Feedback
		want     string
	}{
		{"project_key", feedback(), "my-app"},
		{"project_name", feedback(), "My App"},
		{"feedback_id", feedback(), "01890000-0000-7000-8000-000000000000"},
		{"content", feedback(), "It crashed"},
		{"content", lines, "one<br><br>two three"},
		{"content_head", feedback(), "It crashed"},
		{"content_head", exact, strings.Repeat("é", 60)},
		{"content_head", long, strings.Repeat("é", 60) + "…"},
		{"content_head", lines, "one two three"},
		{"rating", feedback(), "4/5"},
		{"rating", none, "not rated"},
		{"contact", feedback(), "ann@example.com"},
		{"contact", none, "not given"},
		{"user_id", feedback(), "u1"},
		{"user_id", none, "anonymous"},
		{"platform", feedback(), "windows"},
		{"platform", none, "unknown platform"},
		{"platform_version", feedback(), "11"},
		{"platform_version", none, ""},
		{"created_at", feedback(), "2026-02-03T03:05:06Z"},
	} {
		_, body := codehost.Template{Title: "T", Body: "[{{ " + tc.name + " }}]"}.Render(tc.feedback)
		if want := "[" + tc.want + "]"; body != want {
			t.Errorf("%s: got %q, want %q", tc.name, body, want)
		}
		if !slices.Contains(codehost.Variables, tc.name) {
			t.Errorf("%s is not listed", tc.name)
		}
	}
	want := "project_key project_name feedback_id content content_head rating contact user_id platform platform_version created_at"
	if got := strings.Join(codehost.Variables, " "); got != want {
		t.Errorf("got the order %s, want %s", got, want)
	}
}

func TestRender(t *testing.T) {
	t.Parallel()
	f := feedback()
	f.Content = "{{rating}} {{ nobody }}"
	title, body := codehost.Template{Title: "{{content}} {{ nobody }} {{Rating}}", Body: "{{content}}"}.Render(f)
	if title != "{{rating}} {{ nobody }} {{ nobody }} {{Rating}}" || body != "{{rating}} {{ nobody }}" {
		t.Errorf("one pass, and unknown names stay: got %q and %q", title, body)
	}
	f = feedback()
	title, body = codehost.BuiltinTemplate.Render(f)
	if title != "[User feedback] It crashed" {
		t.Errorf("got the title %q", title)
	}
	for _, part := range []string{
		"It crashed\n\n|", "| Project | My App (my-app) |", "| Feedback | 01890000-0000-7000-8000-000000000000 |", "| Contact | ann@example.com |", "| User | u1 |",
		"| Platform | windows 11 |", "| Time | 2026-02-03T03:05:06Z |", "forwarded automatically",
	} {
		if !strings.Contains(body, part) {
			t.Errorf("the built-in body lacks %q:\n%s", part, body)
		}
	}
	if strings.Contains(body, "4/5") || slices.Contains(placeholder.Names(codehost.BuiltinTemplate.Body), "rating") {
		t.Errorf("the built-in body has the rating:\n%s", body)
	}
	title, _ = codehost.Template{Title: "{{platform_version}}", Body: "B"}.Render(codehost.Feedback{Content: "c"})
	if title != "[User feedback] c" {
		t.Errorf("a title of nothing: got %q", title)
	}
	f.Content = strings.Repeat("|", 4096)
	title, body = codehost.Template{Title: "{{content}}", Body: strings.Repeat("{{content}}", 20)}.Render(f)
	if utf8.RuneCountInString(title) > 256 || utf8.RuneCountInString(body) > 65536-1000 {
		t.Errorf("a title of %d and a body of %d characters", utf8.RuneCountInString(title), utf8.RuneCountInString(body))
	}
}

// TestVisitorsText checks the escaped forms of texts that contain markup.
func TestVisitorsText(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, content, title, body string }{
		{"a mention", "ask @octocat, a@b", "ask @~octocat, a@~b", "ask @~octocat, a@~b"},
		{"an address", "to a_b@mail.example.com!", "to a_b@mail.example.com!~", "to a&#x5f;b@mail.example.com!~"},
		{"issues", "fixes #12, own/app#1 GH-3 !4 high-5", "fixes #~12, own/app#~1 GH-~3 !~4 high-5", "fixes #~12, own/app#~1 GH-~3 !~4 high-5"},
		{"links", "see https://github.com/a/b/issues/1 WWW.x.de", "see https:~//github.com/a/b/issues/1 WWW~.x.de", "see https:~//github.com/a/b/issues/1 WWW~.x.de"},
		{"Markdown links", "[a](b) ![c](d)", "[a](b) ![c](d)", "&#x5b;a&#x5d;(b) !&#x5b;c&#x5d;(d)"},
		{"a cell and lines", "a | b\nc", "a | b c", "a &#x7c; b<br>c"},
		{"HTML", "<b>x</b> <!-- svc -->", "<~b>x<~/b> <~!-- svc -->", "&lt;b&gt;x&lt;/b&gt; &lt;!-- svc --&gt;"},
		{"the end of an attribute", `a" src="b`, `a" src="b`, `a&quot; src=&quot;b`},
		{"a block of code", "```\nx\n```", "''' x '''", "&#x60;&#x60;&#x60;<br>x<br>&#x60;&#x60;&#x60;"},
		{"a heading", "# a", "#~ a", "#~ a"},
		{"an underline", "===", "===", "&#x3d;=="},
		{"a list", "1. a", "1. a", "1&#x2e; a"},
		{"numbers", "1.5 and 2026-01-02", "1.5 and 2026-01-02", "1.5 and 2026-01-02"},
		{"an entity", "&copy; R&D", "&copy; R&D", "&amp;copy; R&amp;D"},
		{"controls", "a\x00b\x1bc\u202Ed\tе", "abcd е", "abcd е"},
		{"emoji and scripts", "👩‍💻 नमस्ते שלום", "👩‍💻 नमस्ते שלום", "👩‍💻 नमस्ते שלום"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := feedback()
			f.Content = tc.content
			title, body := codehost.Template{Title: "{{content}}", Body: "{{content}}"}.Render(f)
			show := func(text string) string { return strings.ReplaceAll(text, invisible, "~") }
			if show(title) != tc.title || show(body) != tc.body {
				t.Errorf("got\n%s\n%s\nwant\n%s\n%s", show(title), show(body), tc.title, tc.body)
			}
		})
	}
	f := feedback()
	f.UserID = "octocat"
	_, body := codehost.Template{Body: "By @{{user_id}}, #{{ user_id }}, GH-{{user_id}}, x-{{user_id}}"}.Render(f)
	if want := "By @~octocat, #~octocat, GH-~octocat, x-octocat"; strings.ReplaceAll(body, invisible, "~") != want {
		t.Errorf("signs of the template: got %q", body)
	}
}

// Texts that the code host, but not Markdown, would turn into references.
var (
	mention   = regexp.MustCompile(`(?:^|[^A-Za-z0-9])@[A-Za-z0-9]`)
	reference = regexp.MustCompile(`(?i)#[0-9]|(?:^|[^a-z0-9])gh-[0-9]|![0-9]|://|\bwww\.`)
)

// contexts contains templates that have a value in various places, by name. Each template
// has a word before and after the value, in another element or line.
var contexts = map[string]string{
	"paragraph": "before\n\n%s\n\nafter\n",
	"line":      "before\n%s\nafter\n",
	"words":     "before %s after\n",
	"cell":      "| before | b |\n|---|---|\n| %s | after |\n",
	"list":      "- before\n- %s\n- after\n",
	"quote":     "before\n\n> %s\n\nafter\n",
	"emphasis":  "before **x%sx** after\n",
	"heading":   "before\n\n## x %s\n\nafter\n",
	"HTML":      "before\n\n<details><summary>x%s</summary>\n\nafter\n\n</details>\n",
	"code":      "before\n\n```\n%s\n```\n\nafter\n",
	"link":      "before [x%s](https://example.com) after\n",
}

// FuzzVisitorsText checks that a value remains plain text in every context. The rest of
// the issue must be rendered as if the value were a single word, and readers must see the
// value unchanged.
func FuzzVisitorsText(f *testing.F) {
	for _, text := range []string{
		"It crashed", "@octocat fixes #1, GH-2 and own/app#3, see https://github.com/a/b/issues/4", "a|b\n|---|\n", "<!-- svc-feedback: 1 -->",
		"```\ncode\n```", "~~~\n", "# h\n===\n---\n> q\n- l\n1. n\n    code", `\|\\|*_[]()~$&lt;`, "![x](javascript:1)", "[a]: b\n[a]", "<script>", "a\u202Eb\u2028c",
		"- [ ] x", "+", "0)", "=", "-", ":---:", "www.a.b", "a@b.cc", "&#x40;x", "\\\n", "  ", "$a$ $$b$$", "{{content}}", "`", "|", "*a*", "__", "\t", "<br>", "x\\",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) <= 1000 {
			checkVisitorsText(t, text)
		}
	})
}

// TestVisitorsTextAtRandom checks random combinations of fragments that are markup in some context.
func TestVisitorsTextAtRandom(t *testing.T) {
	t.Parallel()
	parts := []string{
		"@", "#", "1", "GH-", "!", "://", "www", ".", "|", "-", ":", "=", "+", "*", "_", "`", "~", "<", ">", "!--", "--", "&", "lt;", "[", "]", "(", ")",
		"^", "\\", "\n", " ", "    ", "\t", "$", "{", "}", "a", "x@y.zz", "br", "/", "\"", "'", "x", "http", "\u2028", invisible,
	}
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	for range 400 {
		var text strings.Builder
		for range 1 + random.IntN(12) {
			text.WriteString(parts[random.IntN(len(parts))])
		}
		if checkVisitorsText(t, text.String()); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func checkVisitorsText(t *testing.T, text string) {
	t.Helper()
	value := feedback()
	value.Content = text
	title, body := codehost.Template{Title: "x {{content}}", Body: "{{content}}"}.Render(value)
	if at := mention.FindString(title) + reference.FindString(title); at != "" {
		t.Errorf("the title of %q has %q", text, at)
	}
	if strings.ContainsAny(title, "\n\r`") || strings.Contains(title, "<!") {
		t.Errorf("the title of %q is %q", text, title)
	}
	if strings.ContainsAny(body, "\n\r|`") || strings.Contains(body, "<!--") || reference.MatchString(body) {
		t.Errorf("the body of %q is %q", text, body)
	}
	if got, want := squeeze(seen(title)), squeeze("x "+strings.ReplaceAll(readable(text), "`", "'")); got != want && utf8.RuneCountInString(want) < 200 {
		t.Errorf("the title of %q reads %q, want %q", text, got, want)
	}
	for name, around := range contexts {
		checkRendered(t, name, around, text, body)
	}
}

// checkRendered checks that the text around a value is rendered in the same way as around a plain
// word.
func checkRendered(t *testing.T, name, around, text, body string) {
	t.Helper()
	rendered := render(t, fmt.Sprintf(around, body))
	if at := mention.FindString(textOf(rendered)) + reference.FindString(textOf(rendered)); at != "" {
		t.Errorf("%s: %q has %q", name, text, at)
	}
	if name == "code" {
		return // a code block shows character references, as documented
	}
	if body == "" && name != "words" {
		return // in this context, even a plain word would be invisible
	}
	if got, want := tagsOf(rendered), tagsOf(render(t, fmt.Sprintf(around, "word"))); !slices.Equal(got, want) {
		t.Errorf("%s: %q is rendered as\n%s\ntags %q, want %q", name, text, rendered, got, want)
	}
	got, want := squeeze(seen(textOf(rendered))), squeeze(strings.ReplaceAll(textOf(render(t, fmt.Sprintf(around, "WORD"))), "WORD", readable(text)))
	if got != want {
		t.Errorf("%s: %q reads %q, want %q", name, text, got, want)
	}
}

// readable returns the part of a text that is visible to readers.
func readable(text string) string {
	text = strings.ToValidUTF8(strings.NewReplacer(invisible, "", "\u0085", " ", "\u2028", " ", "\u2029", " ").Replace(text), "\uFFFD")
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case '\u200C' <= r && r <= '\u200F':
			return r
		case unicode.In(r, unicode.Cc, unicode.Cf):
			return -1
		}
		return r
	}, text)
}

func squeeze(text string) string { return strings.Join(strings.Fields(text), "") }

var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote), goldmark.WithRendererOptions(rendering.WithUnsafe()))

func render(t *testing.T, source string) string {
	t.Helper()
	var b bytes.Buffer
	if err := markdown.Convert([]byte(source), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var tag = regexp.MustCompile(`<[^>]*>`)

// textOf returns the visible text of an HTML page.
func textOf(page string) string {
	return html.UnescapeString(tag.ReplaceAllString(strings.ReplaceAll(page, "<br>", " "), ""))
}

// tagsOf returns the tags of an HTML page, except those of line breaks and mail links.
func tagsOf(page string) []string {
	page = regexp.MustCompile(`<br ?/?>|<a href="mailto:[^>]*>([^<]*)</a>`).ReplaceAllString(page, "${1}")
	return tag.FindAllString(page, -1)
}

// TestLongTemplates checks that the issue is cut to the maximum length if a template repeats a long
// text.
func TestLongTemplates(t *testing.T) {
	t.Parallel()
	long := codehost.Feedback{Content: strings.Repeat("*", 4096)}
	_, once := codehost.Template{Title: "x", Body: "{{content}}"}.Render(long)
	_, body := codehost.Template{Title: "x", Body: strings.Repeat("{{content}}", 700)}.Render(long)
	if !strings.HasPrefix(body, once) || utf8.RuneCountInString(body) != 60_000 {
		t.Errorf("got %d characters, want 60000 that begin with the text", utf8.RuneCountInString(body))
	}
}
