package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const keyPrefix = "svc_"

// NewKey returns a new API key. It consists of svc_ and 48 lower-case hex digits, which
// are 192 random bits.
func NewKey() string {
	var random [24]byte
	rand.Read(random[:])
	return keyPrefix + hex.EncodeToString(random[:])
}

// IsKey reports whether a bearer credential has the form of an API key. Other credentials
// are treated as login tokens.
func IsKey(text string) bool { return strings.HasPrefix(text, keyPrefix) }

// Digest returns the stored form of an API key, which is its HMAC-SHA-256 with the salt
// as the key. A fast function is sufficient, because an API key has 192 random bits.
// Records may be looked up by digest, because a caller without the salt cannot choose the
// bytes of a digest.
func Digest(salt []byte, key string) [sha256.Size]byte {
	mac := hmac.New(sha256.New, salt)
	mac.Write([]byte(key)) // a hash never returns an error
	var digest [sha256.Size]byte
	mac.Sum(digest[:0])
	return digest
}

// SaltMark returns 16 hex digits that identify a salt without revealing it. An API key
// can only match a digest that was computed with a salt of the same mark.
func SaltMark(salt []byte) string {
	digest := Digest(salt, "svc salt mark")
	return hex.EncodeToString(digest[:8])
}
