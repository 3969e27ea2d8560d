package clients

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"

	"svc/internal/release"
)

// This file contains a model of the client. It follows the contract and predicts the requests and
// the result of each step of a story. It also predicts how far each step advances the client's
// clock.

const (
	placeholderURL   = "{recorder}"
	placeholderState = "{state}"
	startWall        = 1_800_000_000_000 // Unix ms at which every new client starts
)

// settings holds the options of a client that setters can change.
type settings struct {
	key, token, locale, appVersion string // "" for none
	platform, platformVersion      string // as passed to the client; "" means that none is sent
	retries                        int
	extra                          map[string]string
}

// remembered is the last result of an update check of a namespace.
type remembered struct {
	checked, next int64 // Unix seconds
	key, decision string
}

// device is the stored state of a namespace.
type device struct {
	kept
	update *remembered
}

// world is a client on a device, together with the prepared answers to its next requests.
type world struct {
	settings
	collecting
	newID func() string

	wall, monotonic int64 // ms
	devices         map[string]*device
	open            bool
	queues          map[string]*collection
	granted         bool
	update          map[string]*remembered // the remembered results of this process, by namespace
	logs            reports

	answers  []answer                       // answers to the next requests, prepared by the story
	success  func(verb, path string) answer // returns the answer to any other request
	used     []answer                       // the answers that have been sent
	sent     []request                      // requests of the current step
	refusing bool                           // connections are refused
}

func (w *world) namespace() string {
	if w.key == "" {
		return "default"
	}
	return strings.ToLower(w.key)
}

func (w *world) device() *device {
	d := w.devices[w.namespace()]
	if d == nil {
		d = &device{}
		w.devices[w.namespace()] = d
	}
	return d
}

// queue returns the queue that the next call about events will use.
func (w *world) queue() *collection {
	q := w.queues[w.namespace()]
	if q == nil {
		q = openCollection(w.collecting, w.device().kept, w.newID)
		q.granted = w.granted
		w.queues[w.namespace()] = q
	}
	return q
}

// save saves all queues on the device.
func (w *world) save() {
	for namespace, q := range w.queues {
		if w.devices[namespace] == nil {
			w.devices[namespace] = &device{}
		}
		w.devices[namespace].kept = q.kept()
	}
	for namespace, update := range w.update {
		if w.persistence != "none" {
			w.devices[namespace].update = update
		}
	}
}

// begin opens a new client.
func (w *world) begin(s settings, c collecting) {
	w.settings, w.collecting, w.open, w.granted = s, c, true, false
	w.queues, w.update, w.logs = map[string]*collection{}, map[string]*remembered{}, newReports()
	w.wall, w.monotonic = startWall, 0
}

// clean converts the name or version of a platform to its form in headers, which has only printable
// ASCII and at most 32 characters.
func clean(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < 0x21 || r > 0x7e }), " ")
	return strings.TrimSpace(text[:min(len(text), 32)])
}

func (w *world) header(admin, body bool) map[string]string {
	h := map[string]string{}
	for name, value := range w.extra {
		h[strings.ToLower(name)] = value
	}
	h["accept"] = "application/json"
	h["x-svc-client-time"] = time.UnixMilli(w.wall).UTC().Format("2006-01-02T15:04:05.000") + "+00:00"
	for name, value := range map[string]string{"x-svc-platform": clean(w.platform), "x-svc-platform-version": clean(w.platformVersion)} {
		if value != "" {
			h[name] = value
		}
	}
	if admin {
		h["authorization"] = "Bearer " + w.token
	}
	if body {
		h["content-type"] = "application/json"
	}
	return h
}

// segment escapes a path argument as one segment. It returns "" if that is impossible.
func segment(text string) string {
	if text == "" || text == "." || text == ".." {
		return ""
	}
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}

// exchange sends one request once and returns the answer.
func (w *world) exchange(r request, path string) answer {
	if w.refusing {
		return answer{Closed: true}
	}
	a := w.success(r.Method, path)
	if len(w.answers) > 0 {
		a, w.answers = w.answers[0], w.answers[1:]
		if a.Status == 0 && !a.Closed { // no answer is prepared
			a = w.success(r.Method, path)
		}
	}
	w.sent, w.used = append(w.sent, r), append(w.used, a)
	return a
}

