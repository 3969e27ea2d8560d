// Package transfer implements the archive format in which a project moves to another
// installation or to another program. An archive is a zip file of JSON lines and contents
// of files, with a manifest. docs/moving.md describes the format.
package transfer

import (
	"errors"
	"slices"
)

// Format is the version of the archive format that this program writes. The program
// rejects archives with a greater version.
const Format = 1

// The names of the files in an archive. A .json file contains one JSON object; a .jsonl
// file contains one JSON object per line.
const (
	ManifestFile       = "manifest.json"
	ProjectFile        = "project.json"
	AliasesFile        = "aliases.jsonl"
	LanguagesFile      = "languages.jsonl"
	DistributionFile   = "distribution.json"
	TrustKeysFile      = "trust_keys.jsonl"
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
	HealthFile         = "health.jsonl"
	LogGroupsFile      = "log_groups.jsonl"
	FilesFile          = "files.jsonl"
)

// members lists the files of an archive in the order in which they are written. It omits
// the manifest and the contents of uploaded files. FilesFile is written after those
// contents, because it lists them.
var members = []string{
	ProjectFile, AliasesFile, LanguagesFile, DistributionFile, TrustKeysFile, VersionsFile, AnnouncementsFile, FeedbacksFile, LogsFile,
	CardsFile, DefinitionsFile, EventsFile, EventCountersFile, RequestsFile, SystemVersionsFile, ClientVersionsFile,
	DownloadsFile, HealthFile, LogGroupsFile, FilesFile,
}

// Files returns the names of the files that an archive can contain, without the manifest
// and the contents of uploaded files.
func Files() []string { return slices.Clone(members) }

const (
	// LongestLine is the maximum length of a line, in bytes. The longest line that the
	// program writes is a version that two requests have filled with texts in which every
	// byte is escaped.
	LongestLine = 256 << 20

	maxManifest = 1 << 20 // bytes
)

// ErrNewer reports that a newer version of the program wrote an archive, in a format that
// this version cannot read.
var ErrNewer = errors.New("made by a newer version of svc")

// Manifest describes the content of an archive.
type Manifest struct {
	Format     int    `json:"format"`
	Program    string `json:"program,omitempty"` // program that made the archive, with its version
	CreatedAt  int64  `json:"created_at"`        // Unix seconds
	ProjectKey string `json:"project_key"`
	Files      []File `json:"files"`
}

// File describes one file of an archive.
type File struct {
	Name    string `json:"name"`
	Records int64  `json:"records"` // number of lines
	Bytes   int64  `json:"bytes"`   // uncompressed size
	SHA256  string `json:"sha256"`  // SHA-256 of the uncompressed file, in hex
}

// File returns the entry of the manifest for the file with the given name. ok is false if
// there is none.
func (m *Manifest) File(name string) (f File, ok bool) {
	at := slices.IndexFunc(m.Files, func(f File) bool { return f.Name == name })
	if at < 0 {
		return File{}, false
	}
	return m.Files[at], true
}

// Bytes returns the total uncompressed size of the files in the manifest.
func (m *Manifest) Bytes() (n int64) {
	for _, f := range m.Files {
		n += f.Bytes
	}
	return n
}
