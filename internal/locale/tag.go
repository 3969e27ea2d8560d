// Package locale defines the rules for language tags: when two tags are equal, which
// registered language a caller gets, and the message if there is none. Tags are free
// text, and are not compared with a list of known languages.
package locale

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTag is the maximum number of characters of a registered tag.
const maxTag = 35

// Key returns the form in which tags are compared. For example, en-US, en_US, en(US) and EN (us)
// have the same key. The key is the tag in lower case, without surrounding blanks. If the tag
// contains a hyphen, an underscore or a parenthesis, every run of these characters and blanks
// becomes one hyphen, and hyphens at both ends are removed. A tag that consists only of separators
// keeps them. Key is idempotent.
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

// isKey is a fast check whether a tag in lower case, such as xx or xx-yy, equals its key. It
// returns false for some tags that do equal their key.
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

// separates reports whether r is a separator. Separators include all characters that
// TrimSpace removes, because Key would otherwise not be idempotent.
func separates(r rune) bool {
	return r == '-' || r == '_' || r == '(' || r == ')' || unicode.IsSpace(r)
}

// CleanTag prepares a tag for registration: it removes surrounding blanks. ok is false unless the
// result has 1 to 35 characters, is valid UTF-8, and contains no control character, slash or
// backslash.
func CleanTag(tag string) (string, bool) {
	tag = strings.TrimSpace(tag)
	n := utf8.RuneCountInString(tag)
	if n < 1 || n > maxTag || !utf8.ValidString(tag) || strings.ContainsFunc(tag, forbidden) {
		return "", false
	}
	return tag, true
}

func forbidden(r rune) bool { return r == '/' || r == '\\' || unicode.IsControl(r) }

// CleanSynonyms returns list without tags that are equal to primary or to an earlier tag.
// It keeps the order and the spelling. The result is never nil.
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
