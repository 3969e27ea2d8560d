// Package integrity defines what a check of the data can find. Every finding belongs to
// one of a fixed set of kinds. All findings are counted, but only a limited number of
// them is listed.
package integrity

import "errors"

// ErrDamaged is wrapped by every error about stored data that cannot be read.
var ErrDamaged = errors.New("damaged")

// Severity is the severity of a finding.
type Severity string

// The severities of findings, the worst first.
const (
	// Damage means that stored data cannot be read. Only a backup can restore it.
	Damage Severity = "damage"
	// Wrong means that data is inconsistent with other data.
	Wrong Severity = "wrong"
	// Note means that the finding is harmless: it wastes space or is corrected
	// automatically.
	Note Severity = "note"
)

// Kind is the kind of a finding.
type Kind string

// The kinds of findings. Kinds contains their severities and repairs.
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

	FileIndex  Kind = "file-index"
	FileHome   Kind = "file-storage"
	Object     Kind = "object"
	SpareFile  Kind = "spare-object"
	StagedFile Kind = "staged-file"

	Block           Kind = "block"
	Reference       Kind = "reference"
	EventName       Kind = "event-name"
	Text            Kind = "text"
	WAL             Kind = "wal"
	Counters        Kind = "counters"
	Undercount      Kind = "undercount"
	EventKey        Kind = "event-key"
	DictionaryIndex Kind = "dictionary-index"

	SearchIndex Kind = "search-index"
	SearchGap   Kind = "search-gap"
)

// About describes the findings of a kind.
type About struct {
	Severity Severity
	// Means is a sentence about what a finding of this kind means.
	Means string
	// Repair is a sentence about the repair. It is "" if the data cannot be derived from
	// other data.
	Repair string
}

// Kinds contains a description of each kind.
var Kinds = map[Kind]About{
	Page:       {Damage, "a page of a data file is invalid: what is on it or below it cannot be read", ""},
	MetaPage:   {Note, "one of the two meta pages of a data file is invalid, as after a power cut during a write; the other one is used", ""},
	LeakedPage: {Note, "pages are neither in use nor free and waste space", ""},
	Layout:     {Damage, "a bucket or key that every data file has is missing", ""},
	Unread:     {Damage, "a part of a data file was not checked, because other damage makes it unreadable", ""},

	Record:      {Damage, "a record cannot be decoded", ""},
	Hour:        {Damage, "the request statistics of an hour cannot be decoded", ""},
	Latest:      {Wrong, "more than one version of a project is the latest", ""},
	Name:        {Wrong, "the index of keys and aliases does not match the projects", "rebuilds the index from the projects"},
	VersionName: {Wrong, "the index of display texts does not match the versions", "rebuilds the index from the versions"},
	Owner: {
		Wrong, "a record is not in the index of its project, or the index names a record that does not exist",
		"rebuilds the index from the records",
	},
	Miscount:   {Wrong, "a stored count differs from the number of records", "counts the records"},
	Columns:    {Wrong, "the packed columns of feedback or logs do not match their records", "rebuilds them from the records"},
	Number:     {Wrong, "an id or number in use was never allocated", "raises the last allocated one"},
	KeyProject: {Wrong, "an API key names a project that does not exist", "removes it from the key"},
	Feed:       {Wrong, "an entry of the change feed cannot be read", "removes it and has the search index rebuilt"},
	Leftover:   {Note, "content of a deleted project, which a running server removes", ""},

	FileIndex: {Wrong, "an index of files does not match the files", "rebuilds the index from the files"},
	FileHome: {
		Wrong, "a file or a project names a storage backend that does not exist, or not exactly one is the default",
		"lets such projects use the default, and makes the built-in storage the default where there is none",
	},
	Object: {Damage, "the content of a file is missing in the local storage, or has another size", ""},
	SpareFile: {
		Note, "content in the local storage belongs to no file; a running server moves it to `lost/` when it is a day old, unless there are many",
		"",
	},
	StagedFile: {Note, "staged content belongs to no file; a running server removes it", ""},

	Block:      {Damage, "a block of events cannot be decoded", ""},
	Reference:  {Damage, "events refer to a name, sender or session that does not exist", ""},
	EventName:  {Damage, "the name of an event cannot be decoded", ""},
	Text:       {Damage, "texts of senders or sessions cannot be decoded", ""},
	WAL:        {Damage, "a part of the WAL of events cannot be decoded", ""},
	Counters:   {Damage, "the counters of an hour of events cannot be decoded", ""},
	Undercount: {Wrong, "an hour has more events than its counters", "raises the counters to the number of events"},
	EventKey: {
		Wrong, "the index of event ids is damaged or incomplete: an event that is sent again could be counted twice",
		"rebuilds the index from the events",
	},
	DictionaryIndex: {Wrong, "the index of senders or sessions is damaged or incomplete", "rebuilds the index from the texts"},

	SearchIndex: {Wrong, "the search index is unusable or incomplete", "removes it; the server rebuilds it"},
	SearchGap:   {Note, "the search index is missing or behind; the server updates it", ""},
}
