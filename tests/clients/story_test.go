package clients

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// planned is a step of a story. It holds the instruction for the player, the answers that the
// recorder will give, and the requests and the result that the model predicts.
type planned struct {
	step    map[string]any
	answers []answer
	want    []request
	result  map[string]any // the predicted fields of the result; only these are compared
	refuse  bool           // the API refuses connections
}

// story generates steps from a seed and applies them to the model at the same time.
type story struct {
	*world
	*sampler
	known     operations
	endpoints [][4]string
	plan      []planned
	projects  int // number of projects that have been used and are never bound again
}

// steps is the number of steps in a story.
const steps = 650

// tell generates a story of the given number of steps.
func tell(t *testing.T, seed uint64, length int) []planned {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 14))
	s := &story{sampler: &sampler{random: random, given: true}, known: readOperations(t), endpoints: readVectors(t).Endpoints}
	answers := &sampler{random: rand.New(rand.NewPCG(seed, 15))}
	s.world = &world{newID: counter(), devices: map[string]*device{}}
	s.success = func(verb, path string) answer { return s.known.success(answers, verb, path) }
	s.restart(true)
	for len(s.plan) < length {
		s.scene()
	}
	s.close()
	return s.plan
}

// scene adds one or a few steps, like those of an app.
func (s *story) scene() {
	switch n := s.random.IntN(104); {
	case n < 36:
		s.someCall()
	case n < 58:
		s.someEvents()
	case n < 68:
		s.flushed()
	case n < 73:
		s.decideOnCollection()
	case n < 77:
		s.jump()
	case n < 83:
		s.set()
	case n < 88:
		s.updates()
	case n < 93:
		s.captures()
	case n < 95:
		s.personalData()
	case n < 97:
		s.rebind()
	case n < 101:
		s.feedback()
	default:
		s.restart(false)
	}
}

// emit adds a step. It calls does to apply the step to the model and to get the predicted result.
func (s *story) emit(step map[string]any, does func() map[string]any) {
	s.sent, s.used = nil, nil
	p := planned{step: step, refuse: s.refusing}
	p.result = does()
	p.answers, p.want = s.used, s.sent
	s.answers = nil
	s.plan = append(s.plan, p)
}

func nothing() map[string]any { return map[string]any{} }

// --- the life of a process -------------------------------------------------------------

var platforms = []string{"windows", "linux", "macos", "ios", "android", "web", "others"}

// restart closes or abandons the current client, if there is one, and opens a new one.
func (s *story) restart(first bool) {
	wall := max(s.wall, startWall)
	set, c := s.someSettings(), s.someCollecting()
	set.key = s.project(c)
	if s.chance(10) {
		set.key = ""
	}
	if !first {
		soft := s.chance(50)
		if s.consentMode && len(s.queue().queue) > 0 {
			s.flush(nil) // flush first: consent ends with the process, and what happens to remaining events is undefined
		}
		if soft {
			s.close()
		} else if s.failedJustNow() && s.chance(50) {
			s.save() // the failed send has saved the queue
		} else {
			s.emit(map[string]any{"do": "save"}, func() map[string]any { s.save(); return nothing() })
		}
		s.emit(map[string]any{"do": "exit", "hard": !soft}, func() map[string]any { s.open = false; return nothing() })
	}
	s.emit(map[string]any{"do": "open", "base_url": placeholderURL, "options": optionsOf(set, c, s.chance(50))}, func() map[string]any {
		s.begin(set, c)
		return nothing()
	})
	s.clock((wall-startWall)/1000+s.random.Int64N(5000), s.random.Int64N(100))
	if set.key == "" {
		s.unbound()
	}
	if len(s.queue().queue) > 0 {
		s.flush(nil)
	}
}

// unbound opens a client without a project, calls some of its methods, and then binds it to a
// project.
func (s *story) unbound() {
	s.emit(callStep("public", "get_latest_version", map[string]any{}), func() map[string]any {
		return failure(map[string]any{"kind": "base"})
	})
	s.emit(callStep("public", "list_terms", map[string]any{}), func() map[string]any {
		c := call{verb: "GET", path: "/public/terms", template: "/public/terms", query: url.Values{}}
		if s.locale != "" {
			c.query.Set("locale", s.locale)
		}
		return outcome(c, s.request(c))
	})
	s.bind(s.project(s.collecting))
}

func (s *story) bind(key string) {
	s.emit(map[string]any{"do": "set", "name": "project_key", "value": key}, func() map[string]any {
		if key != s.key { // binding the same project again is not a change
			s.save()
			delete(s.queues, s.namespace())
		}
		s.key = key
		return nothing()
	})
}

