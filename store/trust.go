package store

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sync"

	"svc/internal/asset"
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
	PublicKey string           `json:"public_key"` // in the form that the signing tool of the scheme prints
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

// AddTrustKey stores a new trust key, makes it active, and sets its id. The error is a Conflict if
// the project already has this key or MaxTrustKeys keys.
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

// CheckTrustKeys returns a Conflict if there are more than MaxTrustKeys keys, or if the last key
// equals an earlier one. keys must not be empty.
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

// KeyID returns the identifier that the scheme gives to a key, or "" if the text of the key is
// damaged.
func (k *TrustKey) KeyID() string {
	parsed, err := k.parse()
	if err != nil {
		return ""
	}
	return parsed.ID()
}

// UpdateTrustKey stores the label and the state of a trust key. When a key is retired, its valid
// signatures remain valid. The error is a Conflict if the key has been revoked and k has a
// different state.
func (tx *Tx) UpdateTrustKey(p ProjectID, k *TrustKey) error {
	keys, err := tx.TrustKeys(p)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(keys, func(known TrustKey) bool { return known.ID == k.ID })
	if at < 0 {
		return notFound("trust key")
	}
	before := keys[at]
	if before.State == signature.Revoked && k.State != signature.Revoked {
		return fault.New(fault.Conflict, "the trust key has been revoked, which is final; add another key")
	}
	if before.State == signature.Active && k.State == signature.Retired {
		if err := tx.keepValid(p, &before); err != nil {
			return err
		}
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
	tx.forgetTrust(p)
	tx.changeSigned(p)
	return nil
}

// trust returns the trust keys of a project, and whether the project enforces signatures. It caches
// them in tx.
func (tx *Tx) trust(p ProjectID) (asset.Trust, error) {
	if known, ok := tx.trusts[p]; ok {
		return known, nil
	}
	policy, err := readPolicies(tx, p)
	if err != nil {
		return asset.Trust{}, err
	}
	t := asset.Trust{Enforce: policy.Distribution.SignaturePolicy == SignaturesEnforce}
	for i := range policy.TrustKeys {
		parsed, err := policy.TrustKeys[i].parse()
		if err != nil {
			return asset.Trust{}, fmt.Errorf("%w: trust key %s: %w", ErrDamaged, policy.TrustKeys[i].ID, err)
		}
		t.Keys = append(t.Keys, signature.TrustedKey{Key: parsed, State: policy.TrustKeys[i].State})
	}
	if tx.trusts == nil {
		tx.trusts = map[ProjectID]asset.Trust{}
	}
	tx.trusts[p] = t
	return t, nil
}

// forgetTrust removes the cached result of tx.trust. It must be called after a change to the data
// that tx.trust returns.
func (tx *Tx) forgetTrust(p ProjectID) {
	delete(tx.trusts, p)
	tx.linksChanged = true
}

// keepValid prepares for the retirement of a key. For each signature that is valid under the key,
// it stores the result signature.Kept, so that the signature remains valid.
func (tx *Tx) keepValid(p ProjectID, k *TrustKey) error {
	key, err := k.parse()
	if err != nil {
		return err
	}
	kept := map[FileID]map[string]signature.Result{}
	err = tx.eachSigned(p, func(a *asset.Asset) error {
		for _, found := range a.Signatures {
			if found.Status != signature.Valid || found.KeyID != key.ID() {
				continue
			}
			s, err := signature.Parse(found.Value)
			if err != nil {
				return err
			}
			id := FileID(a.FileID)
			if kept[id] == nil {
				kept[id] = map[string]signature.Result{}
			}
			kept[id][s.CheckID(key)] = signature.Kept
		}
		return nil
	})
	if err != nil {
		return err
	}
	for id, results := range kept {
		if err := tx.PutChecks(p, id, results); err != nil {
			return err
		}
	}
	return nil
}

// eachSigned visits those assets of a project's versions that have a stored file and a signature.
func (tx *Tx) eachSigned(p ProjectID, visit func(*asset.Asset) error) error {
	return tx.EachVersion(p, func(v *Version) error {
		if !v.maySigned() {
			return nil
		}
		list, err := tx.Assets(p, v)
		if err != nil {
			return err
		}
		for i := range list {
			if list[i].FileID == "" || len(list[i].Signatures) == 0 {
				continue
			}
			if err := visit(&list[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// maySigned reports whether an asset of the version may have a signature.
func (v *Version) maySigned() bool {
	for _, set := range v.Assets {
		if set.Minisign != "" || set.Sparkle != "" {
			return true
		}
	}
	return slices.ContainsFunc(v.Links(), func(l DownloadLink) bool { return asset.IsSignature(l.URL) })
}

// Verification is a stored file that must be read to verify its signatures.
type Verification struct {
	File   *File
	Checks []*signature.Check
}

// Results returns the results of the checks, by the ids of the checks.
func (v *Verification) Results() map[string]signature.Result {
	results := make(map[string]signature.Result, len(v.Checks))
	for _, c := range v.Checks {
		results[c.ID] = c.Result()
	}
	return results
}

// Verifications returns the files of a project that must be read to verify their signatures, the
// smallest first.
func (tx *Tx) Verifications(p ProjectID) ([]*Verification, error) {
	trust, err := tx.trust(p)
	if err != nil || len(trust.Keys) == 0 {
		return nil, err
	}
	all := map[FileID]*Verification{}
	err = tx.eachSigned(p, func(a *asset.Asset) error {
		f, err := tx.File(p, FileID(a.FileID))
		if err != nil || f.Status != FileReady {
			return err
		}
		for _, found := range a.Signatures {
			checks, err := Checks(found.Value, trust, f)
			if err != nil {
				return err
			}
			if len(checks) == 0 {
				continue
			}
			if all[f.ID] == nil {
				all[f.ID] = &Verification{File: f}
			}
			all[f.ID].Checks = append(all[f.ID].Checks, checks...)
		}
		return nil
	})
	return slices.SortedFunc(maps.Values(all), func(a, b *Verification) int { return cmp.Compare(a.File.Size, b.File.Size) }), err
}

// Checks returns the checks that are still needed to judge the signature in value. The caller must
// read the file to perform them.
func Checks(value string, trust asset.Trust, f *File) (checks []*signature.Check, err error) {
	s, err := signature.Parse(value)
	if err != nil {
		return nil, err
	}
	for _, key := range s.Unread(trust.Keys, f.content()) {
		checks = append(checks, s.NewCheck(key))
	}
	return checks, nil
}

// content returns what the record of a file contains about its content for verifying signatures: a
// hash, and the results of earlier checks.
func (f *File) content() *signature.Content {
	sum, err := hex.DecodeString(f.BLAKE2b)
	if err != nil {
		sum = nil
	}
	return &signature.Content{BLAKE2b: sum, Checks: f.Checks}
}

// SignatureChecks returns the stored file of an asset, and the checks for which the file must be
// read to judge the signature in value. If the asset has no stored file, or the file is not ready,
// the result contains neither.
func (tx *Tx) SignatureChecks(p ProjectID, a *asset.Asset, value string) (*Verification, error) {
	if a.FileID == "" {
		return &Verification{}, nil
	}
	f, err := tx.File(p, FileID(a.FileID))
	if err != nil || f.Status != FileReady {
		return &Verification{}, err
	}
	trust, err := tx.trust(p)
	if err != nil {
		return nil, err
	}
	checks, err := Checks(value, trust, f)
	return &Verification{f, checks}, err
}

// changeSigned records in the transaction that a signature in a project may have to be verified.
func (tx *Tx) changeSigned(p ProjectID) {
	if tx.signedChanged == nil {
		tx.signedChanged = map[ProjectID]bool{}
	}
	tx.signedChanged[p] = true
}

// unverified holds the projects in which a signature may have to be verified.
type unverified struct {
	waiting chan struct{} // receives a value when projects are added

	mu       sync.Mutex
	projects map[ProjectID]bool // guarded by mu
}

func (u *unverified) add(projects map[ProjectID]bool) {
	if len(projects) == 0 {
		return
	}
	u.mu.Lock()
	maps.Copy(u.projects, projects)
	u.mu.Unlock()
	select {
	case u.waiting <- struct{}{}:
	default: // the reader has not received the previous value yet
	}
}

// SignaturesWaiting returns a channel that receives a value when TakeUnverified has projects to
// return. Only one goroutine may receive from it.
func (s *Store) SignaturesWaiting() <-chan struct{} { return s.unverified.waiting }

// TakeUnverified returns the projects in which a signature may have to be verified because of
// changes since the last call.
func (s *Store) TakeUnverified() []ProjectID {
	s.unverified.mu.Lock()
	defer s.unverified.mu.Unlock()
	projects := slices.Sorted(maps.Keys(s.unverified.projects))
	clear(s.unverified.projects)
	return projects
}

// TrustKeys stores the trust keys of the imported project. It issues an id to each key that has
// none.
func (t *ImportTx) TrustKeys(keys []TrustKey) error {
	for i := range keys {
		if keys[i].ID == (ID{}) {
			keys[i].ID = t.tx.newID()
		}
	}
	return put(t.tx.content(t.in.id).Bucket(projectSettingsBucket), []byte(trustName), trustKeys{keys})
}
