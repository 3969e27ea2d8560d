package api

import (
	"net/http"
	"os"
	"path/filepath"

	"svc/internal/auth"
	"svc/internal/backup"
	"svc/internal/boltfile"
	"svc/internal/doctor"
)

func (s *Server) doctorRoutes() []route {
	return []route{
		{method: "GET", path: "/control/doctor", access: controlOnly(), handler: s.doctorFacts, quiet: true},
		{method: "POST", path: "/control/doctor/pages", access: controlOnly(), handler: s.examinePages},
	}
}

// doctorFacts answers what svc doctor cannot see from outside.
func (s *Server) doctorFacts(w http.ResponseWriter, _ *request) error {
	facts := doctor.Facts{LastID: s.db.LastID(), Forwarding: s.forwarding.view()}
	now, mark := s.now().Unix(), auth.SaltMark(s.config.KeySalt)
	for _, k := range s.db.APIKeys() {
		if k.RevokedAt != nil || k.Expired(now) {
			continue
		}
		facts.Keys.Active++
		if k.Salt != "" && k.Salt != mark {
			facts.Keys.Other++
		}
	}
	facts.Index.Last = s.db.LastChange()
	if s.config.Search != nil {
		facts.Index.Seen, facts.Index.Answers = s.config.Search.Seen()
	}
	return respond(w, http.StatusOK, facts)
}

// PagesResult is the outcome of reading all pages of a database.
type PagesResult struct {
	Name  string `json:"name"`
	Error string `json:"error"` // "" when nothing is wrong
}

// examinePages copies both databases and reads all pages of the copies: it is
// not safe to read those of a file that is being written.
func (s *Server) examinePages(w http.ResponseWriter, _ *request) error {
	unlimited(w)
	folder, err := s.copyData("doctor-")
	if err != nil {
		return err
	}
	var views []PagesResult
	for _, name := range []string{backup.Database, backup.Events} {
		view := PagesResult{Name: name}
		if err := boltfile.ExaminePages(filepath.Join(folder, name), nil); err != nil {
			view.Error = err.Error()
		}
		views = append(views, view)
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	return respond(w, http.StatusOK, listView{Data: views})
}
