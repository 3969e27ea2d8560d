package api

import (
	"bytes"
	"encoding/json"
	"strings"

	"svc/internal/event"
	"svc/internal/fault"
	"svc/internal/platform"
	"svc/internal/stats"
	"svc/store"
)

func (im *importer) definition(raw json.RawMessage) error {
	var in definitionInput
	var more struct {
		ID        Optional[string]  `json:"event_definition_id"`
		Name      Optional[string]  `json:"name"`
		FirstSeen Optional[integer] `json:"first_seen_time"`
		LastSeen  Optional[integer] `json:"last_seen_time"`
	}
	fill(&in, raw)
	fill(&more, raw)
	var p problems
	in.check(&p)
	p.eventName("name", more.Name)
	p.text("event_definition_id", more.ID, textRule{})
	if id, ok := store.ParseID(more.ID.or("")); more.ID.Value != nil && (!ok || id.String() != *more.ID.Value) {
		p.add("event_definition_id must be a UUID of 36 characters in lower case")
	}
	p.past("first_seen_time", more.FirstSeen, im.now.Unix(), false)
	p.past("last_seen_time", more.LastSeen, im.now.Unix(), false)
	if err := p.err(); err != nil {
		return err
	}
	d := event.Definition{ID: more.ID.or(""), Name: *more.Name.Value, FirstSeen: int64(more.FirstSeen.or(0)), LastSeen: int64(more.LastSeen.or(0))}
	if d.FirstSeen > d.LastSeen {
		return fault.New(fault.Invalid, "first_seen_time must not be after last_seen_time")
	}
	in.apply(&d)
	if im.names[d.Name] {
		return fault.New(fault.Invalid, "name %s is there twice", quote(d.Name))
	}
	im.names[d.Name] = true
	im.definitions = append(im.definitions, d)
	return nil
}

// eventName checks a name of events as it is stored.
func (p *problems) eventName(field string, o Optional[string]) {
	if o.Value == nil || !event.NameFits(*o.Value) {
		p.add("%s must be 1 to 64 of a to z, 0 to 9, _ . : and -", field)
	}
}

// past checks a moment that must not lie in the future.
func (p *problems) past(field string, o Optional[integer], now int64, required bool) {
	switch {
	case required && o.Value == nil && !o.Wrong:
		p.add("%s is required", field)
	case o.Value != nil && int64(*o.Value) > now+ahead:
		p.add("%s must not lie in the future", field)
	default:
		p.moment(field, o, false)
	}
}

// eventLine is an event as it is read. What the interface takes as well stays as
// it is written, for the decoder of the interface.
type eventLine struct {
	subject, session, id, name, at, properties json.RawMessage
}

// batch is the line as an app would send it.
func (l *eventLine) batch() []byte {
	var b bytes.Buffer
	field := func(name string, raw json.RawMessage) {
		b.WriteString(name)
		if raw == nil {
			raw = json.RawMessage("null")
		}
		b.Write(raw)
	}
	field(`{"distinct_id":`, l.subject)
	field(`,"session_id":`, l.session)
	field(`,"events":[{"event_id":`, l.id)
	field(`,"name":`, l.name)
	field(`,"occurred_at":`, l.at)
	field(`,"properties":`, l.properties)
	b.WriteString("}]}")
	return b.Bytes()
}

func (im *importer) event(raw json.RawMessage) error {
	var line eventLine
	places := map[string]*json.RawMessage{
		"distinct_id": &line.subject, "session_id": &line.session, "event_id": &line.id, "event_name": &line.name,
		"occurred_at": &line.at, "properties": &line.properties,
	}
	eachField(raw, func(name []byte, value json.RawMessage) {
		if at := places[string(name)]; at != nil {
			*at = value
		}
	})
	var in struct {
		Received        Optional[integer] `json:"received_at"`
		Platform        Optional[string]  `json:"platform"`
		PlatformVersion Optional[string]  `json:"platform_version"`
	}
	fill(&in, raw)
	var p problems
	var sent event.Submission
	for _, text := range event.DecodeSubmission(line.batch(), 1, &sent) {
		p.add("%s", strings.NewReplacer("events[0].name", "event_name", "events[0].", "").Replace(text))
	}
	p.past("received_at", in.Received, im.now.Unix(), false)
	on := p.platform(in.Platform)
	p.text("platform_version", in.PlatformVersion, textRule{max: 32})
	from := p.sender(raw)
	if country := from.CountryCode; country != nil && stats.ParseRegion(*country) == 0 {
		p.add("country_code must be two capital letters or LOCAL")
	}
	if len(sent.Items) == 1 {
		at := Optional[integer]{Sent: true}
		if item := &sent.Items[0]; item.HasTime {
			seconds := integer(item.At)
			at.Value = &seconds
		}
		p.past("occurred_at", at, im.now.Unix(), true)
		if !sent.Items[0].Usable {
			p.eventName("event_name", Optional[string]{})
		}
	}
	if err := p.err(); err != nil {
		return err
	}
	item := &sent.Items[0]
	b := &event.Batch{
		Project: event.Project(im.into.Project()), Received: int64(in.Received.or(integer(item.At))), Subject: sent.Subject, Session: sent.Session,
		Client: event.Client{
			PlatformVersion: in.PlatformVersion.or(""), Region: text(from.CountryCode), CountryName: text(from.CountryName),
			RegionName: text(from.RegionName), City: text(from.City), Address: text(from.IP), UserAgent: text(from.UserAgent),
		},
		Items: []event.Item{{ID: item.ID, Name: item.Name, At: item.At, Properties: item.Properties}},
	}
	if on != nil {
		b.Client.Platform = *on
	}
	im.batches = append(im.batches, b)
	return nil
}

