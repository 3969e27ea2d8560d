package disk

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"svc/internal/durable"
	"svc/internal/fault"
)

// Floor is the free space, in bytes, below which a server is not ready: enough for the
// writes of some minutes and for the files that make room. Copies of databases leave it.
const Floor = 64 << 20

// Reserve is what files leave free on the disk for everything else, in bytes, whoever
// stores them: uploads, attachments, imports, the file cache. It is more
// than the Floor.
const Reserve = 128 << 20

// look is how many bytes of a file are written between two looks at the free space.
const look = 64 << 20

// Need fails with NoSpace when fewer bytes are free below a folder. purpose says in the
// error what they are for.
func Need(dir string, bytes uint64, purpose string) error { return need(Free, dir, bytes, purpose) }

func need(free func(dir string) (uint64, error), dir string, bytes uint64, purpose string) error {
	there, err := free(dir)
	if err == nil && there < bytes {
		err = fault.New(fault.NoSpace, "not enough disk space for %s: %d MiB are needed, and %d MiB are free", purpose, (bytes+1<<20-1)>>20, there>>20)
	}
	return err
}

// Fill writes all of a reader to a file, while the disk keeps its Reserve, and returns
// when it is durable. size is how many bytes are expected, negative when that is not
// known. What the disk says is a fault as by fault.Disk; an error of the reader is
// returned as it is.
func Fill(f *os.File, from io.Reader, size int64, purpose string) (n int64, err error) {
	return fill(Free, f, from, size, purpose)
}

func fill(free func(dir string) (uint64, error), f *os.File, from io.Reader, size int64, purpose string) (n int64, err error) {
	w, dir := durable.NewPaced(f), filepath.Dir(f.Name())
	for {
		if err = need(free, dir, uint64(max(size-n, 0))+Reserve, purpose); err != nil {
			break
		}
		var piece int64
		piece, err = io.CopyN(w, from, look)
		if n += piece; err != nil {
			break
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, fault.Disk(errors.Join(err, w.Sync())) // a Sync, also after an error, leaves nothing running
}
