// Package placeholder finds {{ name }} in texts: templates of issues, prompts of the
// machine translation, the terms documents.
package placeholder

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

var pattern = regexp.MustCompile(`\{\{ *([a-z0-9_]+) *\}\}`)

// Expand replaces each placeholder that values has by its value. Values are not
// expanded again; other placeholders stay as they are written.
func Expand(text string, values map[string]string) string {
	return ExpandAtMost(math.MaxInt, text, values)
}

// ExpandAtMost is Expand that stops at the first place behind a number of bytes: a
// template may name a long value again and again.
func ExpandAtMost(limit int, text string, values map[string]string) string {
	var expanded strings.Builder
	done := 0
	for _, m := range pattern.FindAllStringSubmatchIndex(text, -1) {
		value, ok := values[text[m[2]:m[3]]]
		if !ok {
			continue
		}
		expanded.WriteString(text[done:m[0]])
		expanded.WriteString(value)
		if done = m[1]; expanded.Len() > limit {
			return expanded.String()
		}
	}
	expanded.WriteString(text[done:])
	return expanded.String()
}

// Names lists the names of the placeholders of a text, each once, in the order in
// which they first appear.
func Names(text string) []string {
	names := []string{}
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}
