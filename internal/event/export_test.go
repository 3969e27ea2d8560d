package event

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"svc/internal/boltfile"
	"svc/internal/boltfile/bolttest"
	"svc/internal/event/block"
	"svc/internal/event/dictionary"
	"svc/internal/event/encoding"
	"svc/internal/integrity"
)

// Check runs the program's check on the file. It also verifies two facts that the
// program's check does not verify: that no event is stored twice, which would take too
// much memory, and that the names in memory match those in the file.
func (e *Engine) Check() error {
	e.maintaining.Lock()
	defer e.maintaining.Unlock()
	e.file.Lock()
	defer e.file.Unlock()
	return e.file.View(func(tx *boltfile.Tx) error {
		for err := range tx.Check() {
			return err
		}
		report := integrity.NewReport(nil)
		if err := errors.Join(newChecker(context.Background(), tx, report).run(), asError(report)); err != nil {
			return err
		}
		for _, number := range e.Projects() {
			c := checkedProject{engine: e, tx: tx, project: e.project(number), ids: map[string]bool{}}
			if err := c.check(); err != nil {
				return fmt.Errorf("project %d: %w", number, err)
			}
		}
		return nil
	})
}

// asError returns the findings of a check as an error.
func asError(report *integrity.Report) error {
	var all []error
	for _, f := range report.Listed() {
		all = append(all, fmt.Errorf("%w: %s %s: %s", ErrDamaged, f.Kind, f.Where, f.What))
	}
	return errors.Join(all...)
}

// checkedProject holds the state of Check for one project.
type checkedProject struct {
	*project
	engine *Engine
	tx     *boltfile.Tx
	ids    map[string]bool // the event_ids that have been found
}

func (c *checkedProject) bucket(name []byte) *boltfile.Bucket {
	return projectBucket(c.tx, c.number, name)
}

func (c *checkedProject) check() error {
	if stored, err := loadNames(c.bucket(namesBucket)); err != nil || !slices.Equal(stored.all(), c.names.all()) {
		return fmt.Errorf("names are %q in the file and %q in memory: %w", stored.all(), c.names.all(), err)
	}
	err := eachDecoded(c.tx, c.number, func(hour int64, r *block.Rows) error {
		for row, id := range r.IDs {
			if err := c.event(id, r.Names[row]); err != nil {
				return fmt.Errorf("hour %d, row %d: %w", hour/3600, row, err)
			}
		}
		return nil
	})
	for _, h := range c.engine.heads.Load().all() {
		if of := h.projects[c.number]; of != nil {
			for row, id := range of.ids {
				err = errors.Join(err, c.event(id, of.names[row]))
			}
		}
	}
	return err
}

// event checks one event.
func (c *checkedProject) event(id string, name uint32) error {
	if c.ids[id] {
		return fmt.Errorf("event %q is there twice", id)
	}
	c.ids[id] = true
	if int(name) >= len(c.names.all()) {
		return fmt.Errorf("event %q has name %d of %d", id, name, len(c.names.all()))
	}
	return nil
}

// eachDecoded visits the blocks of a project after verifying them.
func eachDecoded(tx *boltfile.Tx, p Project, visit func(hour int64, r *block.Rows) error) error {
	return projectBucket(tx, p, blocksBucket).EachValue(func(key, raw []byte) error {
		hour := int64(binary.BigEndian.Uint32(key)) * 3600
		if err := block.Check(raw); err != nil {
			return fmt.Errorf("hour %d: %w", hour/3600, err)
		}
		r, err := block.Decode(hour, raw)
		if err != nil {
			return fmt.Errorf("hour %d: %w", hour/3600, err)
		}
		return visit(hour, r)
	})
}

// EachText visits every text of a project in the file, unpacked: the texts of blocks, of
// dictionaries and of names. It calls Flush first, so that every text is in the file.
func (e *Engine) EachText(p Project, visit func(text string)) error {
	if err := e.Flush(); err != nil {
		return err
	}
	return e.file.View(func(tx *boltfile.Tx) error {
		if err := eachDecoded(tx, p, func(_ int64, r *block.Rows) error {
			for row, id := range r.IDs {
				visit(id)
				for _, property := range r.Props[row] {
					visit(property.Key)
					visit(property.Value)
				}
			}
			for i := range r.Senders {
				for _, text := range r.Senders[i].Texts() {
					visit(*text)
				}
			}
			return nil
		}); err != nil {
			return err
		}
		for _, text := range e.project(p).names.all() {
			visit(text)
		}
		subjects, sessions, err := e.dictionaries(tx, p)
		for _, texts := range []map[uint32]string{subjects, sessions} {
			for _, text := range texts {
				visit(text)
			}
		}
		return err
	})
}

