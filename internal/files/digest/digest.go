// Package digest computes all checksums of a file in one pass over its bytes.
package digest

import (
	"crypto/sha1" //nolint:gosec // formats of updaters require SHA-1; nothing relies on its strength
	"crypto/sha256"
	"crypto/sha512"
	"encoding"
	"encoding/hex"
	"hash"
	"sync"

	"golang.org/x/crypto/blake2b"
)

// Sums contains the checksums of a file, in lower-case hexadecimal. Files that were stored
// by an earlier version may have only SHA256.
type Sums struct {
	SHA256  string `json:"sha256,omitempty"`
	SHA1    string `json:"sha1,omitempty"`
	SHA512  string `json:"sha512,omitempty"`
	BLAKE2b string `json:"blake2b,omitempty"` // BLAKE2b-512
}

// Hash computes the checksums of the bytes that are written to it.
type Hash struct {
	sha256, sha1, sha512, blake2b hash.Hash
}

// New returns a Hash to which no bytes have been written.
func New() *Hash {
	b, err := blake2b.New512(nil)
	if err != nil {
		panic(err) // only for a key that is too long
	}
	return &Hash{sha256.New(), sha1.New(), sha512.New(), b} //nolint:gosec // see the import
}

func (h *Hash) all() [4]hash.Hash { return [...]hash.Hash{h.sha512, h.blake2b, h.sha1, h.sha256} }

// parallel is the minimum number of bytes for which the checksums are computed concurrently. For
// fewer bytes, starting goroutines costs more than it saves.
const parallel = 8 << 10

// Begin starts adding p to the checksums. The returned function waits until p has been added. Until
// the caller has called it, the caller must not change p or use h, but can store p elsewhere.
func (h *Hash) Begin(p []byte) (wait func()) {
	if len(p) < parallel {
		for _, one := range h.all() {
			one.Write(p)
		}
		return func() {}
	}
	var running sync.WaitGroup
	for _, one := range h.all() {
		running.Go(func() { one.Write(p) })
	}
	return running.Wait
}

// Write implements io.Writer. It never returns an error.
func (h *Hash) Write(p []byte) (int, error) {
	h.Begin(p)()
	return len(p), nil
}

// Clone returns a copy of h.
func (h *Hash) Clone() (*Hash, error) {
	c := New()
	for i, one := range h.all() {
		state, err := one.(encoding.BinaryMarshaler).MarshalBinary()
		if err != nil {
			return nil, err
		}
		if err := c.all()[i].(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Reset restores the state in which no bytes have been written.
func (h *Hash) Reset() {
	for _, one := range h.all() {
		one.Reset()
	}
}

// Sums returns the checksums of the bytes written so far.
func (h *Hash) Sums() Sums {
	text := func(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
	return Sums{SHA256: text(h.sha256), SHA1: text(h.sha1), SHA512: text(h.sha512), BLAKE2b: text(h.blake2b)}
}
