package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// results holds the results of measure.mjs. Times are in milliseconds and sizes in bytes.
type results struct {
	Chromium string                  `json:"chromium"`
	Targets  map[string]measurements `json:"targets"` // the measurements of each server, by its name
	Svc      struct {
		Charts      int64     `json:"charts"`       // size of scripts and styles for charts
		Dashboard   []float64 `json:"dashboard"`    // time until 12 cards are drawn
		Cards       int       `json:"cards"`        // number of cards
		Questions   int       `json:"questions"`    // number of questions that these cards asked
		Shift       float64   `json:"shift"`        // largest layout shift of a page
		ShiftOn     string    `json:"shift_on"`     // page with that shift
		Violations  []string  `json:"violations"`   // accessibility problems found by axe
		Pages       int       `json:"pages"`        // pages that axe checked, in both themes
		PublicBytes int64     `json:"public_bytes"` // size of the project page without images
		Readable    bool      `json:"readable"`     // whether the page is readable without scripts
	} `json:"svc"`
}

type measurements struct {
	Bytes  int64     `json:"bytes"` // scripts and style sheets needed for the first list
	Cold   []float64 `json:"cold"`
	Warm   []float64 `json:"warm"`
	Switch []float64 `json:"switch"`
	Typing []float64 `json:"typing"`
}

// percentile returns a percentile of values, or 0 if there are none.
func percentile(values []float64, p float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, int(p*float64(len(sorted))))]
}

func median(values []float64) float64 { return percentile(values, 0.5) }

// percentiles formats the median and the 95th percentile of times in milliseconds.
func percentiles(values []float64) string {
	return fmt.Sprintf("%.0f ms, p95 %.0f ms", median(values), percentile(values, .95))
}

// report prints every figure, with its required value if it has one.
func (b *bench) report(r results, assets int64) error {
	ours, theirs := r.Targets["svc"], r.Targets["pocketbase"]
	_, _ = fmt.Fprintf(b.out, "The console in %s, %d logs, %d events, medians of %d\n\n", r.Chromium, b.rows, b.events, b.rounds)
	w := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "What\tsvc\tPocketBase\tbar\t")
	missed := 0
	plain := func(what, ours, theirs string) {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t\t\n", what, ours, cmp.Or(theirs, "–"))
	}
	line := func(what, ours, theirs, bar string, met bool) {
		verdict := "met"
		if !met {
			verdict, missed = "MISSED", missed+1
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", what, ours, cmp.Or(theirs, "–"), bar, verdict)
	}
	size := func(n int64) string { return fmt.Sprintf("%.0f KB", float64(n)/1000) }
	ms := func(v float64) string { return fmt.Sprintf("%.0f ms", v) }
	beside := func(v string) string {
		if b.pocketbase == "" {
			return ""
		}
		return v
	}
	measured := func(part string) bool { return slices.Contains(strings.Split(b.parts, ","), part) }
	if measured("lists") {
		line("script and style until the first list, without charts", size(ours.Bytes), beside(size(theirs.Bytes)),
			"≤ 250 KB and not more than PocketBase", ours.Bytes <= 250_000 && (b.pocketbase == "" || ours.Bytes <= theirs.Bytes))
		line("first page of logs, cold", ms(median(ours.Cold)), beside(ms(median(theirs.Cold))),
			"≤ 0.7 × PocketBase", b.pocketbase == "" || median(ours.Cold) <= 0.7*median(theirs.Cold))
		for _, figure := range []struct {
			what         string
			ours, theirs []float64
		}{
			{"the same, warm", ours.Warm, theirs.Warm},
			{"switch of the page", ours.Switch, theirs.Switch},
			{"last key in a filter to rows", ours.Typing, theirs.Typing},
		} {
			plain(figure.what, percentiles(figure.ours), beside(percentiles(figure.theirs)))
		}
	}
	if measured("charts") {
		line("charts, when first needed", size(r.Svc.Charts), "", "≤ 350 KB", r.Svc.Charts <= 350_000)
	}
	if measured("dashboard") {
		what := fmt.Sprintf("dashboard of %d cards, %d questions", r.Svc.Cards, r.Svc.Questions)
		line(what, ms(median(r.Svc.Dashboard)), "", "≤ 1 s, 12 cards",
			median(r.Svc.Dashboard) <= 1000 && r.Svc.Cards == 12 && r.Svc.Questions >= r.Svc.Cards)
	}
	if measured("pages") {
		line("layout shift, greatest ("+r.Svc.ShiftOn+")", fmt.Sprintf("%.3f", r.Svc.Shift), "", "≤ 0.02", r.Svc.Shift <= 0.02)
		line(fmt.Sprintf("axe, %d pages, in either theme", r.Svc.Pages), fmt.Sprintf("%d violations", len(r.Svc.Violations)), "",
			"none", len(r.Svc.Violations) == 0)
	}
	if measured("public") {
		line("public page of a project, without images", size(r.Svc.PublicBytes), "",
			"≤ 60 KB, readable without script", r.Svc.PublicBytes <= 60_000 && r.Svc.Readable)
	}
	line("added to the program", fmt.Sprintf("%.1f MiB", float64(assets)/(1<<20)), "", "≤ 6 MiB", assets <= 6<<20)
	if err := w.Flush(); err != nil {
		return err
	}
	for _, violation := range r.Svc.Violations {
		_, _ = fmt.Fprintln(b.out, "axe:", violation)
	}
	if missed > 0 {
		return fmt.Errorf("%d bars were missed", missed)
	}
	return nil
}
