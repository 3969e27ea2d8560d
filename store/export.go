package store

import (
	"encoding/binary"
	"fmt"

	"svc/internal/boltfile"
)

// EachVersion visits the versions of a project, the oldest first. visit must not
// write.
func (tx *Tx) EachVersion(p ProjectID, visit func(*Version) error) error {
	return tx.eachVersion(p, visit)
}

// EachAnnouncement visits the announcements of a project, the oldest first. visit
// must not write.
func (tx *Tx) EachAnnouncement(p ProjectID, visit func(*Announcement) error) error {
	return tx.eachAnnouncement(p, visit)
}

// EachCard visits the cards of a project, the oldest first. visit must not write.
func (tx *Tx) EachCard(p ProjectID, visit func(*Card) error) error {
	b := tx.cards(p)
	if b == nil {
		return nil
	}
	return b.ForEach(func(key, raw []byte) error {
		c, err := decode[Card](key, raw)
		if err != nil {
			return err
		}
		if c.ID, err = idOf(key); err != nil {
			return err
		}
		return visit(c)
	})
}

// EachFeedback visits the feedback of a project, the oldest first. visit must not
// write.
func (tx *Tx) EachFeedback(p ProjectID, visit func(*Feedback) error) error {
	return eachRecord(tx.content(p), feedbackSeries, func(f *Feedback, id ID) error {
		f.ID = id
		return visit(f)
	})
}

// EachLog visits the logs of a project, the oldest first. visit must not write.
func (tx *Tx) EachLog(p ProjectID, visit func(*Log) error) error {
	return eachRecord(tx.content(p), logSeries, func(l *Log, id ID) error {
		l.ID = id
		return visit(l)
	})
}

func eachRecord[R any, T interface {
	*R
	submission
}](content *boltfile.Bucket, s series[T], visit func(rec *R, id ID) error) error {
	if content == nil {
		return nil
	}
	return content.Bucket(s.records).ForEach(func(key, raw []byte) error {
		rec, id, err := decodeRecord[R](raw)
		if err != nil {
			return fmt.Errorf("%w: %s %d: %w", ErrDamaged, s.what, binary.BigEndian.Uint64(key), err)
		}
		return visit(rec, id)
	})
}
