package event

import "strings"

// deepestJSON is the nesting at which encoding/json gives up; so does the
// scanner, because what it lets pass must be readable to everybody else.
const deepestJSON = 10_000

// scanner walks over JSON text once and checks it on the way. After the first
// fault it has failed, stays where it is and reports no further members.
type scanner struct {
	text   string
	at     int
	failed bool

	level   int  // objects and lists that are open
	deepest int  // greatest level since it was last set
	spaced  bool // there was white space between tokens since it was last set
	escaped bool // the string read last has escapes
}

// token is where a value stands in the text, a string with its quotes. The zero
// value is one that was not sent.
type token struct {
	from, to int
	escaped  bool // a string with escapes
}

// sent reports whether there is a value. Null counts as none.
func (s *scanner) sent(v token) bool {
	return v.to > v.from && s.text[v.from] != 'n'
}

// raw is a value as it stands in the text.
func (s *scanner) raw(v token) string { return s.text[v.from:v.to] }

// isString reports whether a value that was sent is a string.
func (s *scanner) isString(v token) bool { return s.text[v.from] == '"' }

// string is the text of a string.
func (s *scanner) string(v token) string {
	if v.escaped {
		return unquote(s.raw(v))
	}
	return s.text[v.from+1 : v.to-1]
}

// peek is the byte that comes next; 0, which no JSON has between strings, at the
// end.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// space skips white space.
func (s *scanner) space() {
	for s.at < len(s.text) && isSpace(s.text[s.at]) {
		s.at++
		s.spaced = true
	}
}

func isSpace(c byte) bool { return c <= ' ' && (c == ' ' || c == '\n' || c == '\t' || c == '\r') }

// enter goes into the object or list that comes next and reports whether it has
// a first member.
func (s *scanner) enter(closing byte) (more bool) {
	s.level++
	s.deepest = max(s.deepest, s.level)
	if s.level > deepestJSON {
		s.failed = true
		return false
	}
	s.at++
	s.space()
	if s.peek() != closing {
		return true
	}
	s.at++
	s.level--
	return false
}

// further goes on behind a member and reports whether another one follows; else
// it leaves the object or list.
func (s *scanner) further(closing byte) (more bool) {
	if s.failed {
		return false
	}
	s.space()
	switch s.peek() {
	case ',':
		s.at++
		s.space()
		return true
	case closing:
		s.at++
		s.level--
		return false
	}
	s.failed = true
	return false
}

// key reads the name of a member and goes on to its value.
func (s *scanner) key() token {
	if s.peek() != '"' {
		s.failed = true
		return token{}
	}
	name := s.value()
	s.space()
	if s.failed || s.peek() != ':' {
		s.failed = true
		return token{}
	}
	s.at++
	s.space()
	return name
}

// value reads the value that comes next.
func (s *scanner) value() token {
	from := s.at
	switch s.peek() {
	case '"':
		s.quoted()
		return token{from, s.at, s.escaped}
	case '{':
		for more := s.enter('}'); more; more = s.further('}') {
			if s.key(); !s.failed {
				s.value()
			}
		}
	case '[':
		for more := s.enter(']'); more; more = s.further(']') {
			s.value()
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
	return token{from: from, to: s.at}
}

func (s *scanner) literal(word string) {
	if !strings.HasPrefix(s.text[s.at:], word) {
		s.failed = true
		return
	}
	s.at += len(word)
}

// plainByte has the bytes that stand for themselves in a string.
var plainByte = func() (plain [256]bool) {
	for c := range plain {
		plain[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return plain
}()

// quoted reads a string.
func (s *scanner) quoted() {
	text, at := s.text, s.at+1
	s.escaped = false
	for {
		for at < len(text) && plainByte[text[at]] {
			at++
		}
		if at < len(text) && text[at] == '"' {
			s.at = at + 1
			return
		}
		length := escape(text[at:])
		if length == 0 {
			s.failed = true
			return
		}
		s.escaped = true
		at += length
	}
}

// escape is the length of the escape that a text begins with; 0 when it begins
// with none.
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

// number reads a number: no zeros before another digit, a digit at least on each
// side of the point and in the exponent.
func (s *scanner) number() {
	if s.peek() == '-' {
		s.at++
	}
	if s.peek() == '0' {
		s.at++
	} else {
		s.digits()
	}
	if s.peek() == '.' {
		s.at++
		s.digits()
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.at++
		if c := s.peek(); c == '+' || c == '-' {
			s.at++
		}
		s.digits()
	}
}

// digits reads at least one digit.
func (s *scanner) digits() {
	from := s.at
	for s.at < len(s.text) && isDigit(s.text[s.at]) {
		s.at++
	}
	s.failed = s.failed || s.at == from
}

// appendCompact appends valid JSON without the white space between tokens.
func appendCompact(to []byte, raw string) []byte {
	s := scanner{text: raw}
	for s.at < len(raw) {
		from := s.at
		switch {
		case raw[from] == '"':
			s.quoted()
		case isSpace(raw[from]):
			s.at++
			continue
		default:
			s.at++
		}
		if s.failed {
			return to
		}
		to = append(to, raw[from:s.at]...)
	}
	return to
}
