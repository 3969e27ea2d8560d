// Package placeholder finds {{ name }} in texts: templates of issues, prompts of the
// machine translation, the terms documents.
package placeholder

import (
	"regexp"
	"slices"
)

var pattern = regexp.MustCompile(`\{\{ *([a-z0-9_]+) *\}\}`)

// Expand replaces each placeholder that values has by its value. Values are not
// expanded again; other placeholders stay as they are written.
func Expand(text string, values map[string]string) string {
	return pattern.ReplaceAllStringFunc(text, func(written string) string {
		if value, ok := values[pattern.FindStringSubmatch(written)[1]]; ok {
			return value
		}
		return written
	})
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
