package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"svc/api/resource"
	"svc/internal/auth"
	"svc/internal/typo"
)

func (p *program) apikeyCommand() *cobra.Command {
	return group("apikey", "Manage API keys", p.apikeyCreate(), p.apikeyList(), p.apikeyRevoke(), p.apikeyRotate())
}

// apikeyOptions are the flags of "svc apikey create".
type apikeyOptions struct {
	name             string
	scopes, projects []string
	expires          string
	json             bool
}

func (p *program) apikeyCreate() *cobra.Command {
	var o apikeyOptions
	c := &cobra.Command{
		Use:   "create --name NAME",
		Short: "Create an API key and print it",
		Long: `Create an API key and print it on the standard output. The key is shown only once:
the server stores only a salted hash.`,
		Example: "  svc apikey create --data ./data --name ci --scope versions:write --project my-app\n" +
			"  svc apikey create --data ./data --name reports --scope projects:read --scope stats:read --expires never",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return p.createKey(c, o) },
	}
	addData(c, &o.json)
	c.Flags().StringVar(&o.name, "name", "", "name of the key, at most 64 characters")
	c.Flags().StringSliceVar(&o.scopes, "scope", nil, "scope of the key; repeatable (default versions:write)")
	c.Flags().StringSliceVar(&o.projects, "project", nil, "limit the key to this project; repeatable (default all projects)")
	c.Flags().StringVar(&o.expires, "expires", "30d", "lifetime of the key: a number with s, m, h or d, or never")
	_ = c.MarkFlagRequired("name") // fails only for an unknown flag
	return c
}

// newKeyBody is the body of a request that creates a key.
type newKeyBody struct {
	Name             string   `json:"name"`
	Scopes           []string `json:"scopes,omitempty"`
	Projects         []string `json:"projects,omitempty"`
	ExpiresInSeconds int64    `json:"expires_in_seconds,omitempty"`
	NeverExpires     bool     `json:"never_expires,omitempty"`
}

func (p *program) createKey(c *cobra.Command, o apikeyOptions) error {
	body := newKeyBody{Name: o.name, Scopes: o.scopes, Projects: o.projects, NeverExpires: o.expires == "never"}
	if !body.NeverExpires {
		life, err := lifetime("--expires", o.expires)
		if err != nil {
			return err
		}
		body.ExpiresInSeconds = int64(life / time.Second)
	}
	return p.withConnection(c, func(to connection) error {
		if err := checkScopes(c.Context(), to, o.scopes); err != nil {
			return err
		}
		var key resource.NewKeyView
		if err := to.call(c.Context(), http.MethodPost, "/control/api-keys", body, &key); err != nil {
			return err
		}
		if o.json {
			return printJSON(p.stdout, key)
		}
		say(p.stderr, "key %s (%s) for %s in %s, expires %s; it is shown only once:",
			key.Name, key.ID, strings.Join(key.Scopes, ", "), projectsText(key.AllProjects, key.ProjectIDs), moment(key.ExpiresAt))
		_, err := fmt.Fprintln(p.stdout, key.Token)
		return err
	})
}

// checkScopes returns an error if one of the given scopes does not exist. The error lists the
// scopes that exist.
func checkScopes(ctx context.Context, to connection, scopes []string) error {
	if len(scopes) == 0 {
		return nil
	}
	var list struct {
		Data []string `json:"data"`
	}
	if err := to.call(ctx, http.MethodGet, "/api/v1/auth/api-scopes", nil, &list); err != nil {
		return err
	}
	var errs []error
	for _, scope := range scopes {
		if slices.Contains(list.Data, scope) {
			continue
		}
		text := fmt.Sprintf("%q is not a scope", scope)
		if nearest := typo.Nearest(scope, list.Data); nearest != "" {
			text += "; did you mean " + nearest + "?"
		}
		errs = append(errs, errors.New(text))
	}
	if len(errs) == 0 {
		return nil
	}
	return errors.Join(append(errs, errors.New("scopes: "+strings.Join(list.Data, ", ")))...)
}

// keyList is the server's response to a request for all keys.
type keyList struct {
	Data []resource.KeyView `json:"data"`
}

func (p *program) apikeyList() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List API keys, newest first",
		Args:  cobra.NoArgs,
		RunE: p.connected(func(c *cobra.Command, _ []string, to connection) error {
			var list keyList
			if err := to.call(c.Context(), http.MethodGet, "/api/v1/auth/api-keys", nil, &list); err != nil {
				return err
			}
			if asJSON {
				return printJSON(p.stdout, list)
			}
			return p.printKeys(list.Data)
		}),
	}
	addData(c, &asJSON)
	return c
}

