package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const keyPrefix = "svc_"

// NewKey returns a new API key: svc_ and 48 lower-case hex digits, 192 random bits.
func NewKey() string {
	var random [24]byte
	rand.Read(random[:])
	return keyPrefix + hex.EncodeToString(random[:])
}

// IsKey reports whether a bearer credential has the form of an API key. Others are treated as login
// tokens.
func IsKey(text string) bool { return strings.HasPrefix(text, keyPrefix) }

// Digest returns the stored form of an API key: its HMAC-SHA-256 under the salt. A key has 192
// random bits, so a fast function is sufficient. Records may be looked up by digest, because
// without the salt a caller cannot choose its bytes.
func Digest(salt []byte, key string) [sha256.Size]byte {
	mac := hmac.New(sha256.New, salt)
	mac.Write([]byte(key)) // a hash never returns an error
	var digest [sha256.Size]byte
	mac.Sum(digest[:0])
	return digest
}

// SaltMark returns 16 hex digits that identify a salt without revealing it. A digest can only match
// a key hashed with the salt of the same mark.
func SaltMark(salt []byte) string {
	digest := Digest(salt, "svc salt mark")
	return hex.EncodeToString(digest[:8])
}
