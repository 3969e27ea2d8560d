package hooks

import (
	"cmp"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/notify"
	"svc/store"
)

type rotateInput struct {
	GraceMinutes web.Optional[web.Integer] `json:"grace_minutes"`
	Secret       web.Optional[string]      `json:"secret"`
}

// rotatedView is the JSON form of a new secret.
type rotatedView struct {
	Secret             string `json:"secret"`
	PreviousValidUntil *int64 `json:"previous_valid_until"`
}

// rotate replaces the secret of a webhook. With a grace period, deliveries are signed with both
// secrets until the period ends. If deliveries are still signed with an even older secret because
// of an earlier rotation, that stops immediately.
func (h *Handlers) rotate(r *web.Request, in rotateInput) (view rotatedView, err error) {
	var p web.Problems
	p.Number("grace_minutes", in.GraceMinutes, 0, 10080, false)
	checkSecret(&p, in.Secret)
	if err := p.Err(); err != nil {
		return view, err
	}
	_, err = h.edit(r, func(tx *store.Tx, hook *store.Hook) error {
		if hook.Kind != notify.Webhook {
			return fault.New(fault.Invalid, "only hooks of kind webhook have a secret")
		}
		view = rotatedView{Secret: cmp.Or(in.Secret.Or(""), notify.NewSecret())}
		if grace := int64(in.GraceMinutes.Or(0)); grace > 0 && hook.Secret != "" {
			view.PreviousValidUntil = new(tx.Now().Unix() + grace*60)
		}
		until := int64(0)
		if view.PreviousValidUntil != nil {
			until = *view.PreviousValidUntil
		}
		h.putSecret(tx, hook, view.Secret, until)
		return nil
	})
	return view, err
}
