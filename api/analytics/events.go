package analytics

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"
	"unicode/utf8"

	"svc/api/web"
	"svc/internal/event"
	"svc/internal/platform"
)

func (h *Handlers) eventRoutes() []web.Route {
	const (
		public = web.V1 + "/public/:k/events"
		all    = web.V1 + "/admin/projects/:k/events"
		one    = all + "/definitions/:id"
		cards  = all + "/dashboards/cards"
	)
	read, write := web.ByScope("events:read"), web.ByScope("events:write")
	return []web.Route{
		{Method: "GET", Path: web.V1 + "/events/_status", Access: web.Anyone(), Handler: web.ModuleStatus("events")},
		{Method: "POST", Path: public, Access: web.Anyone(), Reporter: h.ingestEvents, Counts: "EVENT_INGEST", Rate: web.PublicRate, EventSender: true},
		{Method: "GET", Path: public + "/me", Access: web.Anyone(), Handler: h.exportSubject, Private: true, Rate: web.HourlyRate, EventSender: true},
		{Method: "DELETE", Path: public + "/me", Access: web.Anyone(), Handler: h.eraseOwnEvents, Private: true, Rate: web.HourlyRate, EventSender: true},
		{Method: "DELETE", Path: all + "/subjects/:distinct_id", Access: write, Handler: h.eraseSubject},

		{Method: "GET", Path: all + "/definitions", Access: read, Handler: h.listDefinitions},
		{Method: "PATCH", Path: one, Access: write, Handler: h.updateDefinition},
		{Method: "DELETE", Path: one, Access: write, Handler: h.deleteDefinition},

		{Method: "GET", Path: all + "/stats/overview", Access: read, Handler: h.eventOverview},
		{Method: "GET", Path: all + "/stats/timeseries", Access: read, Handler: h.eventSeries},
		{Method: "GET", Path: all + "/stats/breakdown", Access: read, Handler: h.eventBreakdown},
		{Method: "GET", Path: all + "/stats/heatmap", Access: read, Handler: h.eventHeatmap},

		{Method: "POST", Path: all + "/analysis/funnel", Access: read, Handler: h.analyseFunnel},
		{Method: "POST", Path: all + "/analysis/retention", Access: read, Handler: h.analyseRetention},
		{Method: "POST", Path: all + "/analysis/paths", Access: read, Handler: h.analysePaths},
		{Method: "POST", Path: all + "/analysis/query", Access: read, Handler: h.analyseMetric},

		{Method: "GET", Path: cards, Access: read, Handler: h.listCards},
		{Method: "POST", Path: cards, Access: write, Handler: h.createCard},
		{Method: "PATCH", Path: cards + "/:id", Access: write, Handler: h.updateCard},
		{Method: "DELETE", Path: cards + "/:id", Access: write, Handler: h.deleteCard},
	}
}

// eventProject is the number under which the engine knows the project in the
// path.
func (h *Handlers) eventProject(r *web.Request) (event.Project, error) {
	project, err := h.DB.FindProject(r.Param("k"))
	if err == nil && r.Route.Access.Kind != web.Public {
		project, err = r.Reached(project, nil)
	}
	if err != nil {
		return 0, err
	}
	return event.Project(project.ID), nil
}

// subject checks an identifier of a sender.
func (p *problems) subject(text string) string {
	if n := utf8.RuneCountInString(text); n < 1 || n > 128 || !utf8.ValidString(text) {
		p.Add("distinct_id must have 1 to 128 characters")
	}
	return text
}

// EventView is an event as its sender may see it.
type EventView struct {
	Name            string             `json:"event_name"`
	ID              string             `json:"event_id"`
	SessionID       *string            `json:"session_id"`
	OccurredAt      int64              `json:"occurred_at"`
	ReceivedAt      int64              `json:"received_at"`
	Properties      json.RawMessage    `json:"properties"`
	IP              *string            `json:"ip"`
	UserAgent       *string            `json:"user_agent"`
	CountryCode     *string            `json:"country_code"`
	CountryName     *string            `json:"country_name"`
	RegionName      *string            `json:"region_name"`
	City            *string            `json:"city"`
	Platform        *platform.Platform `json:"platform"`
	PlatformVersion *string            `json:"platform_version"`
}

