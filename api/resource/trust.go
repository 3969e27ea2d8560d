package resource

import (
	"encoding/json"
	"slices"
	"strings"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/signature"
	"svc/store"
)

// trustRoutes returns the routes of trust keys. API keys cannot change them. With the stolen API
// key of a CI system, an attacker can publish versions, but cannot replace the trust keys that
// verify them.
func (h *Handlers) trustRoutes() []web.Route {
	const all = web.V1 + "/admin/projects/:k/trust-keys"
	create := web.WithoutPrivateKeys(web.Checked(trustKeyInput.check, creates, h.createTrustKey))
	update := web.WithoutPrivateKeys(web.Checked(trustKeyInput.check, updates, h.updateTrustKey))
	return []web.Route{
		{Method: "GET", Path: web.V1 + "/public/:k/trust-keys", Access: web.Anyone(), Handler: web.OK(h.publicTrustKeys)},
		{Method: "GET", Path: all, Access: web.ByScope("versions:read"), Handler: web.OK(h.listTrustKeys)},
		{Method: "POST", Path: all, Access: web.LoginOnly(), Handler: web.Created(create)},
		{Method: "PATCH", Path: all + "/:id", Access: web.LoginOnly(), Handler: web.OK(update)},
	}
}

// publicTrustKeyView is the JSON form of a trust key for the public.
type publicTrustKeyView struct {
	Scheme    signature.Scheme `json:"scheme"`
	KeyID     string           `json:"key_id"`
	PublicKey string           `json:"public_key"`
	State     signature.State  `json:"state"`
}

// trustKeyView is the JSON form of a trust key.
type trustKeyView struct {
	ID        string           `json:"id"`
	Scheme    signature.Scheme `json:"scheme"`
	PublicKey string           `json:"public_key"`
	KeyID     string           `json:"key_id"`
	Label     *string          `json:"label"`
	State     signature.State  `json:"state"`
	CreatedAt int64            `json:"created_at"`
	UpdatedAt int64            `json:"updated_at"`
}

func viewTrustKey(k store.TrustKey) trustKeyView {
	return trustKeyView{
		ID: k.ID.String(), Scheme: k.Scheme, PublicKey: k.PublicKey, KeyID: k.KeyID(), Label: web.OrNull(k.Label), State: k.State,
		CreatedAt: store.CreatedAt(k.ID), UpdatedAt: k.UpdatedAt,
	}
}

// publicTrustKeysView is the JSON form of the trust keys of a project for the public.
type publicTrustKeysView struct {
	Data []publicTrustKeyView `json:"data"`
}

// publicTrustKeys lists the trust keys that have not been revoked.
func (h *Handlers) publicTrustKeys(r *web.Request) (publicTrustKeysView, error) {
	return web.ReadSnapshot(r, h.DB, func(snap *store.Snapshot) (publicTrustKeysView, error) {
		counting := slices.DeleteFunc(slices.Clone(snap.TrustKeys), func(k store.TrustKey) bool { return k.State == signature.Revoked })
		return publicTrustKeysView{web.Views(counting, func(k store.TrustKey) publicTrustKeyView {
			return publicTrustKeyView{k.Scheme, k.KeyID(), k.PublicKey, k.State}
		})}, nil
	})
}

// trustKeysView is the JSON form of the trust keys of a project.
type trustKeysView struct {
	Data []trustKeyView `json:"data"`
}

func (h *Handlers) listTrustKeys(r *web.Request) (view trustKeysView, err error) {
	err = r.View(h.DB, func(tx *store.Tx, p *store.Project) error {
		keys, err := tx.TrustKeys(p.ID)
		view.Data = web.Views(keys, viewTrustKey)
		return err
	})
	return view, err
}

type trustKeyInput struct {
	Scheme    web.Optional[string] `json:"scheme"`
	PublicKey web.Optional[string] `json:"public_key"`
	Label     web.Optional[string] `json:"label"`
	State     web.Optional[string] `json:"state"`
}

// check returns the input if it is valid. It checks the scheme and the public key unless the
// request changes an existing trust key. It checks the state unless the request creates a trust
// key.
func (in trustKeyInput) check(how write) (trustKeyInput, error) {
	p := checking(how)
	p.Text("label", in.Label, web.TextRule{Max: 64, Trim: true})
	if how == updates || how == imports {
		word(&p, "state", in.State, how == imports, signature.States)
	}
	if how == updates {
		return in, p.Err()
	}
	word(&p, "scheme", in.Scheme, true, signature.Schemes)
	p.Text("public_key", in.PublicKey, web.TextRule{Required: true, Trim: true, Filled: true})
	if len(p.List) == 0 {
		if _, err := signature.ParseKey(signature.Scheme(in.Scheme.Or("")), in.PublicKey.Or("")); err != nil {
			p.Add("public_key %v", err)
		}
	}
	return in, p.Err()
}

// word checks a text that must be one of the given values.
func word[T ~string](p *problems, field string, o web.Optional[string], required bool, values []T) {
	before := len(p.List)
	p.Text(field, o, web.TextRule{Required: required, Fixed: true})
	if o.Value == nil || len(p.List) > before || slices.Contains(values, T(*o.Value)) {
		return
	}
	p.Add("%s must be one of: %s", field, strings.Join(namesOf(values), ", "))
}

// key returns the record of a new key.
func (in trustKeyInput) key() *store.TrustKey {
	k := &store.TrustKey{
		Scheme: signature.Scheme(in.Scheme.Or("")), PublicKey: strings.TrimSpace(in.PublicKey.Or("")),
		State: signature.State(in.State.Or(string(signature.Active))),
	}
	web.SetText(&k.Label, in.Label)
	return k
}

func (h *Handlers) createTrustKey(r *web.Request, in trustKeyInput) (view trustKeyView, err error) {
	err = r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		k := in.key()
		if err := tx.AddTrustKey(p.ID, k); err != nil {
			return err
		}
		view = viewTrustKey(*k)
		return r.Tag(k)
	})
	return view, err
}

func (h *Handlers) updateTrustKey(r *web.Request, in trustKeyInput) (view trustKeyView, err error) {
	id, ok := store.ParseID(r.Param("id"))
	if !ok {
		return view, fault.New(fault.NotFound, "trust key not found")
	}
	err = r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		k, err := tx.TrustKey(p.ID, id)
		if err != nil {
			return err
		}
		if err := r.Match(k); err != nil {
			return err
		}
		web.SetText(&k.Label, in.Label)
		if in.State.Value != nil {
			k.State = signature.State(*in.State.Value)
		}
		if err := tx.UpdateTrustKey(p.ID, k); err != nil {
			return err
		}
		view = viewTrustKey(*k)
		return r.Tag(k)
	})
	return view, err
}

// ViewTrustKey returns the line for a trust key in an archive, to be encoded as JSON.
func ViewTrustKey(k store.TrustKey) any { return viewTrustKey(k) }

// ReadTrustKey reads a trust key from an archive.
func ReadTrustKey(raw json.RawMessage, now int64) (*store.TrustKey, error) {
	var in struct {
		trustKeyInput
		web.RecordInput
	}
	web.Fill(&in, raw)
	_, err := in.check(imports)
	p := checking(imports)
	rec := p.Record(in.RecordInput, now)
	p.NoPrivateKey("the line", raw)
	if err := web.JoinValidation(err, p.Err()); err != nil {
		return nil, err
	}
	k := in.key()
	k.ID, k.UpdatedAt = rec.ID, rec.Updated
	return k, nil
}
