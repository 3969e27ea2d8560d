package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/internal/datadir"
	"svc/internal/instance"
)

// changing lists the commands that change the data. On the data directory of a standby, they work only
// through a running server that accepts writes: a change of its own would make the standby differ from
// its primary. Commands that write only what each directory has for itself, such as the search index, are
// not in the list.
var changing = []string{
	"admin reset-password",
	"apikey create", "apikey revoke", "apikey rotate",
	"files adopt", "files rm", "files upload",
	"hooks test",
	"import",
	"job run",
	"logs prune",
}

// isChanging reports whether a command is one of the changing commands.
func isChanging(c *cobra.Command) bool {
	_, path, _ := strings.Cut(c.CommandPath(), " ")
	return slices.Contains(changing, path)
}

// refuseStandby returns an error with exitStandby if a data directory belongs to a standby.
func refuseStandby(dir string) error {
	if !instance.Has(dir, datadir.Standby) {
		return nil
	}
	return withCode(exitStandby, fmt.Errorf("%s belongs to a standby, which gets all changes from its primary\n"+
		"make the change there, or make this the primary: %s promote --data %s", dir, self, quoted(dir)))
}
