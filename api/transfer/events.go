package transfer

import (
	"bytes"
	"encoding/json"
	"strings"

	"svc/api/analytics"
	"svc/api/resource"
	"svc/api/web"
	"svc/internal/event"
	"svc/internal/event/submission"
	"svc/internal/platform"
	"svc/internal/stats"
	"svc/store"
)

func (im *importer) event(raw json.RawMessage) error {
	var in struct {
		Received        web.Optional[web.Integer] `json:"received_at"`
		Platform        web.Optional[string]      `json:"platform"`
		PlatformVersion web.Optional[string]      `json:"platform_version"`
	}
	web.Fill(&in, raw)
	var p problems
	record, faults := submission.DecodeRecord(raw)
	p.List = append(p.List, faults...)
	p.Past("received_at", in.Received, im.now.Unix(), false)
	on := p.Platform(in.Platform)
	p.Text("platform_version", in.PlatformVersion, web.TextRule{Max: 32})
	from := resource.ReadSender(&p.Problems, raw)
	if country := from.CountryCode; country != nil && stats.ParseRegion(*country) == 0 {
		p.Add("country_code must be two capital letters or LOCAL")
	}
	item := &record.Event
	if at := web.Integer(item.At); item.HasTime {
		p.Past("occurred_at", web.Optional[web.Integer]{Sent: true, Value: &at}, im.now.Unix(), true)
	}
	if err := p.Err(); err != nil {
		return err
	}
	b := &event.Batch{
		Project: event.Project(im.into.Project()), Received: int64(in.Received.Or(web.Integer(item.At))), Subject: record.Subject,
		Session: record.Session,
		Client: submission.Client{
			PlatformVersion: in.PlatformVersion.Or(""), Region: web.OrEmpty(from.CountryCode), CountryName: web.OrEmpty(from.CountryName),
			RegionName: web.OrEmpty(from.RegionName), City: web.OrEmpty(from.City), Address: web.OrEmpty(from.IP),
			UserAgent: web.OrEmpty(from.UserAgent),
		},
		// The line is in a reused buffer, and the properties share its memory.
		Items: []submission.Item{{ID: item.ID, Name: item.Name, At: item.At, Properties: bytes.Clone(item.Properties)}},
	}
	if on != nil {
		b.Client.Platform = *on
	}
	im.batches = append(im.batches, b)
	return nil
}

// counterInput contains the fields that are common to all hourly counters.
type counterInput struct {
	Hour     web.Optional[web.Integer] `json:"hour"`
	Platform web.Optional[string]      `json:"platform"`
	Region   web.Optional[string]      `json:"region"`
	Offset   web.Optional[web.Integer] `json:"utc_offset_minutes"`
	Count    web.Optional[web.Integer] `json:"count"`
}

// counted contains the validated fields of a counterInput.
type counted struct {
	hour     int64
	platform platform.Platform
	region   stats.Region
	offset   stats.Offset
	n        int64
}

func (p *problems) counter(raw json.RawMessage, now int64) counted {
	var in counterInput
	web.Fill(&in, raw)
	p.Past("hour", in.Hour, now, true)
	c := counted{hour: int64(in.Hour.Or(0)), n: int64(in.Count.Or(0)), platform: platform.Others}
	if c.hour%3600 != 0 {
		p.Add("hour must be the Unix second at which an hour begins, a multiple of 3600")
	}
	if on := p.Platform(in.Platform); on != nil {
		c.platform = *on
	}
	p.Text("region", in.Region, web.TextRule{})
	if region := in.Region.Or("UNKNOWN"); region != "UNKNOWN" {
		if c.region = stats.ParseRegion(region); c.region == 0 {
			p.Add("region must be two capital letters, LOCAL or UNKNOWN")
		}
	}
	if minutes := in.Offset; minutes.Wrong || minutes.Value != nil {
		if c.offset = stats.OffsetOf(int(minutes.Or(1))); c.offset == 0 {
			p.Add("utc_offset_minutes must be a multiple of 15 from -720 to 840, or null")
		}
	}
	if c.n < 1 || c.n > web.MaxTime {
		p.Add("count must be an integer from 1 to %d", int64(web.MaxTime))
	}
	return c
}

