// Package placeholder finds placeholders of the form {{ name }} in texts. It is used for
// templates of issues, prompts for machine translation, and the terms documents.
package placeholder

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

var pattern = regexp.MustCompile(`\{\{ *([a-z0-9_]+) *\}\}`)

// Expand replaces each placeholder in text, such as {{ name }}, that has a value in values,
// and leaves the others unchanged. It does not expand placeholders in the values.
func Expand(text string, values map[string]string) string {
	return ExpandAtMost(math.MaxInt, text, values)
}

// ExpandAtMost is like Expand, but stops after the first value with which the output is
// longer than limit bytes. The limit is necessary because a template can repeat a long
// value.
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

// Names returns the names of the placeholders in a text, each once, in the order in which
// they first appear.
func Names(text string) []string {
	names := []string{}
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}
