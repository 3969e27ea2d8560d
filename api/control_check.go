package api

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"svc/internal/boltfile"
	"svc/internal/disk"
	"svc/internal/fault"
	"svc/internal/finding"
)

// CheckCopies begins the names of the folders in the staging folder that hold
// copies for a check. Who checks them removes them; the next start removes what a
// killed check has left.
const CheckCopies = "check-"

// copiesView says where copies of the data files are.
type copiesView struct {
	Folder string `json:"folder"` // with both files under their own names
}

// copyForCheck copies both data files as they are at one moment, at the speed of
// the disk: looking at the pages of a file that is written to is not safe.
func (s *Server) copyForCheck(w http.ResponseWriter, r *request) error {
	unlimited(w)
	data, events, err := s.images()
	if err != nil {
		return err
	}
	defer func() { _ = errors.Join(data.Close(), events.Close()) }() // images are only read
	if err := s.needRoom(data.Bytes() + events.Bytes()); err != nil {
		return err
	}
	folder, err := os.MkdirTemp(s.config.Staging, CheckCopies)
	if err != nil {
		return err
	}
	err = data.Copy(filepath.Join(folder, filepath.Base(s.db.Path())))
	if err == nil {
		err = events.Copy(filepath.Join(folder, filepath.Base(s.config.Events.Path())))
	}
	if err == nil {
		err = r.Context().Err()
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(folder))
	}
	return respond(w, http.StatusOK, copiesView{folder})
}

// images are both data files after the same moment.
func (s *Server) images() (data, events *boltfile.Image, err error) {
	defer s.db.Hold()()
	defer s.config.Events.Hold()()
	if data, err = s.db.Image(); err != nil {
		return nil, nil, err
	}
	if events, err = s.config.Events.Image(); err != nil {
		return nil, nil, errors.Join(err, data.Close())
	}
	return data, events, nil
}

// needRoom makes the staging folder and fails when there is not as much room
// below it, and some for those who write meanwhile.
func (s *Server) needRoom(bytes int64) error {
	if err := os.MkdirAll(s.config.Staging, 0o700); err != nil {
		return err
	}
	free, err := disk.Free(s.config.Staging)
	if err != nil {
		return err
	}
	const spare = 64 << 20
	if need := uint64(bytes) + spare; free < need {
		return fault.New(fault.NoSpace, "copies of the data need %d MiB in %s, and %d MiB are free", need>>20, s.config.Staging, free>>20)
	}
	return nil
}

// unlimited takes the time limits off a request of the owner that may take long.
func unlimited(w http.ResponseWriter) {
	wire := http.NewResponseController(w)
	// In this process there is no connection that could time out.
	_, _ = wire.SetReadDeadline(time.Time{}), wire.SetWriteDeadline(time.Time{})
}

// findingsView is what a check has found.
type findingsView struct {
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
	return respond(w, http.StatusOK, findingsView{report.Listed(), report.Counts()})
}
