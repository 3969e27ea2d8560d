package svcsdk

import (
	"context"
	"net/http"
	"time"
)

// Persistence selects the data that event collection keeps on the device.
type Persistence string

// The values of Persistence.
const (
	// PersistDevice stores the identifier and the queue in a file. It is the default.
	PersistDevice Persistence = "persistent"
	// PersistSession stores only an opt-out. The identifier and the queue are kept in memory.
	PersistSession Persistence = "session"
	// PersistNone stores nothing on the device.
	PersistNone Persistence = "none"
)

// AnalyticsOptions configures how events are collected. By default, collection starts immediately,
// events are sent every five seconds, and unsent events are stored on the device.
type AnalyticsOptions struct {
	// Disabled turns collection off.
	Disabled bool
	// RequireConsent prevents collection until [Public.GrantConsent] is called.
	RequireConsent bool
	// Persistence defaults to PersistDevice.
	Persistence Persistence
	// FlushInterval is the longest time that an event waits to be sent. The default is 5 seconds.
	FlushInterval time.Duration
	// BatchSize is the number of events in a request, at most 50. The default is 20.
	BatchSize int
	// MaxQueueSize is the maximum number of waiting events. When it is exceeded, the oldest events
	// are dropped. The default is 500.
	MaxQueueSize int
	// SessionTimeout is the time without an event after which a new session begins. The default is
	// 30 minutes.
	SessionTimeout time.Duration
	// Namespace is the name under which state is stored. By default, it is derived from the base
	// address and the project. To keep two apps of one project from sharing an identifier, give
	// them different namespaces.
	Namespace string
	// Storage replaces the file in which state is stored.
	Storage Storage
	// OnDrop receives the name of each dropped event and the reason. It may be called from any
	// goroutine and must not block.
	OnDrop func(name, reason string)
}

// Storage stores texts by key. Its methods may be called by several goroutines, but never at the
// same time.
type Storage interface {
	// Read returns the text of a key and reports whether it exists.
	Read(key string) (string, bool, error)
	Write(key, value string) error
	// Remove does nothing for a key that does not exist.
	Remove(key string) error
}

const mostBatch = 50

// check sets the defaults of options that are not set. It returns an error if an option is not
// valid.
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

// FlushResult holds the numbers of events that a flush has sent, dropped and left.
type FlushResult struct {
	Sent    int // accepted by the server
	Dropped int // given up by the client
	Pending int // left in the queue
}

// Track collects an event. It returns immediately and reports no error. The name is converted to
// lower case. It may then contain a-z 0-9 _ . : and -, and may have at most 64 characters.
// Properties may have at most 16 KiB of JSON, including app_version, which is added if they have
// none; see [WithAppVersion]. An event that breaks these rules is dropped and
// reported to OnDrop. The caller may change the properties after the call.
func (p *Public) Track(name string, properties map[string]any) {
	p.client.events.track(name, properties)
}

// Flush sends all waiting events, even during a back-off. It returns when the queue is empty or a
// request has failed.
func (p *Public) Flush(ctx context.Context) FlushResult {
	return p.client.events.flush(ctx)
}

// OptOut stops collection and deletes the identifier and all waiting events. The opt-out is stored
// on the device unless the persistence is PersistNone.
func (p *Public) OptOut() { p.client.events.optOut() }

// OptIn reverts an opt-out. Collection continues with a new identifier. If consent is required, it
// must be granted as well.
func (p *Public) OptIn() { p.client.events.optIn() }

// HasOptedOut reports whether the user has opted out of collection.
func (p *Public) HasOptedOut() bool { return p.client.events.hasOptedOut() }

// GrantConsent allows collection if consent is required. The library does not store the grant, so
// the app must call GrantConsent at each start. It does not revert an opt-out.
func (p *Public) GrantConsent() { p.client.events.grantConsent() }

// RevokeConsent deletes the identifier and all waiting events. Collection resumes after the next
// grant. If no consent is required, RevokeConsent is the same as OptOut.
func (p *Public) RevokeConsent() { p.client.events.revokeConsent() }

// ResetIdentity replaces the identifier with a new one and begins a new session. Events that are
// already waiting keep the previous identifier and session.
func (p *Public) ResetIdentity() { p.client.events.resetIdentity() }

// DistinctID returns the identifier under which events are collected, and creates one if necessary.
// It returns "" if collection is off.
func (p *Public) DistinctID() string { return p.client.events.distinctID() }

type subjectOptions struct {
	DistinctID string `query:"distinct_id"`
}

// subject returns the options for the given identifier. If distinctID is "", it uses the current
// identifier.
func (p *Public) subject(distinctID string) (*subjectOptions, error) {
	if distinctID == "" {
		distinctID = p.client.events.currentID()
	}
	if distinctID == "" {
		return nil, usage("there is no identifier, because nothing was collected")
	}
	return &subjectOptions{distinctID}, nil
}

// ExportMyData returns all data stored under an identifier. If distinctID is "", it uses the
// current identifier. If there is no current identifier, the error is a [*UsageError].
func (p *Public) ExportMyData(ctx context.Context, distinctID string) (*SubjectExport, error) {
	opts, err := p.subject(distinctID)
	if err != nil {
		return nil, err
	}
	return fetch[SubjectExport](ctx, p.call(http.MethodGet, "/public/{k}/events/me").where(opts))
}

// DeleteMyData deletes all data stored under an identifier. If distinctID is "", it uses the
// current identifier. If there is no current identifier, the error is a [*UsageError]. Waiting
// events with the identifier are dropped first. Call DeleteMyData before OptOut, because OptOut
// deletes the current identifier.
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
