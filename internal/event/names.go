package event

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	"svc/internal/boltfile"
	"svc/internal/event/block"
	"svc/internal/event/encoding"
	"svc/internal/hourly"
)

const (
	// defaultMaxNames is the default of Options.MaxNames.
	defaultMaxNames = 2000

	// endOfNumbers limits the numbers of names that are read from a file. It thereby
	// limits the memory that a damaged key can cause to be allocated.
	endOfNumbers = 1 << 24

	// forgetStep is the number of names that one transaction deletes.
	forgetStep = 1000
)

// errNamesFull is returned if an event's name is new and the limit is reached.
var errNamesFull = errors.New("the project has reached its limit of event names")

// names holds the event names of a project. Events and counters refer to a name by its
// number, which is reused once nothing refers to it. An app has few names, one for each
// kind of event, so all names are held in memory.
type names struct {
	mu      sync.RWMutex
	numbers map[string]uint32
	list    []*name  // the names, by number; nil for an unused number
	texts   []string // the texts of the names, by number; elements of a slice that all has returned never change
	free    []uint32 // the unused numbers

	forgotten atomic.Uint64 // the number of times that names have been forgotten
}

// name is a name and its definition. ID is "" if the name has no definition, because the
// definition was deleted and no event has arrived since. FirstSeen and LastSeen outlive
// the definition, the events and erasure.
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
	err := b.ForEach(func(key, value []byte) error {
		if len(key) != 4 || binary.BigEndian.Uint32(key) >= endOfNumbers {
			return fmt.Errorf("%w: name with the number %x", ErrDamaged, key)
		}
		number, one := binary.BigEndian.Uint32(key), new(name)
		if err := json.Unmarshal(value, one); err != nil {
			return fmt.Errorf("%w: name %d: %w", ErrDamaged, number, err)
		}
		n.numbers[one.Text] = number
		n.list = append(n.list, make([]*name, int(number)+1-len(n.list))...)
		n.list[number] = one
		return nil
	})
	n.pack()
	return n, err
}

// pack drops the unused numbers at the end and reallocates the lists and the map, to
// release the memory of forgotten names.
func (n *names) pack() {
	end := len(n.list)
	for end > 0 && n.list[end-1] == nil {
		end--
	}
	n.list = slices.Clone(n.list[:end])
	n.texts, n.free = make([]string, end), nil
	n.numbers = make(map[string]uint32, len(n.numbers))
	for number, one := range slices.Backward(n.list) {
		if one == nil {
			n.free = append(n.free, uint32(number)) // the lowest one is last and will be assigned first
			continue
		}
		n.texts[number], n.numbers[one.Text] = one.Text, uint32(number)
	}
}

// put stores n in b under the given number.
func (n *name) put(b *boltfile.Bucket, number uint32) error {
	raw, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return b.Put(encoding.Key32(number), raw)
}

// find returns the number of a name.
func (n *names) find(text string) (number uint32, ok bool) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	number, ok = n.numbers[text]
	return number, ok
}

// all returns the texts of the names, indexed by number. The caller must not change the
// slice.
func (n *names) all() []string {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return slices.Clip(n.texts)
}

// has reports whether a number is assigned to a name. Only the goroutine that writes to
// the file may call it.
func (n *names) has(number uint32) bool {
	return int(number) < len(n.list) && n.list[number] != nil
}

// newNames holds the names that are created or get a new definition in a transaction.
type newNames struct {
	limit  int // the largest permitted number of names in the project; 0 = no limit
	byText map[string]newName
	added  uint32 // how many of the new names have no number in names yet
}

type newName struct {
	number uint32
	name   *name
}

// full reports whether the project has reached its limit of names.
func (p *newNames) full(n *names) bool {
	return p.limit > 0 && len(n.numbers)+int(p.added) >= p.limit
}

// add adds a name, the parameter made, which p must not contain yet. It returns the number of the
// name, and assigns one if the name has none.
func (p *newNames) add(n *names, made *name) (number uint32) {
	number, there := n.numbers[made.Text]
	if !there {
		number = p.next(n)
		p.added++
	}
	if p.byText == nil {
		p.byText = map[string]newName{}
	}
	p.byText[made.Text] = newName{number, made}
	return number
}

// next returns the number for the next new name: a free number, or else the number after
// all used ones.
func (p *newNames) next(n *names) uint32 {
	if left := len(n.free) - int(p.added); left > 0 {
		return n.free[left-1]
	}
	return uint32(len(n.list)) + p.added - uint32(len(n.free))
}

