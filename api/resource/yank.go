package resource

import (
	"strings"

	"svc/api/web"
	"svc/store"
)

func (h *Handlers) yankRoutes() []web.Route {
	const one = web.V1 + "/admin/projects/:k/versions/:id/yank"
	write := web.ByScope("versions:write")
	return []web.Route{
		{Method: "POST", Path: one, Access: write, Handler: web.OK(web.WithoutPrivateKeys(web.Checked(yankInput.check, creates, h.yank)))},
		{Method: "DELETE", Path: one, Access: write, Handler: web.OK(h.unyank)},
	}
}

type yankInput struct {
	Reason      web.Optional[string] `json:"reason"`
	DowngradeTo web.Optional[string] `json:"downgrade_to"`
}

// yankChange is a checked yankInput.
type yankChange struct {
	reason      string
	downgradeTo *store.ID
}

func (in yankInput) check(how write) (c yankChange, err error) {
	p := checking(how)
	p.Text("reason", in.Reason, web.TextRule{Max: 512, Required: true, Trim: true, Filled: true})
	c.reason = strings.TrimSpace(in.Reason.Or(""))
	switch id, ok := store.ParseID(in.DowngradeTo.Or("")); {
	case in.DowngradeTo.Wrong || in.DowngradeTo.Value != nil && !ok:
		p.Add("downgrade_to must be the id of a version of the project")
	case ok:
		c.downgradeTo = &id
	}
	return c, p.Err()
}

func (h *Handlers) yank(r *web.Request, c yankChange) (versionView, error) {
	return h.changeYank(r, func(tx *store.Tx, p *store.Project, v *store.Version) error {
		return tx.Yank(p.ID, v, c.reason, c.downgradeTo, h.author(r))
	})
}

func (h *Handlers) unyank(r *web.Request) (versionView, error) {
	return h.changeYank(r, func(tx *store.Tx, p *store.Project, v *store.Version) error { return tx.Unyank(p.ID, v) })
}

// changeYank applies a change to the version in the path.
func (h *Handlers) changeYank(r *web.Request, change func(*store.Tx, *store.Project, *store.Version) error) (view versionView, err error) {
	err = h.DB.Update(func(tx *store.Tx) error {
		p, v, err := versionRecords.addressed(r, tx)
		if err != nil {
			return err
		}
		if err := r.Match(v); err != nil {
			return err
		}
		if err := change(tx, p, v); err != nil {
			return err
		}
		view = viewVersionFully(p, v)
		return r.Tag(v)
	})
	return view, err
}
