package event

// mergeRows joins rows of one hour. The rows of each in list were received
// before those of the next.
func mergeRows(list []*rows) *rows {
	n := 0
	var next [lastSecond + 1]int // where the next row of each second goes
	for _, r := range list {
		n += r.len()
		for _, second := range r.seconds {
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
		for row, second := range r.seconds {
			merged.set(next[second], r, row)
			merged.clients[next[second]] = senders.place(r.senders, r.clients[row])
			next[second]++
		}
		senders.nextList()
	}
	merged.senders = senders.list
	return merged
}

// without is the rows that drop does not name, in their order, and their senders.
// Nothing of the others is left in it.
func (r *rows) without(drop func(row int) bool) *rows {
	kept := make([]int, 0, r.len())
	for row := range r.len() {
		if !drop(row) {
			kept = append(kept, row)
		}
	}
	left := makeRows(len(kept))
	senders := senderTable{}
	for to, row := range kept {
		left.set(to, r, row)
		left.clients[to] = senders.place(r.senders, r.clients[row])
	}
	left.senders = senders.list
	return left
}

// joinSenders is the senders that rows refer to, each once, in the order of their
// first use, and the place of each row's sender among them.
func joinSenders(r *rows) (places []uint32, list []sender) {
	places = make([]uint32, r.len())
	senders := senderTable{}
	for row, client := range r.clients {
		places[row] = senders.place(r.senders, client)
	}
	return places, senders.list
}

func makeRows(n int) *rows {
	return &rows{
		seconds: make([]uint16, n), names: make([]uint32, n), clients: make([]uint32, n),
		received: make([]int64, n), ids: make([]string, n), props: make([]properties, n),
	}
}

// set copies a row of another, but for its sender.
func (r *rows) set(to int, from *rows, row int) {
	r.seconds[to], r.names[to] = from.seconds[row], from.names[row]
	r.received[to], r.ids[to], r.props[to] = from.received[row], from.ids[row], from.props[row]
}

// senderTable collects senders from one list after the other, each once.
type senderTable struct {
	list  []sender
	known map[sender]uint32
	// here is by place in the present list: place in ours + 1.
	here []uint32
}

// place is where the sender at a place of the present list is in ours.
func (t *senderTable) place(present []sender, client uint32) uint32 {
	if t.here == nil {
		t.here = make([]uint32, len(present))
	}
	if t.here[client] == 0 {
		place, ok := t.known[present[client]]
		if !ok {
			if t.known == nil {
				t.known = map[sender]uint32{}
			}
			place = uint32(len(t.list))
			t.known[present[client]] = place
			t.list = append(t.list, present[client])
		}
		t.here[client] = place + 1
	}
	return t.here[client] - 1
}

// nextList says that the present list is through.
func (t *senderTable) nextList() { t.here = nil }
