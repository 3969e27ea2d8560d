// Package cmd implements the command line. It reads the settings, starts the parts of the program
// in order, stops them in reverse order, and turns errors into exit codes.
//
// Each command has a file, named after it. Commands share: root.go (the tree and the exit codes),
// connection.go (the settings, and the running server or the lock), standby_dir.go (the directory of
// a standby), output.go (lines, JSON and progress), mistake.go (errors about command lines),
// invocation.go (the program in hints), complete.go (shell completion), log.go, topics.go (help on
// subjects), upload.go (files in chunks). The commands serve and standby also use: replication.go (the
// replica), start.go (what they print), reload.go, signals.go, shutdown.go (its limit), systemd.go,
// memory.go, geo.go, umask_unix.go.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"svc/internal/boltfile"
	"svc/internal/control"
	"svc/internal/fault"
	"svc/internal/instance"
	"svc/internal/setting"
	"svc/store"
)

// version is the version of this program. Release builds set it with
// -ldflags "-X svc/cmd.version=…".
var version = "dev"

// program holds the resources shared by all commands.
type program struct {
	stdout, stderr io.Writer
	openapi        []byte
}

// Main runs a command line and returns the exit code. args[0] is the name of the program, and
// openapi is the text that "svc openapi" prints.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer, openapi []byte) int {
	ctx, stop := watchSignals(stderr)
	defer stop()

	if self != "svc" { // "go run" deletes its program at the end, so hints must not name that path
		args = append([]string{self}, args[1:]...)
	}
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
	if mistyped := mistypedCommand(root, args[1:]); mistyped != nil {
		err = mistyped
	}
	code := exitCode(err)
	printError(stderr, err, args)
	if _, ran := errors.AsType[*runError](err); !ran && code == exitUsage {
		say(stderr, "see: %s", runnable(command.CommandPath()+" --help"))
	}
	return code
}

// Commands returns the tree of all commands. The build generates manual pages and shell completions
// from it.
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
		p.replicateCommand(),
		p.standbyCommand(),
		p.promoteCommand(),
		p.reindexCommand(),
		p.checkCommand(),
		p.compactCommand(),
		p.exportCommand(),
		p.importCommand(),
		p.filesCommand(),
		p.feedsCommand(),
		p.hooksCommand(),
		p.logsCommand(),
		p.doctorCommand(),
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
	explainHelp(root)
	root.InitDefaultCompletionCmd()
	explainMistakes(root)
	markRuns(root)
	return root
}

// group returns a command that only groups its subcommands. If the user names no subcommand, the
// command prints its help and fails.
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

// Exit codes. Scripts and service managers depend on them, so they must not change.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2   // the command line or the settings are invalid
	exitWarnings    = 3   // the work was done, with warnings
	exitNoData      = 10  // the data directory does not exist
	exitLocked      = 11  // another process holds the lock
	exitNewer       = 12  // a newer program wrote the data
	exitDamaged     = 13  // the data cannot be opened
	exitStandby     = 14  // the data belongs to a standby, which must not change it on its own
	exitHung        = 15  // the shutdown did not finish
	exitInterrupted = 130 // a signal ended the command before the work was done
)

var (
	errInterrupted = errors.New("interrupted")
	errNoCommand   = errors.New("a command is missing")
)

// exitError is an error with the exit code that it causes.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func withCode(code int, err error) error { return &exitError{code, err} }

// runError is an error from running a command. Any other error comes from parsing the command line.
type runError struct{ err error }

func (e *runError) Error() string { return e.err.Error() }
func (e *runError) Unwrap() error { return e.err }

// markRuns wraps the errors of commands in runError, so that exitCode can distinguish them from
// cobra's errors, which have no type.
func markRuns(c *cobra.Command) {
	if run := c.RunE; run != nil {
		c.RunE = func(c *cobra.Command, args []string) error {
			if err := run(c, args); err != nil {
				return &runError{err}
			}
			return nil
		}
	}
	for _, sub := range c.Commands() {
		markRuns(sub)
	}
}

