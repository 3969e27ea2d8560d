package event

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"go.etcd.io/bbolt"

	"svc/internal/boltfile"
	"svc/internal/fault"
	"svc/internal/fold"
)

// Definition is what is known about the events of one name.
type Definition struct {
	ID, Name            string
	DisplayName         *string
	Description         *string
	Archived            bool
	FirstSeen, LastSeen int64 // Unix seconds of the earliest and the latest event
	Count               int64 // events in the range asked for, by the hourly counters
}

// DefinitionsQuery selects definitions.
type DefinitionsQuery struct {
	Range           // for Count
	Search   string // part of name, display name or description; "" = all
	Archived bool   // those that are archived, too
	Limit    int
	Offset   int
}

func (n *name) definition() Definition {
	return Definition{
		ID: n.ID, Name: n.Text, DisplayName: n.DisplayName, Description: n.Description,
		Archived: n.Archived, FirstSeen: n.FirstSeen, LastSeen: n.LastSeen,
	}
}

// fits reports whether a definition is one of those selected. text is folded.
func (n *name) fits(archived bool, text string) bool {
	if n.ID == "" || n.Archived && !archived {
		return false
	}
	for _, in := range []*string{&n.Text, n.DisplayName, n.Description} {
		if in != nil && strings.Contains(fold.Text(*in), text) {
			return true
		}
	}
	return false
}

// Definitions lists definitions, those whose events are latest first, ties by
// name. total counts all that fit.
func (e *Engine) Definitions(ctx context.Context, p Project, q DefinitionsQuery) (total int, list []Definition, err error) {
	of := e.project(p)
	if of == nil {
		return 0, nil, nil
	}
	text := fold.Text(q.Search)
	of.names.mu.RLock()
	for _, n := range of.names.list {
		if n.fits(q.Archived, text) {
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
	err = e.view(ctx, p, func(v *view) error {
		counts := make([]int64, v.names())
		err := v.eachCount(q.Start, q.End, func(_ int64, name uint32, _ uint8, _ uint16, _ uint8, n int64) {
			if int(name) < len(counts) {
				counts[name] += n
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

// UpdateDefinition changes display name, description and whether a definition is
// archived. The error is NotFound when there is none with this id.
func (e *Engine) UpdateDefinition(p Project, id string, change func(*Definition)) (d Definition, err error) {
	err = e.changeName(p, id, func(n *name) {
		d = n.definition()
		change(&d)
		n.DisplayName, n.Description, n.Archived = d.DisplayName, d.Description, d.Archived
		d = n.definition()
	})
	return d, err
}

// DeleteDefinition removes a definition. Events and counters of the name stay,
// and the next event makes it anew. The error is NotFound when there is none with
// this id.
func (e *Engine) DeleteDefinition(p Project, id string) error {
	return e.changeName(p, id, func(n *name) {
		*n = name{Text: n.Text, FirstSeen: n.FirstSeen, LastSeen: n.LastSeen}
	})
}

// changeName changes the name whose definition has an id.
func (e *Engine) changeName(p Project, id string, change func(*name)) error {
	missing := fault.New(fault.NotFound, "event definition not found")
	of := e.project(p)
	if of == nil || id == "" {
		return missing
	}
	e.writing.Lock()
	defer e.writing.Unlock()
	at := slices.IndexFunc(of.names.list, func(n *name) bool { return n.ID == id })
	if at < 0 {
		return missing
	}
	next := of.names.copy(uint32(at))
	change(next)
	err := e.updateFile(func(tx *bbolt.Tx) error {
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
