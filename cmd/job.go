package cmd

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	apicontrol "svc/api/control"
)

func (p *program) jobCommand() *cobra.Command {
	return group("job", "List or run scheduled jobs", p.jobListCommand(), p.jobRunCommand())
}

func (p *program) jobListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List scheduled jobs and their last runs",
		Long: `List the scheduled jobs of the server, when each last ran, how long it took and why
it failed. The last run of each job survives a restart.`,
		Args: cobra.NoArgs,
		RunE: p.connected(func(c *cobra.Command, _ []string, to connection) error {
			var list struct {
				Data []apicontrol.JobStatus `json:"data"`
			}
			if err := to.call(c.Context(), http.MethodGet, "/control/jobs", nil, &list); err != nil {
				return err
			}
			if asJSON {
				return printJSON(p.stdout, list)
			}
			return printJobs(p.stdout, list.Data)
		}),
	}
	addData(c, &asJSON)
	return c
}

func (p *program) jobRunCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "run NAME",
		Short:   "Run a scheduled job now",
		Long:    `Run a scheduled job now, whether or not it is due, and wait until it is done.`,
		Example: "  svc job run retention",
		Args:    cobra.ExactArgs(1),
		RunE: p.connected(func(c *cobra.Command, args []string, to connection) error {
			var j apicontrol.JobStatus
			err := to.callUnlimited(c.Context(), http.MethodPost, "/control/jobs/"+url.PathEscape(args[0]), nil, &j)
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(p.stdout, j)
			}
			if j.LastError != "" {
				return errors.Join(err, fmt.Errorf("the job %s failed after %.1f s: %s", j.Name, j.LastSeconds, j.LastError))
			}
			say(p.stderr, "the job %s took %.1f s", j.Name, j.LastSeconds)
			return err
		}),
	}
	addData(c, &asJSON)
	return c
}

func printJobs(out io.Writer, list []apicontrol.JobStatus) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "NAME\tLAST RUN\tWHAT IT DOES")
	for _, j := range list {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", j.Name, jobText(j), j.About)
	}
	return w.Flush()
}

// jobText describes when a job last ran and how it ended.
func jobText(j apicontrol.JobStatus) string {
	switch {
	case j.Running:
		return "runs now"
	case j.LastRun == nil:
		return "never"
	}
	text := fmt.Sprintf("%s, %.1f s", time.Unix(*j.LastRun, 0).Format(time.DateTime), j.LastSeconds)
	if j.LastError != "" {
		text += ", failed: " + j.LastError
	}
	return text
}
