package codehosttest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const (
	anonymous  = "anonymous"
	tokenLives = time.Hour
	maxAppLife = 10 * time.Minute
	maxSkew    = time.Minute
)

// App is an app that is registered at the host.
type App struct {
	ID          string
	PKCS1       string // private key in PEM form, as PKCS#1
	PKCS8       string // the same key as PKCS#8
	Name, Slug  string
	Permissions map[string]string
	Events      []string

	host          *Host
	key           *rsa.PublicKey
	installations []*Installation
}

// Installation is the installation of an app on some repositories of one owner.
type Installation struct {
	ID int64

	host        *Host
	permissions map[string]string
	repos       []*Repository
	suspended   bool
}

// token is an access token of an installation.
type token struct {
	installation *Installation
	permissions  map[string]string
	repos        []*Repository
	expires      time.Time
}

// caller is the authenticated sender of a request.
type caller struct {
	name  string
	app   *App
	token *token
}

// keys returns the private key that all apps share. It generates the key only once, because that
// takes long.
var keys = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// App registers an app with the given permissions, such as "issues": "write", and the
// given events. All apps share one private key.
func (h *Host) App(t testing.TB, permissions map[string]string, events ...string) *App {
	t.Helper()
	key, err := keys()
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	id := h.id()
	a := &App{
		ID: strconv.FormatInt(id, 10), PKCS1: block("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key)), PKCS8: block("PRIVATE KEY", pkcs8),
		Name: "Lantern Feedback", Slug: "lantern-feedback", Permissions: permissions, Events: events, host: h, key: &key.PublicKey,
	}
	h.apps = append(h.apps, a)
	return a
}

// Install installs the app on the given repositories and grants all permissions of the app.
func (a *App) Install(repos ...*Repository) *Installation {
	a.host.mu.Lock()
	defer a.host.mu.Unlock()
	i := &Installation{ID: a.host.id(), host: a.host, permissions: maps.Clone(a.Permissions), repos: repos}
	if i.permissions == nil {
		i.permissions = map[string]string{}
	}
	i.permissions["metadata"] = "read"
	a.installations = append(a.installations, i)
	return i
}

// Uninstall removes the app from all repositories and revokes its tokens.
func (a *App) Uninstall() {
	a.host.mu.Lock()
	defer a.host.mu.Unlock()
	for _, i := range a.installations {
		i.revoke()
	}
	a.installations = nil
}

// Suspend suspends or resumes the installation. A suspended installation issues no tokens.
func (i *Installation) Suspend(suspended bool) {
	i.host.mu.Lock()
	defer i.host.mu.Unlock()
	i.suspended = suspended
}

// Revoke revokes all tokens of the installation.
func (i *Installation) Revoke() {
	i.host.mu.Lock()
	defer i.host.mu.Unlock()
	i.revoke()
}

func (i *Installation) revoke() {
	maps.DeleteFunc(i.host.tokens, func(_ string, t *token) bool { return t.installation == i })
}

// caller returns the authenticated sender of a request. If the authentication fails,
// refused is the message of the 401 response.
func (h *Host) caller(r *http.Request) (who caller, refused string) {
	kind, text, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	switch {
	case kind == "":
		return caller{name: anonymous}, ""
	case !strings.EqualFold(kind, "Bearer") && !strings.EqualFold(kind, "token"):
		return caller{}, "Bad credentials"
	case strings.Count(text, ".") == 2:
		return h.callerOfApp(text)
	}
	t, ok := h.tokens[text]
	if !ok || !h.now().Before(t.expires) {
		return caller{}, "Bad credentials"
	}
	return caller{name: fmt.Sprintf("installation %d", t.installation.ID), token: t}, ""
}

// callerOfApp returns the app that has signed a token. If the token is refused, refused
// is the reason.
func (h *Host) callerOfApp(text string) (who caller, refused string) {
	var found *App
	var claims jwt.RegisteredClaims
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"RS256"}), jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithTimeFunc(h.now))
	_, err := parser.ParseWithClaims(text, &claims, func(*jwt.Token) (any, error) {
		i := slices.IndexFunc(h.apps, func(a *App) bool { return a.ID == claims.Issuer })
		if i < 0 {
			return nil, errors.New("no such app")
		}
		found = h.apps[i]
		return found.key, nil
	})
	switch {
	case found == nil && errors.Is(err, jwt.ErrTokenUnverifiable):
		return caller{}, "'Issuer' claim ('iss') must be an Integer"
	case err != nil:
		return caller{}, "A JSON web token could not be decoded"
	case claims.IssuedAt == nil:
		return caller{}, "Missing 'issued at' claim ('iat') in assertion"
	case claims.ExpiresAt.After(h.now().Add(maxAppLife)):
		return caller{}, "'Expiration time' claim ('exp') is too far in the future"
	}
	return caller{name: "app " + found.ID, app: found}, ""
}

