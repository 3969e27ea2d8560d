package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// row is a row of a table. Figures that are 0 are omitted.
type row struct {
	what            string
	ours, reference string
	ratio           []float64 // ratio of svc to the reference in each round; svc is faster if it is above 1
	bar             float64   // 0 means none
	figure          float64   // value to compare with the bar; 0 means the ratio
	unit            string    // unit of figure
	atMost          bool      // the bar is the maximum of the value, not the minimum
}

// value returns the value to compare with the bar.
func (r row) value() float64 {
	if r.figure > 0 {
		return r.figure
	}
	return median(r.ratio)
}

func (r row) met() bool {
	if r.atMost {
		return r.value() <= r.bar
	}
	return r.value() >= r.bar
}

// cells returns the columns after the first one.
func (r row) cells() []string {
	ratio, bar, verdict := "", "", ""
	if len(r.ratio) > 0 {
		ratio = fmt.Sprintf("%.2f", median(r.ratio))
		if len(r.ratio) > 1 {
			ratio += fmt.Sprintf(" (%.2f–%.2f)", slices.Min(r.ratio), slices.Max(r.ratio))
		}
	}
	if r.bar > 0 {
		sign := "≥"
		if r.atMost {
			sign = "≤"
		}
		bar = strings.TrimSpace(fmt.Sprintf("%s %s %s", sign, number(r.bar), r.unit))
		verdict = "met"
		if !r.met() {
			verdict = "MISSED"
		}
	}
	return []string{ratio, r.ours, r.reference, bar, verdict}
}

// number formats a number with at most four significant digits. From 1000, it formats a whole
// number with commas between thousands.
func number(v float64) string {
	if v >= 1000 {
		s := fmt.Sprintf("%.0f", v)
		for at := len(s) - 3; at > 0; at -= 3 {
			s = s[:at] + "," + s[at:]
		}
		return s
	}
	return strings.TrimSuffix(fmt.Sprintf("%.4g", v), ".0")
}

// printTable writes a table with its title.
func printTable(out io.Writer, title string, rows []row) error {
	_, _ = fmt.Fprintf(out, "\n%s\n", title)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "  what\tratio\tsvc\treference\tbar\t")
	for _, r := range rows {
		_, _ = fmt.Fprintf(w, "  %s\t%s\n", r.what, strings.Join(r.cells(), "\t"))
	}
	return w.Flush()
}

// describe formats the rate of a contender in units per second. The parameter each is the number of
// units in a request.
func describe(c *contender, each float64, unit string) string {
	text := number(each*c.median(rate)) + " " + unit + "/s"
	if unit == "" {
		text = number(c.median(rate)) + "/s"
	}
	text += fmt.Sprintf(", p99 %.1f ms", c.median(func(t turn) float64 { return float64(t.Latency.Quantile(0.99).Microseconds()) / 1000 }))
	if cost := c.median(turn.cost); cost > 0 {
		text += fmt.Sprintf(", %.0f µs of processor", cost/1000)
	}
	return text
}
