package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"

	"svc/internal/fault"
)

// Kind is the kind of a searchable thing, such as a version or a block of logs.
type Kind uint8

// The kinds of searchable things. Feedback and logs are indexed in blocks of many
// records, so their changes refer to a block.
const (
	KindProject Kind = iota + 1
	KindVersion
	KindAnnouncement
	KindFeedback
	KindLog
)

// Change records that a searchable thing has changed, but not how. A reader of the feed
// reads the thing from the store; if the thing no longer exists, it has been deleted. The
// order of changes and repeated changes therefore do not matter.
type Change struct {
	Seq     uint64
	Kind    Kind
	Project ProjectID
	ID      ID     // for a version or an announcement
	Block   uint32 // for feedback or logs
}

// Ref returns a reference that identifies the changed thing within the store. It is the
// same for all changes of the thing. It consists of the kind, the project, and the id or
// block, so that byte order groups references by kind and project.
func (c Change) Ref() string { return string(c.ref()) }

func (c Change) ref() []byte {
	b := append(make([]byte, 0, 21), byte(c.Kind))
	b = append(b, c.Project.key()...)
	switch c.Kind {
	case KindVersion, KindAnnouncement:
		b = append(b, c.ID[:]...)
	case KindFeedback, KindLog:
		b = binary.BigEndian.AppendUint32(b, c.Block)
	}
	return b
}

// ParseRef parses the result of Change.Ref. The sequence number is not part of a reference, so
// it is 0 in the returned Change.
func ParseRef(ref string) (c Change, err error) {
	if len(ref) < 5 {
		return c, fmt.Errorf("reference %x is too short", ref)
	}
	c.Kind, c.Project = Kind(ref[0]), ProjectID(binary.BigEndian.Uint32([]byte(ref[1:5])))
	rest := []byte(ref[5:])
	switch {
	case c.Kind == KindProject && len(rest) == 0:
	case (c.Kind == KindVersion || c.Kind == KindAnnouncement) && len(rest) == len(c.ID):
		copy(c.ID[:], rest)
	case (c.Kind == KindFeedback || c.Kind == KindLog) && len(rest) == 4:
		c.Block = binary.BigEndian.Uint32(rest)
	default:
		return c, fmt.Errorf("reference %x has no known form", ref)
	}
	return c, nil
}

func seqKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// record appends a change to the feed in the current transaction. The changes of an
// import are recorded only when its project becomes visible.
func (tx *Tx) record(c Change) error {
	if tx.hidden != 0 {
		return nil
	}
	feed := tx.bolt.Bucket(feedBucket)
	seq, err := feed.NextSequence()
	if err != nil {
		return err
	}
	tx.lastChange = seq
	feed.FillPercent = 0.9
	return feed.Put(seqKey(seq), c.ref())
}

