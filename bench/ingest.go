package main

import (
	"errors"
	"fmt"
	"time"

	"svc/bench/internal/loadgen"
	"svc/bench/internal/workload"
)

// The required rates of ingestion, in events per second, for batches of 20 events and for visits of
// 8 events.
const (
	batchesBar = 200_000
	visitsBar  = 150_000
)

const ingestConnections = 128

// ingest measures the rate at which the server accepts events. The server responds to a request
// only when its events are on disk. ingest also measures the speed of queries about the events.
func (s *suite) ingest() error {
	var rows []row
	for _, tc := range []struct {
		name    string
		plan    workload.Plan
		connect bool // a new connection for each request
		bar     float64
	}{
		{name: "batches of 20", plan: workload.Plan{SessionEvents: 20}, bar: batchesBar},
		{name: "visits of 8, Zipf", plan: workload.Plan{SessionEvents: 8, Zipf: true}, bar: visitsBar},
		{name: "visits of 8, Zipf, long texts", plan: workload.Plan{SessionEvents: 8, Zipf: true, LongTexts: true}},
		{name: "visits of 8, Zipf, a connection for each", plan: workload.Plan{SessionEvents: 8, Zipf: true}, connect: true},
	} {
		row, err := s.compareIngest(tc.name, tc.plan, tc.connect)
		if err != nil {
			return err
		}
		row.bar = tc.bar
		rows = append(rows, row)
	}
	title := fmt.Sprintf("event ingestion: %d connections, each batch on disk before its answer; "+
		"the reference decodes the body and appends it to a bbolt bucket with the same kind of group commit", ingestConnections)
	if err := s.print(title, rows); err != nil {
		return err
	}
	for _, shape := range []string{shapeSessions, shapeVisits} {
		if err := s.questions(shape); err != nil {
			return err
		}
	}
	return nil
}

func (s *suite) compareIngest(name string, plan workload.Plan, connect bool) (r row, err error) {
	svc, err := s.program.Serve(s.ctx, s.folder("ingest "+name))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, svc.Discard()) }()
	if err := svc.CreateProject(s.ctx, benchProject); err != nil {
		return r, err
	}
	bare, err := startReference(s.ctx, "events", 60, s.folder("ingest reference "+name))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, bare.stop()) }()
	send := func(addr string) func() (loadgen.Result, error) {
		source := workload.New(s.recent(plan, (s.rounds+2)*s.batchEvents))
		return func() (loadgen.Result, error) {
			return loadgen.Target{Name: addr, Addr: addr, Requests: batches(source, s.batchEvents), NewConnections: connect}.Send(ingestConnections)
		}
	}
	ours := &contender{process: svc.Process, run: send(svc.Addr)}
	theirs := &contender{process: bare.Process, run: send(bare.addr)}
	if err := interleave(s.rounds, ours, theirs); err != nil {
		return r, err
	}
	each := float64(plan.SessionEvents)
	return row{
		what: name, ratio: ratios(ours, theirs, rate), figure: each * ours.median(rate), unit: "/s",
		ours: describe(ours, each, "events"), reference: describe(theirs, each, "events"),
	}, nil
}

// recent returns a plan with events from the last six days. With default settings, servers accept
// events of this age.
func (s *suite) recent(plan workload.Plan, count int) workload.Plan {
	plan.Seed, plan.Users, plan.Names, plan.Count = 1, 100_000, 50, count
	plan.Days, plan.Start = 6, time.Now().Add(-6*24*time.Hour-time.Hour).Unix()
	return plan
}

// batches returns requests with the next events of a source.
func batches(source *workload.Source, events int) (requests [][]byte) {
	var batch workload.Batch
	for made := 0; made < events && source.Next(&batch); made += len(batch.Events) {
		requests = append(requests, batch.Request(benchProject))
	}
	return requests
}
