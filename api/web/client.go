package web

import (
	"strings"
	"sync"

	"svc/internal/event/submission"
	"svc/internal/geo"
	"svc/internal/useragent"
)

// Clients determines facts about the clients that send requests, such as their operating systems
// and locations. It is safe for concurrent use.
type Clients struct {
	places  *geo.Locator // nil disables lookups
	systems sync.Pool    // contains a map[description]useragent.System for each core
}

// NewClients returns a Clients that looks up the locations of client addresses in the given
// locator. If places is nil, all locations are unknown.
func NewClients(places *geo.Locator) *Clients {
	return &Clients{places: places, systems: sync.Pool{New: func() any { return map[description]useragent.System{} }}}
}

// Declaration holds what a client states about itself in the body of a request.
type Declaration struct {
	System    useragent.Source
	Version   string         // version of the app that asks for an update
	Time      useragent.Text // the time on the client's clock
	Untracked bool           // the client asks not to be tracked, so its place is not looked up
}

// Client holds the facts about the client of a request. Each fact is resolved when it is first
// needed, and then stored. Like the request, a Client must only be used by one goroutine at a time.
type Client struct {
	Declaration
	request *Request

	system useragent.System
	place  geo.Place
	clock  submission.Clock
	has    struct{ system, place, clock bool }
}

// Client returns the client of the request.
func (r *Request) Client() *Client {
	if r.client == nil {
		r.client = &Client{request: r}
	}
	return r.client
}

// Declare sets the facts about the client that the request body contains. A handler must call
// Declare before it asks for any fact about the client.
func (r *Request) Declare(d Declaration) { r.Client().Declaration = d }

// System returns the operating system of the client, according to headers, query, body and
// User-Agent.
func (c *Client) System() useragent.System {
	if !c.has.system {
		c.system, c.has.system = c.request.Route.Clients.system(c.declared(), c.request.UserAgent()), true
	}
	return c.system
}

// FeedbackSystem returns the operating system to store with feedback. A platform in the body, which
// the handler has already validated, takes precedence over all other sources.
func (c *Client) FeedbackSystem() useragent.System { return useragent.Feedback(c.declared(), c.System) }

// Place returns the location of the client's address, or the zero Place if the address is not
// found.
func (c *Client) Place() geo.Place {
	if !c.has.place {
		c.place, c.has.place = c.request.Route.Clients.places.Place(c.request.Addr), true
	}
	return c.place
}

// Clock returns the client's time zone and the difference between its clock and the server's. They
// are calculated from the time that the client sends in a header or, if there is none, in the body.
// Beacons cannot set headers, so they send it in the body.
func (c *Client) Clock() submission.Clock {
	if !c.has.clock {
		sent := headerText(c.request, "X-Svc-Client-Time")
		if !sent.Sent {
			sent = c.Time
		}
		if sent.Sent {
			c.clock = submission.ClientTime(sent.Value, c.request.Received)
		}
		c.has.clock = true
	}
	return c.clock
}

// declared returns the platforms that the headers, the query and the body of the request name. If
// the route uses the platform in the query as a filter, that platform is ignored.
func (c *Client) declared() useragent.Declared {
	r := c.request
	d := useragent.Declared{
		Header: useragent.Source{Platform: headerText(r, "X-Svc-Platform"), Version: headerText(r, "X-Svc-Platform-Version")},
		Body:   c.Declaration.System,
	}
	if strings.Contains(r.URL.RawQuery, "platform") {
		d.Query = useragent.Source{Platform: queryText(r, "platform"), Version: queryText(r, "platform_version")}
		if r.Route.FiltersPlatform {
			d.Query.Platform = useragent.Text{}
		}
	}
	return d
}

// system returns the result of useragent.Detect, which it caches: a lookup is faster than parsing a
// User-Agent, and many clients share few systems. It does not cache unusual or long descriptions,
// because hashing a long key takes time too.
func (c *Clients) system(declared useragent.Declared, agent string) useragent.System {
	asked := description{declared.Header, agent}
	if declared.Query != (useragent.Source{}) || declared.Body != (useragent.Source{}) || asked.length() > maxDescription {
		return useragent.Detect(declared, agent)
	}
	known := c.systems.Get().(map[description]useragent.System)
	defer c.systems.Put(known)
	system, ok := known[asked]
	if !ok {
		system = useragent.Detect(declared, agent)
		if len(known) == maxSystems {
			clear(known)
		}
		known[asked] = system
	}
	return system
}

// description is the cache key of a client's system.
type description struct {
	header useragent.Source
	agent  string
}

func (d description) length() int {
	return len(d.header.Platform.Value) + len(d.header.Version.Value) + len(d.agent)
}

// Limits of the cache of systems. Each core has its own cache.
const (
	maxSystems     = 1000
	maxDescription = 512 // maximum size of one description, in bytes
)

// headerText returns the first value of the header with the given canonical name.
func headerText(r *Request, name string) useragent.Text {
	values := r.Header[name]
	if len(values) == 0 {
		return useragent.Text{}
	}
	return useragent.Text{Value: values[0], Sent: true}
}

func queryText(r *Request, name string) useragent.Text {
	return useragent.Text{Value: r.Query(name), Sent: r.Sent(name)}
}

// BodyText returns a field of the body. A value of another type counts as an empty text.
func BodyText(o Optional[string]) useragent.Text {
	return useragent.Text{Value: o.Or(""), Sent: o.Sent && !o.Null()}
}
