package svcsdk

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"
)

// queue is the events of one project that wait to be sent, and under which identifier new ones
// are collected.
//
// Track only ever takes mu, which nobody holds during I/O. One goroutine, started by the first
// event, decides when to save and when to send; sending has one more while it lasts.
type queue struct {
	owner     *collector
	project   string
	namespace string
	backing   backing // nil: everything stays in memory
	loading   sync.Once

	writing sync.Mutex    // held while state is written
	slot    chan struct{} // holds one value while something is sent

	mu       sync.Mutex // guards what follows
	loaded   bool
	entries  []*entry
	inFlight map[string]bool
	id       string
	optedOut bool
	session  string
	last     time.Duration // of the clock, when the last event was tracked

	// What the next write has to say.
	dirty, urgent, clear, writeID, writeOut bool
	removed                                 recent // ids of entries that were delivered or dropped
	erased                                  map[string]bool
	lastWrite                               time.Time
	unwritable                              bool

	// Sending.
	cancelSend context.CancelFunc
	generation int // grows when entries are forgotten, so that a send puts nothing back
	failures   int // in a row
	holds      int // in a row
	stopped    bool
	notBefore  time.Duration // of the clock
	pausedTo   time.Time
	sent, lost int  // totals
	failed     int  // sends that failed
	full       bool // a batch was completed by the last events

	running bool
	woken   chan struct{}
	quit    chan struct{}
	workers *sync.WaitGroup // of this run
	ended   bool            // nothing is sent any more
}

func newQueue(c *collector, ns, project string) *queue {
	q := &queue{
		owner: c, project: project, namespace: ns,
		slot:     make(chan struct{}, 1),
		woken:    make(chan struct{}, 1),
		inFlight: map[string]bool{},
		erased:   map[string]bool{},
		removed:  recent{most: max(2000, 4*c.opts.MaxQueueSize)},
	}
	if c.opts.Persistence != PersistNone {
		p := q.prefix()
		q.backing = newBacking(&c.opts, ns, "", p+idSuffix, p+queueSuffix, p+optOutSuffix)
	}
	return q
}

func (q *queue) prefix() string { return "svc.analytics." + q.namespace + "." }

// clock is that of the client.
func (q *queue) clock() *clock { return q.owner.client.clock }

// ready reads what is kept, once.
func (q *queue) ready() {
	q.loading.Do(func() {
		var texts map[string]string
		if q.backing != nil {
			texts = q.backing.load()
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		q.loaded = true
		q.optedOut = texts[q.prefix()+optOutSuffix] == "1"
		if q.owner.opts.Persistence != PersistDevice || q.optedOut {
			return
		}
		if id := texts[q.prefix()+idSuffix]; validIdentifier(id) {
			q.id = id
		}
		for _, e := range parseQueue(texts[q.prefix()+queueSuffix]) {
			// Where several projects share a namespace, each sends its own.
			if e.project == "" || sameProject(e.project, q.project) {
				q.add(e)
			}
		}
	})
}

// used reports whether anything was asked of the queue.
func (q *queue) used() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.loaded
}

// active reports whether events are collected and sent. The caller holds mu.
func (q *queue) active() bool { return q.owner.active() && !q.optedOut }

// add appends an entry. The caller holds mu.
func (q *queue) add(e *entry) {
	e.due = time.Now().Add(q.owner.opts.FlushInterval)
	q.entries = append(q.entries, e)
}

// track appends an event with properties that are encoded already.
func (q *queue) track(name string, properties []byte) {
	q.ready()
	now, at := q.clock().monotonic(), q.clock().now().Unix()
	s := storedEntry{EventID: newUUID(), Name: name, OccurredAt: max(0, at), Properties: properties}
	if q.owner.opts.Namespace != "" {
		s.ProjectKey = q.project
	}
	q.mu.Lock()
	if !q.active() {
		q.mu.Unlock()
		return
	}
	q.makeIdentifier()
	if q.session == "" || now-q.last > q.owner.opts.SessionTimeout {
		q.session = newUUID()
	}
	q.last = now
	s.DistinctID, s.SessionID = q.id, q.session
	q.add(newEntry(s))
	dropped := q.overflow()
	wake := q.touch() || len(q.entries) == 1
	if q.fullBatch() {
		q.full = true
		wake = wake || len(q.slot) == 0
	}
	q.start()
	q.mu.Unlock()
	if wake {
		q.wake()
	}
	if dropped != nil {
		q.owner.drop(dropped.name, "queue is full")
	}
}

// makeIdentifier makes an identifier if there is none. The caller holds mu.
func (q *queue) makeIdentifier() {
	if q.id == "" {
		q.id = newUUID()
		q.writeID, q.urgent = true, true
	}
}

