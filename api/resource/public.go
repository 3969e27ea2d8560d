package resource

import (
	"encoding/json"
	"net/http"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/locale"
	"svc/store"
)

func (h *Handlers) publicRoutes() []web.Route {
	const one = web.V1 + "/public/:k"
	const versions = one + "/versions"
	return []web.Route{
		{Method: "GET", Path: one, Access: web.Anyone(), Handler: h.publicProject, Counts: "PROJECT_DETAIL"},
		{Method: "GET", Path: versions, Access: web.Anyone(), Handler: h.publicVersions, Counts: "VERSION_LIST", FiltersPlatform: true},
		{Method: "GET", Path: versions + "/latest", Access: web.Anyone(), Handler: h.publicLatest, Counts: "VERSION_LATEST"},
		{Method: "GET", Path: versions + "/latest-preview", Access: web.Anyone(), Handler: h.publicLatestPreview, Counts: "VERSION_LATEST_PREVIEW"},
		{Method: "GET", Path: versions + "/by-version/:v", Access: web.Anyone(), Handler: h.publicVersion, Counts: "VERSION_BY_VERSION"},
		{Method: "POST", Path: versions + "/check-update", Access: web.Anyone(), Reporter: h.checkUpdate, Counts: "VERSION_CHECK_UPDATE", Rate: web.PublicRate},
	}
}

// reader encodes the records of one answer in the language of one caller.
type reader struct {
	handlers *Handlers
	snap     *store.Snapshot
	language int // index of a language, -1 for the default texts
	// message, when there is one, goes as JSON into each object as
	// locale_message: the caller asked for a language that the project does
	// not have.
	message []byte
}

func (h *Handlers) reader(snap *store.Snapshot, preference string) (reader, error) {
	language, unknown := snap.Locales.Resolve(preference)
	r := reader{handlers: h, snap: snap, language: language}
	if !unknown {
		return r, nil
	}
	var err error
	r.message, err = web.Encode(locale.Message(preference))
	return r, err
}

// version is the JSON of an entry. It is made once per language and kept with
// the snapshot, unless the text is a large one.
func (r reader) version(e *store.Entry) ([]byte, error) {
	if !e.Large {
		return e.Encoding.Get(r.language, func() ([]byte, error) {
			return web.Encode(viewVersionIn(r.snap.Project, e.Version, r.language))
		})
	}
	full, err := r.handlers.DB.FullVersion(r.snap, e)
	if err != nil {
		return nil, err
	}
	return web.Encode(viewVersionIn(r.snap.Project, full, r.language))
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

func (h *Handlers) publicProject(w http.ResponseWriter, r *web.Request) error {
	return h.withSnapshot(r, func(snap *store.Snapshot) error {
		reader, err := h.reader(snap, r.Query("locale"))
		if err != nil {
			return err
		}
		project, err := snap.Encoding.Get(reader.language, func() ([]byte, error) {
			return web.Encode(viewProjectIn(snap.Project, reader.language))
		})
		if err != nil {
			return err
		}
		web.WriteJSON(w, http.StatusOK, reader.append(nil, project))
		return nil
	})
}

func (h *Handlers) publicVersions(w http.ResponseWriter, r *web.Request) error {
	var p problems
	page, filter := p.Page(r), p.versionFilter(r)
	if err := p.Err(); err != nil {
		return err
	}
	return h.withSnapshot(r, func(snap *store.Snapshot) error {
		matching, err := h.versions(r, snap, filter)
		if err != nil {
			return err
		}
		reader, err := h.reader(snap, r.Query("locale"))
		if err != nil {
			return err
		}
		views := []json.RawMessage{}
		for _, e := range web.PageOf(matching, page) {
			b, err := reader.version(e)
			if err != nil {
				return err
			}
			views = append(views, reader.append(nil, b))
		}
		return web.Respond(w, http.StatusOK, web.PageView{Total: len(matching), Data: views})
	})
}

// respondVersion answers with the version at a position of the catalog.
func (h *Handlers) respondVersion(w http.ResponseWriter, r *web.Request, find func(*store.Snapshot) (int, error)) error {
	return h.withSnapshot(r, func(snap *store.Snapshot) error {
		at, err := find(snap)
		if err != nil {
			return err
		}
		if at < 0 {
			web.WriteJSON(w, http.StatusOK, []byte("null"))
			return nil
		}
		reader, err := h.reader(snap, r.Query("locale"))
		if err != nil {
			return err
		}
		body, err := reader.version(snap.Entry(at))
		if err != nil {
			return err
		}
		web.WriteJSON(w, http.StatusOK, reader.append(nil, body))
		return nil
	})
}

func (h *Handlers) publicLatest(w http.ResponseWriter, r *web.Request) error {
	return h.respondVersion(w, r, func(snap *store.Snapshot) (int, error) {
		at := snap.Catalog.Latest()
		if at < 0 {
			return 0, fault.New(fault.NotFound, "the project has no version yet")
		}
		return at, nil
	})
}

// publicLatestPreview answers null where there is no preview.
func (h *Handlers) publicLatestPreview(w http.ResponseWriter, r *web.Request) error {
	return h.respondVersion(w, r, func(snap *store.Snapshot) (int, error) {
		return snap.Catalog.LatestPreview(), nil
	})
}

func (h *Handlers) publicVersion(w http.ResponseWriter, r *web.Request) error {
	return h.respondVersion(w, r, func(snap *store.Snapshot) (int, error) {
		at := snap.Catalog.ByVersion(r.Param("v"))
		if at < 0 {
			return 0, fault.New(fault.NotFound, "version %s not found", web.Quote(r.Param("v")))
		}
		return at, nil
	})
}
