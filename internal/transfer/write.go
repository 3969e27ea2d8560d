package transfer

import (
	"archive/zip"
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/klauspost/compress/flate"
)

// level is the compression level of an archive. Higher levels take much longer and save
// little.
const level = 3

// Writer writes an archive one file after another and never seeks, so that it can write
// to a network connection.
type Writer struct {
	zip      *zip.Writer
	manifest Manifest

	open bool // whether a file is being written; the following fields describe it
	into *bufio.Writer
	file File
	sum  hash.Hash
	text *json.Encoder
	size counter
}

// counter is a writer that counts the bytes written to it.
type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// NewWriter starts an archive with the manifest m. The Writer itself sets the format and
// the list of files in the manifest.
func NewWriter(w io.Writer, m Manifest) *Writer {
	a := &Writer{zip: zip.NewWriter(w), manifest: m}
	a.manifest.Format, a.manifest.Files = Format, []File{}
	a.zip.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, level) })
	return a
}

// Begin completes the current file, if there is one, and starts the file with the given
// name.
func (a *Writer) Begin(name string) error {
	if err := a.end(); err != nil {
		return err
	}
	w, err := a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Unix(a.manifest.CreatedAt, 0).UTC()})
	if err != nil {
		return err
	}
	a.open, a.file, a.sum, a.size = true, File{Name: name}, sha256.New(), 0
	a.into = bufio.NewWriterSize(io.MultiWriter(w, a.sum, &a.size), 64<<10)
	a.text = json.NewEncoder(a.into)
	a.text.SetEscapeHTML(false)
	return nil
}

// Line adds a record to the current file, as one line of JSON.
func (a *Writer) Line(record any) error {
	a.file.Records++
	return a.text.Encode(record)
}

// end completes the current file, if there is one.
func (a *Writer) end() error {
	if !a.open {
		return nil
	}
	a.open = false
	if err := a.into.Flush(); err != nil {
		return err
	}
	a.file.Bytes, a.file.SHA256 = int64(a.size), hex.EncodeToString(a.sum.Sum(nil))
	a.manifest.Files = append(a.manifest.Files, a.file)
	return nil
}

// Close completes the archive and returns its manifest.
func (a *Writer) Close() (Manifest, error) {
	if err := a.end(); err != nil {
		return Manifest{}, err
	}
	w, err := a.zip.CreateHeader(&zip.FileHeader{Name: ManifestFile, Method: zip.Deflate, Modified: time.Unix(a.manifest.CreatedAt, 0).UTC()})
	if err != nil {
		return Manifest{}, err
	}
	text, err := json.MarshalIndent(a.manifest, "", "  ")
	if err != nil {
		return Manifest{}, fmt.Errorf("encode manifest: %w", err)
	}
	if _, err := w.Write(append(text, '\n')); err != nil {
		return Manifest{}, err
	}
	return a.manifest, a.zip.Close()
}
