// Command bench measures svc and compares it with reference programs in the same run. Many figures
// have a required value, which is called the bar. The server is "svc serve", which runs as a
// separate process with default settings, except that it has no rate limit. This process generates
// the load. References are separate processes on the same disk. Compared programs run alternately,
// and figures are medians. See docs/benchmarks.md.
//
//	go run ./bench [flags] [name…]
//
//	main.go         flags, and the list of suites
//	compare.go      contenders, which run alternately
//	reference.go    the reference processes
//	report.go       tables of figures
//	updatecheck.go  update checks
//	feeds.go        feeds of updaters and readers
//	submissions.go  feedback and logs
//	ingest.go       batches of events
//	questions.go    the size of events on disk, and queries about them
//	large.go        lists of large projects
//	backup.go       backups, and requests during backups
//	replica.go      the cost of a replica, snapshots and restores
//	standby.go      standbys, and promotions
//	files.go        uploads and downloads of files
//	codehost.go     requests while a code host hangs
//	nginx.go        nginx, the reference for downloads
//	footprint.go    start, memory and size
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"svc/internal/testutil/server"
)

// suite is a run of this command.
type suite struct {
	ctx     context.Context
	out     io.Writer
	dir     string // temporary folder that contains all other files
	program server.Program

	rounds                 int           // rounds of each comparison
	each                   time.Duration // duration of runs that have no fixed number of requests
	submissions, burst     int           // logs sent in a round, and logs sent at once to measure the search index
	batchEvents            int           // events sent in a round
	events, logs, feedback int
	megabytes              int           // size of the data directory that is backed up
	followed               time.Duration // load that a promotion applies
	download, upload, slow int           // sizes of files in MiB, and the number of slow downloads

	tables []table
}

// table is the result of a benchmark.
type table struct {
	title string
	rows  []row
}

// benchmarks lists all benchmarks in the order in which they run.
var benchmarks = []struct {
	name string
	run  func(*suite) error
}{
	{"footprint", (*suite).footprint},
	{"updatecheck", (*suite).updateChecks},
	{"feeds", (*suite).feeds},
	{"submissions", (*suite).logSubmissions},
	{"ingest", (*suite).ingest},
	{"large", (*suite).large},
	{"backup", (*suite).backup},
	{"replica", (*suite).replica},
	{"files", (*suite).files},
	{"codehost", (*suite).codeHost},
}

func main() {
	var err error
	if len(os.Args) > 1 && os.Args[1] == "reference" {
		err = runReference(os.Args[2:])
	} else {
		err = run(os.Args[1:], os.Stdout)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) (err error) {
	s := &suite{out: out}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.IntVar(&s.rounds, "rounds", 5, "rounds of each comparison")
	flags.DurationVar(&s.each, "each", 2*time.Second, "time of update checks and downloads in a round")
	flags.IntVar(&s.submissions, "submissions", 60_000, "logs sent in a round; of long ones a tenth")
	flags.IntVar(&s.burst, "burst", 200_000,
		"logs (of long ones a tenth) sent at once before the time is taken until the search index has them")
	flags.IntVar(&s.batchEvents, "round-events", 200_000, "events sent in a round")
	flags.IntVar(&s.events, "events", 10_000_000, "events that questions are about, in each shape; large has them too")
	flags.IntVar(&s.logs, "logs", 1_000_000, "logs in the large data directory; a tenth as many feedback entries")
	flags.IntVar(&s.megabytes, "megabytes", 1000, "size of the data directory that is backed up and replicated")
	flags.DurationVar(&s.followed, "followed", time.Minute, "time of load that a promotion of a standby applies")
	flags.IntVar(&s.download, "download", 1024, "size of the file that is downloaded, in MiB")
	flags.IntVar(&s.upload, "upload", 1024, "size of the file that is uploaded, in MiB; at most 4096")
	flags.IntVar(&s.slow, "slow", 1000, "slow downloads at the same time")
	parent := flags.String("dir", diskDir(), "folder on the disk that is measured; everything is in a temporary folder in it")
	limit := flags.Duration("timeout", time.Hour, "time after which the run is given up")
	if err := flags.Parse(args); err != nil {
		return err
	}
	s.feedback = s.logs / 10
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()
	s.ctx = ctx
	if s.dir, err = os.MkdirTemp(*parent, "svc-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(s.dir)) }()
	return s.run(flags.Args())
}

// diskDir returns a folder on a disk for temporary files. The default folder is in memory on many
// systems.
func diskDir() string {
	const dir = "/var/tmp"
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return dir
	}
	return os.TempDir()
}

// run runs the named benchmarks. Without names, it runs all of them.
func (s *suite) run(names []string) error {
	for _, name := range names {
		if !slices.ContainsFunc(benchmarks, func(b struct {
			name string
			run  func(*suite) error
		}) bool {
			return b.name == name
		}) {
			return fmt.Errorf("there is no benchmark %q", name)
		}
	}
	_, _ = fmt.Fprintf(s.out, "svc beside references, %s %s/%s, %d cores, in %s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH,
		runtime.NumCPU(), s.dir)
	var err error
	if s.program, err = server.Find(s.ctx, s.dir); err != nil {
		return err
	}
	for _, b := range benchmarks {
		if len(names) > 0 && !slices.Contains(names, b.name) {
			continue
		}
		begin := time.Now()
		if err := b.run(s); err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
		_, _ = fmt.Fprintf(s.out, "  %s took %.0f s\n", b.name, time.Since(begin).Seconds())
	}
	return s.summary()
}

// print prints a table and stores it for the summary.
func (s *suite) print(title string, rows []row) error {
	s.tables = append(s.tables, table{title, rows})
	return printTable(s.out, title, rows)
}

// summary prints how many figures met their required values, which are called bars, and the names
// of the figures that did not.
func (s *suite) summary() error {
	bars, missed := 0, []string{}
	for _, t := range s.tables {
		for _, r := range t.rows {
			if r.bar == 0 {
				continue
			}
			bars++
			if !r.met() {
				name, _, _ := strings.Cut(t.title, ":")
				missed = append(missed, fmt.Sprintf("  MISSED  %s, %s: %s, bar %s", name, r.what, number(r.value()), number(r.bar)))
			}
		}
	}
	_, err := fmt.Fprintf(s.out, "\n%d of %d bars met\n%s", bars-len(missed), bars, lines(missed))
	return err
}

func lines(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return strings.Join(all, "\n") + "\n"
}

// folder returns a path below the temporary folder.
func (s *suite) folder(name string) string { return filepath.Join(s.dir, name) }
