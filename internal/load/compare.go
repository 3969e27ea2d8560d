package load

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Plan is how long two targets are compared.
type Plan struct {
	Rounds      int
	Connections int
	Each        time.Duration // of a target in a round
}

// Comparison has the results of both, one of each a round.
type Comparison struct {
	Subject, Reference []Result
}

// Compare lets subject and reference run in turn, so that both see the same
// weather of the machine; who begins alternates. What both do first is thrown
// away: connections, caches and the heap are cold then.
func (p Plan) Compare(subject, reference Target) (Comparison, error) {
	var c Comparison
	for round := -1; round < p.Rounds; round++ {
		turns := []func() error{
			func() error { return p.run(subject, &c.Subject) },
			func() error { return p.run(reference, &c.Reference) },
		}
		if round%2 == 0 {
			slices.Reverse(turns)
		}
		for _, turn := range turns {
			if err := turn(); err != nil {
				return c, err
			}
		}
	}
	return Comparison{c.Subject[1:], c.Reference[1:]}, nil
}

func (p Plan) run(t Target, results *[]Result) error {
	r, err := t.Run(p.Connections, p.Each)
	*results = append(*results, r)
	return err
}

// Report has the medians of both, and the median of their ratios with the least
// and the greatest and whether the bar is met; a bar of 0 is none. Where other programs keep the
// machine busy, the ratio of the processor time is the steadier one.
func (c Comparison) Report(subject, reference Target, bar float64) string {
	var b strings.Builder
	row := func(name string, results []Result) {
		fmt.Fprintf(&b, "  %-26s %8.0f /s  %6.1f µs of processor time each\n",
			name, median(each(results, Result.Rate)), median(each(results, Result.cost)))
	}
	row(subject.Name, c.Subject)
	row(reference.Name, c.Reference)
	var rates, costs []float64
	for i, s := range c.Subject {
		rates = append(rates, s.Rate()/c.Reference[i].Rate())
		costs = append(costs, c.Reference[i].cost()/s.cost())
	}
	verdict := fmt.Sprintf("; bar %.2f met", bar)
	switch {
	case bar == 0:
		verdict = ""
	case median(rates) < bar:
		verdict = fmt.Sprintf("; bar %.2f MISSED", bar)
	}
	fmt.Fprintf(&b, "  %-26s %8.2f     %.2f to %.2f in %d rounds%s\n", "ratio",
		median(rates), slices.Min(rates), slices.Max(rates), len(rates), verdict)
	fmt.Fprintf(&b, "  %-26s %8.2f     %.2f to %.2f\n", "ratio of processor time",
		median(costs), slices.Min(costs), slices.Max(costs))
	return b.String()
}

// cost is the processor time of an answer in microseconds.
func (r Result) cost() float64 {
	return float64(r.CPU.Nanoseconds()) / 1000 / float64(r.Answers)
}

func each(results []Result, value func(Result) float64) []float64 {
	var values []float64
	for _, r := range results {
		values = append(values, value(r))
	}
	return values
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 0 {
		return (sorted[middle-1] + sorted[middle]) / 2
	}
	return sorted[middle]
}

// Median is the middle of the subject's rates.
func (c Comparison) Median() float64 { return median(each(c.Subject, Result.Rate)) }
