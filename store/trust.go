package store

import (
	"slices"

	"svc/internal/fault"
	"svc/internal/signature"
)

// MaxTrustKeys is the maximum number of trust keys of a project, including revoked ones.
const MaxTrustKeys = 16

// TrustKey is a public key with which a project's downloads are signed. Its id contains its
// creation time.
type TrustKey struct {
	ID        ID               `json:"id"`
	Scheme    signature.Scheme `json:"scheme"`
	PublicKey string           `json:"public_key"` // as the tool of the scheme prints it
	Label     string           `json:"label,omitempty"`
	State     signature.State  `json:"state"`
	UpdatedAt int64            `json:"updated_at"` // Unix seconds
}

// trustKeys contains the trust keys of a project, the oldest first.
type trustKeys struct {
	Keys []TrustKey `json:"keys"`
}

func trustSettings(p ProjectID) Setting[trustKeys] {
	return Setting[trustKeys]{name: trustName, project: p}
}

// TrustKeys returns the trust keys of a project, the oldest first.
func (tx *Tx) TrustKeys(p ProjectID) ([]TrustKey, error) {
	stored, err := trustSettings(p).Get(tx)
	if err != nil {
		return nil, err
	}
	return stored.Keys, nil
}

// TrustKey returns one trust key of a project.
func (tx *Tx) TrustKey(p ProjectID, id ID) (*TrustKey, error) {
	keys, err := tx.TrustKeys(p)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(keys, func(k TrustKey) bool { return k.ID == id })
	if at < 0 {
		return nil, notFound("trust key")
	}
	return &keys[at], nil
}

// AddTrustKey stores a new trust key, which becomes active, and sets its id. The error is a Conflict
// if the project has the key already, or as many as it may have.
func (tx *Tx) AddTrustKey(p ProjectID, k *TrustKey) error {
	keys, err := tx.TrustKeys(p)
	if err != nil {
		return err
	}
	if err := CheckTrustKeys(append(slices.Clip(keys), *k)); err != nil {
		return err
	}
	k.ID, k.State, k.UpdatedAt = tx.newID(), signature.Active, tx.now.Unix()
	return tx.putTrustKeys(p, append(keys, *k))
}

// CheckTrustKeys returns a Conflict if a project cannot have the given keys: if there are too many,
// or if the last one is there twice.
func CheckTrustKeys(keys []TrustKey) error {
	if len(keys) > MaxTrustKeys {
		return fault.New(fault.Conflict, "a project can have at most %d trust keys, including revoked ones", MaxTrustKeys)
	}
	last, err := keys[len(keys)-1].parse()
	if err != nil {
		return err
	}
	for i := range keys[:len(keys)-1] {
		known, err := keys[i].parse()
		if err != nil {
			return err
		}
		if known.Same(last) {
			return fault.New(fault.Conflict, "the project has the key %s already", last.ID())
		}
	}
	return nil
}

// parse reads the text of a key.
func (k *TrustKey) parse() (signature.Key, error) { return signature.ParseKey(k.Scheme, k.PublicKey) }

// KeyID returns the identifier that the scheme gives to a key, or "" if its text is damaged.
func (k *TrustKey) KeyID() string {
	parsed, err := k.parse()
	if err != nil {
		return ""
	}
	return parsed.ID()
}

// UpdateTrustKey stores the label and the state of a trust key. The error is a Conflict if the key
// has been revoked and would get another state.
func (tx *Tx) UpdateTrustKey(p ProjectID, k *TrustKey) error {
	keys, err := tx.TrustKeys(p)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(keys, func(known TrustKey) bool { return known.ID == k.ID })
	if at < 0 {
		return notFound("trust key")
	}
	if keys[at].State == signature.Revoked && k.State != signature.Revoked {
		return fault.New(fault.Conflict, "the trust key has been revoked, which is final; add another key")
	}
	keys[at].Label, keys[at].State, keys[at].UpdatedAt = k.Label, k.State, tx.now.Unix()
	*k = keys[at]
	return tx.putTrustKeys(p, keys)
}

func (tx *Tx) putTrustKeys(p ProjectID, keys []TrustKey) error {
	w, err := tx.workOn(p)
	if err != nil {
		return err
	}
	if err := trustSettings(p).Put(tx, &trustKeys{keys}); err != nil {
		return err
	}
	w.TrustKeys, w.changed = keys, true
	return nil
}

// TrustKeys stores the trust keys.
func (t *ImportTx) TrustKeys(keys []TrustKey) error {
	for i := range keys {
		if keys[i].ID == (ID{}) {
			keys[i].ID = t.tx.newID()
		}
	}
	return put(t.tx.content(t.in.id).Bucket(projectSettingsBucket), []byte(trustName), trustKeys{keys})
}