func (p *program) printKeys(list []resource.KeyView) error {
	if len(list) == 0 {
		say(p.stderr, "there are no API keys")
		return nil
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "ID\tNAME\tSTATE\tSCOPES\tPROJECTS\tEXPIRES\tLAST USED")
	for _, k := range list {
		state := "active"
		switch {
		case !k.IsActive:
			state = "revoked"
		case k.ExpiresAt != nil && *k.ExpiresAt <= time.Now().Unix():
			state = "expired"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			k.ID, k.Name, state, strings.Join(k.Scopes, ","), projectsText(k.AllProjects, k.ProjectIDs), moment(k.ExpiresAt), moment(k.LastUsedAt))
	}
	return w.Flush()
}

func (p *program) apikeyRevoke() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:               "revoke ID",
		Short:             "Revoke an API key immediately",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeKeys,
		RunE: p.connected(func(c *cobra.Command, args []string, to connection) error {
			var answer json.RawMessage
			if err := to.call(c.Context(), http.MethodDelete, "/api/v1/auth/api-keys/"+url.PathEscape(args[0]), nil, &answer); err != nil {
				return err
			}
			if asJSON {
				return printJSON(p.stdout, answer)
			}
			say(p.stderr, "key %s is revoked", args[0])
			return nil
		}),
	}
	addData(c, &asJSON)
	return c
}

func (p *program) apikeyRotate() *cobra.Command {
	var grace string
	var asJSON bool
	c := &cobra.Command{
		Use:   "rotate ID",
		Short: "Replace an API key and print the new one",
		Long: `Generate a new secret for an API key and print the new key on the standard output.
Name, scopes, projects and expiry stay the same. The old key stops working
immediately, or after --grace.`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeKeys,
		RunE:              func(c *cobra.Command, args []string) error { return p.rotateKey(c, args[0], grace, asJSON) },
	}
	addData(c, &asJSON)
	c.Flags().StringVar(&grace, "grace", "0m", "how long the old key still works, in whole minutes, such as 60m or 1d")
	return c
}

func (p *program) rotateKey(c *cobra.Command, id, grace string, asJSON bool) error {
	minutes, err := graceMinutes(grace)
	if err != nil {
		return err
	}
	return p.withConnection(c, func(to connection) error {
		var key resource.RotatedKeyView
		err := to.call(c.Context(), http.MethodPost, "/api/v1/auth/api-keys/"+url.PathEscape(id)+"/rotate",
			map[string]int64{"grace_period_minutes": minutes}, &key)
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(p.stdout, key)
		}
		ends := "no longer works"
		if key.PreviousKeyExpiresAt != nil {
			ends = "works until " + moment(key.PreviousKeyExpiresAt)
		}
		say(p.stderr, "key %s has a new secret, shown only once; the old one %s:", id, ends)
		_, err = fmt.Fprintln(p.stdout, key.Token)
		return err
	})
}

// graceMinutes parses the --grace flag and returns the value in minutes. Zero needs no unit.
func graceMinutes(text string) (int64, error) {
	switch strings.TrimLeft(text, "0") {
	case "", "s", "m", "h", "d":
		return 0, nil
	}
	wait, err := lifetime("--grace", text)
	if err == nil && wait%time.Minute != 0 {
		err = withCode(exitUsage, errors.New("--grace must be whole minutes"))
	}
	return int64(wait / time.Minute), err
}

// lifetime parses a duration flag. It rejects a bare number, because users would mean days and the
// server would read seconds.
func lifetime(flag, text string) (time.Duration, error) {
	life, ok := auth.ParseLife(text)
	if !ok || strings.TrimRight(text, "0123456789") == "" {
		return 0, withCode(exitUsage, fmt.Errorf("%s must be a whole number above 0 with s, m, h or d, such as 90s or 30d", flag))
	}
	return life, nil
}

// projectsText describes the projects that a key can access.
func projectsText(all bool, ids []string) string {
	switch {
	case all:
		return "all projects"
	case len(ids) == 0: // every project to which the key was limited has been deleted
		return "no project"
	}
	return strings.Join(ids, ",")
}

// moment formats a time in Unix seconds in the local time zone. It returns "never" for nil.
func moment(unix *int64) string {
	if unix == nil {
		return "never"
	}
	return time.Unix(*unix, 0).Format("2006-01-02 15:04")
}
