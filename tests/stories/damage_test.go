package stories

import (
	"bytes"
	"encoding/binary"
	"errors"

	"svc/internal/boltfile"
	"svc/internal/instance"
	"svc/internal/integrity"
	"svc/internal/replica/format"
)

// damageSteps damage a database and repair it.
var damageSteps = []step{
	{name: "repair of the records", weight: 2, counts: true, do: func(s *story) { damageAndRepair(s, format.Records, recordDamage) }},
	{name: "repair of the events", weight: 2, counts: true, do: func(s *story) { damageAndRepair(s, format.Events, eventDamage) }},
}

// damage is something that Repair can repair.
type damage struct {
	kind integrity.Kind
	do   func(*story, *boltfile.Tx) error
}

var recordDamage = []damage{
	{integrity.Name, loseKey("names")},
	{integrity.Owner, loseKey("owners")},
	{integrity.FileIndex, loseKey("file_order")},
	{integrity.Number, loseSequence},
	{integrity.Miscount, inEach("content", func(_ *story, content *boltfile.Bucket) error {
		counts := content.Bucket([]byte("counts"))
		key, _ := counts.Cursor().First()
		if key == nil {
			return nil
		}
		return counts.Put(bytes.Clone(key), binary.BigEndian.AppendUint64(nil, 99))
	})},
	{integrity.VersionName, inEach("content", func(s *story, content *boltfile.Bucket) error {
		return lose(s, content.Bucket([]byte("version_names")))
	})},
}

var eventDamage = []damage{
	{integrity.EventKey, inEach("projects", func(s *story, project *boltfile.Bucket) error {
		return lose(s, project.Bucket([]byte("keys")))
	})},
	{integrity.Undercount, inEach("projects", func(s *story, project *boltfile.Bucket) error {
		return lose(s, project.Bucket([]byte("counters")))
	})},
}

// lose deletes a random entry of a bucket, which may be nil.
func lose(s *story, b *boltfile.Bucket) error {
	if b == nil {
		return nil
	}
	var keys [][]byte
	err := b.ForEach(func(key, value []byte) error {
		if value != nil {
			keys = append(keys, bytes.Clone(key))
		}
		return nil
	})
	if err != nil || len(keys) == 0 {
		return err
	}
	return b.Delete(one(s, keys...))
}

func loseKey(bucket string) func(*story, *boltfile.Tx) error {
	return func(s *story, tx *boltfile.Tx) error { return lose(s, tx.Bucket([]byte(bucket))) }
}

func loseSequence(_ *story, tx *boltfile.Tx) error {
	if b := tx.Bucket([]byte("projects")); b.Sequence() > 0 {
		return b.SetSequence(0)
	}
	return nil
}

// inEach damages each bucket in a bucket.
func inEach(bucket string, do func(*story, *boltfile.Bucket) error) func(*story, *boltfile.Tx) error {
	return func(s *story, tx *boltfile.Tx) error {
		all := tx.Bucket([]byte(bucket))
		return all.ForEach(func(name, value []byte) error {
			if value != nil {
				return nil
			}
			return do(s, all.Bucket(name))
		})
	}
}

// damageAndRepair damages a database, so that its copy gets the same damage, and repairs it with the
// means of svc check --repair.
func damageAndRepair(s *story, of format.File, kinds []damage) {
	if _, follows := s.copy.(*standby); follows {
		return
	}
	s.must(s.close())
	inflicted := one(s, kinds...)
	s.told[len(s.told)-1] += " after damage of kind " + string(inflicted.kind)
	s.openSpool()
	db, err := boltfile.Open(s.path(nameOf[of]), boltfile.Options{NoSync: true, Recorder: s.spool.Recorder(of)})
	s.must(err)
	file := boltfile.NewWriter(db, silent)
	file.Lock()
	err = file.Update(func(tx *boltfile.Tx) error { return inflicted.do(s, tx) })
	file.Unlock()
	s.must(errors.Join(err, file.Close(), s.spool.Close()))

	found := s.check()
	skipped, err := instance.Repair(s.Context(), s.dir, found)
	s.must(err)
	if left := instance.Repairable(s.check()); len(left) > 0 || len(skipped) > 0 {
		s.Fatalf("after the repair: %v are left, %v were skipped", left, skipped)
	}
	for _, c := range instance.Repairable(found) {
		s.happened("repair of kind " + string(c.Kind))
		s.happened("repair of the " + map[format.File]string{format.Records: "records", format.Events: "events"}[of])
	}
	s.open(0)
}

// check checks both databases, which must not be open.
func (s *story) check() *integrity.Report {
	report := integrity.NewReport(nil)
	s.must(instance.CheckDatabases(s.Context(), s.dir, report))
	return report
}
