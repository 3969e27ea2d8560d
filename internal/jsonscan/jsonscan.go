// Package jsonscan is the only JSON scanner of this program. It reads a text once,
// validates it, and reports the position of each value without decoding it.
package jsonscan

import (
	"encoding/json"
	"strings"
)

// maxDepth is the maximum depth of nesting. It is the same as in encoding/json, so that
// all accepted texts can be read by other decoders.
const maxDepth = 10_000

// Scanner scans the JSON text in Source. After the first error, Failed is set, and the
// scanner neither advances nor reports further members.
type Scanner struct {
	Source string
	At     int
	Failed bool

	Level   int  // number of objects and lists that are open
	Deepest int  // greatest Level since the caller last set the field
	Spaced  bool // whether there was white space between tokens since the caller last set the field
	escaped bool // whether the string that was read last contains escapes
}

// Token is the position of a value in the text: the byte offsets of its first byte and of the byte
// after its last one. A string includes its quotation marks. The zero value means that there is no
// value.
type Token struct {
	From, To int
	Escaped  bool // whether the value is a string with escapes
}

// Sent reports whether a value exists and is not null.
func (s *Scanner) Sent(v Token) bool {
	return v.To > v.From && s.Source[v.From] != 'n'
}

// Raw returns the source text of a value.
func (s *Scanner) Raw(v Token) string { return s.Source[v.From:v.To] }

// IsString reports whether a value is a string. The value must exist.
func (s *Scanner) IsString(v Token) bool { return s.Source[v.From] == '"' }

// Text returns the decoded text of a value that is a string.
func (s *Scanner) Text(v Token) string {
	if v.Escaped {
		return Unquote(s.Raw(v))
	}
	return s.Source[v.From+1 : v.To-1]
}

// Peek returns the next byte without advancing, or 0 at the end of the text. In valid JSON, a zero
// byte does not occur.
func (s *Scanner) Peek() byte {
	if s.At < len(s.Source) {
		return s.Source[s.At]
	}
	return 0
}

// space skips white space.
func (s *Scanner) space() {
	for s.At < len(s.Source) && isSpace(s.Source[s.At]) {
		s.At++
		s.Spaced = true
	}
}

func isSpace(c byte) bool { return c <= ' ' && (c == ' ' || c == '\n' || c == '\t' || c == '\r') }

// Enter enters the next object or list and reports whether it has a member. closing is the byte
// that ends it: } or ].
func (s *Scanner) Enter(closing byte) (more bool) {
	s.Level++
	s.Deepest = max(s.Deepest, s.Level)
	if s.Level > maxDepth {
		s.Failed = true
		return false
	}
	s.At++
	s.space()
	if s.Peek() != closing {
		return true
	}
	s.At++
	s.Level--
	return false
}

// Next advances past a member and reports whether another one follows. If not, it leaves the object
// or list. closing is the byte that ends it: } or ].
func (s *Scanner) Next(closing byte) (more bool) {
	if s.Failed {
		return false
	}
	s.space()
	switch s.Peek() {
	case ',':
		s.At++
		s.space()
		return true
	case closing:
		s.At++
		s.Level--
		return false
	}
	s.Failed = true
	return false
}

// Key reads the name of a member and advances to its value.
func (s *Scanner) Key() Token {
	if s.Peek() != '"' {
		s.Failed = true
		return Token{}
	}
	name := s.Value()
	s.space()
	if s.Failed || s.Peek() != ':' {
		s.Failed = true
		return Token{}
	}
	s.At++
	s.space()
	return name
}

// Value reads the next value.
func (s *Scanner) Value() Token {
	from := s.At
	switch s.Peek() {
	case '"':
		s.quoted()
		return Token{from, s.At, s.escaped}
	case '{':
		for more := s.Enter('}'); more; more = s.Next('}') {
			if s.Key(); !s.Failed {
				s.Value()
			}
		}
	case '[':
		for more := s.Enter(']'); more; more = s.Next(']') {
			s.Value()
		}
	case 't':
		s.literal("true")
	case 'f':
		s.literal("false")
	case 'n':
		s.literal("null")
	default:
		s.number()
	}
	return Token{From: from, To: s.At}
}

func (s *Scanner) literal(word string) {
	if !strings.HasPrefix(s.Source[s.At:], word) {
		s.Failed = true
		return
	}
	s.At += len(word)
}

// plainByte reports for each byte whether a string can contain it without an escape.
var plainByte = func() (plain [256]bool) {
	for c := range plain {
		plain[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return plain
}()

// quoted reads a string.
func (s *Scanner) quoted() {
	text, at := s.Source, s.At+1
	s.escaped = false
	for {
		for at < len(text) && plainByte[text[at]] {
			at++
		}
		if at < len(text) && text[at] == '"' {
			s.At = at + 1
			return
		}
		length := escape(text[at:])
		if length == 0 {
			s.Failed = true
			return
		}
		s.escaped = true
		at += length
	}
}

// escape returns the length of the escape sequence at the start of a text, or 0 if it is
// not valid.
func escape(text string) int {
	if len(text) < 2 || text[0] != '\\' {
		return 0
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(text) < 6 {
			return 0
		}
		for i := 2; i < 6; i++ {
			if c := text[i] | 0x20; !isDigit(text[i]) && (c < 'a' || c > 'f') {
				return 0
			}
		}
		return 6
	}
	return 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// number reads a number. It must have no leading zeros, and at least one digit on each
// side of the point and in the exponent.
func (s *Scanner) number() {
	if s.Peek() == '-' {
		s.At++
	}
	if s.Peek() == '0' {
		s.At++
	} else {
		s.digits()
	}
	if s.Peek() == '.' {
		s.At++
		s.digits()
	}
	if c := s.Peek(); c == 'e' || c == 'E' {
		s.At++
		if c := s.Peek(); c == '+' || c == '-' {
			s.At++
		}
		s.digits()
	}
}

// digits reads one or more digits.
func (s *Scanner) digits() {
	from := s.At
	for s.At < len(s.Source) && isDigit(s.Source[s.At]) {
		s.At++
	}
	s.Failed = s.Failed || s.At == from
}

// AppendCompact appends valid JSON without the white space between tokens.
func AppendCompact(to []byte, raw string) []byte {
	s := Scanner{Source: raw}
	for s.At < len(raw) {
		from := s.At
		switch {
		case raw[from] == '"':
			s.quoted()
		case isSpace(raw[from]):
			s.At++
			continue
		default:
			s.At++
		}
		if s.Failed {
			return to
		}
		to = append(to, raw[from:s.At]...)
	}
	return to
}

// Unquote returns the decoded text of a JSON string.
func Unquote(raw string) string {
	if len(raw) >= 2 && strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	var text string
	if json.Unmarshal([]byte(raw), &text) != nil {
		return raw
	}
	return text
}

// EachMember calls visit for the members of a compact JSON object until visit returns false or the
// JSON is invalid. visit receives the decoded key and the JSON text of the value.
func EachMember(object string, visit func(key, value string) bool) {
	s := Scanner{Source: object}
	for more := s.Enter('}'); more; more = s.Next('}') {
		key := s.Key()
		value := s.Value()
		if s.Failed || !visit(s.Text(key), s.Raw(value)) {
			return
		}
	}
}
