package signature

import (
	"encoding/base64"
	"errors"
	"strings"
	"unicode"
)

// ErrPrivate reports that a text is or contains a private key.
var ErrPrivate = errors.New("contains a private key; keep it in your CI")

// privateMarks are the texts by which private keys are recognized.
var privateMarks = []string{
	"PRIVATE KEY-----",
	"minisign encrypted secret key",
	"rsign encrypted secret key",
}

// encodedMarks contains the forms that privateMarks have when a longer text is encoded as base64.
// Each has three forms, one for each offset at which it can begin within a group of three bytes.
var encodedMarks = func() (all []string) {
	for _, mark := range privateMarks {
		for offset := range 3 {
			padded := strings.Repeat("\x00", offset) + mark
			whole := len(padded) / 3 * 3 // the last group also depends on what follows
			encoded := base64.StdEncoding.EncodeToString([]byte(padded[:whole]))
			if offset > 0 { // the first group also depends on what precedes
				encoded = encoded[4:]
			}
			all = append(all, encoded)
		}
	}
	return all
}()

// secretHeads are the beginnings of minisign's secret keys in base64. A key begins with the names of
// three algorithms: for the signature, for the encryption, which may be missing, and for the checksum.
var secretHeads = []string{
	base64.StdEncoding.EncodeToString([]byte("EdScB2")),
	base64.StdEncoding.EncodeToString([]byte("Ed\x00\x00B2")),
}

// secretSize is the number of characters of minisign's secret keys in base64.
const secretSize = 212

// IsPrivate reports whether a text contains a private key, either directly or encoded as base64.
func IsPrivate(text string) bool {
	for _, mark := range privateMarks {
		if strings.Contains(text, mark) {
			return true
		}
	}
	compact := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return -1
		case r == '-':
			return '+' // URLs use another alphabet
		case r == '_':
			return '/'
		}
		return r
	}, text)
	for _, mark := range encodedMarks {
		if strings.Contains(compact, mark) {
			return true
		}
	}
	for _, head := range secretHeads {
		if strings.HasPrefix(compact, head) && len(compact) >= secretSize {
			return true
		}
	}
	return false
}
