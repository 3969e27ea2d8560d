// Package seal encrypts stored secrets for other services with AES-256-GCM, and creates
// tokens that grant access to one record. It derives the key for each purpose from
// JWT_SECRET.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"svc/internal/fault"
)

// Purpose is the purpose of a secret or a token, in words that can be displayed. A value
// that was sealed for one purpose cannot be opened for another. The text of a purpose
// must therefore never change.
type Purpose string

// The purposes of sealed secrets and tokens.
const (
	StoragePassword   Purpose = "storage password"
	CDNKeySecret      Purpose = "CDN key secret"
	AppPrivateKey     Purpose = "private key of the code host app"
	AppWebhookSecret  Purpose = "webhook secret of the code host app"
	WebhookSecret     Purpose = "webhook secret of the project"
	TranslationAPIKey Purpose = "API key of the translation service"
	HookSecret        Purpose = "signing secret of the hook"
	HookAuthorization Purpose = "authorization of the hook"
	HookAddress       Purpose = "address of the hook"
	FeedbackReply     Purpose = "reply to feedback"
)

const (
	version   = "v1"
	keyLength = 32 // for AES-256
	ivLength  = 12
	tagLength = 16
)

// Keys seals and opens secrets. It is safe for concurrent use.
type Keys struct{ secret []byte }

// NewKeys returns keys that are derived from the given secret, which is JWT_SECRET.
func NewKeys(secret []byte) *Keys { return &Keys{secret: append([]byte(nil), secret...)} }

// derive returns the key for a purpose and one of its two uses: "seal" for sealing secrets, or
// "token" for computing tokens.
func (k *Keys) derive(use string, p Purpose) []byte {
	key, err := hkdf.Key(sha256.New, k.secret, nil, "svc "+use+" "+version+" "+string(p), keyLength)
	if err != nil {
		panic(err) // only for keys that are too long for HKDF
	}
	return key
}

// tokenLength is the size of a token in bytes, before its encoding.
const tokenLength = 16

// Token returns the token that grants access to a record: the first 128 bits of the
// HMAC-SHA-256 of the record's id, in base64url without padding. It is not stored,
// because it can be computed again.
func (k *Keys) Token(p Purpose, id []byte) string {
	mac := hmac.New(sha256.New, k.derive("token", p))
	mac.Write(id)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:tokenLength])
}

// Grants reports whether token is the token of a record. The comparison takes constant
// time.
func (k *Keys) Grants(p Purpose, token string, id []byte) bool {
	return hmac.Equal([]byte(token), []byte(k.Token(p, id)))
}

func (k *Keys) aead(p Purpose) cipher.AEAD {
	block, err := aes.NewCipher(k.derive("seal", p))
	if err != nil {
		panic(err) // only if the key does not have a length of AES
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // only for ciphers with another block size
	}
	return aead
}

// Seal returns the encrypted form of a secret: v1:{iv}:{tag}:{data}, where the parts are
// in base64. The encrypted form of "" is "".
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

// Open decrypts a sealed secret. If JWT_SECRET has changed since it was sealed, the error
// is a fault of kind Invalid that asks the administrator to enter the secret again.
func (k *Keys) Open(p Purpose, sealed string) (plain string, err error) {
	if sealed == "" {
		return "", nil
	}
	unreadable := fault.New(fault.Invalid,
		"the stored %s cannot be decrypted, because JWT_SECRET has changed since it was saved: enter it again", p)
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

// Fingerprint returns the first 16 hex digits of the SHA-256 of a secret, by which
// secrets can be compared without showing them. The fingerprint of "" is "".
func Fingerprint(plain string) string {
	if plain == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(plain))
	return hex.EncodeToString(sum[:8])
}
