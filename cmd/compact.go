package cmd

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	apicontrol "svc/api/control"
)

func (p *program) compactCommand() *cobra.Command {
	var always, asJSON bool
	c := &cobra.Command{
		Use:   "compact",
		Short: "Return free space in the data files to the disk",
		Long: `Rewrite each data file of which at least a quarter is free, for example after a
large project was deleted or old events expired. Deleted data leaves free space in
its file, which new data reuses, so this is rarely needed.

It works while the server runs: reads continue, and writes wait until the file is
copied. Each file needs free disk space for its new copy. A crash leaves either the
old file or the new one, complete. In a file that is not rewritten, free pages are
overwritten with zeros, so that deleted data is gone in either case. A damaged file is
not changed, and the exit code is 13.`,
		Example: "  svc compact --data /var/lib/svc",
		Args:    cobra.NoArgs,
		RunE: p.connected(func(c *cobra.Command, _ []string, to connection) error {
			var answer apicontrol.CompactResult
			if err := to.callUnlimited(c.Context(), http.MethodPost, "/control/compact", map[string]bool{"always": always}, &answer); err != nil {
				return err
			}
			if asJSON {
				return errors.Join(printJSON(p.stdout, answer), answerDamage(answer))
			}
			return errors.Join(p.printCompacted(answer), answerDamage(answer))
		}),
	}
	c.Flags().BoolVar(&always, "always", false, "rewrite files even if little of them is free")
	addData(c, &asJSON)
	return c
}

// answerDamage returns an error that names the damaged files in the server's response, or nil if
// there are none.
func answerDamage(answer apicontrol.CompactResult) (err error) {
	for _, f := range answer.Files {
		if f.Damage != "" {
			err = errors.Join(err, fmt.Errorf("%s\nkeep a copy of the data directory as it is, see svc check, and restore a backup", f.Damage))
		}
	}
	if err == nil {
		return nil
	}
	return withCode(exitDamaged, err)
}

func (p *program) printCompacted(answer apicontrol.CompactResult) error {
	for _, f := range answer.Files {
		var err error
		switch {
		case f.Damage != "":
			_, err = fmt.Fprintf(p.stdout, "%s: damaged; not rewritten\n", f.File)
		case f.Compacted:
			_, err = fmt.Fprintf(p.stdout, "%s: %s, was %s, saved %s in %.1f s\n", f.File, mebibytes(f.After), mebibytes(f.Before),
				mebibytes(f.Before-f.After), f.Seconds)
		default:
			_, err = fmt.Fprintf(p.stdout, "%s: %s, little of it free; not rewritten\n", f.File, mebibytes(f.Before))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
