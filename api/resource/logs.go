package resource

import (
	"encoding/json"
	"math"
	"net/http"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/loggroup"
	"svc/internal/platform"
	"svc/store"
)

func (h *Handlers) logRoutes() []web.Route {
	const all = web.V1 + "/admin/projects/:k/logs"
	read, write := web.ByScope("logs:read"), web.ByScope("logs:write")
	logs := kind[store.Log]{name: "log", find: (*store.Tx).Log}
	view := func(_ *store.Project, l *store.Log) logView { return ViewLog(l) }
	return []web.Route{
		{Method: "GET", Path: web.V1 + "/logs/_status", Access: web.Anyone(), Handler: web.ModuleStatus("logs")},
		{
			Method: "POST", Path: web.V1 + "/public/:k/logs", Access: web.Anyone(), Handler: h.uploadLog, Submits: true, Counts: "LOG_UPLOAD",
			Rate: web.PublicRate,
		},
		{Method: "GET", Path: all, Access: read, Handler: web.Listed(h.listLogs)},
		{Method: "POST", Path: all, Access: write, Handler: h.withinQuota(createRecord(h, logInput.checkByAdmin, view))},
		{Method: "PATCH", Path: all, Access: write, Handler: web.OK(h.updateLogs)},
		{Method: "POST", Path: all + "/prune", Access: web.LoginOnly(), Handler: web.OK(web.Checked(pruneInput.check, creates, h.pruneLogs))},
		{Method: "GET", Path: all + "/timeseries", Access: read, Handler: web.OK(h.logSeries)},
		{Method: "PATCH", Path: all + "/:id", Access: write, Handler: updateRecord(h, logs, logInput.checkHidden, view)},
		{Method: "GET", Path: web.V1 + "/admin/logs/statistics", Access: web.AcrossProjects("logs:read"), Handler: web.OK(h.logStatistics)},
		{Method: "GET", Path: web.V1 + "/admin/projects/:k/stats/logs", Access: read, Handler: web.OK(h.logLevels)},
	}
}

type logView struct {
	ID              string             `json:"id"`
	Level           int                `json:"level"`
	Content         string             `json:"content"`
	Source          *string            `json:"source"`
	DeviceInfo      json.RawMessage    `json:"device_info"`
	CustomData      json.RawMessage    `json:"custom_data"`
	IsHidden        bool               `json:"is_hidden"`
	Platform        *platform.Platform `json:"platform"`
	PlatformVersion *string            `json:"platform_version"`
	senderView
	CreatedAt  int64   `json:"created_at"`
	GroupID    *string `json:"group_id"`
	AppVersion *string `json:"app_version"`
}

// ViewLog returns the view for administrators.
func ViewLog(l *store.Log) logView {
	var group *string
	if l.Group != (loggroup.ID{}) {
		group = new(l.Group.String())
	}
	return logView{
		ID: l.ID.String(), Level: l.Level, Content: l.Content, Source: l.Source,
		DeviceInfo: l.DeviceInfo, CustomData: l.CustomData, IsHidden: l.Hidden,
		Platform: l.Platform, PlatformVersion: l.PlatformVersion,
		senderView: senderView(l.Sender), CreatedAt: store.CreatedAt(l.ID),
		GroupID: group, AppVersion: web.OrNull(l.AppVersion()),
	}
}

type logInput struct {
	Level           web.Optional[web.Integer] `json:"level"`
	Content         web.Optional[string]      `json:"content"`
	Source          web.Optional[string]      `json:"source"`
	DeviceInfo      web.Optional[web.Object]  `json:"device_info"`
	CustomData      web.Optional[web.Object]  `json:"custom_data"`
	IsHidden        web.Optional[bool]        `json:"is_hidden"`
	Platform        web.Optional[string]      `json:"platform"`
	PlatformVersion web.Optional[string]      `json:"platform_version"`
}

// check checks the fields that both clients and administrators may send.
func (in logInput) check(p *problems) {
	if p.Present("level", in.Level.Sent, in.Level.Null(), true, true) && (in.Level.Wrong || *in.Level.Value < 0 || *in.Level.Value > 3) {
		p.Add("level must be an integer from 0 to 3")
	}
	p.Text("content", in.Content, web.TextRule{Max: 4096, Required: true})
	p.Text("source", in.Source, web.TextRule{Max: 128})
	p.Object("device_info", in.DeviceInfo)
	p.Object("custom_data", in.CustomData)
}

// log returns the record that the input describes, without the platform and the sender.
func (in logInput) log() *store.Log {
	return &store.Log{
		Level: int(in.Level.Or(0)), Content: in.Content.Or(""), Source: in.Source.Value,
		DeviceInfo: json.RawMessage(in.DeviceInfo.Or(nil)), CustomData: json.RawMessage(in.CustomData.Or(nil)),
	}
}

