package svcsdk

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// action describes the reaction of the queue to the response to a batch.
type action string

const (
	dropBatch  action = "drop_batch" // the batch needs no further attempt
	splitBatch action = "split"      // one event of the batch may be the cause of the failure
	holdQueue  action = "hold"       // the server does not accept events of this project
	retryBatch action = "retry"
)

// eventOutcome returns the action for a batch of n events, given the status of the response. Status
// 0 means that there was no response.
func eventOutcome(status, n int) action {
	switch status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		if n > 1 {
			return splitBatch
		}
		return dropBatch
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone:
		return holdQueue
	}
	if status/100 == 2 {
		return dropBatch
	}
	return retryBatch
}

const (
	mostBackoff  = time.Minute
	mostAskedFor = time.Hour
	holdPause    = time.Minute
	mostHolds    = 3
	mostBody     = 64 << 10
)

// eventBackoff returns the time to wait before the next attempt after the given number of
// consecutive failures.
func eventBackoff(interval time.Duration, failures int) time.Duration {
	d := min(interval, mostBackoff)
	for range min(failures-1, 30) {
		d = min(2*d, mostBackoff)
	}
	return d
}

// acquire waits for the slot, which only one send can hold at a time. It reports whether it got the
// slot before ctx ended.
func (q *queue) acquire(ctx context.Context) bool {
	select {
	case q.slot <- struct{}{}:
		return true
	default:
	}
	select {
	case q.slot <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (q *queue) release() {
	<-q.slot
	q.wake()
}

// startSend starts a send in the background, unless one is running. If all is false, it sends only
// full batches. It reports whether a send is running afterwards.
func (q *queue) startSend(all bool) bool {
	select {
	case q.slot <- struct{}{}:
	default:
		return true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.running {
		<-q.slot
		return false
	}
	q.full = false
	q.workers.Go(func() {
		defer q.release()
		q.send(context.Background(), all)
	})
	return true
}

// sendOnce makes the last attempt to send the events of a project that is no longer bound.
func (q *queue) sendOnce() {
	if !q.used() || !q.acquire(context.Background()) {
		return
	}
	defer q.release()
	q.send(context.Background(), true)
}

// flush sends all entries. It first waits for a running send.
func (q *queue) flush(ctx context.Context) FlushResult {
	q.ready()
	q.mu.Lock()
	sent, lost, failed := q.sent, q.lost, q.failed
	q.mu.Unlock()
	if q.acquire(ctx) {
		q.mu.Lock()
		q.stopped = false
		again := q.failed == failed
		q.mu.Unlock()
		if again {
			q.send(ctx, true)
		}
		q.release()
		// The app may be about to end.
		q.save()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return FlushResult{Sent: q.sent - sent, Dropped: q.lost - lost, Pending: len(q.entries)}
}

// send sends batches until none are left or one has failed. The caller must hold the slot.
func (q *queue) send(ctx context.Context, all bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for {
		q.mu.Lock()
		if q.ended || !q.active() || len(q.entries) == 0 || !all && !q.fullBatch() || ctx.Err() != nil {
			q.mu.Unlock()
			return
		}
		batch := q.nextBatch()
		for _, e := range batch {
			q.inFlight[e.id] = true
		}
		q.cancelSend = cancel
		generation := q.generation
		q.mu.Unlock()

		ok := q.deliver(ctx, batch, generation)

		q.mu.Lock()
		q.cancelSend = nil
		clear(q.inFlight)
		urgent := !ok && q.dirty
		q.mu.Unlock()
		if urgent {
			q.save()
		}
		if !ok {
			return
		}
	}
}

// nextBatch returns the longest run of entries at the front that can be sent together. The caller
// must hold mu.
func (q *queue) nextBatch() []*entry {
	first := q.entries[0]
	size := len(batchBody(first, nil))
	n := 0
	for _, e := range q.entries {
		size += len(e.wire) + 1
		if n > 0 && (n == q.owner.opts.BatchSize || size > mostBody || e.distinctID != first.distinctID || e.session != first.session) {
			break
		}
		n++
	}
	return append([]*entry(nil), q.entries[:n]...)
}

// batchBody returns the body of a request with the given entries. The body has the identifier and
// the session of the entry that is passed as first.
func batchBody(first *entry, entries []*entry) []byte {
	b := appendText([]byte(`{"distinct_id":`), first.distinctID)
	if first.session != "" {
		b = appendText(append(b, `,"session_id":`...), first.session)
	}
	b = append(b, `,"events":[`...)
	for i, e := range entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, e.wire...)
	}
	return append(b, `]}`...)
}

// deliver sends a batch, in halves if necessary. It reports whether all its entries were delivered
// or dropped.
func (q *queue) deliver(ctx context.Context, batch []*entry, generation int) bool {
	a := q.post(ctx, batch)
	q.mu.Lock()
	if q.generation != generation || a.status == 0 && ctx.Err() != nil {
		q.failed++
		q.mu.Unlock()
		return false
	}
	switch eventOutcome(a.status, len(batch)) {
	case dropBatch:
		reported := q.done(batch, a)
		q.mu.Unlock()
		for _, r := range reported {
			q.owner.drop(r.name, r.reason)
		}
		return true
	case splitBatch:
		q.holds = 0
		q.mu.Unlock()
		half := len(batch) / 2
		return q.deliver(ctx, batch[:half], generation) && q.deliver(ctx, batch[half:], generation)
	case holdQueue:
		q.holds++
		q.stopped = q.holds >= mostHolds
		q.rest(holdPause)
	case retryBatch:
		q.holds = 0
		q.failures++
		q.rest(max(eventBackoff(q.owner.opts.FlushInterval, q.failures), min(a.retryAfter, mostAskedFor)))
	}
	q.failed++
	// It may take long until the batch is sent again, so save it now.
	q.dirty = true
	q.mu.Unlock()
	return false
}

// rest suspends sending for d. The caller must hold mu.
func (q *queue) rest(d time.Duration) {
	q.notBefore = q.clock().monotonic() + d
	q.pausedTo = time.Now().Add(d)
}

type dropReport struct{ name, reason string }

// done removes a batch after its final response and returns the events that the server has
// rejected. The caller must hold mu.
func (q *queue) done(batch []*entry, a eventsAnswer) []dropReport {
	ids := make([]string, 0, len(batch))
	for _, e := range batch {
		ids = append(ids, e.id)
	}
	q.take(ids...)
	q.touch()
	q.holds = 0
	var reports []dropReport
	if a.status/100 != 2 {
		q.lost += len(batch)
		return append(reports, dropReport{batch[0].name, "the server refused it"})
	}
	q.failures, q.notBefore, q.pausedTo = 0, 0, time.Time{}
	q.sent += len(batch)
	for _, r := range a.rejected {
		if r.Index >= 0 && r.Index < int64(len(batch)) {
			reports = append(reports, dropReport{batch[r.Index].name, r.Message})
		}
	}
	return reports
}

// eventsAnswer is the server's response to a batch. Status 0 means that there was no response.
type eventsAnswer struct {
	status     int
	retryAfter time.Duration
	rejected   []RejectedEvent
}

// post makes one attempt to send a batch.
func (q *queue) post(ctx context.Context, batch []*entry) eventsAnswer {
	const path = "/public/{k}/events"
	c := q.owner.client
	target, err := expandPath(path, q.project, nil)
	if err != nil {
		return eventsAnswer{status: http.StatusNotFound}
	}
	r := &request{
		method: http.MethodPost, path: path, target: target, settings: c.settings.Load(),
		contentType: "application/json", body: batchBody(batch[0], batch),
	}
	start := c.clock.monotonic()
	a, err := c.attempt(ctx, r)
	if err != nil {
		a = &answer{}
	}
	c.logger.Debug("request", "method", r.method, "path", path, "status", a.status,
		"attempt", 1, "duration", c.clock.monotonic()-start)
	out := eventsAnswer{status: a.status}
	out.retryAfter, _ = retryAfter(a.header.Get("Retry-After"), c.clock.now())
	var accepted EventsAccepted
	if a.status/100 == 2 && json.Unmarshal(bytes.TrimSpace(a.body), &accepted) == nil {
		out.rejected = accepted.Rejected
	}
	return out
}
