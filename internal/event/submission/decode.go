package submission

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"svc/internal/jsonscan"
)

// Limits of a submission. Those of IDs and names are in characters, and that of properties is in
// levels of objects and lists.
const (
	maxIDLength      = 128 // for distinct_id, session_id and event_id
	maxNameLength    = 64
	maxPropertyDepth = 100
)

// Request is the parsed and validated body of an ingestion request. All its texts share
// one copy of the body, and its properties share the memory of the body itself. The
// caller must therefore not change the body, and must clone values that it retains.
type Request struct {
	Subject         string // distinct_id, 1 to 128 characters
	Session         string // session_id, up to 128 characters; "" = none
	Platform        Text   // as the client declared it
	PlatformVersion Text   // as the client declared it
	ClientTime      Text   // as the client declared it
	// Items holds the valid events, in the order of the request.
	Items []SentItem
	// Rejected lists the events that cannot be stored.
	Rejected []Rejected
}

// Text is a text that the request may contain.
type Text struct {
	Value string
	Sent  bool // false if the text is missing or null
}

// SentItem is a valid event of a submission.
type SentItem struct {
	Index  int    // index in the list of events that the client sent
	ID     string // event_id, 1 to 128 characters
	Name   string // trimmed and in lower case
	Usable bool   // whether the name matches ^[a-z0-9_.:-]{1,64}$
	// At is the event's occurred_at, in Unix seconds. It is never negative. It is 0 if
	// HasTime is false.
	At      int64
	HasTime bool
	// Properties is a compact JSON object of at most 100 levels; nil means none. It has
	// no duplicate first-level keys: if keys are equal, only the last one is stored.
	Properties []byte
}

// Rejected describes an event that cannot be stored, and the reason.
type Rejected struct {
	Index   int // index in the list of events that the client sent
	Message string
}

// Decode parses the body of an ingestion request into a Request, and reuses the lists of that
// Request. mostItems is the maximum number of events. problems describes the errors of the batch;
// if there are any, no event of the batch may be stored. If every event is invalid, problems
// contains the errors of all events. If the body is not a JSON object, problems contains only one
// error, which is worded as in the rest of the API.
//
// Decode reads the body once. Names of members are compared exactly, and unknown names are ignored.
// If a name occurs more than once, the last occurrence applies.
func Decode(body []byte, mostItems int, into *Request) (problems []string) {
	clear(into.Items) // otherwise the texts of the previous body would stay in memory
	clear(into.Rejected)
	*into = Request{Items: into.Items[:0], Rejected: into.Rejected[:0]}
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		body = []byte("{}")
	}
	if !utf8.Valid(body) {
		return []string{"the request body must be UTF-8"}
	}
	var few [maxCompared]member
	d := decoder{
		Scanner: jsonscan.Scanner{Source: string(body)}, body: body, into: into, maxItems: mostItems, members: few[:0],
	}
	if body[0] == '{' {
		d.batch()
		d.Failed = d.Failed || d.At < len(body)
	}
	if d.Failed || body[0] != '{' {
		*into = Request{}
		return []string{whyNoObject(body)}
	}
	return d.check()
}

// whyNoObject describes the reason why a body is not a JSON object.
func whyNoObject(body []byte) string {
	var raw json.RawMessage
	err := json.Unmarshal(body, &raw)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("the request body is not JSON: %s at byte %d", syntax, syntax.Offset)
	}
	return "the request body must be a JSON object"
}

// decoder holds the state of decoding one submission.
type decoder struct {
	jsonscan.Scanner
	body     []byte // the body, with the same bytes as Scanner.Source
	into     *Request
	maxItems int

	subject, session                      jsonscan.Token
	platform, platformVersion, clientTime jsonscan.Token
	events                                jsonscan.Token
	count                                 int // number of events that were sent

	members []member // the members of the current event's properties
	rewrite []byte   // a buffer for properties that had to be rewritten
}

// member is a first-level property of an event.
type member struct{ key, value jsonscan.Token }

