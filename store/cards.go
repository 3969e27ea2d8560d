package store

import (
	"cmp"
	"encoding/json"
	"slices"

	"svc/internal/boltfile"
	"svc/internal/fault"
)

// Card is a question about events that people keep on their dashboard. Its
// creation time is that of its id.
type Card struct {
	ID          ID              `json:"-"`
	Title       string          `json:"title"`
	Description *string         `json:"description,omitempty"`
	Query       json.RawMessage `json:"query"`            // a JSON object
	Layout      json.RawMessage `json:"layout,omitempty"` // a JSON object
	SortOrder   int64           `json:"sort_order,omitempty"`
	UpdatedAt   int64           `json:"updated_at"`
}

// cards is the bucket of the cards of a project; nil when the project is gone
// or was made before there were cards, and has none.
func (tx *Tx) cards(p ProjectID) *boltfile.Bucket {
	content := tx.content(p)
	if content == nil {
		return nil
	}
	return content.Bucket(cardsBucket)
}

// Card reads one card of a project.
func (tx *Tx) Card(p ProjectID, id ID) (*Card, error) {
	var c *Card
	if b := tx.cards(p); b != nil {
		var err error
		if c, err = get[Card](b, id[:]); err != nil {
			return nil, err
		}
	}
	if c == nil {
		return nil, fault.New(fault.NotFound, "card not found")
	}
	c.ID = id
	return c, nil
}

// Cards lists the cards of a project by their order, those that have the same
// from the oldest to the newest.
func (tx *Tx) Cards(p ProjectID) ([]*Card, error) {
	b := tx.cards(p)
	if b == nil {
		return nil, nil
	}
	var all []*Card
	err := b.ForEach(func(key, raw []byte) error {
		c, err := decode[Card](key, raw)
		if err != nil {
			return err
		}
		c.ID, err = idOf(key)
		all = append(all, c)
		return err
	})
	slices.SortStableFunc(all, func(a, b *Card) int { return cmp.Compare(a.SortOrder, b.SortOrder) })
	return all, err
}

// PutCard stores a card. A new one gets its id here.
func (tx *Tx) PutCard(p ProjectID, c *Card) error {
	content := tx.content(p)
	if content == nil {
		return fault.New(fault.NotFound, "project not found")
	}
	b, err := content.CreateBucketIfNotExists(cardsBucket)
	if err != nil {
		return err
	}
	if c.ID == (ID{}) {
		c.ID = tx.newID()
	}
	c.UpdatedAt = tx.now.Unix()
	return put(b, c.ID[:], c)
}

// DeleteCard removes a card, which must be there.
func (tx *Tx) DeleteCard(p ProjectID, c *Card) error { return tx.cards(p).Delete(c.ID[:]) }
