package jobs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"svc/internal/disk"
	"svc/internal/durable"
	"svc/internal/fault"
	"svc/internal/outbound"
	"svc/store"
)

// fetch downloads an attachment to where the content of a file is staged, and notes
// its size and SHA-256. What was downloaded in part is removed.
func (j *Jobs) fetch(ctx context.Context, f *store.File, staged string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.SourceURL, nil)
	if err != nil {
		return permanentError{err}
	}
	request.Header.Set("Accept", "application/octet-stream")
	answer, err := j.Files.Fetch.Do(request)
	if err != nil {
		return outbound.Explain(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		err := fmt.Errorf("the code host answered %d for the attachment", answer.StatusCode)
		if answer.StatusCode >= 500 || answer.StatusCode == http.StatusTooManyRequests {
			return err
		}
		return permanentError{err}
	}
	if answer.ContentLength > j.Files.MaxSize {
		return j.tooLarge()
	}
	size, sum, err := j.download(answer, staged)
	if err != nil {
		return err
	}
	f.Size, f.SHA256 = size, sum
	return j.DB.Update(func(tx *store.Tx) error {
		now, err := tx.File(f.Project, f.ID)
		if err != nil {
			return err
		}
		now.Size, now.SHA256 = size, sum
		return tx.PutFile(f.Project, now)
	})
}

func (j *Jobs) tooLarge() error {
	return permanentError{fmt.Errorf("the attachment is larger than %d MiB, the limit of SVC_UPLOAD_MAX_MB", j.Files.MaxSize>>20)}
}

// download writes the body of an answer to a file, which is on disk under its name
// when it returns, or not at all.
func (j *Jobs) download(answer *http.Response, name string) (size int64, sum string, err error) {
	if err := durable.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return 0, "", fault.Disk(err)
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return 0, "", fault.Disk(err)
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = fault.Disk(closed)
		}
		if err != nil {
			_ = os.Remove(name) // the clean-up finds it otherwise
		}
	}()
	hash := sha256.New()
	w := &fetched{to: durable.NewPaced(file), dir: filepath.Dir(name), free: j.Files.free, want: answer.ContentLength}
	w.err = w.fits() // also before an empty body
	if w.err == nil {
		size, err = io.Copy(io.MultiWriter(w, hash), io.LimitReader(answer.Body, j.Files.MaxSize+1))
	}
	synced := w.to.Sync() // also after an error: it leaves nothing running
	switch {
	case w.err != nil:
		return 0, "", fault.Disk(w.err)
	case err != nil:
		return 0, "", outbound.Explain(err)
	case size > j.Files.MaxSize:
		return 0, "", j.tooLarge()
	case answer.ContentLength >= 0 && size != answer.ContentLength:
		return 0, "", fmt.Errorf("the attachment has %d bytes instead of %d", size, answer.ContentLength)
	case synced != nil:
		return 0, "", fault.Disk(synced)
	}
	return size, hex.EncodeToString(hash.Sum(nil)), fault.Disk(durable.SyncDir(filepath.Dir(name)))
}

const (
	// fetchReserve is what downloads leave free on the disk for everything else, in
	// bytes: as much as uploads do.
	fetchReserve = 128 << 20
	// fetchLook is how many bytes are written between two looks at the free space.
	fetchLook = 64 << 20
)

// fetched writes a download to the disk while that has room. Its error is kept apart
// from those of the network.
type fetched struct {
	to   *durable.Paced
	dir  string
	free func(dir string) (uint64, error) // nil = disk.Free
	want int64                            // bytes of the whole; negative = not known

	written int64
	unseen  int64 // bytes written since the last look
	err     error // the first one
}

// Write writes b.
func (w *fetched) Write(b []byte) (n int, err error) {
	if w.unseen >= fetchLook {
		w.unseen, w.err = 0, w.fits()
	}
	if w.err == nil {
		n, w.err = w.to.Write(b)
	}
	w.written += int64(n)
	w.unseen += int64(n)
	return n, w.err
}

// fits fails when what is still to come, as far as that is known, would not leave the
// reserve.
func (w *fetched) fits() error {
	ask := w.free
	if ask == nil {
		ask = disk.Free
	}
	free, err := ask(w.dir)
	if err != nil {
		return err
	}
	if need := uint64(max(w.want-w.written, 0)) + fetchReserve; need > free {
		return fault.New(fault.NoSpace, "not enough disk space: %d MiB must be free on the server, and %d MiB are", need>>20, free>>20)
	}
	return nil
}
