package block

import "svc/internal/event/encoding"

// Rows holds events of one hour as columns: element i of each column belongs to event i.
// Rows are sorted by time; rows of the same second are sorted by receipt. Rows is the
// decoded form of a block.
type Rows struct {
	Seconds  []uint16     // second in the hour, 0 to 3599
	Names    []uint32     // number of the name in the project
	SenderOf []uint32     // index in Senders
	Received []int64      // Unix second at which the server received the event
	IDs      []string     // event_id
	Props    []Properties // nil = none

	Senders []Sender
}

// Len returns the number of rows.
func (r *Rows) Len() int { return len(r.Seconds) }

// Sender holds the attributes that all events of one request share: subject, session and
// client. Requests of an hour with equal attributes have the same Sender.
type Sender struct {
	Subject uint32 // number of the distinct_id in the project, from 1
	Session uint32 // number of the session_id in the project, from 1; 0 = none
	Details
}

// Details describes the client of a sender. Texts that are not known are "".
type Details struct {
	Platform    uint8  // number of the platform, from 1; 0 = none
	Region      uint16 // number of the region (stats.Region); 0 = not known
	Version     string // version of the platform
	CountryName string
	RegionName  string
	City        string
	Address     string
	Agent       string
}

// Properties holds the first-level properties of an event in the order in which they were
// sent, without duplicate keys.
type Properties []Property

// Property is a key, unescaped, and its value as compact JSON.
type Property struct{ Key, Value string }

// Merge merges several Rows of the same hour. The events of each must have been received
// before those of the next.
func Merge(list []*Rows) *Rows {
	n := 0
	var next [lastSecond + 1]int // index of the next row of each second
	for _, r := range list {
		n += r.Len()
		for _, second := range r.Seconds {
			next[second]++
		}
	}
	start := 0
	for second, count := range next {
		next[second] = start
		start += count
	}
	merged := makeRows(n)
	senders := senderTable{}
	for _, r := range list {
		for row, second := range r.Seconds {
			merged.set(next[second], r, row)
			merged.SenderOf[next[second]] = senders.code(r.Senders, r.SenderOf[row])
			next[second]++
		}
		senders.nextList()
	}
	merged.Senders = senders.Values
	return merged
}

// Without returns the rows for which drop returns false, in order, and only the senders
// of these rows. The result shares no memory with the dropped rows.
func (r *Rows) Without(drop func(row int) bool) *Rows {
	kept := make([]int, 0, r.Len())
	for row := range r.Len() {
		if !drop(row) {
			kept = append(kept, row)
		}
	}
	left := makeRows(len(kept))
	senders := senderTable{}
	for to, row := range kept {
		left.set(to, r, row)
		left.SenderOf[to] = senders.code(r.Senders, r.SenderOf[row])
	}
	left.Senders = senders.Values
	return left
}

// joinSenders returns the distinct senders to which rows refer, in the order of first
// use, and the code of each row's sender.
func joinSenders(r *Rows) (codes []uint32, list []Sender) {
	codes = make([]uint32, r.Len())
	senders := senderTable{}
	for row, client := range r.SenderOf {
		codes[row] = senders.code(r.Senders, client)
	}
	return codes, senders.Values
}

func makeRows(n int) *Rows {
	return &Rows{
		Seconds: make([]uint16, n), Names: make([]uint32, n), SenderOf: make([]uint32, n),
		Received: make([]int64, n), IDs: make([]string, n), Props: make([]Properties, n),
	}
}

// set overwrites a row of r, except its sender, with a row of another Rows.
func (r *Rows) set(to int, from *Rows, row int) {
	r.Seconds[to], r.Names[to] = from.Seconds[row], from.Names[row]
	r.Received[to], r.IDs[to], r.Props[to] = from.Received[row], from.IDs[row], from.Props[row]
}

// senderTable collects the distinct senders of several lists and assigns them codes. It
// processes one list after the other.
type senderTable struct {
	encoding.Coder[Sender]
	present []uint32 // for each index in the current list: the code + 1, or 0 if there is none yet
}

// code returns the code of the sender present[client].
func (t *senderTable) code(present []Sender, client uint32) uint32 {
	if t.present == nil {
		t.present = make([]uint32, len(present))
	}
	if t.present[client] == 0 {
		t.present[client] = t.Code(present[client]) + 1
	}
	return t.present[client] - 1
}

// nextList must be called before the first call of code with another list.
func (t *senderTable) nextList() { t.present = nil }
