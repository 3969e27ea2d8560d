package store

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"slices"
	"time"
)

// Account is the administrator's account. There is only one.
type Account struct {
	ID       ID     `json:"id"`
	Username string `json:"username"`
	Password string `json:"password"` // the Argon2id hash in PHC form
	// Epoch counts the changes of the name and the password. A token contains the epoch in
	// which it was issued, and is invalid in any other epoch.
	Epoch uint64 `json:"epoch"`
}

// Account returns the administrator as of the last commit. It returns nil before the first start
// has created the administrator. The caller must not change the result.
func (s *Store) Account() *Account { return s.account.Load() }

// Account reads the administrator, or returns nil if there is none.
func (tx *Tx) Account() (*Account, error) {
	return get[Account](tx.bolt.Bucket(accountBucket), adminKey)
}

// PutAccount stores the administrator. It gives a new account its id.
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

// readHex decodes hex digits into b. The error reports that text is not the hex form of
// exactly len(b) bytes.
func readHex(b, text []byte) error {
	if len(text) != hex.EncodedLen(len(b)) {
		return fmt.Errorf("%d hex digits where %d are needed", len(text), hex.EncodedLen(len(b)))
	}
	_, err := hex.Decode(b, text)
	return err
}

const (
	// loginNoted is the age at which the stored time of a network's last login is updated
	// when the administrator logs in from that network again. It is a day, so that few
	// logins write to the file.
	loginNoted = 24 * time.Hour
	// loginMemory is the age at which a stored login is forgotten. The administrator's last
	// login from a network is remembered for 30 days. It may be later than the stored one by
	// up to loginNoted.
	loginMemory = 30*24*time.Hour + loginNoted
	// maxLoginNetworks is the maximum number of networks that are stored.
	maxLoginNetworks = 100
)

// LoginNetwork is a network from which the administrator has logged in.
type LoginNetwork struct {
	Network netip.Prefix `json:"network"`
	At      int64        `json:"at"` // last login, Unix seconds, exact to a day
}

// loginNetworks is the stored form of the networks from which the administrator has
// logged in. The network with the latest login comes first.
type loginNetworks struct {
	Networks []LoginNetwork `json:"networks"`
}

// KnowsLogin reports whether the administrator has logged in from the network within the
// last 30 days.
func (tx *Tx) KnowsLogin(network netip.Prefix) (bool, error) {
	known, err := loginSettings.Get(tx)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(known.Networks, func(n LoginNetwork) bool {
		return n.Network == network && tx.now.Sub(time.Unix(n.At, 0)) < loginMemory
	}), nil
}

// NoteLogin stores that the administrator has logged in from the network. It writes at
// most once a day for each network. If there are more than 100 networks, it removes those
// with the oldest logins. A store that follows another one stores nothing.
func (s *Store) NoteLogin(network netip.Prefix) error {
	if s.Following() {
		return nil
	}
	fresh := func(tx *Tx) (known *loginNetworks, is bool, err error) {
		if known, err = loginSettings.Get(tx); err != nil {
			return nil, false, err
		}
		return known, slices.ContainsFunc(known.Networks, func(n LoginNetwork) bool {
			return n.Network == network && tx.now.Sub(time.Unix(n.At, 0)).Abs() < loginNoted
		}), nil
	}
	noted, err := Read(s, func(tx *Tx) (is bool, err error) {
		_, is, err = fresh(tx)
		return is, err
	})
	if err != nil || noted {
		return err
	}
	return s.Update(func(tx *Tx) error {
		known, is, err := fresh(tx)
		if err != nil || is {
			return err
		}
		list := slices.DeleteFunc(known.Networks, func(n LoginNetwork) bool {
			return n.Network == network || tx.now.Sub(time.Unix(n.At, 0)) >= loginMemory
		})
		list = slices.Insert(list, 0, LoginNetwork{network, tx.now.Unix()})
		return loginSettings.Put(tx, &loginNetworks{list[:min(len(list), maxLoginNetworks)]})
	})
}

// Digest is the salted hash of an API key's text. The text itself is never
// stored.
type Digest [32]byte

// MarshalText returns the hex form.
func (d Digest) MarshalText() ([]byte, error) { return hexText(d[:]), nil }

// UnmarshalText decodes the hex form.
func (d *Digest) UnmarshalText(text []byte) error { return readHex(d[:], text) }

// APIKey is a credential for programs. Times are Unix seconds.
type APIKey struct {
	ID          ID          `json:"-"`
	Name        string      `json:"name"`
	Scopes      []string    `json:"scopes"`
	AllProjects bool        `json:"all_projects,omitempty"`
	Projects    []ProjectID `json:"projects,omitempty"` // empty if AllProjects is set
	Digest      Digest      `json:"digest"`
	Salt        string      `json:"salt,omitempty"` // identifies the salt with which Digest was computed
	Former      *FormerKey  `json:"former,omitempty"`
	ExpiresAt   *int64      `json:"expires_at,omitempty"`
	RevokedAt   *int64      `json:"revoked_at,omitempty"`
	LastUsedAt  *int64      `json:"last_used_at,omitempty"`
}

// FormerKey is the text that a key had before its last rotation. It is accepted until
// ExpiresAt.
type FormerKey struct {
	Digest    Digest `json:"digest"`
	ExpiresAt int64  `json:"expires_at"`
}

func (k *APIKey) identify(id ID) { k.ID = id }

// Expired reports whether the key itself, rather than its former text, has expired at the
// time now, in Unix seconds.
func (k *APIKey) Expired(now int64) bool { return k.ExpiresAt != nil && now >= *k.ExpiresAt }

// Opens reports whether the API accepts the text with the given digest for this key at
// the time now, in Unix seconds. The text is either the current one or a former one that
// has not expired.
func (k *APIKey) Opens(d Digest, now int64) bool {
	if k.RevokedAt != nil || k.Expired(now) {
		return false
	}
	if k.Former != nil && k.Former.Digest == d {
		return now < k.Former.ExpiresAt
	}
	return k.Digest == d
}

// May reports whether the key gives access to a project.
func (k *APIKey) May(p ProjectID) bool { return k.AllProjects || slices.Contains(k.Projects, p) }

// keyring holds all API keys, indexed by the digests of their texts. It is immutable.
type keyring struct {
	byDigest map[Digest]*APIKey
	newest   []*APIKey
}

// APIKeys returns all API keys, the newest first. It includes revoked keys. The caller
// must not change them.
func (s *Store) APIKeys() []*APIKey { return s.keys.Load().newest }

// KeyByDigest returns the key that has, or had before its last rotation, the text with
// the given digest, or nil if there is none. It does not decide whether the text is
// accepted; see Opens.
func (s *Store) KeyByDigest(d Digest) *APIKey { return s.keys.Load().byDigest[d] }

// APIKey reads a key.
func (tx *Tx) APIKey(id ID) (*APIKey, error) {
	return read[APIKey](tx.bolt.Bucket(keysBucket), id, "API key")
}

// PutAPIKey stores a key. It gives a new key its id.
func (tx *Tx) PutAPIKey(k *APIKey) error {
	if k.ID == (ID{}) {
		k.ID = tx.newID()
	}
	tx.keysChanged = true
	return put(tx.bolt.Bucket(keysBucket), k.ID[:], k)
}

// forgetProject removes a deleted project from the project lists of all keys.
func forgetProject(tx *Tx, p ProjectID) error {
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
