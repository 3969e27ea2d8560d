// Command lists measures lists and searches in a project with a million logs
// and a hundred thousand feedback entries, and how the index copes with a burst.
// The reference of each line is the bar of 50 ms.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"time"

	"svc/internal/fold"
	"svc/internal/load"
	"svc/search"
	"svc/store"
)

var (
	logs     = flag.Int("logs", 1_000_000, "logs in the project")
	feedback = flag.Int("feedback", 100_000, "feedback entries in the project")
	burst    = flag.Int("burst", 200_000, "logs of the burst; 0 for none")
	runs     = flag.Int("runs", 100, "repetitions of each list")
	dir      = flag.String("dir", filepath.Join(os.TempDir(), "svc-bench-lists"), "folder of the generated data, kept for the next run")
	only     = flag.String("only", "", "measure only the list with this name")
	profile  = flag.String("profile", "", "file for a CPU profile of the lists")
)

// bar is the p99 that each list must keep.
const bar = 50 * time.Millisecond

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "lists:", err)
		os.Exit(1)
	}
}

func run() error {
	fmt.Printf("%d logs, %d feedback entries, %d CPUs\n", *logs, *feedback, runtime.NumCPU())
	folder := filepath.Join(*dir, fmt.Sprintf("%d-%d", *logs, *feedback))
	d, err := open(folder)
	if err != nil {
		return err
	}
	if err := d.fill(*logs, *feedback); err != nil {
		return err
	}
	if err := d.catchUp("index of everything"); err != nil {
		return err
	}
	if err := profiled(*profile, d.measure); err != nil {
		return err
	}
	if err := d.close(); err != nil {
		return err
	}
	if *burst > 0 && *only == "" {
		return measureBurst(filepath.Join(*dir, "burst"), *burst)
	}
	return nil
}

// data is an open store with its index.
type data struct {
	folder  string
	clock   clock
	db      *store.Store
	index   *search.Index
	project store.ProjectID
	stop    context.CancelFunc
	stopped chan struct{}
}

func open(folder string) (*data, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	d := &data{folder: folder}
	db, err := store.Open(filepath.Join(folder, "svc.db"), store.Options{Now: d.clock.now})
	if err != nil {
		return nil, err
	}
	d.db = db
	if projects := db.Projects(); len(projects) > 0 {
		d.project = projects[0].ID
		return d, nil
	}
	p := &store.Project{Key: "app", Name: "App"}
	err = db.Update(func(tx *store.Tx) error { return tx.CreateProject(p) })
	d.project = p.ID
	return d, err
}

func (d *data) close() error {
	d.stop()
	<-d.stopped
	if err := d.index.Close(); err != nil {
		return err
	}
	return d.db.Close()
}

// follow starts the index.
func (d *data) follow() (err error) {
	d.index, err = search.Open(d.folder, d.db, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	d.stop, d.stopped = stop, make(chan struct{})
	go func() {
		defer close(d.stopped)
		d.index.Run(ctx)
	}()
	return nil
}

// catchUp starts the index and waits until it has seen everything.
func (d *data) catchUp(what string) error {
	begin := time.Now()
	watch := load.WatchMemory()
	if err := d.follow(); err != nil {
		return err
	}
	for seen, ok := d.index.Seen(); !ok || seen < d.db.LastChange(); seen, ok = d.index.Seen() {
		<-time.After(time.Millisecond)
	}
	fmt.Printf("%-24s %8.1f s  %s  index %d MiB, svc.db %d MiB\n", what, time.Since(begin).Seconds(), watch(),
		size(filepath.Join(d.folder, "search.bleve"))>>20, size(filepath.Join(d.folder, "svc.db"))>>20)
	return nil
}

// measureBurst lets logs arrive as fast as the store takes them while the index
// follows.
func measureBurst(folder string, n int) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	runtime.GC()
	d, err := open(folder)
	if err != nil {
		return err
	}
	if err := d.follow(); err != nil {
		return err
	}
	watch := load.WatchMemory()
	begin := time.Now()
	if err := d.addLogs(n); err != nil {
		return err
	}
	stored := time.Since(begin)
	for seen, _ := d.index.Seen(); seen < d.db.LastChange(); seen, _ = d.index.Seen() {
		<-time.After(time.Millisecond)
	}
	fmt.Printf("burst of %d logs: stored in %.1f s, found %.1f s later, %s, index %d MiB\n", n, stored.Seconds(),
		(time.Since(begin) - stored).Seconds(), watch(), size(filepath.Join(folder, "search.bleve"))>>20)
	return d.close()
}

// profiled runs fn and writes a CPU profile of it to a file, if one is named.
func profiled(file string, fn func() error) error {
	if file == "" {
		return fn()
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return errors.Join(err, f.Close())
	}
	err = fn()
	pprof.StopCPUProfile()
	return errors.Join(err, f.Close())
}

// times are the durations of one list.
type times []time.Duration

func (t times) at(share float64) time.Duration {
	slices.Sort(t)
	return t[min(len(t)-1, int(share*float64(len(t))))]
}

func (d *data) measure() error {
	fmt.Printf("\n%-44s %9s %9s %9s %9s\n", "list", "total", "p50", "p99", "of 50 ms")
	for _, c := range d.cases() {
		if *only != "" && *only != c.name {
			continue
		}
		var t times
		var found store.Found
		for i := range *runs + 5 {
			begin := time.Now()
			var err error
			if found, err = c.list(); err != nil {
				return err
			}
			if i >= 5 {
				t = append(t, time.Since(begin))
			}
		}
		total := fmt.Sprint(found.Total)
		if found.Estimate {
			total = "<=" + total
		}
		fmt.Printf("%-44s %9s %9s %9s %9.2f\n", c.name, total, short(t.at(0.5)), short(t.at(0.99)), float64(t.at(0.99))/float64(bar))
	}
	fmt.Println()
	return nil
}

func short(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }

type listCase struct {
	name string
	list func() (store.Found, error)
}

// logList is a list of logs; text is searched for, and its words when nothing
// contains it.
func (d *data) logList(name, text string, q store.LogSelection) listCase {
	if q.Limit == 0 {
		q.Limit = 20
	}
	if q.To == 0 {
		q.To = endOfTime
	}
	return listCase{name, func() (found store.Found, err error) {
		read := func(find *store.Find) error {
			q.Find = find
			return d.db.View(func(tx *store.Tx) (err error) {
				_, found, err = tx.ListLogs(d.project, q)
				return err
			})
		}
		return found, d.find(store.KindLog, text, read, func() bool { return found.Text })
	}}
}

func (d *data) feedbackList(name, text string, q store.FeedbackSelection) listCase {
	if q.Limit == 0 {
		q.Limit = 20
	}
	return listCase{name, func() (found store.Found, err error) {
		read := func(find *store.Find) error {
			q.Find = find
			return d.db.View(func(tx *store.Tx) (err error) {
				_, found, err = tx.ListFeedback(d.project, q)
				return err
			})
		}
		return found, d.find(store.KindFeedback, text, read, func() bool { return found.Text })
	}}
}

func (d *data) find(kind store.Kind, text string, read func(*store.Find) error, found func() bool) error {
	if text == "" {
		return read(nil)
	}
	folded := fold.Text(text)
	for _, terms := range [][]string{{folded}, fold.Words(folded)} {
		n := d.index.Narrow(context.Background(), kind, d.project, terms)
		if err := read(&store.Find{Terms: terms, Narrow: n}); err != nil {
			return err
		}
		if found() {
			return nil
		}
	}
	return nil
}
