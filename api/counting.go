package api

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"

	"svc/internal/origin"
	"svc/internal/stats"
	"svc/internal/tally"
	"svc/store"
)

// Bounds of what is counted between two flushes, on each core: about 5 MiB when
// callers make up versions as fast as they can.
const (
	countersHeld       = 1 << 14
	countersPerProject = 1 << 13
)

// requestCounts counts requests until they are flushed. Statistics are the one
// thing that is not on disk before the answer: a killed server loses what was
// counted since the last flush.
type requestCounts struct {
	counter  *tally.Counter[store.RequestCounter]
	systems  sync.Pool  // of map[description]origin.Origin, one for each core
	flushing sync.Mutex // held from the drain to the end of the transaction
	dropped  uint64     // what is known to be lost; guarded by flushing
}

func newRequestCounts() *requestCounts {
	return &requestCounts{
		counter: tally.New(tally.Rules[store.RequestCounter]{
			Most: countersHeld, PerGroup: countersPerProject,
			Group: store.RequestCounter.Group, Fold: store.RequestCounter.Folded, Keep: store.RequestCounter.Kept,
		}),
		systems: sync.Pool{New: func() any { return map[description]origin.Origin{} }},
	}
}

// FlushRequests writes down what was counted so far. What cannot be written is
// kept for the next time.
func (s *Server) FlushRequests() error {
	s.counts.flushing.Lock()
	defer s.counts.flushing.Unlock()
	if n := s.counts.counter.Dropped(); n > s.counts.dropped {
		s.log.Warn("there was no room to count requests", "lost", n-s.counts.dropped)
		s.counts.dropped = n
	}
	counted := s.counts.counter.Drain()
	if len(counted) == 0 {
		return nil
	}
	err := s.db.Update(func(tx *store.Tx) error { return tx.AddRequests(counted) })
	if err != nil {
		s.counts.counter.Restore(counted)
		return fmt.Errorf("write request statistics: %w", err)
	}
	return nil
}

// countedEndpoint finds what a route is counted as. A name that there is not is
// a mistake in the table.
func countedEndpoint(name string) store.Endpoint {
	e, ok := store.ParseEndpoint(name)
	if !ok && name != "" {
		panic("no such endpoint in request statistics: " + name)
	}
	return e
}

// count counts an answered request, if it is one of those. It comes after the
// answer, and nothing that goes wrong here can spoil that.
func (s *Server) count(r *request, status int) {
	if r.route == nil || r.route.endpoint == 0 || status < 200 || status > 299 || r.Method == http.MethodHead {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("request not counted", "panic", fmt.Sprint(p), "id", r.id, "stack", string(debug.Stack()))
		}
	}()
	project, err := s.db.FindProject(r.param("k"))
	if err != nil {
		return // deleted meanwhile
	}
	hour := store.HourOf(r.received)
	from, place, offset := s.whence(r)
	request := store.CountRequest(project.ID, hour, store.NewRequest(r.route.endpoint, from.Platform, place, offset))
	system := store.CountSystem(project.ID, hour, from.Platform, from.Version)
	if r.client == "" {
		s.counts.counter.Add(request, system)
		return
	}
	s.counts.counter.Add(request, system, store.CountClient(project.ID, hour, from.Platform, r.client))
}

// whence is what counters know of where a request came from. Of who asks not to
// be tracked that is the system alone.
func (s *Server) whence(r *request) (origin.Origin, store.Place, stats.Offset) {
	var offset stats.Offset
	if r.untracked {
		return s.counts.system(r), store.NewPlace("", "", ""), offset
	}
	if c := clientClock(r); c.OffsetKnown {
		offset = stats.OffsetOf(c.OffsetMinutes)
	}
	place := s.config.Geo.Place(r.addr)
	return s.counts.system(r), store.NewPlace(place.CountryCode, place.ProvinceCode, place.CityCode), offset
}

// system is what origin.Detect finds. Clients are many, but their systems are
// few, and looking one up is quicker than reading its User-Agent. Only what most
// clients send is looked up, because a long key takes its time too.
func (c *requestCounts) system(r *request) origin.Origin {
	said := r.declared()
	asked := description{header: said.Header}
	if agent := r.Header["User-Agent"]; len(agent) > 0 {
		asked.agent = agent[0]
	}
	if said.Query != (origin.Source{}) || said.Body != (origin.Source{}) || asked.length() > longestKnown {
		return origin.Detect(said, asked.agent)
	}
	known := c.systems.Get().(map[description]origin.Origin)
	defer c.systems.Put(known)
	o, ok := known[asked]
	if !ok {
		o = origin.Detect(said, asked.agent)
		if len(known) == mostKnown {
			clear(known)
		}
		known[asked] = o
	}
	return o
}

// description is all that the system of a client is told by.
type description struct {
	header origin.Source
	agent  string
}

func (d description) length() int {
	return len(d.header.Platform.Value) + len(d.header.Version.Value) + len(d.agent)
}

// Bounds of the descriptions that are remembered on each core.
const (
	mostKnown    = 1000
	longestKnown = 512 // bytes of one
)

// declared is what a request says of the system it comes from. The platform in
// the query of a list is a filter: what somebody looks for, not what he has.
func (r *request) declared() origin.Declared {
	d := origin.Declared{
		Header: origin.Source{Platform: headerText(r, "X-Svc-Platform"), Version: headerText(r, "X-Svc-Platform-Version")},
		Body:   r.said,
	}
	if strings.Contains(r.URL.RawQuery, "platform") {
		d.Query = origin.Source{Platform: queryText(r, "platform"), Version: queryText(r, "platform_version")}
		if r.filtersPlatform() {
			d.Query.Platform = origin.Text{}
		}
	}
	return d
}

func (r *request) filtersPlatform() bool {
	switch r.route.counts {
	case "VERSION_LIST", "ANNOUNCEMENT_LIST", "ANNOUNCEMENT_LATEST":
		return true
	}
	return false
}

// headerText is a header by its canonical name.
func headerText(r *request, name string) origin.Text {
	values := r.Header[name]
	if len(values) == 0 {
		return origin.Text{}
	}
	return origin.Text{Value: values[0], Sent: true}
}

func queryText(r *request, name string) origin.Text {
	return origin.Text{Value: r.query(name), Sent: r.sent(name)}
}

// bodyText is a field of the body. What is no text was sent all the same.
func bodyText(o Optional[string]) origin.Text {
	return origin.Text{Value: o.or(""), Sent: o.Sent && !o.null()}
}