func exitCode(err error) int {
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code
	}
	if _, ok := errors.AsType[setting.Errors](err); ok || errors.Is(err, instance.ErrNotFolder) {
		return exitUsage
	}
	if _, ok := errors.AsType[*instance.ForeignError](err); ok {
		return exitUsage
	}
	if _, ok := errors.AsType[*instance.OwnerError](err); ok {
		return exitUsage
	}
	if _, ok := errors.AsType[*control.HeldError](err); ok || errors.Is(err, store.ErrLocked) {
		return exitLocked
	}
	switch {
	case errors.Is(err, store.ErrNewer):
		return exitNewer
	case errors.Is(err, store.ErrDamaged):
		return exitDamaged
	}
	if _, ok := errors.AsType[*runError](err); ok {
		return exitFailed
	}
	return exitUsage
}

// printError prints the error of a command line that failed. The words of that command line are in
// args. If the error is a setting.Errors, it prints one line for each problem. For any other error,
// it prints the problem on the first line and the remedy on further lines.
func printError(w io.Writer, err error, args []string) {
	if problems, ok := errors.AsType[setting.Errors](err); ok {
		for _, problem := range problems {
			say(w, "%s", problem)
		}
		return
	}
	text := err.Error()
	if owner, ok := errors.AsType[*control.OwnerError](err); ok {
		text += "\n" + ownerHint(owner, args)
	}
	if _, ok := errors.AsType[*instance.ForeignError](err); ok {
		text += "\nuse --force to keep the data beside that, which stays as it is, or name another directory with --data"
	}
	if other, ok := errors.AsType[*instance.OwnerError](err); ok {
		text += "\nname the right directory with --data or --storage-dir; if its files belong to this data all the same: " +
			self + " files adopt --data " + quoted(other.Data)
	}
	text += diskHint(err)
	if newer, ok := errors.AsType[*boltfile.NewerError](err); ok {
		text = newerText(newer)
	}
	say(w, "%s", strings.ReplaceAll(text, "\n", "\n     "))
}

// ownerHint returns advice for an error about data that belongs to another user.
func ownerHint(e *control.OwnerError, args []string) string {
	if e.Root {
		return "files that root makes there would stop the next start; use: sudo -u " + quoted(e.Owner) + " " + strings.Join(args, " ")
	}
	number, nameless := strings.CutPrefix(e.User, "#")
	hint := "as root: chown -R " + quoted(number) + " " + quoted(e.Dir)
	if nameless { // the user has no name, as in images without a user database
		hint += "\nin a container that is the folder or volume which is mounted there; do it outside"
	}
	return hint
}

// diskHint returns advice for an error about a disk that rejects writes or about too many open
// files. For any other error, it returns "".
func diskHint(err error) string {
	switch {
	case fault.Is(fault.Disk(err), fault.NoSpace):
		return "\nmake room on that disk and try again; nothing that was stored is lost"
	case errors.Is(err, syscall.EROFS):
		return "\nit has to be mounted for writing; after an error of the disk the system itself makes it read-only, see its log"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "\nallow it more open files: ulimit -n, or LimitNOFILE= in a unit of systemd"
	}
	return ""
}

// newerText returns a message about data that a newer program has written, with advice on how to
// proceed.
func newerText(e *boltfile.NewerError) string {
	text := fmt.Sprintf("%s has format %d; this is svc %s, which reads formats %d to %d", e.Path, e.Format, version, e.Oldest, e.Newest)
	if e.Oldest == e.Newest {
		text = fmt.Sprintf("%s has format %d; this is svc %s, which reads format %d", e.Path, e.Format, version, e.Newest)
	}
	if e.Writer == "" {
		return text + "\nit was written by a newer svc; install that one"
	}
	text += fmt.Sprintf("\nit was last written by svc %s; install %s or newer", e.Writer, e.Writer)
	data := filepath.Dir(e.Path)
	if path := instance.NewestUpgradeCopy(data, e.Writer); path != "" {
		text += ", or restore the copy made\nbefore the upgrade: " + self + " restore " + quoted(path) + " --force --data " + quoted(data)
	}
	return text
}