// counterInput is what all hourly counters have.
type counterInput struct {
	Hour     Optional[integer] `json:"hour"`
	Platform Optional[string]  `json:"platform"`
	Region   Optional[string]  `json:"region"`
	Offset   Optional[integer] `json:"utc_offset_minutes"`
	Count    Optional[integer] `json:"count"`
}

// counted is a checked counterInput.
type counted struct {
	hour     int64
	platform platform.Platform
	region   stats.Region
	offset   stats.Offset
	n        int64
}

func (p *problems) counter(raw json.RawMessage, now int64) counted {
	var in counterInput
	fill(&in, raw)
	p.past("hour", in.Hour, now, true)
	c := counted{hour: int64(in.Hour.or(0)), n: int64(in.Count.or(0)), platform: platform.Others}
	if c.hour%3600 != 0 {
		p.add("hour must be the Unix second at which an hour begins, a multiple of 3600")
	}
	if on := p.platform(in.Platform); on != nil {
		c.platform = *on
	}
	p.text("region", in.Region, textRule{})
	if region := in.Region.or("UNKNOWN"); region != "UNKNOWN" {
		if c.region = stats.ParseRegion(region); c.region == 0 {
			p.add("region must be two capital letters, LOCAL or UNKNOWN")
		}
	}
	if minutes := in.Offset; minutes.Wrong || minutes.Value != nil {
		if c.offset = stats.OffsetOf(int(minutes.or(1))); c.offset == 0 {
			p.add("utc_offset_minutes must be a multiple of 15 from -720 to 840, or null")
		}
	}
	if c.n < 1 || c.n > latest {
		p.add("count must be an integer from 1 to %d", int64(latest))
	}
	return c
}

func (im *importer) counter(raw json.RawMessage) error {
	var in struct {
		Name Optional[string] `json:"event_name"`
	}
	fill(&in, raw)
	var p problems
	p.eventName("event_name", in.Name)
	c := p.counter(raw, im.now.Unix())
	if err := p.err(); err != nil {
		return err
	}
	im.counts = append(im.counts, event.Count{Hour: c.hour, Name: *in.Name.Value, Platform: c.platform, Region: c.region, Offset: c.offset, N: c.n})
	return nil
}

func (im *importer) requests(raw json.RawMessage) error {
	var in struct {
		Endpoint Optional[string] `json:"endpoint"`
		Province Optional[string] `json:"province_code"`
		City     Optional[string] `json:"city_code"`
	}
	fill(&in, raw)
	var p problems
	c := p.counter(raw, im.now.Unix())
	endpoint, ok := store.ParseEndpoint(in.Endpoint.or(""))
	if !ok {
		p.add("endpoint must be one of %s", strings.Join(store.EndpointNames(), ", "))
	}
	for _, code := range []struct {
		field string
		Optional[string]
	}{{"province_code", in.Province}, {"city_code", in.City}} {
		if digits := code.or(""); code.Wrong || digits != "" && (len(digits) != 6 || strings.Trim(digits, "0123456789") != "") {
			p.add("%s must be six digits, or empty", code.field)
		}
	}
	if err := p.err(); err != nil {
		return err
	}
	place := store.NewPlace(c.region.String(), in.Province.or(""), in.City.or(""))
	im.hits[store.CountRequest(im.into.Project(), store.Hour(c.hour/3600), store.NewRequest(endpoint, c.platform, place, c.offset))] += uint64(c.n)
	return nil
}

// systems reads counters of versions.
func (im *importer) systems(counter func(store.ProjectID, store.Hour, platform.Platform, string) store.RequestCounter) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		var in struct {
			Version Optional[string] `json:"version"`
		}
		fill(&in, raw)
		var p problems
		c := p.counter(raw, im.now.Unix())
		p.text("version", in.Version, textRule{max: 64})
		if err := p.err(); err != nil {
			return err
		}
		im.hits[counter(im.into.Project(), store.Hour(c.hour/3600), c.platform, in.Version.or(""))] += uint64(c.n)
		return nil
	}
}
