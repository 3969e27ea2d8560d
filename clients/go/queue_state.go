package svcsdk

import (
	"crypto/rand"
	"fmt"
	"sync"
	"time"
)

// queueState holds the waiting events of one project, the user identifier for new events, and
// whether the user has opted out. It reads this state from the backing once. When it writes changes
// to the backing, it merges them with the changes of other processes.
type queueState struct {
	opts      *AnalyticsOptions
	project   string
	namespace string
	backing   backing // nil if everything stays in memory
	loading   sync.Once
	writing   sync.Mutex // held while state is written

	mu       sync.Mutex // guards the fields below and those of sending; never held during I/O
	loaded   bool
	entries  []*entry
	id       string
	optedOut bool
	session  string
	last     time.Duration  // clock time of the last tracked event
	feedback []sentFeedback // kept in memory only

	// These fields hold the changes that the next write contains.
	dirty, urgent, clear, writeID, writeOut bool
	removed                                 recent // ids of entries that were delivered or dropped
	erased                                  map[string]bool
	lastWrite                               time.Time
	unwritable                              bool
}

func newQueueState(o *AnalyticsOptions, namespace, project string) *queueState {
	s := &queueState{
		opts: o, project: project, namespace: namespace,
		erased:  map[string]bool{},
		removed: recent{most: max(2000, 4*o.MaxQueueSize)},
	}
	if o.Persistence != PersistNone {
		p := s.prefix()
		s.backing = newBacking(o, namespace, "", p+idSuffix, p+queueSuffix, p+optOutSuffix, p+feedbackSuffix)
	}
	return s
}

// prefix returns the prefix of all keys that this state uses in the backing.
func (s *queueState) prefix() string { return "svc.analytics." + s.namespace + "." }

// ready reads the state from the backing on the first call.
func (s *queueState) ready() {
	s.loading.Do(func() {
		var texts map[string]string
		if s.backing != nil {
			texts = s.backing.load()
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.loaded = true
		s.optedOut = texts[s.prefix()+optOutSuffix] == "1"
		if s.opts.Persistence != PersistDevice || s.optedOut {
			return
		}
		if id := texts[s.prefix()+idSuffix]; validIdentifier(id) {
			s.id = id
		}
		for _, e := range parseQueue(texts[s.prefix()+queueSuffix]) {
			// Several projects may share a namespace. Each one sends only its own events.
			if e.project == "" || sameProject(e.project, s.project) {
				s.add(e)
			}
		}
		if over := len(s.entries) - s.opts.MaxQueueSize; over > 0 {
			s.dropOldest(over)
		}
	})
}

// dropOldest drops the n oldest entries. The caller must hold mu.
func (s *queueState) dropOldest(n int) {
	ids := make([]string, n)
	for i, e := range s.entries[:n] {
		ids[i] = e.id
	}
	s.take(ids...)
	s.touch()
}

// used reports whether the state has been read, which happens when the queue is first used.
func (s *queueState) used() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loaded
}

// add appends an entry. The caller must hold mu.
func (s *queueState) add(e *entry) {
	e.due = time.Now().Add(s.opts.FlushInterval)
	s.entries = append(s.entries, e)
}

// makeIdentifier creates an identifier if there is none. The caller must hold mu.
func (s *queueState) makeIdentifier() {
	if s.id == "" {
		s.id = newUUID()
		s.writeID, s.urgent = true, true
	}
}

// take permanently removes the entries with the given ids. The caller must hold mu.
func (s *queueState) take(ids ...string) {
	gone := make(map[string]bool, len(ids))
	for _, id := range ids {
		gone[id] = true
		s.removed.add(id)
	}
	s.keep(func(e *entry) bool { return !gone[e.id] })
}

// keep removes the entries for which kept returns false. The caller must hold mu. Usually, only the
// oldest entries are removed, and the others need not be moved.
func (s *queueState) keep(kept func(*entry) bool) {
	for len(s.entries) > 0 && !kept(s.entries[0]) {
		s.entries[0] = nil
		s.entries = s.entries[1:]
	}
	n := 0
	for _, e := range s.entries {
		if kept(e) {
			s.entries[n] = e
			n++
		}
	}
	clear(s.entries[n:])
	s.entries = s.entries[:n]
}

// touch records that the state must be written. It reports whether the queue must be woken for this
// write, because the write is urgent or no write was needed before. The caller must hold mu.
func (s *queueState) touch() bool {
	news := !s.dirty || s.urgent
	s.dirty = true
	return news
}

// reset removes the identifier, the session, all entries and all feedback. The caller must hold mu.
// The stored data must be deleted as well, so the next write is attempted even after a failed one.
func (s *queueState) reset() {
	s.entries, s.feedback = nil, nil
	s.unwritable = false
	s.id, s.session = "", ""
	s.clear, s.writeID = true, true
	s.touch()
}

// saveDue returns the time of the next write. It returns false if there is nothing to write. The
// caller must hold mu.
func (s *queueState) saveDue() (time.Time, bool) {
	const pause = time.Second
	if !s.dirty || s.backing == nil || s.unwritable {
		return time.Time{}, false
	}
	if s.urgent {
		return time.Time{}, true
	}
	return s.lastWrite.Add(pause), true
}

// merging is held while state is read, merged and replaced. Clients of one process may share a
// file, and must not overwrite each other's changes.
var merging sync.Mutex

// write writes changes to the backing. It reports whether another process has opted out, and
// whether the backing has failed. After a failure, the state stays in memory.
func (s *queueState) write() (optedOut, failed bool) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	if !s.dirty || s.backing == nil || s.unwritable {
		s.mu.Unlock()
		return false, false
	}
	persistent := s.opts.Persistence == PersistDevice
	change := stateChange{
		prefix: s.prefix(), events: persistent, limit: s.opts.MaxQueueSize, clear: s.clear,
		id: s.id, writeID: s.writeID, optedOut: s.optedOut, writeOut: s.writeOut,
		entries: append([]*entry(nil), s.entries...),
	}
	gone, erased := s.removed.set(), make(map[string]bool, len(s.erased))
	for id := range s.erased {
		erased[id] = true
	}
	change.removed = func(e *entry) bool { return gone[e.id] || erased[e.distinctID] }
	s.dirty, s.urgent, s.clear, s.writeID, s.writeOut = false, false, false, false, false
	s.lastWrite = time.Now()
	s.mu.Unlock()

	merging.Lock()
	old := s.backing.load()
	next, out := change.apply(old)
	var err error
	if !equalTexts(old, next) {
		err = s.backing.store(old, next)
	}
	merging.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unwritable = err != nil
	return out, err != nil
}

func equalTexts(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for key, value := range a {
		if other, ok := b[key]; !ok || other != value {
			return false
		}
	}
	return true
}

// recent is a bounded set that holds the most recently added ids.
type recent struct {
	most int
	ids  []string
}

func (r *recent) add(id string) {
	r.ids = append(r.ids, id)
	if len(r.ids) > 2*r.most {
		r.ids = append([]string(nil), r.ids[r.most:]...)
	}
}

func (r *recent) set() map[string]bool {
	set := make(map[string]bool, len(r.ids))
	for _, id := range r.ids {
		set[id] = true
	}
	return set
}

// newUUID returns a random UUID.
func newUUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
