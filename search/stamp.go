package search

import (
	"bytes"
	"encoding/json"
	"fmt"

	"svc/internal/fold"
	"svc/store"
)

// format changes with everything that makes an older index wrong: the terms of
// documents and the tables by which text is folded.
const format = "1/" + fold.Version

// newStamp is the stamp of an index of db that has seen a change.
func newStamp(db *store.Store, seq uint64) stamp {
	return stamp{Format: format, Store: db.ID().String(), Seq: seq}
}

// stamp says what an index was made from and how far it has come. It travels
// inside each batch, so that a crash leaves both or neither.
type stamp struct {
	Format string `json:"format"`
	Store  string `json:"store"` // id of the data file
	Seq    uint64 `json:"seq"`   // the last change it has seen
}

func (s stamp) bytes() []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // no value of these types can fail
	}
	return b
}

func parseStamp(raw []byte) (s stamp, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, fmt.Errorf("read stamp %q: %w", raw, err)
	}
	return s, nil
}

// check says why an index with this stamp cannot be caught up with a store;
// nil when it can.
func (s stamp) check(db *store.Store) error {
	if s.Format != format {
		return fmt.Errorf("it has format %s, this program uses %s", s.Format, format)
	}
	if s.Store != db.ID().String() {
		return fmt.Errorf("it belongs to another data file, %s", s.Store)
	}
	return db.View(func(tx *store.Tx) error { return inFeed(tx, s.Seq) })
}

// inFeed says why the feed cannot tell what happened after a change; nil when
// it can.
func inFeed(tx *store.Tx, seq uint64) error {
	oldest, last := tx.FeedRange()
	if seq > last {
		return fmt.Errorf("it has seen change %d, the last one is %d", seq, last)
	}
	if seq+1 < oldest {
		return fmt.Errorf("it has seen change %d, the feed begins with %d", seq, oldest)
	}
	return nil
}
