// Package doctor examines an installation from outside: the data folder, the
// disk below it, the machine, and what the server or the data report. Each check is
// small, says in one line what is wrong and in another how to repair it, and needs
// none of the others.
//
//	doctor.go        Examine, Finding, Installation
//	table.go         all checks, in their order
//	facts.go         what a server or the data report
//	data.go          settings, server, databases, index, keys
//	backup.go        age and place of backups
//	certificates.go  certificates and their keys
//	clock.go         the clock and the time zone
//	disk.go          space and kind of file system
//	disk_linux.go    mounts; disk_darwin.go and disk_windows.go likewise
//	journal.go       a fault of ext4 in old kernels
//	files.go         permissions, owner, synchronisers
//	owner_unix.go    owners of files; owner_windows.go likewise
//	leftovers.go     what interrupted operations left
//	process.go       limits of memory and of open files
//	proxy.go         the reverse proxy
//	secrets.go       secrets and the first password
//	submissions.go   the size of feedback and logs, the number of event names
package doctor

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"svc/internal/setting"
)

// Status says how bad a finding is.
type Status string

// The statuses. A check without findings is OK.
const (
	OK      Status = "ok"
	Note    Status = "note"    // worth knowing
	Warning Status = "warning" // will hurt one day
	Problem Status = "problem" // hurts now
)

// severities are the statuses, the best first.
var severities = []Status{OK, Note, Warning, Problem}

func (s Status) worse(than Status) bool {
	return slices.Index(severities, s) > slices.Index(severities, than)
}

// Finding is what a check reports.
type Finding struct {
	Status Status `json:"status"`
	// Code names the kind of finding, such as "backup_late", for programs and for texts in other languages.
	Code string `json:"code"`
	// What says in one line what is there.
	What string `json:"what"`
	// Repair says in one line what to do about it.
	Repair string `json:"repair"`
	// Values are the names, times and numbers in What and then in Repair, as they stand there; why a repair
	// failed stands in What alone.
	Values []string `json:"values"` // never nil
	// Repaired says that it was done.
	Repaired bool `json:"repaired"`

	fix func() error // nil = for a person to do
}

// message is a text and the values in it.
type message struct {
	text   string
	values []string
}

func messagef(format string, values ...any) message {
	m := message{fmt.Sprintf(format, values...), make([]string, len(values))}
	for i, v := range values {
		m.values[i] = fmt.Sprint(v)
	}
	return m
}

// note, warning and problem are findings that a person repairs.
func note(code string, what, repair message) Finding { return finding(Note, code, what, repair) }

func warning(code string, what, repair message) Finding { return finding(Warning, code, what, repair) }

func problem(code string, what, repair message) Finding { return finding(Problem, code, what, repair) }

func finding(status Status, code string, what, repair message) Finding {
	values := append(append([]string{}, what.values...), repair.values...)
	return Finding{Status: status, Code: code, What: what.text, Repair: repair.text, Values: values}
}

// Fixable reports whether Fix can repair it.
func (f Finding) Fixable() bool { return f.fix != nil && !f.Repaired }

// Result is what a check came to.
type Result struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Status is that of the worst finding that is not repaired.
	Status   Status    `json:"status"`
	Findings []Finding `json:"findings"` // never nil
}

// Installation is what is examined, and what its examiners could learn before. Only
// Settings, Machine and Now are always there.
type Installation struct {
	Settings *setting.Settings
	// Invalid are the problems of the settings.
	Invalid []error
	// Machine is the root of the machine's file system.
	Machine fs.FS
	// Environ is the environment of this process, as os.Environ gives it.
	Environ []string
	Now     time.Time
	// Version is that of this program.
	Version string

	// Locked says that this process has the data folder; then no server runs.
	Locked bool
	// Server is the server that runs on the data folder, nil when there is none.
	Server *Server
	// Unreachable says why neither is so.
	Unreachable error

	// Databases are the outcomes of reading both files.
	Databases []Database
	// Facts are what the handler that works on the data reports; nil when it could
	// not be asked, for a reason that another field has.
	Facts *Facts
	// Index says why the search index must be rebuilt; nil when it need not,
	// or when a server runs.
	Index error
}

// Server is a process that serves.
type Server struct {
	PID     int
	Version string
}

// Database is the outcome of reading all pages of a database.
type Database struct {
	Name string
	// Err is what is wrong with it; nil when nothing is.
	Err error
	// Skipped says why it was not read; "" when it was.
	Skipped string
}

// check is one examination.
type check struct {
	name, title string
	run         func(*Installation) []Finding // none when all is well
}

// Examine runs all checks and with fix repairs what can be repaired without
// losing anything.
func Examine(p *Installation, fix bool) []Result { return examine(p, checks, fix) }

// ExamineWhileServing runs the checks that a server can make of itself at any time: all but
// the reading of the databases, of which it tells the damage that it has met. Nothing is
// repaired.
func ExamineWhileServing(p *Installation) []Result {
	own := slices.Clone(checks)
	if p.Facts == nil || len(p.Facts.Damaged) == 0 {
		own = slices.DeleteFunc(own, func(c check) bool { return c.name == "databases" })
	}
	return examine(p, own, false)
}

// Worst is the worst status of results.
func Worst(results []Result) Status {
	worst := OK
	for _, r := range results {
		if r.Status.worse(worst) {
			worst = r.Status
		}
	}
	return worst
}

func examine(p *Installation, checks []check, fix bool) []Result {
	results := make([]Result, len(checks))
	for i, c := range checks {
		r := Result{Name: c.name, Title: c.title, Status: OK, Findings: []Finding{}}
		for _, f := range c.run(p) {
			if fix && f.fix != nil {
				f.repair()
			}
			if !f.Repaired && f.Status.worse(r.Status) {
				r.Status = f.Status
			}
			r.Findings = append(r.Findings, f)
		}
		results[i] = r
	}
	return results
}

func (f *Finding) repair() {
	if err := f.fix(); err != nil {
		f.What += "; the repair failed: " + err.Error()
		return
	}
	f.Repaired = true
}

// process is the number of the process whose limits count: the server's, or
// this one's.
func (p *Installation) process() string {
	if p.Server != nil {
		return strconv.Itoa(p.Server.PID)
	}
	return "self"
}
