package control

import (
	"sync"
	"time"

	"svc/api/web"
	"svc/internal/doctor"
	"svc/internal/jobs"
	"svc/internal/replica"
)

// Examiner runs those checks of svc doctor that a server can run on itself.
type Examiner func(doctor.Facts) []doctor.Result

// examinedFor is the duration for which the results of an examination are reused, because an
// examination walks through the data directory.
const examinedFor = 15 * time.Second

// examination holds the results of the last examination, so that they can be reused.
type examination struct {
	mu      sync.Mutex
	at      time.Time // zero if there was none
	results []doctor.Result
}

// instanceView is the JSON form of the state of the instance.
type instanceView struct {
	Status          doctor.Status       `json:"status"`
	Version         string              `json:"version"`
	StartedAt       int64               `json:"started_at"`
	CheckedAt       int64               `json:"checked_at"`
	SiteURL         *string             `json:"site_url"`
	DistributionURL *string             `json:"distribution_url"`
	Backup          *instanceBackupView `json:"backup"`
	Replication     *replica.Status     `json:"replication"`
	Checks          []instanceCheckView `json:"checks"`
}

// instanceBackupView is the JSON form of the newest scheduled backup.
type instanceBackupView struct {
	LastAt *int64  `json:"last_at"`
	Bytes  int64   `json:"bytes"`
	Error  *string `json:"error"`
}

type instanceCheckView struct {
	Name     string                `json:"name"`
	Title    string                `json:"title"`
	Status   doctor.Status         `json:"status"`
	Findings []instanceFindingView `json:"findings"`
}

type instanceFindingView struct {
	Status doctor.Status `json:"status"`
	Code   string        `json:"code"`
	What   string        `json:"what"`
	Repair string        `json:"repair"`
	Values []string      `json:"values"`
}

// showInstance responds with the results of the svc doctor checks for the running server.
func (h *Handlers) showInstance(*web.Request) (v instanceView, err error) {
	results, at, err := h.examined()
	if err != nil {
		return v, err
	}
	v = instanceView{
		Status: doctor.Worst(results), Version: h.Version, StartedAt: h.started.Unix(), CheckedAt: at.Unix(),
		SiteURL: web.OrNull(h.SiteURL), DistributionURL: web.OrNull(h.DistributionURL), Checks: web.Views(results, viewCheck),
	}
	if h.Replication != nil {
		v.Replication = new(h.Replication.Status())
	}
	if h.Jobs != nil {
		if b := h.Jobs.Backups(); b != (jobs.BackupState{}) {
			v.Backup = &instanceBackupView{Bytes: b.Bytes, Error: web.OrNull(b.LastError)}
			if !b.Last.IsZero() {
				v.Backup.LastAt = new(b.Last.Unix())
			}
		}
	}
	return v, nil
}

func viewCheck(r doctor.Result) instanceCheckView {
	return instanceCheckView{r.Name, r.Title, r.Status, web.Views(r.Findings, func(f doctor.Finding) instanceFindingView {
		return instanceFindingView{f.Status, f.Code, f.What, f.Repair, f.Values}
	})}
}

// examined returns the results of an examination and the time at which it was made. The examination
// is less than examinedFor old.
func (h *Handlers) examined() ([]doctor.Result, time.Time, error) {
	e := &h.examination
	e.mu.Lock()
	defer e.mu.Unlock()
	now := h.Now()
	if age := now.Sub(e.at); !e.at.IsZero() && age >= 0 && age < examinedFor {
		return e.results, e.at, nil
	}
	facts, err := h.facts()
	if err != nil {
		return nil, now, err
	}
	e.at, e.results = now, []doctor.Result{}
	if h.Examine != nil {
		e.results = h.Examine(facts)
	}
	return e.results, e.at, nil
}
