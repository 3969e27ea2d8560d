package api

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"svc/internal/event"
	"svc/internal/fault"
	"svc/internal/origin"
	"svc/store"
)

// ahead is how far a time may lie ahead of the server's clock and still be
// believed.
const ahead = 300 // seconds

// ingestedView is the answer to a batch.
type ingestedView struct {
	Accepted   int            `json:"accepted"`
	Skipped    int            `json:"skipped"`
	Suppressed bool           `json:"suppressed"`
	Rejected   []rejectedView `json:"rejected,omitempty"`
}

// rejectedView says what is wrong with an event of a batch, by its place.
type rejectedView struct {
	Index   int    `json:"index"`
	Message string `json:"message"`
}

// submissions are used again: their lists are what most of the memory of a batch
// would go into.
var submissions = sync.Pool{New: func() any { return new(event.Submission) }}

// ingestEvents takes a batch. Events that break a rule are left out; the others
// are on disk before the answer.
func (s *Server) ingestEvents(w http.ResponseWriter, r *request) error {
	sent := submissions.Get().(*event.Submission)
	defer submissions.Put(sent)
	if err := s.decodeBatch(r, sent); err != nil {
		return err
	}
	r.said = origin.Source{Platform: origin.Text(sent.Platform), Version: origin.Text(sent.PlatformVersion)}
	r.clock, r.untracked = origin.Text(sent.ClientTime), doNotTrack(r.Header)
	project, err := s.db.FindProject(r.param("k"))
	if err != nil {
		return err
	}
	answer := ingestedView{Suppressed: r.untracked || !project.CollectEvents}
	for _, one := range sent.Rejected {
		answer.Rejected = append(answer.Rejected, rejectedView(one))
	}
	if !answer.Suppressed {
		if answer.Accepted, err = s.storeBatch(r, project.ID, sent); err != nil {
			return err
		}
	}
	answer.Skipped = len(sent.Items) + len(sent.Rejected) - answer.Accepted
	return respond(w, http.StatusAccepted, answer)
}

// decodeBatch reads the body, whatever its content type says it is: beacons are
// sent as plain text.
func (s *Server) decodeBatch(r *request, into *event.Submission) error {
	body, err := r.body()
	if err != nil {
		return err
	}
	broken := event.DecodeSubmission(body, s.config.EventBatchMax, into)
	if len(broken) == 0 {
		return nil
	}
	if _, err := r.object(); err != nil { // one text, where there are no fields to speak of
		return err
	}
	return fault.Validation(broken...)
}

// doNotTrack reports whether the client asks to be left out.
func doNotTrack(h http.Header) bool {
	switch strings.ToLower(strings.TrimSpace(h.Get("X-Svc-Do-Not-Track"))) {
	case "1", "true", "yes":
		return true
	}
	return false
}

// storeBatch stores the usable events and returns how many were new.
func (s *Server) storeBatch(r *request, project store.ProjectID, sent *event.Submission) (accepted int, err error) {
	clock := clientClock(r)
	received := r.received.Unix()
	batch := event.Batch{
		Project: event.Project(project), Received: received, Subject: sent.Subject, Session: sent.Session,
		OffsetMinutes: clock.OffsetMinutes, OffsetKnown: clock.OffsetKnown,
		Items: make([]event.Item, 0, len(sent.Items)),
	}
	correction := int64(clock.Correction() / time.Second)
	earliest := max(0, received-int64(s.config.EventClockSkew/time.Second))
	for i := range sent.Items {
		item := &sent.Items[i]
		if !item.Usable {
			continue
		}
		at := received
		if item.HasTime && item.At <= latest {
			if at = item.At + correction; at < earliest || at > received+ahead {
				at = received
			}
		}
		batch.Items = append(batch.Items, event.Item{ID: item.ID, Name: item.Name, At: at, Properties: item.Properties})
	}
	if len(batch.Items) == 0 {
		return 0, nil
	}
	batch.Client = s.eventClient(r)
	return s.config.Events.Ingest(&batch)
}

// clientClock is what the client says about its time: in the header, else in the
// body, as beacons do, which have no headers of their own.
func clientClock(r *request) origin.Clock {
	said := headerText(r, "X-Svc-Client-Time")
	if !said.Sent {
		said = r.clock
	}
	if !said.Sent {
		return origin.Clock{}
	}
	return origin.ClientTime(said.Value, r.received)
}

// eventClient is what is stored of the client of an event.
func (s *Server) eventClient(r *request) event.Client {
	place := s.config.Geo.Place(r.addr)
	system := s.counts.system(r).Stored()
	return event.Client{
		Platform: system.Platform, PlatformVersion: system.Version,
		Region: place.CountryCode, CountryName: place.CountryName, RegionName: place.RegionName, City: place.City,
		Address: storedAddress(r.addr, s.config.EventIPStorage), UserAgent: shorten(strings.TrimSpace(r.UserAgent()), 512),
	}
}

// storedAddress is an address as events are stored with it. Without its last
// part it is that of a network: of IPv4 the last 8 bits are zero, of IPv6 the
// last 80, written in full, as 2001:db8:1:0:0:0:0:0.
func storedAddress(a netip.Addr, storage string) string {
	a = a.Unmap()
	switch {
	case !a.IsValid() || storage == IPNone:
		return ""
	case storage == IPFull:
		return a.String()
	case a.Is4():
		b := a.As4()
		b[3] = 0
		return netip.AddrFrom4(b).String()
	}
	b := a.As16()
	return fmt.Sprintf("%x:%x:%x:0:0:0:0:0", uint(b[0])<<8|uint(b[1]), uint(b[2])<<8|uint(b[3]), uint(b[4])<<8|uint(b[5]))
}
