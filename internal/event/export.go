package event

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"svc/internal/event/block"
	"svc/internal/event/dictionary"
	"svc/internal/event/submission"
	"svc/internal/hourly"
	"svc/internal/platform"
	"svc/internal/stats"
)

// Export visits the events of a subject in order of time, then receipt. It reads an
// hour at a time and calls visit outside of transactions, so that visit may be slow.
// Events that arrive during the export may be left out.
func (e *Engine) Export(ctx context.Context, p Project, subject string, visit func(*Event) error) error {
	for from := int64(0); ; {
		next, events, err := e.exportHour(ctx, p, subject, from)
		if err != nil {
			return err
		}
		for i := range events {
			if err := visit(&events[i]); err != nil {
				return err
			}
		}
		if next < 0 {
			return nil
		}
		from = next
	}
}

// hoursAtOnce is the maximum number of hours that are searched in one transaction.
const hoursAtOnce = 256

// exportHour searches the hours from the given Unix second on, at most hoursAtOnce of
// them, for events of a subject. It returns the events of the first hour that has any.
// next is the start of the hour at which the export continues, or -1 at the end.
func (e *Engine) exportHour(ctx context.Context, p Project, subject string, from int64) (next int64, events []Event, err error) {
	err = e.snapshot(ctx, p, func(v *snapshot) error {
		next = -1
		number, err := v.subject(subject)
		if number == 0 || err != nil {
			return err
		}
		for i, h := range v.hours(from, 1<<62) {
			if len(events) > 0 || i == hoursAtOnce {
				next = h.start
				return nil
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			r, err := v.subjectRows(h, number)
			if err != nil {
				return err
			}
			if events, err = v.events(h.start, r); err != nil {
				return err
			}
		}
		return nil
	})
	return next, events, err
}

// subject returns the number of a distinct_id, or 0 if the distinct_id is not in the
// snapshot.
func (v *snapshot) subject(text string) (number uint32, err error) {
	for _, s := range v.heads {
		if number := s.subject(text); number != 0 {
			return number, nil
		}
	}
	subjects, err := v.dictionary(subjectsBucket)
	if subjects == nil || err != nil {
		return 0, err
	}
	number, _, err = subjects.Find(text)
	return number, err
}

// dictionary returns a reader of the dictionary in the bucket with the given name, as of
// the transaction of the snapshot. It returns nil if the project has never stored
// anything.
func (v *snapshot) dictionary(name []byte) (*dictionary.Reader, error) {
	if v.project == nil || v.blocks == nil {
		return nil, nil
	}
	b := projectBucket(v.blocks.Tx(), v.project.number, name)
	d, err := dictionary.Load(b, v.engine.secret)
	if err != nil {
		return nil, err
	}
	return d.Reader(b), nil
}

// subjectRows returns the events of a subject in an hour, in order of time, then receipt.
func (v *snapshot) subjectRows(h *hour, subject uint32) (*block.Rows, error) {
	var list []*block.Rows
	for _, raw := range h.raws {
		r, err := block.DecodeSubject(h.start, raw, subject)
		if err != nil {
			return nil, h.failed(err)
		}
		if r != nil && r.Len() > 0 {
			list = append(list, r)
		}
	}
	for _, s := range v.heads {
		if len(h.heads) == 0 {
			break
		}
		order := slices.DeleteFunc(s.of.order(s.n, h.start, h.start+3599), func(o uint64) bool {
			return s.of.senders[s.of.clients[o&(1<<rowBits-1)]].Subject != subject
		})
		if len(order) > 0 {
			list = append(list, s.of.rows(order, true))
		}
	}
	return block.Merge(list), nil
}

// events converts rows to Events. start is the Unix second at which the hour of the rows
// begins.
func (v *snapshot) events(start int64, r *block.Rows) (list []Event, err error) {
	sessions, err := v.dictionary(sessionsBucket)
	if err != nil {
		return nil, err
	}
	clients := make([]sentBy, len(r.Senders))
	for i := range r.Senders {
		from := &r.Senders[i]
		clients[i].client = clientOf(&from.Details)
		if from.Session != 0 {
			if clients[i].session, err = v.session(sessions, from.Session); err != nil {
				return nil, err
			}
		}
	}
	list = make([]Event, r.Len())
	for i := range list {
		list[i] = v.event(start, r, i, clients)
	}
	return list, nil
}

// sentBy holds the distinct_id, the session_id and the client of a sender.
type sentBy struct {
	subject, session string
	client           submission.Client
}

// event returns row i of r as an Event. senders holds the sender for each element of
// r.Senders.
func (v *snapshot) event(start int64, r *block.Rows, i int, senders []sentBy) Event {
	from := &senders[r.SenderOf[i]]
	return Event{
		Name: v.nameText(r.Names[i]), ID: r.IDs[i], Session: from.session, At: start + int64(r.Seconds[i]), Received: r.Received[i],
		Properties: r.Props[i].JSON(), Client: from.client,
	}
}

// session returns the session_id with the given number. It searches the events in memory first, and
// then the dictionary of the file, from which the parameter stored reads.
func (v *snapshot) session(stored *dictionary.Reader, number uint32) (text string, err error) {
	for _, s := range v.heads {
		if at := int(number) - int(s.firstSession); at >= 0 && at < len(s.sessions) {
			return s.sessions[at], nil
		}
	}
	text, _, err = stored.Text(number)
	return text, err
}

// Count is one of the hourly counters of a project.
type Count struct {
	Hour     int64 // Unix second at which the hour begins
	Name     string
	Platform platform.Platform
	Region   stats.Region
	Offset   stats.Offset
	N        int64
}

// Names returns the definitions of all event names, in the order of their numbers. If the
// definition of a name was deleted, its ID is "".
func (e *Engine) Names(p Project) []Definition {
	of := e.project(p)
	if of == nil {
		return nil
	}
	of.names.mu.RLock()
	defer of.names.mu.RUnlock()
	list := make([]Definition, 0, len(of.names.numbers))
	for _, n := range of.names.list {
		if n != nil {
			list = append(list, n.definition())
		}
	}
	return list
}

// EachEvent visits the events of a project with their senders, hour by hour. Within an
// hour, events of the same second come in the order of receipt; otherwise the order is
// unspecified. The caller must have called Flush, because events in memory are not
// visited. EachEvent runs in one transaction, during which the file must have no writers.
// The event is only valid during the call of visit.
func (e *Engine) EachEvent(ctx context.Context, p Project, visit func(subject string, event *Event) error) error {
	return e.snapshot(ctx, p, func(v *snapshot) error {
		subjects, err := v.dictionary(subjectsBucket)
		if subjects == nil || err != nil {
			return err
		}
		sessions, err := v.dictionary(sessionsBucket)
		if err != nil {
			return err
		}
		return v.blocks.EachValue(func(key, raw []byte) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			h := &hour{start: int64(binary.BigEndian.Uint32(key)) * 3600, raws: [][]byte{raw}}
			if err := block.Check(raw); err != nil {
				return h.failed(err)
			}
			r, err := block.Decode(h.start, raw)
			if err != nil {
				return h.failed(err)
			}
			return v.eachRow(h.start, r, subjects, sessions, visit)
		})
	})
}

