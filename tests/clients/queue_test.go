package clients

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// This file contains a model of the event queue. It follows the contract of the client libraries
// and is independent of their implementations. It has no timers, threads or files.

// collecting holds the event collection options that the model uses.
type collecting struct {
	enabled, consentMode bool
	persistence          string
	batchSize, maxQueue  int
	idle                 int64 // seconds without an event after which a session ends
	interval             int64 // seconds between flushes; also the wait after the first failure
}

var defaultCollecting = collecting{enabled: true, persistence: "persistent", batchSize: 20, maxQueue: 500, idle: 1800, interval: 5}

// tracked is an event in a queue.
type tracked struct {
	id, name          string
	at                int64 // Unix seconds
	properties        any   // nil if there are none
	size              int   // approximate bytes of JSON
	identity, session string
}

// kept is the stored state of a namespace on the device.
type kept struct {
	identity string
	queue    []tracked
	feedback []sentFeedback
	optedOut bool
}

// sender sends a batch. It returns the status of the answer and its Retry-After in seconds. Status
// 0 means that there is no answer.
type sender func(batch []tracked) (status int, wait int64)

// collection is the queue of one namespace in one process.
type collection struct {
	collecting
	newID func() string

	granted         bool
	identity        string
	session         string
	last            int64 // time of the last event of the session, in monotonic ms
	queue           []tracked
	feedback        []sentFeedback
	optedOut        bool
	failures, holds int
	until           int64    // time until which no full batch is sent, in monotonic ms
	stopped         bool     // full batches are held back until a send succeeds
	unclear         bool     // the contract does not define whether a full batch would be sent now
	failed, dropped []string // names of events rejected by the server or dropped by the queue
}

// openCollection returns the queue of a new process that finds the given state on the device.
func openCollection(options collecting, on kept, newID func() string) *collection {
	c := &collection{collecting: options, newID: newID}
	switch options.persistence {
	case "persistent":
		// The process that stored the queue may have allowed more entries.
		c.identity, c.queue, c.optedOut = on.identity, slices.Clone(on.queue[max(0, len(on.queue)-c.maxQueue):]), on.optedOut
		c.feedback = slices.Clone(on.feedback)
	case "session":
		c.optedOut = on.optedOut
	}
	return c
}

// kept returns the state on the device after everything has been saved.
func (c *collection) kept() (on kept) {
	switch c.persistence {
	case "persistent":
		return kept{identity: c.identity, queue: slices.Clone(c.queue), feedback: slices.Clone(c.feedback), optedOut: c.optedOut}
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

// eventName returns the name under which an event is sent, or "" if it is invalid.
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

// versioned adds the version of the app to the properties of an event, unless they have one.
func versioned(properties any, version string) any {
	own, _ := properties.(map[string]any)
	if _, given := own["app_version"]; given || version == "" {
		return properties
	}
	all := map[string]any{"app_version": version}
	maps.Copy(all, own)
	return all
}

// track adds an event, and sends the batch if it is full.
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

// waits reports whether full batches are currently held back.
func (c *collection) waits(monotonic int64) bool { return c.stopped || monotonic < c.until }

// wire returns the event as it is sent.
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

// batch returns the longest run of events at the front of the queue that can be sent together.
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

// deliver sends a batch. If the server refuses the batch as a whole, deliver sends its halves. It
// reports whether the next batch can be sent.
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

// flush sends batches until none are left or one fails.
func (c *collection) flush(monotonic int64, send sender) (sent, dropped int) {
	for c.active() && len(c.queue) > 0 && c.deliver(c.batch(), monotonic, send, &sent, &dropped) {
	}
	return sent, dropped
}

// forget deletes the personal data. It is then undefined whether a wait continues, because a test
// cannot observe that while the queue is empty.
func (c *collection) forget() {
	c.identity, c.session, c.queue, c.feedback = "", "", nil, nil
	c.wonder()
}

// wonder records that it is undefined whether a wait is over. It is called after changes for which
// the contract does not specify that.
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

// drop removes the queued events of an identifier, as delete_my_data does.
func (c *collection) drop(identity string) {
	c.queue = slices.DeleteFunc(c.queue, func(e tracked) bool { return e.identity == identity })
	c.wonder()
}

// mixed reports whether another event would fill a batch of which the contract does not define how
// much is sent. This is the case if the queue has entries of several processes or has nearly its
// maximum size, or if it is undefined whether a wait is over.
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

// counter returns a generator of ids that look like random ones.
func counter() func() string {
	n := 0
	return func() string {
		n++
		return fmt.Sprintf("00000000-0000-4000-8000-%012x", n)
	}
}
