package api

import (
	"svc/internal/fold"
	"svc/store"
)

// ways are the ways to look for a folded text: as it stands, and where nothing
// contains that, as words in any order.
func ways(find string) [][]string {
	all := [][]string{{find}}
	if words := fold.Words(find); len(words) > 1 {
		all = append(all, words)
	}
	return all
}

// narrow asks the index where terms can be, and adds what changed since the
// index saw it. Everything else cannot match.
func (s *Server) narrow(r *request, kind store.Kind, project store.ProjectID, terms []string) (n store.Narrow, err error) {
	if s.config.Search == nil {
		return store.Narrow{All: true}, nil
	}
	n = s.config.Search.Narrow(r.Context(), kind, project, terms)
	err = s.db.View(func(tx *store.Tx) (err error) {
		n, err = tx.After(n)
		return err
	})
	return n, err
}

// searched keeps of a list what contains a folded text, or where nothing does,
// all of its words. The index only saves looking: the text of everything that
// may match is looked into.
func searched[E any](s *Server, r *request, kind store.Kind, project store.ProjectID, find string, list []E,
	ref func(E) store.Change, text func(E) (string, error)) ([]E, error) {
	for _, terms := range ways(find) {
		n, err := s.narrow(r, kind, project, terms)
		if err != nil {
			return nil, err
		}
		var found []E
		for _, e := range list {
			if !n.May(ref(e).Ref()) {
				continue
			}
			folded, err := text(e)
			if err != nil {
				return nil, err
			}
			if fold.ContainsAll(folded, terms) {
				found = append(found, e)
			}
		}
		if len(found) > 0 {
			return found, nil
		}
	}
	return nil, nil
}

func (s *Server) findVersions(r *request, snap *store.Snapshot, find string) ([]*store.Entry, error) {
	all := snap.Versions(nil)
	if find == "" {
		return all, nil
	}
	return searched(s, r, store.KindVersion, snap.Project.ID, find, all,
		func(e *store.Entry) store.Change {
			return store.Change{Kind: store.KindVersion, Project: snap.Project.ID, ID: e.Version.ID}
		},
		func(e *store.Entry) (string, error) {
			v, err := s.db.FullVersion(snap, e)
			if err != nil {
				return "", err
			}
			return v.SearchText(), nil
		})
}

// findAnnouncements lists the announcements that keep says yes to and that
// contain what is searched for, in list order. What keep says no to has no say
// in how they are looked for: the public must not learn from it.
func (s *Server) findAnnouncements(r *request, snap *store.Snapshot, find string, keep func(*store.AnnouncementEntry) bool) ([]*store.AnnouncementEntry, error) {
	all := snap.Announcements(keep)
	if find == "" {
		return all, nil
	}
	return searched(s, r, store.KindAnnouncement, snap.Project.ID, find, all,
		func(e *store.AnnouncementEntry) store.Change {
			return store.Change{Kind: store.KindAnnouncement, Project: snap.Project.ID, ID: e.Announcement.ID}
		},
		func(e *store.AnnouncementEntry) (string, error) {
			a, err := s.db.FullAnnouncement(snap, e)
			if err != nil {
				return "", err
			}
			return a.SearchText(), nil
		})
}

func (s *Server) findProjects(r *request, find string) ([]*store.Project, error) {
	all := s.db.Projects()
	if find == "" {
		return all, nil
	}
	return searched(s, r, store.KindProject, 0, find, all,
		func(p *store.Project) store.Change { return store.Change{Kind: store.KindProject, Project: p.ID} },
		func(p *store.Project) (string, error) { return p.SearchText(), nil })
}

// listed reads a page of feedback or logs, with a search in both ways.
func listed[R any](s *Server, r *request, kind store.Kind, project store.ProjectID, find string,
	list func(*store.Tx, *store.Find) ([]R, store.Found, error)) (page []R, found store.Found, err error) {
	read := func(f *store.Find) error {
		return s.db.View(func(tx *store.Tx) (err error) {
			page, found, err = list(tx, f)
			return err
		})
	}
	if find == "" {
		err = read(nil)
		return page, found, err
	}
	for _, terms := range ways(find) {
		n, err := s.narrow(r, kind, project, terms)
		if err != nil {
			return nil, found, err
		}
		if err := read(&store.Find{Terms: terms, Narrow: n}); err != nil {
			return nil, found, err
		}
		if found.Text {
			break
		}
	}
	return page, found, nil
}
