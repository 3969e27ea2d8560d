package event

import (
	"slices"
	"sync"
	"time"

	"svc/internal/event/block"
	"svc/internal/stats"
)

// head holds events in memory. It contains all events of one generation of the WAL.
type head struct {
	generation uint64

	// Only the goroutine that holds the lock of Engine.file appends. Queries
	// read concurrently.
	mu       sync.RWMutex
	projects map[Project]*headProject
	events   int
	bytes    int
	since    int64 // Unix second at which the first event was received

	walBytes int // size of the values in the WAL
}

// headProject holds the events of a project in the order of receipt, as
// append-only columns.
type headProject struct {
	at, received []int64  // Unix seconds
	names        []uint32 // numbers of the names
	clients      []uint32 // indexes into senders
	ids          []string
	props        []string // JSON objects; "" = none
	senders      []block.Sender
	bySender     map[block.Sender]uint32

	hashes []uint64 // hash of each element of ids
	byHash rowTable

	subjects, sessions newTexts
	counts             map[counterGroup][]int64 // each list is indexed by the number of the name
	counting           counterGroup             // the group of the last event
	counted            []int64                  // the list in counts for that group
}

// counterGroup identifies the counters that differ only in the name of the event. The
// events of a batch usually belong to the same group.
type counterGroup struct {
	hour     uint32
	region   uint16
	platform uint8
	offset   stats.Offset
}

// newTexts holds distinct_ids or session_ids that are not in the dictionary of the file
// yet. They are numbered consecutively, starting with the number in the field first.
type newTexts struct {
	first   uint32
	list    []string
	numbers map[string]uint32
}

func (t *newTexts) number(text string) uint32 {
	n, ok := t.numbers[text]
	if !ok {
		n = t.first + uint32(len(t.list))
		t.numbers[text] = n
		t.list = append(t.list, text)
	}
	return n
}

func newHead(generation uint64) *head {
	return &head{generation: generation, projects: map[Project]*headProject{}}
}

// old reports whether the head has reached headAge.
func (h *head) old(now time.Time) bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.events > 0 && now.Unix()-h.since >= int64(headAge/time.Second)
}

// has reports whether the head contains the event of project p with the event_id id. hash is the
// hash of id. Only the goroutine that holds the lock of Engine.file may call h.has.
func (h *head) has(p Project, hash uint64, id string) bool {
	of := h.projects[p]
	if of == nil {
		return false
	}
	return of.byHash.any(of.hashes, hash, func(row uint32) bool { return of.ids[row] == id })
}

// of returns the part of the head for a project, and creates it if the head has no events of the
// project. The parameter before is the frozen head, or nil if there is none. New texts get numbers
// that follow those of the frozen head.
func (h *head) of(p *project, before *head) *headProject {
	of := h.projects[p.number]
	if of == nil {
		of = &headProject{
			bySender: map[block.Sender]uint32{}, counts: map[counterGroup][]int64{},
			subjects: newTexts{first: p.subjects.Next(), numbers: map[string]uint32{}},
			sessions: newTexts{first: p.sessions.Next(), numbers: map[string]uint32{}},
		}
		if before != nil && before.projects[p.number] != nil {
			older := before.projects[p.number]
			of.subjects.first = older.subjects.first + uint32(len(older.subjects.list))
			of.sessions.first = older.sessions.first + uint32(len(older.sessions.list))
		}
		h.projects[p.number] = of
	}
	return of
}

// logged adds the size, in bytes, of a value that was appended to the WAL to h.walBytes.
func (h *head) logged(bytes int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.walBytes += bytes
}

// append adds the events of a batch. The parameter before is the frozen head, or nil if there is
// none. subject and session are the numbers of the batch's distinct_id and session_id; 0 means that
// the text has no number yet. hashes holds the hash of each event_id.
func (h *head) append(p *project, before *head, t *walBatch, subject, session uint32, hashes []uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	of := h.of(p, before)
	if subject == 0 {
		subject = of.subjects.number(t.subject)
	}
	if session == 0 && t.session != "" {
		session = of.sessions.number(t.session)
	}
	from := block.Sender{Subject: subject, Session: session, Details: t.details}
	client, ok := of.bySender[from]
	if !ok {
		client = uint32(len(of.senders))
		of.senders = append(of.senders, from)
		of.bySender[from] = client
		h.bytes += 300
	}
	if h.events == 0 {
		h.since = t.received
	}
	for i := range t.items {
		item := &t.items[i]
		of.at, of.received = append(of.at, item.at), append(of.received, t.received)
		of.names, of.clients = append(of.names, item.name), append(of.clients, client)
		of.ids, of.props = append(of.ids, item.id), append(of.props, item.props)
		of.hashes = append(of.hashes, hashes[i])
		of.byHash.add(of.hashes)
		of.count(counterGroup{uint32(item.at / 3600), t.details.Region, uint8(max(int(t.details.Platform)-1, 0)), stats.Offset(t.offset)},
			item.name)
		h.bytes += 100 + len(item.id) + len(item.props)
	}
	h.events += len(t.items)
}

