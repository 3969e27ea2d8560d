package search

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/blevesearch/bleve/v2/util"

	"svc/internal/boltfile"
)

// bleve must not read files that are not intact. It stores its state in root.bolt, a
// bbolt file. A missing page in root.bolt ends the process. A torn page also ends the
// process, or leaves a lock that is never released. A wrong number in a segment makes
// bleve request more memory than exists, which also ends the process. It is impossible to
// recover from any of these, and bleve never verifies the checksums that it writes.
// Therefore all files are verified here first.

var errFile = errors.New("it does not match its checksum")

// storeFolder returns the directory in which bleve stores all files except its own
// settings.
func storeFolder(path string) string { return filepath.Join(path, "store") }

// root is the content of root.bolt that describes an index.
type root struct {
	checkpoint checkpoint
	segments   []string // file names, sorted
}

// readRoot reads and verifies root.bolt, but no segments, which makes it fast.
func readRoot(path string) (r root, err error) {
	var raw []byte
	err = boltfile.ExaminePages(filepath.Join(storeFolder(path), "root.bolt"), func(key, value []byte) {
		switch {
		case bytes.Equal(key, util.BoltPathKey):
			r.segments = append(r.segments, string(value))
		case bytes.Equal(key, checkpointKey):
			raw = bytes.Clone(value) // older ones may exist; the last is the newest
		}
	})
	if err != nil {
		return r, err
	}
	slices.Sort(r.segments)
	r.segments = slices.Compact(r.segments)
	r.checkpoint, err = parseCheckpoint(raw)
	return r, err
}

// examine verifies all files of an index; ctx can cancel it. It ignores segments that
// root.bolt does not name. A killed process can leave such segments, possibly torn, and
// bleve removes them.
func examine(ctx context.Context, path string) (root, error) {
	r, err := readRoot(path)
	if err != nil {
		return r, err
	}
	for _, name := range r.segments {
		if err := examineSegment(ctx, filepath.Join(storeFolder(path), name)); err != nil {
			return r, fmt.Errorf("segment %s: %w", name, err)
		}
	}
	return r, nil
}

// examineSegment compares the content of a segment with its checksum, which is in the
// last four bytes.
func examineSegment(ctx context.Context, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := info.Size() - crc32.Size
	if size <= 0 {
		return errFile
	}
	sum := crc32.NewIEEE()
	if _, err := io.CopyN(sum, lasting{ctx, f}, size); err != nil {
		return err
	}
	want := make([]byte, crc32.Size)
	if _, err := io.ReadFull(f, want); err != nil {
		return err
	}
	if sum.Sum32() != binary.BigEndian.Uint32(want) {
		return errFile
	}
	return nil
}

// lasting is a reader that fails once its context is done.
type lasting struct {
	ctx  context.Context
	from io.Reader
}

func (l lasting) Read(b []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	return l.from.Read(b)
}
