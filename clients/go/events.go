package svcsdk

import (
	"context"
	"iter"
	"net/http"
)

// IngestEvents sends a batch of events as it is, without the queue of Track. Events that break a
// rule are left out and told in Rejected; the others are stored. A batch may be sent again: an
// event whose id is known is not counted twice.
func (p *Public) IngestEvents(ctx context.Context, in EventBatch) (*EventsAccepted, error) {
	return fetch[EventsAccepted](ctx, p.call(http.MethodPost, "/public/{k}/events").body(in))
}

// ListEventDefinitions lists the names of events, the last seen first. search looks into name,
// display name and description. The range is that of range_count alone.
func (a *Admin) ListEventDefinitions(ctx context.Context, opts *ListEventDefinitionsOptions) (*Page[EventDefinition], error) {
	return fetch[Page[EventDefinition]](ctx, a.call(http.MethodGet, "/admin/projects/{k}/events/definitions").where(opts))
}

// IterEventDefinitions walks all pages of ListEventDefinitions, a hundred entries at a time, and
// ignores the Limit and Offset of opts. It ends with the first error.
func (a *Admin) IterEventDefinitions(ctx context.Context, opts *ListEventDefinitionsOptions) iter.Seq2[EventDefinition, error] {
	return walk(opts, func(o *ListEventDefinitionsOptions) (*Page[EventDefinition], error) {
		return a.ListEventDefinitions(ctx, o)
	})
}

// GetEventDefinition reads what is said of a name of events. Its range_count is 0.
func (a *Admin) GetEventDefinition(ctx context.Context, id string) (*EventDefinition, error) {
	return fetch[EventDefinition](ctx, a.call(http.MethodGet, "/admin/projects/{k}/events/definitions/{id}", id))
}

// UpdateEventDefinition describes a name of events.
func (a *Admin) UpdateEventDefinition(ctx context.Context, id string, in EventDefinitionChange) (*EventDefinition, error) {
	return fetch[EventDefinition](ctx, a.call(http.MethodPatch, "/admin/projects/{k}/events/definitions/{id}", id).body(in))
}

// DeleteEventDefinition forgets the description of a name. Events and counts stay. The next event
// of the name makes a new one.
func (a *Admin) DeleteEventDefinition(ctx context.Context, id string) error {
	return perform(ctx, a.call(http.MethodDelete, "/admin/projects/{k}/events/definitions/{id}", id))
}

// DeleteEventSubject deletes everything that is stored of a sender. Deletes all events of an
// identifier for good. Counts by the hour, in which nobody can be found, stay.
func (a *Admin) DeleteEventSubject(ctx context.Context, distinctID string) (*EventsErased, error) {
	return fetch[EventsErased](ctx, a.call(http.MethodDelete, "/admin/projects/{k}/events/subjects/{distinct_id}", distinctID))
}

