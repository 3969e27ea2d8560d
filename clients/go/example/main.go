// Command notes stores notes in a file and updates itself.
//
//	notes add buy milk
//	notes list
//	notes update
//
// The environment variable SVC_URL contains the address of the server. The program is an example of
// how a small app uses this library. It announces a newer version, updates itself, counts the used
// commands if the user agrees, and reports errors.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	svcsdk "svc/clients/go"
)

// version is set by the release build: -ldflags "-X main.version=1.2.0".
var version = "0.0.0"

const project = "notes"

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "notes:", err)
		os.Exit(1)
	}
}

// app is the program and its dependencies.
type app struct {
	client *svcsdk.Client
	file   string
	out    io.Writer
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("notes", flag.ContinueOnError)
	file := flags.String("file", "notes.txt", "where the notes are")
	agree := flags.Bool("agree", false, "count anonymously what is used")
	if err := flags.Parse(args); err != nil {
		return err
	}
	client, err := svcsdk.New(os.Getenv("SVC_URL"),
		svcsdk.WithProject(project),
		svcsdk.WithAppVersion(version),
		svcsdk.WithAppIdentifier("notes/"+version),
		svcsdk.WithAnalytics(svcsdk.AnalyticsOptions{RequireConsent: true}),
	)
	if err != nil {
		return err
	}
	// Wait up to two seconds for pending events. The client stores the others for the next start.
	defer func() {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		_ = client.Close(ctx)
	}()
	defer client.Logs.Install(nil)()
	defer client.Logs.Recover()
	if *agree {
		client.Public.GrantConsent()
	}
	a := &app{client: client, file: *file, out: out}
	err = a.do(ctx, flags.Arg(0), flags.Args())
	client.Logs.Capture(err, nil)
	return err
}

func (a *app) do(ctx context.Context, command string, args []string) error {
	a.client.Public.Track("command", map[string]any{"name": command})
	switch command {
	case "add":
		return errors.Join(a.hint(ctx), a.add(strings.Join(args[1:], " ")))
	case "list":
		return errors.Join(a.hint(ctx), a.list())
	case "update":
		return a.update(ctx)
	case "version":
		_, err := fmt.Fprintln(a.out, version)
		return err
	}
	return errors.New("usage: notes add TEXT | list | update | version")
}

func (a *app) add(note string) error {
	file, err := os.OpenFile(a.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(file, note)
	return errors.Join(err, file.Close())
}

func (a *app) list() error {
	file, err := os.Open(a.file)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		if _, err := fmt.Fprintf(a.out, "%d. %s\n", n, lines.Text()); err != nil {
			return err
		}
	}
	return lines.Err()
}

// hint prints a message if there is a newer version. It ignores connection errors. It asks the
// server at most once in six hours, because the client remembers the response.
func (a *app) hint(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	update, err := a.client.Updates.Check(ctx, nil)
	if err != nil || update.Decision == svcsdk.NoUpdate {
		return nil
	}
	_, err = fmt.Fprintf(a.out, "(%s is there: notes update)\n", update.Target.Version)
	return err
}

// update replaces the program with a newer version.
func (a *app) update(ctx context.Context) error {
	update, err := a.client.Updates.Check(ctx, &svcsdk.CheckOptions{Force: true})
	if err != nil {
		return err
	}
	if update.Decision == svcsdk.NoUpdate {
		_, err := fmt.Fprintln(a.out, "up to date")
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// Download the new program to another path, so that it is complete and verified before it
	// replaces the old one.
	fresh := filepath.Join(filepath.Dir(self), ".notes.new")
	got, err := update.Download(ctx, fresh, nil)
	if err != nil {
		return err
	}
	if !got.Verified {
		return errors.Join(errors.New("the download could not be verified"), os.Remove(fresh))
	}
	if err := replace(self, fresh); err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.out, "updated to", update.Target.Version)
	return err
}

// replace replaces the executable file self with the file fresh. It first renames the running
// executable, because Windows does not permit overwriting it.
func replace(self, fresh string) error {
	if err := os.Chmod(fresh, 0o755); err != nil {
		return err
	}
	old := self + ".old"
	if err := os.Rename(self, old); err != nil {
		return err
	}
	if err := os.Rename(fresh, self); err != nil {
		return errors.Join(err, os.Rename(old, self))
	}
	_ = os.Remove(old) // Windows keeps it until the program has ended
	return nil
}
