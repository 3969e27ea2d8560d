package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"svc/api/hooks"
)

func (p *program) hooksCommand() *cobra.Command {
	return group("hooks", "Inspect the hooks that tell others what happens", p.hooksListCommand(), p.hooksTestCommand())
}

// hooksOptions are the flags of the commands about hooks.
type hooksOptions struct {
	project string
	json    bool
}

// path returns the API path of the hooks of the project, or of the instance if project is "".
func (o hooksOptions) path() string {
	if o.project == "" {
		return "/api/v1/admin/hooks"
	}
	return "/api/v1/admin/projects/" + url.PathEscape(o.project) + "/hooks"
}

func (o *hooksOptions) add(c *cobra.Command) {
	addData(c, &o.json)
	c.Flags().StringVar(&o.project, "project", "", "key or alias of the project (default the hooks of the instance)")
}

func (p *program) hooksListCommand() *cobra.Command {
	var o hooksOptions
	c := &cobra.Command{
		Use:   "list",
		Short: "List hooks and whether they work",
		Long: `List the hooks of the instance, or of a project, one line each: the state, the kind, the
id and the name. The state is ok, new if nothing has been sent yet, failing after a
failed attempt, off if you disabled the hook, and gone or failing! if the server did,
because the receiver answered 410 or failed for too long.

The exit code is 0 if no hook is failing, and 1 if one is.`,
		Example: "  svc hooks list --data /var/lib/svc\n  svc hooks list --project my-app",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return p.listHooks(c, o) },
	}
	o.add(c)
	return c
}

// stateOf returns the state of a hook in one word, and whether it is a failure.
func stateOf(h hooks.View) (state string, failed bool) {
	switch {
	case h.DisabledReason != nil && *h.DisabledReason == "failing":
		return "failing!", true
	case h.DisabledReason != nil:
		return *h.DisabledReason, true
	case !h.Enabled:
		return "off", false
	case h.LastStatus == nil:
		return "new", false
	case *h.LastStatus >= 200 && *h.LastStatus <= 299:
		return "ok", false
	}
	return "failing", true
}

func (p *program) listHooks(c *cobra.Command, o hooksOptions) error {
	return p.withConnection(c, func(to connection) error {
		var answer hooks.ListView
		if err := to.call(c.Context(), http.MethodGet, o.path(), nil, &answer); err != nil {
			return err
		}
		var b strings.Builder
		failing := 0
		for _, h := range answer.Data {
			state, failed := stateOf(h)
			if failed {
				failing++
			}
			fmt.Fprintf(&b, "%-8s  %-7s  %s  %s\n", state, h.Kind, h.ID, h.Name)
		}
		var err error
		if o.json {
			err = printJSON(p.stdout, answer)
		} else {
			_, err = fmt.Fprint(p.stdout, b.String())
		}
		if failing > 0 {
			err = cmp.Or(err, withCode(exitFailed, fmt.Errorf("hooks that fail: %d of %d", failing, len(answer.Data))))
		}
		return err
	})
}

func (p *program) hooksTestCommand() *cobra.Command {
	var o hooksOptions
	c := &cobra.Command{
		Use:   "test ID",
		Short: "Send a test over a hook",
		Long: `Send the event hook.test over a hook of the instance, or of a project, once and now, also
if the hook is disabled. "svc hooks list" prints the ids.

The exit code is 0 if the receiver accepted the event, and 1 if not.`,
		Example: "  svc hooks test 0193a1b2-0000-7000-8000-000000000000",
		Args:    cobra.ExactArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return p.testHook(c, args[0], o) },
	}
	o.add(c)
	return c
}

func (p *program) testHook(c *cobra.Command, id string, o hooksOptions) error {
	return p.withConnection(c, func(to connection) error {
		var answer hooks.ProbeView
		if err := to.call(c.Context(), http.MethodPost, o.path()+"/"+url.PathEscape(id)+"/test", nil, &answer); err != nil {
			return err
		}
		var err error
		switch {
		case o.json:
			err = printJSON(p.stdout, answer)
		case answer.OK:
			_, err = fmt.Fprintf(p.stdout, "accepted with %d after %d ms\n", answer.Status, answer.LatencyMS)
		}
		if answer.OK {
			return err
		}
		reason := "the test failed"
		if answer.Error != nil {
			reason = *answer.Error
		}
		return cmp.Or(err, withCode(exitFailed, errors.New(reason)))
	})
}
