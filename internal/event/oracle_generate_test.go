package event_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"svc/internal/event"
	"svc/internal/event/submission"
	"svc/internal/platform"
)

// generator generates small data sets with many collisions, because they have few names,
// few subjects and few times.
type generator struct {
	*rand.Rand
	now      int64 // Unix second of the last receipt
	start    int64 // approximate time of the first operation
	moments  []int64
	subjects []string
	sessions []string
	names    []string
	keys     []string
	received int  // number of batches received so far
	crowd    bool // many subjects, sessions and names
	bulky    bool // some values are so long that blocks and commits are large
}

// The values that data sets are made of.
var (
	long = strings.Repeat("long ", 120) // exceeds the maximum length of a filter's value

	someOffsets = []int{0, 0, 330, 345, -300, -210, 480, -840, 900} // time zones of queries, in minutes
	someClocks  = []int{0, 330, 345, -300, -210, 480, -720, 840}    // time zones of clients, in minutes
	someRegions = []string{"", "DE", "US", "CN", "IN", "BR", "LOCAL", "ZZ"}
	someNames   = []string{"open", "view", "buy", "a", "a.b:c-d_e", "0"}

	someSubjects = []string{"u1", "U1", "u2", "é", "s1", "\x00", strings.Repeat("x", 128)}
	someSessions = []string{"", "", "s1", "s2", "S2", "u1"}
	someKeys     = []string{"plan", "amount", "Plan", "a.b", "quote\"\\", "ключ", "a"}

	someValues = []string{
		`1`, `1.0`, `1e3`, `1000`, `1E2`, `1e+2`, `100`, `1.50`, `1.5`, `0`, `-0`, `-0.0`, `-2.5`, `1e-3`, `0.001`,
		`12345678901234567890`, `0.1`, `30`, `2147483648`, `-1`, `-9223372036854775808`, `1e25`,
		`"1"`, `"1.0"`, `"01"`, `"1e3"`, `"1000"`, `"-0"`, `"0"`, `"12.5"`, `"-2.5"`, `"30"`, `" 30"`, `"1."`, `".5"`, `"+1"`,
		`""`, `" "`, `"free"`, `"pro"`, `"FREE"`, `"Pro"`, `"a,b"`, `"a"`, `"b"`, `"\u0041"`, `"A"`, `"caf\u00e9"`, `"CAFÉ"`, `"é"`,
		`"%"`, `"_"`, `"100%"`, `"null"`, `"true"`, `"(not reported)"`, `"line\nbreak"`, `"\u0000"`, `"\"q\""`, `"<b>&"`, `"😀"`, `"\ud83d\ude00"`,
		`true`, `false`, `null`, `null`, `{}`, `[]`, `{"n":1}`, `[1,"x"]`, `{"b":[1.0,null]}`, `"{\"n\":1}"`, `"[]"`,
		`"` + long + `"`, `"` + long + `!"`,
	}
)

// newGenerator returns a generator. The seed determines the characteristics of its data
// set.
func newGenerator(seed uint64) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0))}
	g.start = pick(g, int64(exampleStart), exampleStart, exampleStart+50000, 1774746000, 900000)
	g.now = g.start + 3*day
	for range 1 + g.IntN(20) {
		g.moments = append(g.moments, g.moment())
	}
	g.subjects, g.sessions = some(g, someSubjects), some(g, someSessions)
	g.names, g.keys = some(g, someNames), some(g, someKeys)
	if g.IntN(60) == 0 {
		g.gather()
	}
	g.bulky = g.IntN(20) == 0
	return g
}

// gather adds more subjects and sessions than a one-byte code can distinguish, and many
// names. Values therefore rarely collide, and have to be distinguished.
func (g *generator) gather() {
	g.crowd = true
	for i := range 300 {
		g.subjects = append(g.subjects, fmt.Sprintf("subject %d", i))
		g.sessions = append(g.sessions, fmt.Sprintf("session %d", i))
		g.names = append(g.names, fmt.Sprintf("name-%d", i/3))
		g.keys = append(g.keys, fmt.Sprintf("key %d", i/100))
	}
}

// pick returns one of the given values at random.
func pick[T any](g *generator, values ...T) T { return values[g.IntN(len(values))] }

// some returns a random selection of the given values.
func some[T any](g *generator, values []T) []T {
	chosen := make([]T, 1+g.IntN(len(values)))
	for i := range chosen {
		chosen[i] = pick(g, values...)
	}
	return chosen
}

// moment returns a random time for events, often at a boundary of an hour, day or week.
func (g *generator) moment() int64 {
	at := g.start + g.Int64N(8*day) - 2*day
	if g.IntN(2) == 0 {
		at = floor(at, pick(g, int64(900), 3600, day), 60*int64(pick(g, someOffsets...)))
	}
	return max(0, at+pick(g, int64(0), 0, 1, -1, 60))
}

