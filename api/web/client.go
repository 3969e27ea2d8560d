package web

import (
	"strings"
	"sync"

	"svc/internal/event/submission"
	"svc/internal/geo"
	"svc/internal/useragent"
)

// Clients resolves facts about the clients of requests. It is safe for concurrent use.
type Clients struct {
	places  *geo.Locator // nil disables lookups
	systems sync.Pool    // of map[description]useragent.System, one for each core
}

// NewClients returns a resolver. places may be nil.
func NewClients(places *geo.Locator) *Clients {
	return &Clients{places: places, systems: sync.Pool{New: func() any { return map[description]useragent.System{} }}}
}

// Declaration holds the facts about a client that are in the body of its request.
type Declaration struct {
	System    useragent.Source
	Version   string         // of the app that asks for an update
	Time      useragent.Text // by the client's clock
	Untracked bool           // the client asks not to be tracked, so its place is not looked up
}

// Client holds the facts about the client of a request. Each is resolved when it is first asked
// for, and kept. Like its request, it is for one goroutine.
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

// Declare sets the facts in the body. A handler calls it before any of them is resolved.
func (r *Request) Declare(d Declaration) { r.Client().Declaration = d }

// System returns the operating system of the client, according to headers, query, body and
// User-Agent.
func (c *Client) System() useragent.System {
	if !c.has.system {
		c.system, c.has.system = c.request.Route.Clients.system(c.declared(), c.request.UserAgent()), true
	}
	return c.system
}

// FeedbackSystem returns the operating system that feedback is stored with. A platform in the
// body, which has been checked, takes precedence over all other sources.
func (c *Client) FeedbackSystem() useragent.System { return useragent.Feedback(c.declared(), c.System) }

// Place returns the place of the client's address. An address that is not found has the zero Place.
func (c *Client) Place() geo.Place {
	if !c.has.place {
		c.place, c.has.place = c.request.Route.Clients.places.Place(c.request.Addr), true
	}
	return c.place
}

// Clock returns the client's time. It comes from a header or, for beacons, which cannot set
// headers, from the body.
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

// declared returns the platforms that the parts of the request name. The platform in the query of
// a list is a filter, not the client's platform.
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

// system returns the result of useragent.Detect. It caches results, because there are many clients
// and few systems, and a lookup is faster than parsing a User-Agent. Unusual and long descriptions
// are not cached: hashing a long key takes time too.
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

// Limits of the cache of systems, for each core.
const (
	maxSystems     = 1000
	maxDescription = 512 // bytes of one description
)

// headerText returns a header by its canonical name.
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

// BodyText returns a field of the body. A value that is not a text counts as an empty text that
// was sent.
func BodyText(o Optional[string]) useragent.Text {
	return useragent.Text{Value: o.Or(""), Sent: o.Sent && !o.Null()}
}
