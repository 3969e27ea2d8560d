package api

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"time"

	"svc/internal/fault"
)

// controlRoutes are for the commands of the program, which reach them over the
// control connection or, when no server runs, in their own process.
func (s *Server) controlRoutes() []route {
	return []route{
		{method: "GET", path: "/control/version", access: controlOnly(), handler: s.version, quiet: true},
		{method: "POST", path: "/control/admin/reset-password", access: controlOnly(), handler: s.resetPassword},
		{method: "POST", path: "/control/api-keys", access: controlOnly(), handler: s.createKeyByOwner},
		{method: "POST", path: "/control/reindex", access: controlOnly(), handler: s.reindex},
		{method: "POST", path: "/control/check/copies", access: controlOnly(), handler: s.copyForCheck},
		{method: "POST", path: "/control/check/search", access: controlOnly(), handler: s.checkSearch},
		{method: "POST", path: "/control/compact", access: controlOnly(), handler: s.compact},
		{method: "GET", path: "/control/status", access: controlOnly(), handler: s.showStatus, quiet: true},
		{method: "GET", path: "/metrics", access: controlOnly(), handler: s.showMetrics, quiet: true},
		{method: "POST", path: "/control/backup", access: controlOnly(), handler: s.backup},
	}
}

func (s *Server) version(w http.ResponseWriter, _ *request) error {
	return respond(w, http.StatusOK, struct {
		Version   string `json:"version"`
		PID       int    `json:"pid"`
		StartedAt int64  `json:"started_at"`
	}{s.config.Version, os.Getpid(), s.started.Unix()})
}

// ReindexProgress is a line of the answer to a reindex. The last one says how it
// ended.
type ReindexProgress struct {
	Things  int     `json:"things"` // read so far
	Seconds float64 `json:"seconds"`
	Done    bool    `json:"done,omitempty"`
	Error   string  `json:"error,omitempty"`
}

// reindex builds the search index anew and tells, a JSON line a second, how far
// it has come. It may take longer than any other request.
func (s *Server) reindex(w http.ResponseWriter, r *request) error {
	if s.config.Search == nil {
		return fault.New(fault.Unavailable, "there is no search index")
	}
	unlimited(w)
	wire := http.NewResponseController(w)
	begin, last := s.now(), s.now()
	var line ReindexProgress
	told := false
	tell := func() {
		told, last = true, s.now()
		line.Seconds = last.Sub(begin).Seconds()
		_ = json.NewEncoder(w).Encode(line) // who has gone does not want to know
		_ = wire.Flush()
	}
	err := s.config.Search.Rebuild(r.Context(), func(things int) {
		if line.Things = things; s.now().Sub(last) >= time.Second {
			tell()
		}
	})
	if err != nil && !told {
		return err
	}
	if line.Done = err == nil; err != nil {
		s.log.Error("search index was not built", "error", err, "id", r.id)
		line.Error = err.Error()
	}
	tell()
	return nil
}

// ownerKeyInput differs from keyInput in that a key may live for any number of
// seconds.
type ownerKeyInput struct {
	Name             Optional[string]            `json:"name"`
	Scopes           Optional[[]json.RawMessage] `json:"scopes"`
	Projects         Optional[[]json.RawMessage] `json:"projects"` // none = all
	ExpiresInSeconds Optional[integer]           `json:"expires_in_seconds"`
	NeverExpires     Optional[bool]              `json:"never_expires"`
}

const maxKeySeconds = 100 * 365 * 24 * 3600

func (s *Server) createKeyByOwner(w http.ResponseWriter, r *request) error {
	var in ownerKeyInput
	if err := decode(r, &in); err != nil {
		return err
	}
	var p problems
	p.text("name", in.Name, textRule{max: 64, required: true, trim: true, filled: true})
	p.number("expires_in_seconds", in.ExpiresInSeconds, 1, maxKeySeconds, true)
	p.flag("never_expires", in.NeverExpires)
	change := keyChange{
		name:     strings.TrimSpace(in.Name.or("")),
		scopes:   p.scopes(in.Scopes),
		expires:  true,
		life:     defaultKeyLife,
		never:    in.NeverExpires.or(false),
		projects: p.texts("projects", in.Projects, 0, 64),
	}
	if in.ExpiresInSeconds.Value != nil {
		change.life = time.Duration(*in.ExpiresInSeconds.Value) * time.Second
	}
	if err := p.err(); err != nil {
		return err
	}
	return s.storeNewKey(w, change)
}
