package store

import (
	"bytes"
	"errors"
	"hash/maphash"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"svc/internal/fault"
	"svc/internal/locale"
	"svc/internal/release"
)

// largeText is the size, in bytes, above which the texts of a record are not held in
// memory. They are read from the file for each response that contains them.
const largeText = 64 << 10

// ErrStale is returned when a snapshot refers to a text that has since changed or been
// deleted. The caller must get the current snapshot and try again.
var ErrStale = errors.New("snapshot is stale")

// Snapshot is a project with its versions and announcements as of the last commit. It is
// immutable and can be read without a transaction. It contains everything that public
// reads need, except large texts.
type Snapshot struct {
	Project  *Project
	Locales  *locale.Set // has the same indexes as Project.Languages
	Catalog  *release.Catalog
	Encoding *Encoding // the encoded responses about the project itself

	policies

	entries       []*VersionEntry      // versions by position in the catalog
	announcements []*AnnouncementEntry // the announcements in list order
	cost          int64                // estimated size in bytes, including all encodings
}

// policies contains the settings of a project that determine how its versions are offered.
type policies struct {
	Distribution *Distribution
	TrustKeys    []TrustKey // the oldest first
}

func readPolicies(tx *Tx, p ProjectID) (all policies, err error) {
	if all.Distribution, err = distributionSettings(p).Get(tx); err != nil {
		return all, err
	}
	all.TrustKeys, err = tx.TrustKeys(p)
	return all, err
}

// Entry is a record in a snapshot, with its encoded responses.
type Entry[R any] struct {
	ID       ID
	Record   *R // without its texts if Large
	Large    bool
	Size     int // size of all texts in bytes, including those that are only in the file
	Encoding *Encoding

	texts uint64 // hash of the texts by textSum; only set if Large
}

// VersionEntry is a version in a snapshot.
type VersionEntry = Entry[Version]

// AnnouncementEntry is an announcement in a snapshot.
type AnnouncementEntry = Entry[Announcement]

// translated is implemented by pointers to records with translations. The texts of such a
// record may be too large for memory.
type translated[R any] interface {
	*R
	// eachText calls visit for each language with the texts that dropTexts removes. tag is the
	// key of the language's tag, see locale.Key, or "" for the default texts.
	eachText(visit func(tag string, title, content *string))
	dropTexts()
	setTexts(from *R)
	// cost estimates the memory that an entry uses, in bytes, when all its responses are
	// encoded.
	cost() int64
}

// Entry returns the entry of the version at the given position in the catalog.
func (s *Snapshot) Entry(at int) *VersionEntry { return s.entries[at] }

func newEntry[R any, T translated[R]](id ID, rec T, languages int) *Entry[R] {
	kept := *rec
	e := &Entry[R]{ID: id, Record: &kept, Size: textSize(rec), Encoding: newEncoding(languages)}
	if e.Size > largeText {
		T(&kept).dropTexts()
		e.Large, e.texts = true, textSum(rec)
	}
	return e
}

func textSize[R any, T translated[R]](rec T) (n int) {
	rec.eachText(func(_ string, title, content *string) { n += length(title) + length(content) })
	return n
}

// sumSeed is the seed of textSum. It is random, so sums are valid only within this
// process.
var sumSeed = maphash.MakeSeed()

// textSum returns a hash of the texts of a record. If the texts in the file have another hash, they
// have changed.
func textSum[R any, T translated[R]](rec T) (sum uint64) {
	rec.eachText(func(tag string, title, content *string) {
		part := struct {
			tag, title, content  string
			hasTitle, hasContent bool
		}{tag: tag}
		if title != nil {
			part.title, part.hasTitle = *title, true
		}
		if content != nil {
			part.content, part.hasContent = *content, true
		}
		sum += maphash.Comparable(sumSeed, part)
	})
	return sum
}

func length(text *string) int {
	if text == nil {
		return 0
	}
	return len(*text)
}

// FullVersion returns the version of an entry, including its texts. If they are large, FullVersion
// reads them from the file. The error is ErrStale if they have changed or been deleted since the
// snapshot was built.
func (s *Store) FullVersion(snap *Snapshot, e *VersionEntry) (*Version, error) {
	return full(s, snap, e, (*Tx).Version)
}

