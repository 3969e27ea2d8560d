// Command duckdb compares the service with DuckDB. It asks both the same questions about the same
// events, alternately, and prints the times. README.md in this folder describes the comparison. The
// command needs Node.js.
package main

import (
	"bytes"
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
	"strings"

	"svc/bench/internal/workload"
)

// source is the folder of this command. The command must be started from the root of the module.
const source = "bench/duckdb"

// options are the command-line options.
type options struct {
	dir         string
	events      int
	seed        uint64
	shapes      string
	connections int
	rounds      int
	forms       bool
}

// shape is a kind of test data.
type shape struct {
	name, about string
	plan        workload.Plan
}

// shapes returns the kinds of data to measure, each with the given number of events.
func shapes(events int, seed uint64) []shape {
	plain := workload.Plan{Users: 100_000, Names: 50, Days: 30, Start: 1_767_225_600, Count: events, Seed: seed}
	visits := plain
	visits.SessionEvents, visits.Zipf = 8, true
	return []shape{
		{"plain", "sessions of 20 events, a third of the users does most", plain},
		{"visits", "sessions of 8 events, users by Zipf's law", visits},
	}
}

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "duckdb:", err)
		os.Exit(1)
	}
}

func run(args []string, out, progress io.Writer) error {
	flags := flag.NewFlagSet("duckdb", flag.ContinueOnError)
	var o options
	flags.IntVar(&o.events, "events", 1_000_000, "number of events")
	flags.Uint64Var(&o.seed, "seed", 1, "other events for another number")
	flags.StringVar(&o.dir, "dir", "", "folder to use and to keep: the databases lie in it, and are made if they do not")
	flags.StringVar(&o.shapes, "shapes", "plain,visits", "kinds of data")
	flags.IntVar(&o.connections, "connections", 128, "connections that send events")
	flags.IntVar(&o.rounds, "rounds", 7, "how often each question is asked")
	flags.BoolVar(&o.forms, "forms", false, "time every form of each question in SQL, and the best one over other types of identifiers")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.dir == "" {
		return errors.New("say with -dir where the databases are to lie")
	}
	var err error
	if o.dir, err = filepath.Abs(o.dir); err != nil {
		return err
	}
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	program, err := build(ctx, o.dir, progress)
	if err != nil {
		return err
	}
	if err := install(ctx, progress); err != nil {
		return err
	}
	var results []*result
	for _, s := range shapes(o.events, o.seed) {
		if !strings.Contains(","+o.shapes+",", ","+s.name+",") {
			continue
		}
		r, err := measure(ctx, o, s, program, progress)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		results = append(results, r)
	}
	return report(out, o, results)
}

// build builds the measured program.
func build(ctx context.Context, dir string, progress io.Writer) (program string, err error) {
	program = filepath.Join(dir, "svc")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	c := exec.CommandContext(ctx, "go", "build", "-o", program, ".")
	c.Stderr = progress
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("go build: %w", err)
	}
	return program, nil
}

// install downloads DuckDB.
func install(ctx context.Context, progress io.Writer) error {
	c := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund", "--loglevel=error")
	c.Dir, c.Stdout, c.Stderr = source, progress, progress
	if err := c.Run(); err != nil {
		return fmt.Errorf("npm ci: %w", err)
	}
	return nil
}

// measure measures the service and DuckDB on one kind of data. It creates the data if it is
// missing.
func measure(ctx context.Context, o options, kind shape, program string, progress io.Writer) (r *result, err error) {
	folder := filepath.Join(o.dir, fmt.Sprintf("%s-%d-%d", kind.name, o.events, o.seed))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	s := &service{ctx: ctx, program: program, data: filepath.Join(folder, "data"), log: filepath.Join(folder, "svc.log"), progress: progress}
	r = &result{shape: kind}
	if r.ingest, err = s.ingest(filepath.Join(folder, "ingest.json"), kind.plan, o.connections); err != nil {
		return nil, err
	}
	c := comparison{
		Events: o.events, Start: kind.plan.Start, End: kind.plan.Start + int64(kind.plan.Days)*86400 - 1,
		Folder: folder, Rounds: o.rounds, Forms: o.forms,
	}
	if _, err := os.Stat(filepath.Join(folder, "events.duckdb")); errors.Is(err, os.ErrNotExist) {
		c.CSV = filepath.Join(folder, "events.csv")
		say(progress, "%s: writing the events for DuckDB", kind.name)
		if err := writeCSV(c.CSV, kind.plan); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, os.Remove(c.CSV)) }()
	}
	if err := s.start(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if c.Key, err = s.key("events:read"); err != nil {
		return nil, err
	}
	c.Base = s.url + "/api/v1/admin/projects/" + project + "/events/"
	return r, compare(ctx, &c, r, progress)
}

// comparison is the input for compare.mjs.
type comparison struct {
	Events int    `json:"events"`
	Start  int64  `json:"start"`
	End    int64  `json:"end"`
	CSV    string `json:"csv"`    // "" if the tables already exist
	Folder string `json:"folder"` // folder of the DuckDB files
	Base   string `json:"base"`   // base URL of the project's events
	Key    string `json:"key"`
	Rounds int    `json:"rounds"`
	Forms  bool   `json:"forms"`
}

// compare runs compare.mjs in Node.js.
func compare(ctx context.Context, c *comparison, r *result, progress io.Writer) error {
	raw, err := json.Marshal(c)
	if err != nil {
		return err
	}
	var answer bytes.Buffer
	node := exec.CommandContext(ctx, "node", "compare.mjs", string(raw))
	node.Dir, node.Stdout, node.Stderr = source, &answer, progress
	if err := node.Run(); err != nil {
		return fmt.Errorf("compare.mjs: %w", err)
	}
	if err := json.Unmarshal(answer.Bytes(), r); err != nil {
		return fmt.Errorf("answer of compare.mjs: %w", err)
	}
	return nil
}

func say(out io.Writer, format string, values ...any) {
	_, _ = fmt.Fprintf(out, format+"\n", values...)
}
