package resource

import (
	"cmp"
	"slices"
	"strings"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/searchtext"
	"svc/store"
)

// This file contains the handlers that versions, announcements and feedback share.

// write is a kind of write request. The kind determines which fields of the body are required and
// what null means.
type write uint8

const (
	creates   write = iota // the body must contain all required fields; null means not sent
	updates                // no field is required; null clears a field
	publishes              // creates a version; the path provides all required fields
	imports                // like creates, but for a line of an archive
)

// whole reports whether the body must contain all required fields.
func (how write) whole() bool { return how == creates || how == imports }

// checking returns an empty list of problems, to be used for the body of the given kind of write.
func checking(how write) problems { return problems{web.Problems{Update: how == updates}} }

// kind specifies how to find and delete the records of one resource.
type kind[R any] struct {
	name   string
	find   func(*store.Tx, store.ProjectID, store.ID) (*R, error)
	owned  func(*store.Tx, store.ID) (*store.Project, *R, error) // nil if every path contains the project
	delete func(*store.Tx, store.ProjectID, *R) error            // nil if such records cannot be deleted
}

// addressed returns the record that the path identifies, and its project. The path contains the
// project and the record's id, or only the id.
func (k kind[R]) addressed(r *web.Request, tx *store.Tx) (*store.Project, *R, error) {
	id, ok := store.ParseID(r.Param("id"))
	errNone := fault.New(fault.NotFound, "%s not found", k.name)
	if r.Param("k") == "" {
		if !ok {
			return nil, nil, errNone
		}
		p, record, err := k.owned(tx, id)
		if err != nil {
			return nil, nil, err
		}
		_, err = r.Reached(p, nil)
		return p, record, err
	}
	p, err := r.Project(tx)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, errNone
	}
	record, err := k.find(tx, p.ID, id)
	return p, record, err
}

// getRecord returns a handler that responds with the record in the path.
func getRecord[R, V any](h *Handlers, of kind[R], view func(*store.Project, *R) V) web.Handler {
	return web.OK(func(r *web.Request) (v V, err error) {
		err = h.DB.View(func(tx *store.Tx) error {
			p, record, err := of.addressed(r, tx)
			if err != nil {
				return err
			}
			v = view(p, record)
			return r.Tag(record)
		})
		return v, err
	})
}

// creation is a checked body that creates a record in a project.
type creation[R any] interface {
	create(tx *store.Tx, p *store.Project, by string) (*R, error) // by is the name of the caller
}

// createRecord returns a handler that creates a record from the body. The project is named in the
// path or, for the older paths, in the body.
func createRecord[In, R, V any, C creation[R]](h *Handlers, check func(In, write) (C, error), view func(*store.Project, *R) V) web.Handler {
	return web.Created(func(r *web.Request) (v V, err error) {
		c, err := web.Check(r, check, creates)
		name, err := projectName(r, err)
		if err != nil {
			return v, err
		}
		err = h.DB.Update(func(tx *store.Tx) error {
			p, err := r.Reached(tx.Project(name))
			if err != nil {
				return err
			}
			record, err := c.create(tx, p, h.author(r))
			if err != nil {
				return err
			}
			v = view(p, record)
			return r.Tag(record)
		})
		return v, err
	})
}

// projectName returns the key or alias of the project from the path or, for the older paths, from
// the body. The parameter broken is the error from checking the body. If the body does not name a
// project either, the returned error contains all problems.
func projectName(r *web.Request, broken error) (string, error) {
	if name := r.Param("k"); name != "" {
		return name, broken
	}
	var in struct {
		ProjectKey web.Optional[string] `json:"project_key"`
	}
	if err := web.Decode(r, &in); err != nil {
		return "", err
	}
	var p problems
	p.Text("project_key", in.ProjectKey, web.TextRule{Required: true, Filled: true})
	return in.ProjectKey.Or(""), web.JoinValidation(p.Err(), broken)
}

// change is a checked body that changes a record.
type change[R any] interface {
	update(*store.Tx, *store.Project, *R) error
}

// updateRecord returns a handler that changes the record in the path as the body specifies.
func updateRecord[In, R, V any, C change[R]](
	h *Handlers, of kind[R], check func(In, write) (C, error), view func(*store.Project, *R) V,
) web.Handler {
	return web.OK(func(r *web.Request) (v V, err error) {
		c, err := web.Check(r, check, updates)
		if err != nil {
			return v, err
		}
		err = h.DB.Update(func(tx *store.Tx) error {
			p, record, err := of.addressed(r, tx)
			if err != nil {
				return err
			}
			if err := r.Match(record); err != nil {
				return err
			}
			if err := c.update(tx, p, record); err != nil {
				return err
			}
			v = view(p, record)
			return r.Tag(record)
		})
		return v, err
	})
}

// deleteRecord returns a handler that deletes the record in the path.
func deleteRecord[R any](h *Handlers, of kind[R]) web.Handler {
	return web.Done(func(r *web.Request) error {
		return h.DB.Update(func(tx *store.Tx) error {
			p, record, err := of.addressed(r, tx)
			if err == nil {
				err = r.Match(record)
			}
			if err != nil {
				return err
			}
			return of.delete(tx, p.ID, record)
		})
	})
}

// sorting returns a copy of list sorted by compare, in the direction of s. Elements that compare as
// equal are ordered by newest in both directions.
func sorting[E any](list []E, s web.Sort, newest, compare func(a, b E) int) []E {
	return slices.SortedFunc(slices.Values(list), func(a, b E) int {
		by := compare(a, b)
		if !s.Ascending {
			by = -by
		}
		return cmp.Or(by, newest(a, b))
	})
}

// byText returns a function that compares two elements of list by the strings that the function
// text returns for them, regardless of case.
func byText[E comparable](list []E, text func(E) string) func(a, b E) int {
	folded := make(map[E]string, len(list))
	for _, e := range list {
		folded[e] = searchtext.Text(text(e))
	}
	return func(a, b E) int { return strings.Compare(folded[a], folded[b]) }
}
