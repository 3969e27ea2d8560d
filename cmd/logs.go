package cmd

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"svc/api/resource"
	"svc/internal/auth"
)

func (p *program) logsCommand() *cobra.Command {
	return group("logs", "Manage the logs that apps have sent", p.logsPruneCommand())
}

// pruneOptions are the flags of "svc logs prune".
type pruneOptions struct {
	before, ip   string
	level        int
	dryRun, json bool
}

func (p *program) logsPruneCommand() *cobra.Command {
	var o pruneOptions
	c := &cobra.Command{
		Use:   "prune PROJECT --before TIME",
		Short: "Delete logs of a project by time, level and address",
		Long: `Delete the logs of a project that are older than TIME, and that have the level and came
from the address, if these are given. TIME is a date such as 2026-01-31, a time such as
2026-01-31T12:00:00Z, Unix seconds, or an age such as 90d.

Logs are deleted in steps, and others can write in between. If the command is
interrupted, repeat it. To delete logs every night, set log.retention_days, or
log_retention_days of the project.`,
		Example: "  svc logs prune my-app --before 90d --dry-run\n" +
			"  svc logs prune my-app --before 2026-01-31 --level 0",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return p.pruneLogs(c, args[0], o) },
		ValidArgsFunction: func(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return completeProjects(c, args, begun)
		},
	}
	addData(c, &o.json)
	c.Flags().StringVar(&o.before, "before", "", "delete logs older than this date, time or age")
	c.Flags().IntVar(&o.level, "level", 0, "delete only this level: 0 debug, 1 info, 2 warning, 3 error (default all levels)")
	c.Flags().StringVar(&o.ip, "ip", "", "delete only what came from this address (default all addresses)")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "count, and delete nothing")
	_ = c.MarkFlagRequired("before") // fails only for an unknown flag
	return c
}

// pruneBody is the body of a request that deletes logs. A condition that the user did not give is
// nil and is not sent. An empty IP address is sent, so that the server rejects it.
type pruneBody struct {
	EndTime int64   `json:"end_time"`
	Level   *int    `json:"level,omitempty"`
	IP      *string `json:"ip,omitempty"`
	DryRun  bool    `json:"dry_run,omitempty"`
}

func (p *program) pruneLogs(c *cobra.Command, project string, o pruneOptions) error {
	before, err := pastTime("--before", o.before, time.Now())
	if err != nil {
		return err
	}
	body := pruneBody{EndTime: before.Unix(), DryRun: o.dryRun}
	if c.Flags().Changed("level") {
		body.Level = &o.level
	}
	if c.Flags().Changed("ip") {
		body.IP = &o.ip
	}
	return p.withConnection(c, func(to connection) error {
		var done resource.PrunedView
		path := "/api/v1/admin/projects/" + url.PathEscape(project) + "/logs/prune"
		if err := to.callUnlimited(c.Context(), http.MethodPost, path, body, &done); err != nil {
			return err
		}
		switch {
		case o.json:
			return printJSON(p.stdout, done)
		case o.dryRun:
			say(p.stderr, "%d logs created before %s would be deleted", done.Matched, before.Format(time.RFC3339))
		default:
			say(p.stderr, "%d logs created before %s were deleted", done.Deleted, before.Format(time.RFC3339))
		}
		return nil
	})
}

// pastTime parses the value of a flag that specifies a time in the past. The value is a date, a
// time, Unix seconds, or an age. A date means midnight in the local time zone.
func pastTime(flag, text string, now time.Time) (time.Time, error) {
	at := time.Unix(-1, 0)
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		at = time.Unix(seconds, 0)
	} else if day, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		at = day
	} else if moment, err := time.Parse(time.RFC3339, text); err == nil {
		at = moment
	} else if age, ok := auth.ParseLife(text); ok {
		at = now.Add(-age)
	}
	if at.Unix() >= 0 {
		return at, nil
	}
	return time.Time{}, withCode(exitUsage,
		fmt.Errorf("%s must be a date such as 2026-01-31, a time such as 2026-01-31T12:00:00Z, Unix seconds, or an age such as 90d", flag))
}
