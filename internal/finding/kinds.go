// Package finding is what a check of the data has to say: findings of a closed
// set of kinds, of which a bounded number is listed and all are counted.
package finding

// Severity is how bad a finding is.
type Severity string

// The severities, the worst first.
const (
	// Damage is something that was stored and cannot be read: only a backup has
	// it.
	Damage Severity = "damage"
	// Wrong is something that does not agree with the rest.
	Wrong Severity = "wrong"
	// Note costs some space or is put right by itself; nothing is wrong.
	Note Severity = "note"
)

// Kind is what a finding is about.
type Kind string

// The kinds. Kinds says of each how bad it is and what a repair does.
const (
	Page       Kind = "page"
	MetaPage   Kind = "meta-page"
	LeakedPage Kind = "leaked-page"
	Layout     Kind = "layout"
	Unread     Kind = "unread"

	Record      Kind = "record"
	Hour        Kind = "hour"
	Latest      Kind = "latest"
	Name        Kind = "name"
	VersionName Kind = "version-name"
	Owner       Kind = "owner"
	Miscount    Kind = "count"
	Columns     Kind = "columns"
	Number      Kind = "number"
	KeyProject  Kind = "key-project"
	Feed        Kind = "feed"
	Leftover    Kind = "leftover"

	Block           Kind = "block"
	Reference       Kind = "reference"
	EventName       Kind = "event-name"
	Text            Kind = "text"
	Tail            Kind = "tail"
	Counters        Kind = "counters"
	Undercount      Kind = "undercount"
	EventKey        Kind = "event-key"
	DictionaryIndex Kind = "dictionary-index"

	SearchIndex Kind = "search-index"
	SearchGap   Kind = "search-gap"
)

// About is what is true of all findings of a kind.
type About struct {
	Severity Severity
	// Means says what a finding of the kind is.
	Means string
	// Repair says what a repair does; "" when nothing can be derived.
	Repair string
}

// Kinds are all kinds.
var Kinds = map[Kind]About{
	Page:       {Damage, "a page of a data file is not what it must be: what lies on it or below it cannot be read", ""},
	MetaPage:   {Note, "one of the two first pages of a data file is not valid, as after a power cut while it was written; the other one counts", ""},
	LeakedPage: {Note, "pages that are neither in use nor free cost space", ""},
	Layout:     {Damage, "a bucket or mark that every data file has is missing", ""},
	Unread:     {Damage, "a part of a data file was not checked, because the rest keeps it from being read", ""},

	Record:      {Damage, "a record cannot be decoded", ""},
	Hour:        {Damage, "the request statistics of an hour cannot be decoded", ""},
	Latest:      {Wrong, "more than one version of a project is the latest", ""},
	Name:        {Wrong, "keys and aliases do not lead to their projects", "makes the list anew from the projects"},
	VersionName: {Wrong, "the list of display texts does not lead to the versions", "makes the list anew from the versions"},
	Owner:       {Wrong, "a record does not lead to its project, or there is no such record", "makes the list anew from the records"},
	Miscount:    {Wrong, "a number that is kept is not that of the records", "counts again"},
	Columns:     {Wrong, "the packed columns of feedback or logs are not those of their records", "makes them anew from the records"},
	Number:      {Wrong, "an id or number in use was never given out", "raises the last one given out"},
	KeyProject:  {Wrong, "an API key names a project that is not there", "takes it off the key"},
	Feed:        {Wrong, "a change that the search index follows cannot be read", "removes it, and has the search index made anew"},
	Leftover:    {Note, "content of a deleted project, which goes by itself while a server runs", ""},

	Block:           {Damage, "a block of events cannot be decoded", ""},
	Reference:       {Damage, "events refer to a name, a sender or a session that is not there", ""},
	EventName:       {Damage, "the name of an event cannot be decoded", ""},
	Text:            {Damage, "texts of senders or sessions cannot be decoded", ""},
	Tail:            {Damage, "a part of the log of events cannot be decoded", ""},
	Counters:        {Damage, "the counters of an hour of events cannot be decoded", ""},
	Undercount:      {Wrong, "an hour has more events than its counters say", "raises the counters to the events that are there"},
	EventKey:        {Wrong, "the index of event ids is damaged, or an event is not in it, which sent again would be counted twice", "makes the index anew from the events"},
	DictionaryIndex: {Wrong, "the index of senders or sessions is damaged, or one is not in it", "makes the index anew from the texts"},

	SearchIndex: {Wrong, "the search index cannot be used, or something that can be searched is not in it", "removes it; the server makes another one"},
	SearchGap:   {Note, "the search index is not there or lags behind; the server brings it up to date", ""},
}
