package clients

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The model of an event queue: what sections 8 to 10 of the contract of the clients say,
// and nothing of how a library does it. It has no timers, no threads and no files.

// collecting are the options of section 8.2 that the model needs.
type collecting struct {
	enabled, consentMode bool
	persistence          string
	batchSize, maxQueue  int
	idle                 int64 // seconds until a session ends
	interval             int64 // seconds between flushes, from which waits double
}

var defaultCollecting = collecting{enabled: true, persistence: "persistent", batchSize: 20, maxQueue: 500, idle: 1800, interval: 5}

// tracked is an event in a queue.
type tracked struct {
	id, name          string
	at                int64 // Unix seconds
	properties        any   // nil when there are none
	size              int   // bytes of JSON, about
	identity, session string
}

// kept is what is on the device for a namespace.
type kept struct {
	identity string
	queue    []tracked
	optedOut bool
}

// sender gets a batch and returns the status of the answer, 0 when there is none, and the
// seconds of Retry-After.
type sender func(batch []tracked) (status int, wait int64)

// collection is the queue of one namespace in one process.
type collection struct {
	collecting
	newID func() string

	granted         bool
	identity        string
	session         string
	last            int64 // monotonic ms of the last event of the session
	queue           []tracked
	optedOut        bool
	failures, holds int
	until           int64    // monotonic ms: no full batch is sent before
	stopped         bool     // until a flush
	unclear         bool     // whether a full batch would be sent now
	failed, dropped []string // names refused by the server one by one, and by the queue's own rules
}

// openCollection is the queue of a new process on what is on the device.
func openCollection(options collecting, on kept, newID func() string) *collection {
	c := &collection{collecting: options, newID: newID}
	switch options.persistence {
	case "persistent":
		c.identity, c.queue, c.optedOut = on.identity, slices.Clone(on.queue), on.optedOut
	case "session":
		c.optedOut = on.optedOut
	}
	return c
}

// kept is what is on the device when everything was saved.
func (c *collection) kept() (on kept) {
	switch c.persistence {
	case "persistent":
		return kept{identity: c.identity, queue: slices.Clone(c.queue), optedOut: c.optedOut}
	case "session":
		on.optedOut = c.optedOut
	}
	return on
}

func (c *collection) active() bool {
	return c.enabled && !c.optedOut && (!c.consentMode || c.granted)
}

const (
	maxProperties = 16 << 10
	maxBatch      = 64 << 10
)

// eventName is the name under which an event is sent, "" when it cannot be.
func eventName(name string) string {
	name = strings.TrimSpace(name)
	name = strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, name)
	if len(name) > 64 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_.:-") != "" ||
		strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789_.:-", r) }) {
		return ""
	}
	return name
}

func sizeOf(v any) int {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return len(text)
}

// track is section 8.3, and sends when the batch is full.
func (c *collection) track(name string, properties any, unix, monotonic int64, send sender) {
	if !c.active() {
		return
	}
	normal := eventName(name)
	if normal == "" || sizeOf(properties) > maxProperties {
		c.dropped = append(c.dropped, name)
		return
	}
	c.ensureIdentity()
	if c.session == "" || monotonic-c.last > c.idle*1000 {
		c.session = c.newID()
	}
	c.last = monotonic
	e := tracked{id: c.newID(), name: normal, at: unix, properties: properties, identity: c.identity, session: c.session}
	e.size = sizeOf(e.wire())
	c.queue = append(c.queue, e)
	if len(c.queue) > c.maxQueue {
		c.dropped = append(c.dropped, c.queue[0].name)
		c.queue = slices.Clone(c.queue[1:])
	}
	for more := true; more && len(c.queue) >= c.batchSize && !c.waits(monotonic); {
		var sent, dropped int
		more = c.deliver(c.batch(), monotonic, send, &sent, &dropped)
	}
}

// waits reports whether a full batch is not sent for now.
func (c *collection) waits(monotonic int64) bool { return c.stopped || monotonic < c.until }

// wire is the event as it is sent.
func (e tracked) wire() map[string]any {
	out := map[string]any{"event_id": e.id, "name": e.name, "occurred_at": e.at}
	if e.properties != nil {
		out["properties"] = e.properties
	}
	return out
}

