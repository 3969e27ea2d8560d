package query

import (
	"sync/atomic"

	"svc/internal/event/block"
)

// uniques returns the numbers of distinct subjects and sessions of the events in the
// range. Events without a session are not counted as a session.
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

// uniqueRun is the state of one worker. It collects the subjects and sessions of the
// hours that the worker reads.
type uniqueRun struct {
	query              *query
	subjects, sessions *bitset
	seen               []bool // the senders that have an event in the range
}

func (r *uniqueRun) hour(_ int64, parts []*block.Columns) error {
	for _, p := range parts {
		low, high := p.Between(r.query.Start, r.query.End)
		subjects, sessions := p.Subjects(), p.Sessions()
		if high-low == p.N { // every sender of the part has an event in the range
			for sender, subject := range subjects {
				r.add(subject, sessions[sender])
			}
			continue
		}
		r.seen = resize(r.seen, p.Senders)
		for row := low; row < high; row++ {
			if sender := p.SenderOf.At(row); !r.seen[sender] {
				r.seen[sender] = true
				r.add(subjects[sender], sessions[sender])
			}
		}
	}
	return nil
}

func (r *uniqueRun) add(subject, session uint32) {
	r.subjects.add(subject)
	if session != 0 {
		r.sessions.add(session)
	}
}
