package codehost

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	installationLives = time.Hour
	minTokenLife      = 300 * time.Second // a cached token is not used if it expires sooner than this
)

// permission is a permission on the repository that a call requires, with its level.
type permission struct{ name, level string }

var (
	readMetadata  = permission{"metadata", "read"} // a permission that every installation has
	readContents  = permission{"contents", "read"}
	readIssues    = permission{"issues", "read"}
	writeIssues   = permission{"issues", "write"}
	writeWorkflow = permission{"actions", "write"}
)

// slots caches the app's installations on repositories, with their access tokens.
type slots struct {
	mu sync.Mutex
	by map[string]*slot // slots by app and repository; guarded by mu
}

// slot caches the app's installation on one repository, with its access tokens.
type slot struct {
	turn chan struct{} // a semaphore that is held while a token is requested; contains one value when it is free

	mu           sync.Mutex
	installation int64     // guarded by mu, like the fields below
	place        string    // path of the repository
	until        time.Time // time at which the cached installation expires and must be requested again
	tokens       map[permission]accessToken
}

type accessToken struct {
	text    string
	expires time.Time
}

// of returns the slot for an app and a repository, and creates it if necessary. If there
// are too many slots, it removes arbitrary ones.
func (s *slots) of(app *App, repo string) *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := app.fingerprint + " " + strings.ToLower(repo)
	if found, ok := s.by[key]; ok {
		return found
	}
	if s.by == nil {
		s.by = map[string]*slot{}
	}
	for other := range s.by {
		if len(s.by) < maxSlots {
			break
		}
		delete(s.by, other)
	}
	made := &slot{turn: make(chan struct{}, 1)}
	made.turn <- struct{}{}
	s.by[key] = made
	return made
}

// credential contains what a call needs to access a repository.
type credential struct {
	place    string // path of the repository
	token    string // "" for anonymous calls
	identity string // identity to which the rate limit applies
	slot     *slot
}

// drop removes the installation that k belongs to and its tokens from the cache. It is called after
// the code host has rejected k.
func (k credential) drop() {
	if k.slot == nil {
		return
	}
	k.slot.mu.Lock()
	defer k.slot.mu.Unlock()
	for _, t := range k.slot.tokens {
		if t.text == k.token {
			k.slot.installation, k.slot.tokens = 0, nil
			return
		}
	}
}

// known returns a cached credential with the permission p. ok is false if there is none.
func (s *slot) known(p permission, now time.Time) (k credential, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.tokens[p]
	if !ok || s.installation == 0 || !s.until.After(now) || t.expires.Sub(now) < minTokenLife {
		return credential{}, false
	}
	return credential{s.place, t.text, identity(s.installation), s}, true
}

func identity(installation int64) string {
	return "installation " + strconv.FormatInt(installation, 10)
}

// credential returns a credential that has the permission p and as little other access as
// possible. If no app is configured or the app is not installed, reading is anonymous,
// and for all other calls the error is ErrNotInstalled.
func (r *Repo) credential(ctx context.Context, p permission) (credential, error) {
	place, err := r.place()
	if err != nil {
		return credential{}, err
	}
	without := func() (credential, error) {
		if p.level == "write" {
			return credential{}, ErrNotInstalled
		}
		return credential{place: place, identity: "anonymous"}, nil
	}
	if r.app == nil {
		return without()
	}
	s := r.client.slots.of(r.app, r.name)
	if k, ok := s.known(p, r.client.Now()); ok {
		return k, nil
	}
	select {
	case <-s.turn:
		defer func() { s.turn <- struct{}{} }()
	case <-ctx.Done():
		return credential{}, &Error{Call: "token for " + place, Err: ctx.Err()}
	}
	if k, ok := s.known(p, r.client.Now()); ok { // another call has requested one in the meantime
		return k, nil
	}
	k, err := r.ask(ctx, s, place, p)
	if errors.Is(err, ErrNotInstalled) {
		return without()
	}
	return k, err
}

