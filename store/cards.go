package store

import (
	"cmp"
	"encoding/json"
	"slices"
)

// Card is a saved event query on the dashboard of a project. Its id contains its creation
// time.
type Card struct {
	ID          ID              `json:"-"`
	Title       string          `json:"title"`
	Description *string         `json:"description,omitempty"`
	Query       json.RawMessage `json:"query"`            // a JSON object
	Layout      json.RawMessage `json:"layout,omitempty"` // a JSON object
	SortOrder   int64           `json:"sort_order,omitempty"`
	UpdatedAt   int64           `json:"updated_at"`
}

func (c *Card) identify(id ID) { c.ID = id }

// Card reads one card of a project.
func (tx *Tx) Card(p ProjectID, id ID) (*Card, error) {
	return read[Card](tx.contentBucket(p, cardsBucket), id, "card")
}

// EachCard visits the cards of a project, the oldest first. visit must not write.
func (tx *Tx) EachCard(p ProjectID, visit func(*Card) error) error {
	b := tx.contentBucket(p, cardsBucket)
	if b == nil {
		return nil
	}
	return eachRecord(b, visit)
}

// Cards returns the cards of a project, sorted by SortOrder. Cards with the same
// SortOrder are sorted from the oldest to the newest.
func (tx *Tx) Cards(p ProjectID) (all []*Card, err error) {
	err = tx.EachCard(p, func(c *Card) error {
		all = append(all, c)
		return nil
	})
	slices.SortStableFunc(all, func(a, b *Card) int { return cmp.Compare(a.SortOrder, b.SortOrder) })
	return all, err
}

// PutCard stores a card. It gives a new card its id.
func (tx *Tx) PutCard(p ProjectID, c *Card) error {
	content := tx.content(p)
	if content == nil {
		return notFound("project")
	}
	if c.ID == (ID{}) {
		c.ID = tx.newID()
	}
	c.UpdatedAt = tx.now.Unix()
	return put(content.Bucket(cardsBucket), c.ID[:], c)
}

// DeleteCard removes a card, which must exist.
func (tx *Tx) DeleteCard(p ProjectID, c *Card) error {
	return tx.contentBucket(p, cardsBucket).Delete(c.ID[:])
}
