package resource

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"svc/api/web"
	"svc/internal/auth"
	"svc/internal/fault"
	"svc/store"
)

// scopes lists all scopes that a key can have, in display order.
var scopes = []string{
	"projects:read", "projects:write", "versions:read", "versions:write",
	"announcements:read", "announcements:write", "events:read", "events:write",
	"feedbacks:read", "feedbacks:write", "logs:read", "logs:write",
	"files:read", "files:write", "stats:read", "tokens:read", "tokens:write",
}

var defaultScopes = []string{"versions:write"}

// keyRoutes returns the routes for API keys. There are two families of paths, which differ only in
// the format of the list.
func (h *Handlers) keyRoutes() []web.Route {
	login := web.LoginOnly()
	create, update := web.Checked(keyInput.check, creates, h.createKey), web.Checked(keyInput.check, updates, h.updateKey)
	routes := []web.Route{
		{Method: "GET", Path: web.V1 + "/auth/api-scopes", Access: login, Handler: web.OK(h.listScopes)},
		{Method: "GET", Path: web.V1 + "/auth/api-keys", Access: login, Handler: web.OK(h.listKeys)},
		{Method: "GET", Path: web.V1 + "/auth/tokens", Access: login, Handler: web.OK(h.listTokens)},
		{Method: "POST", Path: "/control/api-keys", Access: web.OwnerOnly(), Handler: web.Created(web.Decoded(h.createKeyByOwner))},
	}
	for _, family := range []string{web.V1 + "/auth/api-keys", web.V1 + "/auth/tokens"} {
		routes = append(routes,
			web.Route{Method: "POST", Path: family, Access: login, Handler: web.Created(create)},
			web.Route{Method: "GET", Path: family + "/:id", Access: login, Handler: web.OK(h.getKey)},
			web.Route{Method: "PATCH", Path: family + "/:id", Access: login, Handler: web.OK(update)},
			web.Route{Method: "DELETE", Path: family + "/:id", Access: login, Handler: web.Done(h.revokeKey)},
			web.Route{Method: "POST", Path: family + "/:id/rotate", Access: login, Handler: web.Created(web.Decoded(h.rotateKey))},
		)
	}
	return routes
}

// keyGrantView is the JSON form of the access that a key grants and of the key's expiry.
type keyGrantView struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Scopes      []string `json:"scopes"`
	AllProjects bool     `json:"all_projects"`
	ProjectIDs  []string `json:"project_ids"`
	ExpiresAt   *int64   `json:"expires_at"`
	CreatedAt   int64    `json:"created_at"`
}

// KeyView is the JSON form of a key. It does not contain the key's text.
type KeyView struct {
	keyGrantView
	IsActive             bool   `json:"is_active"`
	RevokedAt            *int64 `json:"revoked_at"`
	LastUsedAt           *int64 `json:"last_used_at"`
	PreviousKeyExpiresAt *int64 `json:"previous_key_expires_at"`
}

// NewKeyView is the JSON form of a newly created key. It contains the key's text.
type NewKeyView struct {
	keyGrantView
	Token string `json:"token"`
}

func (h *Handlers) viewGrant(k *store.APIKey) keyGrantView {
	projects := []string{}
	for _, id := range k.Projects {
		if p, ok := h.DB.ProjectByID(id); ok {
			projects = append(projects, p.Key)
		}
	}
	return keyGrantView{
		ID: k.ID.String(), Name: k.Name, Scopes: k.Scopes, AllProjects: k.AllProjects,
		ProjectIDs: projects, ExpiresAt: k.ExpiresAt, CreatedAt: store.CreatedAt(k.ID),
	}
}

func (h *Handlers) viewKey(k *store.APIKey) KeyView {
	v := KeyView{keyGrantView: h.viewGrant(k), IsActive: k.RevokedAt == nil, RevokedAt: k.RevokedAt, LastUsedAt: k.LastUsedAt}
	if k.Former != nil && k.RevokedAt == nil && h.Now().Unix() < k.Former.ExpiresAt {
		v.PreviousKeyExpiresAt = &k.Former.ExpiresAt
	}
	return v
}

type scopesView struct {
	Data    []string `json:"data"`
	Default []string `json:"default"`
}

func (h *Handlers) listScopes(*web.Request) (scopesView, error) {
	return scopesView{scopes, defaultScopes}, nil
}

func (h *Handlers) listKeys(r *web.Request) (web.ListView, error) {
	keys, err := h.listTokens(r)
	return web.ListView{Data: keys}, err
}

func (h *Handlers) listTokens(*web.Request) ([]KeyView, error) {
	return web.Views(h.DB.APIKeys(), h.viewKey), nil
}

