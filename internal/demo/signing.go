package demo

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"fmt"

	"golang.org/x/crypto/blake2b"
)

// signer signs files in the format of minisign. Its key is derived from the seed, so it is not
// secret and protects nothing.
type signer struct {
	number  string // key ID, 8 bytes
	private ed25519.PrivateKey
}

type trustKeyLine struct {
	ID        string `json:"id"`
	Scheme    string `json:"scheme"`
	PublicKey string `json:"public_key"`
	Label     string `json:"label"`
	State     string `json:"state"`
	CreatedAt int64  `json:"created_at"`
	UpdatedAt int64  `json:"updated_at"`
}

func newSigner(c *chance) *signer {
	bytes := make([]byte, 0, 8+ed25519.SeedSize)
	for len(bytes) < cap(bytes) {
		bytes = binary.LittleEndian.AppendUint64(bytes, c.Uint64())
	}
	return &signer{string(bytes[:8]), ed25519.NewKeyFromSeed(bytes[8:])}
}

// public returns the public key as minisign prints it.
func (s *signer) public() string {
	return base64.StdEncoding.EncodeToString([]byte("Ed" + s.number + string(s.private.Public().(ed25519.PublicKey))))
}

// sign returns the text of the .minisig file of a file, in base64.
func (s *signer) sign(filename string, content []byte, at int64) string {
	sum := blake2b.Sum512(content)
	signature := ed25519.Sign(s.private, sum[:])
	comment := fmt.Sprintf("timestamp:%d\tfile:%s\thashed", at, filename)
	global := ed25519.Sign(s.private, append(signature, comment...))
	text := fmt.Sprintf("untrusted comment: signature from minisign secret key\n%s\ntrusted comment: %s\n%s\n",
		base64.StdEncoding.EncodeToString([]byte("ED"+s.number+string(signature))), comment, base64.StdEncoding.EncodeToString(global))
	return base64.StdEncoding.EncodeToString([]byte(text))
}

// trustKeyLines returns the public key that verifies the files of the project, or nil if the files
// are not signed.
func (w *world) trustKeyLines() []trustKeyLine {
	if !w.signed {
		return nil
	}
	at := w.ago(w.begun, 12)
	key := newSigner(w.chance("signer")).public()
	return []trustKeyLine{{w.chance("trust keys").uuid7(at), "minisign", key, "Release key", "active", at, at}}
}
