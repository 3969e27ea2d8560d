package codehost

import (
	"context"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"svc/internal/fault"
)

// App is the identity that the program has at the code host.
type App struct {
	id          string
	key         *rsa.PrivateKey
	fingerprint string // of id and key
}

const (
	minKeyBits    = 2048
	issuedBefore  = time.Minute     // for a clock that is ahead of that of the code host
	appTokenLives = 9 * time.Minute // the code host allows ten
)

// NewApp takes the private key as PEM, PKCS#1 or PKCS#8. The error is a fault of kind
// Invalid.
func NewApp(id, keyPEM string) (*App, error) {
	if strings.TrimSpace(id) == "" {
		return nil, fault.New(fault.Invalid, "the code host app has no app_id")
	}
	block, _ := pem.Decode([]byte(strings.TrimSpace(keyPEM)))
	if block == nil {
		return nil, fault.New(fault.Invalid, "private_key must be a private key in PEM form")
	}
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	if err != nil {
		other, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		rsaKey, ok := other.(*rsa.PrivateKey)
		if err != nil || !ok {
			return nil, fault.New(fault.Invalid, "private_key must be an RSA key in PEM form, without a password")
		}
		key = rsaKey
	}
	if key.N.BitLen() < minKeyBits {
		return nil, fault.New(fault.Invalid, "private_key must have at least %d bits", minKeyBits)
	}
	sum := sha256.Sum256(append([]byte(id+"\n"), block.Bytes...))
	return &App{id, key, hex.EncodeToString(sum[:])}, nil
}

// token is the credential of the app itself, which only asks for installations.
func (a *App) token(now time.Time) (string, error) {
	return jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.RegisteredClaims{
		IssuedAt: jwt.NewNumericDate(now.Add(-issuedBefore)), ExpiresAt: jwt.NewNumericDate(now.Add(appTokenLives)), Issuer: a.id,
	}).SignedString(a.key)
}

// doAs makes a call with the token of an app.
func (c *Client) doAs(ctx context.Context, app *App, k call) (*response, error) {
	var err error
	if k.token, err = app.token(c.Now()); err != nil {
		return nil, &Error{Call: k.name(), Err: err}
	}
	k.identity = "app " + app.fingerprint
	return c.do(ctx, k)
}

// Registration is the app as the code host knows it.
type Registration struct {
	Name        string            `json:"name"`
	Slug        string            `json:"slug"`
	Permissions map[string]string `json:"permissions"` // name -> read, write or admin
	Events      []string          `json:"events"`      // that its webhook receives
}

// Grants reports whether the app was given a permission of a level, read or write. A
// higher level has the lower ones in it.
func (r *Registration) Grants(permission, level string) bool {
	levels := []string{"read", "write", "admin"}
	given := slices.Index(levels, r.Permissions[permission])
	return given >= 0 && given >= slices.Index(levels, level)
}

// Test asks for the registration of an app: id and key belong together.
func (c *Client) Test(ctx context.Context, app *App) (*Registration, error) {
	k := call{method: http.MethodGet, path: "/app"}
	r, err := c.doAs(ctx, app, k)
	if err != nil {
		return nil, err
	}
	var known Registration
	if err := r.decode(k, &known); err != nil {
		return nil, err
	}
	return &known, nil
}
