package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const keyPrefix = "svc_"

// NewKey makes the text of an API key: svc_ and 48 lower-case hex digits, 192
// random bits.
func NewKey() string {
	var random [24]byte
	rand.Read(random[:])
	return keyPrefix + hex.EncodeToString(random[:])
}

// IsKey reports whether a bearer credential is meant as an API key. Everything
// else is meant as a login token.
func IsKey(text string) bool { return strings.HasPrefix(text, keyPrefix) }

// Digest is what is stored of an API key: its HMAC-SHA-256 under the salt. A
// key has 192 random bits, so a fast function is right. Records may be looked
// up by their digest: without the salt nobody can choose its bytes.
func Digest(salt []byte, key string) [sha256.Size]byte {
	mac := hmac.New(sha256.New, salt)
	mac.Write([]byte(key)) // a hash never returns an error
	var digest [sha256.Size]byte
	mac.Sum(digest[:0])
	return digest
}

// SaltMark tells a salt from others without telling the salt: 16 hex digits. A
// digest can match only a text hashed with the salt of the same mark.
func SaltMark(salt []byte) string {
	digest := Digest(salt, "svc salt mark")
	return hex.EncodeToString(digest[:8])
}
