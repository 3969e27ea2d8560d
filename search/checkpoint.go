package search

import (
	"bytes"
	"encoding/json"
	"fmt"

	"svc/internal/searchtext"
	"svc/store"
)

// format identifies the format of an index. It must change whenever the terms of
// documents or the tables for folding text change so that existing indexes become wrong.
const format = "1/" + searchtext.Version

// newCheckpoint returns the checkpoint of an index of db that has processed changes up to
// seq.
func newCheckpoint(db *store.Store, seq uint64) checkpoint {
	return checkpoint{Format: format, Store: db.ID().String(), Seq: seq}
}

// checkpoint records what an index was built from and the last change it has processed.
// Every batch stores a checkpoint in the same commit, so that a crash leaves both or
// neither.
type checkpoint struct {
	Format string `json:"format"`
	Store  string `json:"store"` // id of the data file
	Seq    uint64 `json:"seq"`   // the last processed change
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

// inFeed returns an error if seq is after the last change of the feed, or if the feed
// lacks a change after seq.
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
