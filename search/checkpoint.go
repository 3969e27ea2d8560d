package search

import (
	"bytes"
	"encoding/json"
	"fmt"

	"svc/internal/searchtext"
	"svc/store"
)

// format identifies the format of an index. It must change whenever existing indexes
// become wrong, because the terms of documents or the tables for folding text have
// changed.
const format = "1/" + searchtext.Version

// newCheckpoint returns the checkpoint of an index of db that has processed all changes
// up to the sequence number seq.
func newCheckpoint(db *store.Store, seq uint64) checkpoint {
	return checkpoint{Format: format, Store: db.ID().String(), Seq: seq}
}

// checkpoint records which store an index was built from, and the last change that the
// index has processed. Each batch stores its checkpoint in the same commit as its
// documents, so that a crash leaves either both or neither.
type checkpoint struct {
	Format string `json:"format"`
	Store  string `json:"store"` // id of the store's data file
	Seq    uint64 `json:"seq"`   // sequence number of the last processed change
}

func (s checkpoint) bytes() []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // values of these types can always be encoded
	}
	return b
}

func parseCheckpoint(raw []byte) (s checkpoint, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, fmt.Errorf("read checkpoint %q: %w", raw, err)
	}
	return s, nil
}

// check returns the reason why an index with this checkpoint cannot catch up with a
// store, or nil if it can.
func (s checkpoint) check(db *store.Store) error {
	if s.Format != format {
		return fmt.Errorf("it has format %s, this program uses %s", s.Format, format)
	}
	if s.Store != db.ID().String() {
		return fmt.Errorf("it belongs to another data file, %s", s.Store)
	}
	return db.View(func(tx *store.Tx) error { return inFeed(tx, s.Seq) })
}

// inFeed returns an error if the change feed does not contain all changes after the
// sequence number seq, or if the feed ends before seq.
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
