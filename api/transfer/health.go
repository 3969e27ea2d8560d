package transfer

import (
	"encoding/json"
	"maps"
	"slices"

	"svc/api/analytics"
	"svc/api/web"
	"svc/store"
)

// exportHealth returns the health counts of a version in a bucket of time.
func exportHealth(version string, at int64, c store.HealthCount) exportedHealth {
	events := maps.Clone(c.Failures)
	delete(events, "")
	return exportedHealth{version, at, c.Addresses, c.Users, c.Failures[""], events}
}

// health reads a line with the health counts of a version in a bucket of time.
func (im *importer) health(raw json.RawMessage) error {
	var in struct {
		Version   web.Optional[string]                 `json:"version"`
		Time      web.Optional[web.Integer]            `json:"t"`
		Addresses web.Optional[web.Integer]            `json:"addresses"`
		Users     web.Optional[web.Integer]            `json:"users"`
		ErrorLogs web.Optional[web.Integer]            `json:"error_logs"`
		Events    web.Optional[map[string]web.Integer] `json:"events"`
	}
	web.Fill(&in, raw)
	var p problems
	version := in.Version.Or("")
	if !im.versions[version] {
		p.Add("version must be a version of the project")
	}
	p.Past("t", in.Time, im.now.Unix(), true)
	c := store.HealthCount{Failures: map[string]int64{}}
	// part checks a number of addresses or users, which must not exceed total.
	part := func(field string, value web.Optional[web.Integer], total int64) int64 {
		n := int64(value.Or(0))
		if value.Wrong || n < 0 || n > total {
			p.Add("%s must be an integer from 0 to %d", field, total)
		}
		return n
	}
	c.Addresses, c.Users = part("addresses", in.Addresses, web.MaxTime), part("users", in.Users, web.MaxTime)
	if n := part("error_logs", in.ErrorLogs, c.Addresses); n > 0 {
		c.Failures[""] = n
	}
	if in.Events.Wrong {
		p.Add("events must be an object with a number for each name of an event")
	}
	events := in.Events.Or(nil)
	for _, name := range slices.Sorted(maps.Keys(events)) {
		analytics.CheckEventName(&p.Problems, "events: the name", web.Optional[string]{Sent: true, Value: &name})
		if n := int64(events[name]); n < 1 || n > c.Users {
			p.Add("events: %s must be an integer from 1 to %d", web.Quote(name), c.Users)
		}
		c.Failures[name] = int64(events[name])
	}
	if err := p.Err(); err != nil {
		return err
	}
	at := int64(in.Time.Or(0))
	im.later(func(t *store.ImportTx) error { return t.Health(version, at, c) })
	return nil
}
