package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of a submission, in characters and, for properties, in levels of
// objects and lists.
const (
	longestID         = 128 // distinct_id, session_id and event_id
	longestName       = 64
	deepestProperties = 100
)

// Submission is the body of an ingestion request, read and checked. All its
// texts lie in one copy of the body, and properties in the body itself: whoever
// keeps one of them for long clones it, and nobody changes the body.
type Submission struct {
	Subject         string // distinct_id, 1 to 128 characters
	Session         string // session_id, up to 128 characters; "" = none
	Platform        Text   // as declared
	PlatformVersion Text   // as declared
	ClientTime      Text   // as declared
	// Items are the sound events, in the order of the request.
	Items []SubmittedItem
	// Rejected are the others.
	Rejected []Rejected
}

// Text is a text that may not have been sent.
type Text struct {
	Value string
	Sent  bool // null is not sent
}

// SubmittedItem is a sound event of a submission.
type SubmittedItem struct {
	Index  int    // in the list that was sent
	ID     string // event_id, 1 to 128 characters
	Name   string // trimmed and in lower case
	Usable bool   // the name fits ^[a-z0-9_.:-]{1,64}$
	// At is occurred_at, not negative, in Unix seconds; 0 where HasTime is false.
	At      int64
	HasTime bool
	// Properties are a compact JSON object of at most 100 levels with each
	// first-level key once, of one that came twice the last; nil = none.
	Properties []byte
}

// Rejected is an event that cannot be stored, and why.
type Rejected struct {
	Index   int // in the list that was sent
	Message string
}

// DecodeSubmission reads the body of an ingestion request into a submission,
// whose lists it uses again. Problems are the faults of the batch, for which
// nothing of it may be stored; where every event is faulty, theirs, too. What is
// no JSON object has one problem, in the words that all bodies of the API share.
//
// It reads the body once. Names are compared exactly, unknown ones are ignored,
// and of one that comes twice the last counts.
func DecodeSubmission(body []byte, mostItems int, into *Submission) (problems []string) {
	clear(into.Items) // or former bodies would stay in memory
	clear(into.Rejected)
	*into = Submission{Items: into.Items[:0], Rejected: into.Rejected[:0]}
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		body = []byte("{}")
	}
	if !utf8.Valid(body) {
		return []string{"the request body must be UTF-8"}
	}
	var few [fewMembers]member
	d := decoder{
		scanner: scanner{text: string(body)}, body: body, into: into, mostItems: mostItems, members: few[:0],
	}
	if body[0] == '{' {
		d.batch()
		d.failed = d.failed || d.at < len(body)
	}
	if d.failed || body[0] != '{' {
		*into = Submission{}
		return []string{whyNoObject(body)}
	}
	return d.check()
}

// whyNoObject says what is wrong with a body that is no JSON object.
func whyNoObject(body []byte) string {
	var raw json.RawMessage
	err := json.Unmarshal(body, &raw)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("the request body is not JSON: %s at byte %d", syntax, syntax.Offset)
	}
	return "the request body must be a JSON object"
}

// decoder reads one submission.
type decoder struct {
	scanner
	body      []byte // the same bytes as the text
	into      *Submission
	mostItems int

	subject, session                      token
	platform, platformVersion, clientTime token
	events                                token
	count                                 int // entries of events

	members []member // of the properties being read
	room    []byte   // holds properties that had to be rewritten
}

// member is a first-level property.
type member struct{ key, value token }

// batch reads the object that the body is.
func (d *decoder) batch() {
	for more := d.enter('}'); more; more = d.further('}') {
		key := d.key()
		if d.failed {
			return
		}
		switch d.string(key) {
		case "distinct_id":
			d.subject = d.value()
		case "session_id":
			d.session = d.value()
		case "platform":
			d.platform = d.value()
		case "platform_version":
			d.platformVersion = d.value()
		case "client_time":
			d.clientTime = d.value()
		case "events":
			d.list()
		default:
			d.value()
		}
	}
}

// list reads the events. Those beyond the limit are only checked to be JSON.
func (d *decoder) list() {
	d.into.Items, d.into.Rejected, d.count = d.into.Items[:0], d.into.Rejected[:0], 0
	from := d.at
	if d.peek() != '[' {
		d.events = d.value()
		return
	}
	for more := d.enter(']'); more; more = d.further(']') {
		if d.count < d.mostItems {
			d.item()
		} else {
			d.value()
		}
		d.count++
	}
	d.events = token{from: from, to: d.at}
}

