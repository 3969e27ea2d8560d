package store

import (
	"slices"

	"svc/internal/fault"
	"svc/internal/platform"
	"svc/internal/release"
	"svc/internal/searchtext"
)

// Announcement is something a project tells its users. Its creation time is
// that of its id.
type Announcement struct {
	ID           ID                          `json:"-"`
	Title        string                      `json:"title"`
	Content      string                      `json:"content"`
	Pinned       bool                        `json:"pinned,omitempty"`
	Hidden       bool                        `json:"hidden,omitempty"`
	Platforms    []platform.Platform         `json:"platforms,omitempty"` // empty = all
	Author       *string                     `json:"author,omitempty"`
	Versions     release.Range               `json:"versions"` // of clients it is for
	PublishedAt  int64                       `json:"published_at"`
	UpdatedAt    int64                       `json:"updated_at"`
	Translations map[string]AnnouncementText `json:"translations,omitempty"` // by tag key
}

// AnnouncementText is what of an announcement can be translated; Hidden hides
// it from those who read that language.
type AnnouncementText struct {
	Title   *string `json:"title,omitempty"`
	Content *string `json:"content,omitempty"`
	Hidden  bool    `json:"hidden,omitempty"`
}

func (a *Announcement) identify(id ID) { a.ID = id }

// For reports whether the announcement is meant for a platform.
func (a *Announcement) For(p platform.Platform) bool {
	return len(a.Platforms) == 0 || slices.Contains(a.Platforms, p)
}

// SearchText is what search= looks through.
func (a *Announcement) SearchText() string { return searchtext.Fields(&a.Title, &a.Content, a.Author) }

func (a *Announcement) textSize() int {
	n := len(a.Title) + len(a.Content)
	for _, t := range a.Translations {
		n += length(t.Title) + length(t.Content)
	}
	return n
}

// Announcement reads one announcement of a project.
func (tx *Tx) Announcement(p ProjectID, id ID) (*Announcement, error) {
	return read[Announcement](tx.contentBucket(p, announcementsBucket), id, "announcement")
}

// OwnedAnnouncement reads an announcement and its project by its id alone.
func (tx *Tx) OwnedAnnouncement(id ID) (*Project, *Announcement, error) {
	return owned(tx, id, "announcement", tx.Announcement)
}

// EachAnnouncement visits the announcements of a project, the oldest first. visit
// must not write.
func (tx *Tx) EachAnnouncement(p ProjectID, visit func(*Announcement) error) error {
	return eachRecord(tx.content(p).Bucket(announcementsBucket), visit)
}

// PutAnnouncement stores a. A new one gets its id here.
func (tx *Tx) PutAnnouncement(p ProjectID, a *Announcement) error {
	w, err := tx.workOn(p)
	if err != nil {
		return err
	}
	before := w.announcements[a.ID]
	if before == nil {
		a.ID = tx.newID()
		if err := tx.bolt.Bucket(ownersBucket).Put(a.ID[:], p.key()); err != nil {
			return err
		}
		tx.count(p, countAnnouncements, 1)
	}
	tx.count(p, countPinned, pinned(a)-pinnedEntry(before))
	a.UpdatedAt = tx.now.Unix()
	stored, err := write(tx, announcementsBucket, Change{Kind: KindAnnouncement, Project: p, ID: a.ID}, a)
	if err != nil {
		return err
	}
	w.putAnnouncement(stored)
	return nil
}

func pinned(a *Announcement) int64 {
	if a.Pinned {
		return 1
	}
	return 0
}

func pinnedEntry(e *AnnouncementEntry) int64 {
	if e == nil {
		return 0
	}
	return pinned(e.Announcement)
}

// DeleteAnnouncement removes an announcement.
func (tx *Tx) DeleteAnnouncement(p ProjectID, a *Announcement) error {
	w, err := tx.workOn(p)
	if err != nil {
		return err
	}
	tx.count(p, countAnnouncements, -1)
	tx.count(p, countPinned, -pinned(a))
	delete(w.announcements, a.ID)
	w.changed = true
	return tx.erase(announcementsBucket, Change{Kind: KindAnnouncement, Project: p, ID: a.ID})
}

// AnnouncementEntry is an announcement in a snapshot.
type AnnouncementEntry struct {
	Announcement *Announcement // without Content and Translations' texts when Large
	Large        bool
	Encoding     *Encoding

	texts uint64 // of a large one: textSum of the texts that stayed in the file
}

func newAnnouncementEntry(a *Announcement, languages int) *AnnouncementEntry {
	kept := *a
	e := &AnnouncementEntry{Announcement: &kept, Encoding: newEncoding(languages)}
	if a.textSize() > largeText {
		kept.Content = ""
		kept.Translations = make(map[string]AnnouncementText, len(a.Translations))
		for key, t := range a.Translations {
			kept.Translations[key] = AnnouncementText{Hidden: t.Hidden}
		}
		e.Large, e.texts = true, a.textSum()
	}
	return e
}

// textSum tells the texts that stay in the file from other ones.
func (a *Announcement) textSum() uint64 {
	sum := partSum("", nil, &a.Content) // no tag key is empty
	for tag, t := range a.Translations {
		sum += partSum(tag, t.Title, t.Content)
	}
	return sum
}

func (e *AnnouncementEntry) cost() int64 {
	const fields = 1024
	return int64(fields + 2*e.Announcement.textSize()*(1+len(e.Announcement.Translations)))
}

// FullAnnouncement is the announcement of an entry with its texts. For a large
// one it reads the file; when its texts are other ones by now, or gone, the
// error is ErrStale.
func (s *Store) FullAnnouncement(snap *Snapshot, e *AnnouncementEntry) (*Announcement, error) {
	if !e.Large {
		return e.Announcement, nil
	}
	full := *e.Announcement
	err := s.View(func(tx *Tx) error {
		a, err := tx.Announcement(snap.Project.ID, full.ID)
		if fault.Is(err, fault.NotFound) {
			return ErrStale
		}
		if err != nil {
			return err
		}
		if a.textSum() != e.texts {
			return ErrStale
		}
		full.Content, full.Translations = a.Content, a.Translations
		return nil
	})
	return &full, err
}

// byPublication orders announcements for lists: pinned first, then newest
// published, then newest created.
func byPublication(a, b *AnnouncementEntry) int {
	x, y := a.Announcement, b.Announcement
	switch {
	case x.Pinned != y.Pinned:
		return int(pinned(y) - pinned(x))
	case x.PublishedAt != y.PublishedAt:
		if x.PublishedAt > y.PublishedAt {
			return -1
		}
		return 1
	}
	return slices.Compare(y.ID[:], x.ID[:])
}

// Announcements lists the announcements of a snapshot that keep says yes to,
// in list order; all when keep is nil.
func (s *Snapshot) Announcements(keep func(*AnnouncementEntry) bool) []*AnnouncementEntry {
	if keep == nil {
		return s.announcements
	}
	return slices.DeleteFunc(slices.Clone(s.announcements), func(e *AnnouncementEntry) bool { return !keep(e) })
}
