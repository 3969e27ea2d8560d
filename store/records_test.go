package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"go.etcd.io/bbolt"
)

// checkRecords holds the buckets to what must be true between them after every
// transaction, as docs/format.md says it.
func (tx *Tx) checkRecords() error {
	var all []error
	report := func(format string, args ...any) { all = append(all, fmt.Errorf(format, args...)) }
	names, owners, projects := map[string]ProjectID{}, map[ID]ProjectID{}, map[ProjectID]bool{}
	last := tx.bolt.Bucket(metaBucket).Get(lastIDKey)
	issued := func(id ID) {
		if bytes.Compare(id[:], last) > 0 {
			report("id %v is greater than the last one, %x", id, last)
		}
	}
	err := tx.bolt.Bucket(projectsBucket).ForEach(func(key, _ []byte) error {
		p, err := tx.projectByID(ProjectID(binary.BigEndian.Uint32(key)))
		if err != nil {
			return err
		}
		if uint64(p.ID) > tx.bolt.Bucket(projectsBucket).Sequence() {
			report("project number %d was never given", p.ID)
		}
		projects[p.ID], names[p.Key] = true, p.ID
		for _, a := range p.Aliases {
			names[a.Name] = p.ID
		}
		own := func(id ID) {
			owners[id] = p.ID
			issued(id)
		}
		submissions := tx.content(p.ID).Bucket(feedbackSeries.records).ForEach(func(_, record []byte) error {
			own(ID(record[:16]))
			return nil
		})
		return errors.Join(submissions,
			tx.checkContent(p.ID, func(v *Version) { own(v.ID) }),
			tx.eachAnnouncement(p.ID, func(a *Announcement) error {
				own(a.ID)
				return nil
			}))
	})
	keys := tx.eachKey(func(k *APIKey) {
		issued(k.ID)
		if slices.ContainsFunc(k.Projects, func(p ProjectID) bool { return !projects[p] }) {
			report("API key %v reaches projects %v, not all of which are there", k.ID, k.Projects)
		}
	})
	all = append(all, err, keys,
		sameNumbers("names", tx.bolt.Bucket(namesBucket), names, func(key []byte) string { return string(key) }),
		sameNumbers("owners", tx.bolt.Bucket(ownersBucket), owners, func(key []byte) ID { return ID(key) }))
	if n := tx.bolt.Bucket(contentBucket).Inspect().Children; len(n) != len(projects) {
		report("%d projects have content, %d are there", len(n), len(projects))
	}
	return errors.Join(all...)
}

// sameNumbers compares a bucket of project numbers with what it must have.
func sameNumbers[K comparable](name string, b *bbolt.Bucket, want map[K]ProjectID, read func([]byte) K) error {
	got := map[K]ProjectID{}
	err := b.ForEach(func(key, value []byte) error {
		got[read(key)] = ProjectID(binary.BigEndian.Uint32(value))
		return nil
	})
	if !maps.Equal(got, want) {
		return errors.Join(err, fmt.Errorf("%s: got %v, want %v", name, got, want))
	}
	return err
}

// checkContent holds the buckets of a project to each other.
func (tx *Tx) checkContent(p ProjectID, fn func(*Version)) error {
	content := tx.content(p)
	if content == nil {
		return fmt.Errorf("project %d has no content", p)
	}
	byName, named, latest := map[string]ID{}, map[string]ID{}, 0
	err := tx.eachVersion(p, func(v *Version) error {
		byName[v.Version] = v.ID
		if v.Latest {
			latest++
		}
		fn(v)
		return nil
	})
	err = errors.Join(err, content.Bucket(versionNamesBucket).ForEach(func(key, value []byte) error {
		named[string(key)] = ID(value)
		return nil
	}))
	if !maps.Equal(named, byName) {
		err = errors.Join(err, fmt.Errorf("project %d: version_names: got %v, want %v", p, named, byName))
	}
	if n := counted(content.Bucket(countsBucket).Get([]byte(countVersions))); n != int64(len(byName)) || latest > 1 {
		err = errors.Join(err, fmt.Errorf("project %d: got %d counted, %d latest of %d versions", p, n, latest, len(byName)))
	}
	return err
}