// overflow drops the oldest entry that is not being sent when there are too many. The caller
// holds mu.
func (q *queue) overflow() *entry {
	if len(q.entries) <= q.owner.opts.MaxQueueSize {
		return nil
	}
	for _, e := range q.entries {
		if !q.inFlight[e.id] {
			q.take(e.id)
			q.lost++
			return e
		}
	}
	return nil
}

// take removes entries for good. The caller holds mu.
func (q *queue) take(ids ...string) {
	gone := make(map[string]bool, len(ids))
	for _, id := range ids {
		gone[id] = true
		q.removed.add(id)
		delete(q.inFlight, id)
	}
	q.keep(func(e *entry) bool { return !gone[e.id] })
}

// keep removes the entries for which it returns false. The caller holds mu. The oldest go most
// often, and are taken off without moving the rest.
func (q *queue) keep(kept func(*entry) bool) {
	for len(q.entries) > 0 && !kept(q.entries[0]) {
		q.entries[0] = nil
		q.entries = q.entries[1:]
	}
	n := 0
	for _, e := range q.entries {
		if kept(e) {
			q.entries[n] = e
			n++
		}
	}
	clear(q.entries[n:])
	q.entries = q.entries[:n]
}

// touch notes that there is something to write, and reports whether that is news. The caller
// holds mu.
func (q *queue) touch() bool {
	news := !q.dirty || q.urgent
	q.dirty = true
	return news
}

// fullBatch reports whether a batch is complete and may be sent. The caller holds mu.
func (q *queue) fullBatch() bool {
	return len(q.entries) >= q.owner.opts.BatchSize && q.active() && !q.stopped && q.clock().monotonic() >= q.notBefore
}

// identifier returns the identifier under which events are collected, "" when there is none.
func (q *queue) identifier(create bool) string {
	q.ready()
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.active() {
		return ""
	}
	if q.id == "" && create {
		q.makeIdentifier()
		q.touch()
		q.start()
		q.wake()
	}
	return q.id
}

func (q *queue) hasOptedOut() bool {
	q.ready()
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.optedOut
}

func (q *queue) optOut() {
	q.ready()
	q.mu.Lock()
	q.optOutLocked()
	q.writeOut = true
	q.mu.Unlock()
	q.save()
}

// optOutLocked forgets everything and collects nothing any more. The caller holds mu.
func (q *queue) optOutLocked() {
	q.forgetLocked()
	q.optedOut = true
}

func (q *queue) optIn() {
	q.ready()
	q.mu.Lock()
	if !q.optedOut {
		q.mu.Unlock()
		return
	}
	q.optedOut, q.writeOut = false, true
	q.touch()
	q.mu.Unlock()
	q.save()
}

// forget drops identifier and entries, and leaves no marker.
func (q *queue) forget() {
	q.mu.Lock()
	q.forgetLocked()
	q.mu.Unlock()
	q.save()
}

// forgetLocked drops identifier, session and entries and aborts a running send. The caller holds
// mu.
func (q *queue) forgetLocked() {
	q.entries = nil
	clear(q.inFlight)
	q.id, q.session = "", ""
	q.clear, q.writeID = true, true
	q.generation++
	if q.cancelSend != nil {
		q.cancelSend()
	}
	q.touch()
}

func (q *queue) resetIdentity() {
	q.ready()
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.active() {
		return
	}
	q.session = ""
	if q.id == "" {
		return
	}
	q.id = ""
	q.makeIdentifier()
	q.touch()
	q.start()
	q.wake()
}

// erase drops the entries of an identifier, after a send that is running.
func (q *queue) erase(ctx context.Context, id string) {
	q.ready()
	if !q.acquire(ctx) {
		return
	}
	q.mu.Lock()
	q.erased[id] = true
	for _, e := range q.entries {
		if e.distinctID == id {
			q.removed.add(e.id)
			q.lost++
		}
	}
	q.keep(func(e *entry) bool { return e.distinctID != id })
	q.touch()
	q.mu.Unlock()
	q.save()
	q.release()
}

// attach lets a queue send again after another project was bound, as if it were new.
func (q *queue) attach() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stopped, q.holds, q.failures = false, 0, 0
	q.notBefore, q.pausedTo, q.session = 0, time.Time{}, ""
	if len(q.entries) > 0 {
		q.start()
		q.wake()
	}
}

// halt stops the goroutine of the queue and saves what is left. A send that is running goes on.
func (q *queue) halt() {
	q.mu.Lock()
	if q.running {
		q.running = false
		close(q.quit)
	}
	q.mu.Unlock()
	if q.used() {
		q.save()
	}
}

