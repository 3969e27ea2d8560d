package resource

import (
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
		{
			Method: "GET", Path: versions, Access: web.Anyone(), Handler: web.Listed(h.publicVersions), Counts: "VERSION_LIST",
			FiltersPlatform: true,
		},
		{Method: "GET", Path: versions + "/latest", Access: web.Anyone(), Handler: h.publicLatest, Counts: "VERSION_LATEST"},
		{
			Method: "GET", Path: versions + "/latest-preview", Access: web.Anyone(), Handler: h.publicLatestPreview,
			Counts: "VERSION_LATEST_PREVIEW",
		},
		{Method: "GET", Path: versions + "/by-version/:v", Access: web.Anyone(), Handler: h.publicVersion, Counts: "VERSION_BY_VERSION"},
		{
			Method: "GET", Path: versions + "/notes", Access: web.Anyone(), Handler: web.OK(h.publicNotes), Counts: "VERSION_NOTES",
			FiltersPlatform: true,
		},
		{
			Method: "POST", Path: versions + "/check-update", Access: web.Anyone(), Handler: h.checkUpdate, Counts: "VERSION_CHECK_UPDATE",
			Reads: true, Rate: web.PublicRate, BodyLimit: web.CheckBodyLimit,
		},
	}
}

// reader encodes the records of one response in the language of one caller.
type reader struct {
	handlers *Handlers
	request  *web.Request
	snap     *store.Snapshot
	language int // index of a language, -1 for the default texts
	// message is a JSON string, or nil. It is set if the project does not have the language that
	// the caller has requested, and is added to each object as locale_message.
	message []byte
}

func (h *Handlers) reader(r *web.Request, snap *store.Snapshot, preference string) reader {
	language, unknown := snap.Locales.Resolve(preference)
	to := reader{handlers: h, request: r, snap: snap, language: language}
	if unknown {
		text := locale.Message(preference)
		to.message = web.AppendText(make([]byte, 0, len(text)+8), text)
	}
	return to
}

// inList adds r.message to an encoded record. If err is not nil, it returns err.
func (r reader) inList(object []byte, err error) ([]byte, error) {
	if err != nil || r.message == nil {
		return object, err
	}
	return r.append(nil, object), nil
}

// append appends the encoded record object to b. Unless r.message is nil, it adds r.message to the
// record as locale_message.
func (r reader) append(b, object []byte) []byte {
	if r.message == nil {
		return append(b, object...)
	}
	b = append(b, object[:len(object)-1]...)
	b = append(b, `,"locale_message":`...)
	b = append(b, r.message...)
	return append(b, '}')
}

// respondObject responds with the JSON that find returns, or with null if find returns nil. The
// reader that it passes to find encodes records in the language of the caller.
func (h *Handlers) respondObject(w http.ResponseWriter, r *web.Request, find func(reader) ([]byte, error)) error {
	return r.Snapshot(h.DB, func(snap *store.Snapshot) error {
		reader := h.reader(r, snap, r.Query("locale"))
		object, err := find(reader)
		if err != nil {
			return err
		}
		web.WriteJSON(w, http.StatusOK, reader.appendOr(nil, object))
		return nil
	})
}

func (h *Handlers) publicProject(w http.ResponseWriter, r *web.Request) error {
	return h.respondObject(w, r, func(to reader) ([]byte, error) {
		return to.snap.Encoding.Get(to.language, func() ([]byte, error) {
			return web.Encode(viewProjectIn(to.snap.Project, to.language))
		})
	})
}

func (h *Handlers) publicVersions(r *web.Request) (web.List, error) {
	var p problems
	page, filter := p.Page(r), p.versionFilter(r)
	if err := p.Err(); err != nil {
		return web.List{}, err
	}
	return web.ReadSnapshot(r, h.DB, func(snap *store.Snapshot) (v web.List, err error) {
		matching, err := h.versions(r, snap, snap.ListedVersions(filter.yanked != nil && *filter.yanked), filter)
		if err != nil {
			return v, err
		}
		reader := h.reader(r, snap, r.Query("locale"))
		return listOf(matching, page, versionContents.listed(reader)), nil
	})
}

func (h *Handlers) publicLatest(w http.ResponseWriter, r *web.Request) error {
	return h.respondObject(w, r, func(to reader) ([]byte, error) {
		at := to.snap.Catalog.Latest()
		if at < 0 {
			return nil, fault.New(fault.NotFound, "the project has no version yet")
		}
		return versionContents.encode(to, to.snap.Entry(at))
	})
}

// publicLatestPreview responds with the latest preview, or with null if there is no preview.
func (h *Handlers) publicLatestPreview(w http.ResponseWriter, r *web.Request) error {
	return h.respondObject(w, r, func(to reader) ([]byte, error) {
		at := to.snap.Catalog.LatestPreview()
		if at < 0 {
			return nil, nil
		}
		return versionContents.encode(to, to.snap.Entry(at))
	})
}

func (h *Handlers) publicVersion(w http.ResponseWriter, r *web.Request) error {
	return h.respondObject(w, r, func(to reader) ([]byte, error) {
		at := to.snap.Catalog.ByVersion(r.Param("v"))
		if at < 0 {
			return nil, fault.New(fault.NotFound, "version %s not found", web.Quote(r.Param("v")))
		}
		return versionContents.encode(to, to.snap.Entry(at))
	})
}
