// Package format contains the names and the encodings of the objects of a replica, which
// docs/format/replica.md describes. The package has no side effects.
//
//	format.go   names, and the objects in JSON
//	segment.go  segments of the log
package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Version is the version of the format of a replica.
const Version = 1

// The objects with fixed names.
const (
	IdentityName = "svc-replica.json" // an Identity
	PrimaryName  = "primary"          // a Contact
)

// The folders of the other objects.
const (
	Epochs    = "epoch"
	Cuts      = "cut"
	Log       = "log"
	Snapshots = "snapshot"
	Contents  = "objects"
)

// EpochName returns the name of the Epoch with number n.
func EpochName(n uint32) string { return fmt.Sprintf("%s/%010d", Epochs, n) }

// CutName returns the name of the Cut with which epoch n begins.
func CutName(n uint32) string { return fmt.Sprintf("%s/%010d", Cuts, n) }

// LogFolder returns the folder with the segments of an epoch.
func LogFolder(epoch uint32) string { return fmt.Sprintf("%s/%010d", Log, epoch) }

// SegmentName returns the name of a segment.
func SegmentName(epoch uint32, number uint64) string {
	return fmt.Sprintf("%s/%016d", LogFolder(epoch), number)
}

// SnapshotFolder returns the folder of the snapshot at a position.
func SnapshotFolder(position uint64) string { return fmt.Sprintf("%s/%020d", Snapshots, position) }

// ManifestName returns the name of the Manifest of a snapshot.
func ManifestName(position uint64) string { return SnapshotFolder(position) + "/manifest" }

// PartName returns the name of a part of a snapshot. The first part has number 1.
func PartName(position uint64, part int) string {
	return fmt.Sprintf("%s/%06d", SnapshotFolder(position), part)
}

// ContentName returns the name of the object with the content of local files. The parameter is its
// SHA-256 in hexadecimal.
func ContentName(sha256 string) string { return Contents + "/" + sha256 }

// Identity identifies a replica and the data that it has a copy of.
type Identity struct {
	Format int    `json:"format"`
	ID     string `json:"id"`   // random
	Data   string `json:"data"` // the ID of the data; see store.Store.ID
}

// Epoch is the time during which one server is the primary.
type Epoch struct {
	Format int    `json:"format"`
	Number uint32 `json:"epoch"`
	Owner  string `json:"owner"` // random ID of the primary
	Name   string `json:"name"`  // host name of the primary, for messages
	Time   int64  `json:"time"`  // Unix milliseconds
}

// Cut names the last segment before an epoch that counts. A primary writes the cut before the first
// segment of its epoch. The first epoch of a replica has no cut.
type Cut struct {
	Format  int    `json:"format"`
	Epoch   uint32 `json:"epoch"`   // of the last segment that counts
	Segment uint64 `json:"segment"` // its number; 0 if the epoch has no segment that counts
	// SHA256 is the checksum of the last segment before the cut, in hexadecimal; "" if no segment counts.
	SHA256   string `json:"sha256"`
	Position uint64 `json:"position"` // position that the history has reached with the cut
}

// Contact describes the state of the primary at its last contact.
type Contact struct {
	Format   int    `json:"format"`
	Epoch    uint32 `json:"epoch"`
	Segment  uint64 `json:"segment"`  // number of its last segment; 0 = none
	Position uint64 `json:"position"` // position of that segment
	Time     int64  `json:"time"`     // Unix milliseconds, by the clock of the primary
	Lease    int64  `json:"lease"`    // milliseconds for which the primary accepts writes without reading the epoch; 0 = no limit
}

// Manifest describes a snapshot. It is written after all parts, and after the segments up to its position.
//
// The parts, one after the other, are a backup archive (docs/format/backup.md) with both databases, the
// secrets, and the configuration if there is one, but no local files.
type Manifest struct {
	Format   int    `json:"format"`
	Position uint64 `json:"position"` // of both databases
	Time     int64  `json:"time"`     // Unix milliseconds; no commit before it is missing, none after it is contained
	Epoch    uint32 `json:"epoch"`    // of the primary that made it
	// Next is the number, in this epoch, of the first segment that can have changes that the snapshot does not
	// contain. Before is the SHA-256 of the segment before that one, in hexadecimal; "" if it is the first of the replica.
	Next      uint64 `json:"next"`
	Before    string `json:"before"`
	Encrypted bool   `json:"encrypted"`
	Parts     []Part `json:"parts"`
}

// Part describes an object with a part of a snapshot.
type Part struct {
	Size   int64  `json:"size"`   // bytes
	SHA256 string `json:"sha256"` // in hexadecimal
}

// MaxJSON is the maximum size in bytes of the objects in JSON.
const MaxJSON = 4 << 20

// ErrInvalid is wrapped by the errors of objects that cannot be decoded.
var ErrInvalid = errors.New("invalid object")

// Encode returns an object in JSON.
func Encode(object any) []byte {
	b, err := json.MarshalIndent(object, "", "  ")
	if err != nil {
		panic(err) // the types of this package can always be encoded
	}
	return append(b, '\n')
}

// Decode decodes an object in JSON. It checks the format, and that all fields are present except those with
// omitempty, so that it does not accept an object of another type.
func Decode[T Identity | Epoch | Cut | Contact | Manifest](b []byte) (object T, err error) {
	var version struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(b, &version); err != nil {
		return object, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if version.Format != Version {
		return object, fmt.Errorf("%w: format %d, this version of svc knows %d", ErrInvalid, version.Format, Version)
	}
	var present map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(b, &present), json.Unmarshal(b, &object)); err != nil {
		return object, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	for field := range reflect.TypeFor[T]().Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if _, ok := present[name]; !ok && options == "" {
			return object, fmt.Errorf("%w: it has no field %q", ErrInvalid, name)
		}
	}
	return object, nil
}
