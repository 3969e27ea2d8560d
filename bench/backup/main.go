// Command backup prints two ratios: how long a backup of a data directory takes
// beside "tar | zstd -1" of the same directory, and how fast events come in while
// one backup after the other is made beside the same without backups.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"svc/api"
	"svc/internal/backup"
	"svc/internal/durable"
	"svc/internal/event"
	"svc/internal/jobs"
	"svc/internal/load"
	"svc/store"
)

// The bars: at most this many times the time of tar and zstd, at least this share
// of the events a second.
const (
	mostTime   = 2.0
	leastShare = 0.7
)

// plan is what is measured.
type plan struct {
	megabytes, events   int
	rounds, connections int
	tar, ingest         bool
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "backup:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) (err error) {
	var p plan
	flags := flag.NewFlagSet("backup", flag.ContinueOnError)
	flags.IntVar(&p.megabytes, "megabytes", 1000, "size of the data directory, filled up with local files")
	flags.IntVar(&p.events, "events", 2_000_000, "events in it")
	flags.IntVar(&p.rounds, "rounds", 3, "how often both are measured")
	flags.IntVar(&p.connections, "connections", 128, "keep-alive connections that events come over")
	flags.BoolVar(&p.tar, "tar", true, "measure beside tar and zstd")
	flags.BoolVar(&p.ingest, "ingest", true, "measure events that come in meanwhile")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "svc-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := open(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.fill(p); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "backup: %s %s/%s, %d cores\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))
	if p.tar {
		if err := s.besideTar(p, out); err != nil {
			return err
		}
	}
	if p.ingest {
		return s.besideIngest(p, out)
	}
	return nil
}

// service is what "svc serve" runs, on a directory of its own.
type service struct {
	dir, data string
	db        *store.Store
	events    *event.Engine
	archive   *jobs.Archiver
	http      *http.Server
	addr      string
	source    *source
}

func open(dir string) (s *service, err error) {
	s = &service{dir: dir, data: filepath.Join(dir, "data")}
	if err := os.MkdirAll(filepath.Join(s.data, "files", "objects"), 0o700); err != nil {
		return nil, err
	}
	if s.db, err = store.Open(filepath.Join(s.data, backup.Database), store.Options{}); err != nil {
		return nil, err
	}
	if s.events, err = event.Open(filepath.Join(s.data, backup.Events), event.Options{}); err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	s.archive = &jobs.Archiver{DB: s.db, Events: s.events, Data: s.data, Version: "bench"}
	project := store.Project{Key: "bench", Name: "Bench", CollectEvents: true, StatsRetentionDays: 365, EventRetentionDays: 365}
	if err := s.db.Update(func(tx *store.Tx) error { return tx.CreateProject(&project) }); err != nil {
		return nil, errors.Join(err, s.close())
	}
	server, err := api.New(api.Config{
		DB: s.db, Events: s.events, Log: slog.New(slog.DiscardHandler), EventClockSkew: 10 * 365 * 24 * time.Hour,
		JWTSecret: bytes.Repeat([]byte("x"), 32), JWTLife: time.Hour, KeySalt: []byte("salt"), Version: "bench",
	})
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.addr = l.Addr().String()
	s.http = &http.Server{Handler: server, ReadTimeout: 30 * time.Second}
	go func() { _ = s.http.Serve(l) }() // ends when close closes it
	return s, nil
}

func (s *service) close() error {
	if s.http != nil {
		_ = s.http.Close()
	}
	return errors.Join(s.events.Close(), s.db.Close())
}

// backUp makes one backup, as "svc backup FILE" does.
func (s *service) backUp(ctx context.Context) (size int64, took time.Duration, err error) {
	path := filepath.Join(s.dir, "svc"+backup.Suffix)
	begun := time.Now()
	err = durable.Write(path, 0o600, func(w io.Writer) error {
		_, err := s.archive.Write(ctx, w, backup.Options{Files: true})
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	took = time.Since(begun)
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, err
	}
	return info.Size(), took, os.Remove(path)
}

// besideTar measures a backup and ordinary tools in turn. The result of the tools
// is synced as well.
func (s *service) besideTar(p plan, out io.Writer) error {
	for _, tool := range []string{"tar", "zstd", "sync"} {
		if _, err := exec.LookPath(tool); err != nil {
			_, err := fmt.Fprintf(out, "  skipped: no %s on this machine\n", tool)
			return err
		}
	}
	var ratios []float64
	for range p.rounds {
		before, err := load.CPUTime()
		if err != nil {
			return err
		}
		size, ours, err := s.backUp(context.Background())
		if err != nil {
			return err
		}
		after, err := load.CPUTime()
		if err != nil {
			return err
		}
		other := filepath.Join(s.dir, "other.tar.zst")
		begun := time.Now()
		command := exec.Command("sh", "-c", `tar -C "$1" -cf - . | zstd -1 -q -o "$2"`, "sh", s.data, other)
		if text, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("tar: %w: %s", err, text)
		}
		unsynced := time.Since(begun)
		theirCPU := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
		if err := exec.Command("sync", other).Run(); err != nil {
			return err
		}
		theirs := time.Since(begun)
		info, err := os.Stat(other)
		if err != nil {
			return err
		}
		ratios = append(ratios, ours.Seconds()/unsynced.Seconds())
		_, _ = fmt.Fprintf(out, "  svc backup %5.2f s, %4d MB   tar | zstd -1 %5.2f s (%.2f s with sync), %4d MB   ratio %.2f (%.2f), of processor time %.2f\n",
			ours.Seconds(), size/1e6, unsynced.Seconds(), theirs.Seconds(), info.Size()/1e6,
			ours.Seconds()/unsynced.Seconds(), ours.Seconds()/theirs.Seconds(), (after-before).Seconds()/theirCPU.Seconds())
		if err := os.Remove(other); err != nil {
			return err
		}
	}
	median := median(ratios)
	_, err := fmt.Fprintf(out, "  median ratio %.2f; bar %.1f %s\n", median, mostTime, verdict(median <= mostTime))
	return err
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

func verdict(met bool) string {
	if met {
		return "met"
	}
	return "MISSED"
}
