// Package terms contains the built-in terms documents: a privacy policy for the users of
// apps, and a statement for app developers about the data processed by the client
// libraries. The documents describe the behaviour of this program. They are templates
// with placeholders such as {{ operator_name }}, which the operator of an instance fills
// in.
//
//	terms.go         Document and Text, read from the files beside it
//	placeholders.go  descriptions of the placeholders
//	facts.go         the figures in the texts
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

// The slugs of the documents.
const (
	PrivacyPolicy = "privacy-policy"
	SDKCompliance = "sdk-compliance"
)

// Document is a built-in document.
type Document struct {
	Slug string
	// Revised is the time of the text's last change, in Unix seconds. A change of the
	// collected data requires a change of the text in all languages, and of this time.
	Revised int64
	texts   [languages]Text
}

// Text is a document in one language.
type Text struct {
	Title   string
	Summary string // a summary of one sentence
	Content string // Markdown with placeholders, without the title
	// Placeholders lists the placeholders in Content, without repetitions, in the order in
	// which they first appear.
	Placeholders []Placeholder
}

// Language is a language of the documents.
type Language int

// The languages of the documents. The first one is the default, and is also used for a
// language in which there is no text.
const (
	English Language = iota
	Chinese          // Simplified Chinese
	languages
)

// tags contains the tag that each language has in file names.
var tags = [languages]string{English: "en", Chinese: "zh"}

// LanguageFor returns the language of the documents that fits a preference. It compares
// only the first part of the language tag, so that zh-Hans-CN and zh_TW are both Chinese.
// Without a preference it returns English. unknown reports that there are no texts in the
// preferred language.
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

// In returns the document's text in the given language.
func (d *Document) In(l Language) *Text { return &d.texts[l] }

// Complete reports whether a text contains no placeholders. Only such texts are
// published.
func Complete(text string) bool {
	return !strings.Contains(text, "{{") || len(placeholder.Names(text)) == 0
}

// All returns all documents, in the order in which they are listed. The caller must not
// change them.
func All() []*Document { return documents }

// Find returns the document with the given slug, or nil if there is none.
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

// documents contains all documents. They are read when the program starts. If mustRead
// rejects a file, every test fails.
var documents = []*Document{
	{
		Slug: PrivacyPolicy, Revised: time.Date(2026, time.November, 29, 11, 0, 0, 0, time.UTC).Unix(),
		texts: mustReadAll(PrivacyPolicy),
	},
	{
		Slug: SDKCompliance, Revised: time.Date(2026, time.November, 29, 11, 0, 0, 0, time.UTC).Unix(),
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

// fact matches a reference to a figure in the source of a text, such as
// [[public_rate_limit]].
var fact = regexp.MustCompile(`\[\[([^\]]*)\]\]`)

// read parses the source of a text: a heading with the title, a paragraph with the
// summary, and the content. It returns an error for unknown figures and placeholders.
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
		return t, errors.New("text that begins with {{ is not a placeholder")
	}
	return t, nil
}
