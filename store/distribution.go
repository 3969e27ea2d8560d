package store

import (
	"svc/internal/fault"
	"svc/internal/release"
	"svc/internal/rollout"
)

// SignaturePolicy decides whether feeds and links to the latest version offer unsigned files.
type SignaturePolicy string

// The signature policies.
const (
	SignaturesOff     SignaturePolicy = "off"
	SignaturesEnforce SignaturePolicy = "enforce"
)

// Distribution contains the settings by which a project distributes its versions.
type Distribution struct {
	Channels        release.Channels    `json:"channels,omitempty"`        // the project's own channels
	RolloutDefault  *rollout.Plan       `json:"rollout_default,omitempty"` // nil = new versions are offered to all clients at once
	Health          rollout.HealthRules `json:"health"`
	SignaturePolicy SignaturePolicy     `json:"signature_policy"`
	UpdatedAt       int64               `json:"updated_at,omitempty"` // 0 = never changed
}

// NewDistribution returns the settings of a project that has not changed them.
func NewDistribution() Distribution {
	return Distribution{Health: rollout.DefaultHealthRules(), SignaturePolicy: SignaturesOff}
}

// distributionSettings returns the Setting of a project's distribution. Only PutDistribution may
// write it, because the settings are part of the snapshot.
func distributionSettings(p ProjectID) Setting[Distribution] {
	return Setting[Distribution]{
		name: distributionName, project: p,
		initial: func(d *Distribution) { *d = NewDistribution() },
		save:    func(_, d *Distribution, now int64) { d.UpdatedAt = now },
	}
}

// Distribution reads the distribution settings of a project. The caller must not change the
// channels.
func (tx *Tx) Distribution(p ProjectID) (Distribution, error) {
	d, err := distributionSettings(p).Get(tx)
	if err != nil {
		return Distribution{}, err
	}
	return *d, nil
}

// PutDistribution stores the distribution settings of a project and sets d.UpdatedAt. The error is
// a Conflict if a version is on a channel that would no longer exist.
func (tx *Tx) PutDistribution(p ProjectID, d *Distribution) error {
	w, err := tx.workOn(p)
	if err != nil {
		return err
	}
	for at := range w.catalog().Len() {
		v := w.entries[w.catalog().Item(at).ID].Record
		if !d.Channels.Has(v.OnChannel()) {
			return fault.New(fault.Conflict, "channels: version %q is on the channel %q; move it to another channel first", v.Version, v.Channel)
		}
	}
	settings := distributionSettings(p)
	if err := settings.Put(tx, d); err != nil {
		return err
	}
	stored, err := settings.Get(tx)
	if err != nil {
		return err
	}
	w.Distribution, w.sorted, w.changed = stored, nil, true
	tx.forgetTrust(p)
	return nil
}

// Distribution stores the distribution settings of the imported project.
func (t *ImportTx) Distribution(d *Distribution) error {
	return put(t.tx.content(t.in.id).Bucket(projectSettingsBucket), []byte(distributionName), d)
}
