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
	minTokenLife      = 300 * time.Second // of a kept access token
)

// permission is what a call needs on the repository.
type permission struct{ name, level string }

var (
	readMetadata  = permission{"metadata", "read"} // what every installation has
	readContents  = permission{"contents", "read"}
	readIssues    = permission{"issues", "read"}
	writeIssues   = permission{"issues", "write"}
	writeWorkflow = permission{"actions", "write"}
)

// slots keeps what is known about the installations of apps.
type slots struct {
	mu sync.Mutex
	by map[string]*slot // by app and repository, guarded by mu
}

// slot is the installation of an app on a repository.
type slot struct {
	turn chan struct{} // holds one value, for the one who asks the code host

	mu           sync.Mutex
	installation int64     // guarded by mu, like the rest
	place        string    // path of the repository
	until        time.Time // the installation is asked for again
	tokens       map[permission]accessToken
}

type accessToken struct {
	text    string
	expires time.Time
}

// of finds or makes a slot. Where there are too many, any other goes.
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

// credential is how a call to a repository is made.
type credential struct {
	place    string // path of the repository
	token    string // "" = anonymous
	identity string // whom rate limits count
	slot     *slot
}

// drop forgets the installation and its tokens, because this one was not accepted.
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

// known is a credential without asking the code host; ok says whether there is one.
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

// credential is the narrowest that a permission needs. For what may be read without the
// app it is anonymous where there is no app or it is not installed; for the rest the
// error is then ErrNotInstalled.
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
	if k, ok := s.known(p, r.client.Now()); ok { // somebody else has asked
		return k, nil
	}
	k, err := r.ask(ctx, s, place, p)
	if errors.Is(err, ErrNotInstalled) {
		return without()
	}
	return k, err
}

// ask gets an access token from the code host. The installation may have been made
// anew, or the repository renamed, since it was asked for: then it asks again.
func (r *Repo) ask(ctx context.Context, s *slot, place string, p permission) (credential, error) {
	id, at, err := r.installation(ctx, s, place)
	if err != nil {
		return credential{}, err
	}
	t, err := r.accessToken(ctx, id.number, at, p)
	if id.kept && (status(err) == http.StatusUnauthorized || status(err) == http.StatusNotFound || status(err) == http.StatusUnprocessableEntity) {
		s.mu.Lock()
		s.installation, s.tokens = 0, nil
		s.mu.Unlock()
		if id, at, err = r.installation(ctx, s, place); err != nil {
			return credential{}, err
		}
		t, err = r.accessToken(ctx, id.number, at, p)
	}
	if status(err) == http.StatusUnprocessableEntity && p == readContents {
		// The app has no such permission. What is public it may read nevertheless, with its
		// own rate limit.
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

// installed is the number of an installation, and whether it was kept from before.
type installed struct {
	number int64
	kept   bool
}

// renamed are the paths of a repository that a redirect leads to.
var renamed = regexp.MustCompile(`^/(repos/[^/]+/[^/]+|repositories/[0-9]+)$`)

// installation asks for the installation of the app on the repository.
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

// accessToken asks for a token that opens one repository and nothing else, for one
// permission.
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
			e.Unclear = false // a token that nobody has does nothing
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
