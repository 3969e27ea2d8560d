package svcsdk

import (
	"context"
	"iter"
	"net/http"
)

// UploadLog uploads a log entry. The same content sent again from the same address within a minute
// is one record: the answer is the one that exists. Nothing that is said about the platform is an
// error; what is not understood is not stored.
func (p *Public) UploadLog(ctx context.Context, in LogInput) (*Log, error) {
	return fetch[Log](ctx, p.call(http.MethodPost, "/public/{k}/logs").body(in))
}

// ListLogs lists logs, newest first. search looks into content, source, address, city, country and
// region name, and system version.
func (a *Admin) ListLogs(ctx context.Context, opts *ListLogsOptions) (*Page[Log], error) {
	return fetch[Page[Log]](ctx, a.call(http.MethodGet, "/admin/projects/{k}/logs").where(opts))
}

// IterLogs walks all pages of ListLogs, a hundred entries at a time, and ignores the Limit and
// Offset of opts. It ends with the first error.
func (a *Admin) IterLogs(ctx context.Context, opts *ListLogsOptions) iter.Seq2[Log, error] {
	return walk(opts, func(o *ListLogsOptions) (*Page[Log], error) { return a.ListLogs(ctx, o) })
}

// CreateLog adds a log that came another way. Everything is stored as sent; there is no address,
// User-Agent or place. Never taken for a duplicate.
func (a *Admin) CreateLog(ctx context.Context, in LogCreate) (*Log, error) {
	return fetch[Log](ctx, a.call(http.MethodPost, "/admin/projects/{k}/logs").body(in))
}

// UpdateLog hides a log or show it again. A log is evidence. Nothing else of it can ever be
// changed, and a single one cannot be deleted.
func (a *Admin) UpdateLog(ctx context.Context, id string, in LogChange) (*Log, error) {
	return fetch[Log](ctx, a.call(http.MethodPatch, "/admin/projects/{k}/logs/{id}", id).body(in))
}

// PruneLogs deletes the logs that meet all conditions of in, of which there must be one at least.
// It works in steps; after an error or a lost answer the same call deletes the rest. It needs a
// session.
func (a *Admin) PruneLogs(ctx context.Context, in LogPrune) (*PrunedLogs, error) {
	return fetch[PrunedLogs](ctx, a.call(http.MethodPost, "/admin/projects/{k}/logs/prune").body(in))
}

// GetLogStatistics counts the logs of all projects. Hidden logs count. Not for keys that are
// limited to projects.
func (a *Admin) GetLogStatistics(ctx context.Context) (*LogStatistics, error) {
	return fetch[LogStatistics](ctx, a.call(http.MethodGet, "/admin/logs/statistics"))
}

// GetLogLevelStats counts the logs of a project by level. Of what was made in the range of time.
// Hidden logs count.
func (a *Admin) GetLogLevelStats(ctx context.Context, opts *RangeOptions) (*LogLevels, error) {
	return fetch[LogLevels](ctx, a.call(http.MethodGet, "/admin/projects/{k}/stats/logs").where(opts))
}

// LogLevel says how bad it is.
type LogLevel int

// The levels of logs.
const (
	LogDebug   LogLevel = 0
	LogInfo    LogLevel = 1
	LogWarning LogLevel = 2
	LogError   LogLevel = 3
)

