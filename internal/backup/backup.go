// Package backup reads and writes backup archives as streams, and restores them into a
// data directory.
//
// An archive is a tar file compressed with zstd, so that ordinary tools can
// unpack it. Its last member, the manifest, has the sum of every other one. Behind
// the compressed data, in a frame that zstd skips, is the sum of all bytes before.
// It may be encrypted as a whole with age.
//
//	backup.go     Manifest, Options, recipients
//	write.go      Writer of an archive
//	add.go        adding members
//	read.go       Read: decryption, verification
//	trailer.go    the checksum behind the compressed data
//	unpack.go     unpacking into a folder
//	swap.go       replacing the data directory, with a journal
//	folder.go     the folder that backups go to
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

// Format is the number of the layout that this program writes.
const Format = 1

// manifestName is the last member of an archive. The others have the names that
// they have in a data directory.
const manifestName = "manifest.json"

// The ends of the names of archives.
const (
	Suffix       = ".tar.zst"
	SealedSuffix = Suffix + ".age"
)

var (
	// ErrDamaged is for an archive that is not what was written.
	ErrDamaged = errors.New("the archive is damaged")
	// ErrNewer is for an archive of a newer program.
	ErrNewer = errors.New("the archive was written by a newer version of svc")
	// ErrSealed is for a sealed archive that is read without the right identity.
	ErrSealed = errors.New("the archive is encrypted")
	// ErrNoArchive is for a file that is something else.
	ErrNoArchive = errors.New("not a svc archive")
)

// Manifest describes an archive.
type Manifest struct {
	Format    int       `json:"format"`
	Version   string    `json:"version"` // of the svc that wrote it
	CreatedAt time.Time `json:"created_at"`
	// Files reports whether local files were to be in it, not only the databases.
	Files bool `json:"files"`
	// SecretsElsewhere are the variables of secrets that were given to the server
	// and that the archive does not have.
	SecretsElsewhere []string `json:"secrets_elsewhere,omitempty"`
	Members          []Member `json:"members"`
}

// Member is a file in an archive.
type Member struct {
	Name   string `json:"name"` // relative to the data directory, with slashes
	Size   int64  `json:"size"` // bytes
	Mode   Mode   `json:"mode"`
	SHA256 string `json:"sha256"`
}

// Mode is the permissions of a file, in JSON a text of four octal digits.
type Mode fs.FileMode

// MarshalText writes the digits.
func (m Mode) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%04o", uint32(m)), nil }

// UnmarshalText reads the digits.
func (m *Mode) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 8, 9)
	if err != nil || len(text) != 4 {
		return errors.New("file mode must be four octal digits")
	}
	*m = Mode(n)
	return nil
}

// Bytes is the sum of the sizes of the members.
func (m *Manifest) Bytes() (n int64) {
	for _, member := range m.Members {
		n += member.Size
	}
	return n
}

// Options say what a backup is to have and who can read it.
type Options struct {
	// Recipients are the public keys of age, age1…, any one of whose identities
	// opens the archive. Without any it is not sealed.
	Recipients []string `json:"recipients,omitempty"`
	// Files reports whether local files come along.
	Files bool `json:"files"`
}

// ParseRecipients reads public keys of age.
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

// Contained reports whether a file of the data directory belongs into archives.
// It is a closed set, so that no archive can write anywhere else.
func Contained(name string) bool {
	switch name {
	case datadir.Database, datadir.Events, datadir.Secrets, datadir.Config:
		return true
	}
	staged := strings.HasPrefix(name, datadir.Files+"/"+datadir.StagedFiles+"/")
	if !strings.HasPrefix(name, datadir.Files+"/") || strings.HasPrefix(name, datadir.Staging+"/") && !staged || strings.HasPrefix(name, datadir.Cache+"/") {
		return false
	}
	return len(name) <= maxName && fs.ValidPath(name) && filepath.IsLocal(filepath.FromSlash(name)) && !strings.ContainsFunc(name, odd)
}

// maxName is the bytes of a name with its folders.
const maxName = 1024

// odd are the characters that mean something else on some system.
func odd(r rune) bool { return r < ' ' || r == 0x7F || r == '\\' || r == ':' }
