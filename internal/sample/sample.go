// Package sample makes up events, for measuring: the same ones for the same
// numbers. Users come back for sessions, sessions have some events a few seconds
// apart, a few names are frequent, and each event has five properties.
package sample

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
)

// Plan says what is made up.
type Plan struct {
	Seed  uint64
	Users int
	Names int
	Days  int
	Start int64 // Unix second of the first session
	Count int   // events
}

// BatchSize is the number of events of a session, which come in one batch.
const BatchSize = 20

// Source makes up events.
type Source struct {
	plan   Plan
	random *rand.Rand
	names  []string
	weight []float64 // sums, the last one is 1
	made   int
}

// Batch is the events of one session.
type Batch struct {
	Subject, Session string
	Events           []Event
}

// Event is one of them.
type Event struct {
	ID, Name   string
	At         int64 // Unix second
	Properties Properties
}

// Properties are those of each event.
type Properties struct {
	Plan   string
	Format string
	Screen string
	Amount int
	Item   string
}

// AppendJSON adds the JSON object.
func (p *Properties) AppendJSON(b []byte) []byte {
	return fmt.Appendf(b, `{"plan":"%s","format":"%s","screen":"%s","amount":%d,"item":"%s"}`, p.Plan, p.Format, p.Screen, p.Amount, p.Item)
}

// first are the names that funnels ask for.
var first = [...]string{"open", "view", "add_to_cart", "buy"}

// New is the beginning of the events of a plan.
func New(p Plan) *Source {
	s := &Source{plan: p, random: rand.New(rand.NewPCG(p.Seed, 0))}
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

// Next makes up the next session, a little after the one before. It is false
// when all events have been made.
func (s *Source) Next(b *Batch) bool {
	n := min(BatchSize, s.plan.Count-s.made)
	if n <= 0 {
		return false
	}
	at := s.plan.Start + int64(float64(s.plan.Days)*86400*float64(s.made)/float64(s.plan.Count))
	s.made += n
	// A third of the users does most of what is done.
	user := uint64(float64(s.plan.Users) * math.Pow(s.random.Float64(), 1.5))
	b.Subject = uuid(s.plan.Seed^0x5eed, user)
	b.Session = uuid(s.random.Uint64(), s.random.Uint64())
	b.Events = b.Events[:0]
	for range n {
		b.Events = append(b.Events, Event{
			ID: uuid(s.random.Uint64(), s.random.Uint64()), Name: s.name(), At: at,
			Properties: Properties{
				Plan: pick(s.random, "free", "free", "free", "team", "pro"), Format: pick(s.random, "pdf", "csv", "png", "svg", "html"),
				Screen: fmt.Sprint("screen_", s.random.IntN(20)), Amount: s.random.IntN(1000), Item: fmt.Sprint("item ", s.random.IntN(2000)),
			},
		})
		at += int64(s.random.IntN(15))
	}
	return true
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

// uuid has the form of a random UUID (version 4) of these bits.
func uuid(high, low uint64) string {
	var b [16]byte
	mixed := rand.NewPCG(high, low)
	binary.BigEndian.PutUint64(b[:8], mixed.Uint64())
	binary.BigEndian.PutUint64(b[8:], mixed.Uint64())
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