// batch reads the top-level object of the body.
func (d *decoder) batch() {
	for more := d.Enter('}'); more; more = d.Next('}') {
		switch d.name() {
		case "distinct_id":
			d.subject = d.Value()
		case "session_id":
			d.session = d.Value()
		case "platform":
			d.platform = d.Value()
		case "platform_version":
			d.platformVersion = d.Value()
		case "client_time":
			d.clientTime = d.Value()
		case "events":
			d.list()
		default:
			d.Value()
		}
	}
}

// name reads the name of a member of a JSON object. It returns "" after an error.
func (d *decoder) name() string {
	key := d.Key()
	if d.Failed {
		return ""
	}
	return d.Text(key)
}

// list reads the list of events. It checks events beyond the limit d.maxItems only for valid JSON.
func (d *decoder) list() {
	d.into.Items, d.into.Rejected, d.count = d.into.Items[:0], d.into.Rejected[:0], 0
	from := d.At
	if d.Peek() != '[' {
		d.events = d.Value()
		return
	}
	for more := d.Enter(']'); more; more = d.Next(']') {
		if d.count < d.maxItems {
			d.item()
		} else {
			d.Value()
		}
		d.count++
	}
	d.events = jsonscan.Token{From: from, To: d.At}
}

// item reads one event.
func (d *decoder) item() {
	if d.Peek() != '{' {
		if d.Value(); !d.Failed {
			d.reject(" must be an object")
		}
		return
	}
	f := fields{nameField: "name"}
	for more := d.Enter('}'); more; more = d.Next('}') {
		d.field(d.name(), &f)
	}
	if d.Failed {
		return
	}
	it, fault := d.sound(&f)
	if fault != "" {
		d.reject("." + fault)
		return
	}
	it.Index = d.count
	d.into.Items = append(d.into.Items, it)
}

// fields holds the values of an event's fields.
type fields struct {
	nameField string // name of the member that contains the event's name; it differs between submissions and exports

	id, name, at, properties jsonscan.Token
	object                   []byte // the properties to store, if they are valid
}

// field reads the value of a member of an event. It stores the value in f if the name of the member
// is known.
func (d *decoder) field(member string, f *fields) {
	switch member {
	case "event_id":
		f.id = d.Value()
	case f.nameField:
		f.name = d.Value()
	case "occurred_at":
		f.at = d.Value()
	case "properties":
		f.properties, f.object = d.properties()
	default:
		d.Value()
	}
}

// reject records an error of the current event or of one of its fields. fault follows the path of
// the event in the message.
func (d *decoder) reject(fault string) {
	message := fmt.Sprintf("events[%d]%s", d.count, fault)
	d.into.Rejected = append(d.into.Rejected, Rejected{Index: d.count, Message: message})
}

// sound validates the fields of an event and returns the event. fault describes the first
// error, or is "".
func (d *decoder) sound(f *fields) (it SentItem, fault string) {
	if it.ID, fault = d.required(f.id, maxIDLength); fault != "" {
		return it, "event_id " + fault
	}
	sent, fault := d.required(f.name, maxNameLength)
	if fault != "" {
		return it, f.nameField + " " + fault
	}
	it.Name, it.Usable = eventName(sent)
	if it.HasTime = d.Sent(f.at); it.HasTime {
		var ok bool
		if it.At, ok = seconds(d.Raw(f.at)); !ok {
			return it, "occurred_at must be an integer of at least 0 (Unix seconds)"
		}
	}
	if it.Properties = f.object; d.Sent(f.properties) && f.object == nil {
		return it, fmt.Sprintf("properties must be a JSON object of at most %d levels", maxPropertyDepth)
	}
	return it, ""
}

// Record is a stored event as an export contains it, without the attributes of its client.
type Record struct {
	Subject, Session string
	Event            SentItem
}

