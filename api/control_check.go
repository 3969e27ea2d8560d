package api

import (
	"errors"
	"net/http"
	"os"
	"time"

	"svc/internal/finding"
	"svc/internal/jobs"
)

// CopiesResult says where copies of the data files are. Who looks at them removes
// the folder; the next start removes what a killed command has left.
type CopiesResult struct {
	Folder string `json:"folder"` // with both files under their own names
}

// copyForCheck copies both data files as they are at one moment, at the speed of
// the disk: looking at the pages of a file that is written to is not safe.
func (s *Server) copyForCheck(w http.ResponseWriter, r *request) error {
	unlimited(w)
	folder, err := s.copyData("check-")
	if err != nil {
		return err
	}
	if err := r.Context().Err(); err != nil {
		return errors.Join(err, os.RemoveAll(folder))
	}
	return respond(w, http.StatusOK, CopiesResult{folder})
}

// copyData copies both data files, as they are at one moment, to a new folder in
// the staging folder whose name begins with a prefix.
func (s *Server) copyData(prefix string) (folder string, err error) {
	folder, _, err = jobs.CopyData(s.db, s.config.Events, s.now, s.config.Staging, prefix)
	return folder, err
}

// unlimited takes the time limits off a request of the owner whose body or answer
// may take long.
func unlimited(w http.ResponseWriter) {
	wire := http.NewResponseController(w)
	// In this process there is no connection that could time out.
	_, _ = wire.SetReadDeadline(time.Time{}), wire.SetWriteDeadline(time.Time{})
}

// FindingsResult is what a check has found.
type FindingsResult struct {
	Findings []finding.Finding `json:"findings"`
	Counts   []finding.Count   `json:"counts"`
}

// checkSearch compares the search index with what can be searched.
func (s *Server) checkSearch(w http.ResponseWriter, r *request) error {
	unlimited(w)
	report := finding.NewReport(nil)
	if s.config.Search != nil {
		if err := s.config.Search.Check(r.Context(), report); err != nil {
			return err
		}
	}
	return respond(w, http.StatusOK, FindingsResult{report.Listed(), report.Counts()})
}
