package codehost

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// zeroWidthSpace keeps apart what together would be more than text: after the @ of a
// name there is no mention, after the # of a number no reference. Readers do not see it.
const zeroWidthSpace = "\u200B"

// plain is a text of a visitor for the title of an issue, in one line, which neither
// mentions anybody nor refers to anything.
func plain(text string) string {
	text = strings.ReplaceAll(plainLine(text), "`", "'")
	return tagStart.ReplaceAllString(harmless(text), "<"+zeroWidthSpace+"${1}")
}

var tagStart = regexp.MustCompile(`<([A-Za-z/!?])`)

// markdown is a text of a visitor for the body of an issue. It mentions nobody, refers
// to nothing, and has no meaning in Markdown: no link, no HTML, no comment that could be
// taken for a marker, no end of a cell, a list or a block of code. It is one line, because a
// cell of a table is, with <br> for line breaks.
func markdown(text string) string {
	lines := plainLines(text)
	for i, line := range lines {
		lines[i] = entities.Replace(harmless(line))
	}
	return beginLiterally(strings.Join(lines, "<br>"))
}

// entities are the characters with a meaning in the middle of a line, which references
// to them do not have, neither in Markdown nor in HTML, the ends of attributes among
// them. They are hexadecimal, so that nobody takes &#x2a; for the number of an issue.
var entities = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;", "|", "&#x7c;", `\`, "&#x5c;", "`", "&#x60;",
	"*", "&#x2a;", "_", "&#x5f;", "[", "&#x5b;", "]", "&#x5d;", "~", "&#x7e;", "$", "&#x24;",
)

// beginning finds what has a meaning at the beginning of a line only: lists, rules and
// underlines of headings and tables. Those of entities and harmless are gone by then.
var beginning = regexp.MustCompile(`^(?:[-+=:]|[0-9]{1,9}[.)](?: |$))`)

func beginLiterally(line string) string {
	mark := strings.TrimRight(beginning.FindString(line), " ")
	if mark == "" {
		return line
	}
	last := len(mark) - 1
	return line[:last] + fmt.Sprintf("&#x%x;", line[last]) + line[last+1:]
}

// plainLines are the lines of a text, without spaces around them, runs of spaces and
// more than one empty line between others, and without characters that are not seen but
// change how others are: controls, and those that turn the direction of what follows.
func plainLines(text string) []string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			return '\n'
		case unicode.IsSpace(r):
			return ' '
		case '\u200B' <= r && r <= '\u200F': // joiners of emoji and scripts, and marks of their direction
			return r
		case unicode.In(r, unicode.Cc, unicode.Cf):
			return -1
		}
		return r
	}, lineEnds.Replace(strings.ToValidUTF8(text, "\uFFFD")))
	var lines []string
	empty := 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.Join(strings.Fields(line), " ")
		switch {
		case line == "":
			empty++
			continue
		case len(lines) > 0 && empty > 0:
			lines = append(lines, "")
		}
		lines, empty = append(lines, line), 0
	}
	return lines
}

// plainLine is a text in one line.
func plainLine(text string) string {
	return strings.Join(strings.Fields(strings.Join(plainLines(text), " ")), " ")
}

// address is an e-mail address. An @ after a letter or a digit mentions nobody.
var address = regexp.MustCompile(`[A-Za-z0-9]@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}`)

// harmless breaks mentions (@name), references to issues (#1, owner/name#1, !1, GH-1)
// and addresses, which the code host would link to: those of issues are references, and
// what strangers send is no place for links.
func harmless(text string) string {
	mails := map[int]bool{}
	for _, at := range address.FindAllStringIndex(text, -1) {
		mails[at[0]+1] = true
	}
	var b strings.Builder
	for i := range len(text) {
		b.WriteByte(text[i])
		before, after := text[:i], text[i+1:]
		number := after == "" || '0' <= after[0] && after[0] <= '9'
		breaks := false
		switch text[i] {
		case '@':
			breaks = !mails[i]
		case '#':
			breaks = true
		case '!':
			breaks = number
		case '-':
			breaks = number && endsInWord(before, "gh")
		case ':':
			breaks = strings.HasPrefix(after, "//")
		case 'w', 'W':
			breaks = strings.HasPrefix(after, ".") && endsInWord(text[:i+1], "www")
		}
		if breaks {
			b.WriteString(zeroWidthSpace)
		}
	}
	return b.String()
}

// endsInWord reports whether the last word of a text is this one, whatever its case.
func endsInWord(text, word string) bool {
	at := len(text) - len(word)
	if at < 0 || !strings.EqualFold(text[at:], word) {
		return false
	}
	return at == 0 || !isAlphanumeric(text[at-1])
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
