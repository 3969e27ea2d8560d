package svcsdk

import (
	"context"
	"iter"
	"net/http"
)

// GetFeedbackOptions says whether feedback can be forwarded to the code host.
func (p *Public) GetFeedbackOptions(ctx context.Context) (*FeedbackOptions, error) {
	return fetch[FeedbackOptions](ctx, p.call(http.MethodGet, "/public/{k}/feedbacks/options"))
}

// ListFeedbacks lists feedback, newest first. search looks into content, user, contact, address,
// city, country and region name, and system version.
func (a *Admin) ListFeedbacks(ctx context.Context, opts *ListFeedbacksOptions) (*Page[Feedback], error) {
	return fetch[Page[Feedback]](ctx, a.call(http.MethodGet, "/admin/projects/{k}/feedbacks").where(opts))
}

// IterFeedbacks walks all pages of ListFeedbacks, a hundred entries at a time, and ignores the
// Limit and Offset of opts. It ends with the first error.
func (a *Admin) IterFeedbacks(ctx context.Context, opts *ListFeedbacksOptions) iter.Seq2[Feedback, error] {
	return walk(opts, func(o *ListFeedbacksOptions) (*Page[Feedback], error) { return a.ListFeedbacks(ctx, o) })
}

// CreateFeedback adds feedback that came another way. Everything is stored as sent; there is no
// address, User-Agent or place. Never taken for a duplicate.
func (a *Admin) CreateFeedback(ctx context.Context, in FeedbackCreate) (*Feedback, error) {
	return fetch[Feedback](ctx, a.call(http.MethodPost, "/admin/projects/{k}/feedbacks").body(in))
}

// GetFeedback reads one feedback.
func (a *Admin) GetFeedback(ctx context.Context, id string) (*Feedback, error) {
	return fetch[Feedback](ctx, a.call(http.MethodGet, "/admin/projects/{k}/feedbacks/{id}", id))
}

// UpdateFeedback changes feedback, for example its status and result.
func (a *Admin) UpdateFeedback(ctx context.Context, id string, in FeedbackFields) (*Feedback, error) {
	return fetch[Feedback](ctx, a.call(http.MethodPatch, "/admin/projects/{k}/feedbacks/{id}", id).body(in))
}

// DeleteFeedback deletes feedback.
func (a *Admin) DeleteFeedback(ctx context.Context, id string) error {
	return perform(ctx, a.call(http.MethodDelete, "/admin/projects/{k}/feedbacks/{id}", id))
}

// ForwardFeedback makes stored feedback an issue at the code host, which takes up to 20 seconds.
// What is forwarded already is answered as it is: there is never a second issue.
func (a *Admin) ForwardFeedback(ctx context.Context, id string) (*Feedback, error) {
	return fetch[Feedback](ctx, a.call(http.MethodPost, "/admin/projects/{k}/feedbacks/{id}/forward", id))
}

// GetFeedbackStatistics counts the feedback of all projects. Hidden feedback counts. Not for keys
// that are limited to projects.
func (a *Admin) GetFeedbackStatistics(ctx context.Context) (*FeedbackStatistics, error) {
	return fetch[FeedbackStatistics](ctx, a.call(http.MethodGet, "/admin/feedbacks/statistics"))
}

// GetFeedbackRatingStats counts the feedback of a project by rating. Of what was made in the range
// of time. Hidden feedback counts.
func (a *Admin) GetFeedbackRatingStats(ctx context.Context, opts *RangeOptions) (*FeedbackRatings, error) {
	return fetch[FeedbackRatings](ctx, a.call(http.MethodGet, "/admin/projects/{k}/stats/feedbacks").where(opts))
}

// FeedbackState is how far the work on feedback is. Values that this library does not know
// are kept.
type FeedbackState string

// The states of feedback.
const (
	FeedbackOpen       FeedbackState = "open"
	FeedbackInProgress FeedbackState = "in_progress"
	FeedbackResolved   FeedbackState = "resolved"
	FeedbackClosed     FeedbackState = "closed"
)

// Feedback is what a user told a project.
type Feedback struct {
	// Id of the feedback.
	ID string `json:"id"`
	// Who the app says it is.
	UserID *string `json:"user_id"`
	// 1, the worst, to 5.
	Rating *int64 `json:"rating"`
	// What they have to say.
	Content string `json:"content"`
	// Where to answer.
	Contact *string `json:"contact"`
	// Left out of lists that do not ask for hidden ones.
	IsHidden bool `json:"is_hidden"`
	// How far it has been dealt with. Any state may follow any other.
	Status FeedbackState `json:"status"`
	// What came of it.
	Result *string `json:"result"`
	// What it was sent from; null when not known.
	Platform *Platform `json:"platform"`
	// Version of the system.
	PlatformVersion *string `json:"platform_version"`
	// Whatever was kept with it.
	CustomData map[string]any `json:"custom_data"`
	// An issue at the code host was made of it.
	ForwardedToCodehost bool `json:"forwarded_to_codehost"`
	// Number of that issue.
	CodehostIssueNumber *int64 `json:"codehost_issue_number"`
	// Address of that issue.
	CodehostIssueURL *string `json:"codehost_issue_url"`
	// Address of the client that sent it. Null, like the next five, for what an administrator added.
	IP *string `json:"ip"`
	// What its program calls itself, at most 512 characters.
	UserAgent *string `json:"user_agent"`
	// Country of the address, ISO 3166-1; `LOCAL` for one of a private network.
	CountryCode *string `json:"country_code"`
	// Name of the country.
	CountryName *string `json:"country_name"`
	// Name of the state or province.
	RegionName *string `json:"region_name"`
	// Name of the city.
	City *string `json:"city"`
	// When it was stored.
	CreatedAt int64 `json:"created_at"`
}

