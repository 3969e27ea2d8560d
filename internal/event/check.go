package event

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"svc/internal/boltfile"
	"svc/internal/event/block"
	"svc/internal/event/dictionary"
	"svc/internal/event/encoding"
	"svc/internal/event/hashindex"
	"svc/internal/hourly"
	"svc/internal/integrity"
)

// Check verifies every page and value of a file: it decodes all blocks and texts, and
// checks that every event is in the index of event IDs and that every name, sender and
// session to which an event refers exists. It adds the damage that it finds to report.
// Check only reads the file, and nothing may write to it during the check. The memory
// that it uses does not grow with the number of events. If the file cannot be read at
// all, the error is ErrDamaged. Other errors are ErrNewer, ErrLocked, and errors of the
// file system or of ctx. The error contains the path.
func Check(ctx context.Context, path string, report *integrity.Report) error {
	return boltfile.Check(path, report, func(tx *boltfile.Tx) error {
		return newChecker(ctx, tx, report).run()
	})
}

// checker verifies the invariants of a file in one transaction.
type checker struct {
	ctx    context.Context
	tx     *boltfile.Tx
	report *integrity.Report
	secret hashindex.Secret
	known  map[Project]*projectCheck
	seen   int64 // bytes read so far

	// fix is called for each finding that can be repaired. The parameter put performs the
	// repair, and name identifies the repair, because several findings can lead to the
	// same one.
	fix func(name string, put func() error)
}

func newChecker(ctx context.Context, tx *boltfile.Tx, report *integrity.Report) *checker {
	return &checker{ctx: ctx, tx: tx, report: report, known: map[Project]*projectCheck{}, fix: func(string, func() error) {}}
}

// run checks the whole file and adds its findings to the report. An error means that the
// check could not continue.
func (c *checker) run() error {
	flushed, whole, err := c.marks()
	if err != nil || !whole {
		return err
	}
	all := c.tx.Bucket(projectsBucket)
	err = all.ForEach(func(key, value []byte) error {
		if value != nil || len(key) != 4 {
			c.report.Add(integrity.Layout, integrity.Path(projectsBucket, key), "it is not the bucket of a project")
			return nil
		}
		p := &projectCheck{checker: c, bucket: all.Bucket(key), path: integrity.Path(projectsBucket, key)}
		c.known[Project(binary.BigEndian.Uint32(key))] = p
		return p.run()
	})
	if err != nil {
		return err
	}
	return c.wal(flushed)
}

// marks checks the buckets and meta values that every file must have, and returns the
// number of the last WAL generation that has been written as blocks. whole is false if
// the check cannot continue.
func (c *checker) marks() (flushed uint64, whole bool, err error) {
	meta, whole, err := layout.Check(c.tx, c.report)
	if meta == nil || err != nil {
		return 0, false, err
	}
	secret := meta.Get(secretKey)
	if copy(c.secret[:], secret); len(secret) != len(c.secret) {
		c.report.Add(integrity.Layout, "/meta/secret", "the key of the hashes is missing")
		whole = false
	}
	raw := meta.Get(flushedKey)
	if len(raw) != 8 {
		c.report.Add(integrity.Layout, "/meta/flushed", "the number of the last WAL generation that was written as blocks is missing")
		return 0, false, nil
	}
	return binary.BigEndian.Uint64(raw), whole, nil
}

// read adds the given number of bytes to the progress that is reported. It returns the
// error of c.ctx, so that a cancelled check stops.
func (c *checker) read(bytes int) error {
	c.seen += int64(bytes)
	c.report.Progress(c.seen, c.tx.Size())
	return c.ctx.Err()
}

// wal checks the write-ahead log, which holds the events that are not in blocks yet.
// flushed is the number of its last generation that has been written as blocks.
func (c *checker) wal(flushed uint64) error {
	wal := c.tx.Bucket(walBucket)
	return wal.ForEach(func(key, value []byte) error {
		where := integrity.Path(walBucket, key)
		if value != nil || len(key) != 8 || binary.BigEndian.Uint64(key) <= flushed {
			c.report.Add(integrity.WAL, where, "it does not follow generation %d, the last one that was written as blocks", flushed)
			return nil
		}
		return wal.Bucket(key).EachValue(func(number, value []byte) error {
			if err := c.commit(value); err != nil {
				c.report.Add(integrity.WAL, where+"/"+integrity.Key(number), "%v", err)
			}
			return c.read(len(value))
		})
	})
}

// commit checks one value of the WAL. A value holds the batches of one commit.
func (c *checker) commit(value []byte) error {
	if value == nil {
		return errWAL
	}
	var batch walBatch
	for r := newWALReader(value); len(r.Rest) > 0; {
		if err := r.next(&batch); err != nil {
			return err
		}
		p := c.known[batch.project]
		if p == nil {
			continue // deleted
		}
		for i := range batch.items {
			if name := batch.items[i].name; !p.names[name] {
				return fmt.Errorf("an event has name %d, which does not exist", name)
			}
		}
		if err := p.notStored(&batch); err != nil {
			return err
		}
	}
	return nil
}

