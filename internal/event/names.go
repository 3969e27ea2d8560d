package event

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"
)

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

func loadNames(b *bbolt.Bucket) (*names, error) {
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
func (n *name) put(b *bbolt.Bucket, number uint32) error {
	raw, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return b.Put(be32(number), raw)
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

// define finds or makes the name of an event that is about to be stored. For the
// writer, who alone changes names and so may read them without a lock.
func (n *names) define(b *bbolt.Bucket, pending *newNames, text string, at int64) (uint32, error) {
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
	} else {
		number = uint32(len(n.list)) + pending.added
		pending.added++
	}
	id, err := uuid.NewV7()
	if err != nil {
		return 0, err
	}
	made.ID = id.String()
	if pending.byText == nil {
		pending.byText = map[string]newName{}
	}
	pending.byText[made.Text] = newName{number, made}
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
func (n *names) seen(items []tailItem) {
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
