package control

import (
	"errors"
	"net/http"
	"os"

	"svc/api/web"
	"svc/internal/integrity"
)

// CopiesResult says where copies of the data files are. Who looks at them removes
// the folder; the next start removes what a killed command has left.
type CopiesResult struct {
	Folder string `json:"folder"` // with both files under their own names
}

// copyForCheck copies both data files as they are at one moment, at the speed of
// the disk: looking at the pages of a file that is written to is not safe.
func (h *Handlers) copyForCheck(w http.ResponseWriter, r *web.Request) error {
	web.NoDeadlines(w)
	folder, err := h.Copy("check-")
	if err != nil {
		return err
	}
	if err := r.Context().Err(); err != nil {
		return errors.Join(err, os.RemoveAll(folder))
	}
	return web.Respond(w, http.StatusOK, CopiesResult{folder})
}

// FindingsResult is what a check has found.
type FindingsResult struct {
	Findings []integrity.Finding `json:"findings"`
	Counts   []integrity.Count   `json:"counts"`
}

// checkSearch compares the search index with what can be searched.
func (h *Handlers) checkSearch(w http.ResponseWriter, r *web.Request) error {
	web.NoDeadlines(w)
	report := integrity.NewReport(nil)
	if h.Search != nil {
		if err := h.Search.Check(r.Context(), report); err != nil {
			return err
		}
	}
	return web.Respond(w, http.StatusOK, FindingsResult{report.Listed(), report.Counts()})
}