// projectCheck checks one project.
type projectCheck struct {
	*checker
	bucket *boltfile.Bucket
	path   string

	names              map[uint32]bool // numbers to which a name is assigned
	subjects, sessions dictionary.Numbers
	keys               *hashindex.Reader // reads the index of event IDs; nil if the index is damaged
	hour               hourCheck
}

func (p *projectCheck) run() error {
	for _, name := range projectBuckets {
		if p.bucket.Bucket(name) == nil {
			p.report.Add(integrity.Layout, p.path, "there is no bucket %s", name)
			return nil
		}
	}
	for _, part := range []func() error{p.checkNames, p.checkTexts, p.checkKeys, p.checkBlocks, p.checkCounters} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// checkTexts checks the dictionaries of distinct_ids and session_ids.
func (p *projectCheck) checkTexts() (err error) {
	texts := dictionary.Checker{Report: p.report, Secret: p.secret, Read: p.read, Fix: p.fix}
	if p.subjects, err = texts.Check(p.bucket.Bucket(subjectsBucket), p.path+integrity.Path(subjectsBucket)); err != nil {
		return err
	}
	p.sessions, err = texts.Check(p.bucket.Bucket(sessionsBucket), p.path+integrity.Path(sessionsBucket))
	return err
}

// checkNames decodes the event names and collects their numbers in p.names.
func (p *projectCheck) checkNames() error {
	p.names = map[uint32]bool{}
	return p.bucket.Bucket(namesBucket).ForEach(func(key, value []byte) error {
		where := p.path + integrity.Path(namesBucket, key)
		var one name
		if err := json.Unmarshal(value, &one); err != nil || one.Text == "" {
			p.report.Add(integrity.EventName, where, "%q is not a name", value)
		}
		if len(key) != 4 || binary.BigEndian.Uint32(key) >= endOfNumbers {
			p.report.Add(integrity.EventName, where, "the key is not a number below %d of 4 bytes", endOfNumbers)
		} else {
			p.names[binary.BigEndian.Uint32(key)] = true
		}
		return p.read(len(value))
	})
}

// checkKeys checks all pages of the index of event IDs.
func (p *projectCheck) checkKeys() error {
	b := p.bucket.Bucket(keysBucket)
	x, err := hashindex.Load(b, keyPayload)
	if err == nil {
		err = x.Check(b, func(uint32) bool { return true })
	}
	if err != nil {
		p.keysAreWrong(p.path+integrity.Path(keysBucket), "%v", err)
		return nil
	}
	p.keys = x.Reader(b)
	return nil
}

func (p *projectCheck) keysAreWrong(where, format string, args ...any) {
	p.report.Add(integrity.EventKey, where, format, args...)
	p.fix(p.path+" keys", func() error { return p.renewKeys() })
}

// checkBlocks decodes all blocks and checks their events.
func (p *projectCheck) checkBlocks() error {
	p.hour = newHourCheck(0)
	blocks := p.bucket.Bucket(blocksBucket)
	cursor := blocks.Cursor()
	for key, raw := cursor.First(); key != nil; key, raw = cursor.Next() {
		raw = blocks.ValueAt(key, raw)
		where := p.path + integrity.Path(blocksBucket, key)
		if len(key) != 8 {
			p.report.Add(integrity.Block, where, "the key has %d bytes, not 8", len(key))
			continue
		}
		hour := binary.BigEndian.Uint32(key)
		if hour != p.hour.number {
			p.endHour()
			p.hour = newHourCheck(hour)
		}
		r, err := block.Decode(int64(hour)*3600, raw)
		if err != nil {
			p.report.Add(integrity.Block, where, "%v", err)
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

// checkRows checks that the names, senders and sessions of a block's events exist, and
// that the IDs of the events are indexed.
func (p *projectCheck) checkRows(where string, hour int64, r *block.Rows) error {
	for i := range r.Senders {
		s := &r.Senders[i]
		if !p.subjects.Has(s.Subject) {
			p.report.Add(integrity.Reference, where, "there is no sender %d", s.Subject)
		}
		if s.Session != 0 && !p.sessions.Has(s.Session) {
			p.report.Add(integrity.Reference, where, "there is no session %d", s.Session)
		}
	}
	for row, name := range r.Names {
		if !p.names[name] {
			p.report.Add(integrity.Reference, where, "row %d has name %d, which does not exist", row, name)
		}
		s := &r.Senders[r.SenderOf[row]]
		p.hour.add(name, s.Region, uint8(max(int(s.Platform)-1, 0)))
	}
	return p.checkIDs(where, hour, r)
}

// idsAtOnce is the number of event IDs that are looked up together.
const idsAtOnce = 1024

// checkIDs reports the events that are missing from the index of event IDs.
func (p *projectCheck) checkIDs(where string, hour int64, r *block.Rows) error {
	if p.keys == nil {
		return nil
	}
	for from := 0; from < r.Len(); from += idsAtOnce {
		hashes := make([]uint64, min(idsAtOnce, r.Len()-from))
		found := make([]bool, len(hashes))
		for i := range hashes {
			hashes[i] = p.secret.Hash(r.IDs[from+i])
		}
		err := p.keys.All(hashes, func(i int, payload uint32) bool {
			found[i] = found[i] || payload == keyOf(hour+int64(r.Seconds[from+i]))
			return !found[i]
		})
		if err != nil { // a page with a valid checksum has a broken table
			p.keysAreWrong(where, "%v", err)
			p.keys = nil
			return nil
		}
		for i, ok := range found {
			if !ok {
				p.keysAreWrong(where, "event %q is not in the index of event ids", r.IDs[from+i])
			}
		}
	}
	return nil
}

// notStored returns an error if an event of a WAL batch is also in a block, because
// queries would count it twice.
func (p *projectCheck) notStored(batch *walBatch) error {
	if p.keys == nil {
		return nil
	}
	blocks := p.bucket.Bucket(blocksBucket)
	hashes := make([]uint64, len(batch.items))
	for i := range batch.items {
		hashes[i] = p.secret.Hash(batch.items[i].id)
	}
	var broken error
	err := p.keys.All(hashes, func(i int, payload uint32) bool {
		stored, err := storedID(blocks, payload, batch.items[i].id)
		if err == nil && stored {
			err = fmt.Errorf("event %q is also in a block", batch.items[i].id)
		}
		broken = errors.Join(broken, err)
		return broken == nil
	})
	return errors.Join(err, broken)
}

// hourCheck counts the events of an hour by the dimensions of the hourly counters, except
// the time zone of the client, which blocks do not store.
type hourCheck struct {
	number  uint32 // hours since 1970
	counted map[uint64]int64
}

func newHourCheck(number uint32) hourCheck {
	return hourCheck{number: number, counted: map[uint64]int64{}}
}

// withoutOffset returns the key of a counter with the time zone of the client removed.
func withoutOffset(what uint64) uint64 { return what >> 7 << 7 }

func (h *hourCheck) add(name uint32, region uint16, platform uint8) {
	h.counted[counter{name: name, region: region, platform: platform}.what()]++
}

// checkCounters decodes the counters of all hours.
func (p *projectCheck) checkCounters() error {
	return p.bucket.Bucket(countersBucket).ForEach(func(key, value []byte) error {
		where := p.path + integrity.Path(countersBucket, key)
		missing := map[uint32]bool{}
		err := hourly.Each(value, func(what uint64, _ int64) {
			if name := counterFrom(0, what).name; !p.names[name] {
				missing[name] = true
			}
		})
		switch {
		case err != nil || len(key) != 4:
			p.report.Add(integrity.Counters, where, "%d bytes under a key of %d bytes are not counters", len(value), len(key))
		case len(missing) > 0:
			p.report.Add(integrity.Counters, where, "there are counters of name %d, which does not exist",
				slices.Min(slices.Collect(maps.Keys(missing))))
		}
		return p.read(len(value))
	})
}

// endHour compares the events of an hour with its counters. The counters may be higher,
// because erasing or expiring events does not change them. They must not be lower, except
// in hours from which counters have been removed: such an hour can have counters for only
// those events that arrived after the removal.
func (p *projectCheck) endHour() {
	if len(p.hour.counted) == 0 || p.hour.number < p.countersFrom() {
		return
	}
	hour, missing := p.hour.number, p.hour.counted
	p.hour.counted = nil
	b := p.bucket.Bucket(countersBucket)
	if raw := b.Get(encoding.Key32(hour)); raw != nil {
		err := hourly.Each(raw, func(what uint64, n int64) { missing[withoutOffset(what)] -= n })
		if err != nil {
			return // checkCounters reports it
		}
	}
	events, list := int64(0), []counted(nil)
	for what, n := range missing {
		if n > 0 {
			events += n
			list = append(list, counted{what, n})
		}
	}
	if events == 0 {
		return
	}
	where := p.path + integrity.Path(countersBucket, encoding.Key32(hour))
	p.report.Add(integrity.Undercount, where, "%d events of the hour are not counted", events)
	p.fix(where, func() error { return addToHours(b, map[uint32][]counted{hour: list}) })
}

// countersFrom returns the first hour from which no counters have been removed, in hours
// since 1970. If the file does not record that hour, it is the first hour with counters,
// because counters are removed in whole hours, the oldest first.
func (p *projectCheck) countersFrom() uint32 {
	if raw := p.bucket.Get(countersFromKey); len(raw) == 4 {
		return binary.BigEndian.Uint32(raw)
	}
	if first, _ := p.bucket.Bucket(countersBucket).Cursor().First(); len(first) == 4 {
		return binary.BigEndian.Uint32(first)
	}
	return math.MaxUint32
}
