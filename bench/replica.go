package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"svc/bench/internal/loadgen"
	"svc/bench/internal/workload"
	"svc/internal/datadir"
	"svc/internal/testutil/server"
)

// The required results of replicas. restoreBar is the minimum ratio of the speed of a restore to that of a restore from a
// backup. logBar is the minimum rate at which a restore applies the log.
const (
	restoreBar = 0.5
	logBar     = 20 // MB of change sets per second
)

// logRounds is the size of the log that restores and standbys apply, in rounds of events.
const logRounds = 5

// replica measures what a replica in a directory costs the server, and how fast snapshots, restores and standbys are.
func (s *suite) replica() error {
	if err := s.replicaCost(); err != nil {
		return err
	}
	return s.replicaSpeed()
}

// replicaTarget creates a folder, and returns the location of a replica in it.
func (s *suite) replicaTarget(name string) (location string, err error) {
	folder := s.folder(name)
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(folder)}).String(), os.Mkdir(folder, 0o700)
}

// replicaCost compares servers with a replica with servers that have none.
func (s *suite) replicaCost() error {
	var rows []row
	for _, tc := range []struct {
		what, unit string
		each       float64 // units in a request
		settings   []string
		requests   func() func() [][]byte
	}{
		{"events, spooled, not sent yet", "events", workload.BatchSize, []string{"--replicate-every", "1h"}, s.manyEvents},
		{"events, sent every second", "events", workload.BatchSize, nil, s.manyEvents},
		{"logs, sent every second", "logs", 1, nil, s.manyLogs},
	} {
		ours, theirs, err := s.besideNoReplica(tc.what, tc.requests, tc.settings)
		if err != nil {
			return err
		}
		cost := ratios(theirs, ours, turn.cost)
		rows = append(rows, row{
			what: tc.what, ratio: ratios(ours, theirs, rate),
			ours: describe(ours, tc.each, tc.unit), reference: describe(theirs, tc.each, tc.unit),
		})
		if ours.median(turn.cost) > 0 {
			rows = append(rows, row{what: tc.what + ": processor time of a request", ratio: cost})
		}
	}
	return s.print(fmt.Sprintf("replica: writes with a replica in a directory, %d connections; the reference is the same program without one",
		ingestConnections), rows)
}

// manyEvents returns a function that returns the events of the next round.
func (s *suite) manyEvents() func() [][]byte {
	source := workload.New(s.recent(workload.Plan{SessionEvents: workload.BatchSize}, (s.rounds+2)*s.batchEvents))
	return func() [][]byte { return batches(source, s.batchEvents) }
}

// manyLogs returns a function that returns the logs of the next round.
func (s *suite) manyLogs() func() [][]byte {
	logs := workload.NewSubmissions(1, false)
	return func() [][]byte { return logRequests(logs, s.submissions) }
}

// besideNoReplica sends the same requests to a server with a replica and to one without.
func (s *suite) besideNoReplica(name string, requests func() func() [][]byte, settings []string) (ours, theirs *contender, err error) {
	location, err := s.replicaTarget("target of " + name)
	if err != nil {
		return nil, nil, err
	}
	with, err := s.program.Serve(s.ctx, s.folder("with "+name), append(settings, "--replicate-to", location)...)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, with.Discard()) }()
	without, err := s.program.Serve(s.ctx, s.folder("without "+name))
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, without.Discard()) }()
	contend := func(svc *server.Server) *contender {
		next := requests()
		return &contender{
			process: svc.Process,
			run: func() (loadgen.Result, error) {
				return loadgen.Target{Name: svc.Data, Addr: svc.Addr, Requests: next()}.Send(ingestConnections)
			},
			settle: func() error {
				_, err := svc.AwaitIndex(s.ctx)
				return err
			},
		}
	}
	for _, svc := range []*server.Server{with, without} {
		if err := svc.CreateProject(s.ctx, benchProject); err != nil {
			return nil, nil, err
		}
	}
	ours, theirs = contend(with), contend(without)
	return ours, theirs, interleave(s.rounds, ours, theirs)
}

// replicated is a data directory with a replica.
type replicated struct {
	*suite

	data, standby string // the data directories of the primary and of a standby
	location      string // of the replica
	source        *workload.Source
	at            float64 // position of the newest snapshot
	end           float64 // position of the end of the log
	log           float64 // size of the change sets in the log after the snapshot, in MB
}

