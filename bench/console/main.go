// Command console compares the console of svc with the dashboard of PocketBase. It measures both in
// Chromium, with the same rows and in the same run. It prints each figure, with its required value
// (the bar) if it has one. It needs Node.js, Chromium and assets/console/node_modules. For
// PocketBase, it also needs the Go module proxy.
//
//	go run ./bench/console [-rows N] [-events N] [-rounds N] [-parts LIST] [-dir DIR]
//
//	main.go      flags, and the order of the work
//	data.go      the data of both servers
//	servers.go   building, filling and starting both; PocketBase is in a separate module
//	report.go    the printed figures
//	measure.mjs  the steps in the browser
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
	"slices"
	"strings"
)

// parts lists the measurements in the order in which they run.
var parts = []string{"lists", "charts", "dashboard", "pages", "public"}

// bench is a run of this command.
type bench struct {
	out          io.Writer
	dir          string
	rows, events int
	rounds       int
	pocketbase   string // version; "" skips PocketBase
	parts        string
}

func main() {
	b := bench{out: os.Stdout}
	flag.IntVar(&b.rows, "rows", 1_000_000, "logs in both")
	flag.IntVar(&b.events, "events", 1_000_000, "events below the dashboard")
	flag.IntVar(&b.rounds, "rounds", 9, "rounds; figures are medians")
	flag.StringVar(&b.dir, "dir", "", "folder for programs and data, which is kept (default: a temporary one)")
	flag.StringVar(&b.parts, "parts", strings.Join(parts, ","), "what is measured; none = build and fill only")
	flag.StringVar(&b.pocketbase, "pocketbase", "v0.36.8", "version of PocketBase; empty = leave it out")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := b.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b *bench) run(ctx context.Context) (err error) {
	for _, tool := range []string{"node", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%s is missing: %w", tool, err)
		}
	}
	if _, err := os.Stat("assets/console/node_modules/@playwright/test"); err != nil {
		return errors.New("assets/console/node_modules is missing: run npm ci in assets/console")
	}
	if b.dir == "" {
		if b.dir, err = os.MkdirTemp("", "svc-bench-console-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	}
	if b.dir, err = filepath.Abs(b.dir); err != nil {
		return err
	}
	if b.parts != "none" {
		for part := range strings.SplitSeq(b.parts, ",") {
			if !slices.Contains(parts, part) {
				return fmt.Errorf("-parts must be some of %s, or none", strings.Join(parts, ","))
			}
		}
	}
	servers, err := b.servers(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, servers.stop()) }()
	if b.parts == "none" {
		return nil
	}
	assets, err := assetBytes(ctx, b.dir)
	if err != nil {
		return err
	}
	task, err := json.Marshal(map[string]any{
		"targets": servers.targets, "rounds": b.rounds, "words": words[:], "project": projectKey, "parts": strings.Split(b.parts, ","),
	})
	if err != nil {
		return err
	}
	var answer bytes.Buffer
	c := exec.CommandContext(ctx, "node", "bench/console/measure.mjs")
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(task), &answer, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("measure in the browser: %w", err)
	}
	var measured results
	if err := json.Unmarshal(answer.Bytes(), &measured); err != nil {
		return fmt.Errorf("read what was measured: %w", err)
	}
	return b.report(measured, assets)
}
