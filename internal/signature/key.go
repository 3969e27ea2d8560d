package signature

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"filippo.io/edwards25519"
)

// MaxKeyText is the maximum length of a public key's text, in bytes.
const MaxKeyText = 1 << 10

// Key is a public key.
type Key struct {
	Scheme Scheme

	number [numberSize]byte // minisign only
	public ed25519.PublicKey
}

// State determines which signatures made with a key are accepted.
type State string

// The states of a key.
const (
	Active  State = "active"
	Retired State = "retired" // signatures that were valid before remain valid
	Revoked State = "revoked" // no signature is accepted; final
)

// States lists all states.
var States = []State{Active, Retired, Revoked}

// TrustedKey is a public key of a project.
type TrustedKey struct {
	Key

	State State
}

var (
	errKeyText = errors.New("must be a public key as the tool prints it")
	errPoint   = errors.New("is not a public key: it is no point of the curve")
)

// ParseKey reads a public key as the tools of a scheme print it. The error is ErrPrivate if the text
// is a private key. No error contains the text.
func ParseKey(scheme Scheme, text string) (Key, error) {
	text = strings.TrimSpace(text)
	switch {
	case IsPrivate(text):
		return Key{}, ErrPrivate
	case len(text) > MaxKeyText:
		return Key{}, fmt.Errorf("must have at most %d bytes", MaxKeyText)
	case scheme == Minisign:
		return parseMinisignKey(text)
	}
	return parseSparkleKey(text)
}

// parseMinisignKey reads a public key of minisign: the line with the key, the two lines of a .pub
// file, or the base64 form of a .pub file, which Tauri uses.
func parseMinisignKey(text string) (k Key, err error) {
	raw, err := decode(lastLine(text))
	if err == nil && strings.HasPrefix(string(raw), untrustedPrefix) {
		raw, err = decode(lastLine(strings.TrimSpace(string(raw))))
	}
	if err != nil || len(raw) != algorithmSize+numberSize+ed25519.PublicKeySize || string(raw[:algorithmSize]) != "Ed" {
		return k, errKeyText
	}
	k.Scheme, k.public = Minisign, raw[algorithmSize+numberSize:]
	copy(k.number[:], raw[algorithmSize:])
	return k, k.check()
}

// lastLine returns the second line of a text that begins with an untrusted comment. It returns any
// other text as it is.
func lastLine(text string) string {
	if comment, line, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(comment, untrustedPrefix) {
		return line
	}
	return text
}

// publicEDKey matches the property list entry that generate_keys of Sparkle prints.
var publicEDKey = regexp.MustCompile(`<key>SUPublicEDKey</key>\s*<string>\s*([^<]*?)\s*</string>`)

func parseSparkleKey(text string) (k Key, err error) {
	if found := publicEDKey.FindStringSubmatch(text); found != nil {
		text = found[1]
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	switch {
	case err != nil:
		return k, errKeyText
	case len(raw) == ed25519.PrivateKeySize, len(raw) == ed25519.PrivateKeySize+ed25519.PublicKeySize:
		return k, ErrPrivate // as older versions of Sparkle exported them
	case len(raw) != ed25519.PublicKeySize:
		return k, fmt.Errorf("must be base64 of %d bytes", ed25519.PublicKeySize)
	}
	k.Scheme, k.public = Sparkle, raw
	return k, k.check()
}

// check returns an error unless the key is a point of the curve. About half of all private keys are
// not points of the curve, so check rejects them.
func (k Key) check() error {
	if _, err := new(edwards25519.Point).SetBytes(k.public); err != nil {
		return errPoint
	}
	return nil
}

// ID returns the identifier of a key. For minisign that is the key number as minisign prints it.
func (k Key) ID() string {
	if k.Scheme == Minisign {
		return fmt.Sprintf("%016X", binary.LittleEndian.Uint64(k.number[:]))
	}
	sum := sha256.Sum256(k.public)
	return hex.EncodeToString(sum[:8])
}

// Same reports whether two keys are the same.
func (k Key) Same(other Key) bool {
	return k.Scheme == other.Scheme && k.number == other.number && k.public.Equal(other.public)
}
