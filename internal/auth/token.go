package auth

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// ErrToken is returned for every token that is rejected. It does not contain the reason,
// which clients must not learn.
var ErrToken = errors.New("token is invalid or expired")

const (
	issuer = "svc"
	// minSecret is the length of an HS256 digest, in bytes. If the secret were shorter, it
	// would be the weakest part of a token.
	minSecret = 32
	// maxToken is the maximum length, in bytes, of a token that Verify parses. Valid tokens
	// have about 200 bytes.
	maxToken = 4096
	// maxSkew limits by how much the time of issue can be in the future. It is in the future
	// if the clock has been set back since the token was issued. Without the limit, such a
	// token would be valid for longer than its lifetime.
	maxSkew = 30 * time.Second
)

// Tokens signs and verifies login tokens, which are JWTs signed with HMAC-SHA-256. It is
// safe for concurrent use.
type Tokens struct {
	secret []byte
	life   time.Duration
}

// claims is the content of a token. Epoch is a pointer, so that a token without an epoch
// can be rejected.
type claims struct {
	jwt.RegisteredClaims
	Epoch *uint64 `json:"epoch"`
}

// NewTokens returns a Tokens with the given secret and token lifetime. The secret must
// have at least 32 bytes. The lifetime must be at least one second, because tokens
// contain times in whole seconds.
func NewTokens(secret []byte, life time.Duration) (*Tokens, error) {
	if len(secret) < minSecret {
		return nil, fmt.Errorf("the token secret must have at least %d bytes, not %d", minSecret, len(secret))
	}
	if life < time.Second {
		return nil, fmt.Errorf("the token lifetime must be at least one second, not %s", life)
	}
	return &Tokens{secret: bytes.Clone(secret), life: life}, nil
}

// Life returns the time for which tokens are valid after they were signed.
func (t *Tokens) Life() time.Duration { return t.life }

// Sign returns a token for a subject. The caller must store the epoch with the subject.
// Incrementing that epoch invalidates all tokens that were signed before.
func (t *Tokens) Sign(subject string, epoch uint64, now time.Time) (string, error) {
	c := claims{Epoch: &epoch, RegisteredClaims: jwt.RegisteredClaims{
		Issuer:    issuer,
		Subject:   subject,
		IssuedAt:  jwt.NewNumericDate(now),
		ExpiresAt: jwt.NewNumericDate(now.Add(t.life)),
	}}
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString(t.secret)
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	return token, nil
}

// Verify returns the subject and the epoch of a token, which must be signed with this
// secret and must not have expired. The caller must check that the epoch is the current
// one. The only possible error is ErrToken.
func (t *Tokens) Verify(token string, now time.Time) (subject string, epoch uint64, err error) {
	// the decoder skips line breaks, so that a token would have many valid forms
	if len(token) > maxToken || strings.ContainsAny(token, "\r\n") {
		return "", 0, ErrToken
	}
	var c claims
	parser := jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithExpirationRequired(),
		jwt.WithIssuer(issuer),
		jwt.WithStrictDecoding(),
		jwt.WithTimeFunc(func() time.Time { return now }),
	)
	if _, err := parser.ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return t.secret, nil }); err != nil {
		return "", 0, ErrToken
	}
	if c.Subject == "" || c.Epoch == nil || c.IssuedAt == nil || c.IssuedAt.After(now.Add(maxSkew)) {
		return "", 0, ErrToken
	}
	return c.Subject, *c.Epoch, nil
}

// ParseLife parses the lifetime of tokens: an integer, which may be followed by the unit
// s, m, h or d. Without a unit, it is a number of seconds. The result is positive. ok is
// false for any other text, and for values that exceed the range of a Duration, about 292
// years.
func ParseLife(text string) (time.Duration, bool) {
	unit := time.Second
	if digits := strings.TrimRight(text, "smhd"); len(text)-len(digits) == 1 {
		units := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}
		text, unit = digits, units[text[len(digits):]]
	}
	// 63 bits, because ParseUint accepts no sign and the product must fit a Duration
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil || n == 0 || n > uint64(math.MaxInt64/unit) {
		return 0, false
	}
	return time.Duration(n) * unit, true
}
