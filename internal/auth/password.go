// Package auth verifies credentials: passwords, API keys and login tokens. It stores
// nothing, except that a Tokens keeps its secret. It does not depend on the store or on
// HTTP.
package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
)

// ParallelHashes limits the number of passwords that are hashed at the same time, because
// each computation needs several MiB of memory. In a burst of logins, the remaining ones wait.
const ParallelHashes = 2

// Hasher hashes and verifies passwords with Argon2id. It is safe for concurrent use. At
// most ParallelHashes computations run at the same time. Others wait until one ends or
// their context is done.
type Hasher struct {
	slots chan struct{}
	cost  cost
}

// NewHasher returns a Hasher with the current cost: 19 MiB, two passes and one lane.
// OWASP recommends this as the minimum for Argon2id. One hash takes about 20 ms.
func NewHasher() *Hasher {
	return &Hasher{
		slots: make(chan struct{}, ParallelHashes),
		cost:  cost{memory: 19 * 1024, passes: 2, lanes: 1, salt: 16, key: 32},
	}
}

// Hash hashes a password with a new random salt. It returns the hash as a PHC string,
// which includes the cost. It does not normalize the password. The only possible error is
// the error of ctx.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	p := phc{cost: h.cost, saltBytes: make([]byte, h.cost.salt)}
	rand.Read(p.saltBytes) // never fails, see crypto/rand
	key, err := h.derive(ctx, p, password)
	if err != nil {
		return "", err
	}
	p.keyBytes = key
	return p.String(), nil
}

// Verify reports whether text is a hash of the password. The comparison takes constant
// time. rehash reports that the password is right, but that the hash is weaker than those
// of Hash; the caller should then store a new hash, because it knows the password. An
// error means that text is not a valid hash, or that the context has ended.
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

// Waste takes as long as Verify. Callers use it if a user does not exist, so that the
// response time does not reveal which user names exist.
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

// typeable is the alphabet of Crockford's base 32 in lower case. No letter in it can be
// mistaken for a digit. Because 256 is a multiple of its length, 32, a random byte
// selects each character with the same probability.
const typeable = "0123456789abcdefghjkmnpqrstvwxyz"

// NewPassword returns a random password with 100 bits of entropy: 20 lower-case letters
// and digits in four groups, which are joined by hyphens. It does not contain the letters
// i, l, o and u, which are easily misread.
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
