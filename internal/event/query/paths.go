package query

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"svc/internal/event/block"
)

// Paths counts how often each event follows another one in the paths of users or sessions. The
// error is Invalid if the query needs too much memory.
func (s *Source) Paths(ctx context.Context, in PathsQuery) (Paths, error) {
	return s.query(ctx, in.Range, "paths", lessRange).paths(in)
}

func (q *query) paths(in PathsQuery) (Paths, error) {
	each, err := spread(q, func(q *query, w worker) (*edges, error) {
		r := newPathRun(q, w, in)
		if err := q.each(r.hour); err != nil {
			return nil, err
		}
		return r.edges, nil
	})
	if err != nil {
		return Paths{}, err
	}
	sum := map[edge]int64{}
	for _, one := range each {
		one.each(func(e edge, n int64) { sum[e] += n })
	}
	list := make([]Edge, 0, len(sum))
	for e, n := range sum {
		list = append(list, Edge{int(e.step), q.text(e.from), q.text(e.to), n})
	}
	return rankEdges(list, in.Branches), nil
}

// rankEdges sorts edges by step and count. If a step has more edges than branches allows, it merges
// the remaining ones into one edge.
func rankEdges(list []Edge, branches int) Paths {
	slices.SortFunc(list, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(b.Count, a.Count),
			cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	var p Paths
	step, kept := 0, 0
	for _, e := range list {
		if e.Step != step {
			step, kept = e.Step, 0
		}
		kept++
		switch {
		case kept <= branches:
			p.Edges = append(p.Edges, e)
		case kept == branches+1:
			p.Edges = append(p.Edges, Edge{step, OtherEvents, OtherEvents, e.Count})
			p.Truncated = true
		default:
			p.Edges[len(p.Edges)-1].Count += e.Count
		}
	}
	return p
}

// edge leads from one event of a path to the next. The events are identified by the numbers of
// their names in Source.Names.
type edge struct {
	step     uint32 // starts at 1
	from, to uint32
}

// edges counts how often each edge occurs. It uses a matrix if there are few names, which is usual,
// and otherwise a map.
type edges struct {
	names  int     // the side length of the matrix; 0 = use a map
	matrix []int64 // counts by step, from and to
	counts map[edge]int64
	memory *budget
}

// maxMatrixNames is the maximum number of names for which edges uses a matrix. With this
// number, the matrix takes 648 KiB per step.
const maxMatrixNames = 256 + 32

func newEdges(names, depth int, memory *budget) *edges {
	if names > maxMatrixNames {
		return &edges{counts: map[edge]int64{}, memory: memory}
	}
	cells := (depth - 1) * names * names
	memory.take(8 * cells)
	return &edges{names: names, matrix: make([]int64, cells)}
}

func (e *edges) add(step, from, to uint32) {
	if e.counts == nil {
		e.matrix[(int(step-1)*e.names+int(from))*e.names+int(to)]++
		return
	}
	before := len(e.counts)
	e.counts[edge{step, from, to}]++
	e.memory.take(48 * (len(e.counts) - before))
}

func (e *edges) each(visit func(e edge, n int64)) {
	for one, n := range e.counts {
		visit(one, n)
	}
	for at, n := range e.matrix {
		if n != 0 {
			rest, to := at/e.names, at%e.names
			visit(edge{uint32(rest/e.names) + 1, uint32(rest % e.names), uint32(to)}, n)
		}
	}
}

// pathRun follows the sequences of events that belong to one worker. A sequence consists of the
// events of a session. For events without a session, and for all events if users is set, it
// consists of the events of a subject.
type pathRun struct {
	worker
	query    *query
	start    operand // the event that starts a sequence
	depth    uint32
	users    bool
	edges    *edges
	matchers []pathMatcher
	selected selection

	subjects, sessions table[pathState]
	// shared holds additional sequences, for sessions that have events of several subjects:
	// one for each subject except the first.
	shared map[sharedSession]*pathState

	// progress and slots describe the incomplete sequences that have events in the current
	// hour, by the number that the sequence has in this hour. progress holds only the
	// progress of each, in one slice for speed, and slots holds the complete state. Element
	// 0 represents all sequences that need no further events.
	progress []pathProgress
	slots    []*pathState
}

type sharedSession struct{ session, subject uint32 }

type pathState struct {
	owner    uint32 // the subject that owns the session; 0 = not known yet
	progress pathProgress
}

// pathProgress describes how far a sequence has been followed: the number of the last event's name
// << nodeBits | the number of events so far. While an hour is being processed, a sequence with
// events in that hour has the value taken | its number in the hour instead.
type pathProgress uint32

const (
	nodeBits              = 3 // enough bits for the greatest depth of a path
	taken    pathProgress = 1 << 31
)

func (p pathProgress) nodes() uint32 { return uint32(p) & (1<<nodeBits - 1) }
func (p pathProgress) name() uint32  { return uint32(p) >> nodeBits }

func progressOf(name, nodes uint32) pathProgress { return pathProgress(name<<nodeBits | nodes) }

// pathMatcher is a worker's state for one part of the events of an hour.
type pathMatcher struct {
	*block.Columns
	bySender []uint32 // number of each sender's sequence in the hour; 0 = none that needs events
}

func newPathRun(q *query, w worker, in PathsQuery) *pathRun {
	r := &pathRun{worker: w, query: q, depth: uint32(in.Depth), users: in.Users}
	r.start = q.named(in.StartEvent)
	r.edges = newEdges(q.names, in.Depth, q.memory)
	r.subjects.memory, r.sessions.memory = q.memory, q.memory
	r.shared = map[sharedSession]*pathState{}
	return r
}

func (r *pathRun) hour(_ int64, parts []*block.Columns) error {
	if r.start.none {
		return nil
	}
	for len(r.matchers) < len(parts) {
		r.matchers = append(r.matchers, pathMatcher{})
	}
	r.progress, r.slots = append(r.progress[:0], progressOf(0, r.depth)), append(r.slots[:0], nil)
	for i, p := range parts {
		l := &r.matchers[i]
		l.Columns = p
		l.bySender = resize(l.bySender, p.Senders)
		subjects, sessions := p.Subjects(), p.Sessions()
		for sender := range l.bySender {
			l.bySender[sender] = r.enter(r.sequence(subjects[sender], sessions[sender]))
		}
	}
	inOrder(parts, r.query.Range, func(at, low, high int) {
		for ; low < high; low += batchLength {
			end := min(high, low+batchLength)
			r.pick(&r.matchers[at], low, end)
			r.follow(&r.matchers[at])
		}
	})
	for i, slot := range r.slots[1:] {
		slot.progress = r.progress[i+1]
	}
	return nil
}

// enter returns the number of a sequence in the current hour, after assigning a number if it has
// none. The number is 0 if the sequence is already complete, or if s is nil because it belongs to
// another worker.
func (r *pathRun) enter(s *pathState) uint32 {
	switch {
	case s == nil:
		return 0
	case s.progress&taken != 0:
		return uint32(s.progress &^ taken)
	case s.progress.nodes() == r.depth:
		return 0
	}
	number := uint32(len(r.progress))
	r.progress, r.slots = append(r.progress, s.progress), append(r.slots, s)
	s.progress = taken | pathProgress(number)
	return number
}

// sequence returns the state of the sequence to which a sender's events belong, or nil if
// the sequence belongs to another worker.
func (r *pathRun) sequence(subject, session uint32) *pathState {
	if r.users || session == 0 {
		if slot := r.slot(subject); slot != 0 {
			return r.subjects.at(slot)
		}
		return nil
	}
	slot := r.slot(session)
	if slot == 0 {
		return nil
	}
	s := r.sessions.at(slot)
	switch s.owner {
	case 0:
		s.owner = subject
	case subject:
	default:
		return r.sharedState(sharedSession{session, subject})
	}
	return s
}

func (r *pathRun) sharedState(key sharedSession) *pathState {
	s, ok := r.shared[key]
	if !ok {
		s = &pathState{owner: key.subject}
		r.shared[key] = s
		r.query.memory.take(64)
	}
	return s
}

// pick selects the rows from low up to but not including high that belong to incomplete
// sequences.
func (r *pathRun) pick(l *pathMatcher, low, high int) {
	n, depth, progress := uint(0), r.depth, r.progress
	raw := l.SenderOf.Raw
	for row := low; row < high; row++ {
		var sequence uint32
		switch l.SenderOf.Width {
		case 1:
			sequence = l.bySender[raw[row]]
		case 2:
			sequence = l.bySender[binary.LittleEndian.Uint16(raw[2*row:])]
		default:
			sequence = l.bySender[l.SenderOf.At(row)]
		}
		r.selected.rows[n%batchLength], r.selected.slots[n%batchLength] = uint32(row), sequence
		if progress[sequence].nodes() != depth {
			n++
		}
	}
	r.selected.n = int(n)
}

// follow advances the sequences by the selected rows, in order.
func (r *pathRun) follow(l *pathMatcher) {
	for k, row := range r.selected.rows[:r.selected.n] {
		at := &r.progress[r.selected.slots[k]]
		nodes := at.nodes()
		if nodes == r.depth {
			continue // the sequence was completed by an earlier row
		}
		name := l.NameOf[l.Names.At(int(row))]
		switch {
		case nodes > 0:
			r.edges.add(nodes, at.name(), name)
		case !r.start.any && name != r.start.name:
			continue
		}
		*at = progressOf(name, nodes+1)
	}
}