// item reads one event.
func (d *decoder) item() {
	if d.peek() != '{' {
		if d.value(); !d.failed {
			d.reject(" must be an object")
		}
		return
	}
	var id, name, at, properties token
	var object []byte
	for more := d.enter('}'); more; more = d.further('}') {
		key := d.key()
		if d.failed {
			return
		}
		switch d.string(key) {
		case "event_id":
			id = d.value()
		case "name":
			name = d.value()
		case "occurred_at":
			at = d.value()
		case "properties":
			properties, object = d.properties()
		default:
			d.value()
		}
	}
	if d.failed {
		return
	}
	switch it, fault := d.sound(id, name, at); {
	case fault != "":
		d.reject(fault)
	case d.sent(properties) && object == nil:
		d.reject(fmt.Sprintf(".properties must be a JSON object of at most %d levels", deepestProperties))
	default:
		it.Properties = object
		d.into.Items = append(d.into.Items, it)
	}
}

// reject keeps what is wrong with the event that was just read, or with a field
// of it.
func (d *decoder) reject(fault string) {
	message := fmt.Sprintf("events[%d]%s", d.count, fault)
	d.into.Rejected = append(d.into.Rejected, Rejected{Index: d.count, Message: message})
}

// sound checks the fields of an event but for its properties.
func (d *decoder) sound(id, name, at token) (it SubmittedItem, fault string) {
	it.Index = d.count
	if it.ID, fault = d.required(id, longestID); fault != "" {
		return it, ".event_id " + fault
	}
	sent, fault := d.required(name, longestName)
	if fault != "" {
		return it, ".name " + fault
	}
	it.Name, it.Usable = eventName(sent)
	if it.HasTime = d.sent(at); it.HasTime {
		var ok bool
		if it.At, ok = seconds(d.raw(at)); !ok {
			return it, ".occurred_at must be an integer of at least 0 (Unix seconds)"
		}
	}
	return it, ""
}

// required reads a text that must be there and must not be empty.
func (d *decoder) required(v token, most int) (text, fault string) {
	switch {
	case !d.sent(v):
		return "", "is required"
	case !d.isString(v):
		return "", "must be a string"
	}
	text = d.string(v)
	if text == "" || longer(text, most) {
		return "", fmt.Sprintf("must have 1 to %d characters", most)
	}
	return text, ""
}

// longer reports whether a text has more than most characters.
func longer(text string, most int) bool {
	return len(text) > most && utf8.RuneCountInString(text) > most
}

// eventName is the name under which an event is counted, and whether it may be.
func eventName(sent string) (name string, usable bool) {
	if nameFits(sent) {
		return sent, true // as most names are
	}
	name = strings.ToLower(strings.TrimSpace(sent))
	return name, nameFits(name)
}

// NameFits reports whether a text is a name as events are stored with it: 1 to 64
// of a to z, 0 to 9 and _ . : -.
func NameFits(name string) bool { return nameFits(name) && !longer(name, longestName) }

// nameFits reports whether a name consists of a to z, 0 to 9 and _ . : - only. Its
// length was checked as it was sent, and lower case has no more characters.
func nameFits(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', isDigit(c), c == '_', c == '.', c == ':', c == '-':
		default:
			return false
		}
	}
	return name != ""
}

// seconds reads a whole number that is not negative, in whatever way it is
// spelled: 5, 5.0 and 5e0 are the same, "5" is none.
func seconds(raw string) (n int64, ok bool) {
	n, err := strconv.ParseInt(raw, 10, 64)
	if err != nil {
		f, err := strconv.ParseFloat(raw, 64)
		if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			return 0, false
		}
		n = int64(f)
	}
	return n, n >= 0
}

// check reports the faults of the batch and takes over its fields.
func (d *decoder) check() (problems []string) {
	subject, fault := d.required(d.subject, longestID)
	if fault != "" {
		problems = append(problems, "distinct_id "+fault)
	}
	optional := func(v token, field string) (text Text) {
		if text.Sent = d.sent(v); !text.Sent {
			return text
		}
		if !d.isString(v) {
			problems = append(problems, field+" must be a string")
			return text
		}
		text.Value = d.string(v)
		return text
	}
	session := optional(d.session, "session_id").Value
	if longer(session, longestID) {
		problems = append(problems, fmt.Sprintf("session_id must have at most %d characters", longestID))
	}
	into := d.into
	into.Subject, into.Session = subject, session
	into.Platform = optional(d.platform, "platform")
	into.PlatformVersion = optional(d.platformVersion, "platform_version")
	if d.sent(d.clientTime) && d.isString(d.clientTime) { // one of no use is not sent
		into.ClientTime = Text{d.string(d.clientTime), true}
	}
	switch {
	case !d.sent(d.events):
		problems = append(problems, "events is required")
	case d.text[d.events.from] != '[':
		problems = append(problems, "events must be a list")
	case d.count == 0 || d.count > d.mostItems:
		into.Items, into.Rejected = into.Items[:0], into.Rejected[:0]
		problems = append(problems, fmt.Sprintf("events must have 1 to %d entries", d.mostItems))
	case len(into.Items) == 0:
		for _, r := range into.Rejected {
			problems = append(problems, r.Message)
		}
	}
	return problems
}
