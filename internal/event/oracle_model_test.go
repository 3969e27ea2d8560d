package event_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"svc/internal/event"
	"svc/internal/event/query"
)

// model is a reference implementation of the engine. It implements the contract as
// plainly as possible: it stores every event as received, and every query examines all
// events. It shares only the types of the answers with the engine.
type model struct {
	projects map[event.Project]*project
}

// project is the state of one project in the model.
type project struct {
	records     []*record // all events, in the order of receipt
	counters    map[counter]int64
	definitions map[string]*event.Definition // the definitions by name; they have no IDs
	seen        map[string][]int64           // times of all events that were ever stored, by name
}

// record is one event.
type record struct {
	event.Event
	subject string
	texts   map[string]string // text forms of the properties other than null
}

// counter is the set of dimensions by which the events of a UTC hour are counted.
type counter struct {
	hour                   int64
	name, platform, region string
	offset                 int
	offsetKnown            bool
}

// of returns a project, and creates it if it does not exist.
func (m *model) of(id event.Project) *project {
	if m.projects == nil {
		m.projects = map[event.Project]*project{}
	}
	if m.projects[id] == nil {
		m.projects[id] = &project{
			counters: map[counter]int64{}, definitions: map[string]*event.Definition{}, seen: map[string][]int64{},
		}
	}
	return m.projects[id]
}

// ingest stores the new events and returns their number.
func (m *model) ingest(b *event.Batch) int {
	p := m.of(b.Project)
	accepted := 0
	for _, item := range b.Items {
		if slices.ContainsFunc(p.records, func(r *record) bool { return r.ID == item.ID }) {
			continue
		}
		accepted++
		r := &record{subject: b.Subject, texts: textForms(item.Properties), Event: event.Event{
			Name: item.Name, ID: item.ID, Session: b.Session, At: item.At,
			Received: b.Received, Properties: item.Properties, Client: b.Client,
		}}
		p.records = append(p.records, r)
		p.counters[counter{
			hour: floor(item.At, 3600, 0), name: item.Name, platform: r.platform(), region: r.region(),
			offset: b.OffsetMinutes, offsetKnown: b.OffsetKnown,
		}]++
		p.define(item.Name, item.At)
	}
	return accepted
}

// define records that an event of the given name occurred at the given time. If the
// definition was deleted, define recreates it. The new definition has no edits, but has
// the times of all events that were ever stored.
func (p *project) define(name string, at int64) {
	if p.definitions[name] == nil {
		p.definitions[name] = &event.Definition{Name: name}
	}
	p.seen[name] = append(p.seen[name], at)
	p.definitions[name].FirstSeen, p.definitions[name].LastSeen = slices.Min(p.seen[name]), slices.Max(p.seen[name])
}

// deleteSubject removes only the events of a subject.
func (p *project) deleteSubject(subject string) int64 {
	before := len(p.records)
	p.records = slices.DeleteFunc(p.records, func(r *record) bool { return r.subject == subject })
	return int64(before - len(p.records))
}

// clean removes expired events and counters.
func (p *project) clean(eventsBefore, countersBefore int64) {
	p.records = slices.DeleteFunc(p.records, func(r *record) bool { return r.At < eventsBefore })
	maps.DeleteFunc(p.counters, func(c counter, _ int64) bool { return c.hour < floor(countersBefore, 3600, 0) })
	for name := range p.seen {
		if !p.uses(name) {
			delete(p.seen, name)
			delete(p.definitions, name)
		}
	}
}

// uses reports whether a name is still needed, because its definition was edited or an
// event or a counter has the name.
func (p *project) uses(name string) bool {
	if d := p.definitions[name]; d != nil && (d.DisplayName != nil || d.Description != nil || d.Archived) {
		return true
	}
	for c := range p.counters {
		if c.name == name {
			return true
		}
	}
	return slices.ContainsFunc(p.records, func(r *record) bool { return r.Name == name })
}

// export returns all events of a subject.
func (p *project) export(subject string) []event.Event {
	var mine []event.Event
	for _, r := range inOrder(p.records) {
		if r.subject == subject {
			mine = append(mine, r.Event)
		}
	}
	return mine
}

// list returns the total number of definitions and a page of them.
func (p *project) list(q event.DefinitionsQuery) (int, []event.Definition) {
	found := []event.Definition{}
	for _, d := range p.definitions {
		matches := q.Search == ""
		for _, text := range []*string{&d.Name, d.DisplayName, d.Description} {
			matches = matches || text != nil && strings.Contains(strings.ToLower(*text), strings.ToLower(q.Search))
		}
		if !matches || d.Archived && !q.Archived {
			continue
		}
		item := *d
		for c, n := range p.counters {
			if c.name == d.Name && inHours(q.Range, c.hour) {
				item.Count += n
			}
		}
		found = append(found, item)
	}
	slices.SortFunc(found, func(a, b event.Definition) int {
		return cmp.Or(cmp.Compare(b.LastSeen, a.LastSeen), strings.Compare(a.Name, b.Name))
	})
	total := len(found)
	found = found[min(q.Offset, total):]
	return total, found[:min(q.Limit, len(found))]
}

// platform returns the platform under which the event is counted.
func (r *record) platform() string {
	if r.Client.Platform == "" {
		return "others"
	}
	return string(r.Client.Platform)
}

// region returns the region under which the event is counted.
func (r *record) region() string {
	if r.Client.Region == "" {
		return "UNKNOWN"
	}
	return r.Client.Region
}

// in returns the events of a range, in order.
func (p *project) in(r query.Range) []*record {
	return inOrder(slices.DeleteFunc(slices.Clone(p.records), func(e *record) bool {
		return e.At < r.Start || e.At > r.End
	}))
}

// inOrder sorts records by time, and records of the same second by receipt.
func inOrder(records []*record) []*record {
	return slices.SortedStableFunc(slices.Values(records), func(a, b *record) int { return cmp.Compare(a.At, b.At) })
}

// by groups records by a key.
func by[K comparable](records []*record, key func(*record) K) map[K][]*record {
	groups := map[K][]*record{}
	for _, r := range records {
		groups[key(r)] = append(groups[key(r)], r)
	}
	return groups
}

func subjectOf(r *record) string { return r.subject }

// floor returns the start of the bucket of step seconds to which t belongs, in a time zone
// that is shift seconds ahead of UTC.
func floor(t, step, shift int64) int64 {
	into := (t + shift) % step
	if into < 0 {
		into += step
	}
	return t - into
}

// buckets returns the starts of the hours or local days that overlap a range.
func buckets(r query.Range, hourly bool) []int64 {
	step, shift := int64(86400), int64(r.OffsetMinutes)*60
	if hourly {
		step, shift = 3600, 0
	}
	var starts []int64
	for at := floor(r.Start, step, shift); at <= r.End; at += step {
		starts = append(starts, at)
	}
	return starts
}

// bucketOf returns the last bucket that begins at or before t, or -1 if there is none.
func bucketOf(starts []int64, t int64) int {
	i, exact := slices.BinarySearch(starts, t)
	if exact {
		return i
	}
	return i - 1
}

// inHours reports whether the hour that begins at the given time overlaps a range. Hourly
// counters are either completely in a range or not at all.
func inHours(r query.Range, hour int64) bool {
	return hour >= floor(r.Start, 3600, 0) && hour <= r.End
}

// decode decodes an object and keeps its values as raw JSON.
func decode(object []byte) map[string]json.RawMessage {
	var values map[string]json.RawMessage
	if object != nil && json.Unmarshal(object, &values) != nil {
		panic("the generator made bad JSON: " + string(object))
	}
	return values
}