// eachRow visits the events of a block. start is the Unix second at which the hour of the
// block begins.
func (v *snapshot) eachRow(
	start int64, r *block.Rows, subjects, sessions *dictionary.Reader, visit func(subject string, event *Event) error,
) error {
	senders := make([]sentBy, len(r.Senders))
	for i := range r.Senders {
		from := &r.Senders[i]
		subject, ok, err := subjects.Text(from.Subject)
		if err == nil && !ok {
			err = fmt.Errorf("%w: sender %d of an event has no text", ErrDamaged, from.Subject)
		}
		if err != nil {
			return err
		}
		senders[i].subject = subject
		if senders[i].session, _, err = sessions.Text(from.Session); err != nil {
			return err
		}
		senders[i].client = clientOf(&from.Details)
	}
	var one Event
	for i := range r.Len() {
		one = v.event(start, r, i, senders)
		if err := visit(senders[r.SenderOf[i]].subject, &one); err != nil {
			return err
		}
	}
	return nil
}

// EachCount visits the hourly counters of a project, hour by hour. As for EachEvent, the
// caller must have called Flush, and the file must have no writers.
func (e *Engine) EachCount(ctx context.Context, p Project, visit func(Count) error) error {
	return e.snapshot(ctx, p, func(v *snapshot) error {
		if v.counts == nil {
			return nil
		}
		return v.counts.ForEach(func(key, raw []byte) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			at := binary.BigEndian.Uint32(key)
			var failed error
			err := hourly.Each(raw, func(what uint64, n int64) {
				if failed != nil {
					return
				}
				c := counterFrom(at, what)
				failed = visit(Count{
					Hour: int64(at) * 3600, Name: v.nameText(c.name), Platform: stats.PlatformOf(int(c.platform)),
					Region: stats.Region(c.region), Offset: c.offset, N: n,
				})
			})
			if err != nil {
				return err
			}
			return failed
		})
	})
}
