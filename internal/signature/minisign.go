package signature

import (
	"crypto/ed25519"
	"encoding/base64"
	"slices"
	"strings"
)

const (
	algorithmSize = 2
	numberSize    = 8 // of a key number

	untrustedPrefix = "untrusted comment:"
	trustedPrefix   = "trusted comment: "
)

// parseMinisign reads the four lines of a signature of minisign, or their base64 form.
func parseMinisign(text string) (*Signature, bool) {
	if !strings.HasPrefix(text, untrustedPrefix) {
		decoded, err := decode(text)
		if text = strings.TrimSpace(string(decoded)); err != nil || !strings.HasPrefix(text, untrustedPrefix) {
			return nil, false
		}
	}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if len(text) > MaxText || len(lines) != 4 {
		return nil, false
	}
	comment, trusted := strings.CutPrefix(lines[2], trustedPrefix)
	signed, err := base64.StdEncoding.DecodeString(lines[1])
	if !trusted || err != nil || len(signed) != algorithmSize+numberSize+ed25519.SignatureSize {
		return nil, false
	}
	global, err := base64.StdEncoding.DecodeString(lines[3])
	if err != nil || len(global) != ed25519.SignatureSize {
		return nil, false
	}
	s := &Signature{
		Scheme: Minisign, Value: base64.StdEncoding.EncodeToString([]byte(strings.Join(lines, "\n") + "\n")),
		bytes: signed[algorithmSize+numberSize:], comment: comment, global: global,
	}
	copy(s.number[:], signed[algorithmSize:])
	switch string(signed[:algorithmSize]) {
	case "ED":
		s.prehashed = true
	case "Ed":
	default:
		return nil, false
	}
	return s, true
}

// globalVerifies reports whether the signature of the trusted comment was made with the key k.
func (s *Signature) globalVerifies(k Key) bool {
	return ed25519.Verify(k.public, slices.Concat(s.bytes, []byte(s.comment)), s.global)
}

// decode decodes base64, which may be broken into lines.
func decode(text string) ([]byte, error) {
	return base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
}
