package cmd

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"svc/internal/control"
)

// completionLimit is how long a shell waits for what may follow.
const completionLimit = time.Second

// completeFlags gives the flags of c and of the commands below it that name
// records the completions that a running server knows.
func (p *program) completeFlags(c *cobra.Command) {
	for flag, complete := range map[string]cobra.CompletionFunc{"project": completeProjects, "scope": completeScopes} {
		if c.Flags().Lookup(flag) != nil {
			_ = c.RegisterFlagCompletionFunc(flag, complete) // fails only for a flag that is not there
		}
	}
	for _, sub := range c.Commands() {
		p.completeFlags(sub)
	}
}

// completeProjects offers the keys of projects with their names.
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

// completeKeys offers the ids of API keys that work, with their names.
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

// completeScopes offers the scopes of API keys.
func completeScopes(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var list struct {
		Data []cobra.Completion `json:"data"`
	}
	askRunning(c, "/api/v1/auth/api-scopes", &list)
	return list.Data, cobra.ShellCompDirectiveNoFileComp
}

// askRunning asks the server that runs on the data directory of c. Without one
// nothing is completed: opening the data for it would keep others out.
func askRunning(c *cobra.Command, path string, into any) bool {
	s, err := loadShown(c)
	if err != nil {
		return false
	}
	client := control.Client(s.Data)
	defer client.CloseIdleConnections()
	// The context of c is missing while a shell asks.
	ctx, cancel := context.WithTimeout(context.Background(), completionLimit)
	defer cancel()
	return connection{client: client}.call(ctx, http.MethodGet, path, nil, into) == nil
}
