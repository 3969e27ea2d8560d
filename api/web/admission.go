package web

import (
	"log/slog"
	"slices"
	"strings"
	"time"

	"svc/internal/auth"
	"svc/internal/control"
	"svc/internal/fault"
	"svc/store"
)

// Gate checks the credentials of requests.
type Gate struct {
	DB      *store.Store
	Tokens  *auth.Tokens
	KeySalt []byte // salt of the hashes of API keys
	Log     *slog.Logger
	Now     func() time.Time
	// Replication decides whether the use of a key can be recorded. nil = always.
	Replication *Replication
}

// Admit checks the credential and sets r.Caller.
func (g *Gate) Admit(r *Request) error {
	a := r.Route.Access
	if a.Open() {
		return nil
	}
	if control.Owner(r.Context()) {
		return g.admitOwner(r)
	}
	if a.Kind == Owner {
		return ErrNoPath
	}
	text, isKey, err := credential(r)
	if err != nil {
		return err
	}
	if !isKey {
		return g.admitToken(r, text)
	}
	if a.Kind == Administrator {
		return fault.New(fault.Unauthorized, "this endpoint needs a login; API keys do not open it")
	}
	return g.admitKey(r, text)
}

// Administers reports whether a request carries a valid session token of the administrator. It
// works on every route, including those that need no credential.
func (g *Gate) Administers(r *Request) bool {
	if len(r.Header["Authorization"]) == 0 {
		return false
	}
	text, isKey, err := credential(r)
	return err == nil && !isKey && g.checkToken(text) == nil
}

// admitOwner admits requests over the control connection. It rejects a request with headers that
// only browsers send, because a page of another site may have caused that request.
func (g *Gate) admitOwner(r *Request) error {
	if r.Header.Get("Origin") != "" || r.Header.Get("Referer") != "" {
		return fault.New(fault.Unauthorized, "requests on the control connection must not carry Origin or Referer")
	}
	r.Caller.Administrator = true
	return nil
}

// credential returns the credential of the request. X-API-Key, if it is not empty, takes
// precedence over Authorization.
func credential(r *Request) (text string, isKey bool, err error) {
	if k := strings.TrimSpace(r.Header.Get("X-Api-Key")); k != "" {
		return k, true, nil
	}
	scheme, value, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	value = strings.TrimSpace(value)
	if !strings.EqualFold(scheme, "Bearer") || value == "" {
		return "", false, fault.New(fault.Unauthorized,
			"a credential is needed: Authorization: Bearer with a login token or an API key, or X-API-Key")
	}
	return value, auth.IsKey(value), nil
}

func (g *Gate) admitToken(r *Request, token string) error {
	if err := g.checkToken(token); err != nil {
		return err
	}
	r.Caller.Administrator = true
	return nil
}

// checkToken verifies that a token belongs to a session that has not ended.
func (g *Gate) checkToken(token string) error {
	subject, epoch, err := g.Tokens.Verify(token, g.Now())
	account := g.DB.Account()
	if err != nil || account == nil || subject != account.ID.String() || epoch != account.Epoch {
		return fault.New(fault.Unauthorized, "the login token is invalid or has expired; log in again")
	}
	return nil
}

func (g *Gate) admitKey(r *Request, text string) error {
	digest := store.Digest(auth.Digest(g.KeySalt, text))
	k := g.DB.KeyByDigest(digest)
	now := g.Now().Unix()
	if k == nil || !k.Opens(digest, now) {
		return fault.New(fault.Unauthorized, "the API key is unknown, expired or revoked")
	}
	r.Caller.Key = k
	if scopes := r.Route.Access.Scopes; !slices.ContainsFunc(scopes, r.Caller.Has) {
		return fault.New(fault.Unauthorized, "this API key does not have the scope %s", strings.Join(scopes, " or "))
	}
	if !k.AllProjects && r.Route.Access.Project != EachProject {
		if err := g.checkReach(r); err != nil {
			return err
		}
	}
	g.markUsed(k, now)
	return nil
}

// checkReach returns an error if the caller is a key limited to listed projects and the request
// concerns a project that is not listed.
func (g *Gate) checkReach(r *Request) error {
	var project store.ProjectID
	switch r.Route.Access.Project {
	case NoProject:
		return fault.New(fault.Unauthorized, "this endpoint spans projects; this API key is limited to listed ones")
	case PathProject:
		p, err := g.DB.FindProject(r.Param("k"))
		if err != nil {
			return ErrOtherProject
		}
		project = p.ID
	case PathRecord:
		id, ok := store.ParseID(r.Param("id"))
		if !ok {
			return ErrOtherProject
		}
		found, ok, err := g.DB.OwnerOf(id)
		if err != nil {
			return err
		}
		if !ok {
			return ErrOtherProject
		}
		project = found
	case BodyProject:
		name, err := bodyProjectKey(r)
		if err != nil {
			return err
		}
		p, err := g.DB.FindProject(name)
		if err != nil {
			return ErrOtherProject
		}
		project = p.ID
	}
	if !r.Caller.Reaches(project) {
		return ErrOtherProject
	}
	return nil
}

// bodyProjectKey reads project_key in the same way as the handler. It returns ErrOtherProject if
// the body does not contain one, and an error of kind TooLarge if the body is too large.
func bodyProjectKey(r *Request) (string, error) {
	var in struct {
		ProjectKey Optional[string] `json:"project_key"`
	}
	err := Decode(r, &in)
	if fault.Is(err, fault.TooLarge) {
		return "", err
	}
	if err != nil || in.ProjectKey.Value == nil {
		return "", ErrOtherProject
	}
	return *in.ProjectKey.Value, nil
}

// markUsed records the use of a key, at most once a minute. A failure to record it does not fail
// the request. Nothing is recorded while the server accepts no writes.
func (g *Gate) markUsed(k *store.APIKey, now int64) {
	if k.LastUsedAt != nil && now-*k.LastUsedAt < 60 || g.Replication.Accepts() != nil {
		return
	}
	err := g.DB.Update(func(tx *store.Tx) error {
		stored, err := tx.APIKey(k.ID)
		if err != nil {
			return err
		}
		stored.LastUsedAt = &now
		return tx.PutAPIKey(stored)
	})
	if err != nil {
		g.Log.Warn("use of an API key not recorded", "key", k.ID, "error", err)
	}
}
