package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"svc/internal/auth"
	"svc/internal/fault"
	"svc/store"
)

// scopes are all scopes a key can have, in the order in which they are shown.
var scopes = []string{
	"projects:read", "projects:write", "versions:read", "versions:write",
	"announcements:read", "announcements:write", "events:read", "events:write",
	"feedbacks:read", "feedbacks:write", "logs:read", "logs:write",
	"files:read", "files:write", "stats:read", "tokens:read", "tokens:write",
}

var defaultScopes = []string{"versions:write"}

// keyRoutes has the same resource in two families; they differ only in the
// shape of the list.
func (s *Server) keyRoutes() []route {
	routes := []route{
		{method: "GET", path: v1 + "/auth/api-scopes", access: login(), handler: s.listScopes},
		{method: "GET", path: v1 + "/auth/api-keys", access: login(), handler: s.listKeys},
		{method: "GET", path: v1 + "/auth/tokens", access: login(), handler: s.listTokens},
	}
	for _, family := range []string{v1 + "/auth/api-keys", v1 + "/auth/tokens"} {
		routes = append(routes,
			route{method: "POST", path: family, access: login(), handler: s.createKey},
			route{method: "PATCH", path: family + "/:id", access: login(), handler: s.updateKey},
			route{method: "DELETE", path: family + "/:id", access: login(), handler: s.revokeKey},
			route{method: "POST", path: family + "/:id/rotate", access: login(), handler: s.rotateKey},
		)
	}
	return routes
}

// keyGrantView is what a key opens and until when.
type keyGrantView struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Scopes      []string `json:"scopes"`
	AllProjects bool     `json:"all_projects"`
	ProjectIDs  []string `json:"project_ids"`
	ExpiresAt   *int64   `json:"expires_at"`
	CreatedAt   int64    `json:"created_at"`
}

type keyView struct {
	keyGrantView
	IsActive             bool   `json:"is_active"`
	RevokedAt            *int64 `json:"revoked_at"`
	LastUsedAt           *int64 `json:"last_used_at"`
	PreviousKeyExpiresAt *int64 `json:"previous_key_expires_at"`
}

type newKeyView struct {
	keyGrantView
	Token string `json:"token"`
}

func (s *Server) viewGrant(k *store.APIKey) keyGrantView {
	projects := []string{}
	for _, id := range k.Projects {
		if p, ok := s.db.ProjectByID(id); ok {
			projects = append(projects, p.Key)
		}
	}
	return keyGrantView{
		ID: k.ID.String(), Name: k.Name, Scopes: k.Scopes, AllProjects: k.AllProjects,
		ProjectIDs: projects, ExpiresAt: k.ExpiresAt, CreatedAt: store.CreatedAt(k.ID),
	}
}

func (s *Server) viewKey(k *store.APIKey) keyView {
	v := keyView{keyGrantView: s.viewGrant(k), IsActive: k.RevokedAt == nil, RevokedAt: k.RevokedAt, LastUsedAt: k.LastUsedAt}
	if k.Former != nil && k.RevokedAt == nil && s.now().Unix() < k.Former.ExpiresAt {
		v.PreviousKeyExpiresAt = &k.Former.ExpiresAt
	}
	return v
}

func (s *Server) viewKeys() []keyView {
	views := []keyView{}
	for _, k := range s.db.APIKeys() {
		views = append(views, s.viewKey(k))
	}
	return views
}

func (s *Server) listScopes(w http.ResponseWriter, _ *request) error {
	return respond(w, http.StatusOK, struct {
		Data    []string `json:"data"`
		Default []string `json:"default"`
	}{scopes, defaultScopes})
}

func (s *Server) listKeys(w http.ResponseWriter, _ *request) error {
	return respond(w, http.StatusOK, listView{Data: s.viewKeys()})
}

func (s *Server) listTokens(w http.ResponseWriter, _ *request) error {
	return respond(w, http.StatusOK, s.viewKeys())
}

type keyInput struct {
	Name          Optional[string]            `json:"name"`
	Scopes        Optional[[]json.RawMessage] `json:"scopes"`
	ExpiresInDays Optional[integer]           `json:"expires_in_days"`
	NeverExpires  Optional[bool]              `json:"never_expires"`
	AllProjects   Optional[bool]              `json:"all_projects"`
	ProjectIDs    Optional[[]json.RawMessage] `json:"project_ids"`
}