// Changes returns the changes after a sequence number, in ascending order and up to the given
// limit.
func (tx *Tx) Changes(after uint64, limit int) ([]Change, error) {
	var changes []Change
	cursor := tx.bolt.Bucket(feedBucket).Cursor()
	for key, ref := cursor.Seek(seqKey(after + 1)); key != nil && len(changes) < limit; key, ref = cursor.Next() {
		c, err := ParseRef(string(ref))
		if err != nil {
			return nil, fmt.Errorf("change %x: %w", key, err)
		}
		if c.Seq, err = numberOf(key, 8); err != nil {
			return nil, fmt.Errorf("change %x: %w", key, err)
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// FeedRange returns the sequence numbers of the oldest change that is still stored and of
// the last change ever recorded. If the feed is empty or damaged, oldest is last+1.
func (tx *Tx) FeedRange() (oldest, last uint64) {
	feed := tx.bolt.Bucket(feedBucket)
	last = feed.Sequence()
	key, _ := feed.Cursor().First()
	if oldest, err := numberOf(key, 8); err == nil {
		return oldest, last
	}
	return last + 1, last
}

// TrimFeed deletes the changes up to and including a sequence number, in transactions of
// bounded size. All readers must have read these changes.
func (s *Store) TrimFeed(upTo uint64) error {
	const step = 1000
	for done := false; !done; {
		err := s.Update(func(tx *Tx) error {
			n, err := deleteNumbers(tx.bolt.Bucket(feedBucket), step, 8, func(seq uint64) bool { return seq <= upTo })
			done = n < step
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Find limits a list to the records that contain all of the given terms. Candidates tells
// the list which records it has to read.
type Find struct {
	Terms      []string // folded; not empty
	Candidates Candidates
}

// Candidates is the set of things that may contain the terms according to an index.
// Things that changed after the change Seen may contain them too. The caller must verify
// each candidate.
type Candidates struct {
	All  bool            // the index knows nothing, so everything may match
	Refs map[string]bool // the Change.Ref of each thing that may match
	Seen uint64          // sequence number of the last change that the index has read
}

// Contain reports whether the record with the Change.Ref ref may match the search, as far as the
// index knows.
func (n Candidates) Contain(ref string) bool { return n.All || n.Refs[ref] }

// WithChanges returns n, extended by all things that have changed since the index last
// read the feed. If the feed no longer contains all of these changes, or there are too
// many of them, everything in the store is a candidate.
func (tx *Tx) WithChanges(n Candidates) (Candidates, error) {
	const many = 20_000 // with more changes, searching everything is cheaper
	oldest, last := tx.FeedRange()
	switch {
	case n.All || n.Seen == last:
		return n, nil
	case n.Seen > last || n.Seen+1 < oldest:
		return Candidates{All: true}, nil
	}
	changes, err := tx.Changes(n.Seen, many)
	if err != nil {
		return n, err
	}
	if len(changes) == many {
		return Candidates{All: true}, nil
	}
	refs := make(map[string]bool, len(n.Refs)+len(changes))
	maps.Copy(refs, n.Refs)
	for _, c := range changes {
		refs[c.Ref()] = true
	}
	return Candidates{Refs: refs, Seen: n.Seen}, nil
}

// blocks returns the numbers of the blocks of one kind and one project that may match.
func (n Candidates) blocks(kind Kind, p ProjectID) (blocks []uint32) {
	for ref := range n.Refs {
		if c, err := ParseRef(ref); err == nil && c.Kind == kind && c.Project == p {
			blocks = append(blocks, c.Block)
		}
	}
	return blocks
}

// LastChange returns the sequence number of the last committed change.
func (s *Store) LastChange() uint64 { return s.lastChange.Load() }

// ChangedText returns the total size, in bytes, of the texts of all blocks written since
// the file was opened. A block that is written repeatedly counts each time. The
// difference between two calls is an upper bound for the text of the blocks that changed
// in between.
func (s *Store) ChangedText() int64 { return s.changedText.Load() }

// Changed returns a channel that is closed at the next commit that records a change.
func (s *Store) Changed() <-chan struct{} {
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.changed
}

// announceChanges stores last as the sequence number of the last change, and wakes the
// readers of the feed.
func (s *Store) announceChanges(last uint64) {
	s.lastChange.Store(last)
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// SearchText returns the folded text of the thing that c refers to. ok is false if the
// thing has been deleted. The text of a block consists of the texts of all its records.
func (tx *Tx) SearchText(c Change) (text string, ok bool, err error) {
	p, err := tx.projectByID(c.Project)
	if fault.Is(err, fault.NotFound) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	switch c.Kind {
	case KindProject:
		return p.SearchText(), true, nil
	case KindVersion:
		v, err := tx.Version(c.Project, c.ID)
		if err != nil {
			return "", false, orGone(err)
		}
		return v.SearchText(), true, nil
	case KindAnnouncement:
		a, err := tx.Announcement(c.Project, c.ID)
		if err != nil {
			return "", false, orGone(err)
		}
		return a.SearchText(), true, nil
	case KindFeedback:
		return feedbackSeries.of(tx, c.Project).Text(c.Block)
	case KindLog:
		return logSeries.of(tx, c.Project).Text(c.Block)
	}
	return "", false, nil
}

// orGone returns nil if err is NotFound, which means that the record has been deleted. It returns
// any other error unchanged.
func orGone(err error) error {
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// Searchable returns up to limit searchable things that follow the given Ref in the order
// of Change.Ref. An index that is being rebuilt reads the things page by page, each page
// in its own transaction. After the last page, the result is empty.
func (tx *Tx) Searchable(after string, limit int) ([]Change, error) {
	var list []Change
	for kind := KindProject; kind <= KindLog; kind++ {
		err := tx.eachProject(func(p ProjectID) error {
			if list = searchableOf(tx, list, Change{Kind: kind, Project: p}, after, limit); len(list) >= limit {
				return errEnough
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// searchableOf appends searchable things to list until it has limit elements. The things
// have the kind and the project of the parameter of, and Refs that are greater than
// after.
func searchableOf(tx *Tx, list []Change, of Change, after string, limit int) []Change {
	content := tx.content(of.Project)
	var bucket []byte
	switch of.Kind {
	case KindProject:
		if of.Ref() > after {
			list = append(list, of)
		}
		return list
	case KindVersion:
		bucket = versionsBucket
	case KindAnnouncement:
		bucket = announcementsBucket
	case KindFeedback:
		bucket = feedbackSeries.Texts
	case KindLog:
		bucket = logSeries.Texts
	}
	prefix := append([]byte{byte(of.Kind)}, of.Project.key()...)
	cursor := content.Bucket(bucket).Cursor()
	key, _ := cursor.First()
	if bytes.HasPrefix([]byte(after), prefix) {
		if key, _ = cursor.Seek([]byte(after)[len(prefix):]); key != nil && string(prefix)+string(key) == after {
			key, _ = cursor.Next()
		}
	} else if string(prefix) < after {
		return list
	}
	for ; key != nil && len(list) < limit; key, _ = cursor.Next() {
		c, err := ParseRef(string(prefix) + string(key))
		if err == nil {
			list = append(list, c)
		}
	}
	return list
}