// ViewEvent shows an event to its sender.
func ViewEvent(e *event.Event) EventView {
	c := &e.Client
	v := EventView{
		Name: e.Name, ID: e.ID, SessionID: NilIfEmpty(&e.Session), OccurredAt: e.At, ReceivedAt: e.Received, Properties: e.Properties,
		IP: NilIfEmpty(&c.Address), UserAgent: NilIfEmpty(&c.UserAgent),
		CountryCode: NilIfEmpty(&c.Region), CountryName: NilIfEmpty(&c.CountryName), RegionName: NilIfEmpty(&c.RegionName), City: NilIfEmpty(&c.City),
		PlatformVersion: NilIfEmpty(&c.PlatformVersion),
	}
	if c.Platform != "" {
		v.Platform = &c.Platform
	}
	return v
}

// NilIfEmpty is the text, or nil when it is empty.
func NilIfEmpty(text *string) *string {
	if *text == "" {
		return nil
	}
	return text
}

// exportSubject answers with everything that is stored of a sender, however much
// it is.
func (h *Handlers) exportSubject(w http.ResponseWriter, r *web.Request) error {
	var p problems
	subject := p.subject(r.Query("distinct_id"))
	if err := p.Err(); err != nil {
		return err
	}
	project, err := h.eventProject(r)
	if err != nil {
		return err
	}
	defer web.NoWriteDeadline(w)()
	out := &export{to: w}
	if err := out.begin(subject); err != nil {
		return err
	}
	if err = h.Events.Export(r.Context(), project, subject, out.add); err == nil {
		return out.end()
	}
	if !out.sent {
		return err
	}
	// A part of the answer is on its way. That it ends without its last bytes
	// tells the client that it is not the whole.
	if r.Context().Err() == nil && !out.broken {
		h.Log.Error("export interrupted", "error", err, "id", r.ID)
	}
	panic(http.ErrAbortHandler)
}

// export is an answer that is sent piece by piece, so that no more than a piece
// of it is ever in memory.
type export struct {
	to      http.ResponseWriter
	waiting bytes.Buffer
	events  int
	sent    bool // some of it
	broken  bool // the client has gone
}

// exportPiece is the number of bytes that are sent at a time.
const exportPiece = 64 << 10

func (x *export) begin(subject string) error {
	name, err := web.Encode(subject)
	if err != nil {
		return err
	}
	x.waiting.WriteString(`{"distinct_id":`)
	x.waiting.Write(name)
	x.waiting.WriteString(`,"data":[`)
	return nil
}

func (x *export) add(e *event.Event) error {
	one, err := web.Encode(ViewEvent(e))
	if err != nil {
		return err
	}
	if x.events++; x.events > 1 {
		x.waiting.WriteByte(',')
	}
	x.waiting.Write(one)
	if x.waiting.Len() < exportPiece {
		return nil
	}
	return x.flush()
}

// flush sends what waits. A line that is slower than any other answer may be
// ends it.
func (x *export) flush() error {
	if !x.sent {
		x.sent = true
		x.to.Header()["Content-Type"] = web.ContentTypeJSON
		x.to.WriteHeader(http.StatusOK)
	}
	deadline := time.Now().Add(time.Duration(30+x.waiting.Len()/web.MinBytesPerSecond) * time.Second)
	_ = http.NewResponseController(x.to).SetWriteDeadline(deadline) // in process there is no slow client
	_, err := x.waiting.WriteTo(x.to)
	x.broken = err != nil
	return err
}

// end completes the answer. One that is short goes out in one piece.
func (x *export) end() error {
	total, err := web.Encode(x.events)
	if err != nil {
		return err
	}
	x.waiting.WriteString(`],"total":`)
	x.waiting.Write(total)
	x.waiting.WriteByte('}')
	if !x.sent {
		web.WriteJSON(x.to, http.StatusOK, x.waiting.Bytes())
		return nil
	}
	_ = x.flush() // an error means that the client has gone
	return nil
}

func (h *Handlers) eraseOwnEvents(w http.ResponseWriter, r *web.Request) error {
	return h.erase(w, r, r.Query("distinct_id"))
}

func (h *Handlers) eraseSubject(w http.ResponseWriter, r *web.Request) error {
	return h.erase(w, r, r.Param("distinct_id"))
}

// erase deletes the events of a sender. Once begun it goes on without its
// client, who may have closed the app.
func (h *Handlers) erase(w http.ResponseWriter, r *web.Request, name string) error {
	var p problems
	subject := p.subject(name)
	if err := p.Err(); err != nil {
		return err
	}
	project, err := h.eventProject(r)
	if err != nil {
		return err
	}
	done := web.NoWriteDeadline(w)
	n, err := h.Events.DeleteSubject(context.WithoutCancel(r.Context()), project, subject)
	done()
	if err != nil {
		return err
	}
	return web.Respond(w, http.StatusOK, struct {
		Success bool  `json:"success"`
		Deleted int64 `json:"deleted"`
	}{true, n})
}
