// Package signature reads the public keys and the signatures with which makers sign their
// downloads, and verifies the signatures. It also recognizes private keys, so that none is stored.
//
//	signature.go  schemes, reading a signature of either, and what a signature is worth
//	minisign.go   the texts of minisign, which rsign and Tauri use as well
//	sparkle.go    the texts of Sparkle and WinSparkle
//	key.go        public keys
//	check.go      verifying a signature of a whole file in one pass
//	private.go    recognizing private keys
package signature

import (
	"crypto/ed25519"
	"errors"
	"strings"
)

// Scheme is a way in which downloads are signed.
type Scheme string

// The schemes.
const (
	Minisign Scheme = "minisign"
	Sparkle  Scheme = "sparkle"
)

// Schemes lists all schemes.
var Schemes = []Scheme{Minisign, Sparkle}

// MaxText is the maximum length of a signature's text, in bytes.
const MaxText = 16 << 10

// ErrUnreadable reports that a text is not a signature.
var ErrUnreadable = errors.New("unreadable: it must be the text of a .minisig file, or the signature that sign_update of Sparkle prints")

// Signature is a signature of a file.
type Signature struct {
	Scheme Scheme
	// Value is the signature as feeds contain it, which Parse can read: base64 of the four lines of
	// minisign or, for Sparkle, of the bytes of the signature.
	Value string

	number    [numberSize]byte // of the key; minisign only
	prehashed bool             // whether it signs the file's BLAKE2b-512 instead of the file
	bytes     []byte
	comment   string // trusted comment
	global    []byte // signature of the bytes and the trusted comment
}

// Parse reads a signature. It recognizes the scheme by the content of the text.
func Parse(text string) (*Signature, error) {
	if len(text) > MaxText*4/3+4 { // the base64 form of the longest text
		return nil, ErrUnreadable
	}
	text = strings.TrimSpace(text)
	if s, ok := parseMinisign(text); ok {
		return s, nil
	}
	if s, ok := parseSparkle(text); ok {
		return s, nil
	}
	return nil, ErrUnreadable
}

// Status determines whether a signature is accepted.
type Status string

// The states of a signature.
const (
	Valid     Status = "valid"
	Untrusted Status = "untrusted" // no active key of the project fits, or only an inactive key verifies it
	Invalid   Status = "invalid"   // an active key fits, but no key verifies the signature
	Unchecked Status = "unchecked" // the file is not stored here, or has not been read yet
)

// Content is what is known about the content of a signed file.
type Content struct {
	BLAKE2b []byte            // BLAKE2b-512; empty = not known
	Checks  map[string]Result // what earlier checks have found, by CheckID
}

// Result is the result of a check.
type Result int

// The results.
const (
	Fails Result = iota
	Verifies
	// Kept means that the signature verifies and was valid when its key was retired, so that it
	// remains valid.
	Kept
)

// Judge returns the status of a signature of a file under the keys of a project, and the key that
// verifies it, or nil. A nil content stands for a file that is not stored.
func (s *Signature) Judge(keys []TrustedKey, content *Content) (Status, *TrustedKey) {
	fits, unknown, other := false, false, false
	for i := range keys {
		k := &keys[i]
		if !s.fits(k.Key) {
			continue
		}
		result, known := s.result(k, content)
		switch {
		case known && (result != Fails && k.State == Active || result == Kept && k.State == Retired):
			return Valid, k
		case k.State == Active:
			fits = true
			unknown = unknown || !known
		case s.Scheme == Sparkle: // only a check tells whether the key is that of the signature
			unknown = unknown || !known
		}
		other = other || known && result != Fails
	}
	switch {
	case !fits:
		return Untrusted, nil
	case unknown:
		return Unchecked, nil
	case other:
		return Untrusted, nil
	}
	return Invalid, nil
}

// result returns the result of verifying the signature under the key k. known is false if the file
// must be read to find it.
func (s *Signature) result(k *TrustedKey, content *Content) (result Result, known bool) {
	if s.Scheme == Minisign && !s.globalVerifies(k.Key) {
		return Fails, true
	}
	if content == nil {
		return Fails, false
	}
	result, known = content.Checks[s.CheckID(k.Key)]
	if known || !s.prehashed || len(content.BLAKE2b) == 0 {
		return result, known
	}
	if ed25519.Verify(k.public, content.BLAKE2b, s.bytes) {
		result = Verifies
	}
	return result, true
}

// fits reports whether the signature can have been made with the key k, by their schemes and, for
// minisign, by their key numbers.
func (s *Signature) fits(k Key) bool {
	return s.Scheme == k.Scheme && (s.Scheme == Sparkle || s.number == k.number)
}

// Unread returns the keys for which Judge needs the result of a Check, which reads the file, and the
// content does not have it yet.
func (s *Signature) Unread(keys []TrustedKey, content *Content) (unread []Key) {
	if s.prehashed || content == nil {
		return nil
	}
	for i := range keys {
		if k := &keys[i]; s.fits(k.Key) && (k.State == Active || s.Scheme == Sparkle) {
			if _, known := s.result(k, content); !known {
				unread = append(unread, k.Key)
			}
		}
	}
	return unread
}
