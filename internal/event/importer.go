package event

import (
	"errors"

	"svc/internal/boltfile"
	"svc/internal/event/encoding"
	"svc/internal/stats"
)

// Importer imports the events of a project that is not visible to clients yet. Imported
// events bypass the WAL. If the server crashes, the partial import belongs to no project.
// It is then removed in the same way as the data of a deleted project. Importer is not
// safe for concurrent use.
type Importer struct {
	engine  *Engine
	project Project
	head    *head
	defined []Definition
	counted bool
}

// NewImporter returns an Importer for a project without stored data. If counted is true,
// the caller adds the hourly counters with Count; otherwise they are computed from the
// events.
func (e *Engine) NewImporter(p Project, counted bool) *Importer {
	return &Importer{engine: e, project: p, head: newHead(0), counted: counted}
}

// Define sets the definitions of names. A Definition without an ID means that the
// definition of its name was deleted. If FirstSeen and LastSeen are 0, they are taken
// from the events with the name. Define must be called before Add and Count.
func (l *Importer) Define(list []Definition) error {
	l.defined = append(l.defined, list...)
	return l.define(list)
}

func (l *Importer) define(list []Definition) error {
	return l.change(func(_ *commit, p *commitProject) (changed bool, err error) {
		for _, d := range list {
			made := &name{
				Text: d.Name, ID: d.ID, DisplayName: d.DisplayName, Description: d.Description, Archived: d.Archived,
				FirstSeen: d.FirstSeen, LastSeen: d.LastSeen,
			}
			if d.FirstSeen == 0 && d.LastSeen == 0 {
				made.FirstSeen, made.LastSeen = seen(p.project.names, d.Name)
			}
			if err := made.put(p.namesIn, p.names.add(p.project.names, made)); err != nil {
				return false, err
			}
		}
		return len(list) > 0, nil
	})
}

// unseen is the FirstSeen of a name that has no events yet.
const unseen = 1 << 62

// seen returns the times of the first and the last event of a name. Only the goroutine
// that holds the lock of Engine.file may call it.
func seen(n *names, text string) (first, last int64) {
	number, there := n.numbers[text]
	switch {
	case !there:
		return unseen, 0
	case n.list[number].FirstSeen == unseen:
		return 0, 0
	}
	return n.list[number].FirstSeen, n.list[number].LastSeen
}

// change runs fn in a transaction and commits it if fn changed something. It then makes
// visible the names that fn defined and the events that fn accepted.
func (l *Importer) change(fn func(*commit, *commitProject) (changed bool, err error)) error {
	e := l.engine
	e.file.Lock()
	defer e.file.Unlock()
	var c *commit
	err := e.updateFile(func(tx *boltfile.Tx) error {
		c = newCommit(e, tx)
		c.heads = &heads{active: l.head}
		p, err := c.project(l.project)
		if err != nil {
			return err
		}
		changed, err := fn(c, p)
		if err == nil && !changed && !p.added {
			err = errNothing
		}
		return err
	})
	if !boltfile.Written(err) && !errors.Is(err, errNothing) {
		return err
	}
	c.publish()
	if errors.Is(err, errNothing) {
		return nil
	}
	return err
}

// Add stores those events of the given batches that are not stored yet, and returns their
// number. The batches must be in the order of receipt. The events are on disk after
// Finish has returned.
func (l *Importer) Add(list []*Batch) (accepted int, err error) {
	group := make([]*ingestion, len(list))
	for i, b := range list {
		group[i] = &ingestion{batch: b}
	}
	var found lookup
	found.prepare(group, l.engine.secret)
	err = l.change(func(c *commit, p *commitProject) (changed bool, err error) {
		err = c.accept(group)
		return len(p.names.byText) > 0, err
	})
	if err != nil {
		return 0, err
	}
	for _, w := range group {
		accepted += w.Accepted
	}
	if l.head.events >= l.engine.headEvents || l.head.bytes >= maxHeadBytes {
		return accepted, l.write()
	}
	return accepted, nil
}

// write moves the events in memory to blocks.
func (l *Importer) write() error {
	prepared, err := prepareHead(l.head)
	if err != nil {
		return err
	}
	if l.counted {
		for _, p := range prepared {
			p.head.counts = nil
		}
	}
	e := l.engine
	e.maintaining.Lock()
	defer e.maintaining.Unlock()
	e.file.Lock()
	defer e.file.Unlock()
	if err := e.writePrepared(prepared, func(*boltfile.Tx) error { return nil }); err != nil {
		return err
	}
	l.head = newHead(0)
	return nil
}

// Count adds the given counts to the hourly counters. The platform of a count must not be
// empty, and its hour must not be in the future.
func (l *Importer) Count(list []Count) error {
	return l.change(func(c *commit, p *commitProject) (changed bool, err error) {
		byHour := map[uint32][]counted{}
		for i := range list {
			one := &list[i]
			number, err := p.project.names.define(p.namesIn, &p.names, one.Name, one.Hour)
			if err != nil {
				return false, err
			}
			what := counter{
				hour: uint32(one.Hour / 3600), name: number, region: uint16(one.Region),
				platform: uint8(stats.PlatformNumber(one.Platform)), offset: one.Offset,
			}
			byHour[what.hour] = append(byHour[what.hour], counted{what.what(), one.N})
		}
		// Counters of some of the events may have been removed, and it is unknown which.
		if err := p.bucket.Put(countersFromKey, encoding.Key32(uint32(l.engine.now().Unix()/3600)+1)); err != nil {
			return false, err
		}
		return true, addToHours(projectBucket(c.tx, l.project, countersBucket), byHour)
	})
}

// Finish writes the events in memory to disk. It then writes the definitions of Define a
// second time, because importing events has changed the times of their names.
func (l *Importer) Finish() error {
	return errors.Join(l.write(), l.define(l.defined))
}
