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

// model says what the engine must answer. It is the contract written down as
// plainly as possible: every event is kept as it came, every question looks at
// all of them. It shares nothing with the engine but the types of its answers.
type model struct {
	projects map[event.Project]*project
}

// project is what the model knows of one project.
type project struct {
	records     []*record // in the order of receipt
	counters    map[counter]int64
	definitions map[string]*event.Definition // by name, without an ID
	seen        map[string][]int64           // by name, when all events were that were ever stored
}

// record is one event.
type record struct {
	event.Event
	subject string
	texts   map[string]string // text forms of the properties that are there and not null
}

// counter is what the events of one UTC hour are counted by.
type counter struct {
	hour                   int64
	name, platform, region string
	offset                 int
	offsetKnown            bool
}

// of is the project, which exists as soon as it is spoken of.
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

// ingest stores what is new and says how much that was.
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

// define notes that a name was seen. A definition that was deleted comes back
// without what people said of it, but knows all that was ever stored.
func (p *project) define(name string, at int64) {
	if p.definitions[name] == nil {
		p.definitions[name] = &event.Definition{Name: name}
	}
	p.seen[name] = append(p.seen[name], at)
	p.definitions[name].FirstSeen, p.definitions[name].LastSeen = slices.Min(p.seen[name]), slices.Max(p.seen[name])
}

// deleteSubject removes the events of a subject and nothing else.
func (p *project) deleteSubject(subject string) int64 {
	before := len(p.records)
	p.records = slices.DeleteFunc(p.records, func(r *record) bool { return r.subject == subject })
	return int64(before - len(p.records))
}

// clean removes what is older than allowed.
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

// uses reports whether anything is left that needs a name.
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

// export is all events of a subject.
func (p *project) export(subject string) []event.Event {
	var mine []event.Event
	for _, r := range inOrder(p.records) {
		if r.subject == subject {
			mine = append(mine, r.Event)
		}
	}
	return mine
}

// list is a page of the definitions, and how many there are.
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

// platform is the platform as it is counted.
func (r *record) platform() string {
	if r.Client.Platform == "" {
		return "others"
	}
	return string(r.Client.Platform)
}

// region is the region as it is counted.
func (r *record) region() string {
	if r.Client.Region == "" {
		return "UNKNOWN"
	}
	return r.Client.Region
}

// in is the events of a range, in order.
func (p *project) in(r query.Range) []*record {
	return inOrder(slices.DeleteFunc(slices.Clone(p.records), func(e *record) bool {
		return e.At < r.Start || e.At > r.End
	}))
}

// inOrder sorts by time, events of one second by receipt.
func inOrder(records []*record) []*record {
	return slices.SortedStableFunc(slices.Values(records), func(a, b *record) int { return cmp.Compare(a.At, b.At) })
}

// by groups records.
func by[K comparable](records []*record, key func(*record) K) map[K][]*record {
	groups := map[K][]*record{}
	for _, r := range records {
		groups[key(r)] = append(groups[key(r)], r)
	}
	return groups
}

func subjectOf(r *record) string { return r.subject }

// floor is the real instant at which the local bucket of t begins.
func floor(t, step, shift int64) int64 {
	into := (t + shift) % step
	if into < 0 {
		into += step
	}
	return t - into
}

// buckets are the hours or local days that a range touches.
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

// bucketOf is the last bucket that begins at or before t, -1 for none.
func bucketOf(starts []int64, t int64) int {
	i, exact := slices.BinarySearch(starts, t)
	if exact {
		return i
	}
	return i - 1
}

// inHours is the range test of the hourly counters.
func inHours(r query.Range, hour int64) bool {
	return hour >= floor(r.Start, 3600, 0) && hour <= r.End
}

// decode reads an object whose values stay as they are written.
func decode(object []byte) map[string]json.RawMessage {
	var values map[string]json.RawMessage
	if object != nil && json.Unmarshal(object, &values) != nil {
		panic("the generator made bad JSON: " + string(object))
	}
	return values
}