// define returns the number of the name of an event that is about to be stored, and
// creates the name or its definition if necessary. Only the goroutine that writes to the
// file may call it. Because no other goroutine changes names, define reads them without a
// lock. The error is errNamesFull if the name is new and the limit is reached.
func (n *names) define(b *boltfile.Bucket, pending *newNames, text string, at int64) (uint32, error) {
	number, there := n.numbers[text]
	if there && n.list[number].ID != "" {
		return number, nil
	}
	if known, ok := pending.byText[text]; ok {
		return known.number, nil
	}
	if !there && pending.full(n) {
		return 0, errNamesFull
	}
	made := &name{Text: strings.Clone(text), FirstSeen: at, LastSeen: at} // the text shares the memory of a request
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

// install adds the names of a commit to n and thereby makes them visible to queries.
func (n *names) install(pending newNames) {
	if len(pending.byText) == 0 {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	again := min(len(n.free), int(pending.added))
	if again > 0 {
		n.texts = slices.Clone(n.texts) // queries may be using these numbers for their former names
	}
	n.free = n.free[:len(n.free)-again]
	n.list = append(n.list, make([]*name, int(pending.added)-again)...)
	n.texts = append(n.texts, make([]string, int(pending.added)-again)...)
	for _, p := range pending.byText {
		if n.list[p.number] == nil {
			n.texts[p.number] = p.name.Text
		}
		n.list[p.number], n.numbers[p.name.Text] = p.name, p.number
	}
}

// seen updates FirstSeen and LastSeen of the names of the given items.
func (n *names) seen(items []walItem) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i := range items {
		one := n.list[items[i].name]
		one.FirstSeen, one.LastSeen = min(one.FirstSeen, items[i].at), max(one.LastSeen, items[i].at)
	}
}

// copy returns a copy of the name with the given number.
func (n *names) copy(number uint32) *name {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return new(*n.list[number])
}

// edited reports whether an administrator has edited the definition.
func (n *name) edited() bool {
	return n.DisplayName != nil || n.Description != nil || n.Archived
}

// unedited returns the numbers of the names without an edited definition. These names may
// be forgotten if nothing refers to them.
func (n *names) unedited() map[uint32]struct{} {
	n.mu.RLock()
	defer n.mu.RUnlock()
	numbers := map[uint32]struct{}{}
	for number, one := range n.list {
		if one != nil && !one.edited() {
			numbers[uint32(number)] = struct{}{}
		}
	}
	return numbers
}

// forget removes the names with the given numbers and makes the numbers available again.
func (n *names) forget(numbers []uint32) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, number := range numbers {
		delete(n.numbers, n.list[number].Text)
		n.list[number] = nil
		n.free = append(n.free, number)
	}
	n.forgotten.Add(1)
}

// forgetNames removes the names of a project that have no edited definition and to which
// no stored event and no counter refers. The caller must hold e.maintaining and must have
// written the events in memory as blocks. Events that are not in blocks have then arrived
// later and are in memory.
func (e *Engine) forgetNames(ctx context.Context, of *project) error {
	unused, err := e.unusedNames(ctx, of)
	if err != nil || len(unused) == 0 {
		return err
	}
	defer func() {
		e.file.Lock()
		defer e.file.Unlock()
		of.names.mu.Lock()
		defer of.names.mu.Unlock()
		of.names.pack()
	}()
	for step := range slices.Chunk(slices.Sorted(maps.Keys(unused)), forgetStep) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := e.forgetUnused(of, step); err != nil {
			return err
		}
	}
	return nil
}

// unusedNames returns the numbers of the names without an edited definition to which no
// block and no counter refers.
func (e *Engine) unusedNames(ctx context.Context, of *project) (map[uint32]struct{}, error) {
	unused := of.names.unedited()
	if len(unused) == 0 {
		return nil, nil
	}
	err := e.file.View(func(tx *boltfile.Tx) error {
		if err := removeCounted(ctx, projectBucket(tx, of.number, countersBucket), unused); err != nil || len(unused) == 0 {
			return err
		}
		return eachBlock(ctx, tx, of.number, func(_ []byte, part *block.Columns) {
			for _, number := range part.NameOf {
				delete(unused, number)
			}
		})
	})
	return unused, err
}

// removeCounted removes the names with a counter from a set, which contains the numbers
// of names. It starts with the latest hour and stops when the set is empty, which is
// usually soon, because most names are in use.
func removeCounted(ctx context.Context, counters *boltfile.Bucket, from map[uint32]struct{}) error {
	cursor := counters.Cursor()
	for key, raw := cursor.Last(); key != nil && len(from) > 0; key, raw = cursor.Prev() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := hourly.Each(raw, func(what uint64, _ int64) { delete(from, counterFrom(0, what).name) }); err != nil {
			return fmt.Errorf("counters of hour %x: %w", key, err)
		}
	}
	return nil
}

// forgetUnused removes the names with the given numbers, except names to which an event
// in memory refers and names that have been edited since they were selected.
func (e *Engine) forgetUnused(of *project, numbers []uint32) error {
	e.file.Lock()
	defer e.file.Unlock()
	inUse := e.namesInMemory(of.number)
	numbers = slices.DeleteFunc(numbers, func(number uint32) bool {
		return inUse[number] || of.names.list[number].edited()
	})
	if len(numbers) == 0 {
		return nil
	}
	err := e.updateFile(func(tx *boltfile.Tx) error {
		b := projectBucket(tx, of.number, namesBucket)
		for _, number := range numbers {
			if err := b.Delete(encoding.Key32(number)); err != nil {
				return err
			}
		}
		return nil
	})
	if boltfile.Written(err) {
		of.names.forget(numbers)
	}
	return err
}

// namesInMemory returns the numbers of the names of the events in memory. The caller must
// hold the lock of e.file.
func (e *Engine) namesInMemory(p Project) map[uint32]bool {
	numbers := map[uint32]bool{}
	for _, h := range e.heads.Load().all() {
		if of := h.projects[p]; of != nil {
			for _, number := range of.names {
				numbers[number] = true
			}
		}
	}
	return numbers
}
