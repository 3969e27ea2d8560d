package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"svc/bench/internal/loadgen"
	"svc/bench/internal/workload"
	"svc/internal/datadir"
	"svc/internal/testutil/server"
)

// The required results of backups. tarBar is the minimum ratio of the speed of a backup to that of
// tar and zstd. ingestBar is the minimum ratio of the event rate during a backup to the rate
// without one.
const (
	tarBar    = 0.5
	ingestBar = 0.7
)

const backupEvents = 1_000_000

// backup compares the speed of backups with that of tar and zstd, and measures the rate of
// ingestion during continuous backups.
func (s *suite) backup() error {
	var rows []row
	for _, unkind := range []bool{false, true} {
		more, err := s.backupOf(unkind)
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	return s.print(fmt.Sprintf("backup: svc backup of %d MB beside a running server; the reference is tar | zstd -1 of the same files",
		s.megabytes), rows)
}

func (s *suite) backupOf(unkind bool) (rows []row, err error) {
	name := "files that half of which can be compressed"
	if unkind {
		name = "many small files that cannot be compressed"
	}
	svc, err := s.program.Serve(s.ctx, s.folder("backup "+name))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, svc.Discard()) }()
	if err := svc.CreateProject(s.ctx, benchProject); err != nil {
		return nil, err
	}
	plan := s.recent(workload.Plan{SessionEvents: 20}, backupEvents+2*(s.rounds+1)*s.batchEvents)
	source := workload.New(plan)
	send := func(events int) (loadgen.Result, error) {
		return loadgen.Target{Name: "svc", Addr: svc.Addr, Requests: batches(source, events)}.Send(ingestConnections)
	}
	if _, err := send(backupEvents); err != nil {
		return nil, err
	}
	if err := s.addFiles(svc.Data, unkind); err != nil {
		return nil, err
	}
	for _, tool := range []string{"tar", "zstd"} {
		if _, err := exec.LookPath(tool); err != nil {
			_, _ = fmt.Fprintf(s.out, "  skipped: backup beside tar | zstd, because there is no %s\n", tool)
			return nil, nil
		}
	}
	beside, err := s.besideTar(svc)
	if err != nil {
		return nil, err
	}
	beside.what = name
	if unkind {
		return []row{beside}, nil
	}
	meanwhile, err := s.besideIngest(svc, send)
	return []row{beside, meanwhile}, err
}

// addFiles adds files to the data directory until its size is s.megabytes. If unkind is true, the
// files are small and cannot be compressed.
func (s *suite) addFiles(data string, unkind bool) error {
	dir := filepath.Join(data, "files", "objects")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 1))
	noise := rand.NewChaCha8([32]byte{1})
	left := int64(s.megabytes) * 1e6
	for _, name := range datadir.Databases {
		info, err := os.Stat(filepath.Join(data, name))
		if err != nil {
			return err
		}
		left -= info.Size()
	}
	lines := workload.NewSubmissions(3, false)
	for n := 0; left > 0; n++ {
		size := 16 << 20
		if unkind {
			size = 1 << (12 + random.IntN(10)) // 4 KiB to 2 MiB
		}
		b := make([]byte, 0, size+8192)
		if unkind || n%2 == 0 { // a program, which does not compress
			b = b[:size]
			_, _ = noise.Read(b) // never fails
		}
		for len(b) < size { // a table, which compresses
			body, _ := lines.Log()
			b = append(append(b, body...), '\n')
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(n)), b, 0o600); err != nil {
			return err
		}
		left -= int64(len(b))
	}
	return nil
}

// besideTar runs a backup and tar with zstd alternately and compares their speeds. Neither of them
// includes the search index.
func (s *suite) besideTar(svc *server.Server) (r row, err error) {
	var ours, theirs, all []float64
	file, other := s.folder("backup.tar.zst"), s.folder("other.tar.zst")
	for round := -1; round < s.rounds; round++ {
		begin := time.Now()
		if _, err := s.program.Run(s.ctx, "backup", file, "--data", svc.Data); err != nil {
			return r, err
		}
		our := time.Since(begin).Seconds()
		begin = time.Now()
		c := exec.CommandContext(s.ctx, "sh", "-c",
			`tar -C "$1" --exclude=./search.bleve --exclude=./svc.sock -cf - . | zstd -1 -q -o "$2" && sync "$2"`, "sh", svc.Data, other)
		if text, err := c.CombinedOutput(); err != nil {
			return r, fmt.Errorf("tar: %w: %s", err, text)
		}
		their := time.Since(begin).Seconds()
		if err := errors.Join(os.Remove(file), os.Remove(other)); err != nil {
			return r, err
		}
		if round >= 0 {
			ours, theirs, all = append(ours, our), append(theirs, their), append(all, their/our)
		}
	}
	return row{ratio: all, bar: tarBar, ours: fmt.Sprintf("%.2f s", median(ours)), reference: fmt.Sprintf("%.2f s", median(theirs))}, nil
}

// besideIngest compares the event rate with and without continuous backups, alternating between the
// two.
func (s *suite) besideIngest(svc *server.Server, send func(int) (loadgen.Result, error)) (row, error) {
	var backups []float64
	alone := &contender{process: svc.Process, run: func() (loadgen.Result, error) { return send(s.batchEvents) }}
	beside := &contender{process: svc.Process, run: func() (loadgen.Result, error) {
		stop := s.keepBackingUp(svc)
		r, err := send(s.batchEvents)
		made, failed := stop()
		backups = append(backups, made)
		return r, errors.Join(err, failed)
	}}
	if err := interleave(s.rounds, beside, alone); err != nil {
		return row{}, err
	}
	return row{
		what: fmt.Sprintf("events that come in beside up to %.0f backups", slices.Max(backups)), ratio: ratios(beside, alone, rate),
		bar:  ingestBar,
		ours: describe(beside, 20, "events"), reference: describe(alone, 20, "events"),
	}, nil
}

// keepBackingUp makes one backup after the other until stop is called. stop waits for the last
// backup and returns the number of backups.
func (s *suite) keepBackingUp(svc *server.Server) (stop func() (made float64, err error)) {
	var enough atomic.Bool
	done := make(chan struct{})
	var made float64
	var failed error
	file := s.folder("meanwhile.tar.zst")
	go func() {
		defer close(done)
		for !enough.Load() && failed == nil {
			_, failed = s.program.Run(s.ctx, "backup", file, "--data", svc.Data, "--force")
			made++
		}
	}()
	return func() (float64, error) {
		enough.Store(true)
		<-done
		return made, errors.Join(failed, os.Remove(file))
	}
}
