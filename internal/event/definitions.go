package event

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"

	"svc/internal/boltfile"
	"svc/internal/event/block"
	"svc/internal/event/encoding"
	"svc/internal/event/query"
	"svc/internal/fault"
	"svc/internal/searchtext"
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
	query.Range        // for Count
	Search      string // part of name, display name or description; "" = all
	Archived    bool   // those that are archived, too
	Limit       int
	Offset      int
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
		if in != nil && strings.Contains(searchtext.Text(*in), text) {
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
	text := searchtext.Text(q.Search)
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

// Definition reads a definition, without a count. The error is NotFound when there is none
// with this id.
func (e *Engine) Definition(p Project, id string) (Definition, error) {
	names := e.Names(p)
	at := slices.IndexFunc(names, func(d Definition) bool { return d.ID == id && id != "" })
	if at < 0 {
		return Definition{}, errNoDefinition()
	}
	return names[at], nil
}

func errNoDefinition() error { return fault.New(fault.NotFound, "event definition not found") }

// UpdateDefinition changes display name, description and whether a definition is
// archived, unless change refuses. The error is NotFound when there is none with this id.
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

// DeleteDefinition removes a definition. Events and counters of the name stay,
// and the next event makes it anew. check may refuse; nil does not. The error is NotFound when there is
// none with this id.
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

// changeName changes the name whose definition has an id.
func (e *Engine) changeName(p Project, id string, change func(*name) error) error {
	of := e.project(p)
	if of == nil || id == "" {
		return errNoDefinition()
	}
	e.file.Lock()
	defer e.file.Unlock()
	at := slices.IndexFunc(of.names.list, func(n *name) bool { return n.ID == id })
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

// names are the names of events of a project, numbered from 0 in the order in
// which they were first seen. There is one for each kind of thing an app can
// say, so they are all in memory.
type names struct {
	mu      sync.RWMutex
	numbers map[string]uint32
	list    []*name  // by number
	texts   []string // by number, only ever appended to
}

// name is a name and its definition. Id is "" when there is none: the
// definition was deleted and no event has come since. FirstSeen and LastSeen
// outlive it, events and erasure.
type name struct {
	Text        string  `json:"name"`
	ID          string  `json:"id,omitempty"`
	DisplayName *string `json:"display_name,omitempty"`
	Description *string `json:"description,omitempty"`
	Archived    bool    `json:"archived,omitempty"`
	FirstSeen   int64   `json:"first"` // Unix seconds
	LastSeen    int64   `json:"last"`
}

func loadNames(b *boltfile.Bucket) (*names, error) {
	n := &names{numbers: map[string]uint32{}}
	return n, b.ForEach(func(key, value []byte) error {
		one := new(name)
		if len(key) != 4 || binary.BigEndian.Uint32(key) != uint32(len(n.list)) {
			return fmt.Errorf("%w: names are not numbered without gaps", ErrDamaged)
		}
		if err := json.Unmarshal(value, one); err != nil {
			return fmt.Errorf("%w: name %d: %w", ErrDamaged, len(n.list), err)
		}
		n.numbers[one.Text] = uint32(len(n.list))
		n.list, n.texts = append(n.list, one), append(n.texts, one.Text)
		return nil
	})
}

// put stores a name under its number.
func (n *name) put(b *boltfile.Bucket, number uint32) error {
	raw, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return b.Put(encoding.Key32(number), raw)
}

// find is the number of a name.
func (n *names) find(text string) (number uint32, ok bool) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	number, ok = n.numbers[text]
	return number, ok
}

// all lists the texts by their numbers. The list must not be changed.
func (n *names) all() []string {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return slices.Clip(n.texts)
}

// newNames are the names that get a definition in a transaction.
type newNames struct {
	byText map[string]newName
	added  uint32 // of them, those that have not been there before
}

type newName struct {
	number uint32
	name   *name
}

// add gives a number to a name that is not pending yet.
func (p *newNames) add(n *names, made *name) (number uint32) {
	number, there := n.numbers[made.Text]
	if !there {
		number = uint32(len(n.list)) + p.added
		p.added++
	}
	if p.byText == nil {
		p.byText = map[string]newName{}
	}
	p.byText[made.Text] = newName{number, made}
	return number
}

// define finds or makes the name of an event that is about to be stored. For the
// writer, who alone changes names and so may read them without a lock.
func (n *names) define(b *boltfile.Bucket, pending *newNames, text string, at int64) (uint32, error) {
	number, there := n.numbers[text]
	if there && n.list[number].ID != "" {
		return number, nil
	}
	if known, ok := pending.byText[text]; ok {
		return known.number, nil
	}
	made := &name{Text: strings.Clone(text), FirstSeen: at, LastSeen: at} // the text is part of a request
	if there {
		made.FirstSeen, made.LastSeen = n.list[number].FirstSeen, n.list[number].LastSeen
	}
	id, err := uuid.NewV7()
	if err != nil {
		return 0, err
	}
	made.ID = id.String()
	number = pending.add(n, made)
	return number, made.put(b, number)
}

// install makes the names of a commit visible.
func (n *names) install(pending newNames) {
	if len(pending.byText) == 0 {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	from := uint32(len(n.list))
	n.list = append(n.list, make([]*name, pending.added)...)
	n.texts = append(n.texts, make([]string, pending.added)...)
	for _, p := range pending.byText {
		n.list[p.number], n.numbers[p.name.Text] = p.name, p.number
		if p.number >= from {
			n.texts[p.number] = p.name.Text
		}
	}
}

// seen notes when events happened.
func (n *names) seen(items []walItem) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i := range items {
		one := n.list[items[i].name]
		one.FirstSeen, one.LastSeen = min(one.FirstSeen, items[i].at), max(one.LastSeen, items[i].at)
	}
}

// copy is a name as it is now.
func (n *names) copy(number uint32) *name {
	n.mu.RLock()
	defer n.mu.RUnlock()
	one := *n.list[number]
	return &one
}
