package store

import "svc/internal/boltfile"

// purgeStep is the number of keys that one transaction of Purge removes.
const purgeStep = 1000

// Purge removes what deleted projects, and imports that came to nothing, left
// behind, in steps small enough that others can write in between. Repeating it
// after a crash does no harm.
func (s *Store) Purge() error {
	for more := true; more; {
		err := s.Update(func(tx *Tx) (err error) {
			more, err = tx.purge()
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// purge removes up to purgeStep keys of a project that is gone and reports
// whether there may be more. The files of all such projects come first, because their
// objects and copies are still there.
func (tx *Tx) purge() (more bool, err error) {
	all := tx.bolt.Bucket(contentBucket)
	var orphans []ProjectID
	err = all.ForEachBucket(func(key []byte) error {
		p, err := projectOf(key)
		if err == nil && !tx.alive(key) && !tx.store.imports[p] {
			orphans = append(orphans, p)
		}
		return err
	})
	if err != nil || len(orphans) == 0 {
		return false, err
	}
	left := purgeStep
	for _, orphan := range orphans {
		left, err = tx.purgeFiles(orphan, left)
		if err != nil || left <= 0 {
			return true, err
		}
	}
	orphan := orphans[0].key()
	content := all.Bucket(orphan)
	touched := false
	for _, name := range contentBuckets {
		b := content.Bucket(name)
		if b == nil {
			continue // an earlier step deleted it
		}
		var nested bool
		if left, nested, err = tx.drain(b, name, left); err != nil {
			return true, err
		}
		if left <= 0 || nested { // bbolt loses pages of a bucket that is deleted right after its buckets
			return true, nil
		}
		if err := content.DeleteBucket(name); err != nil {
			return true, err
		}
		touched = true
	}
	if touched {
		return true, nil // for the same reason
	}
	return true, all.DeleteBucket(orphan)
}

// alive reports whether the content under a key has a project.
func (tx *Tx) alive(project []byte) bool {
	return tx.bolt.Bucket(projectsBucket).Get(project) != nil
}

// drain deletes up to limit keys of a bucket, with what says who owns the
// records, and returns how many it may still have deleted and whether buckets were
// among the keys.
func (tx *Tx) drain(b *boltfile.Bucket, name []byte, limit int) (left int, nested bool, err error) {
	var keys, owned [][]byte
	cursor := b.Cursor()
	for key, value := cursor.First(); key != nil && len(keys) < limit; key, value = cursor.Next() {
		keys = append(keys, key)
		switch {
		case value == nil: // a bucket
			nested = true
		case string(name) == string(versionsBucket), string(name) == string(announcementsBucket):
			owned = append(owned, key)
		case string(name) == string(feedbackSeries.Records):
			owned = append(owned, value[:min(len(ID{}), len(value))]) // a shorter one is damaged
		}
	}
	owners := tx.bolt.Bucket(ownersBucket)
	for _, id := range owned {
		if err := owners.Delete(id); err != nil {
			return 0, nested, err
		}
	}
	for _, key := range keys {
		if b.Bucket(key) != nil {
			err = b.DeleteBucket(key)
		} else {
			err = b.Delete(key)
		}
		if err != nil {
			return 0, nested, err
		}
	}
	return limit - len(keys), nested, nil
}
