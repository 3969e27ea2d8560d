package cmd

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var update = flag.Bool("update", false, "write the golden files")

const cliHead = "# Command line\n" + `
Every command that needs data names the data directory with ` + "`--data`" + ` and works
while the server runs and while it does not: beside a running server it goes
through the control socket in the directory, otherwise it opens the data itself.
Data goes to the standard output, messages go to the standard error. ` + "`--json`" + ` output and
exit codes are for scripts and stay as they are.

| Exit code | Meaning |
|---|---|
| 0 | done |
| 1 | failed; the reason is on the standard error |
| 2 | the command line or a setting is wrong |
| 3 | done, with warnings |
| 10 | there is no data directory |
| 11 | another process has the data directory and does not answer, or a second server was started on it |
| 12 | a newer program wrote the data |
| 13 | the data cannot be opened: it is damaged, or its events are from before the first release |
| 14 | the data directory belongs to a standby, and the command would change its data |
| 15 | a shutdown did not finish in time; no acknowledged write is lost |
| 130 | interrupted before the work was done |
`

// TestCommandLineDocumentation compares docs/cli.md with the help texts.
func TestCommandLineDocumentation(t *testing.T) {
	t.Parallel()
	var want bytes.Buffer
	want.WriteString(cliHead)
	writeHelp(t, &want, (&program{}).root())
	const path = "../docs/cli.md"
	if *update {
		if err := os.WriteFile(path, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is not what the commands say; run: go test ./cmd -update", path)
	}
}

// writeHelp writes the help texts of c and its subcommands. It omits cobra's text about each shell.
func writeHelp(t *testing.T, out *bytes.Buffer, c *cobra.Command) {
	t.Helper()
	if c.Name() == "help" || c.IsAdditionalHelpTopicCommand() {
		return
	}
	var help bytes.Buffer
	c.SetOut(&help)
	if err := c.Help(); err != nil {
		t.Fatal(err)
	}
	_, _ = fmt.Fprintf(out, "\n## %s\n\n```\n%s\n```\n", c.CommandPath(), strings.TrimSpace(help.String()))
	if c.Name() == "completion" {
		return
	}
	for _, sub := range c.Commands() {
		writeHelp(t, out, sub)
	}
}

// TestEveryCommandIsDescribed checks that every command has a short description.
func TestEveryCommandIsDescribed(t *testing.T) {
	t.Parallel()
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		if c.Short == "" {
			t.Errorf("%s has no short description", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit((&program{}).root())
}
