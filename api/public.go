package api

import (
	"encoding/json"
	"net/http"

	"svc/internal/fault"
	"svc/internal/locale"
	"svc/store"
)

func (s *Server) publicRoutes() []route {
	const one = v1 + "/public/:k"
	const versions = one + "/versions"
	return []route{
		{method: "GET", path: one, access: anyone(), handler: s.publicProject, counts: "PROJECT_DETAIL"},
		{method: "GET", path: versions, access: anyone(), handler: s.publicVersions, counts: "VERSION_LIST"},
		{method: "GET", path: versions + "/latest", access: anyone(), handler: s.publicLatest, counts: "VERSION_LATEST"},
		{method: "GET", path: versions + "/latest-preview", access: anyone(), handler: s.publicLatestPreview, counts: "VERSION_LATEST_PREVIEW"},
		{method: "GET", path: versions + "/by-version/:v", access: anyone(), handler: s.publicVersion, counts: "VERSION_BY_VERSION"},
		s.limited(route{method: "POST", path: versions + "/check-update", access: anyone(), handler: s.checkUpdate, counts: "VERSION_CHECK_UPDATE"}),
	}
}

// reader encodes the records of one answer in the language of one caller.
type reader struct {
	server   *Server
	snap     *store.Snapshot
	language int // index of a language, -1 for the default texts
	// message, when there is one, goes as JSON into each object as
	// locale_message: the caller asked for a language that the project does
	// not have.
	message []byte
}

func (s *Server) reader(snap *store.Snapshot, preference string) (reader, error) {
	language, unknown := snap.Locales.Resolve(preference)
	r := reader{server: s, snap: snap, language: language}
	if !unknown {
		return r, nil
	}
	var err error
	r.message, err = encode(locale.Message(preference))
	return r, err
}

// version is the JSON of an entry. It is made once per language and kept with
// the snapshot, unless the text is a large one.
func (r reader) version(e *store.Entry) ([]byte, error) {
	if !e.Large {
		return e.Encoding.Get(r.language, func() ([]byte, error) {
			return encode(viewVersionIn(r.snap.Project, e.Version, r.language))
		})
	}
	full, err := r.server.db.FullVersion(r.snap, e)
	if err != nil {
		return nil, err
	}
	return encode(viewVersionIn(r.snap.Project, full, r.language))
}

// append adds an encoded record to an answer, with the message inside.
func (r reader) append(b, object []byte) []byte {
	if r.message == nil {
		return append(b, object...)
	}
	b = append(b, object[:len(object)-1]...)
	b = append(b, `,"locale_message":`...)
	b = append(b, r.message...)
	return append(b, '}')
}

func (s *Server) publicProject(w http.ResponseWriter, r *request) error {
	return s.withSnapshot(r, func(snap *store.Snapshot) error {
		reader, err := s.reader(snap, r.query("locale"))
		if err != nil {
			return err
		}
		project, err := snap.Encoding.Get(reader.language, func() ([]byte, error) {
			return encode(viewProjectIn(snap.Project, reader.language))
		})
		if err != nil {
			return err
		}
		write(w, http.StatusOK, reader.append(nil, project))
		return nil
	})
}

func (s *Server) publicVersions(w http.ResponseWriter, r *request) error {
	var p problems
	page, filter := p.page(r), p.versionFilter(r)
	if err := p.err(); err != nil {
		return err
	}
	return s.withSnapshot(r, func(snap *store.Snapshot) error {
		matching, err := s.versions(r, snap, filter)
		if err != nil {
			return err
		}
		reader, err := s.reader(snap, r.query("locale"))
		if err != nil {
			return err
		}
		views := []json.RawMessage{}
		for _, e := range cut(matching, page) {
			b, err := reader.version(e)
			if err != nil {
				return err
			}
			views = append(views, reader.append(nil, b))
		}
		return respond(w, http.StatusOK, pageView{Total: len(matching), Data: views})
	})
}

// respondVersion answers with the version at a position of the catalog.
func (s *Server) respondVersion(w http.ResponseWriter, r *request, find func(*store.Snapshot) (int, error)) error {
	return s.withSnapshot(r, func(snap *store.Snapshot) error {
		at, err := find(snap)
		if err != nil {
			return err
		}
		if at < 0 {
			write(w, http.StatusOK, []byte("null"))
			return nil
		}
		reader, err := s.reader(snap, r.query("locale"))
		if err != nil {
			return err
		}
		body, err := reader.version(snap.Entry(at))
		if err != nil {
			return err
		}
		write(w, http.StatusOK, reader.append(nil, body))
		return nil
	})
}

func (s *Server) publicLatest(w http.ResponseWriter, r *request) error {
	return s.respondVersion(w, r, func(snap *store.Snapshot) (int, error) {
		at := snap.Catalog.Latest()
		if at < 0 {
			return 0, fault.New(fault.NotFound, "the project has no version yet")
		}
		return at, nil
	})
}

// publicLatestPreview answers null where there is no preview.
func (s *Server) publicLatestPreview(w http.ResponseWriter, r *request) error {
	return s.respondVersion(w, r, func(snap *store.Snapshot) (int, error) {
		return snap.Catalog.LatestPreview(), nil
	})
}

func (s *Server) publicVersion(w http.ResponseWriter, r *request) error {
	return s.respondVersion(w, r, func(snap *store.Snapshot) (int, error) {
		at := snap.Catalog.ByVersion(r.param("v"))
		if at < 0 {
			return 0, fault.New(fault.NotFound, "version %s not found", quote(r.param("v")))
		}
		return at, nil
	})
}
