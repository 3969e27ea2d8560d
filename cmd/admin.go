package cmd

import (
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"svc/api/resource"
)

func (p *program) adminCommand() *cobra.Command {
	return group("admin", "Manage the administrator", p.resetPasswordCommand())
}

func (p *program) resetPasswordCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "reset-password",
		Short: "Reset the administrator's password",
		Long: `Reset the administrator to the user name "admin" and a new, generated password.
All sessions end. The password is written to svc.bootstrap-admin.txt, which the
next login deletes. It is also printed with --json, or when the standard output is a
terminal; output that goes anywhere else is often kept.`,
		Args: cobra.NoArgs,
		RunE: p.connected(func(c *cobra.Command, _ []string, to connection) error {
			var login resource.ResetView
			if err := to.call(c.Context(), http.MethodPost, "/control/admin/reset-password", nil, &login); err != nil {
				return err
			}
			login.File = absolute(login.File)
			return p.printLogin(login, asJSON)
		}),
	}
	addData(c, &asJSON)
	return c
}

func (p *program) printLogin(login resource.ResetView, asJSON bool) error {
	if asJSON {
		return printJSON(p.stdout, login)
	}
	if isTerminal(p.stdout) {
		say(p.stderr, "log in as %s with this password, also in %s:", login.Username, login.File)
		_, err := fmt.Fprintln(p.stdout, login.Password)
		return err
	}
	say(p.stderr, "log in as %s with the password in %s", login.Username, login.File)
	return nil
}
