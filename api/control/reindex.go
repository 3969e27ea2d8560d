package control

import (
	"encoding/json"
	"net/http"
	"os"
	"time"

	"svc/api/web"
	"svc/internal/fault"
)

// controlRoutes returns the routes that the commands of the program call. Commands call them over
// the control connection or, if no server is running, in their own process.
func (h *Handlers) controlRoutes() []web.Route {
	return []web.Route{
		{Method: "GET", Path: "/control/version", Access: web.OwnerOnly(), Handler: web.OK(h.version), Quiet: true},
		{Method: "POST", Path: "/control/reindex", Reads: true, Access: web.OwnerOnly(), Handler: h.reindex},
		{Method: "POST", Path: "/control/check/copies", Reads: true, Access: web.OwnerOnly(), Handler: web.OK(h.copyForCheck)},
		{Method: "POST", Path: "/control/check/search", Reads: true, Access: web.OwnerOnly(), Handler: web.OK(h.checkSearch)},
		{Method: "POST", Path: "/control/check/files", Reads: true, Access: web.OwnerOnly(), Handler: web.OK(h.checkFiles)},
		{Method: "POST", Path: "/control/compact", Reads: true, Access: web.OwnerOnly(), Handler: web.OK(web.Decoded(h.compact))},
		{Method: "GET", Path: "/control/status", Access: web.OwnerOnly(), Handler: web.OK(h.showStatus), Quiet: true},
		{Method: "GET", Path: "/metrics", Access: web.OwnerOnly(), Handler: h.showMetrics, Quiet: true},
		{Method: "POST", Path: "/control/backup", Reads: true, Access: web.OwnerOnly(), Handler: h.backup},
	}
}

type versionView struct {
	Version   string `json:"version"`
	PID       int    `json:"pid"`
	StartedAt int64  `json:"started_at"`
}

func (h *Handlers) version(*web.Request) (versionView, error) {
	return versionView{h.Version, os.Getpid(), h.started.Unix()}, nil
}

// ReindexProgress is a line of the response to a reindex. The last line contains the result.
type ReindexProgress struct {
	Documents int     `json:"documents"` // number of documents read so far
	Seconds   float64 `json:"seconds"`
	Done      bool    `json:"done,omitempty"`
	Error     string  `json:"error,omitempty"`
}

// reindex rebuilds the search index. It writes a line of JSON with the progress every second. This
// may take longer than any other request.
func (h *Handlers) reindex(w http.ResponseWriter, r *web.Request) error {
	if h.Search == nil {
		return fault.New(fault.Unavailable, "there is no search index")
	}
	web.NoDeadlines(w)
	wire := http.NewResponseController(w)
	begin, last := h.Now(), h.Now()
	var line ReindexProgress
	told := false
	tell := func() {
		told, last = true, h.Now()
		line.Seconds = last.Sub(begin).Seconds()
		_ = json.NewEncoder(w).Encode(line) // an error means that the client has disconnected
		_ = wire.Flush()
	}
	err := h.Search.Rebuild(r.Context(), func(documents int) {
		if line.Documents = documents; h.Now().Sub(last) >= time.Second {
			tell()
		}
	})
	if err != nil && !told {
		return err
	}
	if line.Done = err == nil; err != nil {
		h.Log.Error("search index not rebuilt", "error", err, "id", r.ID)
		line.Error = err.Error()
	}
	tell()
	return nil
}