// replicaSpeed measures snapshots, restores and standbys of a data directory of s.megabytes.
func (s *suite) replicaSpeed() (err error) {
	r := &replicated{
		suite: s, data: s.folder("primary"), standby: s.folder("standby"),
		source: workload.New(s.recent(workload.Plan{LongTexts: true}, maxEvents)),
	}
	if r.location, err = s.replicaTarget("replica"); err != nil {
		return err
	}
	var rows []row
	for _, measure := range []func() ([]row, error){r.snapshots, r.bootstrap, r.restoreLog, r.catchUpLog, r.promotion} {
		more, err := measure()
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	title := fmt.Sprintf("replica speed: a replica in a directory, of %d MB of events with long texts; the log has %s events",
		s.megabytes, number(float64(logRounds*s.batchEvents)))
	return s.print(title, rows)
}

// maxEvents is more than the number of events that are ever sent.
const maxEvents = 1 << 30

// primary runs the primary while a function runs.
func (r *replicated) primary(use func(*server.Server) error, settings ...string) error {
	svc, err := r.program.Serve(r.ctx, r.data, append(settings, "--shutdown-timeout", "5m")...)
	if err != nil {
		return err
	}
	return errors.Join(use(svc), svc.Stop())
}

// send sends events.
func (r *replicated) send(svc *server.Server, events int) error {
	_, err := loadgen.Target{Name: "svc", Addr: svc.Addr, Requests: batches(r.source, events)}.Send(ingestConnections)
	return err
}

// fill creates the data directory, without a replica.
func (r *replicated) fill() error {
	return r.primary(func(svc *server.Server) error {
		if err := svc.CreateProject(r.ctx, benchProject); err != nil {
			return err
		}
		for size := int64(0); size < int64(r.megabytes)*1e6; {
			if err := r.send(svc, r.batchEvents); err != nil {
				return err
			}
			size = 0
			for _, name := range datadir.Databases {
				info, err := os.Stat(filepath.Join(r.data, name))
				if err != nil {
					return err
				}
				size += info.Size()
			}
		}
		return nil
	})
}

// compare runs two functions alternately and returns the times that they take, in seconds. The first round is
// discarded.
func (s *suite) compare(ours, theirs func() error) (our, their []float64, err error) {
	for round := -1; round < s.rounds; round++ {
		begin := time.Now()
		if err := ours(); err != nil {
			return nil, nil, err
		}
		middle := time.Now()
		if err := theirs(); err != nil {
			return nil, nil, err
		}
		if round >= 0 {
			our, their = append(our, middle.Sub(begin).Seconds()), append(their, time.Since(middle).Seconds())
		}
	}
	return our, their, nil
}

// faster returns a row that compares times in seconds.
func faster(what string, our, their []float64, bar float64) row {
	r := row{what: what, bar: bar, ours: fmt.Sprintf("%.2f s", median(our)), reference: fmt.Sprintf("%.2f s", median(their))}
	for i := range our {
		r.ratio = append(r.ratio, their[i]/our[i])
	}
	return r
}

// snapshots compares snapshots with backups, and restores from a snapshot with restores from a backup.
func (r *replicated) snapshots() (rows []row, err error) {
	if err := r.fill(); err != nil {
		return nil, err
	}
	archive := r.folder("replica.tar.zst")
	err = r.primary(func(svc *server.Server) error {
		our, their, err := r.compare(func() error {
			if err := r.send(svc, workload.BatchSize); err != nil { // without a change there is nothing to do
				return err
			}
			_, err := r.command("replicate", "snapshot", "--data", r.data)
			return err
		}, func() error {
			_, err := r.command("backup", archive, "--data", r.data, "--files=false", "--force")
			return err
		})
		if err != nil {
			return err
		}
		rows = append(rows, faster("snapshot, beside svc backup", our, their, 0))
		r.at, err = svc.Metric(r.ctx, "svc_replication_position")
		return err
	}, "--replicate-to", r.location, "--replicate-retain", "0s")
	if err != nil {
		return nil, err
	}
	our, their, err := r.compare(r.restore("--from", r.location), r.restore(archive))
	if err = errors.Join(err, os.Remove(archive)); err != nil {
		return nil, err
	}
	return append(rows, faster("restore of a snapshot, beside svc restore of a backup", our, their, restoreBar)), nil
}

// command runs a command of the program.
func (r *replicated) command(args ...string) (string, error) { return r.program.Run(r.ctx, args...) }

// restore returns a function that restores to a new data directory, and removes it.
func (r *replicated) restore(args ...string) func() error {
	return func() error {
		data := r.folder("restored")
		_, err := r.command(append([]string{"restore", "--data", data}, args...)...)
		return errors.Join(err, os.RemoveAll(data))
	}
}

// restoreLog measures how fast a restore applies the log: the difference between a restore of its end and one of its
// beginning.
func (r *replicated) restoreLog() ([]row, error) {
	if err := r.growLog(); err != nil {
		return nil, err
	}
	begin := fmt.Sprint(uint64(r.at))
	our, their, err := r.compare(r.restore("--from", r.location), r.restore("--from", r.location, "--at-position", begin))
	if err != nil {
		return nil, err
	}
	var rates []float64
	for i := range our {
		rates = append(rates, r.log/max(our[i]-their[i], 0.01))
	}
	return []row{{
		what: fmt.Sprintf("log that a restore applies, %.0f MB", r.log), figure: median(rates), unit: "MB/s", bar: logBar,
		ours: fmt.Sprintf("%.0f MB/s, %.2f s", median(rates), median(our)), reference: fmt.Sprintf("%.2f s without it", median(their)),
	}}, nil
}

// growLog sends events that are in the log after the last snapshot. They are sent to the target when the primary stops,
// so that its size is known and no other snapshot is made.
func (r *replicated) growLog() error {
	return r.primary(func(svc *server.Server) (err error) {
		for range logRounds {
			if err := r.send(svc, r.batchEvents); err != nil {
				return err
			}
		}
		if r.end, err = svc.Metric(r.ctx, "svc_replication_position"); err != nil {
			return err
		}
		size, err := svc.Metric(r.ctx, "svc_replication_lag_bytes")
		r.log = size / 1e6
		return err
	}, "--replicate-to", r.location, "--replicate-every", "1h", "--replicate-spool-max", "4g")
}
