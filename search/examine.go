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

// All files of an index are verified here before bleve opens it, because bleve verifies
// no checksum and damage would end the process. bleve stores its state in root.bolt, a
// bbolt file. A missing page in root.bolt ends the process. A torn page also ends it, or
// leaves a lock that is never released. A wrong number in a segment makes bleve request
// more memory than exists, which also ends the process. It is impossible to recover from
// any of these.

var errFile = errors.New("it does not match its checksum")

// storeFolder returns the directory in which bleve stores all files except its own
// settings.
func storeFolder(path string) string { return filepath.Join(path, "store") }

// root is the part of root.bolt that describes an index.
type root struct {
	checkpoint checkpoint
	segments   []string // names of the segments' files, sorted
}

// readRoot reads and verifies root.bolt. It is fast because it reads no segments.
func readRoot(path string) (r root, err error) {
	var raw []byte
	err = boltfile.ExaminePages(filepath.Join(storeFolder(path), "root.bolt"), func(key, value []byte) {
		switch {
		case bytes.Equal(key, util.BoltPathKey):
			r.segments = append(r.segments, string(value))
		case bytes.Equal(key, checkpointKey):
			raw = bytes.Clone(value) // there may be older states; the last one is the newest
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
// root.bolt does not list. A killed process can leave such segments, possibly torn, and
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

// lasting is a reader that returns the error of a context once the context is done.
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
