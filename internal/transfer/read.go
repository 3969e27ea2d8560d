package transfer

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"

	"svc/internal/fault"
)

// Reader reads an archive. Errors in the archive are faults of kind Invalid, or ErrNewer.
type Reader struct {
	Manifest Manifest
	entries  map[string]*zip.File
	contents map[string]*zip.File // archive members with contents, by ID of the file
}

// broken returns an error about a damaged archive.
func broken(format string, args ...any) error { return fault.New(fault.Invalid, format, args...) }

// Open reads the directory and the manifest of an archive, and checks that they agree.
// The content must not be trusted before Verify has succeeded.
func Open(r io.ReaderAt, size int64) (*Reader, error) {
	z, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // insecure paths are harmless, because no path is used as a file name
		return nil, broken("the file is not a zip archive, or is incomplete: %s", cause(err))
	}
	z.RegisterDecompressor(zip.Deflate, flate.NewReader)
	a := &Reader{entries: map[string]*zip.File{}, contents: map[string]*zip.File{}}
	for _, entry := range z.File {
		if entry.FileInfo().IsDir() {
			continue // zip programs add entries for directories
		}
		into, name := a.entries, entry.Name
		if id, ok := contentOf(entry.Name); ok {
			into, name = a.contents, id
		} else if name != ManifestFile && !slices.Contains(members, name) {
			return nil, broken("the archive has a file %s, which is not part of the format", short(name))
		}
		if into[name] != nil {
			return nil, broken("the archive has %s twice", entry.Name)
		}
		if entry.Flags&1 != 0 {
			return nil, broken("%s is encrypted", entry.Name)
		}
		if entry.Method != zip.Store && entry.Method != zip.Deflate {
			return nil, broken("%s is compressed by method %d; only stored and deflated files can be read", entry.Name, entry.Method)
		}
		into[name] = entry
	}
	if err := a.readManifest(); err != nil {
		return nil, err
	}
	return a, a.compare()
}

// short returns a name, shortened and quoted, for messages.
func short(name string) string {
	if runes := []rune(strings.ToValidUTF8(name, "�")); len(runes) > 64 {
		name = string(runes[:64]) + "…"
	}
	return fmt.Sprintf("%q", name)
}

// cause returns the text of an error of archive/zip, without the prefix of that package.
func cause(err error) string { return strings.TrimPrefix(err.Error(), "zip: ") }

