package event

import (
	"context"
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"

	"svc/internal/boltfile"
	"svc/internal/finding"
)

// Check looks at every page and value of a file that nobody writes to: all blocks
// and texts are decoded, every event must be in the index of event ids, and every
// number must lead to something. The file is only read; the memory that it takes
// does not grow with the events. The errors are ErrNewer, ErrLocked, ErrDamaged
// for a file of which nothing can be read, what the file system says, or that of
// ctx, each with the path.
func Check(ctx context.Context, path string, report *finding.Report) error {
	return boltfile.Check(path, report, func(tx *bbolt.Tx) error {
		return newChecker(ctx, tx, report).run()
	})
}

// checker holds a file to its rules, in one transaction.
type checker struct {
	ctx    context.Context
	tx     *bbolt.Tx
	report *finding.Report
	secret secret
	known  map[Project]*projectCheck
	seen   int64 // bytes

	// fix takes what would put a finding right; it may be told the same twice.
	fix func(name string, put func() error)
}

func newChecker(ctx context.Context, tx *bbolt.Tx, report *finding.Report) *checker {
	return &checker{ctx: ctx, tx: tx, report: report, known: map[Project]*projectCheck{}, fix: func(string, func() error) {}}
}

// run checks everything. An error is not about the data.
func (c *checker) run() error {
	flushed, whole, err := c.marks()
	if err != nil || !whole {
		return err
	}
	all := c.tx.Bucket(projectsBucket)
	err = all.ForEach(func(key, value []byte) error {
		if value != nil || len(key) != 4 {
			c.report.Add(finding.Layout, finding.Path(projectsBucket, key), "it is not the bucket of a project")
			return nil
		}
		p := &projectCheck{checker: c, bucket: all.Bucket(key), path: finding.Path(projectsBucket, key)}
		c.known[Project(binary.BigEndian.Uint32(key))] = p
		return p.run()
	})
	if err != nil {
		return err
	}
	return c.tail(flushed)
}

// marks looks at what every file has; whole is false where that is not enough to
// go on.
func (c *checker) marks() (flushed uint64, whole bool, err error) {
	whole = true
	missing := func(where, what string) {
		c.report.Add(finding.Layout, where, "there is no %s", what)
		whole = false
	}
	for _, name := range [][]byte{metaBucket, tailBucket, projectsBucket} {
		if c.tx.Bucket(name) == nil {
			missing("/", "bucket "+string(name))
		}
	}
	meta := c.tx.Bucket(metaBucket)
	if meta == nil {
		return 0, false, nil
	}
	raw := meta.Get(formatKey)
	switch {
	case len(raw) != 4:
		missing("/meta/format", "format number")
	case binary.BigEndian.Uint32(raw) > Format:
		return 0, false, fmt.Errorf("format %d, this program reads up to %d: %w", binary.BigEndian.Uint32(raw), Format, ErrNewer)
	}
	if copy(c.secret[:], meta.Get(secretKey)) != len(c.secret) || len(meta.Get(secretKey)) != len(c.secret) {
		missing("/meta/secret", "key of the hashes")
	}
	raw = meta.Get(flushedKey)
	if len(raw) != 8 {
		missing("/meta/flushed", "number of the last generation of the tail that was written as blocks")
		return 0, false, nil
	}
	return binary.BigEndian.Uint64(raw), whole, nil
}

// read says how far the check is. The error is that of its context.
func (c *checker) read(bytes int) error {
	c.seen += int64(bytes)
	c.report.Progress(c.seen, c.tx.Size())
	return c.ctx.Err()
}

// tail checks the log of the events that are not in blocks.
func (c *checker) tail(flushed uint64) error {
	tail := c.tx.Bucket(tailBucket)
	return tail.ForEach(func(key, value []byte) error {
		where := finding.Path(tailBucket, key)
		if value != nil || len(key) != 8 || binary.BigEndian.Uint64(key) <= flushed {
			c.report.Add(finding.Tail, where, "it does not follow generation %d, the last one that was written as blocks", flushed)
			return nil
		}
		return eachValue(tail.Bucket(key), func(number, value []byte) error {
			if err := c.commit(value); err != nil {
				c.report.Add(finding.Tail, where+"/"+finding.Key(number), "%v", err)
			}
			return c.read(len(value))
		})
	})
}

// commit checks a value of the tail.
func (c *checker) commit(value []byte) error {
	if value == nil {
		return errTail
	}
	var batch tailBatch
	for r := (tailReader{rest: string(value)}); r.rest != ""; {
		if err := r.next(&batch); err != nil {
			return err
		}
		p := c.known[batch.project]
		if p == nil {
			continue // deleted
		}
		for i := range batch.items {
			if name := batch.items[i].name; name >= p.names {
				return fmt.Errorf("an event has name %d of %d", name, p.names)
			}
		}
		if err := p.notStored(&batch); err != nil {
			return err
		}
	}
	return nil
}
