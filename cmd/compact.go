package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"svc/api"
)

func (p *program) compactCommand() *cobra.Command {
	var always, asJSON bool
	c := &cobra.Command{
		Use:   "compact",
		Short: "Give the room of deleted data back to the disk",
		Long: `Move the data to smaller files when a quarter of a data file is free, as after a
large project was deleted or old events went. What is deleted leaves room in its
file, which is used again by what comes, so this is rarely needed.

It works beside a running server: reading goes on, and whoever writes waits until
the file is copied. Each file needs as much room on the disk as it will have. A
crash leaves the old file or the new one, whole.`,
		Example: "  svc compact --data /var/lib/svc",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return p.withConnection(c, func(to connection) error {
				var answer api.CompactResult
				if err := to.long(c.Context(), "/control/compact", map[string]bool{"always": always}, &answer); err != nil {
					return err
				}
				if asJSON {
					return printJSON(p.stdout, answer)
				}
				return p.printCompacted(answer)
			})
		},
	}
	c.Flags().BoolVar(&always, "always", false, "also when little of a file is free")
	addOffline(c.Flags())
	addJSON(c, &asJSON)
	return c
}

func (p *program) printCompacted(answer api.CompactResult) error {
	for _, f := range answer.Files {
		var err error
		if f.Compacted {
			_, err = fmt.Fprintf(p.stdout, "%s: %s, was %s, saved %s in %.1f s\n", f.File, mebibytes(f.After), mebibytes(f.Before), mebibytes(f.Before-f.After), f.Seconds)
		} else {
			_, err = fmt.Fprintf(p.stdout, "%s: %s, of which little is free; left as it is\n", f.File, mebibytes(f.Before))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
