package hooks

import (
	"cmp"

	"svc/api/web"
	"svc/internal/notify"
	"svc/internal/seal"
	"svc/store"
)

// View is the JSON form of a hook, without its secrets.
type View struct {
	ID               string      `json:"id"`
	Name             string      `json:"name"`
	Kind             notify.Kind `json:"kind"`
	Enabled          bool        `json:"enabled"`
	URL              *string     `json:"url"`
	Events           []string    `json:"events"`
	To               []string    `json:"to"`
	HasSecret        bool        `json:"has_secret"`
	HasAuthorization bool        `json:"has_authorization"`
	SecretUpdatedAt  *int64      `json:"secret_updated_at"`
	DisabledReason   *string     `json:"disabled_reason"`
	LastStatus       *int        `json:"last_status"`
	LastAttemptAt    *int64      `json:"last_attempt_at"`
	CreatedAt        int64       `json:"created_at"`
	UpdatedAt        int64       `json:"updated_at"`
}

func (h *Handlers) view(tx *store.Tx, hook *store.Hook) (View, error) {
	state, err := tx.HookState(hook.ID)
	if err != nil {
		return View{}, err
	}
	v := View{
		ID: hook.ID.String(), Name: hook.Name, Kind: hook.Kind, Enabled: hook.Enabled,
		URL: web.OrNull(hook.URL), Events: hook.Events, To: hook.To,
		HasSecret: hook.Secret != "", HasAuthorization: hook.Authorization != "", SecretUpdatedAt: web.OrNull(hook.SecretUpdatedAt),
		DisabledReason: web.OrNull(hook.DisabledReason), LastStatus: state.LastStatus, LastAttemptAt: web.OrNull(state.LastAttemptAt),
		CreatedAt: hook.CreatedAt(), UpdatedAt: hook.UpdatedAt,
	}
	if v.To == nil {
		v.To = []string{}
	}
	if hook.Kind.SecretURL() {
		v.URL = new(h.shown(hook))
	}
	return v, nil
}

// ListView is the JSON form of a list of hooks.
type ListView struct {
	Data []View `json:"data"`
}

func (h *Handlers) list(r *web.Request) (view ListView, err error) {
	err = h.DB.View(func(tx *store.Tx) error {
		p, err := owner(r, tx)
		if err != nil {
			return err
		}
		hooks, err := tx.Hooks(p)
		view.Data = make([]View, len(hooks))
		for i, hook := range hooks {
			if err == nil {
				view.Data[i], err = h.view(tx, hook)
			}
		}
		return err
	})
	return view, err
}

// createdView is the JSON form of a new hook. Only this response and the response to a rotation
// contain a secret.
type createdView struct {
	View
	Secret string `json:"secret,omitempty"`
}

func (h *Handlers) create(r *web.Request, in change) (view createdView, err error) {
	err = h.DB.Update(func(tx *store.Tx) error {
		p, err := owner(r, tx)
		if err != nil {
			return err
		}
		hook := &store.Hook{Kind: in.kind, Enabled: true, Events: []string{notify.All}}
		if in.kind == notify.Webhook {
			view.Secret = cmp.Or(in.secret, notify.NewSecret())
			in.secret = view.Secret
		}
		if err := h.apply(tx, in, hook); err != nil {
			return err
		}
		if err := tx.PutHook(p, hook); err != nil {
			return err
		}
		if view.View, err = h.view(tx, hook); err != nil {
			return err
		}
		return r.Tag(hook)
	})
	return view, err
}

func (h *Handlers) get(r *web.Request) (view View, err error) {
	err = h.DB.View(func(tx *store.Tx) error {
		hook, err := find(r, tx)
		if err != nil {
			return err
		}
		if view, err = h.view(tx, hook); err != nil {
			return err
		}
		return r.Tag(hook)
	})
	return view, err
}

func (h *Handlers) update(r *web.Request, in change) (View, error) {
	return h.edit(r, func(tx *store.Tx, hook *store.Hook) error {
		if in.Enabled.Or(false) { // also for a hook that is enabled already
			if err := tx.ForgetHookFailures(hook.ID); err != nil {
				return err
			}
		}
		return h.apply(tx, in, hook)
	})
}

func (h *Handlers) delete(r *web.Request) error {
	return h.DB.Update(func(tx *store.Tx) error {
		hook, err := find(r, tx)
		if err != nil {
			return err
		}
		if err := r.Match(hook); err != nil {
			return err
		}
		return tx.DeleteHook(hook.Project, hook.ID)
	})
}

// putSecret gives a hook a new secret. If the parameter until is not 0, deliveries are also signed
// with the previous secret until that time, in Unix seconds.
func (h *Handlers) putSecret(tx *store.Tx, hook *store.Hook, secret string, until int64) {
	hook.FormerSecret, hook.FormerUntil = "", 0
	if until > 0 {
		hook.FormerSecret, hook.FormerUntil = hook.Secret, until
	}
	hook.Secret, hook.SecretUpdatedAt = h.Keys.Seal(seal.HookSecret, secret), tx.Now().Unix()
}
