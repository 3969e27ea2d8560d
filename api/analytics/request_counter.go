package analytics

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"

	"svc/api/web"
	"svc/internal/counter"
	"svc/internal/geo"
	"svc/internal/stats"
	"svc/internal/useragent"
	"svc/store"
)

// Bounds of what is counted between two flushes, on each core: about 6 MiB when
// callers make up versions as fast as they can.
const (
	combinationsHeld   = 1 << 12
	countersHeld       = 1 << 14
	countersPerProject = 1 << 13
)

// RequestCounter counts requests until they are flushed. Statistics are the one
// thing that is not on disk before the answer: a killed server loses what was
// counted since the last flush.
type RequestCounter struct {
	db  *store.Store
	geo *geo.Locator
	log *slog.Logger

	counter  *counter.Counter[store.CountedRequest, store.RequestCounter]
	systems  sync.Pool  // of map[description]useragent.System, one for each core
	flushing sync.Mutex // held from the drain to the end of the transaction
	dropped  uint64     // what is known to be lost; guarded by flushing
}

// NewRequestCounter makes a counter that has counted nothing. The places of
// addresses may be nil.
func NewRequestCounter(db *store.Store, places *geo.Locator, log *slog.Logger) *RequestCounter {
	return &RequestCounter{
		db: db, geo: places, log: log,
		counter: counter.New(counter.Rules[store.CountedRequest, store.RequestCounter]{
			Combinations: combinationsHeld, Keys: store.CountedRequest.Counters, Keep: store.CountedRequest.Kept,
			Most: countersHeld, PerGroup: countersPerProject,
			Group: store.RequestCounter.Group, Fold: store.RequestCounter.Folded,
		}),
		systems: sync.Pool{New: func() any { return map[description]useragent.System{} }},
	}
}

// Flush writes down what was counted so far. What cannot be written is
// kept for the next time.
func (c *RequestCounter) Flush() error {
	c.flushing.Lock()
	defer c.flushing.Unlock()
	if n := c.counter.Dropped(); n > c.dropped {
		c.log.Warn("request counters are full", "lost", n-c.dropped)
		c.dropped = n
	}
	counted := c.counter.Drain()
	if len(counted) == 0 {
		return nil
	}
	err := c.db.Update(func(tx *store.Tx) error { return tx.AddRequests(counted) })
	if err != nil {
		c.counter.Restore(counted)
		return fmt.Errorf("write request statistics: %w", err)
	}
	return nil
}

// CountedEndpoint finds what a route is counted as. A name that there is not is
// a mistake in the table.
func CountedEndpoint(name string) store.Endpoint {
	e, ok := store.ParseEndpoint(name)
	if !ok && name != "" {
		panic("no such endpoint in request statistics: " + name)
	}
	return e
}

// Count counts a request that was answered with success. It comes after the
// answer, and nothing that goes wrong here can spoil that.
func (c *RequestCounter) Count(r *web.Request, as store.Endpoint, from web.Client) {
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("request not counted", "panic", fmt.Sprint(p), "id", r.ID, "stack", string(debug.Stack()))
		}
	}()
	project, err := c.db.FindProject(r.Param("k"))
	if err != nil {
		return // deleted meanwhile
	}
	system, place, offset := c.dimensions(r, from)
	c.counter.Add(store.CountedRequest{
		Project: project.ID, Hour: store.HourOf(r.Received),
		Request: store.NewRequest(as, system.Platform, place, offset), System: system.Version, Client: from.Version,
	})
}

// dimensions are what requests are counted by. Of a client that asks not to be
// tracked that is the system alone.
func (c *RequestCounter) dimensions(r *web.Request, from web.Client) (useragent.System, store.Place, stats.Offset) {
	var offset stats.Offset
	if from.Untracked {
		return c.system(r, from.System), store.NewPlace("", "", ""), offset
	}
	if clock := clientClock(r, from.Time); clock.OffsetKnown {
		offset = stats.OffsetOf(clock.OffsetMinutes)
	}
	place := c.geo.Place(r.Addr)
	return c.system(r, from.System), store.NewPlace(place.CountryCode, place.ProvinceCode, place.CityCode), offset
}

// system is what useragent.Detect finds. Clients are many, but their systems are
// few, and looking one up is quicker than reading its User-Agent. Only what most
// clients send is looked up, because a long key takes its time too.
func (c *RequestCounter) system(r *web.Request, body useragent.Source) useragent.System {
	declared := r.Declared(body)
	asked := description{header: declared.Header}
	if agent := r.Header["User-Agent"]; len(agent) > 0 {
		asked.agent = agent[0]
	}
	if declared.Query != (useragent.Source{}) || declared.Body != (useragent.Source{}) || asked.length() > maxDescription {
		return useragent.Detect(declared, asked.agent)
	}
	known := c.systems.Get().(map[description]useragent.System)
	defer c.systems.Put(known)
	o, ok := known[asked]
	if !ok {
		o = useragent.Detect(declared, asked.agent)
		if len(known) == maxSystems {
			clear(known)
		}
		known[asked] = o
	}
	return o
}

// description is all that the system of a client is told by.
type description struct {
	header useragent.Source
	agent  string
}

func (d description) length() int {
	return len(d.header.Platform.Value) + len(d.header.Version.Value) + len(d.agent)
}

// Bounds of the descriptions that are remembered on each core.
const (
	maxSystems     = 1000
	maxDescription = 512 // bytes of one
)

// Dropped is the number of requests that there was no room for.
func (c *RequestCounter) Dropped() uint64 { return c.counter.Dropped() }
