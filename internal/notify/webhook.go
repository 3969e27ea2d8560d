package notify

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const secretPrefix = "whsec_"

// NewSecret returns a random secret for signing requests.
func NewSecret() string {
	key := make([]byte, 32)
	rand.Read(key) // never fails, see crypto/rand
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// CheckSecret returns an error if a secret is malformed. The text of the error follows the name of
// a field, as in "secret must be ...".
func CheckSecret(secret string) error {
	if key, ok := secretBytes(secret); !ok || len(key) < 24 || len(key) > 64 {
		return errors.New("must be whsec_ followed by 24 to 64 bytes in base64")
	}
	return nil
}

func secretBytes(secret string) ([]byte, bool) {
	text, ok := strings.CutPrefix(secret, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	return key, ok && err == nil
}

// sign sets the headers that Standard Webhooks 1.0 requires in a request with the given body. It
// makes one signature with each secret.
func sign(h http.Header, id string, at time.Time, body []byte, secrets []string) {
	stamp := strconv.FormatInt(at.Unix(), 10)
	var signatures []string
	for _, secret := range secrets {
		key, _ := secretBytes(secret) // checked when it was stored
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + stamp + "."))
		mac.Write(body)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	h.Set("Webhook-Id", id)
	h.Set("Webhook-Timestamp", stamp)
	h.Set("Webhook-Signature", strings.Join(signatures, " "))
	h.Set("Content-Type", "application/json")
}
