package store

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"svc/internal/boltfile"
	"svc/internal/finding"
)

// Check looks at every page and record of a file that nobody writes to, and holds
// them to what docs/format.md says. The file is only read. The errors are
// ErrNewer, ErrLocked, ErrDamaged for a file of which nothing can be read, what
// the file system says, or that of ctx, each with the path.
func Check(ctx context.Context, path string, report *finding.Report) error {
	return boltfile.Check(path, report, func(t *bbolt.Tx) error {
		return newChecker(ctx, &Tx{bolt: t}, report).run()
	})
}

// checker holds a file to its rules, in one transaction.
type checker struct {
	ctx    context.Context
	tx     *Tx
	report *finding.Report

	projects map[ProjectID]*Project
	unread   map[ProjectID]bool // have a record that cannot be decoded: they cannot be counted
	last     ID                 // the last one that was given out
	greatest ID                 // the greatest one in use
	owned    int                // records that must have an owner
	seen     int64              // bytes

	// fix takes what would put a finding right; nil where nobody wants to.
	fix func(func() error)
}

func newChecker(ctx context.Context, tx *Tx, report *finding.Report) *checker {
	return &checker{
		ctx: ctx, tx: tx, report: report, projects: map[ProjectID]*Project{}, unread: map[ProjectID]bool{},
		fix: func(func() error) {},
	}
}

func (c *checker) bucket(name []byte) *bbolt.Bucket { return c.tx.bolt.Bucket(name) }

// run checks everything. An error is not about the data.
func (c *checker) run() error {
	whole, err := c.marks()
	if err != nil || !whole {
		return err
	}
	if err := c.readProjects(); err != nil {
		return err
	}
	for _, p := range slices.Sorted(maps.Keys(c.projects)) {
		if err := c.content(p); err != nil {
			return err
		}
	}
	for _, part := range []func() error{c.leftovers, c.names, c.owners, c.keys, c.account, c.feed} {
		if err := part(); err != nil {
			return err
		}
	}
	c.issued()
	return nil
}

// marks looks at what every file has; whole is false where that is not enough to
// go on.
func (c *checker) marks() (whole bool, err error) {
	whole = true
	for _, name := range rootBuckets {
		if c.bucket(name) == nil {
			c.report.Add(finding.Layout, "/", "there is no bucket %s", name)
			whole = false
		}
	}
	meta := c.bucket(metaBucket)
	if meta == nil {
		return false, nil
	}
	raw := meta.Get(formatKey)
	if len(raw) != 4 {
		c.report.Add(finding.Layout, "/meta/format", "there is no format number")
		return false, nil
	}
	if format := binary.BigEndian.Uint32(raw); format > Format {
		return false, fmt.Errorf("format %d, this program reads up to %d: %w", format, Format, ErrNewer)
	}
	if n := len(meta.Get(storeIDKey)); n != len(uuid.UUID{}) {
		c.report.Add(finding.Layout, "/meta/store_id", "the id of the file has %d bytes, not 16", n)
	}
	if raw := meta.Get(lastIDKey); raw != nil && len(raw) != len(c.last) {
		c.report.Add(finding.Layout, "/meta/last_id", "the last id has %d bytes, not 16", len(raw))
	} else {
		copy(c.last[:], raw)
	}
	return whole, nil
}

// each visits the entries of a bucket until ctx ends, and says how far it is.
func (c *checker) each(b *bbolt.Bucket, visit func(key, value []byte) error) error {
	cursor, n := b.Cursor(), 0
	for key, value := cursor.First(); key != nil; key, value = cursor.Next() {
		c.seen += int64(len(key) + len(value))
		if n++; n%1000 == 1 {
			if err := c.ctx.Err(); err != nil {
				return err
			}
			c.report.Progress(c.seen, c.tx.bolt.Size())
		}
		if err := visit(key, value); err != nil {
			return err
		}
	}
	return nil
}

// use notes an id that something has.
func (c *checker) use(id ID) {
	if string(id[:]) > string(c.greatest[:]) {
		c.greatest = id
	}
}

// issued compares the ids in use with the last one that was given out.
func (c *checker) issued() {
	if string(c.greatest[:]) <= string(c.last[:]) {
		return
	}
	c.report.Add(finding.Number, "/meta/last_id", "id %s is in use and greater than the last one given out, %s", c.greatest, c.last)
	greatest := c.greatest
	c.fix(func() error { return c.bucket(metaBucket).Put(lastIDKey, greatest[:]) })
}

