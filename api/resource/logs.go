package resource

import (
	"encoding/json"
	"math"
	"net/http"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/platform"
	"svc/internal/useragent"
	"svc/store"
)

func (h *Handlers) logRoutes() []web.Route {
	const all = web.V1 + "/admin/projects/:k/logs"
	read, write := web.ByScope("logs:read"), web.ByScope("logs:write")
	return []web.Route{
		{Method: "GET", Path: web.V1 + "/logs/_status", Access: web.Anyone(), Handler: web.ModuleStatus("logs")},
		{Method: "POST", Path: web.V1 + "/public/:k/logs", Access: web.Anyone(), Reporter: h.uploadLog, Counts: "LOG_UPLOAD", Rate: web.PublicRate},
		{Method: "GET", Path: all, Access: read, Handler: h.listLogs},
		{Method: "POST", Path: all, Access: write, Handler: h.createLog},
		{Method: "PATCH", Path: all + "/:id", Access: write, Handler: h.updateLog},
		{Method: "GET", Path: web.V1 + "/admin/logs/statistics", Access: web.AcrossProjects("logs:read"), Handler: h.logStatistics},
		{Method: "GET", Path: web.V1 + "/admin/projects/:k/stats/logs", Access: read, Handler: h.logLevels},
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
	CreatedAt int64 `json:"created_at"`
}

// ViewLog shows a log.
func ViewLog(l *store.Log) logView {
	return logView{
		ID: l.ID.String(), Level: l.Level, Content: l.Content, Source: l.Source,
		DeviceInfo: l.DeviceInfo, CustomData: l.CustomData, IsHidden: l.Hidden,
		Platform: l.Platform, PlatformVersion: l.PlatformVersion,
		senderView: senderView(l.Sender), CreatedAt: store.CreatedAt(l.ID),
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

// check checks what clients and administrators send alike.
func (in logInput) check(p *problems) {
	if p.Present("level", in.Level.Sent, in.Level.Null(), true, true) && (in.Level.Wrong || *in.Level.Value < 0 || *in.Level.Value > 3) {
		p.Add("level must be an integer from 0 to 3")
	}
	p.Text("content", in.Content, web.TextRule{Max: 4096, Required: true})
	p.Text("source", in.Source, web.TextRule{Max: 128})
	p.Object("device_info", in.DeviceInfo)
	p.Object("custom_data", in.CustomData)
}

// log is the record without platform and sender.
func (in logInput) log() *store.Log {
	return &store.Log{
		Level: int(in.Level.Or(0)), Content: in.Content.Or(""), Source: in.Source.Value,
		DeviceInfo: json.RawMessage(in.DeviceInfo.Or(nil)), CustomData: json.RawMessage(in.CustomData.Or(nil)),
	}
}

// byAdmin checks what an administrator sends and is the record without sender.
func (in logInput) byAdmin(p *problems) *store.Log {
	in.check(p)
	p.Flag("is_hidden", in.IsHidden)
	l := in.log()
	l.Platform = p.Platform(in.Platform)
	p.Text("platform_version", in.PlatformVersion, web.TextRule{Max: 32})
	l.Hidden, l.PlatformVersion = in.IsHidden.Or(false), in.PlatformVersion.Value
	return l
}

// uploadLog takes a log from a client. Nothing that a client says about its
// platform fails the upload.
func (h *Handlers) uploadLog(w http.ResponseWriter, r *web.Request) (from web.Client, err error) {
	var in logInput
	if err := web.Decode(r, &in); err != nil {
		return from, err
	}
	var p problems
	in.check(&p)
	p.Text("platform", in.Platform, web.TextRule{})
	p.Text("platform_version", in.PlatformVersion, web.TextRule{})
	if err := p.Err(); err != nil {
		return from, err
	}
	project, err := h.DB.FindProject(r.Param("k"))
	if err != nil {
		return from, err
	}
	l := in.log()
	from.System = useragent.Source{Platform: web.BodyText(in.Platform), Version: web.BodyText(in.PlatformVersion)}
	l.Platform, l.PlatformVersion = storedOrigin(r, from.System)
	l.Sender = h.sender(r)
	key, compare := fingerprint(r, project.ID, "log", l.Level, l.Content, l.Source, sorted(in.DeviceInfo), sorted(in.CustomData))
	l, err = store.SubmitOnce(h.DB, key, compare,
		func(tx *store.Tx, id store.ID) (*store.Log, error) { return tx.Log(project.ID, id) },
		func(tx *store.Tx) (*store.Log, store.ID, error) {
			err := tx.AddLog(project.ID, l)
			return l, l.ID, err
		})
	if err != nil {
		return from, err
	}
	return from, web.Respond(w, http.StatusCreated, ViewLog(l))
}

// createLog takes a log from an administrator, exactly as sent.
func (h *Handlers) createLog(w http.ResponseWriter, r *web.Request) error {
	var in logInput
	if err := web.Decode(r, &in); err != nil {
		return err
	}
	var p problems
	l := in.byAdmin(&p)
	if err := p.Err(); err != nil {
		return err
	}
	err := r.Update(h.DB, func(tx *store.Tx, project *store.Project) error {
		return tx.AddLog(project.ID, l)
	})
	if err != nil {
		return err
	}
	return web.Respond(w, http.StatusCreated, ViewLog(l))
}

// updateLog changes nothing but is_hidden: a log is evidence.
func (h *Handlers) updateLog(w http.ResponseWriter, r *web.Request) error {
	var in logInput
	if err := web.Decode(r, &in); err != nil {
		return err
	}
	p := problems{web.Problems{Update: true}}
	p.Flag("is_hidden", in.IsHidden)
	if err := p.Err(); err != nil {
		return err
	}
	var l *store.Log
	err := r.Update(h.DB, func(tx *store.Tx, project *store.Project) (err error) {
		id, ok := store.ParseID(r.Param("id"))
		if !ok {
			return fault.New(fault.NotFound, "log not found")
		}
		if l, err = tx.Log(project.ID, id); err != nil || in.IsHidden.Value == nil || *in.IsHidden.Value == l.Hidden {
			return err
		}
		l.Hidden = *in.IsHidden.Value
		return tx.PutLog(project.ID, l)
	})
	if err != nil {
		return err
	}
	return web.Respond(w, http.StatusOK, ViewLog(l))
}

func (h *Handlers) listLogs(w http.ResponseWriter, r *web.Request) error {
	var p problems
	page, find := p.Page(r), p.Search(r)
	q := store.LogSelection{Selection: p.selection(r, page), Level: p.exact(r, "level", 0, 3), To: math.MaxInt64}
	q.From = int64(p.Count(r, "start_time", 0, 0, math.MaxInt64))
	q.To = int64(p.Count(r, "end_time", math.MaxInt64, 0, math.MaxInt64))
	if q.From > q.To {
		p.Add("start_time must not be after end_time")
	}
	if err := p.Err(); err != nil {
		return err
	}
	project, err := r.Reached(h.DB.FindProject(r.Param("k")))
	if err != nil {
		return err
	}
	logs, found, err := listPage(h, r, store.KindLog, project.ID, find, func(tx *store.Tx, f *store.Find) ([]*store.Log, store.Found, error) {
		q.Find = f
		return tx.ListLogs(project.ID, q)
	})
	if err != nil {
		return err
	}
	return web.Respond(w, http.StatusOK, web.PageView{Total: found.Total, Estimate: found.Estimate, Data: web.Views(logs, ViewLog)})
}

// selection reads what lists of feedback and of logs have in common.
func (p *problems) selection(r *web.Request, page web.Page) store.Selection {
	q := store.Selection{Platform: p.PlatformFilter(r), Offset: page.Offset, Limit: page.Limit}
	if hidden := p.Bool(r, "include_hidden"); hidden != nil {
		q.Hidden = *hidden
	}
	return q
}

// exact reads an integer filter; nil is no condition.
func (p *problems) exact(r *web.Request, name string, least, most int) *int {
	if !r.Sent(name) {
		return nil
	}
	n := p.Count(r, name, 0, least, most)
	return &n
}

func (h *Handlers) logStatistics(w http.ResponseWriter, _ *web.Request) error {
	levels, err := store.Read(h.DB, (*store.Tx).LogStatistics)
	if err != nil {
		return err
	}
	return web.Respond(w, http.StatusOK, struct {
		Count   int64 `json:"count"`
		Debug   int64 `json:"debug_count"`
		Info    int64 `json:"info_count"`
		Warning int64 `json:"warning_count"`
		Error   int64 `json:"error_count"`
	}{levels[0] + levels[1] + levels[2] + levels[3], levels[0], levels[1], levels[2], levels[3]})
}

// levelView is the number of logs of one level.
type levelView struct {
	Level int `json:"level"`
	Count int `json:"count"`
}

func (h *Handlers) logLevels(w http.ResponseWriter, r *web.Request) error {
	var p problems
	span := p.Span(r, h.Now())
	if err := p.Err(); err != nil {
		return err
	}
	project, err := r.Reached(h.DB.FindProject(r.Param("k")))
	if err != nil {
		return err
	}
	levels, err := store.Read(h.DB, func(tx *store.Tx) ([4]int, error) { return tx.LogLevels(project.ID, span.Start, span.End) })
	if err != nil {
		return err
	}
	total, views := 0, []levelView{}
	for level, n := range levels {
		total += n
		views = append(views, levelView{level, n})
	}
	return web.Respond(w, http.StatusOK, struct {
		StartTime int64       `json:"start_time"`
		EndTime   int64       `json:"end_time"`
		Total     int         `json:"total"`
		ByLevel   []levelView `json:"by_level"`
	}{span.Start, span.End, total, views})
}
