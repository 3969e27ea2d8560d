// Package files defines the rules for stored files: valid names (name.go), content types
// (contenttype.go), object keys and links (link.go), and the addresses of release
// attachments (attachment.go). It does not access the content of files; its subpackages
// do.
package files

import "crypto/rand"

// The alphabet and the length of file ids.
const (
	idAlphabet = "0123456789abcdefghijklmnopqrstuvwxyz"
	idLength   = 12
)

// NewID returns a random file id of 12 characters from 0-9 and a-z, which is equivalent to 62
// random bits.
func NewID() string {
	id := make([]byte, 0, idLength)
	for len(id) < idLength {
		var random [2 * idLength]byte
		_, _ = rand.Read(random[:]) // never fails, see crypto/rand
		for _, b := range random {
			// 252 is seven times the size of the alphabet. If the remaining 4 of the 256 values
			// were used, some characters would be more likely than others.
			if b < 252 && len(id) < idLength {
				id = append(id, idAlphabet[b%36])
			}
		}
	}
	return string(id)
}

// ValidID reports whether a text has the form of a file id.
func ValidID(id string) bool {
	if len(id) != idLength {
		return false
	}
	for i := range len(id) {
		if c := id[i]; (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
