package api

import (
	"encoding/json"
	"math"
	"net/http"

	"svc/internal/fault"
	"svc/internal/origin"
	"svc/internal/platform"
	"svc/store"
)

func (s *Server) logRoutes() []route {
	const all = v1 + "/admin/projects/:k/logs"
	read, write := key("logs:read"), key("logs:write")
	return []route{
		{method: "GET", path: v1 + "/logs/_status", access: anyone(), handler: moduleStatus("logs")},
		s.limited(route{method: "POST", path: v1 + "/public/:k/logs", access: anyone(), handler: s.uploadLog, counts: "LOG_UPLOAD"}),
		{method: "GET", path: all, access: read, handler: s.listLogs},
		{method: "POST", path: all, access: write, handler: s.createLog},
		{method: "PATCH", path: all + "/:id", access: write, handler: s.updateLog},
		{method: "GET", path: v1 + "/admin/logs/statistics", access: wide("logs:read"), handler: s.logStatistics},
		{method: "GET", path: v1 + "/admin/projects/:k/stats/logs", access: read, handler: s.logLevels},
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

func viewLog(l *store.Log) logView {
	return logView{
		ID: l.ID.String(), Level: l.Level, Content: l.Content, Source: l.Source,
		DeviceInfo: l.DeviceInfo, CustomData: l.CustomData, IsHidden: l.Hidden,
		Platform: l.Platform, PlatformVersion: l.PlatformVersion,
		senderView: senderView(l.Sender), CreatedAt: store.CreatedAt(l.ID),
	}
}

type logInput struct {
	Level           Optional[integer] `json:"level"`
	Content         Optional[string]  `json:"content"`
	Source          Optional[string]  `json:"source"`
	DeviceInfo      Optional[object]  `json:"device_info"`
	CustomData      Optional[object]  `json:"custom_data"`
	IsHidden        Optional[bool]    `json:"is_hidden"`
	Platform        Optional[string]  `json:"platform"`
	PlatformVersion Optional[string]  `json:"platform_version"`
}

// check checks what clients and administrators send alike.
func (in logInput) check(p *problems) {
	if p.present("level", in.Level.Sent, in.Level.null(), true, true) && (in.Level.Wrong || *in.Level.Value < 0 || *in.Level.Value > 3) {
		p.add("level must be an integer from 0 to 3")
	}
	p.text("content", in.Content, textRule{max: 4096, required: true})
	p.text("source", in.Source, textRule{max: 128})
	p.object("device_info", in.DeviceInfo)
	p.object("custom_data", in.CustomData)
}

// log is the record without platform and sender.
func (in logInput) log() *store.Log {
	return &store.Log{
		Level: int(in.Level.or(0)), Content: in.Content.or(""), Source: in.Source.Value,
		DeviceInfo: json.RawMessage(in.DeviceInfo.or(nil)), CustomData: json.RawMessage(in.CustomData.or(nil)),
	}
}

// byAdmin checks what an administrator sends and is the record without sender.
func (in logInput) byAdmin(p *problems) *store.Log {
	in.check(p)
	p.flag("is_hidden", in.IsHidden)
	l := in.log()
	l.Platform = p.platform(in.Platform)
	p.text("platform_version", in.PlatformVersion, textRule{max: 32})
	l.Hidden, l.PlatformVersion = in.IsHidden.or(false), in.PlatformVersion.Value
	return l
}

// uploadLog takes a log from a client. Nothing that a client says about its
// platform fails the upload.
func (s *Server) uploadLog(w http.ResponseWriter, r *request) error {
	var in logInput
	if err := decode(r, &in); err != nil {
		return err
	}
	var p problems
	in.check(&p)
	p.text("platform", in.Platform, textRule{})
	p.text("platform_version", in.PlatformVersion, textRule{})
	if err := p.err(); err != nil {
		return err
	}
	project, err := s.db.FindProject(r.param("k"))
	if err != nil {
		return err
	}
	l := in.log()
	l.Platform, l.PlatformVersion = storedOrigin(r, origin.Source{Platform: bodyText(in.Platform), Version: bodyText(in.PlatformVersion)})
	l.Sender = s.sender(r)
	key, compare := fingerprint(r, project.ID, "log", l.Level, l.Content, l.Source, sorted(in.DeviceInfo), sorted(in.CustomData))
	l, err = submit(s, key, compare,
		func(tx *store.Tx, id store.ID) (*store.Log, error) { return tx.Log(project.ID, id) },
		func(tx *store.Tx) (*store.Log, store.ID, error) {
			err := tx.AddLog(project.ID, l)
			return l, l.ID, err
		})
	if err != nil {
		return err
	}
	return respond(w, http.StatusCreated, viewLog(l))
}

// createLog takes a log from an administrator, exactly as sent.
func (s *Server) createLog(w http.ResponseWriter, r *request) error {
	var in logInput
	if err := decode(r, &in); err != nil {
		return err
	}
	var p problems
	l := in.byAdmin(&p)
	if err := p.err(); err != nil {
		return err
	}
	err := s.db.Update(func(tx *store.Tx) error {
		project, err := r.project(tx)
		if err != nil {
			return err
		}
		return tx.AddLog(project.ID, l)
	})
	if err != nil {
		return err
	}
	return respond(w, http.StatusCreated, viewLog(l))
}

// updateLog changes nothing but is_hidden: a log is evidence.
func (s *Server) updateLog(w http.ResponseWriter, r *request) error {
	var in logInput
	if err := decode(r, &in); err != nil {
		return err
	}
	p := problems{update: true}
	p.flag("is_hidden", in.IsHidden)
	if err := p.err(); err != nil {
		return err
	}
	var l *store.Log
	err := s.db.Update(func(tx *store.Tx) error {
		project, err := r.project(tx)
		if err != nil {
			return err
		}
		id, ok := store.ParseID(r.param("id"))
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
	return respond(w, http.StatusOK, viewLog(l))
}

func (s *Server) listLogs(w http.ResponseWriter, r *request) error {
	var p problems
	page, find := p.page(r), p.search(r)
	q := store.LogSelection{Selection: p.selection(r, page), Level: p.exact(r, "level", 0, 3), To: math.MaxInt64}
	q.From = int64(p.count(r, "start_time", 0, 0, math.MaxInt64))
	q.To = int64(p.count(r, "end_time", math.MaxInt64, 0, math.MaxInt64))
	if q.From > q.To {
		p.add("start_time must not be after end_time")
	}
	if err := p.err(); err != nil {
		return err
	}
	project, err := r.reached(s.db.FindProject(r.param("k")))
	if err != nil {
		return err
	}
	logs, found, err := listed(s, r, store.KindLog, project.ID, find, func(tx *store.Tx, f *store.Find) ([]*store.Log, store.Found, error) {
		q.Find = f
		return tx.ListLogs(project.ID, q)
	})
	if err != nil {
		return err
	}
	views := []logView{}
	for _, l := range logs {
		views = append(views, viewLog(l))
	}
	return respond(w, http.StatusOK, pageView{Total: found.Total, Estimate: found.Estimate, Data: views})
}

// selection reads what lists of feedback and of logs have in common.
func (p *problems) selection(r *request, page page) store.Selection {
	q := store.Selection{Platform: p.platformFilter(r), Offset: page.offset, Limit: page.limit}
	if hidden := p.choice(r, "include_hidden"); hidden != nil {
		q.Hidden = *hidden
	}
	return q
}

// exact reads an integer filter; nil is no condition.
func (p *problems) exact(r *request, name string, least, most int) *int {
	if !r.sent(name) {
		return nil
	}
	n := p.count(r, name, 0, least, most)
	return &n
}

func (s *Server) logStatistics(w http.ResponseWriter, _ *request) error {
	var levels [4]int64
	err := s.db.View(func(tx *store.Tx) (err error) {
		levels, err = tx.LogStatistics()
		return err
	})
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, struct {
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

func (s *Server) logLevels(w http.ResponseWriter, r *request) error {
	var p problems
	span := p.span(r, s.now())
	if err := p.err(); err != nil {
		return err
	}
	project, err := r.reached(s.db.FindProject(r.param("k")))
	if err != nil {
		return err
	}
	var levels [4]int
	err = s.db.View(func(tx *store.Tx) (err error) {
		levels, err = tx.LogLevels(project.ID, span.start, span.end)
		return err
	})
	if err != nil {
		return err
	}
	total, views := 0, []levelView{}
	for level, n := range levels {
		total += n
		views = append(views, levelView{level, n})
	}
	return respond(w, http.StatusOK, struct {
		StartTime int64       `json:"start_time"`
		EndTime   int64       `json:"end_time"`
		Total     int         `json:"total"`
		ByLevel   []levelView `json:"by_level"`
	}{span.start, span.end, total, views})
}
