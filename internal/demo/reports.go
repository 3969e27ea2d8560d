package demo

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// voice is a text that a user can send as feedback.
type voice struct {
	language string
	rating   int // 0 = none
	text     string
}

type feedbackLine struct {
	ID              string         `json:"id"`
	UserID          string         `json:"user_id,omitempty"`
	Rating          *int           `json:"rating"`
	Content         string         `json:"content"`
	Contact         string         `json:"contact,omitempty"`
	IsHidden        bool           `json:"is_hidden"`
	Status          string         `json:"status"`
	Result          string         `json:"result,omitempty"`
	Platform        string         `json:"platform"`
	PlatformVersion string         `json:"platform_version,omitempty"`
	CustomData      map[string]any `json:"custom_data"`
	sent
}

type logLine struct {
	ID              string         `json:"id"`
	Level           int            `json:"level"`
	Content         string         `json:"content"`
	Source          string         `json:"source"`
	DeviceInfo      map[string]any `json:"device_info"`
	CustomData      map[string]any `json:"custom_data"`
	IsHidden        bool           `json:"is_hidden"`
	Platform        string         `json:"platform"`
	PlatformVersion string         `json:"platform_version,omitempty"`
	sent
}

// sent contains the data that the server adds to a submission: data about its sender and
// its time.
type sent struct {
	IP          string `json:"ip,omitempty"`
	UserAgent   string `json:"user_agent,omitempty"`
	CountryCode string `json:"country_code,omitempty"`
	CountryName string `json:"country_name,omitempty"`
	RegionName  string `json:"region_name,omitempty"`
	City        string `json:"city,omitempty"`
	CreatedAt   int64  `json:"created_at"`
}

func (s *session) sent(c *chance, at int64) sent {
	p := s.where
	line := sent{"", s.userAgent(), p.country, p.name, p.region, p.city, at}
	if s.address != "" {
		line.IP = s.address + strconv.Itoa(c.between(1, 254))
	}
	return line
}

// report generates the feedback and the logs.
func (w *world) report() {
	w.complain()
	w.log()
	w.fail()
	w.crash()
	slices.SortStableFunc(w.feedbackLines, func(a, b feedbackLine) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) })
	slices.SortStableFunc(w.logLines, func(a, b logLine) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) })
	f, l := w.chance("feedback ids"), w.chance("log ids")
	for i := range w.feedbackLines {
		w.feedbackLines[i].ID = f.uuid7(w.feedbackLines[i].CreatedAt)
	}
	for i := range w.logLines {
		w.logLines[i].ID = l.uuid7(w.logLines[i].CreatedAt)
	}
}

// tells reports whether a Unix time lies in the period for which there is data.
func (w *world) tells(at int64) bool { return at <= w.now && at >= w.today-(Days-1)*day }

func (w *world) complain() {
	c := w.chance("feedback")
	share := float64(w.feedbacks) / float64(max(1, len(w.sessions)))
	byLanguage := map[string][]voice{}
	for _, v := range w.voices {
		byLanguage[v.language] = append(byLanguage[v.language], v)
	}
	for _, s := range w.sessions {
		if !c.happens(share) {
			continue
		}
		list := byLanguage[s.language]
		if len(list) == 0 {
			list = byLanguage["en"]
		}
		v, at := one(c, list), s.began+int64(c.between(60, 900))
		line := w.feedback(c, s, v, at)
		if w.tells(at) {
			w.feedbackLines = append(w.feedbackLines, line)
			w.ask(s, at, "FEEDBACK_SUBMIT", 1)
		}
	}
}

func (w *world) feedback(c *chance, s *session, v voice, at int64) feedbackLine {
	line := feedbackLine{
		Content: strings.ReplaceAll(v.text, "{version}", s.version), Status: "open", Platform: s.platform, PlatformVersion: s.system,
		CustomData: map[string]any{
			"app_version": s.version, "language": s.language, "screen": one(c, []string{"settings", "start", "editor", "about"}),
		},
		sent: s.sent(c, at),
	}
	if v.rating > 0 {
		rating := min(5, max(1, v.rating+pick(c, []share[int]{{6, 0}, {1, -1}, {1, 1}})))
		line.Rating = &rating
	}
	if c.happens(0.55) {
		line.UserID = "u-" + s.person.id[:8]
	}
	if c.happens(0.3) {
		line.Contact = one(c, names) + strconv.Itoa(c.between(1, 99)) + "@" + one(c, []string{"example.org", "example.net", "mail.example"})
	}
	spam, kind, answer := c.happens(0.04), c.Float64(), one(c, answers)
	switch age := w.today - at; {
	case spam:
		line.Content, line.IsHidden, line.Status, line.Rating, line.Result = one(c, spams), true, "closed", nil, "Spam"
	case age > 14*day && kind < 0.75, age > 4*day && kind < 0.35:
		line.Status, line.Result = "resolved", answer
	case age > 10*day && kind < 0.9:
		line.Status, line.Result = "closed", "Thank you. We keep it in mind; nothing to be done now."
	case age > day && kind < 0.6:
		line.Status = "in_progress"
	}
	return line
}