func (c *collection) ensureIdentity() {
	if c.identity == "" {
		c.identity = c.newID()
	}
}

// batch is the longest run from the front that may be sent together.
func (c *collection) batch() []tracked {
	size := 0
	for i, e := range c.queue {
		size += e.size + 1
		if i > 0 && (i >= min(c.batchSize, c.maxQueue) || size > maxBatch || e.identity != c.queue[0].identity || e.session != c.queue[0].session) {
			return slices.Clone(c.queue[:i])
		}
	}
	return slices.Clone(c.queue)
}

// deliver sends a batch, in parts when it is refused, and reports whether to go on.
func (c *collection) deliver(batch []tracked, monotonic int64, send sender, sent, dropped *int) bool {
	status, wait := send(batch)
	switch {
	case status >= 200 && status < 300:
		c.remove(batch)
		c.failures, c.holds, c.until, c.stopped, c.unclear = 0, 0, 0, false, false
		*sent += len(batch)
		return true
	case status == 400 || status == 413 || status == 422:
		if len(batch) == 1 {
			c.remove(batch)
			c.failed = append(c.failed, batch[0].name)
			*dropped++
			c.wonder()
			return true
		}
		half := len(batch) / 2
		return c.deliver(batch[:half], monotonic, send, sent, dropped) && c.deliver(batch[half:], monotonic, send, sent, dropped)
	case status == 401 || status == 403 || status == 404 || status == 405 || status == 410:
		c.holds++
		c.stopped = c.holds >= 3
		c.until = monotonic + 60_000
	default:
		c.failures++
		c.until = monotonic + 1000*max(min(c.interval<<min(c.failures-1, 10), 60), min(wait, 3600))
	}
	return false
}

func (c *collection) remove(batch []tracked) {
	c.queue = slices.DeleteFunc(c.queue, func(e tracked) bool {
		return slices.ContainsFunc(batch, func(b tracked) bool { return b.id == e.id })
	})
}

// flush sends everything until a send fails.
func (c *collection) flush(monotonic int64, send sender) (sent, dropped int) {
	for c.active() && len(c.queue) > 0 && c.deliver(c.batch(), monotonic, send, &sent, &dropped) {
	}
	return sent, dropped
}

// forget clears what is known of a person. Whether a wait goes on without a queue shows
// in nothing.
func (c *collection) forget() {
	c.identity, c.session, c.queue = "", "", nil
	c.wonder()
}

// wonder notes that a wait may be over: what happened is neither success nor failure.
func (c *collection) wonder() { c.unclear = c.unclear || c.failures+c.holds > 0 }

func (c *collection) optOut() {
	c.forget()
	c.optedOut = true
}

func (c *collection) optIn() { c.optedOut = false }

func (c *collection) grant() { c.granted = c.granted || c.consentMode }

func (c *collection) revoke() {
	if !c.consentMode {
		c.optOut()
		return
	}
	c.forget()
	c.granted = false
}

func (c *collection) reset() {
	if c.active() {
		c.identity, c.session = c.newID(), ""
	}
}

// drop forgets the queued events of an identifier, as delete_my_data does.
func (c *collection) drop(identity string) {
	c.queue = slices.DeleteFunc(c.queue, func(e tracked) bool { return e.identity == identity })
	c.wonder()
}

// mixed reports whether another event would fill a batch of which the contract does not
// say how much is sent: one that is not one run, or whose wait may be over or not.
func (c *collection) mixed(another int, monotonic int64) bool {
	if len(c.queue)+1 < c.batchSize || !c.active() {
		return false
	}
	if c.unclear || c.failures > 0 && c.holds > 0 || c.until > 0 && max(c.until-monotonic, monotonic-c.until) < 2000 {
		return true
	}
	if c.waits(monotonic) {
		return false
	}
	size := another
	run := len(c.queue) == 0 || c.session != "" && monotonic-c.last <= c.idle*1000
	for _, e := range c.queue {
		size += e.size + 1
		run = run && e.identity == c.identity && e.session == c.session
	}
	return !run || size > maxBatch*9/10
}

// counter makes ids that look like random ones.
func counter() func() string {
	n := 0
	return func() string {
		n++
		return fmt.Sprintf("00000000-0000-4000-8000-%012x", n)
	}
}
