package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"svc/internal/loggroup"
	"svc/store/column"
)

// Writing the groups of all uploaded logs in each commit would slow down uploads noticeably. The
// groups in the file therefore count the logs of a block only when the block is complete, or as
// soon as anything else about a group changes. A transaction that needs the groups before that
// counts the remaining logs from their records. No log is lost or counted twice in a crash, because
// everything in memory can be computed from the file.

// countedKey is a key in the bucket of the log groups. Its value is the number of the first log
// that the groups in the file do not count. It is missing as long as no log has been added after
// those that GroupLogs must group.
var countedKey = []byte("counted")

// maxLogGroupsCached is the maximum number of groups that the store keeps decoded between
// transactions. Each project with such groups counts as one more group.
const maxLogGroupsCached = 4096

// projectGroups contains decoded groups of a project. Their counts include all logs of the project.
type projectGroups struct {
	decoded map[loggroup.ID]*LogGroup // the groups used so far, including all that differ from the file
	tailed  bool                      // whether the file has countedKey
	counted uint64                    // the number at countedKey
	next    uint64                    // number of the next log; valid if tailed
	urgent  bool                      // the transaction must write the groups that differ from the file
}

// groupsOf returns the groups of a project. A write transaction takes them from the groups that the
// store keeps decoded. If the transaction fails, they are discarded.
func (tx *Tx) groupsOf(p ProjectID) (*projectGroups, error) {
	if groups := tx.groups[p]; groups != nil {
		return groups, nil
	}
	if tx.groups == nil {
		tx.groups = map[ProjectID]*projectGroups{}
	}
	if tx.heads != nil {
		if groups := tx.store.takeGroups(p); groups != nil {
			tx.groups[p] = groups
			return groups, nil
		}
	}
	groups := &projectGroups{decoded: map[loggroup.ID]*LogGroup{}}
	tx.groups[p] = groups
	if err := tx.countTail(p, groups); err != nil {
		delete(tx.groups, p)
		return nil, err
	}
	return groups, nil
}

// countTail adds the logs that the groups in the file do not count yet to the decoded groups. It
// ignores damaged records, which the check of the file reports.
func (tx *Tx) countTail(p ProjectID, groups *projectGroups) (err error) {
	b := tx.contentBucket(p, logGroupsBucket)
	if b == nil {
		return nil
	}
	raw := b.Get(countedKey)
	if raw == nil {
		return nil
	}
	if groups.counted, err = numberOf(raw, 8); err != nil {
		return nil
	}
	list := logSeries.of(tx, p)
	groups.tailed, groups.next = true, list.Length()
	return list.EachFrom(groups.counted, func(l *Log) error {
		s := l.sighting()
		if s.id == (loggroup.ID{}) {
			return nil
		}
		g, err := tx.group(p, s.id)
		if g == nil && err == nil {
			g, err = tx.group(p, loggroup.Overflow)
		}
		var v AppVersion
		if g != nil {
			v, err = tx.orderIn(p, g, s.version)
		}
		if err != nil || g == nil {
			return ignoreDamage(err)
		}
		g.count(s, v)
		return nil
	})
}

func ignoreDamage(err error) error {
	if errors.Is(err, ErrDamaged) {
		return nil
	}
	return err
}

// extendGroups returns the groups of a project before a log is added to the project. If the file
// has no countedKey yet, extendGroups writes it.
func (tx *Tx) extendGroups(p ProjectID) (*projectGroups, error) {
	groups, err := tx.groupsOf(p)
	if err != nil || groups.tailed {
		return groups, err
	}
	if err := tx.beginGrouping(p); err != nil {
		return nil, err
	}
	n := logSeries.of(tx, p).Length()
	groups.tailed, groups.counted, groups.next = true, n, n
	return groups, groups.writeCounted(tx, p)
}

func (groups *projectGroups) writeCounted(tx *Tx, p ProjectID) error {
	return tx.contentBucket(p, logGroupsBucket).Put(countedKey, binary.BigEndian.AppendUint64(nil, groups.counted))
}

// writeGroupsOf makes the transaction write the groups of a project that differ from the file. It
// must be called before any change that would make countTail count the logs differently.
func (tx *Tx) writeGroupsOf(p ProjectID) error {
	groups, err := tx.groupsOf(p)
	if err == nil {
		groups.urgent = true
	}
	return err
}

// writeGroups writes the groups that this transaction or earlier ones have changed. It skips
// projects without an urgent change or a block that has become complete.
func writeGroups(tx *Tx) error {
	for _, p := range slices.Sorted(maps.Keys(tx.groups)) {
		groups, b := tx.groups[p], tx.contentBucket(p, logGroupsBucket)
		due := groups.urgent || groups.next/column.BlockSize > groups.counted/column.BlockSize
		if !due || b == nil { // nil: the project was deleted in this transaction
			continue
		}
		for _, id := range slices.SortedFunc(maps.Keys(groups.decoded), func(a, b loggroup.ID) int { return bytes.Compare(a[:], b[:]) }) {
			g := groups.decoded[id]
			if !g.changed {
				continue
			}
			if err := b.Put(id[:], g.encode()); err != nil {
				return err
			}
			g.changed = false
		}
		groups.urgent = false
		if groups.counted != groups.next {
			groups.counted = groups.next
			if err := groups.writeCounted(tx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeGroups removes the groups of a project from those that the store keeps decoded, and returns
// them. It returns nil if there are none. The caller must hold the lock of s.file.
func (s *Store) takeGroups(p ProjectID) *projectGroups {
	groups := s.logGroups[p]
	if groups != nil {
		delete(s.logGroups, p)
		s.logGroupsSize -= 1 + len(groups.decoded)
	}
	return groups
}

// keepGroups keeps the groups of a committed transaction decoded. If the store then keeps more than
// maxLogGroupsCached, it drops the groups of arbitrary projects. The caller must hold the lock of
// s.file.
func (s *Store) keepGroups(groups map[ProjectID]*projectGroups) {
	if s.logGroups == nil {
		s.logGroups = map[ProjectID]*projectGroups{}
	}
	for p, g := range groups {
		s.logGroups[p] = g
		s.logGroupsSize += 1 + len(g.decoded)
	}
	for p := range s.logGroups {
		if s.logGroupsSize <= maxLogGroupsCached {
			break
		}
		s.takeGroups(p)
	}
}

// group returns a group of a project, which the transaction may change, or nil if the group does
// not exist.
func (tx *Tx) group(p ProjectID, id loggroup.ID) (*LogGroup, error) {
	groups, err := tx.groupsOf(p)
	if err != nil {
		return nil, err
	}
	if g := groups.decoded[id]; g != nil {
		return g, nil
	}
	b := tx.contentBucket(p, logGroupsBucket)
	if b == nil {
		return nil, nil
	}
	raw := b.Get(id[:])
	if raw == nil {
		return nil, nil
	}
	g, err := decodeLogGroup(id, raw)
	if err != nil {
		return nil, err
	}
	groups.decoded[id] = g
	return g, nil
}