// ask requests an access token from the code host. If the app has been installed again,
// or if the repository has been renamed, the code host rejects the cached installation.
// ask then requests the installation again and retries.
func (r *Repo) ask(ctx context.Context, s *slot, place string, p permission) (credential, error) {
	id, at, err := r.installation(ctx, s, place)
	if err != nil {
		return credential{}, err
	}
	t, err := r.accessToken(ctx, id.number, at, p)
	if id.kept &&
		(status(err) == http.StatusUnauthorized || status(err) == http.StatusNotFound || status(err) == http.StatusUnprocessableEntity) {
		s.mu.Lock()
		s.installation, s.tokens = 0, nil
		s.mu.Unlock()
		if id, at, err = r.installation(ctx, s, place); err != nil {
			return credential{}, err
		}
		t, err = r.accessToken(ctx, id.number, at, p)
	}
	if status(err) == http.StatusUnprocessableEntity && p == readContents {
		// the app lacks the permission, but a token with readMetadata can read public data and
		// has a rate limit of its own
		t, err = r.accessToken(ctx, id.number, at, readMetadata)
	}
	if err != nil {
		return credential{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tokens == nil {
		s.tokens = map[permission]accessToken{}
	}
	s.tokens[p] = t
	return credential{at, t.text, identity(id.number), s}, nil
}

// installed holds the id of an installation, and whether the id comes from the cache.
type installed struct {
	number int64
	kept   bool
}

// renamed matches the paths to which the code host redirects requests for a renamed
// repository.
var renamed = regexp.MustCompile(`^/(repos/[^/]+/[^/]+|repositories/[0-9]+)$`)

// installation returns the installation of the app on the repository, from the cache or else from
// the code host. The result at is the path of the repository.
func (r *Repo) installation(ctx context.Context, s *slot, place string) (id installed, at string, err error) {
	s.mu.Lock()
	id, at = installed{s.installation, true}, s.place
	valid := s.installation != 0 && s.until.After(r.client.Now())
	s.mu.Unlock()
	if valid {
		return id, at, nil
	}
	k := call{method: http.MethodGet, path: place + "/installation"}
	answer, err := r.client.doAs(ctx, r.app, k)
	if errors.Is(err, ErrNotFound) {
		return id, "", ErrNotInstalled
	}
	if err != nil {
		return id, "", err
	}
	var found struct {
		ID int64 `json:"id"`
	}
	if err := answer.decode(k, &found); err != nil {
		return id, "", err
	}
	if found.ID <= 0 {
		return id, "", &Error{Call: k.name(), Detail: "the answer has no id"}
	}
	if at = strings.TrimSuffix(answer.path, "/installation"); !renamed.MatchString(at) {
		at = place
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.installation, s.place, s.until, s.tokens = found.ID, at, r.client.Now().Add(installationLives), nil
	return installed{number: found.ID}, at, nil
}

// accessToken requests a token that is limited to one repository and one permission.
func (r *Repo) accessToken(ctx context.Context, installation int64, place string, p permission) (accessToken, error) {
	body := map[string]any{"permissions": map[string]string{p.name: p.level}}
	last := path.Base(place)
	if number, err := strconv.ParseInt(last, 10, 64); err == nil && strings.HasPrefix(place, "/repositories/") {
		body["repository_ids"] = []int64{number}
	} else if name, err := url.PathUnescape(last); err == nil {
		body["repositories"] = []string{name}
	}
	k := call{method: http.MethodPost, path: fmt.Sprintf("/app/installations/%d/access_tokens", installation), body: body}
	answer, err := r.client.doAs(ctx, r.app, k)
	if err != nil {
		if e, ok := errors.AsType[*Error](err); ok {
			e.Unclear = false // even if the token was issued, it has no effect
		}
		return accessToken{}, err
	}
	var given struct {
		Token     string    `json:"token"`
		ExpiresAt time.Time `json:"expires_at"`
	}
	if err := answer.decode(k, &given); err != nil {
		return accessToken{}, err
	}
	if given.Token == "" {
		return accessToken{}, &Error{Call: k.name(), Detail: "the answer has no token"}
	}
	return accessToken{given.Token, given.ExpiresAt}, nil
}
