package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/api/feeds"
	"svc/internal/feed"
	"svc/internal/typo"
)

func (p *program) feedsCommand() *cobra.Command {
	return group("feeds", "Inspect the feeds for updaters", p.feedsCheck())
}

// feedsOptions are the flags of "svc feeds check".
type feedsOptions struct {
	remote
	project           string
	formats, channels []string
	json              bool
}

func (p *program) feedsCheck() *cobra.Command {
	var o feedsOptions
	c := &cobra.Command{
		Use:   "check --project KEY",
		Short: "Show what updaters are offered, and what is left out of feeds",
		Long: `Show the state of the feeds of a project, one line for each format and channel: the
state, and the version that is shown to callers without a rollout key. Below it is a
line for each problem: the version, the file, and what to do about it.

A project that uses one updater only selects it with --format. Its files may be of no
use to the others.

The exit code is 0 if the selected feeds have no problems, and 1 if one has. The API key
for --url needs the scope versions:read.`,
		Example: "  svc feeds check --data /var/lib/svc --project my-app\n" +
			"  SVC_KEY=… svc feeds check --url https://svc.example.org --project my-app --format tauri --channel stable",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return p.checkFeeds(c, o) },
	}
	addRemote(c, &o.remote, &o.json)
	c.Flags().StringVar(&o.project, "project", "", "key or alias of the project")
	c.Flags().StringSliceVar(&o.formats, "format", nil, "check this format only, such as tauri; repeatable (default all formats)")
	c.Flags().StringSliceVar(&o.channels, "channel", nil, "check this channel only; repeatable (default all channels)")
	_ = c.MarkFlagRequired("project") // fails only for an unknown flag
	return c
}

func (p *program) checkFeeds(c *cobra.Command, o feedsOptions) error {
	for _, format := range o.formats {
		if err := checkFormat(format); err != nil {
			return err
		}
	}
	return p.withServer(c, o.remote, func(to connection) error {
		var answer feeds.CheckView
		path := "/api/v1/admin/projects/" + url.PathEscape(o.project) + "/feeds"
		if err := to.call(c.Context(), http.MethodGet, path, nil, &answer); err != nil {
			return err
		}
		for _, channel := range o.channels {
			if !slices.ContainsFunc(answer.Data, func(f feeds.StateView) bool { return f.Channel == channel }) {
				return fmt.Errorf("the project has no channel %q", channel)
			}
		}
		answer.Data = slices.DeleteFunc(answer.Data, func(f feeds.StateView) bool {
			return len(o.formats) > 0 && !slices.Contains(o.formats, string(f.Format)) ||
				len(o.channels) > 0 && !slices.Contains(o.channels, f.Channel)
		})
		return p.printFeeds(answer, o.json)
	})
}

// checkFormat returns an error if there are no feeds of the given format.
func checkFormat(format string) error {
	if slices.Contains(feed.Formats, feed.Format(format)) {
		return nil
	}
	names := make([]string, len(feed.Formats))
	for i, f := range feed.Formats {
		names[i] = string(f)
	}
	text := fmt.Sprintf("%q is not a format of feeds", format)
	if nearest := typo.Nearest(format, names); nearest != "" {
		text += "; did you mean " + nearest + "?"
	}
	return withCode(exitUsage, errors.New(text+"\nformats: "+strings.Join(names, ", ")))
}

// printFeeds prints the states of feeds. It returns an error if any feed has a problem.
func (p *program) printFeeds(answer feeds.CheckView, asJSON bool) error {
	var b strings.Builder
	number, concerned := 0, 0
	for _, f := range answer.Data {
		shown := "-"
		if f.Version != nil {
			shown = *f.Version
		}
		fmt.Fprintf(&b, "%-8s  %-12s  %-16s  %s\n", f.State, f.Format, f.Channel, shown)
		for _, one := range f.Problems {
			where := one.Version
			if one.Asset != nil {
				where += ", " + *one.Asset
			}
			fmt.Fprintf(&b, "          %s: %s\n          > %s\n", where, one.Code, one.Message)
		}
		number += len(f.Problems)
		concerned += min(len(f.Problems), 1)
	}
	var err error
	if asJSON {
		err = printJSON(p.stdout, answer)
	} else {
		_, err = fmt.Fprint(p.stdout, b.String())
	}
	if number > 0 {
		err = cmp.Or(err, withCode(exitFailed, fmt.Errorf("problems in %d of %d feeds: %d", concerned, len(answer.Data), number)))
	}
	return err
}
