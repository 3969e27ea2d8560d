package analytics

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"unicode/utf8"

	"svc/api/web"
	"svc/internal/event"
	"svc/internal/platform"
	"svc/store"
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
		{
			Method: "POST", Path: public, Access: web.Anyone(), Handler: h.ingestEvents, Counts: "EVENT_INGEST", Rate: web.PublicRate, Submits: true,
			EventSender: true,
		},
		{
			Method: "GET", Path: public + "/me", Access: web.Anyone(), Handler: h.exportSubject, Private: true, Rate: web.HourlyRate,
			EventSender: true,
		},
		{
			Method: "DELETE", Path: public + "/me", Access: web.Anyone(), Handler: web.OK(h.eraseOwnEvents), Private: true, Rate: web.HourlyRate,
			EventSender: true,
		},
		{Method: "DELETE", Path: all + "/subjects/:distinct_id", Access: write, Handler: web.OK(h.eraseSubject)},

		{Method: "GET", Path: all + "/definitions", Access: read, Handler: web.OK(h.listDefinitions)},
		{Method: "GET", Path: one, Access: read, Handler: web.OK(h.getDefinition)},
		{Method: "PATCH", Path: one, Access: write, Handler: web.OK(web.Decoded(h.updateDefinition))},
		{Method: "DELETE", Path: one, Access: write, Handler: web.Done(h.deleteDefinition)},

		{Method: "GET", Path: all + "/stats/overview", Access: read, Handler: web.OK(h.eventOverview)},
		{Method: "GET", Path: all + "/stats/timeseries", Access: read, Handler: web.OK(h.eventSeries)},
		{Method: "GET", Path: all + "/stats/breakdown", Access: read, Handler: web.OK(h.eventBreakdown)},
		{Method: "GET", Path: all + "/stats/property-keys", Access: read, Handler: web.OK(h.listPropertyKeys)},
		{Method: "GET", Path: all + "/stats/heatmap", Access: read, Handler: web.OK(h.eventHeatmap)},

		{Method: "POST", Path: all + "/analysis/funnel", Reads: true, Access: read, Handler: web.OK(h.analyseFunnel)},
		{Method: "POST", Path: all + "/analysis/retention", Reads: true, Access: read, Handler: web.OK(h.analyseRetention)},
		{Method: "POST", Path: all + "/analysis/paths", Reads: true, Access: read, Handler: web.OK(h.analysePaths)},
		{Method: "POST", Path: all + "/analysis/query", Reads: true, Access: read, Handler: web.OK(h.analyseMetric)},

		{Method: "GET", Path: cards, Access: read, Handler: web.OK(h.listCards)},
		{Method: "POST", Path: cards, Access: write, Handler: web.Created(web.Decoded(h.createCard))},
		{Method: "GET", Path: cards + "/:id", Access: read, Handler: web.OK(h.getCard)},
		{Method: "PATCH", Path: cards + "/:id", Access: write, Handler: web.OK(web.Decoded(h.updateCard))},
		{Method: "DELETE", Path: cards + "/:id", Access: write, Handler: web.Done(h.deleteCard)},
	}
}

// eventProject returns the number by which the event engine identifies the project in the path.
func (p *problems) eventProject(r *web.Request, db *store.Store) (event.Project, error) {
	project, err := p.Project(r, db)
	if err != nil {
		return 0, err
	}
	return event.Project(project.ID), nil
}

// subject returns the identifier of a sender after validating it.
func (p *problems) subject(text string) string {
	if n := utf8.RuneCountInString(text); n < 1 || n > 128 || !utf8.ValidString(text) {
		p.Add("distinct_id must have 1 to 128 characters")
	}
	return text
}

// EventView is the JSON form in which a sender sees an event.
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

// ViewEvent returns the JSON form in which a sender sees an event.
func ViewEvent(e *event.Event) EventView {
	c := &e.Client
	v := EventView{
		Name: e.Name, ID: e.ID, SessionID: NilIfEmpty(&e.Session), OccurredAt: e.At, ReceivedAt: e.Received, Properties: e.Properties,
		IP: NilIfEmpty(&c.Address), UserAgent: NilIfEmpty(&c.UserAgent),
		CountryCode: NilIfEmpty(&c.Region), CountryName: NilIfEmpty(&c.CountryName), RegionName: NilIfEmpty(&c.RegionName),
		City:            NilIfEmpty(&c.City),
		PlatformVersion: NilIfEmpty(&c.PlatformVersion),
	}
	if c.Platform != "" {
		v.Platform = &c.Platform
	}
	return v
}

// NilIfEmpty returns text, or nil if *text is "".
func NilIfEmpty(text *string) *string {
	if *text == "" {
		return nil
	}
	return text
}

// exportSubject streams all stored events of a sender. Their number is not limited.
func (h *Handlers) exportSubject(w http.ResponseWriter, r *web.Request) error {
	var p problems
	subject := p.subject(r.Query("distinct_id"))
	project, err := p.eventProject(r, h.DB)
	if err != nil {
		return err
	}
	defer web.NoWriteDeadline(w)()
	name, err := web.Encode(subject)
	if err != nil {
		return err
	}
	out, events := web.NewPieces(w), 0
	if err := out.Add(fmt.Appendf(nil, `{"distinct_id":%s,"data":[`, name)); err != nil {
		return err
	}
	err = h.Events.Export(r.Context(), project, subject, func(e *event.Event) error {
		one, err := web.Encode(ViewEvent(e))
		if err != nil {
			return err
		}
		if events++; events > 1 {
			one = append([]byte{','}, one...)
		}
		return out.Add(one)
	})
	if err != nil {
		return err
	}
	return out.End(fmt.Appendf(nil, `],"total":%d}`, events))
}

func (h *Handlers) eraseOwnEvents(r *web.Request) (erasedView, error) {
	return h.erase(r, r.Query("distinct_id"))
}

func (h *Handlers) eraseSubject(r *web.Request) (erasedView, error) {
	return h.erase(r, r.Param("distinct_id"))
}

type erasedView struct {
	Success bool  `json:"success"`
	Deleted int64 `json:"deleted"`
}

// erase deletes the events of the sender with the given identifier. It continues if the client
// disconnects, because the app may have been closed.
func (h *Handlers) erase(r *web.Request, name string) (v erasedView, err error) {
	var p problems
	subject := p.subject(name)
	project, err := p.eventProject(r, h.DB)
	if err != nil {
		return v, err
	}
	defer web.NoWriteDeadline(r.Writer)()
	n, err := h.Events.DeleteSubject(context.WithoutCancel(r.Context()), project, subject)
	return erasedView{true, n}, err
}
