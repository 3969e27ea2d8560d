package vectors

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// scenario is a case in the sections "scenarios" and "queue_scenarios".
type scenario struct {
	Name    string
	Options map[string]any
	Steps   []json.RawMessage
}

// entry is a tracked event.
type entry struct {
	id                               int
	name, identity, session, project string
	properties                       string // JSON; "" for none
}

// queue is the state of a client for one namespace.
type queue struct {
	namespace, project string
	loaded             bool
	entries, cut       []entry // cut has the stored entries that are above the limit
	identity, session  string
	last               int
	optedOut           bool
	failures, holds    int
	until              int // time before which nothing is sent
	stopped            bool
}

// client is one client of a scenario. It has a queue for each namespace that it was bound to.
type client struct {
	project string
	granted bool
	queues  map[string]*queue
	keys    map[string]string // rollout keys by namespace
}

// sending is a request that the scenario answers later.
type sending struct {
	q     *queue
	batch []entry
	done  func(status int)
}

// delivery is an accepted batch.
type delivery struct {
	project string
	batch   []entry
}

// world runs a scenario on a simple model of the contract. It has no timers and no goroutines, and
// shares no code with the libraries.
type world struct {
	options map[string]any
	storage map[string]map[string]string // by namespace and suffix
	queued  map[string][]entry           // stored queues by namespace
	clients map[string]*client
	current string

	now, ids, identities, sessions int
	made                           int // number of rollout keys
	answer, retryAfter             int
	reject                         []string
	waits                          bool // the next request does not get its answer immediately
	waiting                        *sending
	requests                       [][3]any
	delivered                      []delivery
	dropped                        []string
	keys                           []string // rollout keys of all checks
	flush                          map[string]int
}

func newWorld(options map[string]any) *world {
	w := &world{options: options, storage: map[string]map[string]string{}, queued: map[string][]entry{}, clients: map[string]*client{}, answer: 202, flush: map[string]int{}}
	w.use("one")
	return w
}

func (w *world) number(name string, otherwise int) int {
	if n, ok := w.options[name].(float64); ok {
		return int(n)
	}
	return otherwise
}

func (w *world) text(name, otherwise string) string {
	if s, ok := w.options[name].(string); ok {
		return s
	}
	return otherwise
}

func (w *world) flag(name string) bool { return w.options[name] == true }

func (w *world) persistent() bool {
	mode := w.text("persistence", "persistent")
	return mode == "persistent" || mode == "device"
}

func (w *world) limit() int { return w.number("max_queue_size", 500) }

// batchSize returns the size of a full batch, which is at most 50. If the maximum size of the queue
// is lower, a batch never becomes full.
func (w *world) batchSize() int { return min(w.number("batch_size", 20), 50) }

func newClient(project string) *client {
	return &client{project: project, queues: map[string]*queue{}, keys: map[string]string{}}
}

func (w *world) use(name string) {
	if w.clients[name] == nil {
		w.clients[name] = newClient("alpha")
	}
	w.current = name
}

func (w *world) client() *client { return w.clients[w.current] }

func (w *world) namespace() string { return w.text("namespace", "454ea31f-"+w.client().project) }

// queue returns the queue of the bound project. It reads the queue from the storage on first use.
func (w *world) queue() *queue {
	c := w.client()
	namespace := w.namespace()
	q := c.queues[namespace]
	if q == nil {
		q = &queue{namespace: namespace, project: c.project}
		c.queues[namespace] = q
	}
	if !q.loaded {
		q.loaded = true
		if w.text("persistence", "") != "none" {
			q.optedOut = w.storage[namespace]["opt_out"] == "1"
		}
		if w.persistent() {
			// A namespace of the application may be that of several projects.
			q.entries = slices.DeleteFunc(slices.Clone(w.queued[namespace]), func(e entry) bool { return !strings.EqualFold(e.project, q.project) })
			over := max(0, len(q.entries)-w.limit())
			q.cut, q.entries = q.entries[:over], q.entries[over:]
		}
	}
	return q
}

func (w *world) active() bool {
	return w.options["enabled"] != false && !w.queue().optedOut && !w.flag("dnt") && (!w.flag("require_consent") || w.client().granted)
}

// identify returns the identifier from the storage, or a new one.
func (w *world) identify(q *queue) string {
	if q.identity == "" && w.persistent() {
		if stored := w.storage[q.namespace]["distinct_id"]; identifier(stored) {
			q.identity = stored
		}
	}
	if q.identity == "" {
		w.identities++
		q.identity = fmt.Sprintf("random %d", w.identities)
	}
	w.keep(q, "distinct_id", q.identity)
	return q.identity
}