// DecodeRecord parses one line of an export by the rules for submissions. The name of the
// event, in event_name, must already be in the form in which it is stored. Other fields
// are ignored.
func DecodeRecord(line []byte) (r Record, problems []string) {
	var few [maxCompared]member
	d := decoder{Scanner: jsonscan.Scanner{Source: string(line)}, body: line, members: few[:0]}
	f := fields{nameField: "event_name"}
	for more := d.Enter('}'); more; more = d.Next('}') {
		switch name := d.name(); name {
		case "distinct_id":
			d.subject = d.Value()
		case "session_id":
			d.session = d.Value()
		default:
			d.field(name, &f)
		}
	}
	if d.Failed {
		return r, []string{whyNoObject(line)}
	}
	var fault string
	r.Subject, r.Session, problems = d.sender()
	if r.Event, fault = d.sound(&f); fault != "" {
		return r, append(problems, fault)
	}
	if !r.Event.Usable {
		problems = append(problems, "event_name "+NameRule)
	}
	if !r.Event.HasTime {
		problems = append(problems, "occurred_at is required")
	}
	return r, problems
}

// sender reads and validates distinct_id and session_id.
func (d *decoder) sender() (subject, session string, problems []string) {
	subject, fault := d.required(d.subject, maxIDLength)
	if fault != "" {
		problems = append(problems, "distinct_id "+fault)
	}
	switch {
	case !d.Sent(d.session):
		return subject, "", problems
	case !d.IsString(d.session):
		return subject, "", append(problems, "session_id must be a string")
	}
	if session = d.Text(d.session); longer(session, maxIDLength) {
		problems = append(problems, fmt.Sprintf("session_id must have at most %d characters", maxIDLength))
	}
	return subject, session, problems
}

// required reads a text that must have at least one character. The parameter most is the maximum
// number of characters. fault describes the error, or is "".
func (d *decoder) required(v jsonscan.Token, most int) (text, fault string) {
	switch {
	case !d.Sent(v):
		return "", "is required"
	case !d.IsString(v):
		return "", "must be a string"
	}
	text = d.Text(v)
	if text == "" || longer(text, most) {
		return "", fmt.Sprintf("must have 1 to %d characters", most)
	}
	return text, ""
}

// longer reports whether the number of characters of a text exceeds the parameter most.
func longer(text string, most int) bool {
	return len(text) > most && utf8.RuneCountInString(text) > most
}

// eventName returns the normalized form of an event's name, under which the event is
// counted, and reports whether that form is valid.
func eventName(sent string) (name string, usable bool) {
	if nameFits(sent) {
		return sent, true // most names are already normalized
	}
	name = strings.Map(lowerASCII, strings.TrimSpace(sent))
	return name, nameFits(name)
}

// lowerASCII converts A to Z to lower case, and leaves all other characters unchanged, as
// the client libraries do. Otherwise a dotted capital I or a Kelvin sign would become a
// valid letter of a name.
func lowerASCII(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		r += 'a' - 'A'
	}
	return r
}

// NameRule describes valid names of events. In an error message, it follows the name of the field.
const NameRule = "must be 1 to 64 of a to z, 0 to 9, _ . : and -"

// ValidName reports whether a text is a valid normalized name of an event: 1 to 64 of a
// to z, 0 to 9 and _ . : -.
func ValidName(name string) bool { return nameFits(name) && !longer(name, maxNameLength) }

// nameFits reports whether a name consists only of a to z, 0 to 9 and _ . : -. It returns
// false for an empty name, but does not check the maximum length.
func nameFits(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '_', c == '.', c == ':', c == '-':
		default:
			return false
		}
	}
	return name != ""
}

// seconds parses a non-negative integer in any JSON notation. For example, 5, 5.0 and 5e0
// are equal. The string "5" is invalid.
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

