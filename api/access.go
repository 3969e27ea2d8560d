package api

import (
	"slices"
	"strings"

	"svc/internal/auth"
	"svc/internal/control"
	"svc/internal/fault"
	"svc/store"
)

// access says who may call a route and, for API keys limited to listed
// projects, which project the call reaches.
type access struct {
	kind    accessKind
	scopes  []string // one of them is enough
	project projectFrom
}

type accessKind uint8

// There is no kind 0, so that a route cannot be open by accident.
const (
	public        accessKind = iota + 1 // everybody
	administrator                       // a login; no API key
	scoped                              // a login, or an API key with the scope
	owner                               // the owner of the data directory, over the control connection
)

type projectFrom uint8

const (
	noProject   projectFrom = iota // refuses keys limited to listed projects
	pathProject                    // key or alias in the path
	pathRecord                     // project of the record whose id is in the path
	bodyProject                    // project_key in the body
	eachProject                    // the handler leaves out what the key does not reach
)

func anyone() access       { return access{kind: public} }
func login() access        { return access{kind: administrator} }
func controlOnly() access  { return access{kind: owner} }
func key(s string) access  { return access{kind: scoped, scopes: []string{s}, project: pathProject} }
func wide(s string) access { return access{kind: scoped, scopes: []string{s}, project: noProject} }

// anyOf is for an endpoint that shows as much as the caller's scopes open.
func anyOf(scopes ...string) access {
	return access{kind: scoped, scopes: scopes, project: eachProject}
}

// from changes where the project of a call is found.
func (a access) from(p projectFrom) access {
	a.project = p
	return a
}

// caller is who sent a request: an administrator, or an API key.
type caller struct {
	administrator bool
	key           *store.APIKey
}

// has reports whether the caller has a scope.
func (c caller) has(scope string) bool {
	return c.administrator || c.key != nil && slices.Contains(c.key.Scopes, scope)
}

// reaches reports whether the caller may touch a project.
func (c caller) reaches(p store.ProjectID) bool {
	return c.administrator || c.key != nil && c.key.May(p)
}

// One text for every reason to refuse a key that is limited to projects, so
// that it cannot be used to find out which projects exist.
var errOtherProject = fault.New(fault.Unauthorized, "this API key does not reach the project")

// admit checks the credential and sets r.caller.
func (s *Server) admit(r *request) error {
	a := r.route.access
	if a.kind == public {
		return nil
	}
	if control.Owner(r.Context()) {
		return s.admitOwner(r)
	}
	if a.kind == owner {
		return errNoPath
	}
	text, isKey, err := credential(r)
	if err != nil {
		return err
	}
	if !isKey {
		return s.admitToken(r, text)
	}
	if a.kind == administrator {
		return fault.New(fault.Unauthorized, "this endpoint needs a login; API keys do not open it")
	}
	return s.admitKey(r, text)
}

// admitOwner lets the control connection pass. A browser that somebody led
// there would send one of these headers.
func (s *Server) admitOwner(r *request) error {
	if r.Header.Get("Origin") != "" || r.Header.Get("Referer") != "" {
		return fault.New(fault.Unauthorized, "requests on the control connection must not carry Origin or Referer")
	}
	r.caller.administrator = true
	return nil
}

// credential finds what the request authenticates with. X-API-Key, when not
// empty, wins over Authorization.
func credential(r *request) (text string, isKey bool, err error) {
	if k := strings.TrimSpace(r.Header.Get("X-Api-Key")); k != "" {
		return k, true, nil
	}
	scheme, value, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	value = strings.TrimSpace(value)
	if !strings.EqualFold(scheme, "Bearer") || value == "" {
		return "", false, fault.New(fault.Unauthorized, "a credential is needed: Authorization: Bearer with a login token or an API key, or X-API-Key")
	}
	return value, auth.IsKey(value), nil
}

func (s *Server) admitToken(r *request, token string) error {
	subject, epoch, err := s.tokens.Verify(token, s.now())
	account := s.db.Account()
	if err != nil || account == nil || subject != account.ID.String() || epoch != account.Epoch {
		return fault.New(fault.Unauthorized, "the login token is invalid or has expired; log in again")
	}
	r.caller.administrator = true
	return nil
}

func (s *Server) admitKey(r *request, text string) error {
	digest := store.Digest(auth.Digest(s.config.KeySalt, text))
	k := s.db.KeyByDigest(digest)
	now := s.now().Unix()
	if k == nil || !k.Opens(digest, now) {
		return fault.New(fault.Unauthorized, "the API key is unknown, expired or revoked")
	}
	r.caller.key = k
	if scopes := r.route.access.scopes; !slices.ContainsFunc(scopes, r.caller.has) {
		return fault.New(fault.Unauthorized, "this API key does not have the scope %s", strings.Join(scopes, " or "))
	}
	if !k.AllProjects && r.route.access.project != eachProject {
		if err := s.checkReach(r); err != nil {
			return err
		}
	}
	s.markUsed(k, now)
	return nil
}

// checkReach makes sure that a key limited to listed projects stays there.
func (s *Server) checkReach(r *request) error {
	var project store.ProjectID
	switch r.route.access.project {
	case noProject:
		return fault.New(fault.Unauthorized, "this endpoint spans projects; this API key is limited to listed ones")
	case pathProject:
		p, err := s.db.FindProject(r.param("k"))
		if err != nil {
			return errOtherProject
		}
		project = p.ID
	case pathRecord:
		id, ok := store.ParseID(r.param("id"))
		if !ok {
			return errOtherProject
		}
		found, ok, err := s.db.OwnerOf(id)
		if err != nil {
			return err
		}
		if !ok {
			return errOtherProject
		}
		project = found
	case bodyProject:
		name, err := bodyProjectKey(r)
		if err != nil {
			return err
		}
		p, err := s.db.FindProject(name)
		if err != nil {
			return errOtherProject
		}
		project = p.ID
	}
	if !r.caller.reaches(project) {
		return errOtherProject
	}
	return nil
}

// bodyProjectKey reads project_key as the handler will. A body that has none
// reaches no project; one that is too large says so.
func bodyProjectKey(r *request) (string, error) {
	var in projectKeyInput
	if err := decode(r, &in); fault.Is(err, fault.TooLarge) {
		return "", err
	}
	if in.ProjectKey.Value == nil {
		return "", errOtherProject
	}
	return *in.ProjectKey.Value, nil
}

// markUsed notes the use of a key, at most once a minute. That it cannot be
// noted must not refuse a request.
func (s *Server) markUsed(k *store.APIKey, now int64) {
	if k.LastUsedAt != nil && now-*k.LastUsedAt < 60 {
		return
	}
	err := s.db.Update(func(tx *store.Tx) error {
		stored, err := tx.APIKey(k.ID)
		if err != nil {
			return err
		}
		stored.LastUsedAt = &now
		return tx.PutAPIKey(stored)
	})
	if err != nil {
		s.log.Warn("use of an API key not noted", "key", k.ID, "error", err)
	}
}

// project reads the project in the path inside the transaction that is about
// to use it. A key or alias may have moved to another project since the
// credential was checked, so a limited key is held to its list here again.
func (r *request) project(tx *store.Tx) (*store.Project, error) {
	return r.reached(tx.Project(r.param("k")))
}

func (r *request) reached(p *store.Project, err error) (*store.Project, error) {
	if err == nil && !r.caller.reaches(p.ID) {
		return nil, errOtherProject
	}
	return p, err
}
