package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"svc/bench/internal/loadgen"
	"svc/bench/internal/workload"
	"svc/internal/testutil/server"
)

// The required results of standbys. lagBar is replicate.every plus --every plus 2 s, at their defaults. promoteBar is the
// time of a promotion of a standby that has not looked for changes for a minute.
const (
	lagBar     = 4 // in seconds
	promoteBar = 5 // in seconds
)

// The load during which the lag of a standby is measured, and which a promotion then applies: ten times the mean rate of a
// billion events a month, and some logs.
const (
	loadInterval = 100 * time.Millisecond
	loadEvents   = 400 // in each interval
	loadLogs     = 5
)

// follow runs a standby until it has reached a position, and returns how long that took.
func (r *replicated) follow(position float64) (took time.Duration, err error) {
	begin := time.Now()
	svc, err := r.program.Standby(r.ctx, r.standby, r.location)
	if err != nil {
		return 0, err
	}
	err = r.await(svc, position)
	took = time.Since(begin)
	return took, errors.Join(err, svc.Stop())
}

// await waits until a standby has reached a position.
func (r *replicated) await(svc *server.Server, position float64) error {
	return svc.Await(r.ctx, 20*time.Millisecond, func() (bool, error) {
		at, err := svc.Metric(r.ctx, "svc_replication_position")
		return at >= position, err
	})
}

// bootstrap measures how long a new standby needs to have the snapshot.
func (r *replicated) bootstrap() ([]row, error) {
	took, err := r.follow(r.at)
	return []row{{
		what: "a new standby, from the snapshot", figure: float64(r.megabytes) / took.Seconds(), unit: "MB/s",
		ours: fmt.Sprintf("%.1f s, %.0f MB/s", took.Seconds(), float64(r.megabytes)/took.Seconds()),
	}}, err
}

// catchUpLog measures how fast a standby applies the log that was written while it was stopped.
func (r *replicated) catchUpLog() ([]row, error) {
	took, err := r.follow(r.end)
	return []row{{
		what: "log that a standby applies", figure: r.log / took.Seconds(), unit: "MB/s",
		ours: fmt.Sprintf("%.0f MB/s, %s events/s, %.2f s with its start", r.log/took.Seconds(),
			number(float64(logRounds*r.batchEvents)/took.Seconds()), took.Seconds()),
	}}, err
}

// promotion measures how far a standby is behind a primary under load, and how long the promotion of another standby takes
// that has not looked for changes since the beginning of the load.
func (r *replicated) promotion() (rows []row, err error) {
	primary, err := r.program.Serve(r.ctx, r.data, "--replicate-to", r.location)
	if err != nil {
		return nil, err
	}
	killed := false
	defer func() {
		if !killed {
			err = errors.Join(err, primary.Kill())
		}
	}()
	following, err := r.program.Standby(r.ctx, r.standby, r.location)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, following.Discard()) }()
	sleeping, err := r.program.Standby(r.ctx, r.folder("promoted"), r.location, "--every", "1h")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, sleeping.Discard()) }()
	lags, sent, err := r.lag(primary, following)
	killed = true
	if err = errors.Join(err, primary.Kill()); err != nil {
		return nil, err
	}
	begin := time.Now()
	if _, err := r.command("promote", "--data", sleeping.Data); err != nil {
		return nil, err
	}
	took := time.Since(begin).Seconds()
	return []row{
		{
			what: "a standby behind a primary under load, worst", figure: slices.Max(lags), unit: "s", bar: lagBar, atMost: true,
			ours: fmt.Sprintf("%.2f s, median %.2f s of %d", slices.Max(lags), median(lags), len(lags)),
		},
		{
			what: fmt.Sprintf("promotion after %s of load without a look", r.followed), figure: took, unit: "s", bar: promoteBar, atMost: true,
			ours: fmt.Sprintf("%.2f s, for %s events and logs", took, number(float64(sent))),
		},
	}, nil
}

// lag puts the primary under load, and measures repeatedly how long its position takes to reach the standby, in seconds.
// sent is the number of events and logs that were sent.
func (r *replicated) lag(primary, standby *server.Server) (lags []float64, sent int, err error) {
	if err := r.await(standby, r.end); err != nil {
		return nil, 0, err
	}
	ended := make(chan error, 1)
	go func() {
		var err error
		sent, err = r.load(primary)
		ended <- err
	}()
	for {
		position, err := primary.Metric(r.ctx, "svc_replication_position")
		if err != nil {
			return nil, 0, errors.Join(err, <-ended)
		}
		begin := time.Now()
		if err := r.await(standby, position); err != nil {
			return nil, 0, errors.Join(err, <-ended)
		}
		lags = append(lags, time.Since(begin).Seconds())
		select {
		case err := <-ended:
			return lags, sent, err
		default:
		}
	}
}

// load sends events and logs to a server at a constant rate for r.followed. It returns how many were sent.
func (r *replicated) load(svc *server.Server) (sent int, err error) {
	logs := workload.NewSubmissions(9, false)
	tick := time.NewTicker(loadInterval)
	defer tick.Stop()
	for begin := time.Now(); time.Since(begin) < r.followed; {
		requests := slices.Concat(batches(r.source, loadEvents), logRequests(logs, loadLogs))
		if _, err := (loadgen.Target{Name: "svc", Addr: svc.Addr, Requests: requests}).Send(len(requests)); err != nil {
			return sent, err
		}
		sent += loadEvents + loadLogs
		<-tick.C
	}
	return sent, nil
}
