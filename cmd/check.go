package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/api"
	"svc/internal/control"
	"svc/internal/event"
	"svc/internal/finding"
	"svc/search"
	"svc/store"
)

func (p *program) checkCommand() *cobra.Command {
	var repair, asJSON bool
	c := &cobra.Command{
		Use:   "check",
		Short: "Look for damage in the data",
		Long: `Look at every page and record of the data files, compare everything derived with
what it is derived from, and the search index with what can be searched. Nothing
is changed without --repair.

Beside a running server it looks at copies that the server makes of one moment in
files/staging, which takes as much room as the data files.

Each finding is a line: how bad it is, the file, the kind, where it is, and what it
is. "damage" cannot be read any more: restore a backup. "wrong" does not agree with
the rest; --repair makes most of it anew from the rest, while no server runs. A
"note" costs some space or is put right by itself. At most 100 findings of a kind
are listed.

The exit code is 0 when nothing is damaged or wrong, 1 when something is, 13 when a
file is so damaged that nothing of it can be read, and 11 for --repair beside a
server.`,
		Example: "  svc check --data /var/lib/svc\n  svc check --data /var/lib/svc --repair",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			r := &checkRun{program: p, repair: repair, began: time.Now(), spoke: time.Now()}
			err := r.run(c)
			if r.report == nil {
				return err
			}
			return errors.Join(err, r.print(asJSON, err == nil))
		},
	}
	c.Flags().BoolVar(&repair, "repair", false, "make anew what is wrong and can be derived; not beside a server")
	addOffline(c.Flags())
	addJSON(c, &asJSON)
	return c
}

// checkRun is one run of the command.
type checkRun struct {
	*program
	repair       bool
	began, spoke time.Time
	report       *finding.Report // of the last check; nil before the first
	repaired     []finding.Count // what a repair set out to put right
}

func (r *checkRun) run(c *cobra.Command) error {
	s, err := r.load(c)
	if err != nil {
		return err
	}
	for _, warning := range s.Warnings {
		say(r.stderr, "warning: %s", warning)
	}
	if err := needFolder(s.Data); err != nil {
		return err
	}
	privateFiles()
	lock, server, err := reach(c.Context(), s.Data)
	switch {
	case err != nil:
		return err
	case server == nil:
		return errors.Join(r.offline(c.Context(), s.Data), lock.Release())
	case r.repair:
		return fmt.Errorf("%w\nstop the server before a repair; without --repair the check works beside it", server.held)
	}
	if server.version != version {
		say(r.stderr, "note: the running server is svc %s, this is svc %s", server.version, version)
	}
	client := control.Client(s.Data)
	defer client.CloseIdleConnections()
	return r.online(c.Context(), connection{client: client})
}

// offline checks the files of a directory whose lock is held.
func (r *checkRun) offline(ctx context.Context, dir string) error {
	if err := r.finishRestore(dir); err != nil {
		return err
	}
	if !exists(dir, databaseName) {
		return noData(dir)
	}
	if _, err := emptyStaging(dir); err != nil {
		return err
	}
	if err := r.checkOffline(ctx, dir); err != nil || !r.repair {
		return err
	}
	return r.repairAll(ctx, dir)
}

// checkOffline makes the report of a directory.
func (r *checkRun) checkOffline(ctx context.Context, dir string) error {
	if err := r.checkFiles(ctx, dir); err != nil || !r.readable(databaseName) {
		return err
	}
	db, err := store.Open(filepath.Join(dir, databaseName), store.Options{ReadOnly: true})
	if errors.Is(err, store.ErrDamaged) {
		return nil // the report says why
	}
	if err != nil {
		return err
	}
	return errors.Join(search.Check(ctx, dir, db, r.report), db.Close())
}

// checkFiles checks both data files in a folder. The other one is looked at also
// when nothing of one can be read.
func (r *checkRun) checkFiles(ctx context.Context, dir string) error {
	r.report = finding.NewReport(r.progress)
	r.report.Begin(databaseName)
	err := store.Check(ctx, filepath.Join(dir, databaseName), r.report)
	if ctx.Err() == nil && exists(dir, eventsName) {
		r.report.Begin(eventsName)
		err = errors.Join(err, event.Check(ctx, filepath.Join(dir, eventsName), r.report))
	}
	if errors.Is(err, store.ErrDamaged) {
		return fmt.Errorf("%w\nnothing of the file can be read; keep a copy of the folder as it is, and restore a backup", err)
	}
	return err
}

// readable reports whether the records of a file could be looked at.
func (r *checkRun) readable(file string) bool {
	for _, c := range r.report.Counts() {
		if c.File == file && (c.Kind == finding.Unread || c.Kind == finding.Layout) {
			return false
		}
	}
	return true
}

