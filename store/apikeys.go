package store

import "slices"

// Digest is the salted hash of an API key's text. The text itself is never
// stored.
type Digest [32]byte

// MarshalText returns the hex form.
func (d Digest) MarshalText() ([]byte, error) { return hexText(d[:]), nil }

// UnmarshalText reads the hex form.
func (d *Digest) UnmarshalText(text []byte) error { return readHex(d[:], text) }

// APIKey is a credential for programs. Times are Unix seconds.
type APIKey struct {
	ID          ID          `json:"-"`
	Name        string      `json:"name"`
	Scopes      []string    `json:"scopes"`
	AllProjects bool        `json:"all_projects,omitempty"`
	Projects    []ProjectID `json:"projects,omitempty"` // empty when AllProjects
	Digest      Digest      `json:"digest"`
	Salt        string      `json:"salt,omitempty"` // mark of the salt of Digest
	Former      *FormerKey  `json:"former,omitempty"`
	ExpiresAt   *int64      `json:"expires_at,omitempty"`
	RevokedAt   *int64      `json:"revoked_at,omitempty"`
	LastUsedAt  *int64      `json:"last_used_at,omitempty"`
}

// FormerKey is the text a key had before its last rotation, good until
// ExpiresAt.
type FormerKey struct {
	Digest    Digest `json:"digest"`
	ExpiresAt int64  `json:"expires_at"`
}

func (k *APIKey) identify(id ID) { k.ID = id }

// Expired reports whether the key itself is past its time.
func (k *APIKey) Expired(now int64) bool { return k.ExpiresAt != nil && now >= *k.ExpiresAt }

// Opens reports whether the text with this digest is accepted at a moment.
func (k *APIKey) Opens(d Digest, now int64) bool {
	if k.RevokedAt != nil || k.Expired(now) {
		return false
	}
	if k.Former != nil && k.Former.Digest == d {
		return now < k.Former.ExpiresAt
	}
	return k.Digest == d
}

// May reports whether the key reaches a project.
func (k *APIKey) May(p ProjectID) bool { return k.AllProjects || slices.Contains(k.Projects, p) }

// keyring is every API key by the digests that may open it. It is immutable.
type keyring struct {
	byDigest map[Digest]*APIKey
	newest   []*APIKey
}

// APIKeys lists all keys, newest first, revoked ones included. They must not
// be changed.
func (s *Store) APIKeys() []*APIKey { return s.keys.Load().newest }

// KeyByDigest finds the key a text belongs to; nil when there is none. Whether
// it is accepted is for Opens to say.
func (s *Store) KeyByDigest(d Digest) *APIKey { return s.keys.Load().byDigest[d] }

// APIKey reads a key.
func (tx *Tx) APIKey(id ID) (*APIKey, error) {
	return read[APIKey](tx.bolt.Bucket(keysBucket), id, "API key")
}

// PutAPIKey stores a key. A new one gets its id.
func (tx *Tx) PutAPIKey(k *APIKey) error {
	if k.ID == (ID{}) {
		k.ID = tx.newID()
	}
	tx.keysChanged = true
	return put(tx.bolt.Bucket(keysBucket), k.ID[:], k)
}

// forgetProject takes a deleted project off the lists of all keys.
func (tx *Tx) forgetProject(p ProjectID) error {
	var listed []*APIKey
	err := eachRecord(tx.bolt.Bucket(keysBucket), func(k *APIKey) error {
		if slices.Contains(k.Projects, p) {
			listed = append(listed, k)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, k := range listed {
		k.Projects = slices.DeleteFunc(k.Projects, func(q ProjectID) bool { return q == p })
		if err := tx.PutAPIKey(k); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) loadKeys(tx *Tx) error {
	ring := &keyring{byDigest: map[Digest]*APIKey{}}
	err := eachRecord(tx.bolt.Bucket(keysBucket), func(k *APIKey) error {
		ring.newest = append(ring.newest, k)
		ring.byDigest[k.Digest] = k
		if k.Former != nil {
			ring.byDigest[k.Former.Digest] = k
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.Reverse(ring.newest)
	s.keys.Store(ring)
	return nil
}
