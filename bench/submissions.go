package main

import (
	"errors"
	"fmt"

	"svc/bench/internal/loadgen"
	"svc/bench/internal/workload"
	"svc/internal/testutil/server"
)

// The required results of log submissions. withoutIndexBar is the minimum ratio of the rate to that
// of svc without a search index, and bareStoreBar the minimum ratio to the rate of the reference
// process. catchUpBar is the time in which the search index must catch up after a burst of logs.
const (
	withoutIndexBar = 0.85
	bareStoreBar    = 0.6
	catchUpBar      = 60 // in seconds
)

const benchProject = "bench"

// logSubmissions measures the rate at which the server accepts logs. The server responds to a
// request only when its log is on disk.
func (s *suite) logSubmissions() error {
	without, err := server.BuildWithoutIndex(s.ctx, s.dir)
	if err != nil {
		return err
	}
	var rows []row
	for _, unkind := range []bool{false, true} {
		all := []int{32, 128}
		if unkind {
			all = all[1:]
		}
		for _, connections := range all {
			more, err := s.compareSubmissions(without, connections, unkind)
			if err != nil {
				return err
			}
			rows = append(rows, more...)
		}
		caughtUp, err := s.catchUp(unkind)
		if err != nil {
			return err
		}
		rows = append(rows, caughtUp)
	}
	return s.print("log submissions: each on disk before its answer; the references are the same program without its search index, "+
		"and a handler that decodes the body and appends it to a bbolt bucket with the same kind of group commit", rows)
}

// shape returns the name of a kind of logs, for use in the report.
func shape(unkind bool) string {
	if unkind {
		return "long texts"
	}
	return "lines"
}

// compareSubmissions compares the rates of svc, svc without a search index, and the reference,
// which receive the same logs alternately.
func (s *suite) compareSubmissions(without server.Program, connections int, unkind bool) (rows []row, err error) {
	name := fmt.Sprintf("%s, %d connections", shape(unkind), connections)
	svc, err := s.program.Serve(s.ctx, s.folder("submissions "+name))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, svc.Discard()) }()
	blind, err := without.Serve(s.ctx, s.folder("without index "+name))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, blind.Discard()) }()
	for _, each := range []*server.Server{svc, blind} {
		if err := each.CreateProject(s.ctx, benchProject); err != nil {
			return nil, err
		}
	}
	bare, err := startReference(s.ctx, "log", 500, s.folder("reference "+name))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, bare.stop()) }()
	send := func(addr string) func() (loadgen.Result, error) {
		logs := workload.NewSubmissions(1, unkind)
		return func() (loadgen.Result, error) {
			return loadgen.Target{Name: addr, Addr: addr, Requests: logRequests(logs, as(unkind, s.submissions))}.Send(connections)
		}
	}
	ours := &contender{process: svc.Process, run: send(svc.Addr), settle: func() error {
		_, err := svc.AwaitIndex(s.ctx)
		return err
	}}
	indexless := &contender{process: blind.Process, run: send(blind.Addr)}
	appends := &contender{process: bare.Process, run: send(bare.addr)}
	if err := interleave(s.rounds, ours, indexless, appends); err != nil {
		return nil, err
	}
	return []row{
		{
			what: name + ": beside no index", ratio: ratios(ours, indexless, rate), bar: withoutIndexBar, ours: describe(ours, 1, "logs"),
			reference: describe(indexless, 1, "logs"),
		},
		{
			what: name + ": beside the bare handler", ratio: ratios(ours, appends, rate), bar: bareStoreBar, ours: describe(ours, 1, "logs"),
			reference: describe(appends, 1, "logs"),
		},
	}, nil
}

func logRequests(logs *workload.Submissions, n int) (requests [][]byte) {
	for range n {
		request, _ := logs.LogRequest(benchProject)
		requests = append(requests, request)
	}
	return requests
}

// as returns the number of logs to send instead of n plain logs. If unkind is true, the logs are
// long and it is a tenth of n, so that the total size is about the same.
func as(unkind bool, n int) int {
	if unkind {
		return n / 10
	}
	return n
}

// catchUp measures how long the search index takes to catch up after a burst of logs.
func (s *suite) catchUp(unkind bool) (r row, err error) {
	n := as(unkind, s.burst)
	svc, err := s.program.Serve(s.ctx, s.folder("burst "+shape(unkind)))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, svc.Discard()) }()
	if err := svc.CreateProject(s.ctx, benchProject); err != nil {
		return r, err
	}
	requests := logRequests(workload.NewSubmissions(7, unkind), n)
	peak := svc.WatchMemory()
	result, err := loadgen.Target{Name: "svc", Addr: svc.Addr, Requests: requests}.Send(128)
	if err != nil {
		return r, err
	}
	late, err := svc.AwaitIndex(s.ctx)
	memory := peak()
	return row{
		what: fmt.Sprintf("%s: index up to date after %s logs", shape(unkind), number(float64(n))), figure: late.Seconds(), bar: catchUpBar,
		atMost: true, unit: "s",
		ours: fmt.Sprintf("%.1f s after %.1f s of sending, peak memory %d MiB", late.Seconds(), result.Took.Seconds(), memory.Own>>20),
	}, err
}
