package loggroup

import (
	"bytes"
	"strings"
)

// The rules are defined by regular expressions, which the test of this package contains.
// Evaluating them would cost more than the rest of an upload, so this file implements them by
// hand, and a fuzz test compares both.

// spaces lists the characters that \s matches in a regular expression.
const spaces = "\t\n\f\r "

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' && c != '\v' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isAlpha(c byte) bool { return isLower(c | 0x20) }
func isHex(c byte) bool   { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
func isWord(c byte) bool  { return isDigit(c) || isAlpha(c) || c == '_' }

// appendFrames appends a line for each of the first maxFrames stack frames among the given lines.
func appendFrames(to []byte, lines string) []byte {
	for n := 0; n < maxFrames && lines != ""; {
		var line string
		line, lines, _ = strings.Cut(lines, "\n")
		function, file, ok := parseFrame(strings.TrimSuffix(line, "\r"))
		if !ok {
			continue
		}
		to = append(append(to, '\n'), function...)
		to = append(appendLastSegment(append(to, " ("...), file), ')')
		n++
	}
	return to
}

// appendLastSegment appends the last segment of a path, in which it replaces numbers.
func appendLastSegment(to []byte, path string) []byte {
	segment := path[max(strings.LastIndexByte(path, '/'), strings.LastIndexByte(path, '\\'))+1:]
	if !hasDigit(segment) { // nothing to replace
		return append(to, segment...)
	}
	return append(to, replaceNumbers([]byte(segment))...)
}

func hasDigit[T string | []byte](text T) bool {
	for i := range len(text) {
		if isDigit(text[i]) {
			return true
		}
	}
	return false
}

func parseFrame(line string) (function, file string, ok bool) {
	if strings.HasSuffix(line, ")") {
		if function, file, ok = parseCall(line); ok {
			return function, file, true
		}
	}
	rest := strings.TrimLeft(line, spaces)
	if tail, found := strings.CutPrefix(rest, `File "`); found {
		return parsePython(tail)
	}
	if tail, found := strings.CutPrefix(rest, "at "); found {
		file, ok = parsePlace(tail)
		return "?", file, ok
	}
	return "", "", false
}

// parseCall parses a line "function (file:line:column)".
func parseCall(line string) (function, file string, ok bool) {
	open := strings.LastIndexByte(line, '(')
	if open < 0 {
		return "", "", false
	}
	inner := line[open+1 : len(line)-1]
	dot := strings.LastIndexByte(inner, '.')
	if dot < 0 || strings.IndexByte(inner, ')') >= 0 {
		return "", "", false
	}
	for range 2 {
		if end := withoutNumber(inner); end > dot {
			inner = inner[:end]
		}
	}
	start := 0
	for start < open && isSpace(line[start]) {
		start++
	}
	before := line[start:open]
	if len(before) > len("at ") {
		before = strings.TrimPrefix(before, "at ")
	}
	if before == "" { // the function is the last of the spaces
		if start == 0 {
			return "", "", false
		}
		before = line[start-1 : open]
	}
	if len(before) > 1 {
		before = strings.TrimSuffix(before, " ")
	}
	return before, inner, true
}

// parsePython parses the rest of a line 'File "file", line 1, in function'.
func parsePython(rest string) (function, file string, ok bool) {
	file, rest, ok = strings.Cut(rest, `"`)
	if !ok || file == "" {
		return "", "", false
	}
	if rest, ok = strings.CutPrefix(rest, ", line "); !ok {
		return "", "", false
	}
	digits := 0
	for digits < len(rest) && isDigit(rest[digits]) {
		digits++
	}
	function, ok = strings.CutPrefix(rest[digits:], ", in ")
	return function, file, ok && digits > 0 && function != ""
}

// parsePlace parses the rest of a line "at file:line:column".
func parsePlace(place string) (file string, ok bool) {
	if strings.ContainsAny(place, "()"+spaces) {
		return "", false
	}
	end := withoutNumber(place)
	if end <= 0 {
		return "", false
	}
	if first := withoutNumber(place[:end]); first > 0 {
		end = first
	}
	return place[:end], true
}

// withoutNumber returns the length of the text before the colon and the digits at its end, or -1 if
// the text does not end in a colon and digits.
func withoutNumber(text string) int {
	at := len(text)
	for at > 0 && isDigit(text[at-1]) {
		at--
	}
	if at == len(text) || at == 0 || text[at-1] != ':' {
		return -1
	}
	return at - 1
}

// template replaces the variable parts of a message by placeholders such as <n>. Most messages
// contain few of the characters that the patterns need, so most patterns are skipped.
func template(message string) string {
	if len(message) == 0 {
		return ""
	}
	text := []byte(message)
	if bytes.Count(text, []byte("-")) >= 4 {
		text = replace(text, "<uuid>", matchUUID)
	}
	if bytes.Contains(text, []byte("://")) {
		text = replace(text, "<url>", matchURL)
	}
	if bytes.IndexByte(text, '"') >= 0 {
		text = replace(text, "<str>", matchDouble)
	}
	if bytes.IndexByte(text, '\'') >= 0 {
		text = replace(text, "<str>", matchSingle)
	}
	if bytes.ContainsAny(text, `/\`) {
		text = replace(text, "<path>", matchPath)
	}
	if hasDigit(text) {
		text = replaceNumbers(text)
	}
	return cut(string(text), maxTemplate)
}

// replaceNumbers replaces hexadecimal and decimal numbers. All of them contain a digit.
func replaceNumbers(text []byte) []byte {
	if bytes.Contains(text, []byte("0x")) {
		text = replace(text, "<hex>", matchPrefixed)
	}
	return replace(replace(text, "<hex>", matchHex), "<n>", matchNumber)
}

// replace replaces each match in a text by the parameter with, from left to right. It calls match
// with a position and with the end of the previous match, which a match must not overlap. match
// returns the range [from, end) to replace, or an end of 0 if there is no match at the position.
func replace(text []byte, with string, match func(text []byte, at, before int) (from, end int)) []byte {
	var made []byte
	before := 0
	for at := 0; at < len(text); {
		from, end := match(text, at, before)
		if end == 0 {
			at++
			continue
		}
		made = append(append(made, text[before:from]...), with...)
		before, at = end, end
	}
	if before == 0 {
		return text
	}
	return append(made, text[before:]...)
}

func matchUUID(text []byte, at, _ int) (from, end int) {
	const size = 36
	if len(text)-at < size || text[at+8] != '-' {
		return 0, 0
	}
	for i, c := range text[at : at+size] {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (c == '-') || !dash && !isHex(c) {
			return 0, 0
		}
	}
	return at, at + size
}

func matchURL(text []byte, at, _ int) (from, end int) {
	i := at
	for i < len(text) && isLower(text[i]) {
		i++
	}
	if i == at || !bytes.HasPrefix(text[i:], []byte("://")) {
		return 0, 0
	}
	return at, run(text, i+3, "\"')>"+spaces)
}

// run returns the end of a sequence of characters: the longest one that starts at text[at] and
// contains no character of stop. It returns 0 if the sequence is empty.
func run(text []byte, at int, stop string) int {
	end := at
	for end < len(text) && strings.IndexByte(stop, text[end]) < 0 {
		end++
	}
	if end == at {
		return 0
	}
	return end
}

func matchDouble(text []byte, at, _ int) (from, end int) {
	if text[at] != '"' {
		return 0, 0
	}
	length := bytes.IndexByte(text[at+1:], '"')
	if length < 0 {
		return 0, 0
	}
	return at, at + length + 2
}

func matchSingle(text []byte, at, before int) (from, end int) {
	if text[at] != '\'' || at != 0 && (at == before || isDigit(text[at-1]) || isAlpha(text[at-1])) {
		return 0, 0
	}
	length := bytes.IndexByte(text[at+1:], '\'')
	if length < 0 {
		return 0, 0
	}
	return at, at + length + 2
}

func matchPath(text []byte, at, before int) (from, end int) {
	if at != 0 && (at == before || !isSpace(text[at-1]) && strings.IndexByte("(=:", text[at-1]) < 0) {
		return 0, 0
	}
	i := at
	switch {
	case text[at] == '/':
		i++
	case isAlpha(text[at]) && bytes.HasPrefix(text[at+1:], []byte(`:\`)):
		i += 3
	default:
		return 0, 0
	}
	return at, run(text, i, ":,;)"+spaces)
}

func matchPrefixed(text []byte, at, _ int) (from, end int) {
	if !bytes.HasPrefix(text[at:], []byte("0x")) {
		return 0, 0
	}
	end = at + 2
	for end < len(text) && isHex(text[end]) {
		end++
	}
	if end == at+2 {
		return 0, 0
	}
	return at, end
}

func matchHex(text []byte, at, _ int) (from, end int) {
	if !isHex(text[at]) || at > 0 && isWord(text[at-1]) {
		return 0, 0
	}
	letter, digit := false, false
	for end = at; end < len(text) && isHex(text[end]); end++ {
		digit = digit || isDigit(text[end])
		letter = letter || isAlpha(text[end])
	}
	if end-at < 8 || !letter || !digit || end < len(text) && isWord(text[end]) {
		return 0, 0
	}
	return at, end
}

func matchNumber(text []byte, at, _ int) (from, end int) {
	for end = at; end < len(text) && isDigit(text[end]); {
		for end < len(text) && isDigit(text[end]) {
			end++
		}
		if end+1 >= len(text) || text[end] != '.' && text[end] != ',' || !isDigit(text[end+1]) {
			return at, end
		}
		end++
	}
	return 0, 0
}
