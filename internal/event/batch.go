package event

import "svc/internal/platform"

// Batch is the events of one request, checked and corrected.
type Batch struct {
	Project  Project
	Received int64  // Unix second
	Subject  string // distinct_id, 1 to 128 characters
	Session  string // session_id; "" = none
	Client   Client
	// OffsetMinutes is the client's time zone, minutes east of UTC, a dimension
	// of the hourly counters only.
	OffsetMinutes int
	OffsetKnown   bool
	Items         []Item
}

// Client is what is stored of the client that sent a batch. An empty text is
// not known.
type Client struct {
	Platform        platform.Platform
	PlatformVersion string
	Region          string // ISO 3166-1 alpha-2 or LOCAL
	CountryName     string
	RegionName      string
	City            string
	Address         string
	UserAgent       string
}

// Item is one event of a batch.
type Item struct {
	ID         string // event_id, 1 to 128 characters
	Name       string // normalised
	At         int64  // Unix second, corrected
	Properties []byte // a JSON object, compact, each key once; nil = none
}

// Event is a stored event as its subject may see it.
type Event struct {
	Name, ID, Session string // Session "" = none
	At, Received      int64  // Unix seconds
	Properties        []byte // a JSON object; nil = none
	Client            Client
}