// FullAnnouncement is like FullVersion, but for an announcement.
func (s *Store) FullAnnouncement(snap *Snapshot, e *AnnouncementEntry) (*Announcement, error) {
	return full(s, snap, e, (*Tx).Announcement)
}

func full[R any, T translated[R]](s *Store, snap *Snapshot, e *Entry[R], read func(*Tx, ProjectID, ID) (T, error)) (T, error) {
	if !e.Large {
		return e.Record, nil
	}
	now, err := Read(s, func(tx *Tx) (T, error) { return read(tx, snap.Project.ID, e.ID) })
	if fault.Is(err, fault.NotFound) || err == nil && textSum(now) != e.texts {
		return nil, ErrStale
	}
	if err != nil {
		return nil, err
	}
	whole := *e.Record
	T(&whole).setTexts(now)
	return &whole, nil
}

// newSnapshot builds the snapshot of a project from its entries.
func newSnapshot(
	p *Project, decided policies, entries map[ID]*VersionEntry, announcements map[ID]*AnnouncementEntry,
) *Snapshot {
	s := &Snapshot{
		Project:  p,
		Locales:  p.Locales(),
		Catalog:  catalog(entries, decided.Distribution),
		Encoding: newEncoding(len(p.Languages)),
		policies: decided,
		entries:  make([]*VersionEntry, len(entries)),
		cost:     4096 * int64(2+len(p.Translations)), // the record and its responses
	}
	for at := range s.entries {
		e := entries[s.Catalog.Item(at).ID]
		s.entries[at] = e
		s.cost += e.Record.cost()
	}
	s.announcements = slices.SortedFunc(maps.Values(announcements), byPublication)
	for _, e := range s.announcements {
		s.cost += e.Record.cost()
	}
	return s
}

func catalog(entries map[ID]*VersionEntry, d *Distribution) *release.Catalog {
	items := make([]release.Item, 0, len(entries))
	for _, e := range entries {
		items = append(items, e.Record.item())
	}
	return release.NewCatalog(items, d.Channels)
}

// Snapshot returns the current snapshot of the project with the given key or alias.
func (s *Store) Snapshot(name string) (*Snapshot, error) {
	for {
		slot, ok := s.projects.Load().byName[NormalKey(name)]
		if !ok {
			return nil, errNoProject(name)
		}
		slot.used.Store(s.snapshots.clock.Load() + 1)
		if snap := slot.snap.Load(); snap != nil {
			return snap, nil
		}
		snap, err := s.buildSnapshot(slot)
		if !fault.Is(err, fault.NotFound) {
			return snap, err
		}
		// A commit has just deleted the project. Wait until the commit is visible, because
		// another project may have the name then.
		s.file.Lock()
		s.file.Unlock() //nolint:staticcheck // an empty section waits for the writer
	}
}

