package apitest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/api"
	"svc/internal/platform"
	dimension "svc/internal/stats"
	"svc/store"
)

// Decades makes the server accept events of any age.
func Decades() Option {
	return WithConfig(func(c *api.Config) { c.EventClockSkew = 100 * 365 * 24 * time.Hour })
}

// SentEvent is an event that a test sends in a batch of its own. It is an alias of an unnamed type,
// so that tables in other packages can omit the field names without a finding of go vet.
type SentEvent = struct {
	Subject, Session, Name string
	At                     int64
	Properties             string // a JSON object; "" for none
}

// Track sends events in order, each with a unique event_id.
func (s *Server) Track(t testing.TB, project string, events ...SentEvent) {
	t.Helper()
	for i, e := range events {
		body := fmt.Sprintf(`{"distinct_id":%q,"session_id":%q,"events":[{"event_id":"%s-%d-%s","name":%q,"occurred_at":%d,"properties":%s}]}`,
			e.Subject, e.Session, e.Subject, i, e.Name, e.Name, e.At, cmp.Or(e.Properties, "null"))
		status, answer, _ := s.Do(t, "POST", "/public/"+project+"/events", "", body)
		if status != 202 || !strings.HasPrefix(answer, `{"accepted":1,`) {
			t.Fatalf("%s: got %d %s", body, status, answer)
		}
	}
}

// Example returns the events of the worked example in the contract.
func Example() []SentEvent {
	const begin, daySeconds = Monday, 24 * Hour
	return []SentEvent{
		{"u1", "s1", "open", begin + 3600, ""},
		{"u1", "s1", "view", begin + 3660, `{"plan":"free"}`},
		{"u1", "s1", "buy", begin + 3720, `{"plan":"pro","amount":30}`},
		{"u1", "s2", "open", begin + daySeconds + 3600, ""},
		{"u2", "s3", "open", begin + 7200, ""},
		{"u2", "s3", "view", begin + 7260, `{"plan":"free"}`},
		{"u2", "s4", "open", begin + 2*daySeconds + 100, ""},
		{"u3", "s5", "view", begin + 10000, `{"plan":"pro"}`},
		{"u3", "s5", "open", begin + 10060, ""},
		{"u3", "s5", "buy", begin + 10120, `{"plan":"free","amount":"12.5"}`},
		{"u4", "", "open", begin + daySeconds + 50, ""},
		{"u4", "", "buy", begin + daySeconds + 50 + 604800, `{"amount":7}`},
	}
}

// TenDays is the time range of the worked example, as JSON fields of a request body.
const TenDays = `"start_time":1764547200,"end_time":1765411200`

// Cards is the path of the dashboard cards of the project "app". Openings is a query that such a
// card can contain.
const (
	Cards    = "/admin/projects/app/events/dashboards/cards"
	Openings = `{"type":"value","events":[{"name":"open","alias":"A"}]}`
)

var callers atomic.Int64

// Stranger returns an unused client address, for tests of limits per address.
func Stranger() string {
	n := callers.Add(1)
	return fmt.Sprintf("198.%d.%d.%d", 18+n>>16&1, n>>8&255, n&255)
}

// Within returns a time range as query parameters.
func Within(start, end int64) string { return fmt.Sprintf("start_time=%d&end_time=%d", start, end) }

// Pick returns a random element of a list.
func Pick[T any](random *rand.Rand, list ...T) T { return list[random.IntN(len(list))] }

// Monday is a time in Unix seconds. Hour is a duration in seconds.
const (
	Monday = 1764547200 // 2025-12-01 00:00 UTC
	Hour   = 3600
)

// SeenRequest is a request with the properties by which statistics count it. It is an alias so that
// tables can omit the field names.
type SeenRequest = struct {
	At                     int64
	Endpoint, Platform     string // Platform is in lower case
	Region, Province, City string
	Offset                 *int // minutes; nil if unknown
	System, Client         string
}

// Count adds requests to the request counters of a project, as if the server had answered them.
func (s *Server) Count(t testing.TB, project string, requests ...SeenRequest) {
	t.Helper()
	p, err := s.DB.FindProject(project)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[store.RequestCounter]uint64{}
	for _, r := range requests {
		endpoint, ok := store.ParseEndpoint(r.Endpoint)
		on, known := platform.Parse(r.Platform)
		if !ok || !known {
			t.Fatalf("no endpoint %s or no platform %s", r.Endpoint, r.Platform)
		}
		var offset dimension.Offset
		if r.Offset != nil {
			offset = dimension.OffsetOf(*r.Offset)
		}
		hour := store.Hour(r.At / 3600)
		counts[store.CountRequest(p.ID, hour, store.NewRequest(endpoint, on, store.NewPlace(r.Region, r.Province, r.City), offset))]++
		counts[store.CountSystem(p.ID, hour, on, r.System)]++
		if r.Client != "" {
			counts[store.CountClient(p.ID, hour, on, r.Client)]++
		}
	}
	if err := s.DB.Update(func(tx *store.Tx) error { return tx.AddRequests(counts) }); err != nil {
		t.Fatal(err)
	}
}
