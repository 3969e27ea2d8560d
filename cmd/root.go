// Package cmd is the command line. It reads settings, builds the parts of the program in order,
// stops them in reverse, and turns errors into exit codes.
//
// Each command has a file, named after it. Commands share: root.go (the tree), settings.go, exit.go
// (exit codes), connection.go (to a running server, or the lock), complete.go (shell completion),
// log.go, progress.go and bar.go (progress), topics.go (help on subjects), upload.go (files in
// chunks). The serve command also uses: start.go (what it prints), reload.go, signals.go,
// shutdown.go (its limit), systemd.go, memory.go, geo.go, umask_unix.go.
package cmd

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
)

// version is set when a release is built, with -ldflags "-X svc/cmd.version=…".
var version = "dev"

// program holds the resources shared by all commands.
type program struct {
	stdout, stderr io.Writer
	openapi        []byte
}

// Main runs one command line and returns the exit code. args[0] is the name of the program; openapi
// is the text that "svc openapi" prints.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer, openapi []byte) int {
	ctx, stop := watchSignals(stderr)
	defer stop()

	p := &program{stdout: stdout, stderr: stderr, openapi: openapi}
	root := p.root()
	root.SetArgs(args[1:])
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = withCode(exitInterrupted, errInterrupted)
	}
	code := exitCode(err)
	printError(stderr, err, args)
	if _, ran := errors.AsType[*runError](err); !ran && code == exitUsage {
		say(stderr, "see: %s --help", command.CommandPath())
	}
	return code
}

// Commands returns the tree of all commands, from which the build generates manual pages and
// completions.
func Commands() *cobra.Command { return (&program{}).root() }

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "svc",
		Short: "Publish releases and tell apps whether they must update",
		Long: `svc is a self-hosted server for the apps you publish: CI publishes releases to it,
and apps ask it whether they must update. Start it with "svc serve". Every other
command works whether or not the server is running.`,
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetVersionTemplate("svc {{.Version}}\n")
	root.AddCommand(
		p.serveCommand(),
		p.demoCommand(),
		p.apikeyCommand(),
		p.adminCommand(),
		p.backupCommand(),
		p.restoreCommand(),
		p.reindexCommand(),
		p.checkCommand(),
		p.compactCommand(),
		p.exportCommand(),
		p.importCommand(),
		p.filesCommand(),
		p.logsCommand(),
		p.doctorCommand(),
		p.benchCommand(),
		p.configCommand(),
		p.openapiCommand(),
		p.versionCommand(),
		p.healthCommand(),
		p.statusCommand(),
		p.jobCommand(),
	)
	root.AddCommand(topicCommands()...)
	p.completeFlags(root)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	markRuns(root)
	return root
}

// group returns a command that only has subcommands.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			c.SetOut(c.ErrOrStderr())
			return errors.Join(withCode(exitUsage, errNoCommand), c.Help())
		},
	}
	c.AddCommand(commands...)
	return c
}