// keyChange is a checked keyInput.
type keyChange struct {
	name     string   // "" = keep
	scopes   []string // nil = keep
	expires  bool     // expiresAt counts
	life     time.Duration
	never    bool
	all      *bool
	projects []string // nil = not sent
}

const defaultKeyLife = 30 * 24 * time.Hour

func (in keyInput) check(update bool) (keyChange, error) {
	p := problems{update: update}
	var c keyChange
	p.text("name", in.Name, textRule{max: 64, required: true, trim: true, filled: !update})
	c.name = strings.TrimSpace(in.Name.or(""))
	c.scopes = p.scopes(in.Scopes)
	p.number("expires_in_days", in.ExpiresInDays, 1, 365, true)
	p.flag("never_expires", in.NeverExpires)
	p.flag("all_projects", in.AllProjects)
	if in.ProjectIDs.Sent {
		c.projects = p.texts("project_ids", in.ProjectIDs, 0, 64)
	}
	c.all = in.AllProjects.Value
	switch {
	case in.NeverExpires.or(false):
		c.expires, c.never = true, true
	case in.ExpiresInDays.Value != nil:
		c.expires, c.life = true, time.Duration(*in.ExpiresInDays.Value)*24*time.Hour
	case in.NeverExpires.Value != nil || !update:
		c.expires, c.life = true, defaultKeyLife
	}
	return c, p.err()
}

// scopes checks the list of scopes. Nothing sent, or an empty list on
// creation, is nil.
func (p *problems) scopes(o Optional[[]json.RawMessage]) []string {
	if !p.present("scopes", o.Sent, o.null(), false, true) {
		return nil
	}
	var known []string
	for i, scope := range p.texts("scopes", o, 0, 64) {
		switch {
		case !slices.Contains(scopes, scope):
			p.add("scopes[%d]: %q is not a scope", i, scope)
		case !slices.Contains(known, scope):
			known = append(known, scope)
		}
	}
	if p.update && !o.Wrong && len(o.or(nil)) == 0 {
		p.add("scopes must have at least 1 entry")
	}
	return known
}

// apply makes the change to a key inside the transaction that stores it.
func (c keyChange) apply(tx *store.Tx, k *store.APIKey) error {
	if c.name != "" {
		k.Name = c.name
	}
	if c.scopes != nil {
		k.Scopes = c.scopes
	}
	if c.expires {
		k.ExpiresAt = nil
		if !c.never {
			end := tx.Now().Add(c.life).Unix()
			k.ExpiresAt = &end
			if k.Former != nil { // the former text ends with the key, also when that moves
				k.Former.ExpiresAt = min(k.Former.ExpiresAt, end)
			}
		}
	}
	if c.all == nil && c.projects == nil {
		return nil
	}
	return c.applyReach(tx, k)
}

// applyReach settles which projects the key reaches: all, or those listed. A
// list without a word on all_projects means the list.
func (c keyChange) applyReach(tx *store.Tx, k *store.APIKey) error {
	k.AllProjects = c.all != nil && *c.all
	if k.AllProjects {
		k.Projects = nil
		return nil
	}
	if c.projects != nil {
		k.Projects = nil
	}
	for _, name := range c.projects {
		p, err := tx.Project(name)
		if fault.Is(err, fault.NotFound) {
			return fault.Validation("project_ids: " + err.Error())
		}
		if err != nil {
			return err
		}
		if !slices.Contains(k.Projects, p.ID) {
			k.Projects = append(k.Projects, p.ID)
		}
	}
	if len(k.Projects) == 0 {
		return fault.Validation("project_ids must have at least 1 entry when all_projects is false")
	}
	return nil
}

func (s *Server) createKey(w http.ResponseWriter, r *request) error {
	var in keyInput
	if err := decode(r, &in); err != nil {
		return err
	}
	change, err := in.check(false)
	if err != nil {
		return err
	}
	return s.storeNewKey(w, change)
}

