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

// App is the identity that this program has at the code host.
type App struct {
	id          string
	key         *rsa.PrivateKey
	fingerprint string // hash of the id and the key
}

const (
	minKeyBits    = 2048
	issuedBefore  = time.Minute     // subtracted from the time of issue, because the local clock may be ahead
	appTokenLives = 9 * time.Minute // the code host allows 10 minutes
)

// NewApp returns an app. keyPEM is the private key in PEM form (PKCS#1 or PKCS#8). Errors
// are faults of kind Invalid.
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

// token returns a JSON Web Token that authenticates the app itself. It is only valid for requests
// about the app and its installations.
func (a *App) token(now time.Time) (string, error) {
	return jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.RegisteredClaims{
		IssuedAt: jwt.NewNumericDate(now.Add(-issuedBefore)), ExpiresAt: jwt.NewNumericDate(now.Add(appTokenLives)), Issuer: a.id,
	}).SignedString(a.key)
}

// doAs makes a call that is authenticated with the app's own token.
func (c *Client) doAs(ctx context.Context, app *App, k call) (*response, error) {
	var err error
	if k.token, err = app.token(c.Now()); err != nil {
		return nil, &Error{Call: k.name(), Err: err}
	}
	k.identity = "app " + app.fingerprint
	return c.do(ctx, k)
}

// Registration describes the app as it is registered at the code host.
type Registration struct {
	Name        string            `json:"name"`
	Slug        string            `json:"slug"`
	Permissions map[string]string `json:"permissions"` // name of a permission -> read, write or admin
	Events      []string          `json:"events"`      // events that its webhook receives
}

// Grants reports whether the app has a permission at the given level, read or write. A
// higher level includes the lower ones.
func (r *Registration) Grants(permission, level string) bool {
	levels := []string{"read", "write", "admin"}
	given := slices.Index(levels, r.Permissions[permission])
	return given >= 0 && given >= slices.Index(levels, level)
}

// Test requests the app's registration from the code host, authenticated as the app. It
// succeeds only if the id and the key of the app match.
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
