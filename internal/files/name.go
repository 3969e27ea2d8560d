package files

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"svc/internal/fault"
)

// Limits of a file name, and of the extension that is preserved when a name is cut. File systems
// accept names of up to 255 bytes.
const (
	maxNameRunes      = 180
	maxNameBytes      = 255
	maxExtensionRunes = 20
)

// CleanName returns a valid file name for the name that a client has sent. The API defines the
// following steps and their order. First the name is converted to canonical composition (NFC). Then
// control characters and each of / \ : * ? " < > | are replaced by _. Then white space at both ends
// is removed, then leading dots, then trailing dots and white space. Finally a name of more than
// 180 characters or 255 bytes is shortened by cutting it before its extension, which begins at the
// last dot and is preserved if it has at most 20 characters. If the result is empty, CleanName
// returns an error.
//
// The steps are repeated until the name no longer changes, so that CleanName is idempotent. For
// example, ". a" becomes "a", while a single pass would leave a leading space. Bytes that are not
// valid UTF-8 become U+FFFD, as in JSON.
//
// Device names of Windows (CON, nul.txt) are not changed, because a link must show the name of the
// uploaded file. DiskPath makes them harmless on disk. Characters that change the writing direction
// are not changed either, so code that displays a name must isolate it.
func CleanName(name string) (string, error) {
	name = strings.ToValidUTF8(name, string(utf8.RuneError))
	for {
		clean := cleanOnce(name)
		if clean == "" {
			return "", fault.Validation("filename must have a character that is neither a dot nor white space")
		}
		if clean == name {
			return clean, nil
		}
		name = clean
	}
}

// cleanOnce performs the steps of CleanName once.
func cleanOnce(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, norm.NFC.String(name))
	name = strings.TrimLeft(strings.TrimSpace(name), ".")
	return cutName(strings.TrimRightFunc(name, func(r rune) bool { return r == '.' || unicode.IsSpace(r) }))
}

// cutName shortens a name to maxNameRunes characters and maxNameBytes bytes. It cuts between
// characters and preserves the extension.
func cutName(name string) string {
	if utf8.RuneCountInString(name) <= maxNameRunes && len(name) <= maxNameBytes {
		return name
	}
	stem, extension := name, ""
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 && utf8.RuneCountInString(name[dot:]) <= maxExtensionRunes {
		stem, extension = name[:dot], name[dot:]
	}
	runes := maxNameRunes - utf8.RuneCountInString(extension)
	end := 0
	for i, r := range stem {
		next := i + utf8.RuneLen(r)
		if runes--; runes < 0 || next > maxNameBytes-len(extension) {
			break
		}
		end = next
	}
	return stem[:end] + extension
}
