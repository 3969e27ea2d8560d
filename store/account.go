package store

import (
	"encoding/hex"
	"fmt"
)

// Account is the administrator. There is one.
type Account struct {
	ID       ID     `json:"id"`
	Username string `json:"username"`
	Password string `json:"password"` // Argon2id, PHC form
	// Epoch counts changes of name and password. A token carries the epoch it
	// was issued in and ends with it.
	Epoch uint64 `json:"epoch"`
}

// Account returns the administrator as of the last commit, or nil before the first
// start has made one. The caller must not change it.
func (s *Store) Account() *Account { return s.account.Load() }

// Account reads the administrator; nil when there is none.
func (tx *Tx) Account() (*Account, error) {
	return get[Account](tx.bolt.Bucket(accountBucket), adminKey)
}

// PutAccount stores the administrator. A new one gets its id.
func (tx *Tx) PutAccount(a *Account) error {
	if a.ID == (ID{}) {
		a.ID = tx.newID()
	}
	tx.accountChanged = true
	return put(tx.bolt.Bucket(accountBucket), adminKey, a)
}

func (s *Store) loadAccount(tx *Tx) error {
	a, err := tx.Account()
	if err != nil {
		return err
	}
	s.account.Store(a)
	return nil
}

func hexText(b []byte) []byte { return hex.AppendEncode(nil, b) }

// readHex fills b from its hex form, which must have exactly its length.
func readHex(b, text []byte) error {
	if len(text) != hex.EncodedLen(len(b)) {
		return fmt.Errorf("%d hex digits where %d are needed", len(text), hex.EncodedLen(len(b)))
	}
	_, err := hex.Decode(b, text)
	return err
}
