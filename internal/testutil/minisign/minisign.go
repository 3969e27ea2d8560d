// Package minisign makes keys and signatures as minisign and the signer of Tauri do, for tests.
package minisign

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"golang.org/x/crypto/blake2b"
)

// Key is a key pair.
type Key struct {
	number  string // 8 bytes
	private ed25519.PrivateKey
}

// NewKey returns the key pair that is derived from a seed.
func NewKey(seed string) Key {
	sum := sha256.Sum256([]byte(seed))
	return Key{string(sum[:8]), ed25519.NewKeyFromSeed(sum[:])}
}

// Public returns the public key as apps have it in their configuration.
func (k Key) Public() string {
	key := base64.StdEncoding.EncodeToString([]byte("Ed" + k.number + string(k.private.Public().(ed25519.PublicKey))))
	return base64.StdEncoding.EncodeToString([]byte("untrusted comment: minisign public key\n" + key + "\n"))
}

// Sign signs the content of a file and returns the text of its .sig file. comment is the trusted
// comment.
func (k Key) Sign(content []byte, comment string) string {
	sum := blake2b.Sum512(content)
	signature := ed25519.Sign(k.private, sum[:])
	global := ed25519.Sign(k.private, append(signature, comment...))
	text := fmt.Sprintf("untrusted comment: signature from tauri secret key\n%s\ntrusted comment: %s\n%s\n",
		base64.StdEncoding.EncodeToString([]byte("ED"+k.number+string(signature))), comment, base64.StdEncoding.EncodeToString(global))
	return base64.StdEncoding.EncodeToString([]byte(text))
}
