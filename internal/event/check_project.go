package event

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"svc/internal/finding"
)

// projectCheck is the check of a project.
type projectCheck struct {
	*checker
	bucket *bbolt.Bucket
	path   string

	names              uint32 // how many
	subjects, sessions textsCheck
	keys               *hashReader // of the idempotency keys; nil when they are damaged
	hour               hourCheck
}

func (p *projectCheck) run() error {
	for _, name := range projectBuckets {
		if p.bucket.Bucket(name) == nil {
			p.report.Add(finding.Layout, p.path, "there is no bucket %s", name)
			return nil
		}
	}
	if err := p.checkNames(); err != nil {
		return err
	}
	var err error
	if p.subjects, err = p.checkTexts(p.bucket.Bucket(subjectsBucket), p.path+finding.Path(subjectsBucket)); err != nil {
		return err
	}
	if p.sessions, err = p.checkTexts(p.bucket.Bucket(sessionsBucket), p.path+finding.Path(sessionsBucket)); err != nil {
		return err
	}
	if err := p.checkKeys(); err != nil {
		return err
	}
	if err := p.checkBlocks(); err != nil {
		return err
	}
	return p.checkCounters()
}

// checkNames decodes the names of events, which are numbered without gaps.
func (p *projectCheck) checkNames() error {
	next := uint32(0)
	return p.bucket.Bucket(namesBucket).ForEach(func(key, value []byte) error {
		where := p.path + finding.Path(namesBucket, key)
		var one name
		if err := json.Unmarshal(value, &one); err != nil || one.Text == "" {
			p.report.Add(finding.EventName, where, "%q is not a name", value)
		}
		if len(key) != 4 || binary.BigEndian.Uint32(key) != next {
			p.report.Add(finding.EventName, where, "number %d is missing", next)
		}
		if len(key) == 4 {
			next = binary.BigEndian.Uint32(key) + 1
			p.names = max(p.names, next)
		}
		return p.read(len(value))
	})
}

// checkKeys reads all pages of the index of event ids.
func (p *projectCheck) checkKeys() error {
	b := p.bucket.Bucket(keysBucket)
	x, err := loadHashIndex(b, keyPayload)
	if err == nil {
		err = x.check(b, func(uint32) bool { return true })
	}
	if err != nil {
		p.keysAreWrong(p.path+finding.Path(keysBucket), "%v", err)
		return nil
	}
	p.keys = x.reader(b)
	return nil
}

func (p *projectCheck) keysAreWrong(where, format string, args ...any) {
	p.report.Add(finding.EventKey, where, format, args...)
	p.fix(p.path+" keys", func() error { return p.renewKeys() })
}

// check reads all pages and verifies that they are what the directory says.
// Payloads must be possible.
func (x *hashIndex) check(b *bbolt.Bucket, possible func(payload uint32) bool) error {
	for _, p := range x.all() {
		for i := range p.runs {
			r := &p.runs[i]
			n, err := x.countAlive(&hashPages{bucket: b}, p, p.runs[i:i+1], possible)
			if err != nil {
				return err
			}
			if n != int(r.entries) {
				return fmt.Errorf("%w: hash index: run %d has %d entries, not %d", ErrDamaged, r.number, n, r.entries)
			}
		}
	}
	return nil
}

// checkBlocks decodes all blocks.
func (p *projectCheck) checkBlocks() error {
	p.hour = newHourCheck(0)
	blocks := p.bucket.Bucket(blocksBucket)
	cursor := blocks.Cursor()
	for key, raw := cursor.First(); key != nil; key, raw = cursor.Next() {
		raw = valueOf(blocks, key, raw)
		where := p.path + finding.Path(blocksBucket, key)
		if len(key) != 8 {
			p.report.Add(finding.Block, where, "the key has %d bytes, not 8", len(key))
			continue
		}
		hour := binary.BigEndian.Uint32(key)
		if hour != p.hour.number {
			p.endHour()
			p.hour = newHourCheck(hour)
		}
		r, err := decodeBlock(int64(hour)*3600, raw)
		if err != nil {
			p.report.Add(finding.Block, where, "%v", err)
		} else if err := p.checkRows(where, int64(hour)*3600, r); err != nil {
			return err
		}
		if err := p.read(len(raw)); err != nil {
			return err
		}
	}
	p.endHour()
	return nil
}

// checkRows looks up what the events of a block refer to, and their ids.
func (p *projectCheck) checkRows(where string, hour int64, r *rows) error {
	for i := range r.senders {
		s := &r.senders[i]
		if !p.subjects.has(s.subject) {
			p.report.Add(finding.Reference, where, "there is no sender %d", s.subject)
		}
		if s.session != 0 && !p.sessions.has(s.session) {
			p.report.Add(finding.Reference, where, "there is no session %d", s.session)
		}
	}
	for row, name := range r.names {
		if name >= p.names {
			p.report.Add(finding.Reference, where, "row %d has name %d of %d", row, name, p.names)
		}
		s := &r.senders[r.clients[row]]
		p.hour.add(name, s.region, uint8(max(int(s.platform)-1, 0)))
	}
	return p.checkIDs(where, hour, r)
}

// idsAtOnce is how many event ids are looked up together.
const idsAtOnce = 1024

// checkIDs finds the events that are not in the index of event ids.
func (p *projectCheck) checkIDs(where string, hour int64, r *rows) error {
	if p.keys == nil {
		return nil
	}
	for from := 0; from < r.len(); from += idsAtOnce {
		hashes := make([]uint64, min(idsAtOnce, r.len()-from))
		found := make([]bool, len(hashes))
		for i := range hashes {
			hashes[i] = p.secret.hash(r.ids[from+i])
		}
		err := p.keys.all(hashes, func(i int, payload uint32) bool {
			found[i] = found[i] || payload == keyOf(hour+int64(r.seconds[from+i]))
			return !found[i]
		})
		if err != nil { // the table of a page whose sum is right
			p.keysAreWrong(where, "%v", err)
			p.keys = nil
			return nil
		}
		for i, ok := range found {
			if !ok {
				p.keysAreWrong(where, "event %q is not in the index of event ids", r.ids[from+i])
			}
		}
	}
	return nil
}

// notStored finds events of the tail that are in a block, too: they would be
// counted twice.
func (p *projectCheck) notStored(batch *tailBatch) error {
	if p.keys == nil {
		return nil
	}
	blocks := p.bucket.Bucket(blocksBucket)
	hashes := make([]uint64, len(batch.items))
	for i := range batch.items {
		hashes[i] = p.secret.hash(batch.items[i].id)
	}
	var broken error
	err := p.keys.all(hashes, func(i int, payload uint32) bool {
		stored, err := storedID(blocks, payload, batch.items[i].id)
		if err == nil && stored {
			err = fmt.Errorf("event %q is in a block, too", batch.items[i].id)
		}
		broken = errors.Join(broken, err)
		return broken == nil
	})
	return errors.Join(err, broken)
}
