package demo

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"
)

// session is one use of the app by a person.
type session struct {
	*person
	*chance
	w       *world
	id      string
	began   int64
	at      int64 // time of the previous event
	version string
	day     int // days since the first day of the data
	first   bool
	events  int

	failures []failure
}

// eventLine is an event as an archive contains it.
type eventLine struct {
	DistinctID      string          `json:"distinct_id"`
	Name            string          `json:"event_name"`
	ID              string          `json:"event_id"`
	SessionID       string          `json:"session_id"`
	OccurredAt      int64           `json:"occurred_at"`
	ReceivedAt      int64           `json:"received_at"`
	Properties      json.RawMessage `json:"properties"`
	IP              string          `json:"ip,omitempty"`
	UserAgent       string          `json:"user_agent"`
	CountryCode     string          `json:"country_code,omitempty"`
	CountryName     string          `json:"country_name,omitempty"`
	RegionName      string          `json:"region_name,omitempty"`
	City            string          `json:"city,omitempty"`
	Platform        string          `json:"platform"`
	PlatformVersion string          `json:"platform_version,omitempty"`
}

// live generates the sessions of all people on all days, and the feedback and logs that they send.
func (w *world) live() {
	w.spend()
	heldAt := w.hold()
	if len(heldAt) == 0 {
		return
	}
	// No user installs a release after it was held, but the time of the hold follows from the
	// sessions before it. All data is therefore generated again with the known times.
	*w = *newWorld(w.Config, w.project)
	w.heldAt = heldAt
	w.spend()
	w.hold()
}

// spend generates the sessions of all people on all days, and their feedback and logs. It puts no
// rollout on hold; see hold.
func (w *world) spend() {
	w.rollOut()
	w.gather()
	c := w.chance("days")
	for on := range Days {
		begin := w.today - int64(Days-1-on)*day
		weekday := int(time.Unix(begin, 0).UTC().Weekday())
		for _, p := range w.people {
			if p.joined > on || !c.happens(w.activity(p, on, weekday)) {
				continue
			}
			for visits := 1 + int(c.wait(0.35)); visits > 0; visits-- {
				w.visit(c, p, on, begin)
			}
		}
	}
	slices.SortStableFunc(w.events, func(a, b eventLine) int { return cmp.Compare(a.ReceivedAt, b.ReceivedAt) })
	w.report()
	w.byTime = slices.Clone(w.sessions)
	slices.SortStableFunc(w.byTime, func(a, b *session) int { return cmp.Compare(a.began, b.began) })
}

// visit generates one session of a person on a day.
func (w *world) visit(c *chance, p *person, on int, begin int64) {
	hour := pickHour(c, &w.project.people.hours)
	at := begin + int64(hour*3600+c.IntN(3600)-p.where.offset*60)
	s := &session{person: p, chance: c, w: w, id: c.uuid4(), at: at, day: on, version: w.version(p, at), first: p.joined == on}
	s.began = at
	requests := c.between(2, 7) // all people, including those who send no events, cause requests
	w.session(s)
	w.sessions = append(w.sessions, s)
	w.ask(s, at, "VERSION_CHECK_UPDATE", requests)
	w.ask(s, at, "ANNOUNCEMENT_LATEST", c.between(0, requests))
	w.ask(s, at+5, "EVENT_INGEST", 1+s.events/10)
	switch c.IntN(12) {
	case 0, 1:
		w.ask(s, at+20, "ANNOUNCEMENT_LIST", c.between(1, 3))
	case 2:
		w.ask(s, at+30, "VERSION_LIST", c.between(1, 2))
	case 3:
		w.ask(s, at+40, "PROJECT_DETAIL", c.between(1, 2))
	case 4:
		w.ask(s, at+50, "VERSION_LATEST", c.between(1, 3))
	case 5:
		w.ask(s, at+60, "VERSION_BY_VERSION", 1)
	}
	if at <= w.now {
		w.clients[versionCount{hourOf(at), p.platform, s.version}] += int64(requests)
	}
}

func pickHour(c *chance, hours *[24]float64) int {
	sum := 0.0
	for _, h := range hours {
		sum += h
	}
	at := c.Float64() * sum
	for i, h := range hours {
		if at -= h; at < 0 {
			return i
		}
	}
	return 23
}

func hourOf(at int64) int64 { return at - at%3600 }