// byAdmin checks the fields that an administrator may send and returns the record, without the
// sender.
func (in logInput) byAdmin(p *problems) *store.Log {
	in.check(p)
	p.Flag("is_hidden", in.IsHidden)
	l := in.log()
	l.Platform = p.Platform(in.Platform)
	p.Text("platform_version", in.PlatformVersion, web.TextRule{Max: 32})
	l.Hidden, l.PlatformVersion = in.IsHidden.Or(false), in.PlatformVersion.Value
	return l
}

// uploadLog stores a log from a client. An unknown platform in the request is not an error.
func (h *Handlers) uploadLog(w http.ResponseWriter, r *web.Request) error {
	var in logInput
	if err := h.decodeSubmission(r, &in, "custom_data", "device_info"); err != nil {
		return err
	}
	var p problems
	in.check(&p)
	p.Text("platform", in.Platform, web.TextRule{})
	p.Text("platform_version", in.PlatformVersion, web.TextRule{})
	if err := p.Err(); err != nil {
		return err
	}
	project, err := h.DB.FindProject(r.Param("k"))
	if err != nil {
		return err
	}
	if err := h.checkQuota(project); err != nil {
		return err
	}
	l := in.log()
	r.Declare(declaration(in.Platform, in.PlatformVersion))
	l.Platform, l.PlatformVersion = viewOrigin(r.Client().System())
	l.Sender = sender(r)
	key, compare := fingerprint(r, project.ID, "log", l.Level, l.Content, l.Source, sorted(in.DeviceInfo), sorted(in.CustomData))
	encoded, err := l.Encode()
	if err != nil {
		return err
	}
	l, err = store.SubmitOnce(h.DB, key, compare,
		func(tx *store.Tx, id store.ID) (*store.Log, error) { return tx.LogWithGroup(project.ID, id) },
		func(tx *store.Tx) (*store.Log, store.ID, error) {
			err := tx.AddEncodedLog(project.ID, l, encoded)
			return l, l.ID, err
		})
	if err != nil {
		return err
	}
	h.observeLog(r, project.ID, l)
	return web.Respond(w, http.StatusCreated, ViewLog(l))
}

// newLog is a log that an administrator has entered. It has been checked and can be stored
// unchanged.
type newLog struct{ log *store.Log }

func (in logInput) checkByAdmin(write) (newLog, error) {
	var p problems
	l := in.byAdmin(&p)
	return newLog{l}, p.Err()
}

func (n newLog) create(tx *store.Tx, p *store.Project, _ string) (*store.Log, error) {
	return n.log, tx.AddLog(p.ID, n.log)
}

// hiddenChange changes only is_hidden. All other fields of a log are read-only, because a log is
// evidence.
type hiddenChange struct{ hidden *bool }

func (in logInput) checkHidden(how write) (hiddenChange, error) {
	p := checking(how)
	p.Flag("is_hidden", in.IsHidden)
	return hiddenChange{in.IsHidden.Value}, p.Err()
}

func (c hiddenChange) update(tx *store.Tx, p *store.Project, l *store.Log) error {
	if c.hidden == nil || *c.hidden == l.Hidden {
		return nil
	}
	l.Hidden = *c.hidden
	return tx.PutLog(p.ID, l)
}

func (h *Handlers) listLogs(r *web.Request) (web.List, error) {
	var p problems
	page, find := p.Page(r), p.Search(r)
	q := p.logSelection(r, page)
	q.From = int64(p.Count(r, "start_time", 0, 0, math.MaxInt64))
	q.To = int64(p.Count(r, "end_time", math.MaxInt64, 0, math.MaxInt64))
	switch sort := p.Sort(r, "created_at", "level"); sort.By {
	case "created_at":
		q.Oldest = sort.Ascending
	case "level":
		q.ByLevel = direction(sort)
	}
	if q.From > q.To {
		p.Add("start_time must not be after end_time")
	}
	return listPage(h, r, &p, store.KindLog, find,
		func(tx *store.Tx, project store.ProjectID, f *store.Find) ([]*store.Log, store.Found, error) {
			q.Find = f
			return tx.ListLogs(project, q)
		}, (*store.Tx).UnreadLog, ViewLog)
}

// logSelection reads the filters of logs, except for the range of time.
func (p *problems) logSelection(r *web.Request, page web.Page) store.LogSelection {
	q := store.LogSelection{
		Selection: p.selection(r, page), Level: p.exact(r, "level", 0, 3), To: math.MaxInt64, Version: web.OrNull(r.Query("app_version")),
	}
	if text := r.Query("group_id"); text != "" {
		id, ok := loggroup.ParseID(text)
		if !ok {
			p.Add("group_id must be the id of a log group: 16 digits 0-9 and a-f, or overflow")
		}
		q.Group = &id
	}
	return q
}

// direction converts the direction of s to a store.Direction.
func direction(s web.Sort) store.Direction {
	if s.Ascending {
		return store.Ascending
	}
	return store.Descending
}

