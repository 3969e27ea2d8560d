package boltfile

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// Image is a file as of one commit. While it is open, freed pages cannot be reused, so
// the file grows. Therefore copy the image, close it, and only then read or send the
// copy.
type Image struct {
	from   io.WriterTo // the transaction, or the file itself if it is too damaged to be opened
	bytes  int64
	closed func() error
}

// Bytes returns the number of bytes that Copy writes.
func (s *Image) Bytes() int64 { return s.bytes }

// Copy writes the image to a new file at path. It does not sync the file, because the
// copy is only for immediate reading. If there is an error, Copy leaves no file.
func (s *Image) Copy(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	copied := copyFile{File: f}
	_, err = s.from.WriteTo(&copied)
	if copied.err != nil {
		err = copied.err
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(fmt.Errorf("copy to %s: %w", path, err), os.Remove(path))
	}
	return nil
}

// copyFile is a file that keeps the error of a failed Write. bbolt returns only the text
// of the error if writing one of the first two pages fails.
type copyFile struct {
	*os.File
	err error
}

// Write writes to the file and stores its error.
func (f *copyFile) Write(b []byte) (n int, err error) {
	n, f.err = f.File.Write(b)
	return n, f.err
}

// Close releases the image.
func (s *Image) Close() error { return s.closed() }
