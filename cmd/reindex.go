package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	apicontrol "svc/api/control"
)

func (p *program) reindexCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "reindex",
		Short: "Rebuild the search index",
		Long: `Rebuild the search index from the data. Searches use the old index until the new one
is complete and replaces it.

This is never needed in normal operation: the server keeps the index up to date, and
rebuilds it when it is missing or damaged.`,
		Args: cobra.NoArgs,
		RunE: p.connected(func(c *cobra.Command, _ []string, to connection) error { return p.reindex(c, to, asJSON) }),
	}
	addData(c, &asJSON)
	return c
}

// reindex asks the server for a new search index and waits until it is complete, without a time
// limit.
func (p *program) reindex(c *cobra.Command, to connection, asJSON bool) error {
	response, err := to.open(c.Context(), http.MethodPost, "/control/reindex", nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var line apicontrol.ReindexProgress
	for lines := json.NewDecoder(response.Body); !line.Done; {
		if err := lines.Decode(&line); err != nil {
			return fmt.Errorf("the server did not finish the index: %w", err)
		}
		if line.Error != "" {
			return errors.New(line.Error)
		}
		if !line.Done && isTerminal(p.stderr) {
			say(p.stderr, "%d read after %.0f s", line.Documents, line.Seconds)
		}
	}
	if asJSON {
		return printJSON(p.stdout, line)
	}
	say(p.stderr, "the search index is new: %d projects, versions, announcements and blocks of feedback and logs, in %.1f s", line.Documents,
		line.Seconds)
	return nil
}
