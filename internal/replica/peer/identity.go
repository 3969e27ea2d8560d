package peer

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"svc/internal/durable"
	"svc/internal/replica/target"
)

// identity is the content of the file identity.json.
type identity struct {
	Secret      []byte `json:"secret"`      // 32 random bytes
	Certificate string `json:"certificate"` // PEM
	Key         string `json:"key"`         // PEM
}

// Token returns the token for the primary of the standby with the given directory. It creates one if
// there is none. If renew is true, it replaces the certificate and the token; a server that runs keeps
// the old ones until it is started again.
func Token(dir string, renew bool) (string, error) {
	id, err := openIdentity(dir, renew)
	if err != nil {
		return "", err
	}
	token, err := id.token()
	if err != nil {
		return "", err
	}
	return token.String(), nil
}

func (id identity) token() (t target.Token, err error) {
	block, _ := pem.Decode([]byte(id.Certificate))
	if block == nil || len(id.Secret) != len(t.Secret) {
		return target.Token{}, errIdentity
	}
	copy(t.Secret[:], id.Secret)
	t.Certificate = sha256.Sum256(block.Bytes)
	return t, nil
}

var errIdentity = errors.New("the identity of the standby is damaged: make another one with svc standby token --new")

// openIdentity reads the identity in a directory. It makes a new one if there is none or renew is true.
func openIdentity(dir string, renew bool) (id identity, err error) {
	path := filepath.Join(dir, "identity.json")
	if !renew {
		b, err := os.ReadFile(path)
		if err == nil {
			if json.Unmarshal(b, &id) != nil {
				return identity{}, errIdentity
			}
			return id, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return identity{}, err
		}
	}
	if id, err = newIdentity(time.Now()); err != nil {
		return identity{}, err
	}
	b, err := json.Marshal(id)
	if err == nil {
		err = durable.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = durable.WriteFile(path, b, 0o600)
	}
	if err != nil {
		return identity{}, fmt.Errorf("make the identity of the standby: %w", err)
	}
	return id, nil
}

// validity is the validity period of the certificate. The primary compares the hash of the certificate only.
const validity = 100 * 365 * 24 * time.Hour

func newIdentity(now time.Time) (identity, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return identity{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "svc standby"},
		NotBefore: now.Add(-24 * time.Hour), NotAfter: now.Add(validity),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return identity{}, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return identity{}, err
	}
	id := identity{
		Secret:      make([]byte, 32),
		Certificate: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})),
		Key:         string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	}
	_, _ = rand.Read(id.Secret) // never fails
	return id, nil
}
