package distribution

import (
	"strings"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/files"
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
	err = r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		id, ok := store.ParseID(r.Param("id"))
		if !ok {
			return fault.New(fault.NotFound, "version not found")
		}
		v, err := tx.Version(p.ID, id)
		if err == nil {
			done, err = h.Mirror(tx, p, linksOf(v))
		}
		return err
	})
	return done, err
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
// and lets all versions of the project link to those that are here already. Without a
// base address of direct links everything is skipped.
func (h *Handlers) Mirror(tx *store.Tx, p *store.Project, addresses []string) (done Mirrored, err error) {
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
		case f == nil:
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
