// Package auth proves who is calling: password hashes, API key digests and
// login tokens. Values in, values out: it keeps nothing but the secret it was
// given, and it knows neither the store nor HTTP.
package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
)

// ParallelHashes bounds how many passwords are hashed at once, because each
// takes the memory of its cost. A burst of logins queues instead of swelling
// the process.
const ParallelHashes = 2

// Hasher turns passwords into hashes and checks them with Argon2id. It is safe
// for concurrent use; at most two computations run at once, the others wait
// for their turn or for the end of their context.
type Hasher struct {
	slots chan struct{}
	cost  cost
}

// NewHasher makes a hasher of the present cost: 19 MiB, two passes, one lane,
// which is what OWASP recommends as the minimum for Argon2id. It takes some
// 20 ms.
func NewHasher() *Hasher {
	return &Hasher{
		slots: make(chan struct{}, ParallelHashes),
		cost:  cost{memory: 19 * 1024, passes: 2, lanes: 1, salt: 16, key: 32},
	}
}

// Hash makes the PHC string of a password with a new random salt, so that the
// cost it was made with travels with it. The password is taken byte for byte.
// The only error is that of the context.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	p := phc{cost: h.cost, saltBytes: make([]byte, h.cost.salt)}
	rand.Read(p.saltBytes) // never fails, says its documentation
	key, err := h.derive(ctx, p, password)
	if err != nil {
		return "", err
	}
	p.keyBytes = key
	return p.String(), nil
}

// Verify reports whether the password is the one that text was made from,
// compared in constant time. rehash is only ever true together with ok: the
// hash is weaker than what Hash makes today and should be replaced now that
// the password is known. An error means that text is no hash of ours, or that
// the context ended first.
func (h *Hasher) Verify(ctx context.Context, text, password string) (ok, rehash bool, err error) {
	p, err := parsePHC(text)
	if err != nil {
		return false, false, err
	}
	key, err := h.derive(ctx, p, password)
	if err != nil {
		return false, false, err
	}
	ok = subtle.ConstantTimeCompare(key, p.keyBytes) == 1
	return ok, ok && p.cost.below(h.cost), nil
}

// Waste takes the time of a Verify and answers nothing. It stands in where
// there is no such user, so that the time of an answer does not tell which
// names exist.
func (h *Hasher) Waste(ctx context.Context, password string) error {
	_, err := h.derive(ctx, phc{cost: h.cost, saltBytes: make([]byte, h.cost.salt)}, password)
	return err
}

func (h *Hasher) derive(ctx context.Context, p phc, password string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("hash password: %w", err)
	}
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("wait to hash password: %w", ctx.Err())
	}
	defer func() { <-h.slots }()
	return p.derive(password), nil
}

// typeable is Crockford's base 32 in lower case: no letter in it can be taken
// for a digit, and 32 divides 256, so that a random byte chooses evenly.
const typeable = "0123456789abcdefghjkmnpqrstvwxyz"

// NewPassword makes a random password of 100 bits: 20 lower-case letters and
// digits in four groups joined by hyphens, without i, l, o and u, which are
// misread.
func NewPassword() string {
	var random [20]byte
	rand.Read(random[:])
	text := make([]byte, 0, len(random)+3)
	for i, b := range random {
		if i > 0 && i%5 == 0 {
			text = append(text, '-')
		}
		text = append(text, typeable[b%32])
	}
	return string(text)
}
