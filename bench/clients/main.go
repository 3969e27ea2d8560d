// Command clients measures the costs of a client library in an app. It prints each figure with its
// required value (the bar). If there is none, it prints the figure of the bare transport, measured
// in the same run. See docs/benchmarks.md.
//
//	go run ./bench/clients [-rounds N] [library…]
//
//	main.go    flags, and the figures that are printed
//	player.go  the measured program of each library, and the server that it calls
package main

import (
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// libraries lists the measured libraries. bar is the required 99th percentile of the duration of a
// call to track.
var libraries = []struct {
	name string
	bar  float64 // maximum in µs; 0 means none
}{
	{"go", 50}, {"rust", 50}, {"typescript", 50}, {"browser", 0}, {"python", 200},
}

// bench is a run of this command.
type bench struct {
	out    io.Writer
	rounds int
	track  int // calls to track in a round
	calls  int // requests in a round
	only   []string
}

func main() {
	b := bench{out: os.Stdout}
	flag.IntVar(&b.rounds, "rounds", 3, "rounds; figures are medians")
	flag.IntVar(&b.track, "track", 4000, "calls of track in a round, 2000 a second")
	flag.IntVar(&b.calls, "calls", 500, "requests in a round")
	flag.Parse()
	b.only = flag.Args()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := b.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b *bench) run(ctx context.Context) error {
	for _, l := range libraries {
		if len(b.only) > 0 && !slices.Contains(b.only, l.name) {
			continue
		}
		if err := b.library(ctx, l.name, l.bar); err != nil {
			b.printf("%-12s skipped: %v\n", l.name, err)
		}
	}
	for _, figure := range []func(context.Context) error{b.browserSize, b.pythonImport, b.rustDependencies} {
		if err := figure(ctx); err != nil {
			b.printf("skipped: %v\n", err)
		}
	}
	return ctx.Err()
}

func (b *bench) printf(format string, a ...any) { _, _ = fmt.Fprintf(b.out, format, a...) }

// library measures calls to track while the server does not answer. It also compares a call that
// sends a request with a bare HTTP request.
func (b *bench) library(ctx context.Context, name string, bar float64) error {
	p, err := startPlayer(ctx, name)
	if err != nil {
		return err
	}
	defer p.kill()
	var track, call, bare []figures
	for range b.rounds {
		for _, m := range []struct {
			name  string
			count int
			into  *[]figures
		}{{"track", b.track, &track}, {"call", b.calls, &call}, {"bare", b.calls, &bare}} {
			f, err := p.measure(m.name, m.count)
			if err != nil {
				return err
			}
			*m.into = append(*m.into, f)
		}
	}
	line := median(track)
	b.printf("%-12s track, sends blocked: p50 %8.1f µs  p99 %8.1f µs%s\n", name, line.P50, line.P99, against(line.P99, bar))
	with, without := median(call), median(bare)
	b.printf("%-12s a call:               p50 %8.1f µs  p99 %8.1f µs, bare p50 %.1f µs  p99 %.1f µs: %.2f times at the median\n",
		"", with.P50, with.P99, without.P50, without.P99, with.P50/without.P50)
	return p.finish()
}

func against(got, bar float64) string {
	switch {
	case bar == 0:
		return ""
	case got <= bar:
		return fmt.Sprintf("  (bar %.0f)", bar)
	}
	return fmt.Sprintf("  (bar %.0f MISSED)", bar)
}

// median returns the round in the middle when the rounds are sorted by their 99th percentiles.
func median(rounds []figures) figures {
	slices.SortFunc(rounds, func(a, b figures) int { return cmp.Compare(a.P99, b.P99) })
	return rounds[len(rounds)/2]
}

// browserSize prints the size of the files for browsers: uncompressed, compressed with gzip, and
// compressed with brotli as in the repository.
func (b *bench) browserSize(context.Context) error {
	for _, name := range []string{"svc-sdk.js", "svc-sdk.global.js", "svc-sdk.transfers.js"} {
		text, err := os.ReadFile(filepath.Join("clients", "browser", name))
		if err != nil {
			return err
		}
		var packed counter
		w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		brotli := "none"
		if info, err := os.Stat(filepath.Join("clients", "browser", name+".br")); err == nil {
			brotli = fmt.Sprintf("%d%s", info.Size(), against(float64(info.Size()), 12*1024))
		}
		b.printf("%-20s %d bytes, gzip %d, brotli %s\n", name, len(text), packed, brotli)
	}
	return nil
}

// counter is a writer that counts bytes.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// pythonImport imports the library and httpx alternately and compares the times.
func (b *bench) pythonImport(ctx context.Context) error {
	const python = "clients/python/.venv/bin/python"
	if _, err := os.Stat(python); err != nil {
		return errors.New("the import in Python: clients/python/player --build makes its environment first")
	}
	took := map[string][]float64{}
	for range 5 * b.rounds {
		for _, module := range []string{"httpx", "svc_sdk"} {
			c := exec.CommandContext(ctx, python, "-c", "import "+module)
			c.Env = append(os.Environ(), "PYTHONPATH=clients/python/src")
			begin := time.Now()
			if out, err := c.CombinedOutput(); err != nil {
				return fmt.Errorf("import %s: %w: %s", module, err, out)
			}
			took[module] = append(took[module], float64(time.Since(begin).Microseconds())/1000)
		}
	}
	middle := func(module string) float64 {
		slices.Sort(took[module])
		return took[module][len(took[module])/2]
	}
	more := middle("svc_sdk") - middle("httpx")
	b.printf("import in Python:  svc_sdk %.0f ms, httpx alone %.0f ms: %.0f ms more%s\n", middle("svc_sdk"), middle("httpx"), more,
		against(more, 60))
	return nil
}

// rustDependencies counts the crates that the library adds to a program.
func (b *bench) rustDependencies(ctx context.Context) error {
	for _, features := range []string{"", "async"} {
		c := exec.CommandContext(ctx, "cargo", "tree", "--edges=normal", "--prefix=none", "--format={p}", "--locked", "--features="+features)
		c.Dir = filepath.Join("clients", "rust")
		out, err := c.Output()
		if err != nil {
			return fmt.Errorf("dependencies in Rust: %w", err)
		}
		crates := map[string]bool{}
		for line := range strings.Lines(string(out)) {
			name, _, _ := strings.Cut(strings.TrimSpace(line), " (") // the remainder of the line marks repeated crates
			crates[name] = true
		}
		delete(crates, "")
		n := float64(len(crates) - 1)
		bar := 60.0
		if features != "" {
			bar = 0 // the bar applies to the default features
		}
		b.printf("crates in Rust:    %.0f with features %q%s\n", n, "default "+features, against(n, bar))
	}
	return nil
}
