package store

import (
	"errors"
	"fmt"
	"maps"

	"svc/internal/boltfile"
	"svc/internal/change"
	"svc/store/series"
)

// A store that follows another one receives the changes of the other one's file and stays open for
// readers. Its memory is updated from the records that the changes touch. It does not hold what a
// store that has just been opened does not hold either: the submissions of the last
// Options.DedupWindow, and signals for jobs.

// Following reports whether the store follows another one. Writing methods then return a fault of
// kind Unavailable if they would change anything but facts about the directory, such as the folder
// of its backups.
func (s *Store) Following() bool { return s.file.Following() }

// Apply writes the changes of another store, which this one follows, and makes them visible to
// readers. All of them share one transaction; see boltfile.Writer.Apply, which also explains the
// position. The error is boltfile.ErrNewer if a newer program has upgraded the other file. After an
// error, the changes can be applied again: those that are stored already are skipped.
func (s *Store) Apply(changes []boltfile.Change, position uint64) error {
	s.file.Lock()
	defer s.file.Unlock()
	applied, err := s.file.Apply(changes, position, layout.CheckFormat)
	if !boltfile.Written(err) {
		return err
	}
	return errors.Join(err, s.follow(applied))
}

// follow updates the memory after the given changes have been applied. If that fails, the next call
// updates all of it. The caller must hold the lock of s.file.
func (s *Store) follow(applied []boltfile.Change) error {
	t := touched{all: s.outdated, records: map[ProjectID]bool{}, public: map[ProjectID]bool{}}
	if len(applied) == 0 && !t.all {
		return nil
	}
	s.commits.Add(1)
	s.outdated = true
	for _, c := range applied {
		if err := change.Each(c.Set, t.add); err != nil {
			return fmt.Errorf("read change set %d: %w", c.Position, err)
		}
	}
	err := s.file.View(func(b *boltfile.Tx) error {
		return s.reloadTouched(&Tx{bolt: b, store: s, now: s.now()}, &t)
	})
	if err != nil {
		return fmt.Errorf("read what was applied: %w", err)
	}
	s.outdated = false
	return nil
}

// touched lists the parts of a file that changes have touched and that a store holds in memory.
type touched struct {
	all                        bool // everything may have changed
	keys, account, hooks, feed bool
	files                      bool // a record on which links to files depend
	records                    map[ProjectID]bool
	public                     map[ProjectID]bool // projects with a change in what their snapshot contains, apart from the record
	texts                      int64              // size of the changed texts of blocks
}

// add adds an operation of a change set.
func (t *touched) add(op change.Op) error {
	if len(op.Bucket) == 0 {
		t.all = t.all || op.Kind == change.Drop // repair makes buckets anew
		return nil
	}
	switch string(op.Bucket[0]) {
	case string(keysBucket):
		t.keys = true
	case string(accountBucket):
		t.account = true
	case string(hooksBucket):
		t.hooks = true
	case string(feedBucket):
		t.feed = t.feed || op.Kind == change.Sequence
	case string(filesBucket), string(storageBackendsBucket), string(settingsBucket):
		t.files = true
	case string(projectsBucket):
		if op.Kind == change.Sequence {
			return nil
		}
		p, err := projectOf(op.Key)
		t.records[p], t.files = true, true
		return err
	case string(contentBucket):
		return t.addContent(op)
	}
	return nil
}

// addContent adds an operation in the content of a project.
func (t *touched) addContent(op change.Op) error {
	path := append(op.Bucket[1:len(op.Bucket):len(op.Bucket)], op.Key)
	p, err := projectOf(path[0])
	if err != nil || len(path) == 1 {
		t.public[p] = true
		return err
	}
	switch string(path[1]) {
	case string(versionsBucket), string(announcementsBucket):
		t.public[p] = true
	case string(projectSettingsBucket):
		t.public[p], t.files = true, true
	case string(feedbackSeries.Texts), string(logSeries.Texts):
		t.texts += int64(len(op.Value))
	}
	return nil
}

// reloadTouched reads the touched parts of the file into memory, and then wakes the readers of the
// feed.
func (s *Store) reloadTouched(tx *Tx, t *touched) error {
	copy(s.ids.last[:], tx.bolt.Bucket(metaBucket).Get(lastIDKey))
	s.heads, s.logGroups, s.logGroupsSize = series.Cache{}, nil, 0 // of the time before the store followed
	for _, part := range []struct {
		changed bool
		load    func(*Tx) error
	}{{t.keys, s.loadKeys}, {t.account, s.loadAccount}, {t.hooks, s.loadHooks}} {
		if part.changed || t.all {
			if err := part.load(tx); err != nil {
				return err
			}
		}
	}
	if t.all {
		for id := range s.projects.Load().byID {
			t.records[id] = true
		}
		if err := tx.eachProject(func(p ProjectID) error { t.records[p] = true; return nil }); err != nil {
			return err
		}
	}
	if err := s.refreshProjects(tx, t.records); err != nil {
		return err
	}
	maps.Copy(t.public, t.records)
	for p := range t.public {
		if slot := s.projects.Load().byID[p]; slot != nil {
			s.snapshots.drop(slot)
		}
	}
	if t.files || t.all {
		s.links.Store(&links{})
	}
	s.changedText.Add(t.texts)
	if t.feed || t.all {
		s.announceChanges(tx.bolt.Bucket(feedBucket).Sequence())
	}
	return nil
}
