// Package terms has the built-in terms documents: a privacy policy for the people who use
// apps, and a statement about data for the developers who build the client libraries into
// them. They describe what this program does. They are templates: placeholders such as
// {{ operator_name }} stand for what only the operator of an instance knows.
//
//	terms.go         Document and Text, read from the files beside it
//	placeholders.go  what the placeholders mean
//	facts.go         the figures that the texts name
package terms

import (
	"embed"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"svc/internal/locale"
	"svc/internal/placeholder"
)

// The documents by their slugs.
const (
	PrivacyPolicy = "privacy-policy"
	SDKCompliance = "sdk-compliance"
)

// Document is a built-in document.
type Document struct {
	Slug string
	// Revised is when the text was last changed, in Unix seconds. Whoever changes what is
	// collected changes the text in all languages, and this.
	Revised int64
	texts   [languages]Text
}

// Text is a document in one language.
type Text struct {
	Title   string
	Summary string // one sentence
	Content string // Markdown with placeholders, without the title
	// Placeholders are those of Content, each once, in the order in which they first
	// appear.
	Placeholders []Placeholder
}

// Language is a language that the documents are written in.
type Language int

// The languages. The first one is for callers who ask for none, or for one that is missing.
const (
	English Language = iota
	Chinese          // Simplified
	languages
)

// tags name the languages in the names of files.
var tags = [languages]string{English: "en", Chinese: "zh"}

// LanguageFor finds the language that a caller prefers: it goes by the first part of the
// tag, so that zh-Hans-CN and zh_TW are both Chinese. No preference is English. unknown
// says that the caller did prefer a language, one that is missing.
func LanguageFor(preference string) (l Language, unknown bool) {
	if strings.TrimSpace(preference) == "" {
		return English, false
	}
	first, _, _ := strings.Cut(locale.Key(preference), "-")
	for l, tag := range tags {
		if first == tag {
			return Language(l), false
		}
	}
	return English, true
}

// In returns the document in a language.
func (d *Document) In(l Language) *Text { return &d.texts[l] }

// Complete reports whether a text has no placeholders left. Only complete texts are published.
func Complete(text string) bool {
	return !strings.Contains(text, "{{") || len(placeholder.Names(text)) == 0
}

// All lists the documents in their order. They must not be changed.
func All() []*Document { return documents }

// Find returns the document with a slug, nil when there is none.
func Find(slug string) *Document {
	for _, d := range documents {
		if d.Slug == slug {
			return d
		}
	}
	return nil
}

//go:embed *.md
var files embed.FS

// documents are read when the program starts: a file that breaks the rules of mustRead
// fails every test.
var documents = []*Document{
	{
		Slug: PrivacyPolicy, Revised: time.Date(2026, time.November, 25, 1, 30, 0, 0, time.UTC).Unix(),
		texts: mustReadAll(PrivacyPolicy),
	},
	{
		Slug: SDKCompliance, Revised: time.Date(2026, time.November, 25, 1, 0, 0, 0, time.UTC).Unix(),
		texts: mustReadAll(SDKCompliance),
	},
}

func mustReadAll(slug string) (texts [languages]Text) {
	for l := range languages {
		file := slug + "." + tags[l] + ".md"
		source, err := files.ReadFile(file)
		if err == nil {
			texts[l], err = read(string(source), l)
		}
		if err != nil {
			panic(fmt.Sprintf("internal/terms/%s: %v", file, err))
		}
	}
	return texts
}

// fact stands for a figure in the source of a text: [[public_rate_limit]].
var fact = regexp.MustCompile(`\[\[([^\]]*)\]\]`)

// read makes a text of its source: a heading with the title, a paragraph with the summary,
// the content. It fails for a figure or a placeholder that is not registered.
func read(source string, l Language) (t Text, err error) {
	for _, m := range fact.FindAllStringSubmatch(source, -1) {
		if facts[m[1]] == "" {
			return t, fmt.Errorf("there is no figure %q in facts.go", m[1])
		}
	}
	source = fact.ReplaceAllStringFunc(source, func(written string) string {
		return facts[strings.Trim(written, "[]")]
	})
	title, rest, _ := strings.Cut(source, "\n\n")
	summary, content, _ := strings.Cut(rest, "\n\n")
	t = Text{Title: strings.TrimPrefix(title, "# "), Summary: summary, Content: strings.TrimSpace(content)}
	if t.Title == title || t.Summary == "" || t.Content == "" {
		return t, errors.New("it must have a title, a summary and content")
	}
	known := map[string]string{}
	for _, key := range placeholder.Names(t.Content) {
		p, ok := describe(key, l)
		if !ok {
			return t, fmt.Errorf("there is no placeholder %q in placeholders.go", key)
		}
		t.Placeholders = append(t.Placeholders, p)
		known[key] = ""
	}
	if strings.Contains(placeholder.Expand(source, known), "{{") {
		return t, errors.New("what begins with {{ is no placeholder")
	}
	return t, nil
}
