package event

import "sync/atomic"

// uniques counts the different subjects and sessions of the events from one Unix
// second to another, both included. Events without a session have none.
func (v *view) uniques(from, to int64) (users, sessions int64, err error) {
	return v.query(Range{Start: from, End: to}, "the overview", "narrow the range").uniques()
}

func (q *query) uniques() (users, sessions int64, err error) {
	var next atomic.Int64
	each, err := spread(q, func(q *query, _ worker) (*uniqueRun, error) {
		r := &uniqueRun{query: q, subjects: newBitset(q.memory), sessions: newBitset(q.memory)}
		return r, q.share(&next, r.hour)
	})
	if err != nil {
		return 0, 0, err
	}
	for _, one := range each[1:] {
		each[0].subjects.union(one.subjects)
		each[0].sessions.union(one.sessions)
	}
	return each[0].subjects.len(), each[0].sessions.len(), nil
}

// uniqueRun collects the subjects and sessions of some hours.
type uniqueRun struct {
	query              *query
	subjects, sessions *bitset
	seen               []bool // senders, where only a part of the rows counts
}

func (r *uniqueRun) hour(_ int64, parts []*part) error {
	for _, p := range parts {
		low, high := p.between(r.query.Start, r.query.End)
		if high-low == p.n { // every sender has an event
			for sender := range p.subjects {
				r.add(p, sender)
			}
			continue
		}
		r.seen = resize(r.seen, len(p.subjects))
		for row := low; row < high; row++ {
			if sender := p.clients.at(row); !r.seen[sender] {
				r.seen[sender] = true
				r.add(p, int(sender))
			}
		}
	}
	return nil
}

func (r *uniqueRun) add(p *part, sender int) {
	r.subjects.add(p.subjects[sender])
	if session := p.sessions[sender]; session != 0 {
		r.sessions.add(session)
	}
}
