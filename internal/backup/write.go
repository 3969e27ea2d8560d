package backup

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"
)

// pieceSize is the number of bytes that are read and compressed together.
const pieceSize = 128 << 10

// Writer writes an archive to a stream.
type Writer struct {
	seal     io.WriteCloser // nil if the archive is not encrypted
	sum      *summed
	packed   *zstd.Encoder
	tar      *tar.Writer
	manifest Manifest
	piece    []byte                     // a buffer of pieceSize bytes
	between  func(worked time.Duration) // the function that Between has set
}

// NewWriter starts an archive of a backup that is made at the given time. version is the
// version of this program. If there are recipients, the archive is encrypted for them.
func NewWriter(to io.Writer, version string, at time.Time, recipients ...age.Recipient) (*Writer, error) {
	w := &Writer{
		manifest: Manifest{Format: Format, Version: version, CreatedAt: at.UTC().Truncate(time.Second)},
		piece:    make([]byte, pieceSize),
		between:  func(time.Duration) {},
	}
	if len(recipients) > 0 {
		var err error
		if w.seal, err = age.Encrypt(to, recipients...); err != nil {
			return nil, fmt.Errorf("encrypt: %w", err)
		}
		to = w.seal
	}
	w.sum = newSummed(to)
	var err error
	w.packed, err = zstd.NewWriter(w.sum, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2), zstd.WithEncoderCRC(true))
	if err != nil {
		return nil, err
	}
	w.tar = tar.NewWriter(w.packed)
	return w, nil
}

// Between sets a function that is called after every piece of 128 KiB, with the time that
// the piece has taken. The function may wait, so that other work can proceed.
func (w *Writer) Between(rest func(worked time.Duration)) { w.between = rest }

// Add writes a member with the name, size and mode of m, and computes its checksum.
func (w *Writer) Add(m Member, from io.Reader) error {
	if !Contained(m.Name) {
		return fmt.Errorf("%q cannot be in an archive", m.Name)
	}
	m.Mode &= 0o777
	if err := w.begin(m.Name, m.Size, m); err != nil {
		return err
	}
	sum := sha256.New()
	for left := m.Size; left > 0; {
		begun := time.Now()
		n, err := io.ReadFull(from, w.piece[:min(left, pieceSize)])
		if err != nil {
			return fmt.Errorf("read %s (%d bytes expected): %w", m.Name, m.Size, err)
		}
		left -= int64(n)
		sum.Write(w.piece[:n])
		if _, err := w.tar.Write(w.piece[:n]); err != nil {
			return err
		}
		w.between(time.Since(begun))
	}
	m.SHA256 = hex.EncodeToString(sum.Sum(nil))
	w.manifest.Members = append(w.manifest.Members, m)
	return nil
}

func (w *Writer) begin(name string, size int64, m Member) error {
	return w.tar.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: name, Size: size, Mode: int64(m.Mode), ModTime: w.manifest.CreatedAt,
	})
}

// Close writes the manifest, completes the archive and returns the manifest. files and
// elsewhere become the fields Files and SecretsElsewhere of the manifest.
func (w *Writer) Close(files bool, elsewhere []string) (*Manifest, error) {
	m := &w.manifest
	m.Files, m.SecretsElsewhere = files, elsewhere
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return nil, err
	}
	if err := w.begin(manifestName, int64(len(text)), Member{Mode: 0o600}); err != nil {
		return nil, err
	}
	if _, err := io.Copy(w.tar, bytes.NewReader(text)); err != nil {
		return nil, err
	}
	if err := errors.Join(w.tar.Close(), w.packed.Close()); err != nil {
		return nil, err
	}
	if err := w.sum.finish(); err != nil {
		return nil, err
	}
	if w.seal != nil {
		err = w.seal.Close()
	}
	return m, err
}

// Abort releases the resources of an archive that will not be completed.
func (w *Writer) Abort() {
	w.packed.Reset(nil)
}
