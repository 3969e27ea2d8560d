package follow

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"svc/internal/backup"
	"svc/internal/datadir"
	"svc/internal/durable"
	"svc/internal/replica/format"
)

// ErrOther reports a data directory that is not a copy of the replica.
var ErrOther = errors.New("it is not a copy that follows this replica")

// state is the content of standby.json. It is written after changes have been applied, so that after a crash
// the databases can be ahead of it. Changes that they already have are skipped.
type state struct {
	Format   int    `json:"format"`
	Replica  string `json:"replica"`  // ID of the replica
	Data     string `json:"data"`     // ID of the data
	Target   string `json:"target"`   // without credentials
	Complete bool   `json:"complete"` // whether the directory has a whole copy; false while it is being made

	Epoch    uint32 `json:"epoch"`
	Segment  uint64 `json:"segment"`  // number of the last segment in that epoch that was applied; 0 = none
	SHA256   string `json:"sha256"`   // of the last segment, which may be of an epoch before; "" if there is none
	Position uint64 `json:"position"` // that the databases have at least
	Time     int64  `json:"time"`     // of the last change, Unix milliseconds

	// Claim is the epoch that this standby has created, or tried to create, to become the primary.
	Claim *format.Epoch `json:"claim,omitempty"`

	Seen uint64 `json:"-"` // position that is known to be at the target
}

// readState reads standby.json. It returns nil for a directory without data, and an error that wraps
// ErrOther for a directory with other data.
func readState(data string) (*state, error) {
	text, err := os.ReadFile(filepath.Join(data, datadir.Standby))
	if err == nil {
		s := &state{}
		if err := json.Unmarshal(text, s); err != nil || s.Format != format.Version {
			return nil, fmt.Errorf("read %s: format %d is not known: %w", datadir.Standby, s.Format, errors.Join(err, ErrOther))
		}
		return s, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, name := range backup.Present(data, true) {
		if name != datadir.Config && name != datadir.Files {
			return nil, fmt.Errorf("%s has %s: %w", data, name, ErrOther)
		}
	}
	return nil, nil
}

// promoted reports whether the cut of the epoch of this copy is at the target, so that the copy is the primary.
func (s *state) promoted() bool { return s.Claim != nil && s.Claim.Number == s.Epoch }

// save writes the state.
func (f *Follower) save() error {
	text, err := json.MarshalIndent(f.at, "", "\t")
	if err != nil {
		return err
	}
	if err := durable.WriteFile(f.path(datadir.Standby), append(text, '\n'), 0o600); err != nil {
		return &applyError{err}
	}
	f.show()
	return nil
}

// sum returns the SHA-256 of the last segment.
func (s *state) sum() (sum format.Sum, err error) {
	b, err := hex.DecodeString(s.SHA256)
	if err != nil || len(b) != 0 && len(b) != len(sum) {
		return sum, fmt.Errorf("%w: %q is not a SHA-256", format.ErrInvalid, s.SHA256)
	}
	copy(sum[:], b)
	return sum, nil
}

// TargetOf returns the target that the copy in a data directory follows.
func TargetOf(data string) (string, error) {
	s, err := readState(data)
	if err == nil && (s == nil || !s.Complete) {
		err = fmt.Errorf("%s has no complete copy: %w", data, ErrOther)
	}
	if err != nil {
		return "", err
	}
	return s.Target, nil
}
