package main

import (
	"regexp"
	"strings"
	"unicode"
)

// oneLine joins the lines of a text with spaces.
func oneLine(text string) string {
	return strings.Join(strings.Fields(text), " ")
}

var upper = regexp.MustCompile(`[A-Z]`)

// snake turns camelCase into snake_case.
func snake(text string) string {
	return strings.TrimPrefix(upper.ReplaceAllStringFunc(text, func(letter string) string { return "_" + strings.ToLower(letter) }), "_")
}

// pascal turns snake_case or camelCase into PascalCase.
func pascal(text string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(snake(text), func(r rune) bool { return r == '_' || r == '-' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// camel turns snake_case into camelCase.
func camel(text string) string { return lowerFirst(pascal(text)) }

// lowerFirst converts the first letter to lower case, unless the text begins with an initialism
// such as `CDN`.
func lowerFirst(text string) string {
	r := []rune(text)
	if len(r) > 1 && unicode.IsUpper(r[1]) {
		return text
	}
	return strings.ToLower(string(r[:1])) + string(r[1:])
}

// thirdPerson converts the imperative at the start of a sentence to the third person, as in Go's
// documentation: "Read" becomes "Reads".
func thirdPerson(text string) string {
	verb, rest, _ := strings.Cut(text, " ")
	switch {
	case strings.HasSuffix(verb, "y") && !strings.ContainsAny(verb[len(verb)-2:], "aeiou"):
		verb = verb[:len(verb)-1] + "ies"
	case strings.HasSuffix(verb, "ss"), strings.HasSuffix(verb, "sh"), strings.HasSuffix(verb, "ch"), strings.HasSuffix(verb, "o"):
		verb += "es"
	default:
		verb += "s"
	}
	return verb + " " + rest
}

// sentences returns the documentation of an operation as one paragraph.
func (o *operation) sentences() string {
	return strings.TrimSpace(strings.TrimSuffix(o.Summary, ".") + ". " + o.Detail)
}

// wrap breaks a text into lines of at most width characters and adds a prefix to each line.
func wrap(text, prefix string, width int) string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(prefix)+len([]rune(line))+1+len([]rune(word)) > width {
			lines = append(lines, prefix+line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return strings.Join(append(lines, prefix+line), "\n")
}
