package store

import (
	"encoding/binary"
	"fmt"

	"svc/internal/boltfile"
)

// EachFeedback visits the feedback of a project, the oldest first. visit must not
// write.
func (tx *Tx) EachFeedback(p ProjectID, visit func(*Feedback) error) error {
	return feedbackSeries.each(tx.content(p), visit)
}

// EachLog visits the logs of a project, the oldest first. visit must not write.
func (tx *Tx) EachLog(p ProjectID, visit func(*Log) error) error {
	return logSeries.each(tx.content(p), visit)
}

func (s series[R, T]) each(content *boltfile.Bucket, visit func(T) error) error {
	if content == nil {
		return nil
	}
	return content.Bucket(s.records).ForEach(func(key, raw []byte) error {
		rec, _, err := s.decode(raw)
		if err != nil {
			return fmt.Errorf("%w: %s %d: %w", ErrDamaged, s.what, binary.BigEndian.Uint64(key), err)
		}
		return visit(rec)
	})
}
