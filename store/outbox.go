package store

import (
	"bytes"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"svc/internal/boltfile"
	"svc/internal/fault"
	"svc/internal/integrity"
	"svc/internal/notify"
)

// The limits of the deliveries of each hook.
const (
	MaxWaitingDeliveries = 10_000  // deliveries that have not ended
	MaxEndedDeliveries   = 10_000  // deliveries that have ended
	maxDeliveryError     = 500     // bytes
	maxDeliveryResponse  = 1 << 10 // bytes
	deliveryRetention    = 30 * 24 * time.Hour
)

// DeliveryState is the state of a delivery.
type DeliveryState string

// The states of deliveries. Queued and retrying deliveries wait for an attempt. The others have
// ended.
const (
	DeliveryQueued   DeliveryState = "queued"
	DeliveryRetrying DeliveryState = "retrying"
	DeliveryDone     DeliveryState = "delivered"
	DeliveryDead     DeliveryState = "dead"    // given up
	DeliveryDropped  DeliveryState = "dropped" // ended without a further attempt
)

// DeliveryStates lists all states of deliveries.
var DeliveryStates = [...]DeliveryState{DeliveryQueued, DeliveryRetrying, DeliveryDone, DeliveryDead, DeliveryDropped}

// Waits reports whether a delivery in the state waits for an attempt.
func (s DeliveryState) Waits() bool { return s == DeliveryQueued || s == DeliveryRetrying }

// HookDelivery is an event on its way to the receiver of a hook.
type HookDelivery struct {
	ID   ID `json:"-"`
	Hook ID `json:"-"`

	Event       string        `json:"event"`
	State       DeliveryState `json:"state"`
	Attempts    int           `json:"attempts,omitempty"`
	NextAt      int64         `json:"next_at,omitempty"`      // due time, Unix milliseconds; 0 = ended
	DeliveredAt int64         `json:"delivered_at,omitempty"` // Unix seconds; 0 = not delivered
	LastStatus  *int          `json:"last_status,omitempty"`  // nil = no attempt yet; 0 = no answer
	LastError   string        `json:"last_error,omitempty"`
	Response    *string       `json:"response,omitempty"` // the start of the last answer
	Body        ID            `json:"body"`               // key in hook_bodies
}

// CreatedAt returns the time of the event, in Unix seconds.
func (d *HookDelivery) CreatedAt() int64 { return CreatedAt(d.ID) }

// MessageID returns the text form of the id, by which the receiver recognizes repeated attempts.
func (d *HookDelivery) MessageID() string { return MessageID(d.ID) }

const messagePrefix = "msg_"

var messageEncoding = base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)

// MessageID returns the text form of the id of a delivery: msg_ and 26 characters.
func MessageID(id ID) string { return messagePrefix + messageEncoding.EncodeToString(id[:]) }

// ParseMessageID parses the text form of the id of a delivery.
func ParseMessageID(text string) (id ID, ok bool) {
	text, ok = strings.CutPrefix(text, messagePrefix)
	raw, err := messageEncoding.DecodeString(text)
	if !ok || err != nil || len(raw) != len(id) || messageEncoding.EncodeToString(raw) != text {
		return id, false
	}
	return ID(raw), true
}

func errNoDelivery() error { return notFound("delivery") }

func hookDeliveryKey(hook, id ID) []byte { return append(hook[:], id[:]...) }

func hookDueKey(hook ID, at int64, id ID) []byte {
	return append(binary.BigEndian.AppendUint64(hook[:], uint64(at)), id[:]...)
}

func splitDueKey(key []byte) (id ID, at int64, err error) {
	if len(key) != 2*len(id)+8 {
		return id, 0, fmt.Errorf("%w: %x is no due delivery", ErrDamaged, key)
	}
	return ID(key[len(id)+8:]), int64(binary.BigEndian.Uint64(key[len(id):])), nil
}

func decodeDelivery(key, raw []byte) (*HookDelivery, error) {
	if len(key) != 2*len(ID{}) {
		return nil, fmt.Errorf("%w: %x is no key of a delivery", ErrDamaged, key)
	}
	d, err := decode[HookDelivery](key, raw)
	if err == nil {
		d.Hook, d.ID = ID(key[:16]), ID(key[16:])
	}
	return d, err
}

// outbox contains the deliveries of one hook. Buckets are nil in a read transaction if nothing has
// been stored in them yet.
type outbox struct {
	tx                          *Tx
	hook                        ID
	state                       HookState
	waiting, ended, due, bodies *boltfile.Bucket
}

