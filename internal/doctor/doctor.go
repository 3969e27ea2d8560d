// Package doctor examines an installation from the outside: the data folder, its disk,
// the machine, and the facts that were collected from the server or from the data. Each
// check is small and independent of the others. A finding describes the problem in one
// line and the repair in another.
//
//	doctor.go        Examine, Finding, Installation
//	table.go         all checks, in their order
//	facts.go         facts reported by a server or read from the data
//	data.go          settings, server, databases, index, keys
//	backup.go        age and place of backups
//	certificates.go  certificates and their keys
//	clock.go         the clock and the time zone
//	disk.go          space and kind of file system
//	disk_linux.go    mounts; disk_darwin.go and disk_windows.go likewise
//	journal.go       a fault of ext4 in old kernels
//	hooks.go         failing hooks, and missing ones
//	files.go         permissions, owner, synchronisers
//	owner_unix.go    owners of files; owner_windows.go likewise
//	leftovers.go     remains of interrupted operations
//	process.go       limits of memory and of open files
//	proxy.go         the reverse proxy
//	replication.go   the replica: whether it is up to date, where it is
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

// Status is the severity of a finding.
type Status string

// The statuses from best to worst. The status of a check without findings is OK.
const (
	OK      Status = "ok"
	Note    Status = "note"    // for information; nothing needs to be done
	Warning Status = "warning" // will cause trouble later
	Problem Status = "problem" // causes trouble now
)

// severities lists the statuses from best to worst.
var severities = []Status{OK, Note, Warning, Problem}

func (s Status) worse(than Status) bool {
	return slices.Index(severities, s) > slices.Index(severities, than)
}

// Finding is one result of a check: what it has found, and how to repair it.
type Finding struct {
	Status Status `json:"status"`
	// Code identifies the kind of finding for programs and translations, for example
	// "backup_late".
	Code string `json:"code"`
	// What is a one-line description of the finding.
	What string `json:"what"`
	// Repair describes the remedy in one line.
	Repair string `json:"repair"`
	// Values contains the names, times and numbers that occur in What, followed by those
	// that occur in Repair. If a repair has failed, What also contains the reason, which is
	// not in Values.
	Values []string `json:"values"` // never nil
	// Repaired reports whether Examine has repaired the cause of the finding.
	Repaired bool `json:"repaired"`

	fix func() error // makes the repair; nil = a person has to make it
}

// message is a text for a finding, together with the values that were inserted into it.
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

// note, warning and problem return findings that require a manual repair.
func note(code string, what, repair message) Finding { return finding(Note, code, what, repair) }

func warning(code string, what, repair message) Finding { return finding(Warning, code, what, repair) }

func problem(code string, what, repair message) Finding { return finding(Problem, code, what, repair) }

func finding(status Status, code string, what, repair message) Finding {
	values := append(append([]string{}, what.values...), repair.values...)
	return Finding{Status: status, Code: code, What: what.text, Repair: repair.text, Values: values}
}

// Fixable reports whether Examine can repair the cause of the finding and has not done so yet.
func (f Finding) Fixable() bool { return f.fix != nil && !f.Repaired }

// Result is the result of a check with all its findings.
type Result struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Status is the status of the worst finding that has not been repaired.
	Status   Status    `json:"status"`
	Findings []Finding `json:"findings"` // never nil
}

// Installation is the input of all checks: the installation, and the facts that the
// caller has collected about it. Only Settings, Machine and Now are always set.
type Installation struct {
	Settings *setting.Settings
	// Invalid lists the errors that were found in the settings.
	Invalid []error
	// Machine is the file system of the machine, starting at its root directory.
	Machine fs.FS
	// Environ is the environment of this process in the form of os.Environ.
	Environ []string
	Now     time.Time
	// Version is the version of this program.
	Version string

	// Locked reports whether this process holds the lock of the data folder. If it does, no server
	// is running.
	Locked bool
	// Server describes the server that is running with the data folder. It is nil if there
	// is none.
	Server *Server
	// Unreachable is the reason why this process could neither lock the data folder nor
	// reach its server. It is nil if either was possible.
	Unreachable error

	// Databases contains the results of reading both database files.
	Databases []Database
	// Facts contains the facts that were collected from the server or from the data. If they
	// could not be collected, Facts is nil, and Unreachable, Databases or Invalid contains
	// the reason.
	Facts *Facts
	// Index is the reason why the search index must be rebuilt. It is nil if it need not be,
	// or if a server is running.
	Index error
}

// Server is a running server process.
type Server struct {
	PID     int
	Version string
}

// Database is the result of reading all pages of a database.
type Database struct {
	Name string
	// Err is the damage that was found, or nil.
	Err error
	// Skipped is the reason why the database was not read. It is "" if the database was read.
	Skipped string
}

// check is one named check.
type check struct {
	name, title string
	run         func(*Installation) []Finding // returns no findings if there is nothing to report
}

// Examine runs all checks. If fix is true, it also makes those repairs that cannot lose
// data.
func Examine(p *Installation, fix bool) []Result { return examine(p, checks, fix) }

// ExamineWhileServing runs the checks that a server can run on itself at any time. It
// repairs nothing and does not read the databases, but it reports damage that the server
// has already found in them.
func ExamineWhileServing(p *Installation) []Result {
	own := slices.Clone(checks)
	if p.Facts == nil || len(p.Facts.Damaged) == 0 {
		own = slices.DeleteFunc(own, func(c check) bool { return c.name == "databases" })
	}
	return examine(p, own, false)
}

// Worst returns the worst status among the results.
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

// process returns the process ID of the server, or "self" if no server is running. Checks
// examine the limits of that process.
func (p *Installation) process() string {
	if p.Server != nil {
		return strconv.Itoa(p.Server.PID)
	}
	return "self"
}
