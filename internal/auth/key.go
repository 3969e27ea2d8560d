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

// Digest returns the form in which an API key is stored: its HMAC-SHA-256 with the salt
// as the key. A fast function is sufficient, because an API key has 192 random bits.
// Records can safely be looked up by digest, because a caller without the salt cannot
// choose the bytes of a digest.
func Digest(salt []byte, key string) [sha256.Size]byte {
	mac := hmac.New(sha256.New, salt)
	mac.Write([]byte(key)) // never fails, see package hash
	var digest [sha256.Size]byte
	mac.Sum(digest[:0])
	return digest
}

// SaltMark returns 16 hex digits that identify a salt without revealing it. An API key
// can match a digest only if both were computed with salts of the same mark.
func SaltMark(salt []byte) string {
	digest := Digest(salt, "svc salt mark")
	return hex.EncodeToString(digest[:8])
}