// at returns the time of an event as reported by its client.
func (g *generator) at() int64 {
	switch g.IntN(12) {
	case 0:
		return g.now
	case 1:
		return g.now + g.Int64N(301)
	case 2:
		return g.moment()
	case 3:
		return max(0, g.now-g.Int64N(40*day))
	}
	return max(0, pick(g, g.moments...)+g.Int64N(3))
}

// operations returns the whole sequence of operations.
func (g *generator) operations() []operation {
	var list []operation
	batches := 2 + g.IntN(14)
	if g.crowd {
		batches *= 8
	}
	for range batches {
		list = append(list, ingest(g.batch()))
		for g.IntN(3) == 0 {
			list = append(list, g.upkeep())
		}
		for g.IntN(3) == 0 {
			list = append(list, g.question())
		}
	}
	for _, ask := range g.questions() {
		list = append(list, ask(), ask())
	}
	return list
}

// batch returns the events of one request.
func (g *generator) batch() *event.Batch {
	g.now += g.Int64N(pick(g, int64(2), 100, 30000))
	b := &event.Batch{
		Project: g.project(), Received: g.now, Subject: pick(g, g.subjects...), Session: pick(g, g.sessions...),
		Client: g.client(), OffsetKnown: g.IntN(2) == 0,
	}
	if b.OffsetKnown {
		b.OffsetMinutes = pick(g, someClocks...)
	}
	g.received++
	most := 8
	if g.IntN(20) == 0 || g.crowd {
		most = 50
	}
	for i := range 1 + g.IntN(most) {
		item := submission.Item{ID: fmt.Sprintf("%d-%d", g.received, i), Name: pick(g, g.names...), At: g.at()}
		switch g.IntN(10) {
		case 0, 1:
			item.ID = fmt.Sprintf("again-%d", g.IntN(12))
		case 2:
			item.ID = fmt.Sprintf("%08x-0000-4000-8000-%012x", g.received, i)
		}
		if g.IntN(4) > 0 {
			item.Properties = g.properties()
		}
		b.Items = append(b.Items, item)
	}
	return b
}

// project returns project 1 most of the time. The other project shows whether projects
// are kept separate.
func (g *generator) project() event.Project { return pick(g, event.Project(1), 1, 1, 1, 1, 1, 1, 7) }

// client returns a client with some attributes unknown.
func (g *generator) client() submission.Client {
	c := submission.Client{Platform: pick(g, append(platform.All[:], "", "")...), Region: pick(g, someRegions...)}
	c.Address, c.UserAgent = pick(g, "", "203.0.113.0"), pick(g, "", "agent/1", "agent/2")
	if c.Platform != "" {
		c.PlatformVersion = pick(g, "", "11", "17.2")
	}
	if c.Platform == platform.Others {
		c.PlatformVersion = "harmonyos 4"
	}
	if c.Region == "DE" {
		c.CountryName, c.RegionName, c.City = "Germany", pick(g, "", "Hesse"), pick(g, "", "Köln")
	}
	return c
}

// properties returns a compact object without duplicate keys.
func (g *generator) properties() []byte {
	seen := map[string]bool{}
	var pairs []string
	for range g.IntN(5) {
		key := pick(g, g.keys...)
		if !seen[key] {
			seen[key] = true
			text, _ := json.Marshal(key)
			pairs = append(pairs, string(text)+":"+g.value())
		}
	}
	return []byte("{" + strings.Join(pairs, ",") + "}")
}

// value returns the JSON of a property.
func (g *generator) value() string {
	if g.crowd && g.IntN(4) > 0 {
		return pick(g, fmt.Sprintf(`"value %d"`, g.IntN(400)), fmt.Sprint(g.IntN(400)))
	}
	if g.bulky && g.IntN(3) == 0 {
		var b strings.Builder // not compressible
		for range 500 + g.IntN(1500) {
			fmt.Fprintf(&b, "%016x", g.Uint64())
		}
		return `"` + b.String() + `"`
	}
	return pick(g, someValues...)
}

// upkeep returns an operation that changes or moves data.
func (g *generator) upkeep() operation {
	p := g.project()
	switch g.IntN(13) {
	case 0, 1, 2:
		return flush()
	case 3, 4:
		return compact()
	case 5, 6:
		return reopen()
	case 7, 8:
		return deleteSubject(p, pick(g, g.subjects...))
	case 9:
		return clean(p, pick(g, g.at(), g.moment()-2*day), pick(g, g.at(), g.moment()-2*day))
	case 10:
		return deleteDefinition(p, pick(g, g.names...))
	}
	if g.IntN(10) == 0 {
		return dropProject(p)
	}
	said := func() *string {
		if g.IntN(3) == 0 {
			return nil
		}
		return new(pick(g, "", "Opened", "Käufe", "view of it"))
	}
	return updateDefinition(p, pick(g, g.names...), said(), said(), g.IntN(2) == 0)
}
