package distribution

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/files"
	"svc/internal/outbound"
	"svc/store"
)

// Mirrored says what became of addresses that were to be copied here.
type Mirrored struct {
	Queued  int `json:"queued"`
	Reused  int `json:"reused"`
	Skipped int `json:"skipped"`
}

func (h *Handlers) mirrorAssets(r *web.Request) (done Mirrored, err error) {
	if h.BaseURL == "" {
		return done, fault.New(fault.Invalid, "attachments cannot be copied without a distribution address: set SVC_DIST_BASE_URL")
	}
	id, ok := store.ParseID(r.Param("id"))
	var here []*store.File
	err = h.DB.View(func(tx *store.Tx) error {
		p, err := r.Project(tx)
		if err != nil {
			return err
		}
		if !ok {
			return fault.New(fault.NotFound, "version not found")
		}
		v, err := tx.Version(p.ID, id)
		if err == nil {
			here, err = copiesOf(tx, p, linksOf(v))
		}
		return err
	})
	if err != nil {
		return done, err
	}
	outdated := h.outdated(r.Context(), here)
	err = r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		v, err := tx.Version(p.ID, id)
		if err == nil {
			done, err = h.Mirror(tx, p, linksOf(v), outdated)
		}
		return err
	})
	return done, err
}

// copiesOf lists the ready files of the addresses that have one, each once.
func copiesOf(tx *store.Tx, p *store.Project, addresses []string) (list []*store.File, err error) {
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

// askTime is how long the code host is asked for the sizes of attachments, all in all.
const askTime = 5 * time.Second

// outdated are the files whose attachment has another size at the code host than here:
// another one was uploaded under its address. What cannot be found out in askTime counts
// as unchanged.
func (h *Handlers) outdated(ctx context.Context, list []*store.File) map[store.FileID]bool {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	other := map[store.FileID]bool{}
	for _, f := range list {
		size, err := h.attachmentSize(ctx, f.SourceURL)
		if err != nil {
			h.Log.Info("the code host does not say how large an attachment is", "file", f.ID, "error", err)
		} else if size != f.Size {
			other[f.ID] = true
		}
	}
	return other
}

// attachmentSize asks for the bytes of an attachment.
func (h *Handlers) attachmentSize(ctx context.Context, address string) (int64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, address, nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Accept", "application/octet-stream")
	request.Header.Set("Accept-Encoding", "identity")
	answer, err := h.Fetch.Do(request)
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

// linksOf are the addresses that a version links to.
func linksOf(v *store.Version) (addresses []string) {
	if v.DownloadURL != nil {
		addresses = append(addresses, *v.DownloadURL)
	}
	for _, l := range v.DownloadLinks {
		addresses = append(addresses, l.URL)
	}
	return addresses
}

// Mirror has attachments of releases copied here, by jobs that look for pending files,
// and lets all versions of the project link to those that are here already, unless they
// are outdated: these are copied again, as new files. Without a base address of direct
// links everything is skipped.
func (h *Handlers) Mirror(tx *store.Tx, p *store.Project, addresses []string, outdated map[store.FileID]bool) (done Mirrored, err error) {
	seen := map[string]bool{}
	for _, address := range addresses {
		if address = strings.TrimSpace(address); seen[address] {
			continue
		}
		seen[address] = true
		filename, ok := files.AssetName(h.CodeHost, address)
		if !ok || h.BaseURL == "" {
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
			_, err = tx.ReplaceLinks(p.ID, address, h.BaseURL+files.EscapePath(f.ObjectKey))
		case f.Status == store.FileFailed:
			done.Queued++
			_, err = tx.RetryFile(p.ID, f.ID)
		default: // a pending one is a job's already
			done.Queued++
		}
		if err != nil {
			return Mirrored{}, err
		}
	}
	return done, nil
}

// createMirrored makes the record of an attachment that is to be fetched.
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
