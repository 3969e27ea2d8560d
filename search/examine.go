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

// bleve must not be let at files that are not whole. Of what it keeps in
// root.bolt, a bbolt file, a page that is missing ends the process, and one that
// is torn does so too or leaves a lock that is never given back. A wrong number
// in a segment makes it ask for more memory than there is, which ends the
// process as well. Nobody can recover from either, and bleve never looks at the
// checksums that it writes. So all is read here first.

var errFile = errors.New("not as it was written")

// storeFolder is where bleve keeps everything but its own settings.
func storeFolder(path string) string { return filepath.Join(path, "store") }

// root is what root.bolt says of an index.
type root struct {
	checkpoint checkpoint
	segments   []string // file names, sorted
}

// readRoot reads root.bolt, which is quick.
func readRoot(path string) (r root, err error) {
	var raw []byte
	err = boltfile.ExaminePages(filepath.Join(storeFolder(path), "root.bolt"), func(key, value []byte) {
		switch {
		case bytes.Equal(key, util.BoltPathKey):
			r.segments = append(r.segments, string(value))
		case bytes.Equal(key, checkpointKey):
			raw = bytes.Clone(value) // there may be older ones; the last is the newest
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

// examine reads everything, as long as ctx lasts. Segments that root.bolt does
// not name, which a kill leaves behind, may be torn: bleve removes them.
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

// examineSegment compares a segment with its last four bytes, the checksum of
// the others.
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

// lasting reads as long as a context lasts.
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
