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

// backing stores texts by key, in a file or in the app's storage.
type backing interface {
	// load returns the stored texts. It omits unreadable ones.
	load() map[string]string
	// store replaces the texts in old, the result of load, with those in next.
	store(old, next map[string]string) error
}

// newBacking returns the backing of a namespace: the given keys in the storage of the app if o has
// one, and otherwise a file. suffix is appended to the name of the file without its extension.
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

// parseState parses a JSON object of texts. If the content is not such an object, it returns nil.
func parseState(text []byte) map[string]string {
	var texts map[string]string
	if json.Unmarshal(text, &texts) != nil {
		return nil
	}
	return texts
}

// store writes a temporary file and renames it, so that the file is always complete.
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

// writeFile replaces a state file. If necessary, it creates the file and its folder.
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

// keyBacking stores texts under the given keys in the storage that the app provides.
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

// entry is a waiting event.
type entry struct {
	id, name            string
	distinctID, session string
	project             string    // "" if the namespace implies the project
	wire                []byte    // the JSON of the event in a request
	due                 time.Time // latest time to send it
}

// storedEntry is the stored form of an entry.
type storedEntry struct {
	DistinctID string          `json:"distinct_id"`
	SessionID  string          `json:"session_id,omitempty"`
	ProjectKey string          `json:"project_key,omitempty"`
	EventID    string          `json:"event_id"`
	Name       string          `json:"name"`
	OccurredAt int64           `json:"occurred_at"`
	Properties json.RawMessage `json:"properties,omitempty"`
}

// appendStored appends the stored form of the entry to b.
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

// appendText appends a text as a JSON string.
func appendText(b []byte, text string) []byte {
	encoded, err := encodeJSON(text)
	if err != nil {
		encoded = []byte(`""`)
	}
	return append(b, encoded...)
}

// newEntry creates an entry and its wire form.
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

// parseQueue parses the entries of a stored queue. It omits entries that are not valid.
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

// validIdentifier reports whether a text is a valid identifier: 1 to 128 visible ASCII characters.
func validIdentifier(text string) bool {
	return text != "" && len(text) <= 128 && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// stateChange describes the changes that a write makes to the stored state.
type stateChange struct {
	prefix   string // common prefix of the keys
	events   bool   // store the identifier and the queue, not only the opt-out marker
	entries  []*entry
	limit    int
	removed  func(*entry) bool // reports whether to remove an entry of the file
	clear    bool              // remove all entries of the file's queue, and all feedback
	id       string
	writeID  bool // replace the identifier of the file with id, or remove it if id is ""
	optedOut bool
	writeOut bool // write or remove the opt-out marker
}

const (
	idSuffix     = "distinct_id"
	queueSuffix  = "queue"
	optOutSuffix = "opt_out"
)

// apply applies the change to the stored texts, the parameter old. The result out reports whether
// another process has opted out.
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
		set(feedbackSuffix, "")
		return next, !s.optedOut
	}
	if !s.events {
		return next, false
	}
	if s.clear {
		set(feedbackSuffix, "")
	}
	if s.writeID || !validIdentifier(next[s.prefix+idSuffix]) {
		set(idSuffix, s.id)
	}
	set(queueSuffix, s.mergeQueue(next[s.prefix+queueSuffix]))
	return next, false
}

// mergeQueue merges this change into the stored queue text and returns the result. Entries of other
// processes come before those of this process. If there are more than limit entries, the oldest are
// dropped.
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
