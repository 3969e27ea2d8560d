package api

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"

	"svc/internal/auth"
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

// pagesView is the outcome of reading all pages of a database.
type pagesView struct {
	Name  string `json:"name"`
	Error string `json:"error"` // "" when nothing is wrong
}

// examinePages copies both databases and reads all pages of the copies: it is
// not safe to read those of a file that is being written.
func (s *Server) examinePages(w http.ResponseWriter, _ *request) error {
	unlimited(w)
	if err := os.MkdirAll(s.config.Staging, 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(s.config.Staging, "doctor-*")
	if err != nil {
		return err
	}
	views, err := s.examineCopies(dir)
	if err := errors.Join(err, os.RemoveAll(dir)); err != nil {
		return err
	}
	return respond(w, http.StatusOK, listView{Data: views})
}

func (s *Server) examineCopies(dir string) (views []pagesView, err error) {
	for _, file := range []struct {
		name  string
		image func() (*boltfile.Image, error)
	}{{"svc.db", s.db.Image}, {"events.db", s.config.Events.Image}} {
		path := filepath.Join(dir, file.name)
		image, err := file.image()
		if err != nil {
			return nil, err
		}
		if err := errors.Join(image.Copy(path), image.Close()); err != nil {
			return nil, err
		}
		view := pagesView{Name: file.name}
		if err := boltfile.ExaminePages(path, nil); err != nil {
			view.Error = err.Error()
		}
		if err := os.Remove(path); err != nil { // room for the next one
			return nil, err
		}
		views = append(views, view)
	}
	return views, nil
}