// call is a call of a library's method: the request and its arguments.
type call struct {
	admin      bool
	verb, path string // method and path of the request, as sent
	template   string
	query      url.Values
	body       any // nil for none
	replyToken string
}

// request performs a call, including its retries, and returns the last answer.
func (w *world) request(c call) answer {
	for done := 0; ; done++ {
		r := request{Method: c.verb, Path: equalEscapes.Replace(c.path), Query: c.query.Encode(), Header: w.header(c.admin, c.body != nil), Body: c.body}
		if c.replyToken != "" {
			r.Header["x-reply-token"] = c.replyToken
		}
		a := w.exchange(r, c.template)
		delay := w.retry(c.verb, done, a)
		if delay < 0 {
			return a
		}
		w.wall += delay
		w.monotonic += delay
	}
}

// retry returns the wait in ms before the next attempt, or -1 if there is none.
func (w *world) retry(verb string, done int, a answer) int64 {
	again := a.Closed && w.refusing || a.Status >= 502 && a.Status <= 504
	if verb != "GET" || done >= w.retries || !again {
		return -1
	}
	delay := min(300<<done, 5000)
	seconds, given := retryAfter(a.Header["Retry-After"], w.wall/1000)
	switch {
	case !given:
		return int64(delay)
	case seconds > 30:
		return -1
	}
	return max(int64(delay), seconds*1000)
}

// retryAfter parses a Retry-After header, which holds seconds or a date.
func retryAfter(text string, now int64) (seconds int64, given bool) {
	text = strings.TrimSpace(text)
	if when, err := time.Parse(time.RFC1123, text); err == nil {
		return max(0, when.Unix()-now), true
	}
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	_, err := fmt.Sscan(text, &seconds)
	return seconds, err == nil
}

// outcome returns the predicted result of a call that ended with the given answer.
func outcome(c call, a answer) map[string]any {
	if a.Closed || a.Cut {
		return failure(map[string]any{"kind": "connection"})
	}
	body, isJSON := decoded(a.Body)
	if a.Status/100 == 2 && (a.Body == "" || isJSON) {
		return map[string]any{"ok": true}
	}
	return failure(map[string]any{
		"kind": "api", "status": a.Status, "message": errorMessage(a.Status, body), "method": c.verb, "path": c.template,
	})
}

func failure(e map[string]any) map[string]any { return map[string]any{"error": e} }

// errorMessage returns the message for the body of an error.
func errorMessage(status int, body any) string {
	fields, _ := body.(map[string]any)
	switch message := fields["message"].(type) {
	case string:
		if message != "" {
			return message
		}
	case []any:
		var parts []string
		for _, one := range message {
			if text, ok := one.(string); ok {
				parts = append(parts, text)
			}
		}
		if len(parts) > 0 {
			return strings.Join(parts, "; ")
		}
	}
	if text, ok := fields["error"].(string); ok && text != "" {
		return text
	}
	return fmt.Sprintf("HTTP %d", status)
}

// sendBatch sends a batch of events.
func (w *world) sendBatch(batch []tracked) (status int, wait int64) {
	events := []any{}
	for _, e := range batch {
		events = append(events, e.wire())
	}
	body := map[string]any{"distinct_id": batch[0].identity, "session_id": batch[0].session, "events": events}
	const template = "/public/{k}/events"
	r := request{Method: "POST", Path: "/public/" + segment(w.key) + "/events", Header: w.header(false, true), Body: body}
	a := w.exchange(r, template)
	if a.Closed || a.Cut && a.Status/100 == 2 {
		return 0, 0
	}
	wait, _ = retryAfter(a.Header["Retry-After"], w.wall/1000)
	return a.Status, wait
}

const updateInterval = 6 * 3600

