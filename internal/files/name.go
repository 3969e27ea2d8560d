package files

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"svc/internal/fault"
)

// Limits of a name, and of the extension that is kept when a name is cut. File systems accept 255
// bytes.
const (
	maxNameRunes      = 180
	maxNameBytes      = 255
	maxExtensionRunes = 20
)

// CleanName returns a valid file name for the name that a client sends. The API defines the steps
// and their order: canonical composition (NFC); control characters and each of / \ : * ? " < > |
// become _; white space at both ends is removed, then leading dots, then trailing dots and white
// space; a name of more than 180 characters or 255 bytes is cut before an extension of at most 20
// characters (the last dot onward). An empty result is refused.
//
// The steps are repeated until they change nothing, so that cleaning is idempotent: ". a" becomes
// "a", while a single pass would leave a leading space. Bytes that are not UTF-8 become U+FFFD, as
// in JSON.
//
// Device names of Windows (CON, nul.txt) are ordinary names here, since a link
// must show what was uploaded; DiskPath keeps them harmless. So are marks of the
// writing direction, which whoever shows a name has to isolate.
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

// cleanOnce is one pass of CleanName.
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

// cutName shortens a name to its limits, between characters and before its
// extension.
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
