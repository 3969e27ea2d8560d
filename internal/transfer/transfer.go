// Package transfer implements the archive format in which a project moves to another
// installation or to another program. An archive is a zip file of JSON lines and contents
// of files, with a manifest. docs/moving.md describes the format.
package transfer

import (
	"errors"
	"slices"
)

// Format is the version of the format that this program writes. An archive with a greater
// version is rejected.
const Format = 1

// The files of an archive. Each file contains a single JSON object, or one JSON object
// per line.
const (
	ManifestFile       = "manifest.json"
	ProjectFile        = "project.json"
	AliasesFile        = "aliases.jsonl"
	LanguagesFile      = "languages.jsonl"
	VersionsFile       = "versions.jsonl"
	AnnouncementsFile  = "announcements.jsonl"
	FeedbacksFile      = "feedbacks.jsonl"
	LogsFile           = "logs.jsonl"
	CardsFile          = "cards.jsonl"
	DefinitionsFile    = "event_definitions.jsonl"
	EventsFile         = "events.jsonl"
	EventCountersFile  = "event_counters.jsonl"
	RequestsFile       = "requests.jsonl"
	SystemVersionsFile = "system_versions.jsonl"
	ClientVersionsFile = "client_versions.jsonl"
	DownloadsFile      = "downloads.jsonl"
	FilesFile          = "files.jsonl"
)

// members lists all files except the manifest and contents, in the order in which they
// are written. The last file is written after the contents, because it lists them.
var members = []string{
	ProjectFile, AliasesFile, LanguagesFile, VersionsFile, AnnouncementsFile, FeedbacksFile, LogsFile, CardsFile,
	DefinitionsFile, EventsFile, EventCountersFile, RequestsFile, SystemVersionsFile, ClientVersionsFile, DownloadsFile,
	FilesFile,
}

// Files returns the names of the files that an archive can have besides its manifest and
// contents.
func Files() []string { return slices.Clone(members) }

const (
	// LongestLine is the maximum length of a line, in bytes. The program writes the
	// longest line for a version that two requests have filled with texts in which every
	// byte is escaped.
	LongestLine = 256 << 20

	maxManifest = 1 << 20 // bytes
)

// ErrNewer reports that an archive has a format of a newer version of the program.
var ErrNewer = errors.New("made by a newer version of svc")

// Manifest describes the content of an archive.
type Manifest struct {
	Format     int    `json:"format"`
	Program    string `json:"program,omitempty"` // the program that made it, with its version
	CreatedAt  int64  `json:"created_at"`        // Unix seconds
	ProjectKey string `json:"project_key"`
	Files      []File `json:"files"`
}

// File is one file of an archive.
type File struct {
	Name    string `json:"name"`
	Records int64  `json:"records"` // lines
	Bytes   int64  `json:"bytes"`   // when unpacked
	SHA256  string `json:"sha256"`  // of these bytes, in hex
}

// File returns the manifest's entry for the named file.
func (m *Manifest) File(name string) (f File, ok bool) {
	at := slices.IndexFunc(m.Files, func(f File) bool { return f.Name == name })
	if at < 0 {
		return File{}, false
	}
	return m.Files[at], true
}

// Bytes returns the total uncompressed size of the files.
func (m *Manifest) Bytes() (n int64) {
	for _, f := range m.Files {
		n += f.Bytes
	}
	return n
}