// readOutbox returns the outbox of a hook for reading.
func (tx *Tx) readOutbox(hook ID) (*outbox, error) {
	state, err := tx.HookState(hook)
	b := tx.bolt.Bucket
	return &outbox{tx, hook, state, b(hookWaitingBucket), b(hookEndedBucket), b(hookDueBucket), b(hookBodiesBucket)}, err
}

// outbox returns the outbox of a hook for writing. The caller must call save after the
// last change.
func (tx *Tx) outbox(hook ID) (*outbox, error) {
	for _, name := range [][]byte{hookWaitingBucket, hookEndedBucket, hookDueBucket, hookBodiesBucket} {
		if _, err := tx.bolt.CreateBucketIfNotExists(name); err != nil {
			return nil, err
		}
	}
	return tx.readOutbox(hook)
}

func (o *outbox) save() error { return o.tx.putHookState(o.hook, o.state) }

// find returns the delivery with the given id.
func (o *outbox) find(id ID) (*HookDelivery, error) {
	key := hookDeliveryKey(o.hook, id)
	for _, b := range []*boltfile.Bucket{o.waiting, o.ended} {
		if b == nil {
			continue
		}
		if raw := b.Get(key); raw != nil {
			return decodeDelivery(key, raw)
		}
	}
	return nil, errNoDelivery()
}

// put stores a delivery in the bucket for its state. The delivery must not be stored
// already; see take.
func (o *outbox) put(d *HookDelivery) error {
	o.tx.deliveries[slices.Index(DeliveryStates[:], d.State)]++
	key := hookDeliveryKey(o.hook, d.ID)
	if !d.State.Waits() {
		d.NextAt = 0
		o.state.Ended++
		return put(o.ended, key, d)
	}
	o.state.Waiting++
	o.tx.hooksWaiting = true
	return errors.Join(put(o.waiting, key, d), o.due.Put(hookDueKey(o.hook, d.NextAt, d.ID), nil))
}

// take removes a stored delivery, but not its body, so that it can be stored in another state.
func (o *outbox) take(d *HookDelivery) error {
	key := hookDeliveryKey(o.hook, d.ID)
	if !d.State.Waits() {
		o.state.Ended--
		return o.ended.Delete(key)
	}
	o.state.Waiting--
	return errors.Join(o.waiting.Delete(key), o.due.Delete(hookDueKey(o.hook, d.NextAt, d.ID)))
}

// end moves a stored delivery to the given state, in which it has ended.
func (o *outbox) end(d *HookDelivery, state DeliveryState) error {
	if err := o.take(d); err != nil {
		return err
	}
	d.State = state
	return o.put(d)
}

// remove removes a stored delivery, and the body of the event if no other delivery needs it.
func (o *outbox) remove(d *HookDelivery) error {
	if err := o.take(d); err != nil {
		return err
	}
	raw := o.bodies.Get(d.Body[:])
	if len(raw) < 4 {
		return nil // svc check reports it
	}
	n := binary.BigEndian.Uint32(raw)
	if n <= 1 {
		return o.bodies.Delete(d.Body[:])
	}
	return o.bodies.Put(d.Body[:], append(binary.BigEndian.AppendUint32(nil, n-1), raw[4:]...))
}

// oldest returns the hook's oldest delivery in a bucket, or nil if there is none.
func (o *outbox) oldest(b *boltfile.Bucket) (*HookDelivery, error) {
	key, raw := b.Cursor().Seek(o.hook[:])
	if !bytes.HasPrefix(key, o.hook[:]) {
		return nil, nil
	}
	return decodeDelivery(key, raw)
}

// limit drops the oldest waiting deliveries and removes the oldest ended ones if there are too many.
func (o *outbox) limit() error {
	for o.state.Waiting > MaxWaitingDeliveries {
		d, err := o.oldest(o.waiting)
		if err != nil {
			return err
		}
		if d == nil {
			o.state.Waiting = 0 // the number was wrong
			break
		}
		if err := o.end(d, DeliveryDropped); err != nil {
			return err
		}
	}
	for o.state.Ended > MaxEndedDeliveries {
		d, err := o.oldest(o.ended)
		if err != nil {
			return err
		}
		if d == nil {
			o.state.Ended = 0
			break
		}
		if err := o.remove(d); err != nil {
			return err
		}
	}
	return nil
}