// sequence compares the numbers in use in a bucket with the last one that was
// given out.
func (c *checker) sequence(b *bbolt.Bucket, where string, used uint64) {
	if used <= b.Sequence() {
		return
	}
	c.report.Add(finding.Number, where, "number %d is in use, the last one given out is %d", used, b.Sequence())
	c.fix(func() error { return b.SetSequence(used) })
}

// decoded reads a record whose key is an id. Where it cannot, that is in the
// report and the result nil.
func decoded[T any](c *checker, path string, key, raw []byte) (*T, ID) {
	id, err := idOf(key)
	if err != nil {
		c.report.Add(finding.Record, path+"/"+finding.Key(key), "the key has %d bytes, not the 16 of an id", len(key))
		return nil, id
	}
	v, err := decode[T](key, raw)
	if err != nil {
		c.report.Add(finding.Record, path+"/"+id.String(), "%v", err)
		return nil, id
	}
	c.use(id)
	return v, id
}

// isObject reports whether a free-form value is the JSON object that it must be,
// or nothing.
func isObject(raw json.RawMessage) bool {
	return len(raw) == 0 || raw[0] == '{'
}

func (c *checker) readProjects() error {
	b := c.bucket(projectsBucket)
	greatest := uint64(0)
	err := c.each(b, func(key, raw []byte) error {
		where := finding.Path(projectsBucket, key)
		if len(key) != 4 || raw == nil {
			c.report.Add(finding.Record, where, "the key has %d bytes, not the 4 of a project number", len(key))
			return nil
		}
		id := ProjectID(binary.BigEndian.Uint32(key))
		greatest = max(greatest, uint64(id))
		p, err := decode[Project](key, raw)
		if err != nil {
			c.report.Add(finding.Record, where, "%v", err)
			c.projects[id] = nil
			return nil
		}
		p.ID = id
		c.projects[id] = p
		return nil
	})
	c.sequence(b, "/projects", greatest)
	return err
}

// leftovers looks for content of deleted projects.
func (c *checker) leftovers() error {
	all := c.bucket(contentBucket)
	return c.each(all, func(key, raw []byte) error {
		if raw != nil || len(key) != 4 {
			c.report.Add(finding.Record, finding.Path(contentBucket, key), "it is not the bucket of a project")
			return nil
		}
		if !c.tx.alive(key) {
			c.report.Add(finding.Leftover, finding.Path(contentBucket, key), "the project is deleted")
		}
		return nil
	})
}

func (c *checker) account() error {
	return c.each(c.bucket(accountBucket), func(key, raw []byte) error {
		where := finding.Path(accountBucket, key)
		a, err := decode[Account](key, raw)
		if err == nil && string(key) != string(adminKey) {
			err = errors.New("it is not that of the administrator")
		}
		if err != nil {
			c.report.Add(finding.Record, where, "%v", err)
			return nil
		}
		c.use(a.ID)
		return nil
	})
}

func (c *checker) keys() error {
	return c.each(c.bucket(keysBucket), func(key, raw []byte) error {
		k, id := decoded[APIKey](c, finding.Path(keysBucket), key, raw)
		if k == nil {
			return nil
		}
		k.ID = id
		var there []ProjectID
		for _, p := range k.Projects {
			if _, ok := c.projects[p]; ok {
				there = append(there, p)
				continue
			}
			c.report.Add(finding.KeyProject, "/api_keys/"+id.String(), "there is no project number %d", p)
		}
		if len(there) < len(k.Projects) {
			k.Projects = there
			c.fix(func() error { return put(c.bucket(keysBucket), id[:], k) })
		}
		return nil
	})
}

func (c *checker) feed() error {
	b := c.bucket(feedBucket)
	greatest := uint64(0)
	err := c.each(b, func(key, ref []byte) error {
		_, err := ParseRef(string(ref))
		if err == nil && len(key) == 8 {
			greatest = max(greatest, binary.BigEndian.Uint64(key))
			return nil
		}
		c.report.Add(finding.Feed, finding.Path(feedBucket, key), "a key of %d bytes leads to %x", len(key), ref)
		key = append([]byte(nil), key...)
		c.fix(func() error { return b.Delete(key) })
		return nil
	})
	c.sequence(b, "/feed", greatest)
	return err
}