// project returns a project to bind. All clients that share the state of a project must agree on
// whether consent is required. If the state is not persistent, each project is bound only once.
func (s *story) project(c collecting) string {
	switch {
	case c.persistence != "persistent":
		s.projects++
		return fmt.Sprintf("%s-%d", c.persistence, s.projects)
	case c.consentMode:
		return pick(s.random, "asks-first", "Asks.Two")
	}
	return pick(s.random, "acme", "acme", "Acme-Two", "my.app_2")
}

// failedJustNow reports whether the last step was a flush that left events in the queue.
func (s *story) failedJustNow() bool {
	last := s.plan[len(s.plan)-1]
	return last.step["do"] == "flush" && s.queue().active() && len(s.queue().queue) > 0
}

func (s *story) someSettings() settings {
	set := settings{
		token:  pick(s.random, "t", "svc_0123", ""),
		locale: pick(s.random, "", "de-AT", "zh_Hant"), appVersion: pick(s.random, "", "1.4.2", "v2.0.0-beta.1", "1.0+ü"),
		retries: pick(s.random, 3, 3, 3, 0, 1, 5), extra: map[string]string{},
	}
	if s.chance(80) {
		set.platform = pick(s.random, platforms...)
		set.platformVersion = pick(s.random, "debian 13", "11", " 10.15  (Catalina)é ", "a-very-long-version-of-a-platform that goes on")
	} else if s.chance(50) {
		set.platformVersion = "7"
	}
	if s.chance(40) {
		set.extra["X-App-Team"] = "blue; v=1"
	}
	return set
}

func (s *story) someCollecting() collecting {
	c := defaultCollecting
	c.batchSize = pick(s.random, 20, 3, 5, 7, 50)
	c.maxQueue = pick(s.random, 500, 500, 4, 12)
	c.idle = pick(s.random, int64(1800), 1800, 60)
	c.interval = 3600 // long, so that no timer sends events
	c.consentMode = s.chance(25)
	c.persistence = pick(s.random, "persistent", "persistent", "persistent", "persistent", "session", "none")
	c.enabled = !s.chance(5)
	return c
}