// Notify stores a delivery of an event for each enabled hook that selects it: hooks of the project
// and of the instance, or only of the instance if p is 0. It must be called in the transaction that
// causes the event. It does nothing for a project that is being imported or has been deleted. Without
// hooks, it costs two lookups in memory.
func (tx *Tx) Notify(p ProjectID, e notify.Event) error {
	if tx.hidden != 0 {
		return nil
	}
	hooks, err := tx.selecting(p, e.Name)
	if err != nil || len(hooks) == 0 {
		return err
	}
	var of *notify.Project
	if p != 0 {
		project, err := tx.projectByID(p)
		if fault.Is(err, fault.NotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		of = &notify.Project{Key: project.Key, Name: project.Name}
	}
	body, err := e.Body(of, tx.now)
	if err != nil {
		return err
	}
	var first ID
	for _, h := range hooks {
		o, err := tx.outbox(h.ID)
		if err != nil {
			return err
		}
		d := &HookDelivery{ID: tx.newID(), Event: e.Name, State: DeliveryQueued, NextAt: tx.now.UnixMilli()}
		if first == (ID{}) {
			first = d.ID
			stored := append(binary.BigEndian.AppendUint32(nil, uint32(len(hooks))), body...)
			if err := o.bodies.Put(first[:], stored); err != nil {
				return err
			}
		}
		d.Body = first
		if err := errors.Join(o.put(d), o.limit(), o.save()); err != nil {
			return err
		}
	}
	return nil
}

// DeliveryFilter selects deliveries that meet all of its conditions. A field that is "" sets no
// condition.
type DeliveryFilter struct {
	State DeliveryState
	Event string
}

// HookDeliveries returns a page of the deliveries of a hook, the newest first, and the number of all
// that the filter selects. With a filter it reads all deliveries of the hook.
func (tx *Tx) HookDeliveries(hook ID, f DeliveryFilter, offset, limit int) (page []*HookDelivery, total int, err error) {
	o, err := tx.readOutbox(hook)
	if err != nil {
		return nil, 0, err
	}
	seen := 0
	err = o.newest(f.State, func(key, raw []byte) (bool, error) {
		if f == (DeliveryFilter{}) && seen < offset {
			seen++
			return true, nil
		}
		d, err := decodeDelivery(key, raw)
		if err != nil || f.State != "" && d.State != f.State || f.Event != "" && d.Event != f.Event {
			return true, err
		}
		if seen++; seen > offset && len(page) < limit {
			page = append(page, d)
		}
		return f != (DeliveryFilter{}) || len(page) < limit, nil
	})
	if total = seen; f == (DeliveryFilter{}) {
		total = o.state.Waiting + o.state.Ended
	}
	return page, total, err
}

// newest visits deliveries of the hook, the newest first, until visit returns false. If state is
// not "", it visits only the bucket that contains deliveries in that state.
func (o *outbox) newest(state DeliveryState, visit func(key, raw []byte) (more bool, err error)) error {
	var cursors []*boltfile.Cursor
	var keys, values [][]byte
	for i, b := range []*boltfile.Bucket{o.waiting, o.ended} {
		if b == nil || state != "" && state.Waits() != (i == 0) {
			continue
		}
		cursor := b.Cursor()
		var key, raw []byte
		if after, _ := cursor.Seek(append(o.hook[:], bytes.Repeat([]byte{math.MaxUint8}, len(ID{}))...)); after == nil {
			key, raw = cursor.Last()
		} else {
			key, raw = cursor.Prev()
		}
		cursors, keys, values = append(cursors, cursor), append(keys, key), append(values, raw)
	}
	for {
		at := -1
		for i, key := range keys {
			if bytes.HasPrefix(key, o.hook[:]) && (at < 0 || bytes.Compare(key, keys[at]) > 0) {
				at = i
			}
		}
		if at < 0 {
			return nil
		}
		if more, err := visit(keys[at], values[at]); err != nil || !more {
			return err
		}
		keys[at], values[at] = cursors[at].Prev()
	}
}

// HookDelivery returns one delivery of a hook.
func (tx *Tx) HookDelivery(hook, id ID) (*HookDelivery, error) {
	o, err := tx.readOutbox(hook)
	if err != nil {
		return nil, err
	}
	return o.find(id)
}

// HookBody returns the body of the event that the delivery d contains.
func (tx *Tx) HookBody(d *HookDelivery) ([]byte, error) {
	b := tx.bolt.Bucket(hookBodiesBucket)
	if b == nil {
		return nil, errNoDelivery()
	}
	raw := b.Get(d.Body[:])
	if len(raw) < 4 {
		return nil, fmt.Errorf("%w: delivery %s has no body", ErrDamaged, d.MessageID())
	}
	return bytes.Clone(raw[4:]), nil
}

// SendAgain queues a delivery again, whatever its state is, and resets the number of its
// attempts.
func (tx *Tx) SendAgain(hook, id ID) (*HookDelivery, error) {
	o, err := tx.outbox(hook)
	if err != nil {
		return nil, err
	}
	d, err := o.find(id)
	if err != nil {
		return nil, err
	}
	if err := o.take(d); err != nil {
		return nil, err
	}
	again := &HookDelivery{
		ID: d.ID, Hook: d.Hook, Event: d.Event, Body: d.Body, State: DeliveryQueued, NextAt: tx.now.UnixMilli(),
	}
	return again, errors.Join(o.put(again), o.limit(), o.save())
}

// NextHookDelivery returns the delivery of a hook that is due first, and its due time. ok is false
// if no delivery waits.
func (tx *Tx) NextHookDelivery(hook ID) (id ID, due time.Time, ok bool, err error) {
	b := tx.bolt.Bucket(hookDueBucket)
	if b == nil {
		return id, due, false, nil
	}
	key, _ := b.Cursor().Seek(hook[:])
	if !bytes.HasPrefix(key, hook[:]) {
		return id, due, false, nil
	}
	id, at, err := splitDueKey(key)
	return id, time.UnixMilli(at), err == nil, err
}

// DeliveryAttempt is the outcome of an attempt to deliver an event.
type DeliveryAttempt struct {
	Attempts int    // number of attempts of the delivery before this one
	OK       bool   // the receiver has accepted the event
	Status   int    // HTTP status; 0 = no answer
	Error    string // "" if the attempt succeeded
	Response *string
	Gone     bool          // the receiver wants no more events
	Slow     bool          // the attempt took long
	Wait     time.Duration // until the next attempt, after a failure
	Last     bool          // no further attempt will be made, after a failure
}

// EndAttempt stores the outcome of an attempt. It disables the hook if it has failed for too long,
// or if the receiver is gone. It does nothing if the hook has been deleted. If the delivery has
// been queued again or has ended since the attempt began, the outcome counts only for the hook.
func (tx *Tx) EndAttempt(h *Hook, id ID, a DeliveryAttempt) error {
	h, err := tx.Hook(h.Project, h.ID)
	if err != nil {
		return orGone(err)
	}
	o, err := tx.outbox(h.ID)
	if err != nil {
		return err
	}
	now := tx.now.Unix()
	o.state.LastStatus, o.state.LastAttemptAt, o.state.Slow = &a.Status, now, a.Slow || !a.OK
	switch {
	case a.OK:
		o.state.FailingSince, o.state.Dead = 0, 0
	case o.state.FailingSince == 0:
		o.state.FailingSince = now
	}
	if err := o.endAttempt(id, a); err != nil {
		return err
	}
	reason := ""
	switch {
	case a.OK || !h.Enabled:
	case a.Gone:
		reason = HookGone
		if err := o.drop(dropStep); err != nil {
			return err
		}
	case now-o.state.FailingSince >= int64(maxFailing/time.Second), o.state.Dead >= maxDeadInRow:
		reason = HookFailing
	}
	if err := errors.Join(o.limit(), o.save()); err != nil || reason == "" {
		return err
	}
	return tx.disable(h, reason)
}

// endAttempt stores the outcome of an attempt in the delivery, unless the delivery has changed since.
func (o *outbox) endAttempt(id ID, a DeliveryAttempt) error {
	d, err := o.find(id)
	if err != nil {
		return orGone(err)
	}
	if !d.State.Waits() || d.Attempts != a.Attempts {
		return nil
	}
	if err := o.take(d); err != nil {
		return err
	}
	d.Attempts++
	d.LastStatus, d.LastError, d.Response = &a.Status, notify.Cut(a.Error, maxDeliveryError), a.Response
	if d.Response != nil {
		d.Response = new(notify.Cut(*d.Response, maxDeliveryResponse))
	}
	switch {
	case a.OK:
		d.State, d.DeliveredAt = DeliveryDone, o.tx.now.Unix()
	case a.Last || a.Gone:
		d.State = DeliveryDead
		o.state.Dead++
	default:
		d.State, d.NextAt = DeliveryRetrying, o.tx.now.Add(a.Wait).UnixMilli()
	}
	return o.put(d)
}

// dropStep is the maximum number of deliveries that are dropped in one transaction.
const dropStep = 1000

// drop moves at most limit waiting deliveries to the state DeliveryDropped, the oldest
// first.
func (o *outbox) drop(limit int) error {
	for range limit {
		d, err := o.oldest(o.waiting)
		if err != nil || d == nil {
			return err
		}
		if err := o.end(d, DeliveryDropped); err != nil {
			return err
		}
	}
	return nil
}

// DropWaiting drops up to 1,000 waiting deliveries of a hook that was disabled because
// its receiver answered 410 Gone. It reports whether there may be more.
func (tx *Tx) DropWaiting(p ProjectID, id ID) (more bool, err error) {
	h, err := tx.Hook(p, id)
	if err != nil || h.DisabledReason != HookGone {
		return false, orGone(err)
	}
	o, err := tx.outbox(id)
	if err != nil {
		return false, err
	}
	err = errors.Join(o.drop(dropStep), o.limit(), o.save())
	return o.state.Waiting > 0, err
}

// disable disables a hook, and notifies the hooks of the instance.
func (tx *Tx) disable(h *Hook, reason string) error {
	h.Enabled, h.DisabledReason = false, reason
	if err := tx.writeHook(h); err != nil {
		return err
	}
	of := "of the instance"
	if h.Project != 0 {
		p, err := tx.projectByID(h.Project)
		if err != nil {
			return err
		}
		of = "of " + p.Name
	}
	why := "its receiver answered 410 Gone"
	if reason == HookFailing {
		why = "its receiver cannot be reached or refuses events"
	}
	message := fmt.Sprintf("The hook %q %s is disabled, because %s.", h.Name, of, why)
	return tx.Notify(0, notify.Event{Name: notify.HookDisabledEvent, Data: notify.Notice{Message: message}})
}

// purgeDeliveries deletes up to limit deliveries of hooks that have been deleted. left is the unused
// part of the limit.
func (tx *Tx) purgeDeliveries(limit int) (left int, err error) {
	known, err := tx.hookIDs()
	if err != nil {
		return limit, err
	}
	for _, name := range [][]byte{hookWaitingBucket, hookEndedBucket} {
		b := tx.bolt.Bucket(name)
		if b == nil {
			continue
		}
		var gone []*HookDelivery
		cursor := b.Cursor()
		for key, raw := cursor.First(); key != nil && len(gone) < limit; {
			d, err := decodeDelivery(key, raw)
			switch {
			case err != nil:
				return limit, err
			case known[d.Hook]:
				key, raw = cursor.Seek(append(d.Hook[:], bytes.Repeat([]byte{math.MaxUint8}, len(ID{}))...))
			default:
				gone = append(gone, d)
				key, raw = cursor.Next()
			}
		}
		for _, d := range gone {
			o, err := tx.outbox(d.Hook)
			if err == nil {
				err = o.remove(d)
			}
			if err != nil {
				return limit, err
			}
		}
		limit -= len(gone)
	}
	return limit, nil
}

// hookIDs returns the ids of all hooks.
func (tx *Tx) hookIDs() (map[ID]bool, error) {
	known := map[ID]bool{}
	b := tx.bolt.Bucket(hooksBucket)
	if b == nil {
		return known, nil
	}
	return known, b.ForEach(func(key, raw []byte) error {
		h, err := decodeHook(key, raw)
		if err == nil {
			known[h.ID] = true
		}
		return err
	})
}

// DropHookDeliveries deletes up to limit deliveries that are older than 30 days, of all hooks. It
// returns how many it deleted.
func (tx *Tx) DropHookDeliveries(limit int) (dropped int, err error) {
	hooks, err := tx.hookIDs()
	if err != nil {
		return 0, err
	}
	for hook := range hooks {
		old, err := tx.oldDeliveries(hook, limit-dropped)
		if err != nil {
			return 0, err
		}
		if len(old) == 0 {
			continue
		}
		o, err := tx.outbox(hook)
		if err != nil {
			return 0, err
		}
		for _, d := range old {
			err = errors.Join(err, o.remove(d))
		}
		if err := errors.Join(err, o.save()); err != nil {
			return 0, err
		}
		dropped += len(old)
	}
	return dropped, nil
}

// HasOldHookDeliveries reports whether DropHookDeliveries would delete something.
func (tx *Tx) HasOldHookDeliveries() (bool, error) {
	hooks, err := tx.hookIDs()
	for hook := range hooks {
		old, wrong := tx.oldDeliveries(hook, 1)
		if wrong != nil || len(old) > 0 {
			return len(old) > 0, wrong
		}
	}
	return false, err
}

// oldDeliveries returns up to limit deliveries of a hook that are older than 30 days.
func (tx *Tx) oldDeliveries(hook ID, limit int) (old []*HookDelivery, err error) {
	before := tx.now.Add(-deliveryRetention).Unix()
	o, err := tx.readOutbox(hook)
	if err != nil {
		return nil, err
	}
	for _, b := range []*boltfile.Bucket{o.waiting, o.ended} {
		if b == nil {
			continue
		}
		cursor := b.Cursor()
		for key, raw := cursor.Seek(hook[:]); bytes.HasPrefix(key, hook[:]) && len(old) < limit; key, raw = cursor.Next() {
			d, err := decodeDelivery(key, raw)
			if err != nil {
				return nil, err
			}
			if d.CreatedAt() >= before {
				break
			}
			old = append(old, d)
		}
	}
	return old, nil
}

// outboxes checks the deliveries of the given hooks, their bodies, and the order in which they are
// due. Deliveries of other hooks are not reported, because Purge removes them.
func (c *checker) outboxes(hooks map[ID]bool) error {
	states, bodies, due := map[ID]HookState{}, map[ID]uint32{}, 0
	isDue := func(d *HookDelivery) bool {
		b := c.bucket(hookDueBucket)
		return b != nil && b.Get(hookDueKey(d.Hook, d.NextAt, d.ID)) != nil
	}
	bad := func(bucket, key []byte, format string, args ...any) {
		c.report.Add(integrity.Record, integrity.Path(bucket)+"/"+integrity.Key(key), format, args...)
	}
	for _, name := range [][]byte{hookWaitingBucket, hookEndedBucket} {
		err := c.eachOf(name, func(key, raw []byte) error {
			d, err := decodeDelivery(key, raw)
			if err == nil && (!slices.Contains(DeliveryStates[:], d.State) || d.State.Waits() != bytes.Equal(name, hookWaitingBucket)) {
				err = fmt.Errorf("the delivery is %q", d.State)
			}
			if err != nil {
				bad(name, key, "%v", err)
				return nil
			}
			c.use(d.ID)
			bodies[d.Body]++
			s := states[d.Hook]
			if d.State.Waits() {
				s.Waiting, due = s.Waiting+1, due+1
				if !isDue(d) {
					bad(name, key, "it waits, but is not due")
				}
			} else {
				s.Ended++
			}
			states[d.Hook] = s
			return nil
		})
		if err != nil {
			return err
		}
	}
	err := c.eachOf(hookDueBucket, func([]byte, []byte) error { due--; return nil })
	if due != 0 {
		c.report.Add(integrity.Miscount, integrity.Path(hookDueBucket), "%d deliveries more wait than are due", due)
	}
	err = errors.Join(err, c.eachOf(hookBodiesBucket, func(key, raw []byte) error {
		if id, wrong := idOf(key); wrong != nil || len(raw) < 4 || binary.BigEndian.Uint32(raw) != bodies[id] {
			bad(hookBodiesBucket, key, "the body does not have its number of deliveries, %d", bodies[id])
		}
		return nil
	}))
	wrong := map[ID]HookState{}
	err = errors.Join(err, c.eachOf(hookStatesBucket, func(key, raw []byte) error {
		s, err := decode[HookState](key, raw)
		id, noID := idOf(key)
		if err != nil || noID != nil {
			bad(hookStatesBucket, key, "%v", errors.Join(err, noID))
			return nil
		}
		if got := states[id]; hooks[id] && (s.Waiting != got.Waiting || s.Ended != got.Ended) {
			c.report.Add(integrity.Miscount, integrity.Path(hookStatesBucket)+"/"+integrity.Key(key),
				"the hook has %d and %d deliveries, not %d and %d", got.Waiting, got.Ended, s.Waiting, s.Ended)
			s.Waiting, s.Ended = got.Waiting, got.Ended
			wrong[id] = *s
		}
		return nil
	}))
	for id, s := range wrong {
		raw, encoded := encode(s)
		err = errors.Join(err, encoded, c.put(c.bucket(hookStatesBucket), id[:], raw))
	}
	return err
}

// eachOf calls c.each for the bucket with the given name. It does nothing if there is no such
// bucket.
func (c *checker) eachOf(name []byte, visit func(key, value []byte) error) error {
	b := c.bucket(name)
	if b == nil {
		return nil
	}
	return c.each(b, visit)
}