func (h *Host) getApp(w http.ResponseWriter, r *http.Request) {
	who, _ := h.caller(r)
	if who.app == nil {
		fail(w, http.StatusUnauthorized, "A JSON web token could not be decoded")
		return
	}
	number, _ := strconv.ParseInt(who.app.ID, 10, 64)
	send(w, http.StatusOK, map[string]any{
		"id": number, "slug": who.app.Slug, "name": who.app.Name, "owner": h.user("lumen-works", "Organization"), "description": "",
		"external_url": "https://lumen.example", "html_url": h.URL + "/apps/" + who.app.Slug, "permissions": who.app.Permissions,
		"events":              who.app.Events,
		"installations_count": len(who.app.installations),
	})
}

func (h *Host) getInstallation(w http.ResponseWriter, r *http.Request, repo *Repository) {
	who, _ := h.caller(r)
	if who.app == nil {
		fail(w, http.StatusUnauthorized, "A JSON web token could not be decoded")
		return
	}
	for _, i := range who.app.installations {
		if slices.Contains(i.repos, repo) {
			send(w, http.StatusOK, map[string]any{
				"id": i.ID, "account": h.user(repo.owner(), "Organization"), "repository_selection": "selected", "app_slug": who.app.Slug,
				"access_tokens_url": fmt.Sprintf("%s/app/installations/%d/access_tokens", h.URL, i.ID), "target_type": "Organization",
				"permissions": i.permissions, "events": who.app.Events, "single_file_name": nil, "suspended_at": nil,
			})
			return
		}
	}
	fail(w, http.StatusNotFound, "Not Found")
}

func (h *Host) postToken(w http.ResponseWriter, r *http.Request) {
	who, _ := h.caller(r)
	if who.app == nil {
		fail(w, http.StatusUnauthorized, "A JSON web token could not be decoded")
		return
	}
	at := slices.IndexFunc(who.app.installations, func(i *Installation) bool { return strconv.FormatInt(i.ID, 10) == r.PathValue("id") })
	if at < 0 {
		fail(w, http.StatusNotFound, "Not Found")
		return
	}
	i := who.app.installations[at]
	if i.suspended {
		fail(w, http.StatusForbidden, "This installation has been suspended")
		return
	}
	var in struct {
		Repositories []string          `json:"repositories"`
		IDs          []int64           `json:"repository_ids"`
		Permissions  map[string]string `json:"permissions"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		fail(w, http.StatusBadRequest, "Problems parsing JSON")
		return
	}
	t := &token{installation: i, permissions: in.Permissions, expires: h.now().Add(tokenLives).Truncate(time.Second)}
	for name, level := range in.Permissions {
		if !allows(i.permissions, name, level) {
			fail(w, http.StatusUnprocessableEntity, "The permissions requested are not granted to this installation.")
			return
		}
	}
	if t.permissions == nil {
		t.permissions = i.permissions
	}
	for _, repo := range i.repos {
		named := func(name string) bool { return strings.EqualFold(name, repo.short()) }
		if slices.ContainsFunc(in.Repositories, named) || slices.Contains(in.IDs, repo.ID) {
			t.repos = append(t.repos, repo)
		}
	}
	if len(t.repos) < len(in.Repositories)+len(in.IDs) {
		fail(w, http.StatusUnprocessableEntity,
			"There is at least one repository that does not exist or is not accessible to the parent installation.")
		return
	}
	if in.Repositories == nil && in.IDs == nil {
		t.repos = i.repos
	}
	text := "ghs_" + rand.Text()
	h.tokens[text] = t
	shown := []any{}
	for _, repo := range t.repos {
		shown = append(shown, h.viewRepository(repo))
	}
	send(w, http.StatusCreated, map[string]any{
		"token": text, "expires_at": stamp(t.expires), "permissions": t.permissions, "repository_selection": "selected", "repositories": shown,
	})
}

// allows reports whether permissions include the named permission at the given level.
func allows(permissions map[string]string, name, level string) bool {
	levels := []string{"", "read", "write", "admin"}
	return slices.Index(levels, permissions[name]) >= slices.Index(levels, level)
}
