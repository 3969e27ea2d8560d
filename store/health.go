package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"svc/internal/boltfile"
	"svc/internal/hourly"
	"svc/internal/integrity"
	"svc/internal/rollout"
)

// HealthCount counts the addresses and users that were first seen on a version in one time bucket,
// and the failures of these addresses and users since then.
type HealthCount struct {
	Addresses, Users int64
	// Failures maps the name of an event to the number of users that sent it, and "" to the number
	// of addresses that uploaded an error log. See rollout.HealthRule.Event.
	Failures map[string]int64
}

// Of returns the number of addresses or users to which the rule r applies, and the number
// of them that failed.
func (c HealthCount) Of(r rollout.HealthRule) (exposure, failures int64) {
	exposure = c.Addresses
	if r.Metric == rollout.EventMetric {
		exposure = c.Users
	}
	return exposure, c.Failures[r.Event]
}

// Clone returns a copy that shares no memory with c.
func (c HealthCount) Clone() HealthCount {
	c.Failures = maps.Clone(c.Failures)
	return c
}

// The health counts of a project have one key for each version and bucket: the id of the version
// and the start of the bucket, in Unix seconds in 8 bytes. Package hourly defines the format of the
// value. Each text in the value follows one of these numbers.
const (
	healthAddresses = iota
	healthUsers
	healthErrorLogs
	healthEvent // the text is the name of the event
)

const healthKeySize = len(ID{}) + 8

func healthKey(version ID, at int64) []byte {
	return binary.BigEndian.AppendUint64(version[:], uint64(at))
}

func splitHealthKey(key []byte) (version ID, at int64, err error) {
	if len(key) != healthKeySize {
		return version, 0, fmt.Errorf("%w: %x is no key of a health count", ErrDamaged, key)
	}
	return ID(key[:len(version)]), int64(binary.BigEndian.Uint64(key[len(version):])), nil
}

func (c HealthCount) encode() []byte {
	e := hourly.NewEncoder(16 + 16*len(c.Failures))
	e.AddText(healthAddresses, "", uint64(c.Addresses))
	e.AddText(healthUsers, "", uint64(c.Users))
	for _, name := range slices.Sorted(maps.Keys(c.Failures)) { // "" sorts first
		what := uint64(healthEvent)
		if name == "" {
			what = healthErrorLogs
		}
		e.AddText(what, name, uint64(c.Failures[name]))
	}
	return e.Value()
}

func decodeHealth(raw []byte) (c HealthCount, err error) {
	c.Failures = map[string]int64{}
	err = hourly.EachText(raw, func(what uint64, text []byte, n int64) {
		switch what {
		case healthAddresses:
			c.Addresses = n
		case healthUsers:
			c.Users = n
		case healthErrorLogs:
			c.Failures[""] = n
		case healthEvent:
			c.Failures[string(text)] = n
		}
	})
	return c, err
}

// PutHealth stores the count of a version in the bucket that starts at the given time, in Unix
// seconds. It replaces an earlier count. It does nothing if the project or the version is gone.
func (tx *Tx) PutHealth(p ProjectID, version ID, at int64, c HealthCount) error {
	content := tx.content(p)
	if content == nil || content.Bucket(versionsBucket).Get(version[:]) == nil {
		return nil
	}
	b, err := content.CreateBucketIfNotExists(healthBucket)
	if err != nil {
		return err
	}
	return b.Put(healthKey(version, at), c.encode())
}

// EachHealth visits the counts of a version, the oldest bucket first. It skips buckets that start
// before the time in the parameter from, in Unix seconds.
func (tx *Tx) EachHealth(p ProjectID, version ID, from int64, visit func(at int64, c HealthCount)) error {
	return tx.eachHealth(p, healthKey(version, from), func(of ID, at int64, c HealthCount) bool {
		if of == version {
			visit(at, c)
		}
		return of == version
	})
}

// EachHealthCount visits the counts of all versions of a project until visit returns false.
func (tx *Tx) EachHealthCount(p ProjectID, visit func(version ID, at int64, c HealthCount) bool) error {
	return tx.eachHealth(p, nil, visit)
}

func (tx *Tx) eachHealth(p ProjectID, from []byte, visit func(version ID, at int64, c HealthCount) bool) error {
	b := tx.contentBucket(p, healthBucket)
	if b == nil {
		return nil
	}
	cursor := b.Cursor()
	for key, raw := cursor.Seek(from); key != nil; key, raw = cursor.Next() {
		version, at, err := splitHealthKey(key)
		if err != nil {
			return err
		}
		c, err := decodeHealth(raw)
		if err != nil {
			return fmt.Errorf("health of version %s in bucket %d: %w", version, at, err)
		}
		if !visit(version, at, c) {
			return nil
		}
	}
	return nil
}

// DropHealth deletes counts of buckets that start before the given time, in Unix seconds, and
// counts of versions that have been deleted. It deletes at most limit counts, and returns how many
// it deleted.
func (tx *Tx) DropHealth(p ProjectID, before int64, limit int) (dropped int, err error) {
	b := tx.contentBucket(p, healthBucket)
	if b == nil {
		return 0, nil
	}
	old := tx.oldHealth(p, b, before, limit)
	for _, key := range old {
		err = errors.Join(err, b.Delete(key))
	}
	return len(old), err
}

// HasHealthBefore reports whether DropHealth would delete something.
func (tx *Tx) HasHealthBefore(p ProjectID, before int64) bool {
	b := tx.contentBucket(p, healthBucket)
	return b != nil && len(tx.oldHealth(p, b, before, 1)) > 0
}

// oldHealth returns up to limit keys that DropHealth has to delete. It skips the newer counts of each
// version.
func (tx *Tx) oldHealth(p ProjectID, b *boltfile.Bucket, before int64, limit int) (old [][]byte) {
	versions := tx.contentBucket(p, versionsBucket)
	cursor := b.Cursor()
	for key, _ := cursor.First(); key != nil && len(old) < limit; {
		version, at, err := splitHealthKey(key)
		switch {
		case err != nil: // the check of the file reports it
			key, _ = cursor.Next()
		case at < before || versions.Get(version[:]) == nil:
			old = append(old, bytes.Clone(key))
			key, _ = cursor.Next()
		default:
			key, _ = cursor.Seek(healthKey(version, -1)) // after the last bucket of the version
		}
	}
	return old
}

// health checks that the health counts can be decoded.
func (c *checker) health(p ProjectID, path string, _ map[countName]int64) error {
	b := c.tx.contentBucket(p, healthBucket)
	if b == nil {
		return nil
	}
	return c.each(b, func(key, raw []byte) error {
		_, _, wrong := splitHealthKey(key)
		if _, err := decodeHealth(raw); err != nil || wrong != nil {
			at := path + integrity.Path(healthBucket, key)
			c.report.Add(integrity.Hour, at, "%d bytes under a key of %d bytes are not counters", len(raw), len(key))
		}
		return nil
	})
}