func (im *importer) counter(raw json.RawMessage) error {
	var in struct {
		Name web.Optional[string] `json:"event_name"`
	}
	web.Fill(&in, raw)
	var p problems
	analytics.CheckEventName(&p.Problems, "event_name", in.Name)
	c := p.counter(raw, im.now.Unix())
	if err := p.Err(); err != nil {
		return err
	}
	im.counts = append(im.counts,
		event.Count{Hour: c.hour, Name: *in.Name.Value, Platform: c.platform, Region: c.region, Offset: c.offset, N: c.n})
	return nil
}

func (im *importer) requests(raw json.RawMessage) error {
	var in struct {
		Endpoint web.Optional[string] `json:"endpoint"`
		Province web.Optional[string] `json:"province_code"`
		City     web.Optional[string] `json:"city_code"`
	}
	web.Fill(&in, raw)
	var p problems
	c := p.counter(raw, im.now.Unix())
	endpoint, ok := store.ParseEndpoint(in.Endpoint.Or(""))
	if !ok {
		p.Add("endpoint must be one of %s", strings.Join(store.EndpointNames(), ", "))
	}
	for _, code := range []struct {
		field string
		web.Optional[string]
	}{{"province_code", in.Province}, {"city_code", in.City}} {
		if digits := code.Or(""); code.Wrong || digits != "" && (len(digits) != 6 || strings.Trim(digits, "0123456789") != "") {
			p.Add("%s must be six digits, or empty", code.field)
		}
	}
	if err := p.Err(); err != nil {
		return err
	}
	place := store.NewPlace(c.region.String(), in.Province.Or(""), in.City.Or(""))
	im.hits[store.CountRequest(im.into.Project(), store.Hour(c.hour/3600),
		store.NewRequest(endpoint, c.platform, place, c.offset))] += uint64(c.n)
	return nil
}

// systems returns a function that reads a line with the number of requests from one version of a
// system or of the app. The function counter returns the key under which the request statistics
// count that version.
func (im *importer) systems(
	counter func(store.ProjectID, store.Hour, platform.Platform, string) store.RequestCounter,
) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		var in struct {
			Version web.Optional[string] `json:"version"`
		}
		web.Fill(&in, raw)
		var p problems
		c := p.counter(raw, im.now.Unix())
		p.Text("version", in.Version, web.TextRule{Max: 64})
		if err := p.Err(); err != nil {
			return err
		}
		im.hits[counter(im.into.Project(), store.Hour(c.hour/3600), c.platform, in.Version.Or(""))] += uint64(c.n)
		return nil
	}
}

// downloads reads a line with the downloads of a file on a day. The file may have been deleted since.
func (im *importer) downloads(raw json.RawMessage) error {
	var in struct {
		Day    web.Optional[web.Integer] `json:"day"`
		FileID web.Optional[string]      `json:"file_id"`
		Count  web.Optional[web.Integer] `json:"count"`
	}
	web.Fill(&in, raw)
	var p problems
	p.Past("day", in.Day, im.now.Unix(), true)
	day, n := int64(in.Day.Or(0)), int64(in.Count.Or(0))
	if day%(24*3600) != 0 {
		p.Add("day must be the Unix second at which a day of UTC begins, a multiple of 86400")
	}
	p.Text("file_id", in.FileID, web.TextRule{Max: 12, Required: true, Filled: true})
	if n < 1 || n > web.MaxTime {
		p.Add("count must be an integer from 1 to %d", int64(web.MaxTime))
	}
	if err := p.Err(); err != nil {
		return err
	}
	file := store.FileID(in.FileID.Or(""))
	if renamed, ok := im.files.renamed[string(file)]; ok {
		file = renamed
	}
	im.hits[store.CountDownload(im.into.Project(), store.Hour(day/3600), file)] += uint64(n)
	return nil
}
