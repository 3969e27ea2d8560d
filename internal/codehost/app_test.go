package codehost_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/internal/codehost"
	"svc/internal/codehost/codehosttest"
	"svc/internal/fault"
)

func TestKeyOfTheApp(t *testing.T) {
	t.Parallel()
	registered := codehosttest.NewAt("").App(t, nil)
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(curve)
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	for name, tc := range map[string]struct{ id, key, problem string }{
		"PKCS#1":         {registered.ID, registered.PKCS1, ""},
		"PKCS#8":         {registered.ID, registered.PKCS8, ""},
		"blanks around":  {registered.ID, "\n  " + registered.PKCS1 + "\n\n", ""},
		"line ends":      {registered.ID, strings.ReplaceAll(registered.PKCS8, "\n", "\r\n"), ""},
		"no id":          {" ", registered.PKCS1, "app_id"},
		"no key":         {registered.ID, "", "private_key must be a private key in PEM form"},
		"no PEM":         {registered.ID, "PRIVATE KEY", "private_key must be a private key in PEM form"},
		"nothing inside": {registered.ID, block("RSA PRIVATE KEY", nil), "private_key must be an RSA key"},
		"another kind":   {registered.ID, block("PRIVATE KEY", der), "private_key must be an RSA key"},
		"too short":      {registered.ID, block("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(small)), "private_key must have at least 2048 bits"},
	} {
		app, err := codehost.NewApp(tc.id, tc.key)
		if tc.problem == "" && (err != nil || app == nil) || tc.problem != "" && (!fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), tc.problem)) {
			t.Errorf("%s: got %v; want %q", name, err, tc.problem)
		}
	}
}

// TestTokenOfTheApp checks that the token uses RS256, that its time of issue is one minute ago, and
// that it is valid for nine more minutes.
func TestTokenOfTheApp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app, registered := w.app(t, map[string]string{"issues": "write"})
	registered.Events = []string{"issue_comment"}
	before := w.now().Unix()
	known, err := w.Test(t.Context(), app)
	if err != nil || known.Name != registered.Name || known.Slug != registered.Slug || known.Permissions["issues"] != "write" || fmt.Sprint(known.Events) != "[issue_comment]" {
		t.Fatalf("got %+v, %v", known, err)
	}
	after := w.now().Unix()
	token := strings.TrimPrefix(w.host.Requests()[0].Header.Get("Authorization"), "Bearer ")
	var header struct{ Alg string }
	var claims struct {
		Iat, Exp int64
		Iss      string
	}
	for i, v := range []any{&header, &claims} {
		part, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(part, v); err != nil {
			t.Fatal(err)
		}
	}
	if header.Alg != "RS256" || claims.Iss != registered.ID || claims.Iat < before-60 || claims.Iat > after-60 || claims.Exp-claims.Iat != 600 {
		t.Errorf("token %+v of %+v at %d", claims, header, before)
	}
}

// TestTest checks that Test rejects an app for the right reason.
func TestTest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, registered := w.app(t, all)
	stranger, err := codehost.NewApp("4711", registered.PKCS1)
	if err != nil {
		t.Fatal(err)
	}
	if e := failure(t, second(w.Test(t.Context(), stranger))); e.Status != 401 || e.Detail == "" {
		t.Errorf("another id: %v", e)
	}
	app, err := codehost.NewApp(registered.ID, registered.PKCS8)
	if err != nil {
		t.Fatal(err)
	}
	w.host.SetClock(func() time.Time { return w.now().Add(-30 * time.Second) })
	if _, err := w.Test(t.Context(), app); err != nil {
		t.Errorf("a host whose clock is 30 s behind: %v", err)
	}
	w.host.SetClock(func() time.Time { return w.now().Add(-time.Hour) })
	if e := failure(t, second(w.Test(t.Context(), app))); e.Status != 401 {
		t.Errorf("a host whose clock is an hour behind: %v", e)
	}
	w.host.Break("", "/app", codehosttest.Answer(200, "[]"))
	fails(t, second(w.Test(t.Context(), app)))
}
