package codehost

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// SignatureHeader is the header with the signature of a delivery. Gitea and Forgejo send it in
// addition to their own.
const SignatureHeader = "X-Hub-Signature-256"

const signaturePrefix = "sha256="

// WellFormed reports whether a header has the form of a signature: sha256= and 64 hex digits.
// Otherwise the body need not be read.
func WellFormed(header string) bool {
	_, ok := parseSignature(header)
	return ok
}

func parseSignature(header string) (sum []byte, ok bool) {
	digits, ok := strings.CutPrefix(header, signaturePrefix)
	if !ok || len(digits) != 2*sha256.Size {
		return nil, false
	}
	sum, err := hex.DecodeString(digits)
	return sum, err == nil
}

// Verify reports whether header is the signature of raw with one of the secrets. Empty secrets are
// ignored. Its duration depends neither on how much of the signature matches nor on which secret
// made it.
func Verify(raw []byte, header string, secrets ...string) bool {
	given, ok := parseSignature(header)
	if !ok {
		return false
	}
	valid := false
	for _, secret := range secrets {
		if secret == "" {
			continue
		}
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(raw)
		valid = hmac.Equal(mac.Sum(nil), given) || valid
	}
	return valid
}
