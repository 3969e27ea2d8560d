package event

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"svc/internal/boltfile"
	"svc/internal/event/block"
	"svc/internal/event/query"
	"svc/internal/fault"
	"svc/internal/searchtext"
)

// Definition describes the events with one name.
type Definition struct {
	ID, Name            string
	DisplayName         *string
	Description         *string
	Archived            bool
	FirstSeen, LastSeen int64 // Unix seconds of the earliest and the latest event
	Count               int64 // events in the requested range, from the hourly counters
}

// DefinitionsQuery selects definitions.
type DefinitionsQuery struct {
	query.Range        // the range in which Count counts events
	Search      string // part of the name, display name or description, ignoring case; "" = all
	Archived    bool   // include archived definitions
	Limit       int
	Offset      int
}

func (n *name) definition() Definition {
	return Definition{
		ID: n.ID, Name: n.Text, DisplayName: n.DisplayName, Description: n.Description,
		Archived: n.Archived, FirstSeen: n.FirstSeen, LastSeen: n.LastSeen,
	}
}

// fits reports whether n has a definition that contains text. It rejects an archived
// definition unless the parameter archived is true. text must be folded by
// searchtext.Text.
func (n *name) fits(archived bool, text string) bool {
	if n.ID == "" || n.Archived && !archived {
		return false
	}
	for _, in := range []*string{&n.Text, n.DisplayName, n.Description} {
		if in != nil && strings.Contains(searchtext.Text(*in), text) {
			return true
		}
	}
	return false
}

// Definitions returns a page of the definitions that match q, sorted by the time of their
// latest event, the latest first, and then by name. total is the number of all
// definitions that match q.
func (e *Engine) Definitions(ctx context.Context, p Project, q DefinitionsQuery) (total int, list []Definition, err error) {
	of := e.project(p)
	if of == nil {
		return 0, nil, e.file.Unopened()
	}
	text := searchtext.Text(q.Search)
	of.names.mu.RLock()
	for _, n := range of.names.list {
		if n != nil && n.fits(q.Archived, text) {
			list = append(list, n.definition())
		}
	}
	of.names.mu.RUnlock()
	slices.SortFunc(list, func(a, b Definition) int {
		return cmp.Or(cmp.Compare(b.LastSeen, a.LastSeen), strings.Compare(a.Name, b.Name))
	})
	total = len(list)
	list = list[min(q.Offset, total):]
	list = list[:min(q.Limit, len(list))]
	err = e.snapshot(ctx, p, func(v *snapshot) error {
		counts := make([]int64, len(v.texts))
		err := v.eachCount(q.Start, q.End, func(c query.Counter) {
			if int(c.Name) < len(counts) {
				counts[c.Name] += c.N
			}
		})
		for i := range list {
			if number, ok := v.name(list[i].Name); ok {
				list[i].Count = counts[number]
			}
		}
		return err
	})
	return total, list, err
}

// NameCount returns the number of event names of a project.
func (e *Engine) NameCount(p Project) int {
	of := e.project(p)
	if of == nil {
		return 0
	}
	of.names.mu.RLock()
	defer of.names.mu.RUnlock()
	return len(of.names.numbers)
}

// Contents counts the events of a project and their definitions.
func (e *Engine) Contents(ctx context.Context, p Project) (events int64, definitions int, err error) {
	for _, d := range e.Names(p) {
		if d.ID != "" {
			definitions++
		}
	}
	err = e.snapshot(ctx, p, func(v *snapshot) error {
		for _, head := range v.heads {
			events += int64(head.n)
		}
		if v.blocks == nil {
			return nil
		}
		return v.blocks.EachValue(func(key, raw []byte) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			n, err := block.Len(raw)
			if err != nil {
				return (&hour{start: int64(binary.BigEndian.Uint32(key)) * 3600}).failed(err)
			}
			events += int64(n)
			return nil
		})
	})
	return events, definitions, err
}

// Definition returns the definition with the given ID. Its Count is not set. The error is
// NotFound if no definition has this ID.
func (e *Engine) Definition(p Project, id string) (Definition, error) {
	if err := e.file.Unopened(); err != nil {
		return Definition{}, err
	}
	names := e.Names(p)
	at := slices.IndexFunc(names, func(d Definition) bool { return d.ID == id && id != "" })
	if at < 0 {
		return Definition{}, errNoDefinition()
	}
	return names[at], nil
}

func errNoDefinition() error { return fault.New(fault.NotFound, "event definition not found") }

// UpdateDefinition stores the display name, the description and the archived state that
// the function change sets in a definition. If change returns an error, UpdateDefinition
// stores nothing and returns that error unchanged. The error is NotFound if no definition
// has this ID.
func (e *Engine) UpdateDefinition(p Project, id string, change func(*Definition) error) (d Definition, err error) {
	err = e.changeName(p, id, func(n *name) error {
		d = n.definition()
		if err := change(&d); err != nil {
			return err
		}
		n.DisplayName, n.Description, n.Archived = d.DisplayName, d.Description, d.Archived
		d = n.definition()
		return nil
	})
	return d, err
}

// DeleteDefinition removes a definition. Events and counters of its name stay, and the
// next event with the name recreates the definition. If the function check is not nil and
// returns an error, DeleteDefinition removes nothing and returns that error. The error is
// NotFound if no definition has this ID.
func (e *Engine) DeleteDefinition(p Project, id string, check func(*Definition) error) error {
	return e.changeName(p, id, func(n *name) error {
		if d := n.definition(); check != nil {
			if err := check(&d); err != nil {
				return err
			}
		}
		*n = name{Text: n.Text, FirstSeen: n.FirstSeen, LastSeen: n.LastSeen}
		return nil
	})
}

// changeName passes a copy of the name that has the given definition ID to the function
// change, and stores the changed copy.
func (e *Engine) changeName(p Project, id string, change func(*name) error) error {
	if err := e.file.Damage(); err != nil {
		return err
	}
	of := e.project(p)
	if of == nil || id == "" {
		return errNoDefinition()
	}
	e.file.Lock()
	defer e.file.Unlock()
	at := slices.IndexFunc(of.names.list, func(n *name) bool { return n != nil && n.ID == id })
	if at < 0 {
		return errNoDefinition()
	}
	next := of.names.copy(uint32(at))
	if err := change(next); err != nil {
		return err
	}
	err := e.updateFile(func(tx *boltfile.Tx) error {
		return next.put(projectBucket(tx, p, namesBucket), uint32(at))
	})
	if !boltfile.Written(err) {
		return err
	}
	of.names.mu.Lock()
	defer of.names.mu.Unlock()
	of.names.list[at] = next
	return err
}
