package control

import (
	"os"
	"path/filepath"

	"svc/api/web"
	"svc/internal/boltfile"
	"svc/internal/datadir"
	"svc/internal/doctor"
	"svc/internal/event"
	"svc/internal/instance"
)

func (h *Handlers) doctorRoutes() []web.Route {
	return []web.Route{
		{Method: "GET", Path: "/control/doctor", Access: web.OwnerOnly(), Handler: web.OK(h.doctorFacts), Quiet: true},
		{Method: "POST", Path: "/control/doctor/pages", Reads: true, Access: web.OwnerOnly(), Handler: web.OK(h.examinePages)},
	}
}

// doctorFacts responds with the facts that svc doctor can only get from the running server.
func (h *Handlers) doctorFacts(*web.Request) (doctor.Facts, error) { return h.facts() }

func (h *Handlers) facts() (doctor.Facts, error) {
	facts, err := instance.Facts(h.DB, h.KeySalt, h.Now())
	if err != nil {
		return facts, err
	}
	facts.Forwarding = h.Forwarding.view()
	if h.Jobs != nil {
		if err := h.Jobs.FolderProblem(); err != nil {
			facts.BackupFolder = err.Error()
		}
	}
	if h.Search != nil {
		facts.Index.Seen, facts.Index.Answers = h.Search.Seen()
	}
	for _, j := range h.jobViews() {
		if j.LastError != "" {
			facts.FailedJobs = append(facts.FailedJobs, doctor.FailedJob{Name: j.Name, Error: j.LastError})
		}
	}
	for _, database := range []struct {
		name   string
		damage error
	}{{datadir.Database, h.DB.Damage()}, {datadir.Events, h.eventsDamage()}} {
		if database.damage != nil {
			facts.Damaged = append(facts.Damaged, doctor.DamagedDatabase{Name: database.name, Error: database.damage.Error()})
		}
	}
	facts.EventNames = h.eventNames()
	facts.Replication = h.replicationFacts()
	return facts, nil
}

// eventNames returns the number of event names for each project that has any.
func (h *Handlers) eventNames() []doctor.EventNames {
	list := []doctor.EventNames{}
	if h.Events == nil {
		return list
	}
	for _, p := range h.DB.Projects() {
		if n := h.Events.NameCount(event.Project(p.ID)); n > 0 {
			list = append(list, doctor.EventNames{Project: p.Key, Names: n})
		}
	}
	return list
}

// eventsDamage returns the damage that was found in the event database, or nil.
func (h *Handlers) eventsDamage() error {
	if h.Events == nil {
		return nil
	}
	return h.Events.Damage()
}

// PagesResult is the result of reading all pages of a database.
type PagesResult struct {
	Name  string `json:"name"`
	Error string `json:"error"` // "" if no damage was found
}

// examinePages copies both databases and reads all pages of the copies. Reading the pages of a file
// that is being written is not safe.
func (h *Handlers) examinePages(r *web.Request) (v web.ListView, err error) {
	web.NoDeadlines(r.Writer)
	folder, err := h.Copy("doctor-")
	if err != nil {
		return v, err
	}
	var views []PagesResult
	for _, name := range datadir.Databases {
		view := PagesResult{Name: name}
		if err := boltfile.ExaminePages(filepath.Join(folder, name), nil); err != nil {
			view.Error = err.Error()
		}
		views = append(views, view)
	}
	return web.ListView{Data: views}, os.RemoveAll(folder)
}