// emit adds an event to the session, after a random pause with the given mean, in seconds.
// properties alternates between names and values. Each value is a string, an int or a bool.
func (s *session) emit(pause float64, name string, properties ...any) {
	s.at += int64(s.wait(pause))
	late := int64(s.IntN(4)) // the client queues some events for a few seconds
	id := s.uuid4()
	if s.at+late > s.w.now || s.at < s.w.today-(Days-1)*day {
		return
	}
	p, text := s.person, make([]byte, 0, 128)
	text = append(text, `{"app_version":`...)
	text = strconv.AppendQuote(text, s.version)
	for i := 0; i < len(properties); i += 2 {
		text = append(text, ',')
		text = strconv.AppendQuote(text, properties[i].(string))
		text = append(text, ':')
		switch v := properties[i+1].(type) {
		case string:
			text = strconv.AppendQuote(text, v)
		case int:
			text = strconv.AppendInt(text, int64(v), 10)
		case bool:
			text = strconv.AppendBool(text, v)
		}
	}
	e := eventLine{
		DistinctID: p.id, Name: name, ID: id, SessionID: s.id, OccurredAt: s.at, ReceivedAt: s.at + late, Properties: append(text, '}'),
		UserAgent: s.userAgent(), CountryCode: p.where.country, CountryName: p.where.name, RegionName: p.where.region, City: p.where.city,
		Platform: p.platform, PlatformVersion: p.system,
	}
	if p.address != "" {
		e.IP = p.address + "0" // anonymized, as the server stores it by default
	}
	s.w.events = append(s.w.events, e)
	if s.w.watched(name) {
		s.failures = append(s.failures, failure{name, s.at})
	}
	s.events++
	s.w.counts[eventCount{hourOf(s.at), name, p.platform, region(p.where), offset(p)}]++
}

// userAgent returns the user agent of the app.
func (s *session) userAgent() string { return s.w.folder + "/" + s.version + " (" + s.platform + ")" }

func region(p *place) string { return cmp.Or(p.country, "UNKNOWN") }

// unknown is the time zone offset of a client that does not report one.
const unknown = 1 << 20

func offset(p *person) int {
	if !p.known {
		return unknown
	}
	return p.where.offset
}

// ask adds n requests that a session sends to an endpoint to the hourly counters.
func (w *world) ask(s *session, at int64, endpoint string, n int) {
	if n == 0 || at > w.now || at < w.today-(Days-1)*day {
		return
	}
	p := s.where
	w.requests[requestCount{hourOf(at), endpoint, s.platform, region(p), p.province, p.cityCode, offset(s.person)}] += int64(n)
	w.systems[versionCount{hourOf(at), s.platform, s.system}] += int64(n)
}

// eventCount, requestCount and versionCount are the dimensions of hourly counters.
type (
	eventCount struct {
		hour                   int64
		name, platform, region string
		offset                 int
	}
	requestCount struct {
		hour                                       int64
		endpoint, platform, region, province, city string
		offset                                     int
	}
	versionCount struct {
		hour              int64
		platform, version string
	}
)

type eventCountLine struct {
	Hour     int64  `json:"hour"`
	Name     string `json:"event_name"`
	Platform string `json:"platform"`
	Region   string `json:"region"`
	Offset   *int   `json:"utc_offset_minutes"`
	Count    int64  `json:"count"`
}

type requestLine struct {
	Hour     int64  `json:"hour"`
	Endpoint string `json:"endpoint"`
	Platform string `json:"platform"`
	Region   string `json:"region"`
	Province string `json:"province_code"`
	City     string `json:"city_code"`
	Offset   *int   `json:"utc_offset_minutes"`
	Count    int64  `json:"count"`
}

type versionCountLine struct {
	Hour     int64  `json:"hour"`
	Platform string `json:"platform"`
	Version  string `json:"version"`
	Count    int64  `json:"count"`
}

// sorted returns the counters as records of the archive, in the order that compare defines.
func sorted[K comparable, L any](counts map[K]int64, compare func(a, b K) int, line func(K, int64) L) []L {
	lines := make([]L, 0, len(counts))
	for _, k := range slices.SortedFunc(maps.Keys(counts), compare) {
		lines = append(lines, line(k, counts[k]))
	}
	return lines
}

func minutes(offset int) *int {
	if offset == unknown {
		return nil
	}
	return &offset
}

func (w *world) eventCounts() []eventCountLine {
	return sorted(w.counts, func(a, b eventCount) int {
		return cmp.Or(cmp.Compare(a.hour, b.hour), cmp.Compare(a.name, b.name), cmp.Compare(a.platform, b.platform),
			cmp.Compare(a.region, b.region), cmp.Compare(a.offset, b.offset))
	}, func(k eventCount, n int64) eventCountLine {
		return eventCountLine{k.hour, k.name, k.platform, k.region, minutes(k.offset), n}
	})
}

func (w *world) requestCounts() []requestLine {
	return sorted(w.requests, func(a, b requestCount) int {
		return cmp.Or(cmp.Compare(a.hour, b.hour), cmp.Compare(a.endpoint,
			b.endpoint), cmp.Compare(a.platform, b.platform), cmp.Compare(a.region, b.region),
			cmp.Compare(a.city, b.city), cmp.Compare(a.offset, b.offset))
	}, func(k requestCount, n int64) requestLine {
		return requestLine{k.hour, k.endpoint, k.platform, k.region, k.province, k.city, minutes(k.offset), n}
	})
}

func versionCounts(counts map[versionCount]int64) []versionCountLine {
	return sorted(counts, func(a, b versionCount) int {
		return cmp.Or(cmp.Compare(a.hour, b.hour), cmp.Compare(a.platform, b.platform), cmp.Compare(a.version, b.version))
	}, func(k versionCount, n int64) versionCountLine {
		return versionCountLine{k.hour, k.platform, k.version, n}
	})
}
