// Command duckdb asks the service and DuckDB the same questions about the same
// events, in turn, and prints how long each took. README.md beside it says what
// is compared and how. It needs Node.js.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"

	"svc/internal/sample"
)

// source is where this command lies in the module, in which it is started.
const source = "bench/duckdb"

// connections is how many send events to the service.
const connections = 32

// comparison is what compare.mjs reads.
type comparison struct {
	Events int    `json:"events"`
	Start  int64  `json:"start"`
	End    int64  `json:"end"`
	CSV    string `json:"csv"`    // "" = the tables are there
	Folder string `json:"folder"` // of the DuckDB files
	Base   string `json:"base"`   // URL of the events of the project
	Key    string `json:"key"`
	Rounds int    `json:"rounds"`
	Forms  bool   `json:"forms"`
	// Bytes is what an event takes in the service's file.
	Bytes float64 `json:"bytes"`
}

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "duckdb:", err)
		os.Exit(1)
	}
}

func run(args []string, out, progress io.Writer) error {
	flags := flag.NewFlagSet("duckdb", flag.ContinueOnError)
	// The numbers of "svc bench events", of which all but two are its defaults.
	plan := sample.Plan{Users: 100_000, Names: 50, Days: 30, Start: 1_767_225_600}
	flags.IntVar(&plan.Count, "events", 1_000_000, "number of events")
	flags.Uint64Var(&plan.Seed, "seed", 1, "other events for another number")
	dir := flags.String("dir", "", "folder to use and to keep: both databases lie in it, and are made if they do not")
	var c comparison
	flags.IntVar(&c.Rounds, "rounds", 7, "how often each question is asked")
	flags.BoolVar(&c.Forms, "forms", false, "time every form of each question in SQL, and the best one over other types of identifiers")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *dir == "" {
		return errors.New("say with -dir where the databases are to lie")
	}
	folder, err := filepath.Abs(filepath.Join(*dir, fmt.Sprintf("%d-%d", plan.Count, plan.Seed)))
	if err != nil {
		return err
	}
	c.Events, c.Start, c.End, c.Folder = plan.Count, plan.Start, plan.Start+int64(plan.Days)*86400-1, folder
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return measure(ctx, &c, plan, out, progress)
}

// measure fills what is not there, and lets both answer.
func measure(ctx context.Context, c *comparison, plan sample.Plan, out, progress io.Writer) (err error) {
	if err := os.MkdirAll(c.Folder, 0o700); err != nil {
		return err
	}
	s := service{ctx: ctx, program: filepath.Join(c.Folder, "program"), data: filepath.Join(c.Folder, "svc"), progress: progress}
	if runtime.GOOS == "windows" {
		s.program += ".exe"
	}
	if err := s.build(); err != nil {
		return err
	}
	if c.Bytes, err = s.fill(plan); err != nil {
		return err
	}
	if c.Key, err = s.key(); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(c.Folder, "events.duckdb")); errors.Is(err, os.ErrNotExist) {
		c.CSV = filepath.Join(c.Folder, "events.csv")
		say(progress, "writing the events for DuckDB")
		if err := writeCSV(c.CSV, plan); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.Remove(c.CSV)) }()
	}
	stopped, err := s.serve(c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopped()) }()
	return compare(ctx, c, out, progress)
}

// compare lets Node.js ask both.
func compare(ctx context.Context, c *comparison, out, progress io.Writer) error {
	install := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund", "--loglevel=error")
	install.Dir, install.Stdout, install.Stderr = source, progress, progress
	if err := install.Run(); err != nil {
		return fmt.Errorf("npm ci: %w", err)
	}
	raw, err := json.Marshal(c)
	if err != nil {
		return err
	}
	node := exec.CommandContext(ctx, "node", "compare.mjs", string(raw))
	node.Dir, node.Stdout, node.Stderr = source, out, progress
	if err := node.Run(); err != nil {
		return fmt.Errorf("compare.mjs: %w", err)
	}
	return nil
}

func say(out io.Writer, format string, values ...any) {
	_, _ = fmt.Fprintf(out, format+"\n", values...)
}
