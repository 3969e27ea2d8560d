package control

import (
	"errors"
	"os"

	"svc/api/web"
	"svc/internal/instance"
	"svc/internal/integrity"
)

// CopiesResult says where copies of the data files are. Who looks at them removes
// the folder; the next start removes what a killed command has left.
type CopiesResult struct {
	Folder string `json:"folder"` // with both files under their own names
}

// copyForCheck copies both data files as they are at one moment, at the speed of
// the disk: looking at the pages of a file that is written to is not safe.
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

// FindingsResult is what a check has found.
type FindingsResult struct {
	Findings []integrity.Finding `json:"findings"`
	Counts   []integrity.Count   `json:"counts"`
}

// checkSearch compares the search index with what can be searched.
func (h *Handlers) checkSearch(r *web.Request) (v FindingsResult, err error) {
	web.NoDeadlines(r.Writer)
	report := integrity.NewReport(nil)
	if h.Search != nil {
		err = h.Search.Check(r.Context(), report)
	}
	return FindingsResult{report.Listed(), report.Counts()}, err
}

// checkFiles compares local files with their records.
func (h *Handlers) checkFiles(r *web.Request) (v FindingsResult, err error) {
	web.NoDeadlines(r.Writer)
	report := integrity.NewReport(nil)
	err = instance.CheckFiles(r.Context(), h.Files, h.DB, report)
	return FindingsResult{report.Listed(), report.Counts()}, err
}
