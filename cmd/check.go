package cmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	apicontrol "svc/api/control"
	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/instance"
	"svc/internal/integrity"
	"svc/store"
)

func (p *program) checkCommand() *cobra.Command {
	var repair, digest, asJSON bool
	c := &cobra.Command{
		Use:   "check",
		Short: "Check the data for damage",
		Long: `Read every page and record of the data files, compare derived data with its source,
and compare the search index and the local files with the records. Nothing changes
without --repair.

If a server is running, it makes consistent copies in files/staging and the check
reads those. They need as much space as the data files.

Each finding is one line: severity, file, kind, location and description. "damage"
can no longer be read: restore a backup. "wrong" contradicts other data; --repair
rebuilds most of it, while no server is running. A "note" wastes some space or
corrects itself. At most 100 findings of each kind are listed.

With --digest, nothing is checked. It prints the SHA-256 of the content of each data
file and the position of both, a number that grows with every replicated change. Two
data directories with equal digests have the same data, even if the files differ.

The exit code is 0 if nothing is damaged or wrong, 1 if something is, 13 if a file
is so damaged that nothing in it can be read, and 11 if --repair finds a running
server.`,
		Example: "  svc check --data /var/lib/svc\n  svc check --data /var/lib/svc --repair\n  svc check --data /var/lib/svc --digest --json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if digest && repair {
				return withCode(exitUsage, errors.New("--digest checks nothing; leave out --repair"))
			}
			r := &checkRun{program: p, repair: repair, digest: digest, began: time.Now(), spoke: time.Now()}
			err := r.run(c)
			if digest && err == nil {
				return r.printDigest(asJSON)
			}
			if r.report == nil {
				return err
			}
			return errors.Join(err, r.print(asJSON, err == nil))
		},
	}
	c.Flags().BoolVar(&repair, "repair", false, "rebuild derived data that is wrong; no server may be running")
	c.Flags().BoolVar(&digest, "digest", false, "print a digest of each data file instead of checking it")
	addData(c, &asJSON)
	return c
}

// checkRun is one run of "svc check".
type checkRun struct {
	*program
	repair       bool
	digest       bool   // print digests instead of checking
	files        string // directory of local files
	began, spoke time.Time
	report       *integrity.Report // report of the last check; nil before the first check
	repaired     []integrity.Count // findings that the repair has repaired
	digests      instance.Digests  // the result of --digest
}

func (r *checkRun) run(c *cobra.Command) error {
	s, lock, server, err := r.findOrLock(c)
	switch {
	case err != nil:
		return err
	case r.repair && refuseStandby(s.Data) != nil:
		err = refuseStandby(s.Data)
		if lock != nil {
			err = errors.Join(err, lock.Release())
		}
		return err
	case server == nil:
		r.files = s.StorageDir
		return errors.Join(r.offline(c.Context(), s.Data), lock.Release())
	case r.repair:
		return fmt.Errorf("%w\nstop the server before a repair; without --repair the check works while it runs", server.held)
	}
	client := control.Client(s.Data)
	defer client.CloseIdleConnections()
	return r.online(c.Context(), connection{client: client})
}

// offline checks the files in the data directory dir. If r.repair is true, it also repairs them.
// The caller must hold the lock of dir.
func (r *checkRun) offline(ctx context.Context, dir string) error {
	if err := r.finishRestore(dir); err != nil {
		return err
	}
	if !instance.Has(dir, datadir.Database) {
		return noData(dir)
	}
	if r.digest {
		return r.readDigests(dir)
	}
	if _, err := instance.EmptyStaging(dir); err != nil {
		return err
	}
	if err := r.checkOffline(ctx, dir); err != nil || !r.repair {
		return err
	}
	return r.repairAll(ctx, dir)
}

// checkOffline checks the data directory dir and stores the report in r.report.
func (r *checkRun) checkOffline(ctx context.Context, dir string) error {
	r.report = integrity.NewReport(r.progress)
	return explainDamage(instance.Check(ctx, dir, r.files, r.report))
}

// explainDamage adds advice to an error about a file that cannot be read at all.
func explainDamage(err error) error {
	if errors.Is(err, store.ErrDamaged) {
		return fmt.Errorf("%w\nnothing in the file can be read; keep a copy of the data directory as it is and restore a backup", err)
	}
	return err
}