// storeNewKey stores a new key and answers with its text, which nobody will
// see again.
func (s *Server) storeNewKey(w http.ResponseWriter, change keyChange) error {
	text := auth.NewKey()
	k := store.APIKey{
		Scopes:      defaultScopes,
		AllProjects: true,
		Digest:      store.Digest(auth.Digest(s.config.KeySalt, text)),
		Salt:        auth.SaltMark(s.config.KeySalt),
	}
	if change.all == nil && len(change.projects) == 0 {
		change.projects = nil // an empty list alone means all projects
	}
	err := s.db.Update(func(tx *store.Tx) error {
		if err := change.apply(tx, &k); err != nil {
			return err
		}
		return tx.PutAPIKey(&k)
	})
	if err != nil {
		return err
	}
	return respond(w, http.StatusCreated, newKeyView{keyGrantView: s.viewGrant(&k), Token: text})
}

func (s *Server) updateKey(w http.ResponseWriter, r *request) error {
	var in keyInput
	if err := decode(r, &in); err != nil {
		return err
	}
	change, err := in.check(true)
	if err != nil {
		return err
	}
	k, err := s.editKey(r, func(tx *store.Tx, k *store.APIKey) error {
		if k.RevokedAt != nil {
			return errRevoked
		}
		return change.apply(tx, k)
	})
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, s.viewGrant(k))
}

var errRevoked = fault.New(fault.Conflict, "the API key is revoked")

// editKey changes the key in the path in one transaction.
func (s *Server) editKey(r *request, edit func(*store.Tx, *store.APIKey) error) (k *store.APIKey, err error) {
	id, ok := store.ParseID(r.param("id"))
	if !ok {
		return nil, fault.New(fault.NotFound, "API key not found")
	}
	err = s.db.Update(func(tx *store.Tx) (err error) {
		if k, err = tx.APIKey(id); err != nil {
			return err
		}
		if err := edit(tx, k); err != nil {
			return err
		}
		return tx.PutAPIKey(k)
	})
	return k, err
}

func (s *Server) revokeKey(w http.ResponseWriter, r *request) error {
	_, err := s.editKey(r, func(tx *store.Tx, k *store.APIKey) error {
		if k.RevokedAt == nil {
			now := tx.Now().Unix()
			k.RevokedAt, k.Former = &now, nil
		}
		return nil
	})
	if err != nil {
		return err
	}
	return respondDeleted(w)
}

type rotateInput struct {
	GracePeriodMinutes Optional[integer] `json:"grace_period_minutes"`
}

type rotatedView struct {
	ID                   string `json:"id"`
	Token                string `json:"token"`
	GracePeriodMinutes   int64  `json:"grace_period_minutes"`
	PreviousKeyExpiresAt *int64 `json:"previous_key_expires_at"`
}

func (s *Server) rotateKey(w http.ResponseWriter, r *request) error {
	var in rotateInput
	if err := decode(r, &in); err != nil {
		return err
	}
	var p problems
	p.number("grace_period_minutes", in.GracePeriodMinutes, 0, 10080, true)
	if err := p.err(); err != nil {
		return err
	}
	text, grace := auth.NewKey(), int64(in.GracePeriodMinutes.or(0))
	k, err := s.editKey(r, func(tx *store.Tx, k *store.APIKey) error {
		now := tx.Now().Unix()
		if k.RevokedAt != nil {
			return errRevoked
		}
		if k.Expired(now) {
			return fault.New(fault.Conflict, "the API key has expired")
		}
		rotate(k, store.Digest(auth.Digest(s.config.KeySalt, text)), now, grace)
		k.Salt = auth.SaltMark(s.config.KeySalt)
		return nil
	})
	if err != nil {
		return err
	}
	view := rotatedView{ID: k.ID.String(), Token: text, GracePeriodMinutes: grace}
	if k.Former != nil {
		view.PreviousKeyExpiresAt = &k.Former.ExpiresAt
	}
	return respond(w, http.StatusCreated, view)
}

// rotate gives a key another text. The former one stays good for the grace
// period, but not beyond the key's own end; one that was still good from an
// earlier rotation ends now.
func rotate(k *store.APIKey, text store.Digest, now, graceMinutes int64) {
	former := k.Digest
	k.Digest, k.Former, k.LastUsedAt = text, nil, nil
	if graceMinutes == 0 {
		return
	}
	end := now + graceMinutes*60
	if k.ExpiresAt != nil {
		end = min(end, *k.ExpiresAt)
	}
	k.Former = &store.FormerKey{Digest: former, ExpiresAt: end}
}