// optionsOf returns the options of the step "open". If short is true, it omits default values. It
// does not normalize the values, because the library and the model must do that.
func optionsOf(set settings, c collecting, short bool) map[string]any {
	analytics := map[string]any{
		"enabled": c.enabled, "require_consent": c.consentMode, "persistence": c.persistence, "flush_interval": c.interval,
		"batch_size": c.batchSize, "max_queue_size": c.maxQueue, "session_timeout": c.idle,
	}
	o := map[string]any{"retries": set.retries, "state_dir": placeholderState, "analytics": analytics, "app_identifier": "story/1"}
	if short {
		for name, value := range map[string]any{"batch_size": 20, "max_queue_size": 500, "session_timeout": int64(1800), "enabled": true, "require_consent": false, "persistence": "persistent"} {
			if analytics[name] == value {
				delete(analytics, name)
			}
		}
		if set.retries == 3 {
			delete(o, "retries")
		}
	}
	o["platform"], o["platform_version"] = orNull(set.platform), orNull(set.platformVersion)
	for name, value := range map[string]string{"project_key": set.key, "token": set.token, "locale": set.locale, "app_version": set.appVersion} {
		if value != "" {
			o[name] = value
		}
	}
	if len(set.extra) > 0 {
		o["headers"] = set.extra
	}
	return o
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// close closes the client like an app does. The client flushes once and saves its state.
func (s *story) close() {
	s.emit(map[string]any{"do": "close"}, func() map[string]any {
		s.queue().flush(s.monotonic, s.sendBatch)
		s.save()
		return nothing()
	})
}

// clock advances both clocks, or changes only the wall clock.
func (s *story) clock(wall, monotonic int64) {
	s.emit(map[string]any{"do": "clock", "wall_seconds": wall, "monotonic_seconds": monotonic}, func() map[string]any {
		s.wall += wall * 1000
		s.monotonic += monotonic * 1000
		return nothing()
	})
}

func (s *story) jump() {
	switch s.random.IntN(4) {
	case 0:
		s.clock(-s.random.Int64N(90_000), 0)
	case 1:
		s.clock(s.random.Int64N(90_000), 0)
	case 2: // about as long as a session lasts without an event
		seconds := s.idle + s.random.Int64N(2)
		if s.monotonic%1000 != 0 && seconds == s.idle {
			seconds-- // avoid the exact second, because clocks round fractions differently
		}
		s.clock(seconds, seconds)
	default:
		seconds := s.random.Int64N(30_000)
		s.clock(seconds, seconds)
	}
}

// --- events ----------------------------------------------------------------------------

var eventNames = []string{
	"opened", "export_started", " Trimmed ", "UPPER.Case", "a:b-c_d", strings.Repeat("n", 64), strings.Repeat("n", 65),
	"", "two words", "naïve", "İ", "tab\t", "emoji🚀",
}

func (s *story) someProperties() any {
	switch n := s.random.IntN(20); {
	case n < 6:
		return nil
	case n == 6:
		return map[string]any{"text": strings.Repeat("x", 20_000)} // larger than the maximum
	default:
		p := s.anything()
		p["n"] = s.random.IntN(100)
		if n == 7 {
			p["app_version"] = p["n"]
		}
		return p
	}
}

// largeEvents tracks events that are so large that four of them fill a batch.
func (s *story) largeEvents() {
	s.flush(nil)
	for range 6 {
		s.track("opened", map[string]any{"text": strings.Repeat("y", 15_000)}, nil)
	}
	s.flush(s.batchOutage())
}

func (s *story) someEvents() {
	if s.chance(4) {
		s.largeEvents()
		return
	}
	for range 1 + s.random.IntN(6) {
		s.track(pick(s.random, append(slices.Clone(eventNames), "opened", "saved", "printed", "closed")...), s.someProperties(), s.batchOutage())
	}
}

func (s *story) track(name string, properties any, outage []answer) {
	all := versioned(properties, s.appVersion)
	if s.queue().mixed(sizeOf(all)+200, s.monotonic) {
		s.flush(nil)
	}
	step := map[string]any{"do": "track", "name": name}
	if properties != nil {
		step["properties"] = properties
	}
	s.answers = outage
	s.emit(step, func() map[string]any {
		s.queue().track(name, all, s.wall/1000, s.monotonic, s.sendBatch)
		return nothing()
	})
}

func (s *story) flush(outage []answer) {
	s.answers = outage
	s.emit(map[string]any{"do": "flush"}, func() map[string]any {
		sent, dropped := s.queue().flush(s.monotonic, s.sendBatch)
		result := map[string]any{"sent": sent, "dropped": dropped}
		if s.enabled { // otherwise the device may hold entries that the library has not read
			result["pending"] = len(s.queue().queue)
		}
		return result
	})
}

func (s *story) flushed() {
	if s.chance(15) {
		s.refusing = true
		s.flush(nil)
		s.refusing = false
		return
	}
	s.flush(s.batchOutage())
}

// batchOutage returns the answers to the next batches, most of which are errors. Often it returns
// nil, which means that all batches succeed.
func (s *story) batchOutage() []answer {
	if s.chance(55) {
		return nil
	}
	var out []answer
	for range 1 + s.random.IntN(3) {
		switch n := s.random.IntN(10); {
		case n < 3:
			out = append(out, answer{}) // the default answer
		case n < 6:
			out = append(out, s.refused(pick(s.random, 400, 413, 422)))
		case n < 8:
			out = append(out, s.refused(pick(s.random, 401, 403, 404, 405, 410)))
		case n == 8:
			out = append(out, answer{Closed: true})
		default:
			a := s.refused(pick(s.random, 408, 429, 500, 502, 503, 504, 507, 418))
			if s.chance(50) {
				a.Header = map[string]string{"Retry-After": pick(s.random, "0", "7", "900", "soon")}
			}
			out = append(out, a)
		}
	}
	return out
}

// refused returns an answer with an error status. Its body is typical of servers or proxies.
func (s *story) refused(status int) answer {
	a := answer{Status: status}
	switch s.random.IntN(7) {
	case 0, 1, 2:
		a.Body = fmt.Sprintf(`{"statusCode":%d,"message":"no, «this» cannot be","error":"Refused"}`, status)
	case 3:
		a.Body = fmt.Sprintf(`{"statusCode":%d,"message":["title must not be empty","limit must be 1 to 100"],"error":"Bad Request"}`, status)
	case 4:
		a.Body, a.Header = "<html><body>Bad Gateway</body></html>", map[string]string{"Content-Type": "text/html"}
	case 5:
		a.Body = `{"error":"only this"}`
	}
	return a
}

func (s *story) decideOnCollection() {
	if !s.enabled {
		return
	}
	switch s.random.IntN(7) {
	case 0:
		s.emit(map[string]any{"do": "opt_out"}, func() map[string]any { s.queue().optOut(); return nothing() })
		if s.chance(50) {
			s.hasOptedOut()
		}
		if s.chance(80) {
			s.emit(map[string]any{"do": "opt_in"}, func() map[string]any { s.queue().optIn(); return nothing() })
		}
	case 1:
		s.emit(map[string]any{"do": "opt_in"}, func() map[string]any { s.queue().optIn(); return nothing() })
	case 2:
		s.revoke()
		s.hasOptedOut()
		if s.chance(70) {
			s.grant()
		}
	case 3:
		s.hasOptedOut()
	case 4:
		s.emit(map[string]any{"do": "reset_identity"}, func() map[string]any { s.queue().reset(); return nothing() })
	default:
		s.grant()
	}
}

func (s *story) revoke() {
	s.emit(map[string]any{"do": "revoke_consent"}, func() map[string]any {
		s.queue().revoke()
		s.granted = false
		return nothing()
	})
}

func (s *story) grant() {
	s.emit(map[string]any{"do": "grant_consent"}, func() map[string]any {
		s.granted = s.granted || s.consentMode
		s.queue().grant()
		return nothing()
	})
}

func (s *story) hasOptedOut() {
	s.emit(map[string]any{"do": "has_opted_out"}, func() map[string]any { return map[string]any{"value": s.queue().optedOut} })
}

// personalData adds a call to export_my_data or delete_my_data for the identifier of this device.
func (s *story) personalData() {
	method := pick(s.random, "export_my_data", "delete_my_data")
	args := map[string]any{}
	q := s.queue()
	identity, stranger := q.identity, s.chance(30)
	if stranger {
		identity = "somebody else/1"
		args["distinct_id"] = identity
	}
	if q.active() && q.identity == "" && !stranger {
		s.track("opened", nil, nil)
	}
	if !stranger {
		identity = s.queue().identity
	}
	s.answers = s.callOutage(method == "export_my_data")
	s.emit(callStep("public", method, args), func() map[string]any {
		if !stranger && !s.identified() {
			s.answers = nil
			return failure(map[string]any{"kind": "base"})
		}
		c := call{template: "/public/{k}/events/me", path: "/public/" + segment(s.key) + "/events/me", verb: "GET", query: url.Values{"distinct_id": {identity}}}
		if method == "delete_my_data" {
			c.verb = "DELETE"
			s.queue().drop(identity)
		}
		return outcome(c, s.request(c))
	})
}

// rebind binds the client to another project. If consent is required, it repeats the user's
// decision.
func (s *story) rebind() {
	q := s.queue()
	if s.persistence == "none" && q.optedOut {
		return // the opt-out exists only in the memory of this client
	}
	if len(q.queue) > 0 && (s.persistence != "persistent" || s.consentMode) {
		s.flush(nil)
	}
	s.bind(s.project(s.collecting))
	switch {
	case !s.enabled || !s.consentMode:
	case s.granted:
		s.grant()
	default:
		s.revoke()
	}
	if len(s.queue().queue) > 0 {
		s.flush(nil)
	}
}

// set changes a setting of the client.
func (s *story) set() {
	name := pick(s.random, "token", "platform", "locale")
	var value string
	emit := func(name, value string, into *string) {
		s.emit(map[string]any{"do": "set", "name": name, "value": orNull(value)}, func() map[string]any {
			*into = value
			return nothing()
		})
	}
	switch name {
	case "token":
		emit("token", pick(s.random, "t", "another-token", ""), &s.token)
	case "locale":
		emit("locale", pick(s.random, "", "fr", "pt-BR"), &s.locale)
	default: // set both, because the version is otherwise detected
		if s.chance(70) {
			value = pick(s.random, platforms...)
		}
		emit("platform", value, &s.platform)
		emit("platform_version", pick(s.random, "15.1", " x  y ", "12"), &s.platformVersion)
	}
}

// --- other calls of apps -----------------------------------------------------------------

func (s *story) updates() {
	force, preview := s.chance(30), s.chance(30)
	if s.chance(20) {
		s.answers = s.callOutage(false)
	}
	s.emit(map[string]any{"do": "check_updates", "args": map[string]any{"force": force, "include_preview": preview}}, func() map[string]any {
		return s.checkUpdates(force, preview)
	})
	if s.chance(40) {
		seconds := s.random.Int64N(2 * updateInterval)
		s.clock(seconds, seconds)
	}
}

// captures reports one error, the same error again, or many errors at once.
func (s *story) captures() {
	many := pick(s.random, 1, 2, 14)
	for i := range many {
		kind, message, level := pick(s.random, "ValueError", "E"), pick(s.random, "boom", "naïve 🚀", "a: b"), s.random.IntN(4)
		if many > 2 {
			message = fmt.Sprint("storm ", i)
		}
		if s.chance(30) {
			s.answers = []answer{s.refused(pick(s.random, 400, 403, 413, 422))}
		}
		s.emit(map[string]any{"do": "capture", "args": map[string]any{"type": kind, "message": message, "frame": "load (app.py)", "level": level}}, func() map[string]any {
			s.capture(kind, message, "load (app.py)", level)
			return nothing()
		})
	}
	if s.chance(60) || many > 2 {
		seconds := 61 + s.random.Int64N(30)
		s.clock(seconds, seconds)
	}
}
