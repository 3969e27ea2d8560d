package svcsdk

import (
	"context"
	"sync"
	"time"
)

// queue collects the events of one project and sends them. The first event starts its goroutine,
// which saves the state and starts sends when they are due. Each send runs in a separate goroutine.
// Track never waits for I/O.
type queue struct {
	*queueState
	sending
	owner *collector

	// The following fields are guarded by mu.
	running bool
	quit    chan struct{}
	workers *sync.WaitGroup // the goroutines started since running was last set
	ended   bool            // the queue never sends again

	woken chan struct{}
}

// sending holds the progress of sends, and the pauses after failures. mu guards all fields except
// the first one.
type sending struct {
	slot       chan struct{} // holds one value during a send
	inFlight   map[string]bool
	cancelSend context.CancelFunc // cancels the running send; nil if there is none
	generation int                // increased when entries are deleted, so that a running send does not restore them
	failures   int                // number of consecutive failures
	holds      int                // number of consecutive pauses because the project accepts no events
	stopped    bool
	notBefore  time.Duration // end of the pause, in the clock's monotonic time
	pausedTo   time.Time
	sent, lost int  // total numbers of events
	failed     int  // sends that failed
	full       bool // the most recent events completed a batch
}

func newQueue(c *collector, ns, project string) *queue {
	return &queue{
		queueState: newQueueState(&c.opts, ns, project),
		owner:      c,
		woken:      make(chan struct{}, 1),
		sending:    sending{slot: make(chan struct{}, 1), inFlight: map[string]bool{}},
	}
}

// clock returns the client's clock.
func (q *queue) clock() *clock { return q.owner.client.clock }

// active reports whether events are collected and sent. The caller must hold mu.
func (q *queue) active() bool { return q.owner.active() && !q.optedOut }

// take permanently removes the entries with the given ids, also from inFlight. The caller must hold
// mu.
func (q *queue) take(ids ...string) {
	q.queueState.take(ids...)
	for _, id := range ids {
		delete(q.inFlight, id)
	}
}

// forgetLocked deletes the identifier, the session, all entries and all feedback, and aborts a
// running send. The caller must hold mu.
func (q *queue) forgetLocked() {
	q.reset()
	clear(q.inFlight)
	q.generation++
	if q.cancelSend != nil {
		q.cancelSend()
	}
}

// save writes the changes of the state. If another process has opted out, save also opts this queue
// out.
func (q *queue) save() {
	optedOut, failed := q.write()
	if failed {
		q.owner.client.logger.Debug("state cannot be written and stays in memory")
	}
	if optedOut {
		q.mu.Lock()
		q.optOutLocked()
		q.dirty = false
		q.mu.Unlock()
	}
}

// track appends an event with encoded properties.
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

// overflow drops the oldest entry that is not being sent, if there are too many entries. It returns
// the dropped entry, or nil if there is none. The caller must hold mu.
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

// fullBatch reports whether there are enough entries for a full batch and sending is not paused.
// The caller must hold mu.
func (q *queue) fullBatch() bool {
	return len(q.entries) >= q.owner.opts.BatchSize && q.active() && !q.stopped && q.clock().monotonic() >= q.notBefore
}

// identifier returns the identifier under which events are collected, or "" if there is none. If
// create is true, it creates a missing identifier.
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

// optOutLocked deletes what forgetLocked deletes, and stops collecting. The caller must hold mu.
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

// forget deletes the identifier, all entries and all feedback. Unlike optOutLocked, it does not
// stop collecting.
func (q *queue) forget() {
	q.mu.Lock()
	q.forgetLocked()
	q.mu.Unlock()
	q.save()
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

// erase drops the entries that were collected under the identifier id. It first waits for a running
// send.
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

// attach prepares a queue for sending after the client was bound to its project again. It resets
// the pauses and the session, as in a new queue.
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

// halt stops the goroutine of the queue and saves the remaining entries. A running send continues.
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

// end stops the queue like halt, but aborts a running send and waits until everything has ended.
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

// sendDue returns the time at which all entries are sent next. It returns false if there is nothing
// to send. The caller must hold mu.
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

// start starts the goroutine of the queue if it is not running. The caller must hold mu.
func (q *queue) start() {
	if q.running || q.ended {
		return
	}
	q.running = true
	q.quit, q.workers = make(chan struct{}), &sync.WaitGroup{}
	quit := q.quit
	q.workers.Go(func() { q.run(quit) })
}

// wake makes the goroutine of the queue check whether a save or a send is due.
func (q *queue) wake() {
	select {
	case q.woken <- struct{}{}:
	default:
	}
}

// run saves the state and sends entries whenever one of these is due, until quit is closed.
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

// nextTimer returns the time until the next save or send is due.
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
