package backup

import (
	"archive/tar"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"slices"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"svc/internal/datadir"
)

const (
	sealedHead = "age-encryption.org/v1\n"
	packedHead = "\x28\xB5\x2F\xFD"
	// maxWindow limits the memory that decompressing an archive needs, in bytes.
	maxWindow = 8 << 20
)

// Read reads an archive to its end and verifies it against its manifest and checksums.
// Unless the function each is nil, Read calls it for every member. It does so before the
// verification is complete, so the caller must discard the members if Read returns an
// error. The error is ErrDamaged, ErrNewer, ErrSealed, ErrNoArchive, or an error that the
// function each or the reader has returned.
func Read(from io.Reader, identities []Identity, each func(m Member, content io.Reader) error) (*Manifest, error) {
	open, err := unseal(from, identities)
	if err != nil {
		return nil, err
	}
	t := newTrailed(open)
	begin, err := t.from.Peek(len(packedHead))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if string(begin) != packedHead {
		return nil, ErrNoArchive
	}
	unpacked, err := zstd.NewReader(t, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(2), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, err
	}
	defer unpacked.Close()
	r := &reader{tar: tar.NewReader(unpacked), seen: map[string]bool{}, piece: make([]byte, pieceSize)}
	m, err := r.members(each)
	if err != nil {
		return nil, blame(err)
	}
	if n, err := io.ReadFull(unpacked, r.piece[:1]); n > 0 || !errors.Is(err, io.EOF) {
		return nil, blame(errors.Join(errors.New("it has data after its end"), err))
	}
	if !t.over { // zstd may stop after its last frame, before the trailer
		if n, err := io.Copy(io.Discard, t); n > 0 || err != nil {
			return nil, blame(errors.Join(errors.New("it has data after its end"), err))
		}
	}
	return m, nil
}

// Identity is a private key that decrypts archives.
type Identity = age.Identity

// ParseIdentities parses private keys of age. There is one key per line, as in the output of
// age-keygen.
func ParseIdentities(from io.Reader) ([]Identity, error) { return age.ParseIdentities(from) }

// unseal returns a reader of the decrypted archive. If the archive is not encrypted, the
// reader returns its bytes unchanged.
func unseal(from io.Reader, identities []Identity) (io.Reader, error) {
	b := bufio.NewReaderSize(from, 64<<10)
	begin, err := b.Peek(len(sealedHead))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if string(begin) != sealedHead {
		return b, nil
	}
	if len(identities) == 0 {
		return nil, ErrSealed
	}
	open, err := age.Decrypt(b, identities...)
	if _, other := errors.AsType[*age.NoIdentityMatchError](err); other {
		return nil, fmt.Errorf("%w, and not for this identity", ErrSealed)
	}
	if err != nil {
		return nil, blame(err)
	}
	return open, nil
}

// blame returns an error that wraps ErrDamaged and err. If the content of the archive did not
// cause err, blame returns the cause instead.
func blame(err error) error {
	if _, other := errors.AsType[*fs.PathError](err); other || errors.Is(err, ErrDamaged) || errors.Is(err, ErrNewer) {
		return err
	}
	if e, ok := errors.AsType[*takerError](err); ok {
		return e.err
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// takerError wraps an error that was returned by the function to which Read passes the members.
type takerError struct{ err error }

// Error returns the text of the error.
func (e *takerError) Error() string { return e.err.Error() }

// reader reads the members of an archive.
type reader struct {
	tar   *tar.Reader
	list  []Member        // the members that have been read, except the manifest
	seen  map[string]bool // names of the members in list
	piece []byte          // a buffer of pieceSize bytes
}

// members reads all members and returns the manifest, which is the last one. It compares
// the other members with the manifest.
func (r *reader) members(each func(Member, io.Reader) error) (*Manifest, error) {
	for {
		h, err := r.tar.Next()
		if err != nil {
			return nil, err
		}
		if h.Typeflag != tar.TypeReg {
			return nil, fmt.Errorf("%w: %.200q is not a regular file", ErrDamaged, h.Name)
		}
		if h.Name == manifestName {
			return r.compare(h.Size)
		}
		if !Contained(h.Name) || r.seen[h.Name] || h.Mode&^0o777 != 0 {
			return nil, fmt.Errorf("%w: it has an unexpected file %.200q", ErrDamaged, h.Name)
		}
		r.seen[h.Name] = true
		m := Member{Name: h.Name, Size: h.Size, Mode: Mode(h.Mode)}
		if m.SHA256, err = r.take(m, each); err != nil {
			return nil, err
		}
		r.list = append(r.list, m)
	}
}

// take passes a member to the function each, unless that is nil. It returns the checksum
// of the member's content.
func (r *reader) take(m Member, each func(Member, io.Reader) error) (sum string, err error) {
	content := &content{from: r.tar, sum: sha256.New()}
	if each != nil {
		if err := each(m, content); err != nil && content.err == nil {
			return "", &takerError{err}
		}
	}
	if _, err := io.CopyBuffer(onlyWriter{io.Discard}, content, r.piece); err != nil {
		return "", err
	}
	return hex.EncodeToString(content.sum.Sum(nil)), nil
}

// content is a reader of the content of a member. It stores read errors, so that they can
// be distinguished from errors of the function to which the member is passed.
type content struct {
	from io.Reader
	sum  hash.Hash
	err  error
}

// Read reads from the member and updates the checksum.
func (c *content) Read(b []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.from.Read(b)
	c.sum.Write(b[:n])
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// onlyWriter hides the ReadFrom method of a writer. Otherwise io.CopyBuffer would call
// that method instead of using the given buffer.
type onlyWriter struct{ io.Writer }

// compare reads the manifest, which has size bytes, and compares the members with it.
func (r *reader) compare(size int64) (*Manifest, error) {
	if most := int64(64<<10 + (2*maxName+256)*len(r.list)); size > most {
		return nil, fmt.Errorf("%w: its manifest has %d bytes for %d files", ErrDamaged, size, len(r.list))
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(r.tar, text); err != nil {
		return nil, err
	}
	var format struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(text, &format); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	if format.Format > Format {
		return nil, fmt.Errorf("%w: it has format %d; this program reads formats up to %d", ErrNewer, format.Format, Format)
	}
	m := &Manifest{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	if m.Format < 1 || !slices.Equal(m.Members, r.list) {
		return nil, fmt.Errorf("%w: %s", ErrDamaged, difference(m.Members, r.list))
	}
	if !r.seen[datadir.Database] {
		return nil, fmt.Errorf("%w: it does not have %s", ErrDamaged, datadir.Database)
	}
	if _, err := r.tar.Next(); !errors.Is(err, io.EOF) {
		return nil, errors.Join(fmt.Errorf("%w: there is data after its manifest", ErrDamaged), err)
	}
	return m, nil
}

// difference describes the first difference between want, the members in the manifest,
// and got, the members in the archive.
func difference(want, got []Member) string {
	for i, m := range got {
		if i >= len(want) || want[i].Name != m.Name {
			return fmt.Sprintf("the manifest does not list %.200q", m.Name)
		}
		if want[i] != m {
			return fmt.Sprintf("%.200q does not match the manifest", m.Name)
		}
	}
	return "files are missing that the manifest has"
}
