// Package hooks answers requests about hooks, which tell others what happens in a project or in the
// instance. Only the administrator can use them, because a hook sends content to any address.
//
//	handlers.go    Handlers, and the routes
//	hooks.go       hooks: read, create, change, delete
//	input.go       bodies of hooks and their rules
//	address.go     addresses that grant access, without the part that does
//	secrets.go     rotating the secret that signs
//	deliveries.go  deliveries: list, read, send again
//	probe.go       sending a test
package hooks

import (
	"slices"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/notify/delivery"
	"svc/internal/seal"
	"svc/store"
)

// Config holds everything that the handlers depend on.
type Config struct {
	DB   *store.Store
	Keys *seal.Keys // keys that encrypt secrets
	// Engine sends test events.
	Engine *delivery.Engine
}

// Handlers answers requests about hooks. Its methods are safe for concurrent use.
type Handlers struct{ Config }

// New returns handlers with the given configuration.
func New(c Config) *Handlers { return &Handlers{c} }

// Routes returns the routes of hooks.
func (h *Handlers) Routes() (routes []web.Route) {
	for _, all := range []string{web.V1 + "/admin/projects/:k/hooks", web.V1 + "/admin/hooks"} {
		one := all + "/:id"
		deliveries := one + "/deliveries"
		routes = append(routes,
			web.Route{Method: "GET", Path: all, Handler: web.OK(h.list)},
			web.Route{Method: "POST", Path: all, Handler: web.Created(web.Checked(input.check, false, h.create))},
			web.Route{Method: "GET", Path: one, Handler: web.OK(h.get)},
			web.Route{Method: "PATCH", Path: one, Handler: web.OK(web.Checked(input.check, true, h.update))},
			web.Route{Method: "DELETE", Path: one, Handler: web.Done(h.delete)},
			web.Route{Method: "POST", Path: one + "/rotate", Handler: web.OK(web.Decoded(h.rotate))},
			web.Route{Method: "POST", Path: one + "/test", Handler: web.OK(h.test)},
			web.Route{Method: "GET", Path: deliveries, Handler: web.OK(h.listDeliveries)},
			web.Route{Method: "GET", Path: deliveries + "/:did", Handler: web.OK(h.getDelivery)},
			web.Route{Method: "POST", Path: deliveries + "/:did/again", Handler: web.Accepted(h.sendAgain)},
		)
	}
	for i := range routes {
		routes[i].Access = web.LoginOnly()
	}
	return slices.Clip(routes)
}

// owner returns the ID of the project in the request path. If the path contains no project, it
// returns 0, which denotes the whole instance.
func owner(r *web.Request, tx *store.Tx) (store.ProjectID, error) {
	if r.Param("k") == "" {
		return 0, nil
	}
	p, err := r.Project(tx)
	if err != nil {
		return 0, err
	}
	return p.ID, nil
}

// find returns the hook that the request path identifies.
func find(r *web.Request, tx *store.Tx) (*store.Hook, error) {
	p, err := owner(r, tx)
	if err != nil {
		return nil, err
	}
	id, ok := store.ParseID(r.Param("id"))
	if !ok {
		return nil, fault.New(fault.NotFound, "hook not found")
	}
	return tx.Hook(p, id)
}

// edit calls the function change with the hook in the request path, stores the changed hook and
// returns its view, all in one transaction.
func (h *Handlers) edit(r *web.Request, change func(*store.Tx, *store.Hook) error) (view View, err error) {
	err = h.DB.Update(func(tx *store.Tx) error {
		hook, err := find(r, tx)
		if err != nil {
			return err
		}
		if err := r.Match(hook); err != nil {
			return err
		}
		if err := change(tx, hook); err != nil {
			return err
		}
		if err := tx.PutHook(hook.Project, hook); err != nil {
			return err
		}
		if view, err = h.view(tx, hook); err != nil {
			return err
		}
		return r.Tag(hook)
	})
	return view, err
}
