package svcsdk

import (
	"context"
	"net/http"
	"time"
)

// Persistence selects the data that event collection keeps on the device.
type Persistence string

// The ways to keep things on the device.
const (
	// PersistDevice keeps identifier and queue in a file. It is the default.
	PersistDevice Persistence = "persistent"
	// PersistSession keeps only the marker of an opt-out.
	PersistSession Persistence = "session"
	// PersistNone keeps nothing at all.
	PersistNone Persistence = "none"
)

// AnalyticsOptions change how events are collected. The zero value collects them at once, sends
// them every five seconds and keeps what was not sent on the device.
type AnalyticsOptions struct {
	// Disabled switches collection off.
	Disabled bool
	// RequireConsent collects nothing before [Public.GrantConsent].
	RequireConsent bool
	// Persistence is PersistDevice when empty.
	Persistence Persistence
	// FlushInterval is how long an event waits at most; 5 seconds when 0.
	FlushInterval time.Duration
	// BatchSize is how many events are sent together, at most 50; 20 when 0.
	BatchSize int
	// MaxQueueSize is how many events wait at most; 500 when 0. Above it the oldest go.
	MaxQueueSize int
	// SessionTimeout is the time without an event after which a new session begins; 30 minutes
	// when 0.
	SessionTimeout time.Duration
	// Namespace is where state is kept, instead of a name made of base address and project. Two
	// apps of one project that must not share an identifier set it.
	Namespace string
	// Storage replaces the file that state is kept in.
	Storage Storage
	// OnDrop receives the name of each dropped event and the reason. It may be called by any
	// goroutine and must not wait.
	OnDrop func(name, reason string)
}

// Storage keeps texts by key. It is used by several goroutines, one at a time.
type Storage interface {
	// Read returns the text, and whether there is one.
	Read(key string) (string, bool, error)
	Write(key, value string) error
	// Remove does nothing for a key that does not exist.
	Remove(key string) error
}

const mostBatch = 50

// check fills in defaults and refuses what cannot be meant.
func (o *AnalyticsOptions) check() error {
	switch o.Persistence {
	case "", "device":
		o.Persistence = PersistDevice
	case PersistDevice, PersistSession, PersistNone:
	default:
		return usage("persistence must be persistent, session or none")
	}
	if o.FlushInterval < 0 || o.SessionTimeout < 0 || o.BatchSize < 0 || o.MaxQueueSize < 0 {
		return usage("flush interval, session timeout, batch size and queue size must be greater than 0")
	}
	setDefault(&o.FlushInterval, 5*time.Second)
	setDefault(&o.SessionTimeout, 30*time.Minute)
	setDefault(&o.BatchSize, 20)
	setDefault(&o.MaxQueueSize, 500)
	o.BatchSize = min(o.BatchSize, mostBatch)
	return nil
}

func setDefault[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}

// FlushResult is the result of a flush.
type FlushResult struct {
	Sent    int // accepted by the server
	Dropped int // given up
	Pending int // left in the queue
}

// Track collects an event. It returns at once and never fails: names may have a-z 0-9 _ . : and -
// after lower-casing, at most 64; properties may have 16 KiB of JSON. What breaks these rules is
// dropped, and the drop hook is told. Properties may be changed after the call.
func (p *Public) Track(name string, properties map[string]any) {
	p.client.events.track(name, properties)
}

// Flush sends all events that wait, also during a back-off, and returns when none is left or a
// request failed.
func (p *Public) Flush(ctx context.Context) FlushResult {
	return p.client.events.flush(ctx)
}

// OptOut stops collection and forgets identifier and events. It is remembered unless persistence
// is off.
func (p *Public) OptOut() { p.client.events.optOut() }

// OptIn takes an opt-out back. Collection goes on with a new identifier; where consent is required,
// it needs a grant as well.
func (p *Public) OptIn() { p.client.events.optIn() }

// HasOptedOut reports whether collection was opted out of.
func (p *Public) HasOptedOut() bool { return p.client.events.hasOptedOut() }

// GrantConsent lets collection start where consent is required. It is not remembered: call it at
// each start. It does not take an opt-out back.
func (p *Public) GrantConsent() { p.client.events.grantConsent() }

// RevokeConsent forgets identifier and events and waits for another grant. Where no consent is
// required it is the same as OptOut.
func (p *Public) RevokeConsent() { p.client.events.revokeConsent() }

// ResetIdentity begins a new identifier and session. Events that wait keep theirs.
func (p *Public) ResetIdentity() { p.client.events.resetIdentity() }

// DistinctID is the identifier under which events are collected, "" while none are. Reading it
// makes one if need be.
func (p *Public) DistinctID() string { return p.client.events.distinctID() }

type subjectOptions struct {
	DistinctID string `query:"distinct_id"`
}

// subject returns the given identifier, else the current one.
func (p *Public) subject(distinctID string) (*subjectOptions, error) {
	if distinctID == "" {
		distinctID = p.client.events.currentID()
	}
	if distinctID == "" {
		return nil, usage("there is no identifier, because nothing was collected")
	}
	return &subjectOptions{distinctID}, nil
}

// ExportMyData returns everything that is stored of an identifier; "" is the current one. Without
// any the error is a [*UsageError].
func (p *Public) ExportMyData(ctx context.Context, distinctID string) (*SubjectExport, error) {
	opts, err := p.subject(distinctID)
	if err != nil {
		return nil, err
	}
	return fetch[SubjectExport](ctx, p.call(http.MethodGet, "/public/{k}/events/me").where(opts))
}

// DeleteMyData deletes everything that is stored of an identifier; "" is the current one. Without
// any the error is a [*UsageError]. Events of it that wait are dropped first. Call it before
// OptOut, which forgets the identifier.
func (p *Public) DeleteMyData(ctx context.Context, distinctID string) (*EventsErased, error) {
	opts, err := p.subject(distinctID)
	if err != nil {
		return nil, err
	}
	c := p.call(http.MethodDelete, "/public/{k}/events/me").where(opts)
	if _, err := c.prepare(ctx); err != nil {
		return nil, err
	}
	p.client.events.erase(ctx, opts.DistinctID)
	return fetch[EventsErased](ctx, c)
}
