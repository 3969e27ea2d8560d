package codehost

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"svc/internal/fault"
	"svc/internal/placeholder"
)

// Template is a template for issues that are created from feedback.
type Template struct {
	Title, Body string
	Labels      []string // labels from a template file; nil if there are none
}

// BuiltinTemplate is the template that applies if none is configured.
var BuiltinTemplate = Template{
	Title: "[User feedback] {{content_head}}",
	Body: `{{content}}

| Field | Value |
|---|---|
| Project | {{project_name}} ({{project_key}}) |
| Feedback | {{feedback_id}} |
| Contact | {{contact}} |
| User | {{user_id}} |
| Platform | {{platform}} {{platform_version}} |
| Time | {{created_at}} |

*This issue was forwarded automatically from feedback that a user sent.*
`,
}

// Limits of an issue. They are lower than those of GitHub, so that there is room for
// additions.
const (
	maxIssueTitle   = 250      // characters
	maxIssueBody    = 60_000   // characters
	maxTemplateFile = 64 << 10 // bytes
	maxLabels       = 8
	maxLabel        = 64 // characters
	maxContentHead  = 60 // characters
)

// Or returns a copy of t in which each blank text is replaced with the corresponding text
// of other.
func (t Template) Or(other Template) Template {
	if strings.TrimSpace(t.Title) == "" {
		t.Title = other.Title
	}
	if strings.TrimSpace(t.Body) == "" {
		t.Body = other.Body
	}
	return t
}

var (
	lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")
	isKey    = regexp.MustCompile(`^[A-Za-z_-]+$`)
)

// ParseTemplateFile parses a template file of a repository. The file is Markdown and may begin with
// front matter: lines of the form "key: value" between two lines "---". Only the keys title and
// labels are used. Blank parts are taken from BuiltinTemplate. Errors are faults of kind Invalid.
func ParseTemplateFile(text string) (Template, error) {
	switch {
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return Template{}, fault.New(fault.Invalid, "the template is not text in UTF-8")
	case len(text) > maxTemplateFile:
		return Template{}, fault.New(fault.Invalid, "the template must have at most %d bytes", maxTemplateFile)
	}
	var t Template
	lines, body := frontMatter(lineEnds.Replace(strings.TrimPrefix(text, "\uFEFF")))
	for _, line := range lines {
		key, value, ok := strings.Cut(line, ":")
		key, value = strings.TrimSpace(key), unquote(strings.TrimSpace(value))
		switch {
		case !ok || !isKey.MatchString(key):
		case strings.EqualFold(key, "title"):
			t.Title = value
		case strings.EqualFold(key, "labels"):
			t.Labels = labels(value)
		}
	}
	t.Body = body
	return t.Or(BuiltinTemplate), nil
}

// frontMatter splits a text into the lines of its front matter and the remaining text. If there is
// no front matter, the remaining text is the whole text.
func frontMatter(text string) (lines []string, rest string) {
	const fence = "---"
	for at, n := 0, 0; at < len(text); n++ {
		line, _, _ := strings.Cut(text[at:], "\n")
		at = min(at+len(line)+1, len(text))
		isFence := strings.TrimRight(line, " \t") == fence
		switch {
		case n == 0 && !isFence:
			return nil, text
		case n > 0 && isFence:
			return lines, text[at:]
		case n > 0:
			lines = append(lines, line)
		}
	}
	return nil, text
}

// unquote removes the quotation marks around a text, if there are any.
func unquote(text string) string {
	if n := len(text); n >= 2 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
		return strings.TrimSpace(text[1 : n-1])
	}
	return text
}

// labels parses a comma-separated list of labels. It omits invalid labels.
func labels(list string) (all []string) {
	for label := range strings.SplitSeq(list, ",") {
		label = strings.TrimSpace(label)
		if label != "" && utf8.RuneCountInString(label) <= maxLabel && !slices.Contains(all, label) && len(all) < maxLabels {
			all = append(all, label)
		}
	}
	return all
}

// Feedback holds the values that are inserted into a template. An empty text means that the value
// is missing.
type Feedback struct {
	ProjectKey, ProjectName   string
	ID                        string
	Content                   string
	Rating                    int // 1 to 5; 0 for none
	Contact, UserID           string
	Platform, PlatformVersion string
	CreatedAt                 time.Time
}

// Variables lists the variables that a template can use, in the order in which they are displayed.
var Variables = []string{
	"project_key", "project_name", "feedback_id", "content", "content_head", "rating", "contact", "user_id",
	"platform", "platform_version", "created_at",
}

// values maps each of the Variables to its unescaped value.
func (f Feedback) values() map[string]string {
	or := func(text, otherwise string) string {
		if strings.TrimSpace(text) == "" {
			return otherwise
		}
		return text
	}
	rating := "not rated"
	if f.Rating != 0 {
		rating = strconv.Itoa(f.Rating) + "/5"
	}
	return map[string]string{
		"project_key": f.ProjectKey, "project_name": f.ProjectName, "feedback_id": f.ID,
		"content": f.Content, "content_head": head(f.Content), "rating": rating,
		"contact": or(f.Contact, "not given"), "user_id": or(f.UserID, "anonymous"),
		"platform": or(f.Platform, "unknown platform"), "platform_version": f.PlatformVersion,
		"created_at": f.CreatedAt.UTC().Format(time.RFC3339),
	}
}

// head returns the beginning of a text as a single line.
func head(text string) string {
	line := []rune(plainLine(text))
	if len(line) > maxContentHead {
		return string(line[:maxContentHead]) + "…"
	}
	return string(line)
}

// afterSign matches a variable directly after @, #, ! or GH-, where the code host would
// take the variable's value for a mention or a reference.
var afterSign = regexp.MustCompile(`([@#!]|\b(?i:gh)-)(\{\{ *[a-z0-9_]+ *\}\})`)

// Render returns the title and body of an issue. It escapes the inserted values with the function
// plain in the title and with the function markdown in the body.
func (t Template) Render(f Feedback) (title, body string) {
	values := f.values()
	titles, bodies := make(map[string]string, len(values)), make(map[string]string, len(values))
	for name, value := range values {
		titles[name], bodies[name] = plain(value), markdown(value)
	}
	expand := func(text string, values map[string]string) string {
		return placeholder.ExpandAtMost(utf8.UTFMax*maxIssueBody, afterSign.ReplaceAllString(text, "${1}"+zeroWidthSpace+"${2}"), values)
	}
	title = plainLine(expand(t.Title, titles))
	if strings.Trim(title, " "+zeroWidthSpace) == "" {
		title = expand(BuiltinTemplate.Title, titles)
	}
	return shorten(title, maxIssueTitle), shorten(expand(t.Body, bodies), maxIssueBody)
}
