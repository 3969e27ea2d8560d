package resource

import (
	"svc/api/web"
	"svc/internal/searchtext"
	"svc/store"
)

// alternatives returns the searches to try for a folded text, in order. Each search is a list of
// terms, all of which a match must contain. The first search has the whole text as its only term.
// If the text has several words, there is a second search with the words as its terms.
func alternatives(find string) [][]string {
	all := [][]string{{find}}
	if words := searchtext.Words(find); len(words) > 1 {
		all = append(all, words)
	}
	return all
}

// candidates returns the records that may contain the terms; no other record contains them. These
// are the records that the index returns, and the records that have changed since they were
// indexed. Without an index, all records are candidates.
func (h *Handlers) candidates(r *web.Request, kind store.Kind, project store.ProjectID, terms []string) (n store.Candidates, err error) {
	if h.Search == nil {
		return store.Candidates{All: true}, nil
	}
	n = h.Search.Candidates(r.Context(), kind, project, terms)
	return store.Read(h.DB, func(tx *store.Tx) (store.Candidates, error) { return tx.WithChanges(n) })
}

// searched returns the elements of list that contain the folded text find. If there are none, it
// returns the elements that contain all words of the text. The index only narrows the list. Every
// candidate's text is still searched.
func searched[E any](h *Handlers, r *web.Request, kind store.Kind, project store.ProjectID, find string, list []E,
	ref func(E) store.Change, text func(E) (string, error)) ([]E, error) {
	for _, terms := range alternatives(find) {
		n, err := h.candidates(r, kind, project, terms)
		if err != nil {
			return nil, err
		}
		var found []E
		for _, e := range list {
			if !n.Contain(ref(e).Ref()) {
				continue
			}
			folded, err := text(e)
			if err != nil {
				return nil, err
			}
			if searchtext.ContainsAll(folded, terms) {
				found = append(found, e)
			}
		}
		if len(found) > 0 {
			return found, nil
		}
	}
	return nil, nil
}

func (h *Handlers) findProjects(r *web.Request, find string) ([]*store.Project, error) {
	all := h.DB.Projects()
	if find == "" {
		return all, nil
	}
	return searched(h, r, store.KindProject, 0, find, all,
		func(p *store.Project) store.Change { return store.Change{Kind: store.KindProject, Project: p.ID} },
		func(p *store.Project) (string, error) { return p.SearchText(), nil })
}

// listPage returns a page of the feedback or logs of the project in the path. If the request has
// validation errors, it returns these as an error. If there is a search text, it tries the searches
// that the function alternatives returns, in order, until one of them matches. The records of a
// large page are read one at a time while the page is being written.
func listPage[R, V any](h *Handlers, r *web.Request, p *problems, kind store.Kind, find string,
	list func(*store.Tx, store.ProjectID, *store.Find) ([]*R, store.Found, error),
	later func(*store.Tx, store.ProjectID, store.Unread) (*R, error), view func(*R) V) (web.List, error) {
	project, err := p.Project(r, h.DB)
	if err != nil {
		return web.List{}, err
	}
	var page []*R
	var found store.Found
	read := func(f *store.Find) error {
		return h.DB.View(func(tx *store.Tx) (err error) {
			page, found, err = list(tx, project.ID, f)
			return err
		})
	}
	err = h.eachAlternative(r, kind, project.ID, find, func(f *store.Find) (bool, error) {
		err := read(f)
		return found.Text, err
	})
	if err != nil {
		return web.List{}, err
	}
	answer := web.NewList(found.Total, page, view)
	if unread := found.Unread; len(unread) > 0 {
		answer.Sizes = web.Views(unread, func(u store.Unread) int { return u.Bytes })
		answer.Encode = func(i int) ([]byte, error) {
			rec, err := store.Read(h.DB, func(tx *store.Tx) (*R, error) { return later(tx, project.ID, unread[i]) })
			if err != nil || rec == nil {
				return nil, err
			}
			return web.Encode(view(rec))
		}
	}
	answer.Estimate = found.Estimate
	return answer, nil
}

// eachAlternative calls read with each search that the function alternatives returns for a search
// text, until read reports a match. Without a search text, it calls read once, with nil.
func (h *Handlers) eachAlternative(
	r *web.Request, kind store.Kind, project store.ProjectID, find string, read func(*store.Find) (found bool, err error),
) error {
	if find == "" {
		_, err := read(nil)
		return err
	}
	for _, terms := range alternatives(find) {
		n, err := h.candidates(r, kind, project, terms)
		if err != nil {
			return err
		}
		if found, err := read(&store.Find{Terms: terms, Candidates: n}); found || err != nil {
			return err
		}
	}
	return nil
}
