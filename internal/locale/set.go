package locale

import (
	"strings"
	"unicode"
)

// maxShown limits the number of characters of a requested tag that Message repeats.
const maxShown = 64

// Language is a registered language.
type Language struct {
	Tag      string   // primary tag
	Synonyms []string // other tags by which the language is found
}

// Set finds languages by their tags. It is immutable and safe for concurrent use.
type Set struct {
	byKey map[string]int
}

// NewSet returns a set of languages. Find and Resolve return indexes in the slice languages. If two
// languages have the same tag, it belongs to the first of them.
func NewSet(languages []Language) *Set {
	s := &Set{byKey: make(map[string]int, len(languages))}
	for i, l := range languages {
		s.claim(l.Tag, i)
		for _, tag := range l.Synonyms {
			s.claim(tag, i)
		}
	}
	return s
}

func (s *Set) claim(tag string, language int) {
	key := Key(tag)
	if _, taken := s.byKey[key]; !taken {
		s.byKey[key] = language
	}
}

// Find returns the index of the language with the given primary tag or synonym, or -1 if
// there is none.
func (s *Set) Find(tag string) int {
	if i, ok := s.byKey[Key(tag)]; ok {
		return i
	}
	return -1
}

// Resolve returns the index of the language that a caller prefers, or -1 for the default content.
// preference is the tag of that language; it is blank if the caller prefers none. unknown reports
// that the preferred language is not registered; the caller should then receive Message.
func (s *Set) Resolve(preference string) (index int, unknown bool) {
	if strings.TrimSpace(preference) == "" {
		return -1, false
	}
	index = s.Find(preference)
	return index, index < 0
}

// Message returns the sentence for a caller that prefers the language with the given tag, if that
// language is not registered. tag can be any text. Message shortens it to 64 characters and
// replaces characters that cannot be shown, such as control characters and invalid UTF-8.
func Message(tag string) string {
	const begin, end = `The language "`, `" is not available, so the default text is shown.`
	var b strings.Builder
	b.Grow(len(begin) + min(len(tag), 4*maxShown) + len(end))
	b.WriteString(begin)
	n := 0
	for _, r := range strings.TrimSpace(tag) {
		if n == maxShown {
			b.WriteRune('…')
			break
		}
		if !unicode.IsGraphic(r) {
			r = unicode.ReplacementChar
		}
		b.WriteRune(r)
		n++
	}
	b.WriteString(end)
	return b.String()
}