// buildSnapshot builds a snapshot from the file. Only one reader at a time builds the
// snapshot of a given project. The snapshot is stored in the cache unless a commit has
// changed the project in the meantime.
func (s *Store) buildSnapshot(slot *slot) (*Snapshot, error) {
	slot.building.Lock()
	defer slot.building.Unlock()
	if snap := slot.snap.Load(); snap != nil {
		return snap, nil
	}
	generation := slot.generation.Load()
	var snap *Snapshot
	err := s.View(func(tx *Tx) error {
		p, err := tx.projectByID(slot.id)
		if err != nil {
			return err
		}
		entries, announcements, err := readEntries(tx, p)
		if err != nil {
			return err
		}
		decided, err := readPolicies(tx, p.ID)
		if err != nil {
			return err
		}
		snap = newSnapshot(p, decided, entries, announcements)
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.snapshots.keep(s.projects.Load(), slot, snap, generation)
	return snap, nil
}

func readEntries(tx *Tx, p *Project) (map[ID]*VersionEntry, map[ID]*AnnouncementEntry, error) {
	entries, announcements := map[ID]*VersionEntry{}, map[ID]*AnnouncementEntry{}
	err := tx.EachVersion(p.ID, func(v *Version) error {
		entries[v.ID] = newEntry(v.ID, v, len(p.Languages))
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	err = tx.EachAnnouncement(p.ID, func(a *Announcement) error {
		announcements[a.ID] = newEntry(a.ID, a, len(p.Languages))
		return nil
	})
	return entries, announcements, err
}

// work is the state of a project's records during a write transaction. The next snapshot
// is built from its entries.
type work struct {
	project *Project
	entries map[ID]*VersionEntry
	sorted  *release.Catalog // nil if entries have changed since it was built
	changed bool

	announcements map[ID]*AnnouncementEntry
	policies
}

// workOn returns the work of the transaction for a project, and creates it on first use. It takes
// the entries from the project's snapshot in memory, which is current because no other transaction
// can commit during a write transaction. If there is no snapshot, workOn reads the entries from the
// file.
func (tx *Tx) workOn(id ProjectID) (*work, error) {
	if w := tx.work[id]; w != nil {
		return w, nil
	}
	p, err := tx.projectByID(id)
	if err != nil {
		return nil, err
	}
	w := &work{project: p}
	if slot := tx.store.projects.Load().byID[id]; slot != nil {
		if snap := slot.snap.Load(); snap != nil {
			w.entries, w.announcements = byID(snap.entries), byID(snap.announcements)
			w.sorted, w.policies = snap.Catalog, snap.policies
		}
	}
	if w.entries == nil {
		if w.entries, w.announcements, err = readEntries(tx, p); err != nil {
			return nil, err
		}
		if w.policies, err = readPolicies(tx, id); err != nil {
			return nil, err
		}
	}
	if tx.work == nil {
		tx.work = map[ProjectID]*work{}
	}
	tx.work[id] = w
	return w, nil
}

func (w *work) catalog() *release.Catalog {
	if w.sorted == nil {
		w.sorted = catalog(w.entries, w.Distribution)
	}
	return w.sorted
}

// find returns a version's position in the catalog and the version's current record. It returns -1
// and nil if there is no such version.
func (w *work) find(id ID) (int, *Version) {
	for at := range w.catalog().Len() {
		if w.catalog().Item(at).ID == id {
			return at, w.entries[id].Record
		}
	}
	return -1, nil
}

func (w *work) put(v *Version) {
	w.entries[v.ID] = newEntry(v.ID, v, len(w.project.Languages))
	w.sorted, w.changed = nil, true
}

func (w *work) putAnnouncement(a *Announcement) {
	w.announcements[a.ID] = newEntry(a.ID, a, len(w.project.Languages))
	w.changed = true
}

func (w *work) remove(id ID) {
	delete(w.entries, id)
	w.sorted, w.changed = nil, true
}

// publishSnapshots replaces the snapshots of all projects that the committed transaction changed.
// If only the record of a project itself changed and the project has no snapshot in memory,
// publishSnapshots does not build one.
func (s *Store) publishSnapshots(tx *Tx) {
	d := s.projects.Load()
	for id, w := range tx.work {
		if slot := d.byID[id]; slot != nil && w.changed && !tx.projectChanged[id] {
			s.snapshots.replace(d, slot, newSnapshot(slot.project.Load(), w.policies, w.entries, w.announcements))
		}
	}
	for id := range tx.projectChanged {
		slot := d.byID[id]
		if slot == nil {
			continue
		}
		var entries map[ID]*VersionEntry
		var announcements map[ID]*AnnouncementEntry
		var decided policies
		if w := tx.work[id]; w != nil {
			entries, announcements, decided = w.entries, w.announcements, w.policies
		} else if snap := slot.snap.Load(); snap != nil {
			entries, announcements, decided = byID(snap.entries), byID(snap.announcements), snap.policies
		}
		var next *Snapshot
		if p := slot.project.Load(); entries != nil { // its languages may have changed
			next = newSnapshot(p, decided, renewed(entries, len(p.Languages)), renewed(announcements, len(p.Languages)))
		}
		s.snapshots.replace(d, slot, next)
	}
}

// renewed returns copies of the entries without their encoded responses, so that each response is
// encoded again. languages is the number of languages of the project.
func renewed[R any](entries map[ID]*Entry[R], languages int) map[ID]*Entry[R] {
	fresh := maps.Clone(entries)
	for id, e := range fresh {
		again := *e
		again.Encoding = newEncoding(languages)
		fresh[id] = &again
	}
	return fresh
}

func byID[R any](entries []*Entry[R]) map[ID]*Entry[R] {
	all := make(map[ID]*Entry[R], len(entries)+1)
	for _, e := range entries {
		all[e.ID] = e
	}
	return all
}

// Versions returns the entries of the versions for which keep returns true, in list
// order. If keep is nil, it returns all of them. The caller must not change the slice.
func (s *Snapshot) Versions(keep func(*VersionEntry) bool) []*VersionEntry {
	return filtered(s.entries, keep)
}

// Announcements is like Versions, but for announcements.
func (s *Snapshot) Announcements(keep func(*AnnouncementEntry) bool) []*AnnouncementEntry {
	return filtered(s.announcements, keep)
}

func filtered[R any](entries []*Entry[R], keep func(*Entry[R]) bool) []*Entry[R] {
	if keep == nil {
		return entries
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e *Entry[R]) bool { return !keep(e) })
}

// slot holds a project and its snapshot. A project keeps its slot until it is deleted.
type slot struct {
	id       ProjectID
	project  atomic.Pointer[Project]
	snap     atomic.Pointer[Snapshot] // nil until a reader requests it, and after it has been evicted
	used     atomic.Int64             // the cache's clock at the last use of snap
	building sync.Mutex               // held by the reader that builds snap

	// generation counts the commits that changed the project. If it changes while a reader
	// builds a snapshot, that snapshot must not be stored.
	generation atomic.Int64
}

func newSlot(p *Project) *slot {
	s := &slot{id: p.ID}
	s.project.Store(p)
	return s
}

// cache limits the memory used by all snapshots. If they exceed the budget, it evicts the least
// recently used one.
type cache struct {
	budget int64
	// clock increases by two whenever a snapshot is stored. A snapshot that is used between
	// two increases records the odd number between them, so that readers do not have to
	// write to the clock.
	clock atomic.Int64

	mu   sync.Mutex
	held int64 // total bytes of the snapshots in all slots
}

// keep stores a snapshot that a reader has built. It does nothing if the project has changed since
// the slot had the given generation.
func (c *cache) keep(d *directory, s *slot, snap *Snapshot, generation int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.generation.Load() == generation && d.byID[s.id] == s {
		c.store(d, s, snap)
	}
}

// replace stores the snapshot that a commit has built, or removes it if snap is nil.
func (c *cache) replace(d *directory, s *slot, snap *Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.generation.Add(1)
	c.store(d, s, snap)
}

// drop removes the snapshot of a deleted project.
func (c *cache) drop(s *slot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.generation.Add(1)
	c.set(s, nil)
}

func (c *cache) store(d *directory, s *slot, snap *Snapshot) {
	s.used.Store(c.clock.Add(2))
	c.set(s, snap)
	for c.held > c.budget {
		var oldest *slot
		for _, other := range d.byID {
			if other != s && other.snap.Load() != nil && (oldest == nil || other.used.Load() < oldest.used.Load()) {
				oldest = other
			}
		}
		if oldest == nil {
			return // only one snapshot is left, which may exceed the budget
		}
		c.set(oldest, nil)
	}
}

func (c *cache) set(s *slot, snap *Snapshot) {
	if old := s.snap.Swap(snap); old != nil {
		c.held -= old.cost
	}
	if snap != nil {
		c.held += snap.cost
	}
}

// Encoding holds the encoded responses for one record. Index 0 is the response with the
// default texts, and index i+1 is the response in language i.
type Encoding struct {
	made []atomic.Pointer[[]byte]
}

func newEncoding(languages int) *Encoding {
	return &Encoding{made: make([]atomic.Pointer[[]byte], languages+1)}
}

// Get returns the response in the language with the given index, or with the default texts if
// language is -1. The first call for a language calls the function make and stores the result. The
// caller must not change the bytes.
func (e *Encoding) Get(language int, make func() ([]byte, error)) ([]byte, error) {
	place := &e.made[language+1]
	if b := place.Load(); b != nil {
		return *b, nil
	}
	b, err := make()
	if err != nil {
		return nil, err
	}
	for i := range e.made { // in a language without a translation, the response equals the one with the default texts
		if same := e.made[i].Load(); same != nil && bytes.Equal(*same, b) {
			place.Store(same)
			return *same, nil
		}
	}
	place.Store(&b)
	return b, nil
}
