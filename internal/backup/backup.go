// Package backup reads and writes backup archives as streams, and restores them into a
// data directory.
//
// An archive is a tar file compressed with zstd, so that ordinary tools can unpack it.
// Its last member, the manifest, contains the checksum of every other member. A skippable
// zstd frame after the compressed data contains the checksum of all preceding bytes. The
// archive can be encrypted as a whole with age.
//
//	backup.go     Manifest, Options, recipients
//	write.go      Writer of an archive
//	add.go        adding members
//	read.go       Read: decryption, verification
//	trailer.go    the checksum after the compressed data
//	unpack.go     unpacking into a directory
//	swap.go       replacing the data directory, with a journal
//	folder.go     the directory of backups
//	scheduled.go  names of scheduled backups
//	mode_unix.go  permissions; mode_windows.go likewise
package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"filippo.io/age"

	"svc/internal/datadir"
)

// Format is the version of the layout that this program writes.
const Format = 1

// manifestName is the last member of an archive. The other members have the same names as
// in a data directory.
const manifestName = "manifest.json"

// Suffixes of the names of archives.
const (
	Suffix       = ".tar.zst"
	SealedSuffix = Suffix + ".age"
)

var (
	// ErrDamaged reports that an archive's content does not match its checksums.
	ErrDamaged = errors.New("the archive is damaged")
	// ErrNewer reports that an archive was written by a newer program.
	ErrNewer = errors.New("the archive was written by a newer version of svc")
	// ErrSealed reports that an archive is encrypted and no identity decrypts it.
	ErrSealed = errors.New("the archive is encrypted")
	// ErrNoArchive reports that a file is not an archive.
	ErrNoArchive = errors.New("not a svc archive")
)

// Manifest describes an archive.
type Manifest struct {
	Format    int       `json:"format"`
	Version   string    `json:"version"` // of the svc that wrote it
	CreatedAt time.Time `json:"created_at"`
	// Files reports whether the backup was meant to include local files, not only the
	// databases.
	Files bool `json:"files"`
	// SecretsElsewhere lists the environment variables from which the server got secrets
	// that the archive does not contain.
	SecretsElsewhere []string `json:"secrets_elsewhere,omitempty"`
	Members          []Member `json:"members"`
}

// Member is a file in an archive.
type Member struct {
	Name   string `json:"name"` // relative to the data directory, slash-separated
	Size   int64  `json:"size"` // bytes
	Mode   Mode   `json:"mode"`
	SHA256 string `json:"sha256"`
}

// Mode is the permissions of a file, in JSON a string of four octal digits.
type Mode fs.FileMode

// MarshalText returns the digits.
func (m Mode) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%04o", uint32(m)), nil }

// UnmarshalText parses the digits.
func (m *Mode) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 8, 9)
	if err != nil || len(text) != 4 {
		return errors.New("file mode must be four octal digits")
	}
	*m = Mode(n)
	return nil
}

// Bytes returns the total size of the members.
func (m *Manifest) Bytes() (n int64) {
	for _, member := range m.Members {
		n += member.Size
	}
	return n
}

// Options configures the content of a backup and the keys that can decrypt it.
type Options struct {
	// Recipients holds public keys of age, age1…. The identity of any one of them
	// decrypts the archive. Without recipients, the archive is not encrypted.
	Recipients []string `json:"recipients,omitempty"`
	// Files reports whether to include local files.
	Files bool `json:"files"`
}

// ParseRecipients parses public keys of age.
func ParseRecipients(texts []string) ([]age.Recipient, error) {
	var all []age.Recipient
	for _, text := range texts {
		one, err := age.ParseRecipients(strings.NewReader(text))
		if err != nil || len(one) != 1 {
			return nil, fmt.Errorf("%.80q is not an age public key, which starts with age1", text)
		}
		all = append(all, one...)
	}
	return all, nil
}

// Contained reports whether a file of the data directory belongs in archives. The set is
// closed, so that no archive can write to other paths.
func Contained(name string) bool {
	switch name {
	case datadir.Database, datadir.Events, datadir.Secrets, datadir.Config:
		return true
	}
	staged := strings.HasPrefix(name, datadir.Files+"/"+datadir.StagedFiles+"/")
	if !strings.HasPrefix(name, datadir.Files+"/") || strings.HasPrefix(name, datadir.Staging+"/") && !staged ||
		strings.HasPrefix(name, datadir.Cache+"/") {
		return false
	}
	return len(name) <= maxName && fs.ValidPath(name) && filepath.IsLocal(filepath.FromSlash(name)) && !strings.ContainsFunc(name, odd)
}

// maxName is the maximum length of a name with its directories, in bytes.
const maxName = 1024

// odd reports whether a character has a special meaning on some system.
func odd(r rune) bool { return r < ' ' || r == 0x7F || r == '\\' || r == ':' }
