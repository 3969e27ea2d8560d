package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
)

// result is the result for one kind of data. compare.mjs sets the exported fields.
type result struct {
	shape  shape
	ingest ingestion

	DuckDB    string             `json:"duckdb"`  // DuckDB's version
	Threads   int                `json:"threads"` // threads used by DuckDB
	Questions []answer           `json:"questions"`
	Forms     []form             `json:"forms"`
	Bytes     map[string]float64 `json:"bytes"`     // bytes per event, by DuckDB table
	Different int                `json:"different"` // number of answers that differ between the programs
}

// answer holds the times of both programs for one question, in milliseconds.
type answer struct {
	Name   string  `json:"name"`
	Ours   float64 `json:"svc"`
	Theirs float64 `json:"duckdb"`
	Equal  bool    `json:"equal"`
}

// form holds the times of one SQL form of a question.
type form struct {
	Question string             `json:"question"`
	Name     string             `json:"form"`
	Tables   map[string]float64 `json:"tables"` // the time for each table, in milliseconds
}

// wanted holds the desired minimum ratios of DuckDB's time to the time of svc, by kind of data and
// question.
var wanted = map[string]map[string]float64{
	"plain":  {"funnel": 4, "retention": 4, "paths": 3, "unique users": 2, "breakdown": 1},
	"visits": {"funnel": 4, "retention": 4, "paths": 3, "unique users": 2, "breakdown": 1},
}

// report prints the results of all kinds of data. It returns an error if the service and DuckDB
// gave different answers.
func report(out io.Writer, o options, results []*result) error {
	if len(results) == 0 {
		return errors.New("there is no such kind of data")
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	say(w, "%d events, DuckDB %s with %d threads, medians of %d rounds in ms\n", o.events, results[0].DuckDB, results[0].Threads, o.rounds)
	say(w, "data\tquestion\tratio\twanted\tsvc\tDuckDB\tequal")
	different := 0
	for _, r := range results {
		for _, a := range r.Questions {
			bar := ""
			if ratio := wanted[r.shape.name][a.Name]; ratio > 0 {
				bar = fmt.Sprint(ratio)
			}
			equal := "yes"
			if !a.Equal {
				equal = "NO"
			}
			say(w, "%s\t%s\t%.2f\t%s\t%.1f\t%.1f\t%s", r.shape.name, a.Name, a.Theirs/a.Ours, bar, a.Ours, a.Theirs, equal)
		}
		different += r.Different
	}
	say(w, "\ndata\tevents a second\tslowest 200,000\tconnections\tbytes of an event\tDuckDB")
	for _, r := range results {
		say(w, "%s\t%.0f\t%.0f\t%d\t%.1f\t%.1f", r.shape.name, r.ingest.EventsPerSecond, r.ingest.SlowestChunk, r.ingest.Connections,
			r.ingest.BytesPerEvent, r.Bytes["events"])
	}
	if o.forms {
		say(w, "\ndata\tquestion\tform\ttexts\tUUIDs\tintegers")
		for _, r := range results {
			for _, f := range r.Forms {
				say(w, "%s\t%s\t%s\t%.1f\t%s\t%s", r.shape.name, f.Question, f.Name, f.Tables["events"], f.of("uuids"), f.of("coded"))
			}
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if different > 0 {
		return fmt.Errorf("%d answers differ", different)
	}
	return nil
}

// of formats the time for a table. It returns "" if the time was not measured.
func (f *form) of(table string) string {
	if ms, ok := f.Tables[table]; ok {
		return fmt.Sprintf("%.1f", ms)
	}
	return ""
}