// check returns the errors of the batch, and sets all fields of the Request except the
// events.
func (d *decoder) check() (problems []string) {
	into := d.into
	into.Subject, into.Session, problems = d.sender()
	optional := func(v jsonscan.Token, field string) (text Text) {
		if text.Sent = d.Sent(v); !text.Sent {
			return text
		}
		if !d.IsString(v) {
			problems = append(problems, field+" must be a string")
			return text
		}
		text.Value = d.Text(v)
		return text
	}
	into.Platform = optional(d.platform, "platform")
	into.PlatformVersion = optional(d.platformVersion, "platform_version")
	if d.Sent(d.clientTime) && d.IsString(d.clientTime) { // an unusable time is treated as if none had been sent
		into.ClientTime = Text{d.Text(d.clientTime), true}
	}
	switch {
	case !d.Sent(d.events):
		problems = append(problems, "events is required")
	case d.Source[d.events.From] != '[':
		problems = append(problems, "events must be a list")
	case d.count == 0 || d.count > d.maxItems:
		into.Items, into.Rejected = into.Items[:0], into.Rejected[:0]
		problems = append(problems, fmt.Sprintf("events must have 1 to %d entries", d.maxItems))
	case len(into.Items) == 0:
		for _, r := range into.Rejected {
			problems = append(problems, r.Message)
		}
	}
	return problems
}

// maxCompared is the largest number of properties for which all pairs of keys are
// compared to find duplicates. For more properties, a map is used.
const maxCompared = 16

// properties reads the properties of an event. sent is the value that the client sent.
// object is the form to be stored, compact and without duplicate keys; it is nil if the
// value is not valid.
func (d *decoder) properties() (sent jsonscan.Token, object []byte) {
	if d.Peek() != '{' {
		return d.Value(), nil
	}
	from, outside := d.At, d.Level
	d.Deepest, d.Spaced, d.members = d.Level, false, d.members[:0]
	for more := d.Enter('}'); more; more = d.Next('}') {
		d.members = append(d.members, member{d.Key(), d.Value()})
	}
	sent = jsonscan.Token{From: from, To: d.At}
	switch {
	case d.Failed || d.Deepest-outside > maxPropertyDepth:
		return sent, nil
	case d.unique() && !d.Spaced:
		return sent, d.body[from:d.At:d.At]
	}
	return sent, d.rewritten()
}

// unique removes all but the last of those members in d.members that have the same key. It reports
// whether there were no duplicates.
func (d *decoder) unique() bool {
	n := len(d.members)
	if n > maxCompared {
		d.dropByMap()
		return len(d.members) == n
	}
	for i := n - 2; i >= 0; i-- {
		key := d.members[i].key
		again := func(later member) bool { return d.sameKey(key, later.key) }
		if slices.ContainsFunc(d.members[i+1:], again) {
			d.members = slices.Delete(d.members, i, i+1)
		}
	}
	return len(d.members) == n
}

// sameKey reports whether two keys are equal after decoding.
func (d *decoder) sameKey(a, b jsonscan.Token) bool {
	if a.Escaped || b.Escaped {
		return d.Text(a) == d.Text(b)
	}
	return d.Raw(a) == d.Raw(b)
}

// dropByMap implements unique for many members. It uses a map, because comparing all
// pairs would take too long.
func (d *decoder) dropByMap() {
	last := make(map[string]int, len(d.members))
	for i, m := range d.members {
		last[d.Text(m.key)] = i
	}
	if len(last) == len(d.members) {
		return
	}
	i := -1
	d.members = slices.DeleteFunc(d.members, func(m member) bool {
		i++
		return last[d.Text(m.key)] != i
	})
}

// rewritten returns a compact JSON object that contains d.members. The object is a part
// of the shared buffer d.rewrite. If append has to move the buffer, objects that were
// returned earlier keep the old memory.
func (d *decoder) rewritten() []byte {
	from := len(d.rewrite)
	d.rewrite = append(d.rewrite, '{')
	for i, m := range d.members {
		if i > 0 {
			d.rewrite = append(d.rewrite, ',')
		}
		d.rewrite = append(d.rewrite, d.Raw(m.key)...)
		d.rewrite = append(d.rewrite, ':')
		d.rewrite = jsonscan.AppendCompact(d.rewrite, d.Raw(m.value))
	}
	d.rewrite = append(d.rewrite, '}')
	return d.rewrite[from:len(d.rewrite):len(d.rewrite)]
}
