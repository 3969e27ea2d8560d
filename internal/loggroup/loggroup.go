// Package loggroup implements the rules by which equal errors form a group: the fingerprint
// of a log, the version that it comes from, the states of a group, and the limits on
// reports about groups. It has no state and no side effects.
//
//	loggroup.go  Log and ID: the fingerprint of a log, and the title of its group
//	scan.go      parsing the content: stack frames and message templates
//	version.go   the fields of a log's objects that concern its group
//	state.go     the states of a group
//	guard.go     counts by hour, spikes, and the limit on reports
package loggroup

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// MinLevel is the lowest level of logs that are grouped.
	MinLevel = 2
	// MaxGroups is the maximum number of groups of a project. Logs with further fingerprints
	// belong to the group Overflow.
	MaxGroups = 5000
	// OverflowTitle is the title of the group Overflow.
	OverflowTitle = "(too many groups)"

	maxKey      = 256 // characters of group_key
	maxTemplate = 200 // characters of a template, and of a title
	maxType     = 128 // characters of the type of an error
	maxFrames   = 5   // frames that are part of a fingerprint
)

// ID is the fingerprint of the logs of a group. The zero ID means that a log belongs to no
// group.
type ID [8]byte

// Overflow is the id of the group for all logs that would create a group beyond MaxGroups.
var Overflow = ID([]byte(overflow))

const overflow = "overflow"

// String returns the id as 16 hexadecimal digits, or "overflow".
func (id ID) String() string {
	if id == Overflow {
		return overflow
	}
	return hex.EncodeToString(id[:])
}

// ParseID parses the text that ID.String returns. ok is false for any other text.
func ParseID(text string) (id ID, ok bool) {
	if text == overflow {
		return Overflow, true
	}
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != len(id) || strings.ToLower(text) != text {
		return ID{}, false
	}
	return ID(raw), true
}

// Log contains the fields of a log that determine its group.
type Log struct {
	Level   int
	Source  string // empty if the log has none
	Content string
	Key     string // Fields.Key; empty if the log has none
}

// ID returns the fingerprint of the log.
func (l Log) ID() ID {
	line := make([]byte, 0, 256)
	if l.hasKey() {
		line = append(append(line, "v1\nkey\n"...), l.Key...)
		return sum(line)
	}
	name, message, rest := split(l.Content)
	header := func(kind string) {
		line = append(append(line, "v1\n"...), kind...)
		for _, part := range [...]string{strconv.Itoa(l.Level), l.Source, name} {
			line = append(append(line, '\n'), part...)
		}
	}
	header("frames")
	if with := appendFrames(line, rest); len(with) > len(line) {
		return sum(with)
	}
	line = line[:0]
	header("message")
	return sum(append(append(line, '\n'), template(message)...))
}

// Title returns the title of a group that begins with the log.
func (l Log) Title() string {
	if l.hasKey() {
		return cut(l.Key, maxTemplate)
	}
	name, message, _ := split(l.Content)
	title := template(message)
	if name != "" {
		title = cut(name+": "+title, maxTemplate)
	}
	if title == "" {
		return "(empty)"
	}
	return title
}

func (l Log) hasKey() bool { return l.Key != "" && utf8.RuneCountInString(l.Key) <= maxKey }

func sum(lines []byte) ID {
	digest := sha256.Sum256(lines)
	return ID(digest[:len(ID{})])
}

// split splits the content of a log into the type of the error, the rest of the first line, and the
// lines after it. The type is "" if the first line does not begin with one.
func split(content string) (name, message, rest string) {
	message, rest, _ = strings.Cut(content, "\n")
	message = strings.TrimSpace(message)
	before, after, found := strings.Cut(message, ": ")
	if found && before != "" && !strings.ContainsAny(before, spaces) && utf8.RuneCountInString(before) <= maxType {
		return before, strings.TrimSpace(after), rest
	}
	return "", message, rest
}

// cut returns the first n characters of a text.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