func (h *Handlers) getKey(r *web.Request) (v KeyView, err error) {
	id, ok := store.ParseID(r.Param("id"))
	if !ok {
		return v, errNoKey
	}
	k, err := store.Read(h.DB, func(tx *store.Tx) (*store.APIKey, error) { return tx.APIKey(id) })
	if err != nil {
		return v, err
	}
	return h.viewKey(k), r.Tag(stateOfKey(k))
}

// stateOfKey returns a copy of a key without the time of its last use. The entity tag of the key is
// computed from this copy, so that using the key does not change the tag.
func stateOfKey(k *store.APIKey) store.APIKey {
	state := *k
	state.LastUsedAt = nil
	return state
}

type keyInput struct {
	Name          web.Optional[string]            `json:"name"`
	Scopes        web.Optional[[]json.RawMessage] `json:"scopes"`
	ExpiresInDays web.Optional[web.Integer]       `json:"expires_in_days"`
	NeverExpires  web.Optional[bool]              `json:"never_expires"`
	AllProjects   web.Optional[bool]              `json:"all_projects"`
	ProjectIDs    web.Optional[[]json.RawMessage] `json:"project_ids"`
}

// keyChange is a checked keyInput.
type keyChange struct {
	name     string   // "" = unchanged
	scopes   []string // nil = unchanged
	expires  bool     // whether the expiry changes, so that life and never are valid
	life     time.Duration
	never    bool
	all      *bool    // nil = not sent
	projects []string // nil = not sent
}

const defaultKeyLife = 30 * 24 * time.Hour

func (in keyInput) check(how write) (keyChange, error) {
	p, update := checking(how), how == updates
	var c keyChange
	p.Text("name", in.Name, web.TextRule{Max: 64, Required: true, Trim: true, Filled: !update})
	c.name = strings.TrimSpace(in.Name.Or(""))
	c.scopes = p.scopes(in.Scopes)
	p.Number("expires_in_days", in.ExpiresInDays, 1, 365, true)
	p.Flag("never_expires", in.NeverExpires)
	p.Flag("all_projects", in.AllProjects)
	if in.ProjectIDs.Sent {
		c.projects = p.Texts("project_ids", in.ProjectIDs, 0, 64)
	}
	c.all = in.AllProjects.Value
	switch {
	case in.NeverExpires.Or(false):
		c.expires, c.never = true, true
	case in.ExpiresInDays.Value != nil:
		c.expires, c.life = true, time.Duration(*in.ExpiresInDays.Value)*24*time.Hour
	case in.NeverExpires.Value != nil || !update:
		c.expires, c.life = true, defaultKeyLife
	}
	return c, p.Err()
}

// scopes checks the list of scopes. It returns nil if the list was not sent. On creation, it also
// returns nil if the list is empty.
func (p *problems) scopes(o web.Optional[[]json.RawMessage]) []string {
	if !p.Present("scopes", o.Sent, o.Null(), false, true) {
		return nil
	}
	var known []string
	for i, scope := range p.Texts("scopes", o, 0, 64) {
		switch {
		case !slices.Contains(scopes, scope):
			p.Add("scopes[%d]: %q is not a scope", i, scope)
		case !slices.Contains(known, scope):
			known = append(known, scope)
		}
	}
	if p.Update && !o.Wrong && len(o.Or(nil)) == 0 {
		p.Add("scopes must have at least 1 entry")
	}
	return known
}

// apply applies the change to k. It must run in the transaction that stores k.
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
			if k.Former != nil { // the previous text must not be valid longer than the key
				k.Former.ExpiresAt = min(k.Former.ExpiresAt, end)
			}
		}
	}
	if c.all == nil && c.projects == nil {
		return nil
	}
	return c.applyReach(tx, k)
}

// applyReach sets the projects that the key can access. If a list was sent without all_projects,
// the key is limited to the listed projects.
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

func (h *Handlers) createKey(r *web.Request, change keyChange) (v NewKeyView, err error) {
	return h.storeNewKey(change)
}

// storeNewKey stores a new key and returns it with its text. The text cannot be retrieved later.
func (h *Handlers) storeNewKey(change keyChange) (NewKeyView, error) {
	text := auth.NewKey()
	k := store.APIKey{
		Scopes:      defaultScopes,
		AllProjects: true,
		Digest:      store.Digest(auth.Digest(h.KeySalt, text)),
		Salt:        auth.SaltMark(h.KeySalt),
	}
	if change.all == nil && len(change.projects) == 0 {
		change.projects = nil // an empty list without all_projects means all projects
	}
	err := h.DB.Update(func(tx *store.Tx) error {
		if err := change.apply(tx, &k); err != nil {
			return err
		}
		return tx.PutAPIKey(&k)
	})
	return NewKeyView{keyGrantView: h.viewGrant(&k), Token: text}, err
}

