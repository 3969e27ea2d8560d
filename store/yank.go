package store

import (
	"svc/internal/fault"
	"svc/internal/release"
	"svc/internal/rollout"
)

// Yank withdraws a version and aborts its rollout. If the version is already yanked, Yank changes
// the reason and the replacement. downgradeTo is the replacement, which the users of the version
// are offered; nil means the greatest older version. The parameter by names the author in the
// history of the rollout. The error is Invalid if downgradeTo is not a lower version that is
// complete and not yanked.
func (tx *Tx) Yank(p ProjectID, v *Version, reason string, downgradeTo *ID, by string) error {
	if downgradeTo != nil {
		if err := tx.checkDowngrade(p, v, *downgradeTo); err != nil {
			return err
		}
	}
	at := tx.now.Unix()
	if v.Yank != nil {
		at = v.Yank.At
	}
	if v.openRollouts() > 0 {
		if err := v.Rollout.Abort(rollout.Author{Now: tx.now.Unix(), By: by, Reason: &reason}); err != nil {
			return err
		}
	}
	v.Yank = &release.Yank{At: at, Reason: reason, DowngradeTo: downgradeTo}
	return tx.UpdateVersion(p, v, nil, false)
}

func (tx *Tx) checkDowngrade(p ProjectID, from *Version, id ID) error {
	to, err := tx.Version(p, id)
	if fault.Is(err, fault.NotFound) {
		return fault.Validation("downgrade_to must be the id of a version of the project")
	}
	if err != nil {
		return err
	}
	target := to.item()
	switch {
	case target.Comparable.IsZero() || target.Comparable.Compare(from.Comparable) >= 0:
		return fault.Validation("downgrade_to must be a lower version")
	case !target.Eligible():
		return fault.Validation("downgrade_to must be a version that is complete and not yanked")
	}
	return nil
}

// Unyank ends the withdrawal of a version. The version does not become the latest again. The error
// is a Conflict if the version is not yanked.
func (tx *Tx) Unyank(p ProjectID, v *Version) error {
	if v.Yank == nil {
		return fault.New(fault.Conflict, "version %q is not yanked", v.Version)
	}
	v.Yank = nil
	return tx.UpdateVersion(p, v, nil, false)
}

// Downgrades sets the replacements of yanked versions. The map contains the display text of each
// replacement, by the display text of the yanked version. A replacement that is not a version of
// the project is ignored.
func (t *ImportTx) Downgrades(to map[string]string) error {
	content := t.tx.content(t.in.id)
	names, versions := content.Bucket(versionNamesBucket), content.Bucket(versionsBucket)
	for from, text := range to {
		target, err := idOf(names.Get([]byte(text)))
		if err != nil {
			continue
		}
		key := names.Get([]byte(from))
		v, err := get[Version](versions, key)
		if err != nil {
			return err
		}
		v.Yank.DowngradeTo = &target
		if err := put(versions, key, v); err != nil {
			return err
		}
	}
	return nil
}