// identifier reports whether a stored text is a valid identifier.
func identifier(s string) bool {
	if s == "" || len(s) > 128 {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// keep stores a value, or removes it if it is empty.
func (w *world) keep(q *queue, suffix, value string) {
	mode := w.text("persistence", "persistent")
	if mode == "none" || mode == "session" && suffix != "opt_out" {
		return
	}
	if w.storage[q.namespace] == nil {
		w.storage[q.namespace] = map[string]string{}
	}
	if w.storage[q.namespace][suffix] = value; value == "" {
		delete(w.storage[q.namespace], suffix)
	}
}

// save merges the queue into the stored one. gone lists the entries that were delivered or dropped.
func (w *world) save(q *queue, gone ...entry) {
	if w.text("persistence", "") != "none" && w.storage[q.namespace]["opt_out"] == "1" && !q.optedOut {
		w.optOut(q)
		return
	}
	if !w.persistent() {
		return
	}
	gone = append(gone, q.cut...)
	stored := w.queued[q.namespace]
	stored = slices.DeleteFunc(slices.Clone(stored), func(e entry) bool { return slices.Contains(gone, e) })
	for _, e := range q.entries {
		if !slices.Contains(stored, e) {
			stored = append(stored, e)
		}
	}
	stored = stored[max(0, len(stored)-w.limit()):]
	w.queued[q.namespace] = stored
	w.keep(q, "queue", map[bool]string{true: "entries"}[len(stored) > 0])
}

// fill puts a text into the storage, as an earlier process has written it.
func (w *world) fill(q *queue, suffix, text string) {
	w.keep(q, suffix, text)
	var events []struct {
		Name     string
		Identity string `json:"distinct_id"`
		Session  string `json:"session_id"`
	}
	if suffix != "queue" || json.Unmarshal([]byte(text), &events) != nil {
		return
	}
	q.loaded = false
	for _, e := range events {
		w.ids++
		w.queued[q.namespace] = append(w.queued[q.namespace], entry{id: w.ids, name: e.Name, identity: e.Identity, session: e.Session, project: q.project})
	}
}

// check makes an update check, of which only the rollout key matters.
func (w *world) check() {
	c, namespace := w.client(), w.namespace()
	key := w.text("rollout_key", c.keys[namespace])
	if w.persistent() && w.text("rollout_key", "") == "" && (!w.flag("require_consent") || c.granted) {
		if stored := w.storage[namespace]["rollout_key"]; rolloutKey.MatchString(stored) {
			key = stored
		} else if key == "" {
			key = w.newKey()
		}
		w.keep(w.queue(), "rollout_key", key)
	}
	if key == "" {
		key = w.newKey()
	}
	c.keys[namespace] = key
	w.keys = append(w.keys, key)
}

// newKey returns a key in the place of a random one.
func (w *world) newKey() string {
	w.made++
	return strconv.Itoa(w.made)
}

var rolloutKey = regexp.MustCompile(`^[0-9]{1,4}$`)

// versioned adds the version of the application to properties that have none.
func (w *world) versioned(properties map[string]any) map[string]any {
	_, given := properties["app_version"]
	if version := w.text("app_version", ""); version != "" && !given {
		properties = maps.Clone(properties)
		if properties == nil {
			properties = map[string]any{}
		}
		properties["app_version"] = version
	}
	return properties
}

func (w *world) track(name string, properties map[string]any) {
	if !w.active() {
		return
	}
	name, ok := eventName(name)
	if !ok {
		return
	}
	q := w.queue()
	if q.session == "" || w.now-q.last > w.number("session_timeout", 1800) {
		w.sessions++
		q.session = fmt.Sprintf("session %d", w.sessions)
	}
	q.last = w.now
	w.ids++
	e := entry{id: w.ids, name: name, identity: w.identify(q), session: q.session, project: q.project}
	if properties = w.versioned(properties); len(properties) > 0 {
		text, err := json.Marshal(properties)
		if err != nil {
			panic(err)
		}
		e.properties = string(text)
	}
	q.entries = append(q.entries, e)
	var gone []entry
	if len(q.entries) > w.limit() {
		i := 0
		for w.waiting != nil && w.waiting.q == q && slices.Contains(w.waiting.batch, q.entries[i]) {
			i++
		}
		gone = []entry{q.entries[i]}
		w.dropped = append(w.dropped, q.entries[i].name)
		q.entries = slices.Delete(q.entries, i, i+1)
	}
	w.save(q, gone...)
	for len(q.entries) >= w.batchSize() && w.waiting == nil && !q.stopped && w.now >= q.until {
		w.send(q, w.front(q), nil)
	}
}

// front returns the next batch.
func (w *world) front(q *queue) []entry {
	n := 0
	for n < len(q.entries) && n < w.batchSize() && q.entries[n].identity == q.entries[0].identity && q.entries[n].session == q.entries[0].session {
		n++
	}
	return slices.Clone(q.entries[:n])
}

// send sends a batch. It calls then with true if the queue can continue.
func (w *world) send(q *queue, batch []entry, then func(ok bool)) {
	finish := func(status int) {
		ok := w.outcome(q, batch, status)
		if then != nil {
			then(ok)
		}
	}
	if w.waits {
		w.waits = false
		w.waiting = &sending{q: q, batch: batch, done: finish}
		return
	}
	status := w.answer
	for _, e := range batch {
		if slices.Contains(w.reject, e.name) {
			status = 400
		}
	}
	finish(status)
}

// outcome applies the effects of the answer to a batch. It reports whether the queue can continue.
func (w *world) outcome(q *queue, batch []entry, status int) bool {
	names := []string{}
	for _, e := range batch {
		names = append(names, e.name)
	}
	w.requests = append(w.requests, [3]any{q.project, names, status})
	remove := func(batch []entry) {
		q.entries = slices.DeleteFunc(q.entries, func(e entry) bool { return slices.Contains(batch, e) })
		w.save(q, batch...)
	}
	switch {
	case status >= 200 && status < 300:
		q.failures, q.holds, q.until, q.stopped = 0, 0, 0, false
		w.delivered = append(w.delivered, delivery{q.project, batch})
		w.flush["sent"] += len(batch)
		remove(batch)
		return true
	case (status == 400 || status == 413 || status == 422) && len(batch) > 1:
		ok := true
		for _, half := range [][]entry{batch[:len(batch)/2], batch[len(batch)/2:]} {
			if ok {
				w.send(q, half, func(went bool) { ok = went })
			}
		}
		return ok
	case status == 400 || status == 413 || status == 422:
		w.dropped = append(w.dropped, batch[0].name)
		w.flush["dropped"]++
		remove(batch)
		return true
	case slices.Contains([]int{401, 403, 404, 405, 410}, status):
		q.holds++
		q.stopped = q.holds >= 3
		q.until = w.now + 60
	default:
		q.failures++
		wait := w.number("flush_interval", 5)
		for n := 1; n < q.failures && wait < 60; n++ {
			wait *= 2
		}
		q.until = w.now + max(min(wait, 60), min(w.retryAfter, 3600))
	}
	w.save(q)
	return false
}

// drain sends batches until the queue is empty or a send has failed.
func (w *world) drain(q *queue) {
	if len(q.entries) == 0 || q.optedOut {
		w.flush["pending"] = len(q.entries)
		return
	}
	w.send(q, w.front(q), func(ok bool) {
		if ok {
			w.drain(q)
		}
		w.flush["pending"] = len(q.entries)
	})
}

// clear deletes the queue, the identifier and the session.
func (w *world) clear(q *queue) {
	if w.waiting != nil && w.waiting.q == q {
		w.waiting = nil
	}
	q.entries, q.identity, q.session = nil, "", ""
	if w.persistent() {
		delete(w.queued, q.namespace)
		w.keep(q, "queue", "")
		w.keep(q, "distinct_id", "")
	}
}

func (w *world) optOut(q *queue) {
	w.clear(q)
	q.optedOut = true
	w.keep(q, "opt_out", "1")
}

func (w *world) step(t *testing.T, raw json.RawMessage) {
	t.Helper()
	var step []any
	if err := json.Unmarshal(raw, &step); err != nil {
		t.Fatal(err)
	}
	text := func(i int) string { return step[i].(string) }
	whole := func(i int) int { return int(step[i].(float64)) }
	switch q := w.queue(); text(0) {
	case "track":
		var properties map[string]any
		if len(step) > 2 {
			properties = step[2].(map[string]any)
		}
		w.track(text(1), properties)
	case "check":
		w.check()
	case "flush", "send":
		w.flush = map[string]int{"sent": 0, "dropped": 0, "pending": 0}
		w.waits = text(0) == "send"
		if w.active() {
			w.drain(q)
		}
	case "done":
		if waiting := w.waiting; waiting != nil {
			w.waiting = nil
			waiting.done(whole(1))
		}
	case "opt_out":
		w.optOut(q)
	case "opt_in":
		q.optedOut, q.identity = false, ""
		w.keep(q, "opt_out", "")
	case "grant_consent":
		w.client().granted = true
	case "revoke_consent":
		if !w.flag("require_consent") {
			w.optOut(q)
			break
		}
		w.clear(q)
		w.client().granted = false
	case "reset_identity":
		if !w.active() {
			break
		}
		q.identity, q.session = "", ""
		w.keep(q, "distinct_id", "")
		w.identify(q)
	case "advance":
		w.now += whole(1)
	case "answer":
		if w.answer, w.retryAfter = whole(1), 0; len(step) > 2 {
			w.retryAfter = whole(2)
		}
	case "reject":
		w.reject = nil
		for _, name := range step[1].([]any) {
			w.reject = append(w.reject, name.(string))
		}
	case "restart":
		w.clients[w.current] = newClient(w.client().project)
	case "bind":
		w.bind(text(1))
	case "client":
		w.use(text(1))
	case "store":
		if q.identity != "" || len(q.entries) > 0 {
			t.Fatal("the storage is filled after the client was used")
		}
		w.fill(q, text(1), text(2))
	case "expect":
		w.expect(t, step[1].(map[string]any))
	default:
		t.Fatalf("unknown step %s", raw)
	}
}

// bind binds the client to another project. Without persistence, the previous queue makes one last
// attempt to send its entries.
func (w *world) bind(project string) {
	old := w.queue()
	if strings.EqualFold(w.client().project, project) {
		return
	}
	if w.active() && !w.persistent() {
		w.drain(old)
	}
	if w.persistent() {
		w.save(old)
	}
	delete(w.client().queues, old.namespace)
	w.client().project = project
}

func (w *world) expect(t *testing.T, want map[string]any) {
	t.Helper()
	q := w.queue()
	names := func(entries []entry) []string {
		names := []string{}
		for _, e := range entries {
			names = append(names, e.name)
		}
		return names
	}
	sent, unique, by := []string{}, []string{}, map[string][]string{}
	identities, sessions, ids := map[string]bool{}, map[string]bool{}, map[int]bool{}
	last, properties := "", []json.RawMessage{}
	for _, d := range w.delivered {
		sent = append(sent, names(d.batch)...)
		by[d.project] = append(by[d.project], names(d.batch)...)
		identities[d.batch[0].identity], sessions[d.batch[0].session] = true, true
		last = d.batch[0].identity
		for _, e := range d.batch {
			if !ids[e.id] {
				unique = append(unique, e.name)
			}
			ids[e.id] = true
			if e.properties == "" {
				e.properties = "null"
			}
			properties = append(properties, json.RawMessage(e.properties))
		}
	}
	keys := []string{}
	for namespace, values := range w.storage {
		for suffix := range values {
			keys = append(keys, "svc.analytics."+namespace+"."+suffix)
		}
	}
	slices.Sort(keys)
	dropped := append([]string{}, w.dropped...)
	stored := slices.Sorted(slices.Values(names(w.queued[q.namespace])))
	got := map[string]any{
		"active": w.active(), "opted_out": q.optedOut || w.flag("dnt"), "pending": names(q.entries),
		"stored": slices.AppendSeq([]string{}, slices.Values(slices.Sorted(maps.Keys(w.storage[q.namespace])))),
		"sent":   sent, "dropped": dropped, "identities": len(identities), "sessions": len(sessions), "batches": len(w.delivered),
		"flush": w.flush, "requests": w.requests, "sent_by": by, "unique_sent": unique, "storage_keys": keys,
		"stored_queue": append([]string{}, stored...), "distinct_id": last, "distinct_id_is_uuid": strings.HasPrefix(last, "random "),
		"properties": properties, "rollout_keys": len(slices.Compact(slices.Sorted(slices.Values(w.keys)))),
	}
	if len(w.keys) > 0 {
		got["rollout_key"] = w.keys[len(w.keys)-1]
		got["rollout_key_is_number"] = rolloutKey.MatchString(w.keys[len(w.keys)-1])
	}
	for key, value := range want {
		have, known := got[key]
		if !known {
			t.Fatalf("nobody knows what %q expects", key)
		}
		g, err := json.Marshal(have)
		if err != nil {
			t.Fatal(err)
		}
		x, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if string(g) != string(x) {
			t.Errorf("%s: the model has %s, the file %s", key, g, x)
		}
	}
}

// eventName implements the rule of the section "event_name".
func eventName(name string) (string, bool) {
	var b strings.Builder
	for _, r := range strings.TrimSpace(name) {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789_.:-", r) {
			return "", false
		}
		b.WriteRune(r)
	}
	return b.String(), b.Len() >= 1 && b.Len() <= 64
}
