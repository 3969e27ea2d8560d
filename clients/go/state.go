package svcsdk

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// backing is where texts by key are kept: a file, or the storage of the app.
type backing interface {
	// load returns the stored texts, without unreadable ones.
	load() map[string]string
	// store replaces old, which load returned, by next.
	store(old, next map[string]string) error
}

// newBacking returns where a namespace is kept. suffix is added to the name of the file.
func newBacking(o *AnalyticsOptions, namespace, suffix string, keys ...string) backing {
	if o.Storage != nil {
		return &keyBacking{o.Storage, keys}
	}
	if dir := stateDir(); dir != "" {
		return &fileBacking{filepath.Join(dir, stateFileStem(namespace)+suffix+".json")}
	}
	return nil
}

// fileBacking is a file with one JSON object of texts.
type fileBacking struct{ path string }

func (f *fileBacking) load() map[string]string {
	text, err := os.ReadFile(f.path)
	if err != nil {
		return nil
	}
	return parseState(text)
}

// parseState reads an object of texts. Anything else is nothing.
func parseState(text []byte) map[string]string {
	var texts map[string]string
	if json.Unmarshal(text, &texts) != nil {
		return nil
	}
	return texts
}

// store writes a temporary file and renames it, so that there is always a whole file.
func (f *fileBacking) store(_, next map[string]string) error {
	if len(next) == 0 {
		if err := os.Remove(f.path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	text, err := encodeJSON(next)
	if err != nil {
		return err
	}
	return writeFile(f.path, text)
}

// writeFile replaces a file of state, or makes it with the folder it is in.
func writeFile(path string, text []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(dir, filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	_, err = temporary.Write(text)
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(temporary.Name()))
	}
	return err
}

// keyBacking is the storage of the app.
type keyBacking struct {
	storage Storage
	keys    []string
}

func (k *keyBacking) load() map[string]string {
	texts := map[string]string{}
	for _, key := range k.keys {
		if text, ok, err := k.storage.Read(key); ok && err == nil {
			texts[key] = text
		}
	}
	return texts
}

func (k *keyBacking) store(old, next map[string]string) error {
	for _, key := range k.keys {
		before, was := old[key]
		after, is := next[key]
		var err error
		switch {
		case is && (!was || before != after):
			err = k.storage.Write(key, after)
		case was && !is:
			err = k.storage.Remove(key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// entry is an event that waits.
type entry struct {
	id, name            string
	distinctID, session string
	project             string    // only where the namespace does not say it
	wire                []byte    // as it is sent
	due                 time.Time // when it is sent at the latest
}

// storedEntry is an entry as it is kept.
type storedEntry struct {
	DistinctID string          `json:"distinct_id"`
	SessionID  string          `json:"session_id,omitempty"`
	ProjectKey string          `json:"project_key,omitempty"`
	EventID    string          `json:"event_id"`
	Name       string          `json:"name"`
	OccurredAt int64           `json:"occurred_at"`
	Properties json.RawMessage `json:"properties,omitempty"`
}

// appendStored appends the entry as it is kept.
func (e *entry) appendStored(b []byte) []byte {
	b = append(b, `{"distinct_id":`...)
	b = appendText(b, e.distinctID)
	if e.session != "" {
		b = append(b, `,"session_id":`...)
		b = appendText(b, e.session)
	}
	if e.project != "" {
		b = append(b, `,"project_key":`...)
		b = appendText(b, e.project)
	}
	b = append(b, ',')
	return append(b, e.wire[1:]...)
}

// appendText appends a text as JSON.
func appendText(b []byte, text string) []byte {
	encoded, err := encodeJSON(text)
	if err != nil {
		encoded = []byte(`""`)
	}
	return append(b, encoded...)
}

// newEntry makes an entry and the form in which it is sent.
func newEntry(s storedEntry) *entry {
	b := make([]byte, 0, 128+len(s.Properties))
	b = append(b, `{"event_id":`...)
	b = appendText(b, s.EventID)
	b = append(b, `,"name":`...)
	b = appendText(b, s.Name)
	b = fmt.Appendf(b, `,"occurred_at":%d`, s.OccurredAt)
	if len(s.Properties) > 0 {
		b = append(b, `,"properties":`...)
		b = append(b, s.Properties...)
	}
	b = append(b, '}')
	return &entry{id: s.EventID, name: s.Name, distinctID: s.DistinctID, session: s.SessionID, project: s.ProjectKey, wire: b}
}

// parseQueue reads the entries of a kept queue. Those that are not valid are left out.
func parseQueue(text string) []*entry {
	var list []json.RawMessage
	if json.Unmarshal([]byte(text), &list) != nil {
		return nil
	}
	var entries []*entry
	for _, item := range list {
		var s storedEntry
		if json.Unmarshal(item, &s) == nil && s.valid() {
			entries = append(entries, newEntry(s))
		}
	}
	return entries
}

func (s *storedEntry) valid() bool {
	const mostText = 128
	name, ok := eventName(s.Name)
	if string(s.Properties) == "null" {
		s.Properties = nil
	}
	return ok && name == s.Name && s.OccurredAt >= 0 && validIdentifier(s.DistinctID) &&
		s.EventID != "" && len(s.EventID) <= mostText && len(s.SessionID) <= mostText &&
		(len(s.Properties) == 0 || s.Properties[0] == '{' && len(s.Properties) <= mostProperties)
}

// validIdentifier reports whether a text can identify a sender: 1 to 128 visible ASCII characters.
func validIdentifier(text string) bool {
	return text != "" && len(text) <= 128 && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// stateChange describes a write of state.
type stateChange struct {
	prefix   string // of the keys
	events   bool   // whether identifier and queue are kept, and not only the marker
	entries  []*entry
	limit    int
	removed  func(*entry) bool // entries of the file that are not kept any more
	clear    bool              // nothing of the file's queue is kept
	id       string
	writeID  bool // id replaces that of the file, or removes it when it is ""
	optedOut bool
	writeOut bool // the marker is written or removed
}

const (
	idSuffix     = "distinct_id"
	queueSuffix  = "queue"
	optOutSuffix = "opt_out"
)

// apply returns what is kept after a change, and whether another process has opted out.
func (s *stateChange) apply(old map[string]string) (next map[string]string, out bool) {
	next = maps.Clone(old)
	if next == nil {
		next = map[string]string{}
	}
	set := func(suffix, value string) {
		if value == "" {
			delete(next, s.prefix+suffix)
		} else {
			next[s.prefix+suffix] = value
		}
	}
	if s.writeOut {
		set(optOutSuffix, "")
		if s.optedOut {
			set(optOutSuffix, "1")
		}
	}
	out = next[s.prefix+optOutSuffix] == "1"
	if out {
		set(idSuffix, "")
		set(queueSuffix, "")
		return next, !s.optedOut
	}
	if !s.events {
		return next, false
	}
	if s.writeID || !validIdentifier(next[s.prefix+idSuffix]) {
		set(idSuffix, s.id)
	}
	set(queueSuffix, s.mergeQueue(next[s.prefix+queueSuffix]))
	return next, false
}

// mergeQueue puts the entries of other processes before those of this one and cuts the oldest.
func (s *stateChange) mergeQueue(text string) string {
	own := make(map[string]bool, len(s.entries))
	for _, e := range s.entries {
		own[e.id] = true
	}
	var all []*entry
	if !s.clear {
		for _, e := range parseQueue(text) {
			if !own[e.id] && !s.removed(e) {
				all = append(all, e)
			}
		}
	}
	all = append(all, s.entries...)
	all = all[max(0, len(all)-s.limit):]
	if len(all) == 0 {
		return ""
	}
	b := []byte{'['}
	for i, e := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = e.appendStored(b)
	}
	return string(append(b, ']'))
}
