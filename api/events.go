package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"
	"unicode/utf8"

	"svc/internal/event"
	"svc/internal/limit"
	"svc/internal/platform"
)

// Where the address of a client goes when an event is stored.
const (
	IPAnonymized = "anonymized" // without its last part
	IPFull       = "full"
	IPNone       = "none"
)

func (s *Server) eventRoutes() []route {
	const (
		public = v1 + "/public/:k/events"
		all    = v1 + "/admin/projects/:k/events"
		one    = all + "/definitions/:id"
		cards  = all + "/dashboards/cards"
	)
	read, write := key("events:read"), key("events:write")
	return []route{
		{method: "GET", path: v1 + "/events/_status", access: anyone(), handler: moduleStatus("events")},
		s.limited(route{method: "POST", path: public, access: anyone(), handler: s.ingestEvents, counts: "EVENT_INGEST"}),
		seldom(route{method: "GET", path: public + "/me", access: anyone(), handler: s.exportSubject, private: true}),
		seldom(route{method: "DELETE", path: public + "/me", access: anyone(), handler: s.eraseOwnEvents, private: true}),
		{method: "DELETE", path: all + "/subjects/:distinct_id", access: write, handler: s.eraseSubject},

		{method: "GET", path: all + "/definitions", access: read, handler: s.listDefinitions},
		{method: "PATCH", path: one, access: write, handler: s.updateDefinition},
		{method: "DELETE", path: one, access: write, handler: s.deleteDefinition},

		{method: "GET", path: all + "/stats/overview", access: read, handler: s.eventOverview},
		{method: "GET", path: all + "/stats/timeseries", access: read, handler: s.eventSeries},
		{method: "GET", path: all + "/stats/breakdown", access: read, handler: s.eventBreakdown},
		{method: "GET", path: all + "/stats/heatmap", access: read, handler: s.eventHeatmap},

		{method: "POST", path: all + "/analysis/funnel", access: read, handler: s.analyseFunnel},
		{method: "POST", path: all + "/analysis/retention", access: read, handler: s.analyseRetention},
		{method: "POST", path: all + "/analysis/paths", access: read, handler: s.analysePaths},
		{method: "POST", path: all + "/analysis/query", access: read, handler: s.analyseMetric},

		{method: "GET", path: cards, access: read, handler: s.listCards},
		{method: "POST", path: cards, access: write, handler: s.createCard},
		{method: "PATCH", path: cards + "/:id", access: write, handler: s.updateCard},
		{method: "DELETE", path: cards + "/:id", access: write, handler: s.deleteCard},
	}
}

// seldom lets an address call a route ten times an hour.
func seldom(r route) route {
	r.limits, r.per = limit.NewWindows(10, time.Hour, limitedAddresses), "an hour"
	return r
}

// eventProject is the number under which the engine knows the project in the
// path.
func (s *Server) eventProject(r *request) (event.Project, error) {
	project, err := s.db.FindProject(r.param("k"))
	if err == nil && r.route.access.kind != public {
		project, err = r.reached(project, nil)
	}
	if err != nil {
		return 0, err
	}
	return event.Project(project.ID), nil
}

// subject checks an identifier of a sender.
func (p *problems) subject(text string) string {
	if n := utf8.RuneCountInString(text); n < 1 || n > 128 || !utf8.ValidString(text) {
		p.add("distinct_id must have 1 to 128 characters")
	}
	return text
}

// unhurried lifts the time limit of an answer for work that may take longer, and
// returns what sets it again once there is an answer.
func unhurried(w http.ResponseWriter) (done func()) {
	wire := http.NewResponseController(w)
	_ = wire.SetWriteDeadline(time.Time{}) // in process there is none
	return func() { _ = wire.SetWriteDeadline(time.Now().Add(30 * time.Second)) }
}

// eventView is an event as its sender may see it.
type eventView struct {
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

func viewEvent(e *event.Event) eventView {
	c := &e.Client
	v := eventView{
		Name: e.Name, ID: e.ID, SessionID: known(&e.Session), OccurredAt: e.At, ReceivedAt: e.Received, Properties: e.Properties,
		IP: known(&c.Address), UserAgent: known(&c.UserAgent),
		CountryCode: known(&c.Region), CountryName: known(&c.CountryName), RegionName: known(&c.RegionName), City: known(&c.City),
		PlatformVersion: known(&c.PlatformVersion),
	}
	if c.Platform != "" {
		v.Platform = &c.Platform
	}
	return v
}

// known is the text, or nil when it is empty.
func known(text *string) *string {
	if *text == "" {
		return nil
	}
	return text
}

// exportSubject answers with everything that is stored of a sender, however much
// it is.
func (s *Server) exportSubject(w http.ResponseWriter, r *request) error {
	var p problems
	subject := p.subject(r.query("distinct_id"))
	if err := p.err(); err != nil {
		return err
	}
	project, err := s.eventProject(r)
	if err != nil {
		return err
	}
	defer unhurried(w)()
	out := &export{to: w}
	if err := out.begin(subject); err != nil {
		return err
	}
	if err = s.config.Events.Export(r.Context(), project, subject, out.add); err == nil {
		return out.end()
	}
	if !out.sent {
		return err
	}
	// A part of the answer is on its way. That it ends without its last bytes
	// tells the client that it is not the whole.
	if r.Context().Err() == nil && !out.broken {
		s.log.Error("export cut off", "error", err, "id", r.id)
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
	name, err := encode(subject)
	if err != nil {
		return err
	}
	x.waiting.WriteString(`{"distinct_id":`)
	x.waiting.Write(name)
	x.waiting.WriteString(`,"data":[`)
	return nil
}

func (x *export) add(e *event.Event) error {
	one, err := encode(viewEvent(e))
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
		x.to.Header()["Content-Type"] = contentTypeJSON
		x.to.WriteHeader(http.StatusOK)
	}
	deadline := time.Now().Add(time.Duration(30+x.waiting.Len()/slowest) * time.Second)
	_ = http.NewResponseController(x.to).SetWriteDeadline(deadline) // in process there is no slow client
	_, err := x.waiting.WriteTo(x.to)
	x.broken = err != nil
	return err
}

// end completes the answer. One that is short goes out in one piece.
func (x *export) end() error {
	total, err := encode(x.events)
	if err != nil {
		return err
	}
	x.waiting.WriteString(`],"total":`)
	x.waiting.Write(total)
	x.waiting.WriteByte('}')
	if !x.sent {
		write(x.to, http.StatusOK, x.waiting.Bytes())
		return nil
	}
	_ = x.flush() // an error means that the client has gone
	return nil
}

func (s *Server) eraseOwnEvents(w http.ResponseWriter, r *request) error {
	return s.erase(w, r, r.query("distinct_id"))
}

func (s *Server) eraseSubject(w http.ResponseWriter, r *request) error {
	return s.erase(w, r, r.param("distinct_id"))
}

// erase deletes the events of a sender. Once begun it goes on without its
// client, who may have closed the app.
func (s *Server) erase(w http.ResponseWriter, r *request, name string) error {
	var p problems
	subject := p.subject(name)
	if err := p.err(); err != nil {
		return err
	}
	project, err := s.eventProject(r)
	if err != nil {
		return err
	}
	done := unhurried(w)
	n, err := s.config.Events.DeleteSubject(context.WithoutCancel(r.Context()), project, subject)
	done()
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, struct {
		Success bool  `json:"success"`
		Deleted int64 `json:"deleted"`
	}{true, n})
}