// EventBatch is events of one sender.
type EventBatch struct {
	// Who sends: an anonymous identifier that the app made up. Kept as it is.
	DistinctID string `json:"distinct_id"`
	// Up to 50, if the server has no other limit.
	Events []EventInput `json:"events"`
	// Session of the batch; empty is none.
	SessionID Opt[string] `json:"session_id,omitzero"`
	// What it runs on, in its own words: `windows 11`. What is not understood is ignored.
	Platform Opt[string] `json:"platform,omitzero"`
	// Version of the system. What is longer than 32 characters is ignored.
	PlatformVersion Opt[string] `json:"platform_version,omitzero"`
	// The same as the header `x-svc-client-time`, which wins. For beacons, which have no headers of
	// their own.
	ClientTime Opt[string] `json:"client_time,omitzero"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// EventInput is an event.
type EventInput struct {
	// Tells the event from all others of the project, so that it is stored once however often it is
	// sent. A UUID is fine.
	EventID string `json:"event_id"`
	// What happened.
	Name string `json:"name"`
	// When, by the client's clock; left out, it is when it arrives.
	OccurredAt Opt[int64] `json:"occurred_at,omitzero"`
	// Whatever describes it, at most 100 levels. Statistics see the first level.
	Properties Opt[map[string]any] `json:"properties,omitzero"`
}

// EventsAccepted says what became of a batch.
type EventsAccepted struct {
	// How many are stored now that were not before.
	Accepted int64 `json:"accepted"`
	// The others: unusable names, names beyond the limit, known ids, and those that are
	// rejected.
	Skipped int64 `json:"skipped"`
	// Nothing was stored, because the client asks not to be tracked or the project collects no
	// events.
	Suppressed bool `json:"suppressed"`
	// An event was skipped because its name is new and the project has as many event names as
	// the server allows.
	NamesFull bool `json:"names_full,omitempty"`
	// The events that break a rule; left out when there are none.
	Rejected []RejectedEvent `json:"rejected,omitempty"`
}

// RejectedEvent is an event that broke a rule.
type RejectedEvent struct {
	// Its place in the batch, from 0.
	Index int64 `json:"index"`
	// What is wrong with it.
	Message string `json:"message"`
}

// SubjectExport is everything that is stored of an identifier.
type SubjectExport struct {
	// As asked for.
	DistinctID string `json:"distinct_id"`
	// How many events.
	Total int64 `json:"total"`
	// All of them, from the oldest to the newest.
	Data []StoredEvent `json:"data"`
}

// StoredEvent is an event as the server keeps it.
type StoredEvent struct {
	// What happened.
	EventName string `json:"event_name"`
	// As it was sent.
	EventID string `json:"event_id"`
	// Session, if one was sent.
	SessionID *string `json:"session_id"`
	// When, by the corrected clock of the client.
	OccurredAt int64 `json:"occurred_at"`
	// When it arrived.
	ReceivedAt int64 `json:"received_at"`
	// As they were sent.
	Properties map[string]any `json:"properties"`
	// Address that it came from, as far as the server keeps it: without its last part, as a rule.
	IP *string `json:"ip"`
	// What the program calls itself, at most 512 characters.
	UserAgent *string `json:"user_agent"`
	// Country of the address, ISO 3166-1; `LOCAL` for one of a private network.
	CountryCode *string `json:"country_code"`
	// Name of the country.
	CountryName *string `json:"country_name"`
	// Name of the state or province.
	RegionName *string `json:"region_name"`
	// Name of the city.
	City *string `json:"city"`
	// What it ran on; null when not known.
	Platform *Platform `json:"platform"`
	// Version of the system.
	PlatformVersion *string `json:"platform_version"`
}

// EventsErased says how many events were deleted.
type EventsErased struct {
	// Always true.
	Success bool `json:"success"`
	// How many events were deleted.
	Deleted int64 `json:"deleted"`
}

// EventDefinition is a name of events.
type EventDefinition struct {
	// Id of the definition.
	EventDefinitionID string `json:"event_definition_id"`
	// Key of the project.
	ProjectKey string `json:"project_key"`
	// Name of the events.
	Name string `json:"name"`
	// What people call it.
	DisplayName *string `json:"display_name"`
	// What it means.
	Description *string `json:"description"`
	// Left out of lists that do not ask for archived ones. Its events are taken all the same.
	Archived bool `json:"archived"`
	// Time of the oldest event that came.
	FirstSeenTime int64 `json:"first_seen_time"`
	// Time of the newest event that came.
	LastSeenTime int64 `json:"last_seen_time"`
	// How many events were in the range, by the hour.
	RangeCount int64 `json:"range_count"`
}

// EventDefinitionChange is how a name of events is described.
type EventDefinitionChange struct {
	// What people call it.
	DisplayName Opt[string] `json:"display_name,omitzero"`
	// What it means.
	Description Opt[string] `json:"description,omitzero"`
	// Leave it out of lists that do not ask for archived ones.
	Archived *bool `json:"archived,omitempty"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// ListEventDefinitionsOptions choose a page of names of events and the range of their counts.
type ListEventDefinitionsOptions struct {
	// Begin of the range, inclusive. Left out: a week before its end.
	StartTime *int64 `query:"start_time"`
	// End of the range, inclusive. Left out: now.
	EndTime *int64 `query:"end_time"`
	// Minutes east of UTC in which days begin.
	TZOffsetMinutes int `query:"tz_offset_minutes"`
	// 1 to 200; 50 when 0.
	Limit int `query:"limit"`
	// How many to leave out at the beginning.
	Offset int `query:"offset"`
	// Only what contains this text, in any case of letters.
	Search string `query:"search"`
	// Archived ones, too.
	IncludeArchived *bool `query:"include_archived"`
}

func (o *ListEventDefinitionsOptions) page() (limit, offset *int) { return &o.Limit, &o.Offset }
