package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"time"
)

// Webhook is how the code host proves that it is the one that tells a project of
// releases. An empty text is a field without a value; times are Unix seconds.
type Webhook struct {
	Secret    string `json:"secret,omitempty"` // sealed, see package seal; "" = nothing is accepted
	Hint      string `json:"hint,omitempty"`   // its last characters
	Length    int    `json:"length,omitempty"` // in characters
	UpdatedAt int64  `json:"updated_at,omitempty"`

	// Former is the secret of before, which is accepted until FormerUntil, so that no
	// delivery is lost while the code host still has it.
	Former      string `json:"former,omitempty"` // sealed
	FormerUntil int64  `json:"former_until,omitempty"`

	// Last is the last delivery that was signed rightly since the secret was saved; nil = none.
	Last *WebhookDelivery `json:"last,omitempty"`
}

// WebhookDelivery is what became of a delivery.
type WebhookDelivery struct {
	At     int64  `json:"at"` // Unix seconds
	Event  string `json:"event,omitempty"`
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"` // why it was ignored
}

// Replace puts a sealed secret in the place of the present one, which is accepted for a
// grace time yet.
func (w *Webhook) Replace(sealed, hint string, length int, grace time.Duration, now time.Time) {
	next := Webhook{Secret: sealed, Hint: hint, Length: length, UpdatedAt: now.Unix()}
	if w.Secret != "" && grace > 0 {
		next.Former, next.FormerUntil = w.Secret, now.Add(grace).Unix()
	}
	*w = next
}

// Accepted lists the sealed secrets that are accepted at a moment.
func (w *Webhook) Accepted(now time.Time) (sealed []string) {
	if w.Secret != "" {
		sealed = append(sealed, w.Secret)
	}
	if w.Former != "" && now.Unix() < w.FormerUntil {
		sealed = append(sealed, w.Former)
	}
	return sealed
}

// NoteDelivery keeps d as the last delivery to a project, at the moment of the transaction.
// A webhook that was switched off meanwhile has none.
func (tx *Tx) NoteDelivery(p ProjectID, d WebhookDelivery) error {
	settings := WebhookSettings(p)
	w, err := settings.Get(tx)
	if err != nil || w.Secret == "" {
		return err
	}
	d.At = tx.now.Unix()
	w.Last = &d
	return settings.Put(tx, w)
}

// InstanceDeliveries is the project number of what is delivered to the instance.
const InstanceDeliveries = ProjectID(0)

// deliveryKey is where a delivery is remembered: its id is a text of any length that
// somebody else chose.
func deliveryKey(p ProjectID, id string) []byte {
	sum := sha256.Sum256([]byte(id))
	return append(p.key(), sum[:]...)
}

// Delivered reports whether a delivery to a project is remembered.
func (tx *Tx) Delivered(p ProjectID, id string) bool {
	return tx.now.Unix() < forgottenAt(tx.bolt.Bucket(deliveriesBucket).Get(deliveryKey(p, id)))
}

// forgottenAt reads the value of a delivery; 0 = there is none.
func forgottenAt(raw []byte) int64 {
	if len(raw) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(raw))
}

// RememberDelivery remembers a delivery to a project for a time.
func (tx *Tx) RememberDelivery(p ProjectID, id string, keep time.Duration) error {
	return tx.bolt.Bucket(deliveriesBucket).Put(deliveryKey(p, id), binary.BigEndian.AppendUint64(nil, uint64(tx.now.Add(keep).Unix())))
}

// ForgetDelivery lets a delivery be taken again.
func (tx *Tx) ForgetDelivery(p ProjectID, id string) error {
	return tx.bolt.Bucket(deliveriesBucket).Delete(deliveryKey(p, id))
}

// DropDeliveries removes up to limit deliveries that are not remembered any more, and
// says how many there were.
func (tx *Tx) DropDeliveries(limit int) (n int, err error) {
	b := tx.bolt.Bucket(deliveriesBucket)
	var keys [][]byte
	cursor := b.Cursor()
	for key, value := cursor.First(); key != nil && len(keys) < limit; key, value = cursor.Next() {
		if forgottenAt(value) <= tx.now.Unix() {
			keys = append(keys, bytes.Clone(key))
		}
	}
	for _, key := range keys {
		if err := b.Delete(key); err != nil {
			return 0, err
		}
	}
	return len(keys), nil
}