// online checks the data of a running server. The server copies the databases, and online checks
// the copies. The server itself checks the search index and the local files, because it has them
// open.
func (r *checkRun) online(ctx context.Context, to connection) (err error) {
	var copies apicontrol.CopiesResult
	if isTerminal(r.stderr) {
		say(r.stderr, "the server copies the data files")
	}
	if err := to.callUnlimited(ctx, http.MethodPost, "/control/check/copies", nil, &copies); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(copies.Folder)) }()
	if r.digest {
		return r.readDigests(copies.Folder)
	}
	r.report = integrity.NewReport(r.progress)
	if err := explainDamage(instance.CheckDatabases(ctx, copies.Folder, r.report)); err != nil {
		return err
	}
	for _, path := range []string{"/control/check/search", "/control/check/files"} {
		var found apicontrol.FindingsResult
		if err := to.callUnlimited(ctx, http.MethodPost, path, nil, &found); err != nil {
			return err
		}
		r.report.Merge(found.Findings, found.Counts)
	}
	return nil
}

// repairAll repairs the damaged data that can be rebuilt from other data, then checks again.
func (r *checkRun) repairAll(ctx context.Context, dir string) error {
	r.repaired = instance.Repairable(r.report)
	for _, c := range r.repaired {
		say(r.stderr, "repair of %d × %s in %s: %s", c.Count, c.Kind, c.File, integrity.Kinds[c.Kind].Repair)
	}
	if len(r.repaired) == 0 {
		return nil
	}
	skipped, err := instance.Repair(ctx, dir, r.report)
	for _, file := range skipped {
		say(r.stderr, "%s is not repaired: its source data cannot be read", file)
	}
	if err != nil {
		return err
	}
	return r.checkOffline(ctx, dir)
}

// progress shows the percentage that has been checked, if the output is a terminal. It updates the
// display at most every 2 seconds.
func (r *checkRun) progress(file string, done, total int64) {
	if now := time.Now(); total > 0 && now.Sub(r.spoke) >= 2*time.Second && isTerminal(r.stderr) {
		r.spoke = now
		say(r.stderr, "%s: %d %%", file, min(100*done/total, 100))
	}
}

// checkOutcome is the JSON output of "svc check".
type checkOutcome struct {
	Clean    bool                `json:"clean"`    // nothing is damaged or wrong
	Complete bool                `json:"complete"` // the check ran to its end
	Findings []integrity.Finding `json:"findings"` // at most 100 per kind and file
	Counts   []integrity.Count   `json:"counts"`
	Repaired []integrity.Count   `json:"repaired"` // findings that --repair has repaired
	Seconds  float64             `json:"seconds"`
}

// print prints the report. It returns an error if the check has found any damage or inconsistency.
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
		return nil // the caller has an error that explains why
	}
	if clean {
		if !asJSON {
			say(r.stderr, "nothing is damaged or wrong (%.1f s)", time.Since(r.began).Seconds())
		}
		return nil
	}
	return withCode(exitFailed, errors.New(r.advice()))
}

// advice summarizes the findings and tells the user how to proceed.
func (r *checkRun) advice() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the check found %d damaged and %d wrong", r.report.Number(integrity.Damage), r.report.Number(integrity.Wrong))
	repairable := false
	for _, c := range r.report.Counts() {
		about := integrity.Kinds[c.Kind]
		if about.Severity != integrity.Note {
			fmt.Fprintf(&b, "\n%d × %s in %s: %s", c.Count, c.Kind, c.File, about.Means)
			repairable = repairable || about.Repair != ""
		}
	}
	if r.report.Number(integrity.Damage) > 0 {
		b.WriteString("\nkeep a copy of the folder as it is, and restore a backup")
	}
	if repairable && !r.repair {
		b.WriteString("\nto make anew what can be derived, stop the server and use: svc check --repair")
	}
	return b.String()
}

// readDigests reads the digests of the data files in a folder.
func (r *checkRun) readDigests(folder string) (err error) {
	if r.digests, err = instance.Digest(folder); errors.Is(err, store.ErrDamaged) {
		err = fmt.Errorf("%w\nto see everything that is damaged, use: svc check", err)
	}
	return err
}

func (r *checkRun) printDigest(asJSON bool) error {
	if asJSON {
		return printJSON(r.stdout, r.digests)
	}
	_, err := fmt.Fprintf(r.stdout, "position   %d\n%-9s  %s\n%-9s  %s\n",
		r.digests.Position, datadir.Database, r.digests.Data, datadir.Events, r.digests.Events)
	return err
}

// notNil returns an empty list for nil, which JSON encodes as [] instead of null.
func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
