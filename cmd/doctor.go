package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/api"
	"svc/internal/backup"
	"svc/internal/boltfile"
	"svc/internal/control"
	"svc/internal/doctor"
	"svc/internal/event"
	"svc/internal/origin"
	"svc/internal/setting"
	"svc/search"
	"svc/store"
)

func (p *program) doctorCommand() *cobra.Command {
	var fix, asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is wrong with an installation, and repair what is safe",
		Long: `Examine the data folder, the disk, the machine, the settings, the databases and, if
it runs, the server. Each line says ok, note, warning or problem; below a finding
stands how to repair it. With --fix what can be repaired without losing anything is
repaired: permissions, owners (as root), and what operations that were cut off have
left.

The exit code is 0 when all is well, 3 with warnings and 1 with problems. All checks
that need no readable database run without one.`,
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
	addOffline(c.Flags())
	addJSON(c, &asJSON)
	c.Flags().BoolVar(&fix, "fix", false, "repair what can be repaired without losing anything")
	return c
}

// examine learns what the checks need and runs them. Only a data directory that
// is not there is an error; everything else is a finding.
func (p *program) examine(c *cobra.Command, fix bool) ([]doctor.Result, error) {
	s, err := loadShown(c)
	invalid, ok := errors.AsType[setting.Errors](err)
	if err != nil && !ok {
		return nil, err
	}
	patient := &doctor.Patient{
		Settings: s, Invalid: invalid, Machine: os.DirFS("/"), Environ: os.Environ(), Now: time.Now(), Version: version,
	}
	err = needFolder(s.Data)
	_, foreign := errors.AsType[*control.OwnerError](err)
	if err != nil && !foreign {
		return nil, err
	}
	privateFiles()
	_, missing, err := readSecrets(s)
	if err != nil {
		patient.Invalid = append(patient.Invalid, err)
	}
	if foreign {
		return doctor.Examine(patient, fix), nil // it says whose it is
	}
	lock, server, err := reach(c.Context(), s.Data)
	switch {
	case c.Context().Err() != nil:
		return nil, err
	case err != nil:
		patient.Unreachable = err
		return doctor.Examine(patient, fix), nil
	case server != nil:
		patient.Server = &doctor.Server{Version: server.version, PID: server.held.PID}
		client := control.Client(s.Data)
		defer client.CloseIdleConnections()
		patient.Unreachable = askServer(c.Context(), connection{client: client}, patient)
		return doctor.Examine(patient, fix), nil
	}
	patient.Locked = true
	switch {
	case exists(s.Data, databaseName):
		examineFiles(c.Context(), patient, len(missing) == 0 && len(patient.Invalid) == 0)
	case !exists(s.Data, backup.JournalName): // with it a restore was cut off, as a check says
		return nil, errors.Join(noData(s.Data), lock.Release())
	}
	return doctor.Examine(patient, fix), lock.Release()
}

// askServer learns what the running server knows, and lets it read copies of its
// databases where there is room for them.
func askServer(ctx context.Context, to connection, patient *doctor.Patient) error {
	answer, err := to.call(ctx, http.MethodGet, "/control/doctor", nil)
	if err == nil {
		err = json.Unmarshal(answer, &patient.Facts)
	}
	if err != nil {
		return fmt.Errorf("the server could not be asked: %w", err)
	}
	if reason := patient.CopyObstacle(); reason != "" {
		patient.Databases = []doctor.Database{{Name: databaseName, Skipped: reason}, {Name: eventsName, Skipped: reason}}
		return nil
	}
	var pages struct{ Data []api.PagesResult }
	answer, err = to.callPatiently(ctx, http.MethodPost, "/control/doctor/pages", nil)
	if err == nil {
		err = json.Unmarshal(answer, &pages)
	}
	if err != nil {
		return fmt.Errorf("the server could not read its databases: %w", err)
	}
	for _, d := range pages.Data {
		outcome := doctor.Database{Name: d.Name}
		if d.Error != "" {
			outcome.Err = errors.New(d.Error)
		}
		patient.Databases = append(patient.Databases, outcome)
	}
	return nil
}

var errNoEvents = errors.New("events.db is missing; the next start makes an empty one")

// examineFiles reads the databases, whose lock this process holds, and learns
// what the handler knows when it can be had with the present settings. Nothing in
// the databases is changed.
func examineFiles(ctx context.Context, patient *doctor.Patient, usable bool) {
	s := patient.Settings
	events := doctor.Database{Name: eventsName, Err: errNoEvents}
	if exists(s.Data, eventsName) {
		events.Err = event.Look(filepath.Join(s.Data, eventsName))
	}
	records := doctor.Database{Name: databaseName, Err: boltfile.ExaminePages(filepath.Join(s.Data, databaseName), nil)}
	if usable && records.Err == nil {
		if records.Skipped = patient.CopyObstacle(); records.Skipped == "" {
			records.Err = askCopy(ctx, patient)
		}
	}
	patient.Databases = []doctor.Database{records, events}
}

// askCopy opens a copy of svc.db and asks the handler in this process. Opening
// the data itself, as other commands do, would bring it forward to this version,
// make secrets and throw away an index that does not fit, before anybody was
// told.
func askCopy(ctx context.Context, patient *doctor.Patient) (err error) {
	s := patient.Settings
	if err := os.MkdirAll(stagingFolder(s.Data), 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(stagingFolder(s.Data), "doctor-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, databaseName)
	if err := copyFile(path, filepath.Join(s.Data, databaseName)); err != nil {
		return err
	}
	db, err := store.Open(path, store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	patient.Index = search.Look(s.Data, db)
	handler, err := api.New(api.Config{
		DB: db, Log: slog.New(slog.DiscardHandler),
		JWTSecret: []byte(s.JWTSecret), JWTLife: time.Hour, KeySalt: []byte(s.APIKeySalt),
		Proxies: origin.Proxies{Count: s.TrustedProxyCount, Headers: s.ClientIPHeader},
	})
	if err != nil {
		return err
	}
	answer, err := connection{client: control.InProcess(handler)}.call(ctx, http.MethodGet, "/control/doctor", nil)
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, &patient.Facts)
}

// copyFile makes a file that is only read for a moment: it is not synced.
func copyFile(to, from string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, source)
	return errors.Join(err, f.Close())
}

// printResults writes a line for each check, and below it what was found.
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

// verdict is the error that stands for warnings and problems; nil when there are
// none.
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
