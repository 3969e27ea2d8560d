package main

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/bench/internal/loadgen"
)

func TestTable(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	err := printTable(&out, "title", []row{
		{what: "a ratio", ratio: []float64{0.9, 0.7, 0.8}, bar: 0.75, ours: "1,000/s", reference: "1,250/s"},
		{what: "a figure", figure: 61, bar: 60, atMost: true, unit: "s", ours: "61 s"},
		{what: "a figure beside a ratio", ratio: []float64{2}, figure: 200_000, bar: 150_000, unit: "/s", ours: "200,000/s"},
		{what: "no bar", ours: "12 ms"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"", "title",
		"  what                     ratio             svc        reference  bar",
		"  a ratio                  0.80 (0.70–0.90)  1,000/s    1,250/s    ≥ 0.75        met",
		"  a figure                                   61 s                  ≤ 60 s        MISSED",
		"  a figure beside a ratio  2.00              200,000/s             ≥ 150,000 /s  met",
		"  no bar                                     12 ms",
		"",
	}
	lines := strings.Split(out.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{0: "0", 0.85: "0.85", 0.4835: "0.4835", 12: "12", 999.5: "999.5", 1000: "1,000", 999_999.7: "1,000,000", 12_345_678: "12,345,678"} {
		if got := number(v); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3}, 3},
		{[]float64{9, 1, 2}, 2},
		{[]float64{4, 1, 3, 2}, 2.5},
	} {
		if got := median(tc.values); got != tc.want {
			t.Errorf("median of %v: got %v, want %v", tc.values, got, tc.want)
		}
	}
}

func TestInterleave(t *testing.T) {
	t.Parallel()
	var order strings.Builder
	contend := func(name string, answers int) *contender {
		return &contender{run: func() (loadgen.Result, error) {
			order.WriteString(name)
			return loadgen.Result{Answers: answers, Took: time.Second}, nil
		}}
	}
	a, b := contend("a", 1), contend("b", 2)
	b.settle = func() error {
		order.WriteString(".")
		return nil
	}
	if err := interleave(3, a, b); err != nil {
		t.Fatal(err)
	}
	if got := order.String(); got != "ab.b.aab.b.a" {
		t.Errorf("got order %s", got)
	}
	if got := ratios(a, b, rate); !slices.Equal(got, []float64{0.5, 0.5, 0.5}) {
		t.Errorf("got ratios %v of three rounds, want 0.5", got)
	}
	broken := &contender{run: func() (loadgen.Result, error) { return loadgen.Result{}, errors.New("broken") }}
	if err := interleave(1, a, broken); err == nil {
		t.Error("a contender that fails is no error")
	}
}
