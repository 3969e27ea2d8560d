package cmd

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"svc/internal/control"
)

// completionLimit limits how long the shell waits for completions.
const completionLimit = time.Second

// completeFlags registers shell completions for the flags of c and its subcommands that take the
// name or id of a record. The completions come from a running server.
func (p *program) completeFlags(c *cobra.Command) {
	for flag, complete := range map[string]cobra.CompletionFunc{"project": completeProjects, "scope": completeScopes} {
		if c.Flags().Lookup(flag) != nil {
			_ = c.RegisterFlagCompletionFunc(flag, complete) // fails only for an unknown flag
		}
	}
	for _, sub := range c.Commands() {
		p.completeFlags(sub)
	}
}

// completeProjects completes project keys. The description of each key is the project's name.
func completeProjects(c *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var list struct {
		Data []struct {
			Key  string `json:"project_key"`
			Name string `json:"name"`
		} `json:"data"`
	}
	var found []cobra.Completion
	if askRunning(c, "/api/v1/admin/projects?limit=100&search="+url.QueryEscape(begun), &list) {
		for _, project := range list.Data {
			found = append(found, cobra.CompletionWithDesc(project.Key, project.Name))
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// completeKeys completes the ids of active API keys. The description of each id is the key's name.
func completeKeys(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var list keyList
	var found []cobra.Completion
	if len(args) == 0 && askRunning(c, "/api/v1/auth/api-keys", &list) {
		for _, key := range list.Data {
			if key.IsActive {
				found = append(found, cobra.CompletionWithDesc(key.ID, key.Name))
			}
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// completeScopes completes the scopes of API keys.
func completeScopes(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var list struct {
		Data []cobra.Completion `json:"data"`
	}
	askRunning(c, "/api/v1/auth/api-scopes", &list)
	return list.Data, cobra.ShellCompDirectiveNoFileComp
}

// askRunning sends a GET request for path to the server that runs on the data directory of c, and
// decodes the response into the parameter into. It returns false if this fails, for example because
// no server is running. It never opens the data itself, because that would lock out other commands.
func askRunning(c *cobra.Command, path string, into any) bool {
	s, err := loadShown(c)
	if err != nil {
		return false
	}
	client := control.Client(s.Data)
	defer client.CloseIdleConnections()
	// The context of c is nil during completion.
	ctx, cancel := context.WithTimeout(context.Background(), completionLimit)
	defer cancel()
	return connection{client: client}.call(ctx, http.MethodGet, path, nil, into) == nil
}
