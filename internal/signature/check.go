package signature

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"hash"

	"filippo.io/edwards25519"
)

// Check verifies a signature of a file. The caller writes the content of the file to the Check, whose
// memory does not depend on the size of the file. Package crypto/ed25519 needs the whole file in memory.
type Check struct {
	ID string // see CheckID

	public, signed []byte
	challenge      hash.Hash
}

// NewCheck begins to verify the signature under the key k. The signature must sign the file itself,
// not its hash.
func (s *Signature) NewCheck(k Key) *Check {
	c := &Check{ID: s.CheckID(k), public: k.public, signed: s.bytes, challenge: sha512.New()}
	c.challenge.Write(s.bytes[:32])
	c.challenge.Write(k.public)
	return c
}

// CheckID returns the ID of the check of the signature under the key k. The result of the check is
// stored under this ID.
func (s *Signature) CheckID(k Key) string {
	sum := sha256.New()
	sum.Write(s.bytes)
	sum.Write(k.public)
	return base64.RawStdEncoding.EncodeToString(sum.Sum(nil)[:16])
}

// Write implements io.Writer. It never returns an error.
func (c *Check) Write(p []byte) (int, error) { return c.challenge.Write(p) }

// Result returns the result for the content that has been written. It verifies the signature as
// described in section 5.1.7 of RFC 8032, like crypto/ed25519: R must be the encoding of [S]B - [k]A.
func (c *Check) Result() Result {
	a, err := new(edwards25519.Point).SetBytes(c.public)
	if err != nil {
		return Fails
	}
	s, err := edwards25519.NewScalar().SetCanonicalBytes(c.signed[32:])
	if err != nil {
		return Fails
	}
	k, err := edwards25519.NewScalar().SetUniformBytes(c.challenge.Sum(nil))
	if err != nil {
		return Fails // only if the hash does not have the length of SHA-512
	}
	r := new(edwards25519.Point).VarTimeDoubleScalarBaseMult(k, a.Negate(a), s)
	if string(r.Bytes()) == string(c.signed[:32]) {
		return Verifies
	}
	return Fails
}
