package disk

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"svc/internal/durable"
	"svc/internal/fault"
)

// Floor is the amount of free space, in bytes, below which a server is not ready. It is
// enough for some minutes of writes, and for the files that are needed to free space.
// Copying a database leaves this amount free.
const Floor = 64 << 20

// Reserve is the amount of space, in bytes, that uploads, attachments, imports and the
// file cache leave free for other uses. It is larger than Floor.
const Reserve = 128 << 20

// Low is the amount of free space, in bytes, below which the administrator is warned. The server
// does not refuse any writes yet.
const Low = 2 * Reserve

// look is the number of bytes of a file that are written between two checks of the free
// space.
const look = 64 << 20

// Need returns a NoSpace error if less than the given number of bytes is free on the file
// system of dir. The error states that the space is needed for the given purpose.
func Need(dir string, bytes uint64, purpose string) error { return need(Free, dir, bytes, purpose) }

func need(free func(dir string) (uint64, error), dir string, bytes uint64, purpose string) error {
	there, err := free(dir)
	if err == nil && there < bytes {
		err = fault.New(fault.NoSpace, "not enough disk space for %s: %d MiB are needed, and %d MiB are free", purpose, (bytes+1<<20-1)>>20,
			there>>20)
	}
	return err
}

// Fill writes all data from a reader to a file, and returns when the data is durable. It
// leaves the Reserve free. size is the expected number of bytes; it is negative if that
// is not known. Errors of the disk are returned as faults, as fault.Disk does, and an
// error of the reader unchanged.
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
	return n, fault.Disk(errors.Join(err, w.Sync())) // sync even after an error, so that background writing ends
}