// end is halt that aborts a send and waits until everything has ended.
func (q *queue) end() {
	q.mu.Lock()
	q.ended = true
	if q.cancelSend != nil {
		q.cancelSend()
	}
	workers := q.workers
	q.mu.Unlock()
	q.halt()
	if workers != nil {
		workers.Wait()
	}
	q.save()
}

// merging is held from reading to replacing state, so that clients of one process, which may
// share a file, lose nothing of each other.
var merging sync.Mutex

// save writes state that has changed, merged with what other processes wrote.
func (q *queue) save() {
	q.writing.Lock()
	defer q.writing.Unlock()
	q.mu.Lock()
	if !q.dirty || q.backing == nil || q.unwritable {
		q.mu.Unlock()
		return
	}
	persistent := q.owner.opts.Persistence == PersistDevice
	change := stateChange{
		prefix: q.prefix(), events: persistent, limit: q.owner.opts.MaxQueueSize, clear: q.clear,
		id: q.id, writeID: q.writeID, optedOut: q.optedOut, writeOut: q.writeOut,
		entries: append([]*entry(nil), q.entries...),
	}
	gone, erased := q.removed.set(), make(map[string]bool, len(q.erased))
	for id := range q.erased {
		erased[id] = true
	}
	change.removed = func(e *entry) bool { return gone[e.id] || erased[e.distinctID] }
	q.dirty, q.urgent, q.clear, q.writeID, q.writeOut = false, false, false, false, false
	q.lastWrite = time.Now()
	q.mu.Unlock()

	merging.Lock()
	old := q.backing.load()
	next, out := change.apply(old)
	var err error
	if !equalTexts(old, next) {
		err = q.backing.store(old, next)
	}
	merging.Unlock()
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		q.unwritable = true
		q.owner.client.logger.Debug("state cannot be written and stays in memory")
	}
	if out {
		q.optOutLocked()
		q.dirty = false
	}
}

func equalTexts(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for key, value := range a {
		if other, ok := b[key]; !ok || other != value {
			return false
		}
	}
	return true
}

// saveDue is when state is written next. The caller holds mu.
func (q *queue) saveDue() (time.Time, bool) {
	const pause = time.Second
	if !q.dirty || q.backing == nil || q.unwritable {
		return time.Time{}, false
	}
	if q.urgent {
		return time.Time{}, true
	}
	return q.lastWrite.Add(pause), true
}

// sendDue is when everything is sent next. The caller holds mu.
func (q *queue) sendDue() (time.Time, bool) {
	if len(q.entries) == 0 || q.stopped || !q.active() {
		return time.Time{}, false
	}
	at := q.entries[0].due
	if q.pausedTo.After(at) {
		at = q.pausedTo
	}
	return at, true
}

// start makes sure that the goroutine of the queue runs. The caller holds mu.
func (q *queue) start() {
	if q.running || q.ended {
		return
	}
	q.running = true
	q.quit, q.workers = make(chan struct{}), &sync.WaitGroup{}
	quit := q.quit
	q.workers.Go(func() { q.run(quit) })
}

// wake makes the goroutine look at what is due.
func (q *queue) wake() {
	select {
	case q.woken <- struct{}{}:
	default:
	}
}

// run saves and sends when that is due, until quit is closed.
func (q *queue) run(quit chan struct{}) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-q.woken:
		case <-timer.C:
		case <-quit:
			return
		}
		q.mu.Lock()
		now := time.Now()
		saveAt, save := q.saveDue()
		sendAt, send := q.sendDue()
		full := q.full && q.fullBatch()
		q.mu.Unlock()
		if save && !saveAt.After(now) {
			q.save()
			q.wake()
			continue
		}
		if all := send && !sendAt.After(now); all || full {
			if q.startSend(all) {
				send = false
			}
		}
		timer.Reset(nextTimer(now, save, saveAt, send, sendAt))
	}
}

// nextTimer is how long nothing is due.
func nextTimer(now time.Time, save bool, saveAt time.Time, send bool, sendAt time.Time) time.Duration {
	const idle = time.Hour
	d := idle
	if save {
		d = min(d, saveAt.Sub(now))
	}
	if send && sendAt.After(now) {
		d = min(d, sendAt.Sub(now))
	}
	return max(d, 0)
}

// recent remembers the ids that were added last.
type recent struct {
	most int
	ids  []string
}

func (r *recent) add(id string) {
	r.ids = append(r.ids, id)
	if len(r.ids) > 2*r.most {
		r.ids = append([]string(nil), r.ids[r.most:]...)
	}
}

func (r *recent) set() map[string]bool {
	set := make(map[string]bool, len(r.ids))
	for _, id := range r.ids {
		set[id] = true
	}
	return set
}

// newUUID returns a random UUID.
func newUUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
