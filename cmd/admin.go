package cmd

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"
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
		RunE: func(c *cobra.Command, _ []string) error {
			return p.withConnection(c, func(to connection) error {
				answer, err := to.call(c.Context(), http.MethodPost, "/control/admin/reset-password", nil)
				if err != nil {
					return err
				}
				return p.printLogin(answer, asJSON)
			})
		},
	}
	addOffline(c.Flags())
	addJSON(c, &asJSON)
	return c
}

func (p *program) printLogin(answer []byte, asJSON bool) error {
	var login struct {
		Username string `json:"username"`
		Password string `json:"password"`
		File     string `json:"file"`
	}
	if err := json.Unmarshal(answer, &login); err != nil {
		return fmt.Errorf("read response: %w", err)
	}
	login.File = absolute(login.File)
	if asJSON {
		return printJSON(p.stdout, login)
	}
	if isTerminal(p.stderr) {
		say(p.stderr, "log in as %s with this password, also in %s:", login.Username, login.File)
		_, err := fmt.Fprintln(p.stdout, login.Password)
		return err
	}
	say(p.stderr, "log in as %s with the password in %s", login.Username, login.File)
	return nil
}
