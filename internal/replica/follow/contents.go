package follow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"svc/internal/durable"
	"svc/internal/replica/format"
	"svc/internal/replica/target"
)

// FetchContent stores the content of a local file, which its SHA-256 in hexadecimal names, at a path. The error is
// target.ErrMissing if the content is not at the target yet.
func (f *Follower) FetchContent(ctx context.Context, sum, path string) error {
	name := format.ContentName(sum)
	content, _, err := f.config.Target.Open(ctx, name)
	if errors.Is(err, target.ErrMissing) {
		return target.ErrMissing
	}
	if err != nil {
		return err
	}
	defer content.Close()
	if err := durable.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return durable.Write(path, 0o600, func(to io.Writer) error {
		hash := sha256.New()
		if _, err := io.Copy(io.MultiWriter(to, hash), content); err != nil {
			return err
		}
		if hex.EncodeToString(hash.Sum(nil)) != sum {
			return fmt.Errorf("%s: %w: it differs from the checksum in its name", name, format.ErrInvalid)
		}
		return nil
	})
}