// count increments the counter of the given group for the name with the given number.
func (of *headProject) count(g counterGroup, name uint32) {
	if g != of.counting {
		of.counting, of.counted = g, of.counts[g]
	}
	if int(name) >= len(of.counted) {
		of.counted = append(of.counted, make([]int64, int(name)+1-len(of.counted))...)
		of.counts[g] = of.counted
	}
	of.counted[name]++
}

// eachHeadCount calls visit for each counter of a head that is not 0.
func eachHeadCount(counts map[counterGroup][]int64, visit func(c counter, n int64)) {
	for g, list := range counts {
		for name, n := range list {
			if n > 0 {
				visit(counter{hour: g.hour, name: uint32(name), region: g.region, platform: g.platform, offset: g.offset}, n)
			}
		}
	}
}

const rowBits = 24 // a head has fewer than 1<<rowBits rows

// order returns the rows with from <= time <= to among the first n rows. They are sorted
// by time, then by receipt, and each is encoded as time<<rowBits | row.
func (of *headProject) order(n int, from, to int64) []uint64 {
	var list []uint64
	for row, at := range of.at[:n] {
		if at >= from && at <= to {
			list = append(list, uint64(at)<<rowBits|uint64(row))
		}
	}
	slices.Sort(list)
	return list
}

// cutHour splits a result of the method order: first holds the rows of the first hour,
// and rest all others. hour is the Unix second at which the first hour begins.
func cutHour(order []uint64) (hour int64, first, rest []uint64) {
	hour = int64(order[0]>>rowBits) / 3600 * 3600
	n, _ := slices.BinarySearch(order, uint64(hour+3600)<<rowBits)
	return hour, order[:n], order[n:]
}

// rows copies the rows that the parameter order contains. They must belong to one hour.
// If whole is true, the copy includes the columns that only blocks need.
func (of *headProject) rows(order []uint64, whole bool) *block.Rows {
	r := &block.Rows{
		Seconds: make([]uint16, len(order)), Names: make([]uint32, len(order)), SenderOf: make([]uint32, len(order)),
	}
	if whole {
		r.Received, r.IDs, r.Props = make([]int64, len(order)), make([]string, len(order)), make([]block.Properties, len(order))
	}
	place := map[uint32]uint32{}
	for i, o := range order {
		row := o & (1<<rowBits - 1)
		r.Seconds[i], r.Names[i] = uint16(o>>rowBits%3600), of.names[row]
		client, ok := place[of.clients[row]]
		if !ok {
			client = uint32(len(r.Senders))
			place[of.clients[row]] = client
			r.Senders = append(r.Senders, of.senders[of.clients[row]])
		}
		r.SenderOf[i] = client
		if whole {
			r.Received[i], r.IDs[i] = of.received[row], of.ids[row]
			r.Props[i] = block.ParseProperties(of.props[row])
		}
	}
	return r
}

// rowTable finds the rows that have a given hash in a column of hashes. It is an
// open-addressing hash table with linear probing; its size is a power of two and at most
// half of its places are in use. It does not store hashes, so a place takes four bytes
// and the garbage collector has nothing to scan.
type rowTable struct {
	places []uint32 // row + 1; 0 = free
}

// add adds the last row of a column. hashes holds the hash of each row.
func (t *rowTable) add(hashes []uint64) {
	if 2*len(hashes) > len(t.places) {
		t.places = make([]uint32, max(1<<10, 2*len(t.places)))
		for row := range hashes {
			t.put(hashes[row], uint32(row))
		}
		return
	}
	t.put(hashes[len(hashes)-1], uint32(len(hashes)-1))
}

func (t *rowTable) put(hash uint64, row uint32) {
	last := uint64(len(t.places) - 1)
	at := hash & last
	for t.places[at] != 0 {
		at = (at + 1) & last
	}
	t.places[at] = row + 1
}

// any reports whether there is a row with the given hash for which fits returns true.
func (t *rowTable) any(hashes []uint64, hash uint64, fits func(row uint32) bool) bool {
	if len(t.places) == 0 {
		return false
	}
	last := uint64(len(t.places) - 1)
	for at := hash & last; t.places[at] != 0; at = (at + 1) & last {
		if row := t.places[at] - 1; hashes[row] == hash && fits(row) {
			return true
		}
	}
	return false
}
