package event

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// Export visits the events of a subject by time, then receipt, an hour at a
// time, outside of transactions, so that visit may be slow. What comes in
// meanwhile may be left out.
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

// hoursAtOnce is the number of hours looked through in one transaction.
const hoursAtOnce = 256

// exportHour finds the events of a subject in the next hour that has some, and
// where to go on; -1 is the end.
func (e *Engine) exportHour(ctx context.Context, p Project, subject string, from int64) (next int64, events []Event, err error) {
	err = e.view(ctx, p, func(v *view) error {
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

// subject is the number of a distinct_id; 0 when it is not known.
func (v *view) subject(text string) (number uint32, err error) {
	for _, s := range v.heads {
		if number := s.subject(text); number != 0 {
			return number, nil
		}
	}
	subjects, err := v.dictionary(subjectsBucket)
	if subjects == nil || err != nil {
		return 0, err
	}
	number, _, err = subjects.find(text)
	return number, err
}

// dictionary is one of the dictionaries as it is in this transaction, nil when
// nothing was ever stored.
func (v *view) dictionary(name []byte) (*dictionaryReader, error) {
	if v.project == nil || v.blocks == nil {
		return nil, nil
	}
	b := projectBucket(v.blocks.Tx(), v.project.number, name)
	d, err := loadDictionary(b, v.engine.secret)
	if err != nil {
		return nil, err
	}
	return d.reader(b), nil
}

// subjectRows are the events of a subject in an hour, in order.
func (v *view) subjectRows(h *hour, subject uint32) (*rows, error) {
	var list []*rows
	for _, raw := range h.raws {
		r, err := subjectRows(h.start, raw, subject)
		if err != nil {
			return nil, h.failed(err)
		}
		if r != nil && r.len() > 0 {
			list = append(list, r)
		}
	}
	for _, s := range v.heads {
		if len(h.heads) == 0 {
			break
		}
		order := slices.DeleteFunc(s.of.order(s.n, h.start, h.start+3599), func(o uint64) bool {
			return s.of.senders[s.of.clients[o&(1<<rowBits-1)]].subject != subject
		})
		if len(order) > 0 {
			list = append(list, s.of.rows(order, true))
		}
	}
	return mergeRows(list), nil
}

// events are rows as their subject may see them.
func (v *view) events(start int64, r *rows) ([]Event, error) {
	sessions, err := v.dictionary(sessionsBucket)
	if err != nil {
		return nil, err
	}
	list := make([]Event, r.len())
	for i := range list {
		from := &r.senders[r.clients[i]]
		list[i] = Event{
			Name: v.nameText(r.names[i]), ID: r.ids[i], At: start + int64(r.seconds[i]), Received: r.received[i],
			Properties: r.props[i].json(), Client: from.client(),
		}
		if from.session == 0 {
			continue
		}
		if list[i].Session, err = v.session(sessions, from.session); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// session is the session_id with a number.
func (v *view) session(stored *dictionaryReader, number uint32) (text string, err error) {
	for _, s := range v.heads {
		if at := int(number) - int(s.firstSession); at >= 0 && at < len(s.sessions) {
			return s.sessions[at], nil
		}
	}
	text, _, err = stored.text(number)
	return text, err
}

// json is the object that properties were made from, nil for none. Blocks do not
// keep the order of keys, so it is always that of the alphabet.
func (list properties) json() []byte {
	if list == nil {
		return nil
	}
	object := []byte{'{'}
	sorted := slices.Clone(list)
	slices.SortFunc(sorted, func(a, b property) int { return strings.Compare(a.key, b.key) })
	for i, p := range sorted {
		if i > 0 {
			object = append(object, ',')
		}
		key, err := json.Marshal(p.key)
		if err != nil {
			continue // a text always has a form
		}
		object = append(append(append(object, key...), ':'), p.value...)
	}
	return append(object, '}')
}