// selection reads the query parameters that lists of feedback and of logs have in common.
func (p *problems) selection(r *web.Request, page web.Page) store.Selection {
	q := store.Selection{Platform: p.PlatformFilter(r), Offset: page.Offset, Limit: page.Limit, MaxBytes: web.MaxUnheld}
	if hidden := p.Bool(r, "include_hidden"); hidden != nil {
		q.Hidden = *hidden
	}
	return q
}

// exact reads an integer filter, which must be in the range [least, most], from the query. It
// returns nil if the filter is not set.
func (p *problems) exact(r *web.Request, name string, least, most int) *int {
	if !r.Sent(name) {
		return nil
	}
	return new(p.Count(r, name, 0, least, most))
}

type logStatisticsView struct {
	Count   int64 `json:"count"`
	Debug   int64 `json:"debug_count"`
	Info    int64 `json:"info_count"`
	Warning int64 `json:"warning_count"`
	Error   int64 `json:"error_count"`
}

func (h *Handlers) logStatistics(*web.Request) (logStatisticsView, error) {
	n, err := store.Read(h.DB, (*store.Tx).LogStatistics)
	return logStatisticsView{n[0] + n[1] + n[2] + n[3], n[0], n[1], n[2], n[3]}, err
}

type levelsView struct {
	web.SpanView
	Total   int         `json:"total"`
	ByLevel []levelView `json:"by_level"`
}

// levelView holds the number of logs of one level.
type levelView struct {
	Level int `json:"level"`
	Count int `json:"count"`
}

func (h *Handlers) logLevels(r *web.Request) (v levelsView, err error) {
	span, levels, err := countOver(h, r, (*store.Tx).LogLevels)
	if err != nil {
		return v, err
	}
	v = levelsView{SpanView: span.View()}
	for level, n := range levels {
		v.Total += n
		v.ByLevel = append(v.ByLevel, levelView{level, n})
	}
	return v, nil
}

// countOver calls the function count with the project in the path and the time range in the query.
func countOver[N any](
	h *Handlers, r *web.Request, count func(tx *store.Tx, p store.ProjectID, from, to int64) (N, error),
) (span web.Span, n N, err error) {
	var p problems
	span = p.Span(r, h.Now())
	project, err := p.Project(r, h.DB)
	if err != nil {
		return span, n, err
	}
	n, err = store.Read(h.DB, func(tx *store.Tx) (N, error) { return count(tx, project.ID, span.Start, span.End) })
	return span, n, err
}

type pruneInput struct {
	EndTime web.Optional[web.Integer] `json:"end_time"`
	Level   web.Optional[web.Integer] `json:"level"`
	IP      web.Optional[string]      `json:"ip"`
	DryRun  web.Optional[bool]        `json:"dry_run"`
}

// pruneChange is a checked pruneInput.
type pruneChange struct {
	which  store.LogRange
	dryRun bool
}

func (in pruneInput) check(write) (pruneChange, error) {
	var p problems
	p.UnixTime("end_time", in.EndTime, false)
	p.Number("level", in.Level, 0, 3, false)
	p.Text("ip", in.IP, web.TextRule{Max: 64, Filled: true})
	p.Flag("dry_run", in.DryRun)
	if err := p.Err(); err != nil {
		return pruneChange{}, err
	}
	if in.EndTime.Value == nil && in.Level.Value == nil && in.IP.Value == nil {
		return pruneChange{}, fault.Validation("one of end_time, level and ip is required")
	}
	c := pruneChange{which: store.LogRange{Before: (*int64)(in.EndTime.Value), IP: in.IP.Value}, dryRun: in.DryRun.Or(false)}
	if in.Level.Value != nil {
		c.which.Level = new(int(*in.Level.Value))
	}
	return c, nil
}

// PrunedView holds the number of logs that matched the conditions and the number that were deleted.
type PrunedView struct {
	Matched int `json:"matched"`
	Deleted int `json:"deleted"`
}

// pruneLogs deletes logs by time, level and sender's address. If the client disconnects before the
// work is done, it can repeat the request.
func (h *Handlers) pruneLogs(r *web.Request, change pruneChange) (v PrunedView, err error) {
	project, err := h.DB.FindProject(r.Param("k"))
	if err != nil {
		return v, err
	}
	defer web.NoWriteDeadline(r.Writer)()
	v.Matched, v.Deleted, err = h.DB.PruneLogs(r.Context(), project.ID, change.which, change.dryRun)
	if !change.dryRun {
		h.Log.Info("logs pruned", "administrator", h.DB.Account().Username, "project", project.Key,
			"before", valueOf(change.which.Before), "level", valueOf(change.which.Level), "ip", valueOf(change.which.IP),
			"deleted", v.Deleted, "id", r.ID)
	}
	return v, err
}

// valueOf returns the value that p points to, or nil if p is nil. It is used for log attributes.
func valueOf[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}
