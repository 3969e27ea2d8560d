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

// manifestName is the name of the last member of an archive. The other members have the
// names that their files have in a data directory.
const manifestName = "manifest.json"

// The suffixes of the file names of archives. SealedSuffix is for encrypted archives.
const (
	Suffix       = ".tar.zst"
	SealedSuffix = Suffix + ".age"
)

var (
	// ErrDamaged reports that an archive's content does not match its checksums.
	ErrDamaged = errors.New("the archive is damaged")
	// ErrNewer reports that an archive was written by a newer program.
	ErrNewer = errors.New("the archive was written by a newer version of svc")
	// ErrSealed reports that an archive is encrypted and that none of the given identities can
	// decrypt it.
	ErrSealed = errors.New("the archive is encrypted")
	// ErrNoArchive reports that a file is not an archive.
	ErrNoArchive = errors.New("not a svc archive")
)

// Manifest describes the content of an archive.
type Manifest struct {
	Format    int       `json:"format"`
	Version   string    `json:"version"` // version of svc that wrote the archive
	CreatedAt time.Time `json:"created_at"`
	// Files reports whether the backup includes local files in addition to the databases.
	Files bool `json:"files"`
	// SecretsElsewhere lists the environment variables that contained secrets of the server
	// when the backup was made. These secrets are not in the archive.
	SecretsElsewhere []string `json:"secrets_elsewhere,omitempty"`
	Members          []Member `json:"members"`
}

// Member describes a file in an archive.
type Member struct {
	Name   string `json:"name"` // path relative to the data directory, with slashes
	Size   int64  `json:"size"` // size in bytes
	Mode   Mode   `json:"mode"`
	SHA256 string `json:"sha256"`
}

// Mode contains the permissions of a file. In JSON it is a string of four octal digits.
type Mode fs.FileMode

// MarshalText returns the permissions as four octal digits.
func (m Mode) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%04o", uint32(m)), nil }

// UnmarshalText parses octal digits.
func (m *Mode) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 8, 9)
	if err != nil || len(text) != 4 {
		return errors.New("file mode must be four octal digits")
	}
	*m = Mode(n)
	return nil
}

// Bytes returns the total size of the members, in bytes.
func (m *Manifest) Bytes() (n int64) {
	for _, member := range m.Members {
		n += member.Size
	}
	return n
}

// Options specifies the content of a backup and the keys for which it is encrypted.
type Options struct {
	// Recipients lists public keys of age, which begin with "age1". The owner of the private
	// key of any of them can decrypt the archive. If there are none, the archive is not
	// encrypted.
	Recipients []string `json:"recipients,omitempty"`
	// Files reports whether to include local files in the backup.
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

// Contained reports whether an archive may contain a member with the given name. Only the
// names of a data directory's files are allowed, so that unpacking an archive cannot
// write to other paths.
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

// maxName is the maximum length, in bytes, of the path of a member.
const maxName = 1024

// odd reports whether a character has a special meaning in file names on any operating system.
func odd(r rune) bool { return r < ' ' || r == 0x7F || r == '\\' || r == ':' }