func (h *Handlers) updateKey(r *web.Request, change keyChange) (v keyGrantView, err error) {
	k, err := h.editKey(r, func(tx *store.Tx, k *store.APIKey) error {
		if k.RevokedAt != nil {
			return errRevoked
		}
		return change.apply(tx, k)
	})
	if err != nil {
		return v, err
	}
	return h.viewGrant(k), nil
}

var (
	errNoKey   = fault.New(fault.NotFound, "API key not found")
	errRevoked = fault.New(fault.Conflict, "the API key is revoked")
)

// editKey calls edit with the key in the path and stores the changed key, both in one transaction.
func (h *Handlers) editKey(r *web.Request, edit func(*store.Tx, *store.APIKey) error) (k *store.APIKey, err error) {
	id, ok := store.ParseID(r.Param("id"))
	if !ok {
		return nil, errNoKey
	}
	err = h.DB.Update(func(tx *store.Tx) (err error) {
		if k, err = tx.APIKey(id); err != nil {
			return err
		}
		if err := r.Match(stateOfKey(k)); err != nil {
			return err
		}
		if err := edit(tx, k); err != nil {
			return err
		}
		return errors.Join(tx.PutAPIKey(k), r.Tag(stateOfKey(k)))
	})
	return k, err
}

func (h *Handlers) revokeKey(r *web.Request) error {
	_, err := h.editKey(r, func(tx *store.Tx, k *store.APIKey) error {
		if k.RevokedAt == nil {
			k.RevokedAt, k.Former = new(tx.Now().Unix()), nil
		}
		return nil
	})
	return err
}

type rotateInput struct {
	GracePeriodMinutes web.Optional[web.Integer] `json:"grace_period_minutes"`
}

// RotatedKeyView is the JSON form of a key after a rotation, with its new text.
type RotatedKeyView struct {
	ID                   string `json:"id"`
	Token                string `json:"token"`
	GracePeriodMinutes   int64  `json:"grace_period_minutes"`
	PreviousKeyExpiresAt *int64 `json:"previous_key_expires_at"`
}

func (h *Handlers) rotateKey(r *web.Request, in rotateInput) (view RotatedKeyView, err error) {
	var p problems
	p.Number("grace_period_minutes", in.GracePeriodMinutes, 0, 10080, true)
	if err := p.Err(); err != nil {
		return view, err
	}
	text, grace := auth.NewKey(), int64(in.GracePeriodMinutes.Or(0))
	k, err := h.editKey(r, func(tx *store.Tx, k *store.APIKey) error {
		now := tx.Now().Unix()
		if k.RevokedAt != nil {
			return errRevoked
		}
		if k.Expired(now) {
			return fault.New(fault.Conflict, "the API key has expired")
		}
		rotate(k, store.Digest(auth.Digest(h.KeySalt, text)), now, grace)
		k.Salt = auth.SaltMark(h.KeySalt)
		return nil
	})
	if err != nil {
		return view, err
	}
	view = RotatedKeyView{ID: k.ID.String(), Token: text, GracePeriodMinutes: grace}
	if k.Former != nil {
		view.PreviousKeyExpiresAt = &k.Former.ExpiresAt
	}
	return view, nil
}

// rotate replaces the text of a key. The previous text remains valid for the given number of
// minutes, but not beyond the expiry of the key. If an even older text is still valid because of an
// earlier rotation, it expires immediately.
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

// ownerKeyInput is the body of a request over the control connection that creates a key. Unlike in
// keyInput, the lifetime is in seconds and can be up to 100 years.
type ownerKeyInput struct {
	Name             web.Optional[string]            `json:"name"`
	Scopes           web.Optional[[]json.RawMessage] `json:"scopes"`
	Projects         web.Optional[[]json.RawMessage] `json:"projects"` // none = all
	ExpiresInSeconds web.Optional[web.Integer]       `json:"expires_in_seconds"`
	NeverExpires     web.Optional[bool]              `json:"never_expires"`
}

const maxKeySeconds = 100 * 365 * 24 * 3600

func (h *Handlers) createKeyByOwner(r *web.Request, in ownerKeyInput) (v NewKeyView, err error) {
	var p problems
	p.Text("name", in.Name, web.TextRule{Max: 64, Required: true, Trim: true, Filled: true})
	p.Number("expires_in_seconds", in.ExpiresInSeconds, 1, maxKeySeconds, true)
	p.Flag("never_expires", in.NeverExpires)
	change := keyChange{
		name:     strings.TrimSpace(in.Name.Or("")),
		scopes:   p.scopes(in.Scopes),
		expires:  true,
		life:     defaultKeyLife,
		never:    in.NeverExpires.Or(false),
		projects: p.Texts("projects", in.Projects, 0, 64),
	}
	if in.ExpiresInSeconds.Value != nil {
		change.life = time.Duration(*in.ExpiresInSeconds.Value) * time.Second
	}
	if err := p.Err(); err != nil {
		return v, err
	}
	return h.storeNewKey(change)
}
