package cmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	apicontrol "svc/api/control"
	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/doctor"
	"svc/internal/instance"
	"svc/internal/setting"
)

func (p *program) doctorCommand() *cobra.Command {
	var fix, asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Diagnose an installation and make safe repairs",
		Long: `Examine the data directory, the disk, the machine, the settings, the databases and,
if it is running, the server. Each check is reported as ok, note, warning or
problem, with the remedy below a finding. --fix makes the repairs that cannot lose
data: permissions, owners (as root), and files left by interrupted operations.

The exit code is 0 if all is well, 3 with warnings and 1 with problems. Checks that
do not need a readable database run without one.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			results, err := p.examine(c, fix)
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(p.stdout, map[string][]doctor.Result{"checks": results})
			} else {
				err = p.printResults(results)
			}
			return errors.Join(err, verdict(results))
		},
	}
	addData(c, &asJSON)
	c.Flags().BoolVar(&fix, "fix", false, "make the repairs that cannot lose data")
	return c
}

// examine gathers the facts that the checks need, then runs the checks. It returns an error only if
// the data directory is missing. Any other problem is a finding.
func (p *program) examine(c *cobra.Command, fix bool) ([]doctor.Result, error) {
	s, err := loadShown(c)
	invalid, ok := errors.AsType[setting.Errors](err)
	if err != nil && !ok {
		return nil, err
	}
	installation := &doctor.Installation{
		Settings: s, Invalid: invalid, Machine: os.DirFS("/"), Environ: os.Environ(), Now: time.Now(), Version: version,
	}
	err = needFolder(s.Data)
	_, foreign := errors.AsType[*control.OwnerError](err)
	if err != nil && !foreign {
		return nil, err
	}
	privateFiles()
	_, missing, err := instance.ReadSecrets(s)
	if err != nil {
		installation.Invalid = append(installation.Invalid, err)
	}
	if foreign {
		return doctor.Examine(installation, fix), nil // one of the checks reports that the folder belongs to another user
	}
	lock, server, err := connectOrLock(c.Context(), s.Data)
	switch {
	case c.Context().Err() != nil:
		return nil, err
	case err != nil:
		installation.Unreachable = err
		return doctor.Examine(installation, fix), nil
	case server != nil:
		installation.Server = &doctor.Server{Version: server.version, PID: server.held.PID}
		client := control.Client(s.Data)
		defer client.CloseIdleConnections()
		installation.Unreachable = askServer(c.Context(), connection{client: client}, installation)
		return doctor.Examine(installation, fix), nil
	}
	installation.Locked = true
	switch {
	case instance.Has(s.Data, datadir.Database):
		var salt []byte
		if len(missing) == 0 && len(installation.Invalid) == 0 {
			salt = []byte(s.APIKeySalt)
		}
		instance.Examine(installation, salt)
	case !instance.Has(s.Data, datadir.Journal): // a journal without a database means an interrupted restore, which a check reports
		return nil, errors.Join(noData(s.Data), lock.Release())
	}
	return doctor.Examine(installation, fix), lock.Release()
}

// askServer gathers the facts known to the running server. The server reads copies of its databases
// if there is enough space for them.
func askServer(ctx context.Context, to connection, installation *doctor.Installation) error {
	if err := to.call(ctx, http.MethodGet, "/control/doctor", nil, &installation.Facts); err != nil {
		return fmt.Errorf("query the server: %w", err)
	}
	if reason := installation.CopyObstacle(); reason != "" {
		installation.Databases = []doctor.Database{{Name: datadir.Database, Skipped: reason}, {Name: datadir.Events, Skipped: reason}}
		return nil
	}
	var pages struct{ Data []apicontrol.PagesResult }
	if err := to.callUnlimited(ctx, http.MethodPost, "/control/doctor/pages", nil, &pages); err != nil {
		return fmt.Errorf("the server cannot read its databases: %w", err)
	}
	for _, d := range pages.Data {
		outcome := doctor.Database{Name: d.Name}
		if d.Error != "" {
			outcome.Err = errors.New(d.Error)
		}
		installation.Databases = append(installation.Databases, outcome)
	}
	return nil
}

// printResults writes a line for each check, followed by its findings.
func (p *program) printResults(results []doctor.Result) error {
	var b strings.Builder
	for _, r := range results {
		fmt.Fprintf(&b, "%-8s %s\n", r.Status, r.Title)
		for _, f := range r.Findings {
			fmt.Fprintf(&b, "         %s\n", f.What)
			if f.Repaired {
				b.WriteString("         repaired\n")
				continue
			}
			fmt.Fprintf(&b, "         > %s\n", f.Repair)
		}
	}
	_, err := fmt.Fprint(p.stdout, b.String())
	return err
}

// verdict returns an error that counts the warnings and problems, or nil if there are none.
func verdict(results []doctor.Result) error {
	counts := map[doctor.Status]int{}
	repairable := false
	for _, r := range results {
		counts[r.Status]++
		repairable = repairable || slices.ContainsFunc(r.Findings, doctor.Finding.Fixable)
	}
	code := exitWarnings
	text := fmt.Sprintf("checks with warnings: %d", counts[doctor.Warning])
	if n := counts[doctor.Problem]; n > 0 {
		code = exitFailed
		text = fmt.Sprintf("checks with problems: %d, with warnings: %d", n, counts[doctor.Warning])
	} else if counts[doctor.Warning] == 0 {
		return nil
	}
	if repairable {
		text += "\nrepair what is safe to repair with --fix"
	}
	return withCode(code, errors.New(text))
}
