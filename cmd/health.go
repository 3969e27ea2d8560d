package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	apicontrol "svc/api/control"
	"svc/internal/control"
)

// healthLimit is the maximum time that the server may take to respond to a health check.
const healthLimit = 5 * time.Second

func (p *program) healthCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "health",
		Short: "Check whether the server is ready",
		Long: `Ask the server that runs on the data directory whether it is ready, and print one
line. The exit code is 0 if it is ready and 1 if it is not or does not respond, as
container health checks expect.`,
		Example: "  HEALTHCHECK CMD [\"/svc\", \"health\"]",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := p.load(c)
			if err != nil {
				return err
			}
			return p.health(c.Context(), s.Data, asJSON)
		},
	}
	addFolder(c, &asJSON)
	return c
}

func (p *program) health(ctx context.Context, dir string, asJSON bool) error {
	answer, err := askHealth(ctx, dir)
	if err != nil {
		answer.Status = "unreachable"
		err = fmt.Errorf("no server responds on %s\nstart one: %s serve --data %s", dir, self, quoted(dir))
	}
	var problems []string
	for _, check := range answer.Checks {
		if !check.OK {
			problems = append(problems, check.Name+": "+check.Message)
		}
	}
	if err == nil && answer.Status != "ready" {
		err = errors.New("not ready: " + strings.Join(problems, "; "))
	}
	if asJSON {
		return errors.Join(printJSON(p.stdout, answer), err)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.stdout, answer.Status)
	return err
}

// askHealth requests the readiness of the server over the control socket. It opens no files and
// takes no lock.
func askHealth(ctx context.Context, dir string) (answer apicontrol.Readiness, err error) {
	ctx, cancel := context.WithTimeout(ctx, healthLimit)
	defer cancel()
	client := control.Client(dir)
	defer client.CloseIdleConnections()
	response, err := connection{client: client}.send(ctx, http.MethodGet, "/readyz", nil)
	if err != nil {
		return answer, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusServiceUnavailable {
		return answer, fmt.Errorf("answered %s", response.Status)
	}
	return answer, json.NewDecoder(response.Body).Decode(&answer)
}
