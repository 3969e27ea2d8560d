// Package auth verifies credentials: password hashes, API key digests and login tokens. It stores
// nothing except the secret passed to it, and depends neither on the store nor on HTTP.
package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
)

// ParallelHashes limits how many passwords are hashed at once, because each hash needs several MiB
// of memory. A burst of logins queues instead of exhausting the memory.
const ParallelHashes = 2

// Hasher hashes and verifies passwords with Argon2id. It is safe for concurrent use. At most
// ParallelHashes computations run at once; others wait until one ends or their context does.
type Hasher struct {
	slots chan struct{}
	cost  cost
}

// NewHasher returns a hasher with the current cost: 19 MiB, two passes, one lane, the minimum that
// OWASP recommends for Argon2id. A hash takes some 20 ms.
func NewHasher() *Hasher {
	return &Hasher{
		slots: make(chan struct{}, ParallelHashes),
		cost:  cost{memory: 19 * 1024, passes: 2, lanes: 1, salt: 16, key: 32},
	}
}

// Hash returns the PHC string of a password with a new random salt. The string includes the cost.
// The password is not normalized. The only error is the context's.
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

// Verify reports whether text is the hash of the password. The comparison takes constant time.
// rehash is true only if ok is: the hash is weaker than those of Hash and should be replaced now
// that the password is known. An error means that text is not a valid hash, or that the context has
// ended.
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

// Waste takes as long as Verify. Callers use it if the user does not exist, so that the time of an
// answer does not reveal which names exist.
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

// typeable is Crockford's base 32 in lower case: no letter can be mistaken for a digit. Since 32
// divides 256, a random byte chooses uniformly.
const typeable = "0123456789abcdefghjkmnpqrstvwxyz"

// NewPassword returns a random password of 100 bits: 20 lower-case letters and digits in four
// groups joined by hyphens, without i, l, o and u, which are easily misread.
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
