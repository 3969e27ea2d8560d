package transfer

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"svc/internal/fault"
	"svc/internal/files"
)

// ContentFolder is the prefix of the names of archive members that contain the content of
// a file. The ID of the file follows it. The manifest does not list these members;
// FilesFile lists them, with their sizes and checksums.
const ContentFolder = "files/"

// contentOf returns the ID of a file, given the name of the archive member with the
// file's content. ok is false for the names of other members.
func contentOf(name string) (id string, ok bool) {
	id, ok = strings.CutPrefix(name, ContentFolder)
	return id, ok && files.ValidID(id)
}

// Content adds the content of a file from r and returns its size and SHA-256. It does not
// compress the content, because most downloadable files are already compressed. If
// reading fails, the part that has been written stays in the archive, and the caller must
// not list the content in FilesFile.
func (a *Writer) Content(id string, r io.Reader) (size int64, sum string, err error) {
	if err := a.end(); err != nil {
		return 0, "", err
	}
	w, err := a.zip.CreateHeader(&zip.FileHeader{
		Name: ContentFolder + id, Method: zip.Store, Modified: time.Unix(a.manifest.CreatedAt, 0).UTC(),
	})
	if err != nil {
		return 0, "", err
	}
	hash := sha256.New()
	size, err = io.Copy(io.MultiWriter(w, hash), r)
	return size, hex.EncodeToString(hash.Sum(nil)), err
}

// Contents returns the sorted IDs of the files that have content in the archive. The
// content can be incomplete.
func (a *Reader) Contents() []string {
	return slices.Sorted(maps.Keys(a.contents))
}

// CheckContent checks that the archive contains the content of a file with the given
// size, which FilesFile lists. It does not read the content.
func (a *Reader) CheckContent(id string, size int64) error {
	entry := a.contents[id]
	switch {
	case entry == nil:
		return fault.New(fault.Invalid, "the archive has no %s", ContentFolder+id)
	case size < 0 || entry.UncompressedSize64 != uint64(size):
		return fault.New(fault.Invalid, "%s has %d bytes, but %s lists %d", entry.Name, entry.UncompressedSize64, FilesFile, size)
	}
	return nil
}

// Content opens the content of a file. size and sum are the size and the SHA-256 that
// FilesFile lists. The returned reader reads at most size bytes. It returns io.EOF only
// if the content has this size and this SHA-256.
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

// content is a reader of the content of a file, which verifies it.
type content struct {
	io.ReadCloser
	name       string
	size, read int64
	want       string
	sum        hash.Hash
}

// Read reads at most the expected size.
func (c *content) Read(room []byte) (n int, err error) {
	n, err = c.ReadCloser.Read(room)
	if c.read += int64(n); c.read > c.size {
		return 0, broken("%s has more than the %d bytes that %s lists", c.name, c.size, FilesFile)
	}
	c.sum.Write(room[:n])
	switch {
	case err == nil:
		return n, nil
	case err != io.EOF:
		return n, broken("%s cannot be read: %s", c.name, cause(err))
	case c.read != c.size:
		return n, broken("%s has %d bytes, but %s lists %d", c.name, c.read, FilesFile, c.size)
	case !strings.EqualFold(hex.EncodeToString(c.sum.Sum(nil)), c.want):
		return n, broken("%s is damaged: its SHA-256 does not match %s", c.name, FilesFile)
	}
	return n, io.EOF
}
