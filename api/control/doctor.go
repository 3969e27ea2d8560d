package control

import (
	"net/http"
	"os"
	"path/filepath"

	"svc/api/web"
	"svc/internal/boltfile"
	"svc/internal/datadir"
	"svc/internal/instance"
)

func (h *Handlers) doctorRoutes() []web.Route {
	return []web.Route{
		{Method: "GET", Path: "/control/doctor", Access: web.OwnerOnly(), Handler: h.doctorFacts, Quiet: true},
		{Method: "POST", Path: "/control/doctor/pages", Access: web.OwnerOnly(), Handler: h.examinePages},
	}
}

// doctorFacts answers what svc doctor cannot see from outside.
func (h *Handlers) doctorFacts(w http.ResponseWriter, _ *web.Request) error {
	facts := instance.Facts(h.DB, h.KeySalt, h.Now())
	facts.Forwarding = h.Forwarding.view()
	if h.Jobs != nil {
		if err := h.Jobs.FolderProblem(); err != nil {
			facts.BackupFolder = err.Error()
		}
	}
	if h.Search != nil {
		facts.Index.Seen, facts.Index.Answers = h.Search.Seen()
	}
	return web.Respond(w, http.StatusOK, facts)
}

// PagesResult is the outcome of reading all pages of a database.
type PagesResult struct {
	Name  string `json:"name"`
	Error string `json:"error"` // "" when nothing is wrong
}

// examinePages copies both databases and reads all pages of the copies: it is
// not safe to read those of a file that is being written.
func (h *Handlers) examinePages(w http.ResponseWriter, _ *web.Request) error {
	web.NoDeadlines(w)
	folder, err := h.Copy("doctor-")
	if err != nil {
		return err
	}
	var views []PagesResult
	for _, name := range []string{datadir.Database, datadir.Events} {
		view := PagesResult{Name: name}
		if err := boltfile.ExaminePages(filepath.Join(folder, name), nil); err != nil {
			view.Error = err.Error()
		}
		views = append(views, view)
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	return web.Respond(w, http.StatusOK, web.ListView{Data: views})
}
