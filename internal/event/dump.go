package event

import (
	"context"
	"encoding/binary"
	"fmt"

	"svc/internal/platform"
	"svc/internal/stats"
)

// Count is one of the hourly counters of a project.
type Count struct {
	Hour     int64 // Unix second at which it begins
	Name     string
	Platform platform.Platform
	Region   stats.Region
	Offset   stats.Offset
	N        int64
}

// Names lists everything that is known of the names of events, in the order in
// which they were first seen. One whose definition was deleted has no ID.
func (e *Engine) Names(p Project) []Definition {
	of := e.project(p)
	if of == nil {
		return nil
	}
	of.names.mu.RLock()
	defer of.names.mu.RUnlock()
	list := make([]Definition, len(of.names.list))
	for i, n := range of.names.list {
		list[i] = n.definition()
	}
	return list
}

// EachEvent visits the events of a project and who sent each, hour by hour. In
// an hour those of one second are in the order of receipt; otherwise there is no
// order. All of it is one transaction: it is for a file that nobody writes to,
// after a Flush. The event is only valid during the call.
func (e *Engine) EachEvent(ctx context.Context, p Project, visit func(subject string, event *Event) error) error {
	return e.view(ctx, p, func(v *view) error {
		subjects, err := v.dictionary(subjectsBucket)
		if subjects == nil || err != nil {
			return err
		}
		sessions, err := v.dictionary(sessionsBucket)
		if err != nil {
			return err
		}
		return eachValue(v.blocks, func(key, raw []byte) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			h := &hour{start: int64(binary.BigEndian.Uint32(key)) * 3600, raws: [][]byte{raw}}
			if err := checkBlock(raw); err != nil {
				return h.failed(err)
			}
			r, err := decodeBlock(h.start, raw)
			if err != nil {
				return h.failed(err)
			}
			return v.eachRow(h.start, r, subjects, sessions, visit)
		})
	})
}

// eachRow visits the events of a block.
func (v *view) eachRow(start int64, r *rows, subjects, sessions *dictionaryReader, visit func(subject string, event *Event) error) error {
	type known struct {
		subject, session string
		client           Client
	}
	senders := make([]known, len(r.senders))
	for i := range r.senders {
		from := &r.senders[i]
		subject, ok, err := subjects.text(from.subject)
		if err == nil && !ok {
			err = fmt.Errorf("%w: sender %d of an event has no text", ErrDamaged, from.subject)
		}
		if err != nil {
			return err
		}
		senders[i].subject = subject
		if senders[i].session, _, err = sessions.text(from.session); err != nil {
			return err
		}
		senders[i].client = from.client()
	}
	var one Event
	for i := range r.len() {
		from := &senders[r.clients[i]]
		one = Event{
			Name: v.nameText(r.names[i]), ID: r.ids[i], Session: from.session, At: start + int64(r.seconds[i]), Received: r.received[i],
			Properties: r.props[i].json(), Client: from.client,
		}
		if err := visit(from.subject, &one); err != nil {
			return err
		}
	}
	return nil
}

// EachCount visits the hourly counters of a project, hour by hour. Like
// EachEvent it is for a file that nobody writes to, after a Flush.
func (e *Engine) EachCount(ctx context.Context, p Project, visit func(Count) error) error {
	return e.view(ctx, p, func(v *view) error {
		if v.counts == nil {
			return nil
		}
		return v.counts.ForEach(func(key, raw []byte) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			at := binary.BigEndian.Uint32(key)
			var failed error
			err := readCounters(raw, func(what uint64, n int64) {
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
