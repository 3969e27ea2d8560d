package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
)

// importOptions are the flags of "svc import".
type importOptions struct {
	key            string
	dryRun, newIDs bool
	json           bool
}

func (p *program) importCommand() *cobra.Command {
	var o importOptions
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Import a project from an export",
		Long: `Create a project from FILE, or from the standard input if FILE is "-": an archive
written by "svc export", or by another program in the format that docs/moving.md
describes.

The archive is verified first, and each record must satisfy the rules of the HTTP
interface. The project appears when the import is complete. If something is wrong,
or the command is interrupted, nothing has changed.

Records keep their ids. If those exist already, as in a copy of a project on the
same server, --new-ids gives the imported records new ones.`,
		Example: "  svc import --data ./data my-app.zip\n" +
			"  svc import --data ./data --key my-app-test --new-ids my-app.zip",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return p.importFile(c, args[0], o) },
	}
	addData(c, &o.json)
	c.Flags().StringVar(&o.key, "key", "", "key of the new project (default: the key of the exported project)")
	c.Flags().BoolVar(&o.newIDs, "new-ids", false, "give all records new ids with the same creation times")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "verify the archive and change nothing")
	return c
}

// importAnswer is one line of the server's response to an import. Portion is the completed part of
// the phase, from 0 to 1.
type importAnswer struct {
	Phase   string  `json:"phase"`
	Portion float64 `json:"portion"`
	importSummary
	Problems []string `json:"problems"`
	Newer    bool     `json:"newer"`
}

// importSummary is the output of "svc import --json".
type importSummary struct {
	Done       bool             `json:"done"`
	DryRun     bool             `json:"dry_run"`
	ProjectKey string           `json:"project_key"`
	Records    map[string]int64 `json:"records"`
	Repeated   int64            `json:"events_repeated"`
	Aliases    []string         `json:"aliases_taken"`
	Failed     int64            `json:"files_failed"`
	Seconds    float64          `json:"seconds"`
}

func (p *program) importFile(c *cobra.Command, file string, o importOptions) error {
	body := c.InOrStdin()
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		body = f
	}
	query := url.Values{}
	if c.Flags().Changed("key") {
		query.Set("key", o.key)
	}
	if o.dryRun {
		query.Set("dry_run", "true")
	}
	if o.newIDs {
		query.Set("new_ids", "true")
	}
	return p.withConnection(c, func(to connection) error {
		sent := &progress{to: io.Discard, say: p.progressLine("sent"), told: time.Now()}
		response, err := to.open(c.Context(), http.MethodPost, "/control/import?"+query.Encode(), io.TeeReader(body, sent))
		if err != nil {
			return err
		}
		defer response.Body.Close()
		summary, err := followImport(response.Body, p.tellPhase)
		if err != nil && c.Context().Err() != nil {
			return c.Context().Err()
		}
		if err != nil {
			return err
		}
		return p.tellImport(summary, o.json)
	})
}

// tellPhase prints the progress of an import if the standard error is a terminal.
func (p *program) tellPhase(a *importAnswer) {
	if isTerminal(p.stderr) {
		say(p.stderr, "%s, %.0f %%, %.0f s", a.Phase, 100*a.Portion, a.Seconds)
	}
}

// followImport reads the server's response to an import. It passes each line that reports progress
// to the function tell, and returns the summary from the last line.
func followImport(answer io.Reader, tell func(*importAnswer)) (importSummary, error) {
	for lines := json.NewDecoder(answer); ; {
		var line importAnswer
		if err := lines.Decode(&line); err != nil {
			return line.importSummary, fmt.Errorf("the server did not finish the import: %w", err)
		}
		switch {
		case line.Newer:
			return line.importSummary, withCode(exitNewer,
				errors.Join(append(texts(line.Problems), errors.New("import it with that version or a newer one"))...))
		case len(line.Problems) > 0:
			return line.importSummary, errors.Join(append(texts(line.Problems), errors.New("nothing was imported"))...)
		case line.Done:
			return line.importSummary, nil
		default:
			tell(&line)
		}
	}
}

func texts(list []string) []error {
	errs := make([]error, len(list))
	for i, text := range list {
		errs[i] = errors.New(text)
	}
	return errs
}

func (p *program) tellImport(s importSummary, asJSON bool) error {
	for _, alias := range s.Aliases {
		say(p.stderr, "warning: the alias %s belongs to another project and was omitted", alias)
	}
	if s.Repeated > 0 {
		say(p.stderr, "warning: %d events were skipped: other events in the archive have the same event_id", s.Repeated)
	}
	if s.Failed > 0 {
		say(p.stderr, "warning: the archive does not have the content of %d files; they are marked as failed, and their links do not work",
			s.Failed)
	}
	if asJSON {
		if s.Aliases == nil { // encode an empty list as [], not null
			s.Aliases = []string{}
		}
		return printJSON(p.stdout, s)
	}
	var records int64
	for _, name := range slices.Sorted(maps.Keys(s.Records)) {
		records += s.Records[name]
	}
	if s.DryRun {
		say(p.stderr, "project %s can be imported: %d records are valid, checked in %.1f s", s.ProjectKey, records, s.Seconds)
		return nil
	}
	say(p.stderr, "project %s is imported: %d records in %.1f s", s.ProjectKey, records, s.Seconds)
	return nil
}
