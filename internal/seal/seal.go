// Package seal keeps secrets of other services unreadable at rest: AES-256-GCM with a
// key that is derived from JWT_SECRET, one for each purpose.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"svc/internal/fault"
)

// Purpose is what a secret is for, in words for people. A value that was sealed for
// one purpose does not open for another, so these must never change.
type Purpose string

// The purposes.
const (
	StoragePassword   Purpose = "storage password"
	CDNKeySecret      Purpose = "CDN key secret"
	AppPrivateKey     Purpose = "private key of the code host app"
	AppWebhookSecret  Purpose = "webhook secret of the code host app"
	WebhookSecret     Purpose = "webhook secret of the project"
	TranslationAPIKey Purpose = "API key of the translation service"
)

const (
	version   = "v1"
	keyLength = 32 // AES-256
	ivLength  = 12
	tagLength = 16
)

// Keys seals and opens. Its methods may be called from any goroutine.
type Keys struct{ secret []byte }

// NewKeys derives keys from a secret, which is JWT_SECRET.
func NewKeys(secret []byte) *Keys { return &Keys{secret: append([]byte(nil), secret...)} }

func (k *Keys) aead(p Purpose) cipher.AEAD {
	key, err := hkdf.Key(sha256.New, k.secret, nil, "svc seal "+version+" "+string(p), keyLength)
	if err != nil {
		panic(err) // only for keys longer than HKDF can make
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // only for keys of another length
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // only for ciphers with other blocks than those of AES
	}
	return aead
}

// Seal is the form in which a secret is stored: v1:{iv}:{tag}:{data}, the parts in
// base64. An empty secret stays empty.
func (k *Keys) Seal(p Purpose, plain string) string {
	if plain == "" {
		return ""
	}
	iv := make([]byte, ivLength)
	rand.Read(iv) // never fails, see crypto/rand
	sealed := k.aead(p).Seal(nil, iv, []byte(plain), nil)
	data, tag := sealed[:len(plain)], sealed[len(plain):]
	text := base64.StdEncoding.EncodeToString
	return strings.Join([]string{version, text(iv), text(tag), text(data)}, ":")
}

// Open is the secret that was sealed. The error, a fault of kind Invalid, says that it
// must be entered again: JWT_SECRET is another one than when it was sealed.
func (k *Keys) Open(p Purpose, sealed string) (plain string, err error) {
	if sealed == "" {
		return "", nil
	}
	unreadable := fault.New(fault.Invalid, "the stored %s cannot be decrypted, because JWT_SECRET has changed since it was saved: enter it again", p)
	parts := strings.Split(sealed, ":")
	if len(parts) != 4 || parts[0] != version {
		return "", unreadable
	}
	var raw [3][]byte
	for i := range raw {
		if raw[i], err = base64.StdEncoding.DecodeString(parts[i+1]); err != nil {
			return "", unreadable
		}
	}
	iv, tag, data := raw[0], raw[1], raw[2]
	if len(iv) != ivLength || len(tag) != tagLength {
		return "", unreadable
	}
	text, err := k.aead(p).Open(nil, iv, append(data, tag...), nil)
	if err != nil {
		return "", unreadable
	}
	return string(text), nil
}

// Fingerprint tells secrets apart without showing them: the first 16 hex digits of
// the SHA-256. An empty secret has none.
func Fingerprint(plain string) string {
	if plain == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(plain))
	return hex.EncodeToString(sum[:8])
}