// FeedbackOptions say whether feedback can be forwarded to the code host.
type FeedbackOptions struct {
	// Key of the project.
	ProjectKey string `json:"project_key"`
	// Whether feedback can become an issue at the code host.
	CodehostForwardAvailable bool `json:"codehost_forward_available"`
	// Whether that needs a contact. The same as the field before.
	ContactRequiredForForward bool `json:"contact_required_for_forward"`
}

// FeedbackInput is what a user tells a project.
type FeedbackInput struct {
	// What they have to say; may be empty.
	Content string `json:"content"`
	// Who the app says it is.
	UserID Opt[string] `json:"user_id,omitzero"`
	// 1, the worst, to 5.
	Rating Opt[int64] `json:"rating,omitzero"`
	// Where to answer; any text.
	Contact Opt[string] `json:"contact,omitzero"`
	// What it was sent from.
	Platform Opt[Platform] `json:"platform,omitzero"`
	// Version of the system.
	PlatformVersion Opt[string] `json:"platform_version,omitzero"`
	// Whatever the app wants to keep with it.
	CustomData Opt[map[string]any] `json:"custom_data,omitzero"`
	// Make an issue of it at the code host. Refused with 400 where that is not possible, see the
	// options.
	ForwardToCodehost *bool `json:"forward_to_codehost,omitempty"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// FeedbackCreate is feedback that came another way.
type FeedbackCreate struct {
	// What they have to say; may be empty.
	Content string `json:"content"`
	// Who it is from.
	UserID Opt[string] `json:"user_id,omitzero"`
	// 1, the worst, to 5.
	Rating Opt[int64] `json:"rating,omitzero"`
	// Where to answer; any text.
	Contact Opt[string] `json:"contact,omitzero"`
	// Left out of lists that do not ask for hidden ones. It still counts.
	IsHidden *bool `json:"is_hidden,omitempty"`
	// How far it has been dealt with. Any state may follow any other.
	Status *FeedbackState `json:"status,omitempty"`
	// What came of it.
	Result Opt[string] `json:"result,omitzero"`
	// What it was sent from.
	Platform Opt[Platform] `json:"platform,omitzero"`
	// Version of the system.
	PlatformVersion Opt[string] `json:"platform_version,omitzero"`
	// Whatever you want to keep with it.
	CustomData Opt[map[string]any] `json:"custom_data,omitzero"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// FeedbackFields are the fields of feedback that change.
type FeedbackFields struct {
	// Who it is from.
	UserID Opt[string] `json:"user_id,omitzero"`
	// 1, the worst, to 5.
	Rating Opt[int64] `json:"rating,omitzero"`
	// What they have to say; may be empty.
	Content *string `json:"content,omitempty"`
	// Where to answer; any text.
	Contact Opt[string] `json:"contact,omitzero"`
	// Left out of lists that do not ask for hidden ones. It still counts.
	IsHidden *bool `json:"is_hidden,omitempty"`
	// How far it has been dealt with. Any state may follow any other.
	Status *FeedbackState `json:"status,omitempty"`
	// What came of it.
	Result Opt[string] `json:"result,omitzero"`
	// What it was sent from.
	Platform Opt[Platform] `json:"platform,omitzero"`
	// Version of the system.
	PlatformVersion Opt[string] `json:"platform_version,omitzero"`
	// Whatever you want to keep with it.
	CustomData Opt[map[string]any] `json:"custom_data,omitzero"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// FeedbackStatistics is a count of the feedback of all projects.
type FeedbackStatistics struct {
	// How much feedback there is in all projects.
	Count int64 `json:"count"`
	// How many of them have a rating.
	RateCount int64 `json:"rate_count"`
	// Mean of the ratings, not rounded; null without any.
	RateAvg *float64 `json:"rate_avg"`
}

// FeedbackRatings is a count of the feedback of a project by rating.
type FeedbackRatings struct {
	// First second of the range.
	StartTime int64 `json:"start_time"`
	// Last second of the range.
	EndTime int64 `json:"end_time"`
	// All feedback in it, with and without a rating.
	Total int64 `json:"total"`
	// How many of them have no rating.
	Unrated int64 `json:"unrated"`
	// Mean of the ratings, not rounded; null without any.
	AverageRating *float64 `json:"average_rating"`
	// One entry for each rating, ascending.
	ByRating []RatingCount `json:"by_rating"`
}

// RatingCount is how often a rating was given.
type RatingCount struct {
	// The rating.
	Rating int64 `json:"rating"`
	// How many have it.
	Count int64 `json:"count"`
}

// ListFeedbacksOptions choose a page of feedback.
type ListFeedbacksOptions struct {
	// 1 to 100; 20 when 0.
	Limit int `query:"limit"`
	// How many to leave out at the beginning.
	Offset int `query:"offset"`
	// Only what contains this text, in any case of letters.
	Search string `query:"search"`
	// Only what is meant for this platform.
	Platform Platform `query:"platform"`
	// Only this rating, 1 to 5.
	Rating int `query:"rating"`
	// Only this status.
	Status FeedbackState `query:"status"`
	// Hidden ones, too.
	IncludeHidden *bool `query:"include_hidden"`
}

func (o *ListFeedbacksOptions) page() (limit, offset *int) { return &o.Limit, &o.Offset }
