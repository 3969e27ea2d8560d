package analytics

import (
	"net/http"
	"strings"
	"sync"

	"svc/api/web"
	"svc/internal/event"
	"svc/internal/event/submission"
	"svc/internal/fault"
	"svc/internal/jsonscan"
	"svc/internal/proxy"
	"svc/internal/useragent"
	"svc/store"
)

// ingestedView is the JSON form of the response to a batch.
type ingestedView struct {
	Accepted   int            `json:"accepted"`
	Skipped    int            `json:"skipped"`
	Suppressed bool           `json:"suppressed"`
	NamesFull  bool           `json:"names_full,omitempty"`
	Rejected   []rejectedView `json:"rejected,omitempty"`
}

// rejectedView describes an invalid event of a batch by its index and the reason.
type rejectedView struct {
	Index   int    `json:"index"`
	Message string `json:"message"`
}

// submissions pools the structures that batches are decoded into. Their lists account for most of
// the memory that a batch needs.
var submissions = sync.Pool{New: func() any { return new(submission.Request) }}

// ingestEvents stores the valid events of a batch and skips the invalid ones. It responds when the
// stored events are on disk.
func (h *Handlers) ingestEvents(w http.ResponseWriter, r *web.Request) error {
	sent := submissions.Get().(*submission.Request)
	defer submissions.Put(sent)
	if err := h.decodeBatch(r, sent); err != nil {
		return err
	}
	said := web.Declaration{
		System: useragent.Source{Platform: useragent.Text(sent.Platform), Version: useragent.Text(sent.PlatformVersion)},
		Time:   useragent.Text(sent.ClientTime), Untracked: r.DoNotTrack(),
	}
	r.Declare(said)
	project, err := h.DB.FindProject(r.Param("k"))
	if err != nil {
		return err
	}
	answer := ingestedView{Suppressed: said.Untracked || !project.CollectEvents}
	for _, one := range sent.Rejected {
		answer.Rejected = append(answer.Rejected, rejectedView(one))
	}
	if !answer.Suppressed {
		stored, err := h.storeBatch(r, project.ID, sent)
		if err != nil {
			return err
		}
		if stored.Accepted > 0 {
			h.observeEvents(project.ID, sent)
		}
		answer.Accepted, answer.NamesFull = stored.Accepted, stored.NamesFull
	}
	answer.Skipped = len(sent.Items) + len(sent.Rejected) - answer.Accepted
	return web.Respond(w, http.StatusAccepted, answer)
}

// decodeBatch parses the body as JSON regardless of its content type, because browsers send beacons
// as plain text.
func (h *Handlers) decodeBatch(r *web.Request, into *submission.Request) error {
	body, err := r.ReadBody()
	if err != nil {
		return err
	}
	broken := submission.Decode(body, h.BatchMax, into)
	if len(broken) == 0 {
		return nil
	}
	if _, err := r.ReadObject(); err != nil { // the body is not an object: one message instead of a list
		return err
	}
	return fault.Validation(broken...)
}

// storeBatch stores the valid events of a batch.
func (h *Handlers) storeBatch(r *web.Request, project store.ProjectID, sent *submission.Request) (event.Ingested, error) {
	clock := r.Client().Clock()
	received := r.Received.Unix()
	batch := event.Batch{
		Project: event.Project(project), Received: received, Subject: sent.Subject, Session: sent.Session,
		OffsetMinutes: clock.OffsetMinutes, OffsetKnown: clock.OffsetKnown,
		Items: sent.Accept(received, clock, h.ClockSkew),
	}
	if len(batch.Items) == 0 {
		return event.Ingested{}, nil
	}
	batch.Client = h.eventClient(r)
	return h.Events.Ingest(&batch)
}

// observeEvents counts the events of a batch for the health of a rollout.
func (h *Handlers) observeEvents(p store.ProjectID, sent *submission.Request) {
	watch := h.Health.Watch(p)
	if watch == nil {
		return
	}
	for _, item := range sent.Items {
		if item.Usable {
			watch.SeeUser(sent.Subject, appVersion(item.Properties), item.Name)
		}
	}
}

// appVersion returns the property app_version of an event, or "" if there is none.
func appVersion(properties []byte) (version string) {
	jsonscan.EachMember(string(properties), func(key, value string) bool {
		if key != "app_version" {
			return true
		}
		if value != "" && value[0] == '"' {
			version = jsonscan.Unquote(value)
		}
		return false
	})
	return version
}

// eventClient returns the properties of the client that are stored with an event.
func (h *Handlers) eventClient(r *web.Request) submission.Client {
	place, system := r.Client().Place(), r.Client().System().Stored()
	return submission.Client{
		Platform: system.Platform, PlatformVersion: system.Version,
		Region: place.CountryCode, CountryName: place.CountryName, RegionName: place.RegionName, City: place.City,
		Address: proxy.StoredAddress(r.Addr, h.IPStorage), UserAgent: web.Shorten(strings.TrimSpace(r.UserAgent()), 512),
	}
}