func (a *Reader) readManifest() error {
	entry := a.entries[ManifestFile]
	if entry == nil {
		return broken("the archive has no %s: it was not made by svc export", ManifestFile)
	}
	f, err := entry.Open()
	if err != nil {
		return broken("%s cannot be read: %s", ManifestFile, cause(err))
	}
	text, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return broken("%s cannot be read: %s", ManifestFile, cause(err))
	}
	if len(text) > maxManifest {
		return broken("%s must have at most %d bytes", ManifestFile, maxManifest)
	}
	var format struct {
		Format *int `json:"format"`
	}
	// read the format number first, because fields can have other types in a newer format
	if json.Unmarshal(text, &format) != nil || format.Format == nil || *format.Format < 1 {
		return broken("%s must be a JSON object with the number of the format in \"format\"", ManifestFile)
	}
	if *format.Format > Format {
		return fmt.Errorf("the archive has format %d; this program reads formats up to %d: %w", *format.Format, Format, ErrNewer)
	}
	if err := json.Unmarshal(text, &a.Manifest); err != nil {
		return broken("%s is invalid: %s", ManifestFile, strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// compare returns an error if the files in the archive have other names or sizes than
// those in the manifest.
func (a *Reader) compare() error {
	listed := map[string]bool{}
	for _, f := range a.Manifest.Files {
		entry := a.entries[f.Name]
		sum, err := hex.DecodeString(f.SHA256)
		switch {
		case listed[f.Name]:
			return broken("%s lists %s twice", ManifestFile, short(f.Name))
		case f.Name == ManifestFile || entry == nil:
			return broken("%s lists %s, which the archive does not have", ManifestFile, short(f.Name))
		case f.Bytes < 0 || f.Records < 0:
			return broken("%s: bytes and records of %s must be at least 0", ManifestFile, f.Name)
		case entry.UncompressedSize64 != uint64(f.Bytes):
			return broken("%s has %d bytes, but %s lists %d", f.Name, entry.UncompressedSize64, ManifestFile, f.Bytes)
		case err != nil || len(sum) != sha256.Size:
			return broken("%s: sha256 of %s must be 64 hex digits", ManifestFile, f.Name)
		}
		listed[f.Name] = true
	}
	for name := range a.entries {
		if name != ManifestFile && !listed[name] {
			return broken("%s does not list %s", ManifestFile, name)
		}
	}
	if !listed[ProjectFile] {
		return broken("the archive has no %s", ProjectFile)
	}
	return nil
}

// Verify reads all files that the manifest lists and compares their checksums. Contents
// of files are verified only when they are read. Verify calls progress with the number of
// bytes that it has read since the previous call.
func (a *Reader) Verify(ctx context.Context, progress func(bytes int64)) error {
	for _, f := range a.Manifest.Files {
		r, err := a.open(f)
		if err != nil {
			return err
		}
		for room := make([]byte, 64<<10); err == nil; {
			var n int
			n, err = r.Read(room)
			progress(int64(n))
			if ctx.Err() != nil {
				err = ctx.Err()
			}
		}
		if closed := r.file.Close(); errors.Is(err, io.EOF) {
			err = closed
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reader reads a file of the archive. At its end, it compares the length, the number of
// lines and the checksum with the manifest.
type reader struct {
	of    File
	file  io.ReadCloser
	sum   hash.Hash
	read  int64
	lines int64
	last  byte
}

func (a *Reader) open(f File) (*reader, error) {
	file, err := a.entries[f.Name].Open()
	if err != nil {
		return nil, broken("%s cannot be read: %s", f.Name, cause(err))
	}
	return &reader{of: f, file: file, sum: sha256.New()}, nil
}

// Read reads from the file. It never reads more bytes than the manifest lists.
func (r *reader) Read(room []byte) (n int, err error) {
	n, err = r.file.Read(room)
	r.read += int64(n)
	if r.read > r.of.Bytes {
		return 0, broken("%s has more than the %d bytes of the manifest", r.of.Name, r.of.Bytes)
	}
	if n > 0 {
		r.sum.Write(room[:n])
		r.lines += int64(bytes.Count(room[:n], []byte("\n")))
		r.last = room[n-1]
	}
	switch {
	case err == io.EOF:
		return n, r.end()
	case err != nil:
		return n, broken("%s cannot be read: %s", r.of.Name, cause(err))
	}
	return n, nil
}

// end returns io.EOF if the file matches the manifest, and otherwise an error.
func (r *reader) end() error {
	lines := r.lines
	if r.read > 0 && r.last != '\n' {
		lines++
	}
	switch {
	case r.read != r.of.Bytes:
		return broken("%s has %d bytes, but %s lists %d", r.of.Name, r.read, ManifestFile, r.of.Bytes)
	case hex.EncodeToString(r.sum.Sum(nil)) != strings.ToLower(r.of.SHA256):
		return broken("%s is damaged: its SHA-256 does not match %s", r.of.Name, ManifestFile)
	case lines != r.of.Records:
		return broken("%s has %d lines, but %s lists %d records", r.of.Name, lines, ManifestFile, r.of.Records)
	}
	return io.EOF
}

// Lines calls the function each for every line of a file, with the number of the line,
// counted from 1, and its text, which is valid only during the call. If the archive has no
// such file, Lines does nothing.
func (a *Reader) Lines(ctx context.Context, name string, each func(line int64, text []byte) error) error {
	f, ok := a.Manifest.File(name)
	if !ok {
		return nil
	}
	r, err := a.open(f)
	if err != nil {
		return err
	}
	err = eachLine(ctx, name, r, each)
	return errors.Join(err, r.file.Close())
}

func eachLine(ctx context.Context, name string, r io.Reader, each func(line int64, text []byte) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var long []byte
	for line := int64(1); ; line++ {
		if line%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		text, err := in.ReadSlice('\n')
		for long = long[:0]; errors.Is(err, bufio.ErrBufferFull); text, err = in.ReadSlice('\n') {
			if long = append(long, text...); len(long) > LongestLine {
				return broken("%s, line %d: a line must have at most %d bytes", name, line, LongestLine)
			}
		}
		if err != nil && err != io.EOF {
			return err
		}
		if len(long) > 0 {
			long = append(long, text...)
			text = long
		}
		if len(text) == 0 && err == io.EOF {
			return nil
		}
		if err := each(line, bytes.TrimSpace(text)); err != nil {
			return err
		}
		if err == io.EOF {
			return nil
		}
	}
}
