package store

import (
	"bytes"
	"cmp"
	"slices"

	"svc/internal/platform"
	"svc/internal/release"
	"svc/internal/searchtext"
)

// Announcement is a message of a project to its users. Its id contains its creation time.
type Announcement struct {
	ID           ID                          `json:"-"`
	Title        string                      `json:"title"`
	Content      string                      `json:"content"`
	Pinned       bool                        `json:"pinned,omitempty"`
	Hidden       bool                        `json:"hidden,omitempty"`
	Draft        bool                        `json:"draft,omitempty"`     // has been hidden since it was created
	Platforms    []platform.Platform         `json:"platforms,omitempty"` // empty = for all platforms
	Author       *string                     `json:"author,omitempty"`
	Versions     release.Range               `json:"versions"` // the client versions it is meant for
	PublishedAt  int64                       `json:"published_at"`
	ExpiresAt    *int64                      `json:"expires_at,omitempty"` // later than PublishedAt; nil = never
	UpdatedAt    int64                       `json:"updated_at"`
	Translations map[string]AnnouncementText `json:"translations,omitempty"` // translated texts by locale.Key of their language's tag
}

// AnnouncementText is the translatable part of an announcement. Hidden hides the
// announcement from readers of the language.
type AnnouncementText struct {
	Title   *string `json:"title,omitempty"`
	Content *string `json:"content,omitempty"`
	Hidden  bool    `json:"hidden,omitempty"`
}

func (a *Announcement) identify(id ID) { a.ID = id }

// For reports whether the announcement is meant for the given platform.
func (a *Announcement) For(p platform.Platform) bool {
	return len(a.Platforms) == 0 || slices.Contains(a.Platforms, p)
}

// Expired reports whether the announcement has expired at a time in Unix seconds.
func (a *Announcement) Expired(now int64) bool { return a.ExpiresAt != nil && *a.ExpiresAt <= now }

// SearchText returns the folded text that the query parameter search= is matched against.
func (a *Announcement) SearchText() string { return searchtext.Fields(&a.Title, &a.Content, a.Author) }

func (a *Announcement) eachText(visit func(tag string, title, content *string)) {
	visit("", nil, &a.Content)
	for tag, t := range a.Translations {
		visit(tag, t.Title, t.Content)
	}
}

// dropTexts removes the content and the translated texts from memory. They remain in the
// data file. Of each translation, dropTexts keeps only the Hidden flag.
func (a *Announcement) dropTexts() {
	all := a.Translations
	a.Content, a.Translations = "", make(map[string]AnnouncementText, len(all))
	for key, t := range all {
		a.Translations[key] = AnnouncementText{Hidden: t.Hidden}
	}
}

func (a *Announcement) setTexts(from *Announcement) {
	a.Content, a.Translations = from.Content, from.Translations
}

func (a *Announcement) cost() int64 {
	const fields = 1024
	return int64(fields + 2*textSize(a)*(1+len(a.Translations)))
}

// Announcement reads one announcement of a project.
func (tx *Tx) Announcement(p ProjectID, id ID) (*Announcement, error) {
	return read[Announcement](tx.contentBucket(p, announcementsBucket), id, "announcement")
}

// OwnedAnnouncement reads an announcement and the project that owns it, given only the id
// of the announcement.
func (tx *Tx) OwnedAnnouncement(id ID) (*Project, *Announcement, error) {
	return owned(tx, id, "announcement", tx.Announcement)
}

// EachAnnouncement visits the announcements of a project, the oldest first. visit
// must not write.
func (tx *Tx) EachAnnouncement(p ProjectID, visit func(*Announcement) error) error {
	return eachRecord(tx.content(p).Bucket(announcementsBucket), visit)
}

// PutAnnouncement stores a new or changed announcement. It gives a new one its id.
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
	isNew := before == nil || a.Draft
	a.Draft = isNew && a.Hidden
	a.UpdatedAt = tx.now.Unix()
	stored, err := write(tx, announcementsBucket, Change{Kind: KindAnnouncement, Project: p, ID: a.ID}, a)
	if err != nil {
		return err
	}
	w.putAnnouncement(stored)
	if isNew && !a.Hidden {
		return tx.notifyAnnouncement(p, a)
	}
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
	return pinned(e.Record)
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

// byPublication compares announcements for the order of lists: pinned ones first, then
// the most recently published, then the most recently created.
func byPublication(a, b *AnnouncementEntry) int {
	x, y := a.Record, b.Record
	return cmp.Or(cmp.Compare(pinned(y), pinned(x)), cmp.Compare(y.PublishedAt, x.PublishedAt), bytes.Compare(y.ID[:], x.ID[:]))
}