// Log is what an app reported.
type Log struct {
	// Id of the log.
	ID string `json:"id"`
	// 0 debug, 1 info, 2 warning, 3 error.
	Level LogLevel `json:"level"`
	// What happened.
	Content string `json:"content"`
	// Where in the app.
	Source *string `json:"source"`
	// What the app says about the device; not to be trusted.
	DeviceInfo map[string]any `json:"device_info"`
	// Whatever was kept with it.
	CustomData map[string]any `json:"custom_data"`
	// Left out of lists that do not ask for hidden ones.
	IsHidden bool `json:"is_hidden"`
	// What it ran on; null when not known.
	Platform *Platform `json:"platform"`
	// Version of the system.
	PlatformVersion *string `json:"platform_version"`
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

// LogInput is what an app reports.
type LogInput struct {
	// 0 debug, 1 info, 2 warning, 3 error.
	Level LogLevel `json:"level"`
	// What happened; may be empty.
	Content string `json:"content"`
	// Where in the app.
	Source Opt[string] `json:"source,omitzero"`
	// What the app says about the device.
	DeviceInfo Opt[map[string]any] `json:"device_info,omitzero"`
	// Whatever the app wants to keep with it.
	CustomData Opt[map[string]any] `json:"custom_data,omitzero"`
	// What it runs on, in its own words: `windows 11`. What is not understood is ignored.
	Platform Opt[string] `json:"platform,omitzero"`
	// Version of the system. What is longer than 32 characters is ignored.
	PlatformVersion Opt[string] `json:"platform_version,omitzero"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// LogCreate is a log that came another way.
type LogCreate struct {
	// 0 debug, 1 info, 2 warning, 3 error.
	Level LogLevel `json:"level"`
	// What happened; may be empty.
	Content string `json:"content"`
	// Where in the app.
	Source Opt[string] `json:"source,omitzero"`
	// What is known of the device.
	DeviceInfo Opt[map[string]any] `json:"device_info,omitzero"`
	// Whatever you want to keep with it.
	CustomData Opt[map[string]any] `json:"custom_data,omitzero"`
	// Left out of lists that do not ask for hidden ones. It still counts.
	IsHidden *bool `json:"is_hidden,omitempty"`
	// What it ran on.
	Platform Opt[Platform] `json:"platform,omitzero"`
	// Version of the system.
	PlatformVersion Opt[string] `json:"platform_version,omitzero"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// LogChange is all that can change of a log.
type LogChange struct {
	// Left out of lists that do not ask for hidden ones. If it is not sent, nothing changes.
	IsHidden *bool `json:"is_hidden,omitempty"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// LogPrune says which logs are deleted: at least one of EndTime, Level and IP.
type LogPrune struct {
	// Logs created before this moment.
	EndTime Opt[int64] `json:"end_time,omitzero"`
	// Logs of this level.
	Level Opt[LogLevel] `json:"level,omitzero"`
	// Logs that came from this address, as it is stored.
	IP Opt[string] `json:"ip,omitzero"`
	// Count only.
	DryRun *bool `json:"dry_run,omitempty"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// PrunedLogs is how many logs matched, and how many were deleted.
type PrunedLogs struct {
	// Logs that met the conditions.
	Matched int64 `json:"matched"`
	// Logs that are gone; 0 with DryRun.
	Deleted int64 `json:"deleted"`
}

// LogStatistics is a count of the logs of all projects.
type LogStatistics struct {
	// How many logs there are in all projects.
	Count int64 `json:"count"`
	// How many of level 0.
	DebugCount int64 `json:"debug_count"`
	// How many of level 1.
	InfoCount int64 `json:"info_count"`
	// How many of level 2.
	WarningCount int64 `json:"warning_count"`
	// How many of level 3.
	ErrorCount int64 `json:"error_count"`
}

// LogLevels is a count of the logs of a project by level.
type LogLevels struct {
	// First second of the range.
	StartTime int64 `json:"start_time"`
	// Last second of the range.
	EndTime int64 `json:"end_time"`
	// All logs in it.
	Total int64 `json:"total"`
	// One entry for each level, ascending.
	ByLevel []LevelCount `json:"by_level"`
}

// LevelCount is how many logs have a level.
type LevelCount struct {
	// 0 debug, 1 info, 2 warning, 3 error.
	Level LogLevel `json:"level"`
	// How many have it.
	Count int64 `json:"count"`
}

// ListLogsOptions choose a page of logs.
type ListLogsOptions struct {
	// 1 to 100; 20 when 0.
	Limit int `query:"limit"`
	// How many to leave out at the beginning.
	Offset int `query:"offset"`
	// Only what contains this text, in any case of letters.
	Search string `query:"search"`
	// Not before this time.
	StartTime *int64 `query:"start_time"`
	// Not after this time.
	EndTime *int64 `query:"end_time"`
	// Only this level.
	Level *LogLevel `query:"level"`
	// Only what is meant for this platform.
	Platform Platform `query:"platform"`
	// Hidden ones, too.
	IncludeHidden *bool `query:"include_hidden"`
}

func (o *ListLogsOptions) page() (limit, offset *int) { return &o.Limit, &o.Offset }