// online checks copies that the server makes, and asks it for the search index,
// which it has open.
func (r *checkRun) online(ctx context.Context, to connection) (err error) {
	var copies api.CopiesResult
	if isTerminal(r.stderr) {
		say(r.stderr, "the server copies the data files")
	}
	if err := to.long(ctx, "/control/check/copies", nil, &copies); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(copies.Folder)) }()
	if err := r.checkFiles(ctx, copies.Folder); err != nil {
		return err
	}
	var index api.FindingsResult
	if err := to.long(ctx, "/control/check/search", nil, &index); err != nil {
		return err
	}
	r.report.Merge(index.Findings, index.Counts)
	return nil
}

// repairAll puts right what the report has and what can be derived, and checks
// again.
func (r *checkRun) repairAll(ctx context.Context, dir string) error {
	for _, c := range r.report.Counts() {
		if finding.Kinds[c.Kind].Repair != "" {
			r.repaired = append(r.repaired, c)
			say(r.stderr, "repair of %d × %s in %s: %s", c.Count, c.Kind, c.File, finding.Kinds[c.Kind].Repair)
		}
	}
	if len(r.repaired) == 0 {
		return nil
	}
	for file, repair := range map[string]func(context.Context, string) error{databaseName: store.Repair, eventsName: event.Repair} {
		switch {
		case !r.mends(file):
		case !r.readable(file):
			say(r.stderr, "%s is not repaired: what it is to be made from cannot be read", file)
		default:
			if err := repair(ctx, filepath.Join(dir, file)); err != nil {
				return err
			}
		}
	}
	if r.report.Of(finding.SearchIndex)+r.report.Of(finding.Feed) > 0 {
		if err := search.Remove(dir); err != nil {
			return err
		}
	}
	return r.checkOffline(ctx, dir)
}

// mends reports whether something of a file is to be put right.
func (r *checkRun) mends(file string) bool {
	for _, c := range r.repaired {
		if c.File == file {
			return true
		}
	}
	return false
}

// progress tells a person every other second how far the check is.
func (r *checkRun) progress(file string, done, total int64) {
	if now := time.Now(); total > 0 && now.Sub(r.spoke) >= 2*time.Second && isTerminal(r.stderr) {
		r.spoke = now
		say(r.stderr, "%s: %d %%", file, min(100*done/total, 100))
	}
}

// checkOutcome is the result for programs.
type checkOutcome struct {
	Clean    bool              `json:"clean"` // nothing is damaged or wrong
	Complete bool              `json:"complete"`
	Findings []finding.Finding `json:"findings"` // at most 100 of a kind and file
	Counts   []finding.Count   `json:"counts"`
	Repaired []finding.Count   `json:"repaired"` // what --repair set out to put right; findings are what is left
	Seconds  float64           `json:"seconds"`
}

// print writes the report. The error says that something is damaged or wrong.
func (r *checkRun) print(asJSON, complete bool) error {
	clean := complete && r.report.Clean()
	if asJSON {
		outcome := checkOutcome{
			Clean: clean, Complete: complete, Findings: notNil(r.report.Listed()), Counts: notNil(r.report.Counts()),
			Repaired: notNil(r.repaired), Seconds: time.Since(r.began).Seconds(),
		}
		if err := printJSON(r.stdout, outcome); err != nil {
			return err
		}
	} else {
		for _, f := range r.report.Listed() {
			if _, err := fmt.Fprintf(r.stdout, "%-6s  %s  %s  %s  %s\n", f.Severity, f.File, f.Kind, f.Where, f.What); err != nil {
				return err
			}
		}
	}
	if !complete {
		return nil // the error is known
	}
	if clean {
		if !asJSON {
			say(r.stderr, "nothing is damaged or wrong (%.1f s)", time.Since(r.began).Seconds())
		}
		return nil
	}
	return withCode(exitFailed, errors.New(r.advice()))
}

// advice says what was found and what to do.
func (r *checkRun) advice() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the check found %d damaged and %d wrong", r.report.Number(finding.Damage), r.report.Number(finding.Wrong))
	repairable := false
	for _, c := range r.report.Counts() {
		about := finding.Kinds[c.Kind]
		if about.Severity != finding.Note {
			fmt.Fprintf(&b, "\n%d × %s in %s: %s", c.Count, c.Kind, c.File, about.Means)
			repairable = repairable || about.Repair != ""
		}
	}
	if r.report.Number(finding.Damage) > 0 {
		b.WriteString("\nkeep a copy of the folder as it is, and restore a backup")
	}
	if repairable && !r.repair {
		b.WriteString("\nto make anew what can be derived, stop the server and use: svc check --repair")
	}
	return b.String()
}

// notNil is a list that is [] in JSON also when there is nothing in it.
func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