// dictionaries returns the texts of the dictionaries by number.
func (e *Engine) dictionaries(tx *boltfile.Tx, p Project) (subjects, sessions map[uint32]string, err error) {
	read := func(name []byte) map[uint32]string {
		b := projectBucket(tx, p, name)
		d, failed := dictionary.Load(b, e.secret)
		if failed != nil {
			err = errors.Join(err, failed)
			return nil
		}
		texts, r := map[uint32]string{}, d.Reader(b)
		for number := range d.Next() {
			text, ok, failed := r.Text(number)
			if err = errors.Join(err, failed); ok {
				texts[number] = text
			}
		}
		return texts
	}
	subjects, sessions = read(subjectsBucket), read(sessionsBucket)
	return subjects, sessions, err
}

// Unused returns the texts in the dictionaries of a project to which no event refers, in
// ascending order.
func (e *Engine) Unused(p Project) (list []string, err error) {
	if err := e.Flush(); err != nil || e.project(p) == nil {
		return nil, err
	}
	err = e.file.View(func(tx *boltfile.Tx) error {
		subjects, sessions, err := e.dictionaries(tx, p)
		if err != nil {
			return err
		}
		err = eachDecoded(tx, p, func(_ int64, r *block.Rows) error {
			for i := range r.Senders {
				delete(subjects, r.Senders[i].Subject)
				delete(sessions, r.Senders[i].Session)
			}
			return nil
		})
		for _, texts := range []map[uint32]string{subjects, sessions} {
			for _, text := range texts {
				list = append(list, text)
			}
		}
		return err
	})
	slices.Sort(list)
	return list, err
}

// Blocks returns the number of blocks of a project.
func (e *Engine) Blocks(p Project) (n int, err error) {
	err = e.file.View(func(tx *boltfile.Tx) error {
		n = projectBucket(tx, p, blocksBucket).Stats().KeyN
		return nil
	})
	return n, err
}

// DamageBlock changes the bytes of a block of a project in the file. If sealed is true,
// it corrects the checksum, so that the damage is only visible in the content.
func (e *Engine) DamageBlock(p Project, number int, sealed bool, change func(raw []byte)) error {
	return e.update(func(tx *boltfile.Tx) error {
		blocks := projectBucket(tx, p, blocksBucket)
		cursor := blocks.Cursor()
		key, raw := cursor.First()
		for range number {
			key, raw = cursor.Next()
		}
		raw = slices.Clone(blocks.ValueAt(key, raw))
		change(raw)
		if sealed {
			block.Seal(raw)
		}
		return blocks.PutValue(slices.Clone(key), raw)
	})
}

// Forms returns the forms in which a text can occur unpacked in the file.
func Forms(text string) [][]byte {
	forms := [][]byte{[]byte(text)}
	if packed, ok := encoding.PackUUID(text); ok {
		forms = append(forms, packed[:])
	}
	return forms
}

// Change modifies a file that no process has open. change receives the bucket of a
// project, and the transaction.
func Change(path string, p Project, change func(project *boltfile.Bucket, tx *boltfile.Tx) error) error {
	return bolttest.Change(path, func(tx *boltfile.Tx) error {
		return change(tx.Bucket(projectsBucket).Bucket(encoding.Key32(uint32(p))), tx)
	})
}

// HoldMaintenance blocks background work until release is called.
func (e *Engine) HoldMaintenance() (release func()) {
	e.maintaining.Lock()
	return e.maintaining.Unlock
}

// FlushHeld flushes for a caller that has called HoldMaintenance.
func (e *Engine) FlushHeld() error { return e.flush() }

// Refused returns the error of the file's last commit, for a short time after it failed.
func (e *Engine) Refused() error { return e.file.Refused() }

// NumbersOfNames returns the length of a project's list of names in memory, including
// unused numbers.
func NumbersOfNames(e *Engine, p Project) int { return len(e.project(p).names.list) }
