// Package workload generates reproducible events and logs for benchmarks from a seed. The data is
// either plain or hard to store. Users have several sessions, and a session has some events a few
// seconds apart. A few event names are frequent. Each event has five properties.
package workload

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"svc/bench/internal/loadgen"
)

// Plan describes the events to generate.
type Plan struct {
	Seed  uint64
	Users int
	Names int
	Days  int
	Start int64 // Unix second of the first session
	Count int   // number of events
	// SessionEvents is the number of events in a session, which are sent as one batch. If it is 0,
	// BatchSize is used.
	SessionEvents int
	// If Zipf is true, the number of sessions of a user is proportional to 1/rank^1.1, so that a
	// few users have most of the sessions and many have only one. If Zipf is false, a third of the
	// users causes most of the events.
	Zipf bool
	// LongTexts makes the texts of properties long and mostly different, in many scripts. If it is
	// false, they are short and come from small lists.
	LongTexts bool
}

// BatchSize is the default number of events in a session.
const BatchSize = 20

// zipfExponent is the exponent of the distribution selected by Plan.Zipf.
const zipfExponent = 1.1

// Source generates events.
type Source struct {
	plan   Plan
	random *rand.Rand
	zipf   *rand.Zipf // nil unless the plan sets Zipf
	names  []string
	weight []float64 // cumulative weights of the names; the last one is 1
	made   int
}

// Batch holds the events of one session.
type Batch struct {
	Subject, Session string
	Events           []Event
}

// Event is an event of a Batch.
type Event struct {
	ID, Name   string
	At         int64 // Unix second
	Properties Properties
}

// Properties holds the properties of an event.
type Properties struct {
	Plan   string
	Format string
	Screen string
	Amount int
	Item   string
}

// AppendJSON appends the properties as a JSON object.
func (p *Properties) AppendJSON(b []byte) []byte {
	b = fmt.Appendf(b, `{"plan":"%s","format":"%s","screen":`, p.Plan, p.Format)
	b = appendQuoted(b, p.Screen)
	b = fmt.Appendf(b, `,"amount":%d,"item":`, p.Amount)
	return append(appendQuoted(b, p.Item), '}')
}

// AppendJSON appends the body of the request in which an app sends the batch.
func (b *Batch) AppendJSON(body []byte) []byte {
	body = fmt.Appendf(body, `{"distinct_id":"%s","session_id":"%s","platform":"windows 11","events":[`, b.Subject, b.Session)
	for i := range b.Events {
		e := &b.Events[i]
		if i > 0 {
			body = append(body, ',')
		}
		body = fmt.Appendf(body, `{"event_id":"%s","name":"%s","occurred_at":%d,"properties":`, e.ID, e.Name, e.At)
		body = append(e.Properties.AppendJSON(body), '}')
	}
	return append(body, "]}"...)
}

// Request returns a complete HTTP/1.1 request that sends the batch to a project.
func (b *Batch) Request(project string) []byte {
	return loadgen.Post("/api/v1/public/"+project+"/events", "svc-bench/1 (Windows NT 10.0)", b.AppendJSON(nil))
}

// first holds the event names that occur in funnels, in the order of the steps.
var first = [...]string{"open", "view", "add_to_cart", "buy"}

// New returns a source that generates the events of a plan.
func New(p Plan) *Source {
	s := &Source{plan: p, random: rand.New(rand.NewPCG(p.Seed, 0))}
	if s.plan.SessionEvents == 0 {
		s.plan.SessionEvents = BatchSize
	}
	if p.Zipf {
		s.zipf = rand.NewZipf(s.random, zipfExponent, 1, uint64(p.Users-1))
	}
	sum := 0.0
	for i := range p.Names {
		name := fmt.Sprintf("event_%02d", i)
		if i < len(first) {
			name = first[i]
		}
		s.names = append(s.names, name)
		sum += 1 / math.Sqrt(float64(i+1))
		s.weight = append(s.weight, sum)
	}
	for i := range s.weight {
		s.weight[i] /= sum
	}
	return s
}

// Next generates the next session, which starts slightly later than the previous one. It returns
// false if all events have been generated.
func (s *Source) Next(b *Batch) bool {
	n := min(s.plan.SessionEvents, s.plan.Count-s.made)
	if n <= 0 {
		return false
	}
	at := s.plan.Start + int64(float64(s.plan.Days)*86400*float64(s.made)/float64(s.plan.Count))
	s.made += n
	b.Subject = uuid(s.plan.Seed^0x5eed, s.user())
	b.Session = uuid(s.random.Uint64(), s.random.Uint64())
	b.Events = b.Events[:0]
	for range n {
		e := Event{
			ID: uuid(s.random.Uint64(), s.random.Uint64()), Name: s.name(), At: at,
			Properties: Properties{
				Plan: pick(s.random, "free", "free", "free", "team", "pro"), Format: pick(s.random, "pdf", "csv", "png", "svg", "html"),
				Screen: fmt.Sprint("screen_", s.random.IntN(20)), Amount: s.random.IntN(1000), Item: fmt.Sprint("item ", s.random.IntN(2000)),
			},
		}
		if s.plan.LongTexts {
			e.Properties.Screen = string(appendText([]byte("/view?q="), s.random, lengthBetween(s.random, 20, 500)))
			e.Properties.Item = string(appendText(nil, s.random, lengthBetween(s.random, 20, 2000)))
		}
		b.Events = append(b.Events, e)
		at += int64(s.random.IntN(15))
	}
	return true
}

// user returns the number of the user of the next session.
func (s *Source) user() uint64 {
	if s.zipf != nil {
		return s.zipf.Uint64()
	}
	return uint64(float64(s.plan.Users) * math.Pow(s.random.Float64(), 1.5))
}

func pick(random *rand.Rand, from ...string) string { return from[random.IntN(len(from))] }

func (s *Source) name() string {
	at := s.random.Float64()
	for i, sum := range s.weight {
		if at < sum {
			return s.names[i]
		}
	}
	return s.names[len(s.names)-1]
}

// uuid returns a UUID derived from the given bits. It looks like a random one (version 4).
func uuid(high, low uint64) string {
	var b [16]byte
	mixed := rand.NewPCG(high, low)
	binary.BigEndian.PutUint64(b[:8], mixed.Uint64())
	binary.BigEndian.PutUint64(b[8:], mixed.Uint64())
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
