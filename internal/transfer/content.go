package transfer

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"slices"
	"strings"
	"time"

	"svc/internal/fault"
	"svc/internal/files"
)

// ContentFolder is what the names of contents begin with; the id of the file follows.
// The manifest does not list them: FilesFile does, with sizes and sums.
const ContentFolder = "files/"

// contentOf is the id of the file whose content a file of the archive is.
func contentOf(name string) (id string, ok bool) {
	id, ok = strings.CutPrefix(name, ContentFolder)
	return id, ok && files.ValidID(id)
}

// Content adds the content of a file as r has it and returns its size and SHA-256. It
// is not compressed: what people download usually is already. What was written when
// reading fails stays in the archive, and must not be listed as a content.
func (a *Writer) Content(id string, r io.Reader) (size int64, sum string, err error) {
	if err := a.end(); err != nil {
		return 0, "", err
	}
	w, err := a.zip.CreateHeader(&zip.FileHeader{Name: ContentFolder + id, Method: zip.Store, Modified: time.Unix(a.manifest.CreatedAt, 0).UTC()})
	if err != nil {
		return 0, "", err
	}
	hash := sha256.New()
	size, err = io.Copy(io.MultiWriter(w, hash), r)
	return size, hex.EncodeToString(hash.Sum(nil)), err
}

// Contents lists the ids of the files whose content, or a part of it, is in the
// archive, in order.
func (a *Reader) Contents() []string {
	ids := make([]string, 0, len(a.contents))
	for id := range a.contents {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// CheckContent makes sure that the content of a file is in the archive, with the size
// that FilesFile says. Its bytes are not read.
func (a *Reader) CheckContent(id string, size int64) error {
	entry := a.contents[id]
	switch {
	case entry == nil:
		return fault.New(fault.Invalid, "the archive has no %s", ContentFolder+id)
	case size < 0 || entry.UncompressedSize64 != uint64(size):
		return fault.New(fault.Invalid, "%s has %d bytes, %s says %d", entry.Name, entry.UncompressedSize64, FilesFile, size)
	}
	return nil
}

// Content opens the content of a file, which must have the size and the SHA-256 that
// FilesFile says: no more than that is read, and the end is only reached when both
// are right.
func (a *Reader) Content(id string, size int64, sum string) (io.ReadCloser, error) {
	if err := a.CheckContent(id, size); err != nil {
		return nil, err
	}
	name := a.contents[id].Name
	file, err := a.contents[id].Open()
	if err != nil {
		return nil, broken("%s cannot be read: %s", name, cause(err))
	}
	return &content{ReadCloser: file, name: name, size: size, want: sum, sum: sha256.New()}, nil
}

// content reads the content of a file.
type content struct {
	io.ReadCloser
	name       string
	size, read int64
	want       string
	sum        hash.Hash
}

// Read reads no more than the content must have.
func (c *content) Read(room []byte) (n int, err error) {
	n, err = c.ReadCloser.Read(room)
	if c.read += int64(n); c.read > c.size {
		return 0, broken("%s has more than the %d bytes that %s says", c.name, c.size, FilesFile)
	}
	c.sum.Write(room[:n])
	switch {
	case err == nil:
		return n, nil
	case err != io.EOF:
		return n, broken("%s cannot be read: %s", c.name, cause(err))
	case c.read != c.size:
		return n, broken("%s has %d bytes, %s says %d", c.name, c.read, FilesFile, c.size)
	case !strings.EqualFold(hex.EncodeToString(c.sum.Sum(nil)), c.want):
		return n, broken("%s is damaged: its SHA-256 is not that of %s", c.name, FilesFile)
	}
	return n, io.EOF
}
