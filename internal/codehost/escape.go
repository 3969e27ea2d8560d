package codehost

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// zeroWidthSpace is an invisible character. It is inserted after the @ of a user name or the # of
// an issue number to prevent the code host from creating a link.
const zeroWidthSpace = "\u200B"

// plain escapes a visitor's text for use in the title of an issue. The result is a single line
// without mentions or references.
func plain(text string) string {
	text = strings.ReplaceAll(plainLine(text), "`", "'")
	return tagStart.ReplaceAllString(harmless(text), "<"+zeroWidthSpace+"${1}")
}

var tagStart = regexp.MustCompile(`<([A-Za-z/!?])`)

// markdown escapes a visitor's text for use in the body of an issue. The result contains no
// mentions, no references and no Markdown markup. It cannot create a link, an HTML element or a
// comment that could pass for a marker, and it cannot end a table cell, a list or a code block. It
// is a single line with <br> for line breaks, so that it fits into a table cell.
func markdown(text string) string {
	lines := plainLines(text)
	for i, line := range lines {
		lines[i] = entities.Replace(harmless(line))
	}
	return beginLiterally(strings.Join(lines, "<br>"))
}

// entities replaces the characters that are markup in Markdown or HTML even in the middle
// of a line, or that end an HTML attribute, with character references, which are never
// markup. The references are hexadecimal, because the code host could mistake decimal
// ones for issue numbers.
var entities = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;", "|", "&#x7c;", `\`, "&#x5c;", "`", "&#x60;",
	"*", "&#x2a;", "_", "&#x5f;", "[", "&#x5b;", "]", "&#x5d;", "~", "&#x7e;", "$", "&#x24;",
)

// beginning matches characters that are markup only at the start of a line: those of
// lists, rules, and the underlines of headings and tables. It is applied to texts that the
// function harmless and the replacer entities have already escaped.
var beginning = regexp.MustCompile(`^(?:[-+=:]|[0-9]{1,9}[.)](?: |$))`)

func beginLiterally(line string) string {
	mark := strings.TrimRight(beginning.FindString(line), " ")
	if mark == "" {
		return line
	}
	last := len(mark) - 1
	return line[:last] + fmt.Sprintf("&#x%x;", line[last]) + line[last+1:]
}

// plainLines splits a text into lines. It trims each line and collapses runs of spaces
// and of empty lines. It removes control characters and characters that change the text
// direction, because they are invisible and affect how other characters are displayed.
func plainLines(text string) []string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			return '\n'
		case unicode.IsSpace(r):
			return ' '
		case '\u200B' <= r && r <= '\u200F': // includes the joiners of emoji and scripts, and direction marks
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

// plainLine is like plainLines, but joins the lines into one.
func plainLine(text string) string {
	return strings.Join(strings.Fields(strings.Join(plainLines(text), " ")), " ")
}

// address matches an e-mail address. Its @ does not make a mention, because a letter or a
// digit precedes it.
var address = regexp.MustCompile(`[A-Za-z0-9]@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}`)

// harmless inserts invisible spaces into a visitor's text so that the code host does not
// recognize mentions (@name), references to issues (#1, owner/name#1, !1, GH-1) or URLs in
// it. Visitors must not be able to place links, and the URL of an issue would also be a
// reference to that issue.
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

// endsInWord reports whether the last word of text equals the given word, ignoring case.
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
