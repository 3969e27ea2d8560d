package engine

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"svc/internal/files"
	"svc/internal/outbound"
	"svc/store"
)

// Mirrored contains the numbers of addresses for which Mirror queued a download, reused an existing
// copy, or did nothing.
type Mirrored struct {
	Queued  int `json:"queued"`
	Reused  int `json:"reused"`
	Skipped int `json:"skipped"`
}

// CopiesOf returns the ready files of a project that are copies of the attachments at the
// given addresses, without duplicates.
func CopiesOf(tx *store.Tx, p *store.Project, addresses []string) (list []*store.File, err error) {
	seen := map[store.FileID]bool{}
	for _, address := range addresses {
		f, err := tx.FileBySource(p.ID, strings.TrimSpace(address))
		if err != nil {
			return nil, err
		}
		if f != nil && f.Status == store.FileReady && !seen[f.ID] {
			seen[f.ID] = true
			list = append(list, f)
		}
	}
	return list, nil
}

// askTime limits the total time for requesting the sizes of attachments from the code
// host.
const askTime = 5 * time.Second

// Outdated returns the files that differ in size from their attachment at the code host.
// A different size means that the attachment was replaced under the same address. If the
// code host does not report the size within askTime, the file is considered current.
func (e *Engine) Outdated(ctx context.Context, list []*store.File) map[store.FileID]bool {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	other := map[store.FileID]bool{}
	for _, f := range list {
		size, err := e.attachmentSize(ctx, f.SourceURL)
		if err != nil {
			e.Log.Info("the code host does not say how large an attachment is", "file", f.ID, "error", err)
		} else if size != f.Size {
			other[f.ID] = true
		}
	}
	return other
}

// attachmentSize returns the size of an attachment at the code host, in bytes.
func (e *Engine) attachmentSize(ctx context.Context, address string) (int64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, address, nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Accept", "application/octet-stream")
	request.Header.Set("Accept-Encoding", "identity")
	answer, err := e.Fetch.Do(request)
	if err != nil {
		return 0, outbound.Explain(err)
	}
	if err := answer.Body.Close(); err != nil {
		return 0, err
	}
	if encoding := answer.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return 0, errors.New("it answered with a Content-Encoding, whose length says nothing")
	}
	if answer.StatusCode != http.StatusOK || answer.ContentLength < 0 {
		return 0, fmt.Errorf("it answered %d with a length of %d", answer.StatusCode, answer.ContentLength)
	}
	return answer.ContentLength, nil
}

// Mirror makes local copies of the release attachments at the given addresses. If an attachment has
// no copy, or if its copy is in outdated, Mirror creates a pending file, and a job downloads the
// attachment later. For any other attachment, Mirror changes the links in all versions of the
// project so that they lead to the copy. Mirror skips addresses that are not those of attachments
// at the code host. If e.BaseURL is empty, it skips all addresses.
func (e *Engine) Mirror(tx *store.Tx, p *store.Project, addresses []string, outdated map[store.FileID]bool) (done Mirrored, err error) {
	seen := map[string]bool{}
	for _, address := range addresses {
		if address = strings.TrimSpace(address); seen[address] {
			continue
		}
		seen[address] = true
		filename, ok := files.AssetName(e.CodeHost, address)
		if !ok || e.BaseURL == "" {
			done.Skipped++
			continue
		}
		f, err := tx.FileBySource(p.ID, address)
		switch {
		case err != nil:
		case f == nil || f.Status == store.FileReady && outdated[f.ID]:
			done.Queued++
			err = createMirrored(tx, p, address, filename)
		case f.Status == store.FileReady:
			done.Reused++
			_, err = tx.ReplaceLinks(p.ID, address, e.BaseURL+files.EscapePath(f.ObjectKey))
		case f.Status == store.FileFailed:
			done.Queued++
			_, err = tx.RetryFile(p.ID, f.ID)
		default: // the file is pending, so a job already downloads it
			done.Queued++
		}
		if err != nil {
			return Mirrored{}, err
		}
	}
	return done, nil
}

// createMirrored creates the record of an attachment that has to be downloaded.
func createMirrored(tx *store.Tx, p *store.Project, address, filename string) error {
	backend, err := tx.StorageFor(p, "")
	if err != nil {
		return err
	}
	id := files.NewID()
	return tx.CreateFile(p.ID, &store.File{
		ID: store.FileID(id), ObjectKey: files.ObjectKey(p.Key, id, filename), Filename: filename,
		Status: store.FilePending, Source: store.FileMirrored, SourceURL: address, Backend: backend.ID,
	})
}
