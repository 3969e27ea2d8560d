// Package files has the rules of stored files that need nothing but values: what
// a file may be called (name.go), its type (contenttype.go), its object key and
// its link (link.go), and which addresses are attachments of releases
// (attachment.go). The bytes are the business of the packages below it.
package files

import "crypto/rand"

// The alphabet and length of the ids of files.
const (
	idAlphabet = "0123456789abcdefghijklmnopqrstuvwxyz"
	idLength   = 12
)

// NewID is a random id of a file: 12 characters of 0-9 and a-z, 62 bits.
func NewID() string {
	id := make([]byte, 0, idLength)
	for len(id) < idLength {
		var random [2 * idLength]byte
		_, _ = rand.Read(random[:]) // it never fails
		for _, b := range random {
			// Of 256 values 252 are seven times the alphabet; the others would make
			// some characters likelier.
			if b < 252 && len(id) < idLength {
				id = append(id, idAlphabet[b%36])
			}
		}
	}
	return string(id)
}

// ValidID reports whether a text has the form of an id of a file.
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