// logKind is a log that an app can send. {n}, {ms}, {file} and {version} are placeholders
// in its text.
type logKind struct {
	weight  float64
	level   int
	source  string
	content string
	on      string // platform that sends it; "" = all platforms
}

// incident is an hour in which one version of the app fails on one platform.
type incident struct {
	ago               int // days before today
	hour              float64
	version, platform string
	source, content   string
	number            int // number of logs
}

func (w *world) log() {
	c := w.chance("logs")
	for _, s := range w.sessions {
		if !c.happens(w.logShare) {
			continue
		}
		var fitting []share[logKind]
		for _, k := range w.logs {
			if k.on == "" || k.on == s.platform {
				fitting = append(fitting, share[logKind]{k.weight, k})
			}
		}
		for n := 1 + int(c.wait(0.4)); n > 0; n-- {
			w.note(c, s, pick(c, fitting), s.began+int64(c.between(1, 1200)))
		}
	}
}

// fail generates the logs of the incidents.
func (w *world) fail() {
	c := w.chance("incident")
	for _, i := range w.incidents {
		var hit []*session
		for _, s := range w.sessions {
			if s.platform == i.platform {
				hit = append(hit, s)
			}
		}
		if len(hit) == 0 {
			continue
		}
		begin := w.ago(i.ago, i.hour)
		for range i.number {
			s := *one(c, hit)
			s.version = i.version
			// the number of errors rises, and falls again when the cause has been removed
			at := begin + int64(3599*(c.Float64()+c.Float64())/2)
			w.note(c, &s, logKind{level: 3, source: i.source, content: i.content}, at)
		}
	}
}

// note adds a log of the given kind that a session sends at a Unix time. It ignores times outside
// the period for which there is data.
func (w *world) note(c *chance, s *session, k logKind, at int64) {
	n, ms, name := c.between(2, 400), c.around(420), one(c, fileNames)
	content := strings.NewReplacer("{n}", strconv.Itoa(n), "{ms}", strconv.Itoa(ms), "{file}", name, "{version}", s.version).Replace(k.content)
	data := map[string]any{"session": s.id, "app_version": s.version, "elapsed_ms": ms}
	if k.level >= 2 {
		data["request"] = map[string]any{
			"id": c.uuid4(), "attempt": c.between(1, 4), "network": one(c, []string{"wifi", "mobile", "cable", "none"}),
		}
		data["breadcrumbs"] = []any{
			map[string]any{"t": -c.between(4000, 9000), "what": "open", "target": name},
			map[string]any{"t": -c.between(900, 3900), "what": "scroll", "lines": n},
			map[string]any{"t": -c.between(1, 800), "what": "tap", "target": one(c, []string{"export", "share", "save", "back"})},
		}
	}
	memory := one(c, []int{2, 4, 6, 8, 16, 32})
	device := map[string]any{
		"model": s.device, "locale": s.language, "memory": map[string]any{"total_mb": memory << 10, "free_mb": c.between(80, memory<<9)},
		"screen": map[string]any{
			"width": one(c, []int{360, 412, 1280, 1920, 2560}), "height": one(c, []int{800, 915, 800, 1080, 1440}),
			"scale": one(c, []float64{1, 1.5, 2, 3}),
		},
		"locked": c.happens(0.1), "battery": map[string]any{"level": float64(c.between(5, 100)) / 100, "charging": c.happens(0.3)},
	}
	line := logLine{
		Level: k.level, Content: content, Source: k.source, DeviceInfo: device, CustomData: data, IsHidden: k.level == 0 && c.happens(0.05),
		Platform: s.platform, PlatformVersion: s.system, sent: s.sent(c, at),
	}
	if w.tells(at) {
		w.logLines = append(w.logLines, line)
		if k.level == 3 {
			s.failures = append(s.failures, failure{"", at})
		}
		w.ask(s, at, "LOG_UPLOAD", 1)
	}
}
