package codehost

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// SignatureHeader is the name of the header with the signature of a delivery. Gitea and Forgejo
// send it in addition to their own signature headers.
const SignatureHeader = "X-Hub-Signature-256"

const signaturePrefix = "sha256="

// WellFormed reports whether a header has the form of a signature: sha256= and 64 hex
// digits. If it does not, the delivery can be refused before its body is read.
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

// Verify reports whether header is a signature of raw that was made with one of the secrets. Empty
// secrets are ignored. The duration of the check reveals neither how much of the signature matches
// nor which secret was used.
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
