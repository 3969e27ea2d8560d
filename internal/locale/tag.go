// Package locale holds the rules about language tags: when two tags are the
// same, which registered language a caller prefers, and what a caller is told
// when there is none. Tags are free text; no list of languages is consulted.
package locale

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTag is the number of characters a registered tag may have.
const maxTag = 35

// Key is the form in which tags are compared: en-US, en_US, en(US) and
// EN (us) have the same one. It is the tag in lower case without surrounding
// blanks; if it contains a hyphen, an underscore or a parenthesis, every run
// of those and of blanks is one hyphen, and none is left at the ends. A tag
// of separators alone keeps them. The key of a key is the key itself.
func Key(tag string) string {
	tag = strings.ToLower(strings.TrimSpace(tag))
	if isKey(tag) || !strings.ContainsAny(tag, "-_()") {
		return tag
	}
	key := strings.Join(strings.FieldsFunc(tag, separates), "-")
	if key == "" {
		return tag
	}
	return key
}

// isKey reports whether a tag in lower case is its own key, as xx and xx-yy are. It
// may say no of others.
func isKey(tag string) bool {
	for i := range len(tag) {
		switch c := tag[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		case c != '-', i == 0, i == len(tag)-1, tag[i-1] == '-':
			return false
		}
	}
	return true
}

// separates counts as blank all that trimming does, or the key of a key might
// be another one.
func separates(r rune) bool {
	return r == '-' || r == '_' || r == '(' || r == ')' || unicode.IsSpace(r)
}

// CleanTag checks a tag that is to be registered and returns it without
// surrounding blanks. It reports false unless the tag then has 1 to 35
// characters, all of them valid, with no control character and neither slash
// nor backslash.
func CleanTag(tag string) (string, bool) {
	tag = strings.TrimSpace(tag)
	n := utf8.RuneCountInString(tag)
	if n < 1 || n > maxTag || !utf8.ValidString(tag) || strings.ContainsFunc(tag, forbidden) {
		return "", false
	}
	return tag, true
}

func forbidden(r rune) bool { return r == '/' || r == '\\' || unicode.IsControl(r) }

// CleanSynonyms returns list, in order and as written, without the tags that
// are the same as primary or as an earlier one. The result is never nil.
func CleanSynonyms(primary string, list []string) []string {
	kept := []string{}
	seen := map[string]bool{Key(primary): true}
	for _, tag := range list {
		if key := Key(tag); !seen[key] {
			seen[key] = true
			kept = append(kept, tag)
		}
	}
	return kept
}
