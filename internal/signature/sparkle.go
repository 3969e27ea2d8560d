package signature

import (
	"crypto/ed25519"
	"encoding/base64"
	"regexp"
)

// edSignature matches the attribute of an appcast that sign_update of Sparkle prints.
var edSignature = regexp.MustCompile(`sparkle:edSignature="([^"]*)"`)

// parseSparkle reads a signature in base64, or a text that contains the attribute that edSignature
// matches.
func parseSparkle(text string) (*Signature, bool) {
	if found := edSignature.FindStringSubmatch(text); found != nil {
		text = found[1]
	}
	signed, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(signed) != ed25519.SignatureSize {
		return nil, false
	}
	return &Signature{Scheme: Sparkle, Value: base64.StdEncoding.EncodeToString(signed), bytes: signed}, true
}
