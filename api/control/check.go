package control

import (
	"errors"
	"os"

	"svc/api/web"
	"svc/internal/instance"
	"svc/internal/integrity"
)

// CopiesResult names the folder that contains the copies of the data files. The client must remove
// the folder. If a command was killed before it could do so, the next start of the server removes
// the folder.
type CopiesResult struct {
	Folder string `json:"folder"` // contains both files under their own names
}

// copyForCheck makes consistent copies of both data files, as fast as the disk permits. The client
// checks the copies, because reading the pages of a file that is being written is not safe.
func (h *Handlers) copyForCheck(r *web.Request) (v CopiesResult, err error) {
	web.NoDeadlines(r.Writer)
	if v.Folder, err = h.Copy("check-"); err != nil {
		return v, err
	}
	if err := r.Context().Err(); err != nil {
		return v, errors.Join(err, os.RemoveAll(v.Folder))
	}
	return v, nil
}

// FindingsResult contains the findings of a check.
type FindingsResult struct {
	Findings []integrity.Finding `json:"findings"`
	Counts   []integrity.Count   `json:"counts"`
}

// checkSearch compares the search index with the searchable records.
func (h *Handlers) checkSearch(r *web.Request) (v FindingsResult, err error) {
	web.NoDeadlines(r.Writer)
	report := integrity.NewReport(nil)
	if h.Search != nil {
		err = h.Search.Check(r.Context(), report)
	}
	return FindingsResult{report.Listed(), report.Counts()}, err
}

// checkFiles compares the local files with their records.
func (h *Handlers) checkFiles(r *web.Request) (v FindingsResult, err error) {
	web.NoDeadlines(r.Writer)
	report := integrity.NewReport(nil)
	err = instance.CheckFiles(r.Context(), h.Files, h.DB, report)
	return FindingsResult{report.Listed(), report.Counts()}, err
}