// checkUpdates models the update helper of the libraries, except for its random delay.
func (w *world) checkUpdates(force, preview bool) map[string]any {
	if w.appVersion == "" {
		return failure(map[string]any{"kind": "base"})
	}
	now := w.wall / 1000
	key := fmt.Sprintf("%s||%t|%s", w.appVersion, preview, w.locale)
	last := w.update[w.namespace()]
	if last == nil {
		last = w.device().update
	}
	if last != nil && !force && last.key == key && !due(last, updateInterval, now) {
		return map[string]any{"decision": last.decision, "remembered": true}
	}
	body := map[string]any{"current_version": w.appVersion, "include_preview": preview}
	if w.locale != "" {
		body["locale"] = w.locale
	}
	c := call{verb: "POST", path: "/public/" + segment(w.key) + "/versions/check-update", template: "/public/{k}/versions/check-update", body: body}
	a := w.request(c)
	if comparable, ok := release.Derive(w.appVersion); ok && a.Status == http.StatusBadRequest {
		body = maps.Clone(body)
		body["current_comparable_version"] = comparable.String()
		c.body = body
		a = w.request(c)
	}
	if result := outcome(c, a); result["error"] != nil {
		return result
	}
	answered, _ := decoded(a.Body)
	w.update[w.namespace()] = &remembered{checked: now, next: now + updateInterval, key: key, decision: decision(answered)}
	w.device() // creates the device, which will hold the state
	return map[string]any{"decision": decision(answered), "remembered": false}
}

// due reports whether the update helper must ask the server again, because the last result is too
// old or was stored while the clock was wrong.
func due(last *remembered, interval, now int64) bool {
	return now >= last.next || now < last.checked || float64(now) >= float64(last.checked)+math.Round(float64(interval)*1.2)
}

// decision returns the decision for an answer to an update check.
func decision(answered any) string {
	fields, _ := answered.(map[string]any)
	milestone, _ := fields["milestone"].(map[string]any)
	switch {
	case fields["required"] == true:
		return "required"
	case fields["should_update"] == true && milestone["target_is_milestone"] == true:
		return "milestone"
	case fields["should_update"] == true:
		return "optional"
	}
	return "none"
}

// reports limits the error reports of a client. The same error is reported at most once a minute. A
// token bucket limits all errors together.
type reports struct {
	last     map[string]int64 // monotonic ms of the last report of each fingerprint
	repeated map[string]int
	dropped  int
	tokens   float64
	filled   int64 // monotonic ms of the last refill
}

const (
	reportBurst = 10
	reportEvery = 6_000  // ms
	reportAgain = 60_000 // ms
)

func newReports() reports {
	return reports{last: map[string]int64{}, repeated: map[string]int{}, tokens: reportBurst}
}

// capture reports an error.
func (w *world) capture(kind, message, frame string, level int) {
	l, now := &w.logs, w.monotonic
	print := fingerprint(kind, message, frame)
	if last, sent := l.last[print]; sent && now-last < reportAgain {
		l.repeated[print]++
		return
	}
	l.tokens = min(reportBurst, l.tokens+float64(now-l.filled)/reportEvery)
	l.filled = now
	if l.tokens < 1 {
		l.dropped++
		return
	}
	l.tokens--
	l.last[print] = now
	about := map[string]any{"fingerprint": print}
	if n := l.repeated[print]; n > 0 {
		about["repeated"] = n
	}
	if l.dropped > 0 {
		about["dropped"] = l.dropped
	}
	delete(l.repeated, print)
	l.dropped = 0
	content := strings.Trim(kind+": "+message, ": ") + "\n" + frame
	body := map[string]any{"level": level, "content": content, "device_info": map[string]any{}, "custom_data": about}
	w.exchange(request{Method: "POST", Path: "/public/" + segment(w.key) + "/logs", Header: w.header(false, true), Body: body}, "/public/{k}/logs")
}

func fingerprint(kind, message, frame string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(kind + "\n" + message + "\n" + frame))
	return fmt.Sprintf("%08x", h.Sum32())
}

// identified reports whether the queue has an identifier that a call can use.
func (w *world) identified() bool {
	q := w.queue()
	return q.active() && q.identity != ""
}
