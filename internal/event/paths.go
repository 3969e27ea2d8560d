package event

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
)

// Paths counts which event follows which. An error for the client says that it
// takes too much memory.
func (e *Engine) Paths(ctx context.Context, p Project, in PathsQuery) (paths Paths, err error) {
	err = e.view(ctx, p, func(v *view) error {
		q := v.query(in.Range, "paths", "narrow the range")
		paths, err = q.paths(in)
		return err
	})
	return paths, err
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

// rankEdges sorts edges and joins those of a step that are too many.
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

// edge is a step from one name to the next.
type edge struct {
	step     uint32 // from 1
	from, to uint32
}

// edges counts edges: in a matrix while there are few names, which is nearly
// always, otherwise in a map.
type edges struct {
	names  int     // 0 = map
	matrix []int64 // by step, from and to
	counts map[edge]int64
	memory *budget
}

// mostMatrixNames is up to how many names a matrix is used; it takes 640 KiB for
// a step then.
const mostMatrixNames = 256 + 32

func newEdges(names, depth int, memory *budget) *edges {
	if names > mostMatrixNames {
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

// pathRun follows the sequences of one worker: those of the sessions that it
// looks after and, for events without one, of its subjects.
type pathRun struct {
	worker
	query *query
	start operand // where sequences begin
	depth uint32
	users bool
	edges *edges
	lanes []pathLane
	picks picks

	subjects, sessions table[pathState]
	// strangers are the sequences of sessions that another subject uses too.
	strangers map[strange]*pathState

	// places and homes are the sequences of the hour that are not complete: where
	// they are, next to each other for speed, and where that is kept. The first
	// stands for the sequences that need no more events.
	places []pathPlace
	homes  []*pathState
}

type strange struct{ session, subject uint32 }

type pathState struct {
	owner uint32 // of a session: the subject; 0 = none yet
	place pathPlace
}

// pathPlace is how far a sequence is: the last name << nodeBits | nodes. Or it
// is taken | the number of the sequence in the hour, which has it.
type pathPlace uint32

const (
	nodeBits           = 3 // enough for the depth of a path
	taken    pathPlace = 1 << 31
)

func (p pathPlace) nodes() uint32 { return uint32(p) & (1<<nodeBits - 1) }
func (p pathPlace) name() uint32  { return uint32(p) >> nodeBits }

func place(name, nodes uint32) pathPlace { return pathPlace(name<<nodeBits | nodes) }

// pathLane is what a worker knows of a part.
type pathLane struct {
	*part
	bySender []uint32 // number of the sequence in the hour
}

func newPathRun(q *query, w worker, in PathsQuery) *pathRun {
	r := &pathRun{worker: w, query: q, depth: uint32(in.Depth), users: in.Users}
	r.start = operand{any: true}
	if in.StartEvent != "" {
		r.start = q.operand(in.StartEvent, nil, nil)
	}
	r.edges = newEdges(q.names, in.Depth, q.memory)
	r.subjects.memory, r.sessions.memory = q.memory, q.memory
	r.strangers = map[strange]*pathState{}
	return r
}

func (r *pathRun) hour(_ int64, parts []*part) error {
	if r.start.none {
		return nil
	}
	for len(r.lanes) < len(parts) {
		r.lanes = append(r.lanes, pathLane{})
	}
	r.places, r.homes = append(r.places[:0], place(0, r.depth)), append(r.homes[:0], nil)
	for i, p := range parts {
		l := &r.lanes[i]
		l.part = p
		l.bySender = resize(l.bySender, len(p.subjects))
		for sender := range l.bySender {
			l.bySender[sender] = r.enter(r.sequence(p.subjects[sender], p.sessions[sender]))
		}
	}
	inOrder(parts, r.query.Range, func(at, low, high int) {
		for ; low < high; low += batchLength {
			end := min(high, low+batchLength)
			r.pick(&r.lanes[at], low, end)
			r.follow(&r.lanes[at])
		}
	})
	for i, home := range r.homes[1:] {
		home.place = r.places[i+1]
	}
	return nil
}

// enter gives a sequence a number in the hour. It is 0 for one that is complete
// or not of this worker.
func (r *pathRun) enter(s *pathState) uint32 {
	switch {
	case s == nil:
		return 0
	case s.place&taken != 0:
		return uint32(s.place &^ taken)
	case s.place.nodes() == r.depth:
		return 0
	}
	number := uint32(len(r.places))
	r.places, r.homes = append(r.places, s.place), append(r.homes, s)
	s.place = taken | pathPlace(number)
	return number
}

// sequence is the state of the sequence to which a sender belongs, nil when it is
// another worker's.
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
		return r.stranger(strange{session, subject})
	}
	return s
}

func (r *pathRun) stranger(key strange) *pathState {
	s, ok := r.strangers[key]
	if !ok {
		s = &pathState{owner: key.subject}
		r.strangers[key] = s
		r.query.memory.take(64)
	}
	return s
}

// pick finds the rows from low to high whose sequences are not complete.
func (r *pathRun) pick(l *pathLane, low, high int) {
	n, depth, places := uint(0), r.depth, r.places
	raw := l.clients.raw
	for row := low; row < high; row++ {
		var sequence uint32
		switch l.clients.width {
		case 1:
			sequence = l.bySender[raw[row]]
		case 2:
			sequence = l.bySender[binary.LittleEndian.Uint16(raw[2*row:])]
		default:
			sequence = l.bySender[l.clients.at(row)]
		}
		r.picks.rows[n%batchLength], r.picks.slots[n%batchLength] = uint32(row), sequence
		if places[sequence].nodes() != depth {
			n++
		}
	}
	r.picks.n = int(n)
}

// follow takes the picked rows, which are in the order of sequences.
func (r *pathRun) follow(l *pathLane) {
	for k, row := range r.picks.rows[:r.picks.n] {
		at := &r.places[r.picks.slots[k]]
		nodes := at.nodes()
		if nodes == r.depth {
			continue // since it was picked
		}
		name := l.nameOf[l.names.at(int(row))]
		switch {
		case nodes > 0:
			r.edges.add(nodes, at.name(), name)
		case !r.start.any && name != r.start.name:
			continue
		}
		*at = place(name, nodes+1)
	}
}
