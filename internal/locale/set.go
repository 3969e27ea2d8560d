package locale

import (
	"strings"
	"unicode"
)

// maxShown is the number of characters of a submitted tag that are repeated to
// the caller.
const maxShown = 64

// Language is a registered language.
type Language struct {
	Tag      string   // primary tag
	Synonyms []string // other tags for it
}

// Set finds languages by their tags. It never changes and may be used by many
// goroutines.
type Set struct {
	byKey map[string]int
}

// NewSet makes a set whose indexes are those of languages. A tag belongs to one
// language; should two claim it, the earlier one has it.
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

// Find returns the index of the language with this primary tag or synonym, -1
// when there is none.
func (s *Set) Find(tag string) int {
	if i, ok := s.byKey[Key(tag)]; ok {
		return i
	}
	return -1
}

// Resolve returns the index of the language a caller prefers, -1 when the
// default content is to be used. unknown says that the caller did prefer a
// language, one that is not registered; it is then told so with Message.
func (s *Set) Resolve(preference string) (index int, unknown bool) {
	if strings.TrimSpace(preference) == "" {
		return -1, false
	}
	index = s.Find(preference)
	return index, index < 0
}

// Message is the sentence that tells a caller that no language matches the tag
// it asked for. The tag, which may be anything, is shortened to 64 characters;
// what cannot be shown, such as a control character or a byte that is not
// UTF-8, is replaced.
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
