package store

import (
	"bytes"
	"encoding/binary"

	"svc/internal/fault"
)

// SearchText is the folded text of what a change is about; ok is false when it
// is gone. The text of a block is that of all its records.
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
		return blockText(tx, feedbackSeries, c)
	case KindLog:
		return blockText(tx, logSeries, c)
	}
	return "", false, nil
}

// orGone is nil for a record that is not there.
func orGone(err error) error {
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

func blockText[T submission](tx *Tx, s series[T], c Change) (string, bool, error) {
	content := tx.content(c.Project)
	texts := content.Bucket(s.texts).Get(blockKey(c.Block))
	if texts == nil {
		return "", false, nil
	}
	return string(columns{content.Bucket(s.words).Get(blockKey(c.Block)), texts}.body()), true, nil
}

// Searchable lists everything that can be searched, in the order of Change.Ref
// after the given one, at most limit entries; an index that begins anew reads
// it page by page, each page in a transaction of its own. The list is empty at
// the end.
func (tx *Tx) Searchable(after string, limit int) ([]Change, error) {
	var list []Change
	for kind := KindProject; kind <= KindLog; kind++ {
		projects := tx.bolt.Bucket(projectsBucket).Cursor()
		for key, _ := projects.First(); key != nil; key, _ = projects.Next() {
			of := Change{Kind: kind, Project: ProjectID(binary.BigEndian.Uint32(key))}
			list = tx.searchableOf(list, of, after, limit)
			if len(list) >= limit {
				return list, nil
			}
		}
	}
	return list, nil
}

// searchableOf appends what of one kind belongs to one project.
func (tx *Tx) searchableOf(list []Change, of Change, after string, limit int) []Change {
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
		bucket = feedbackSeries.texts
	case KindLog:
		bucket = logSeries.texts
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
