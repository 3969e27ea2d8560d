package replica

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"svc/internal/durable"
	"svc/internal/replica/format"
)

// The files of a primary in its directory, beside those of the spool.
const (
	stateFile        = "state.json"        // a State
	pendingFile      = "pending"           // the segment that is being sent
	partFile         = "snapshot"          // the part of a snapshot that is being sent
	unreferencedFile = "unreferenced.json" // see contents
)

// State describes the replica, for the next start of the primary. A promoted standby writes it before it
// becomes the primary.
type State struct {
	Format  int    `json:"format"`
	Replica string `json:"replica"` // format.Identity.ID; "" before the first contact
	Owner   string `json:"owner"`   // format.Epoch.Owner of this server
	Epoch   uint32 `json:"epoch"`
	// Begun is set when the epoch and its cut are at the target.
	Begun  bool   `json:"begun"`
	Next   uint64 `json:"next"`   // number of the next segment in the epoch, from 1
	Before string `json:"before"` // SHA-256 of the segment before it, in hexadecimal; "" if there is none
	// Position is the position of the last change at the target. The next segment begins after it.
	Position uint64 `json:"position"`
	End      int64  `json:"end"` // time of the last change at the target, Unix milliseconds
	// Gap is set if changes are missing before Position, so that the log is of no use without a new snapshot.
	Gap bool `json:"gap"`
	// Reached is the position that the target had when the gap began.
	Reached  uint64        `json:"reached"`
	Snapshot SnapshotState `json:"snapshot"`
	Trimmed  uint64        `json:"trimmed"` // segments of the epoch below this number have been deleted
	Fenced   *format.Epoch `json:"fenced,omitempty"`
	// DiffersAfter is the last position that a fenced primary has in common with the new one; nil if it is not known.
	DiffersAfter *uint64 `json:"differs_after,omitempty"`
}

// SnapshotState describes the last snapshot of a primary.
type SnapshotState struct {
	Position uint64 `json:"position"`
	Time     int64  `json:"time"`  // Unix milliseconds; 0 = there is none
	Bytes    int64  `json:"bytes"` // size of its parts
	Log      int64  `json:"log"`   // bytes of the segments since then
}

// ReadState returns the state in a directory of a primary. found is false if there is none.
func ReadState(dir string) (s State, found bool, err error) {
	b, err := os.ReadFile(filepath.Join(dir, stateFile))
	if errors.Is(err, os.ErrNotExist) {
		return s, false, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err == nil && s.Format != format.Version {
		err = fmt.Errorf("format %d, this version of svc knows %d", s.Format, format.Version)
	}
	if err != nil {
		return s, false, fmt.Errorf("read the state of the replication: %w", err)
	}
	return s, true, nil
}

// Status describes a primary that does not run.
func (s State) Status() Status {
	status := Status{
		Role: RolePrimary, Epoch: s.Epoch, Position: s.Position, Shipped: s.Position, Fenced: s.Fenced != nil, DiffersAfter: s.DiffersAfter,
	}
	if s.Snapshot.Time > 0 {
		status.LastSnapshot = time.UnixMilli(s.Snapshot.Time).Unix()
	}
	return status
}

// Write replaces the state in a directory, which it creates if necessary, and syncs it.
func (s State) Write(dir string) error {
	s.Format = format.Version
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = durable.WriteFile(filepath.Join(dir, stateFile), format.Encode(s), 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the state of the replication: %w", err)
	}
	return nil
}
