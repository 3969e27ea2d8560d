package main

import (
	"slices"
	"time"

	"svc/bench/internal/loadgen"
	"svc/internal/testutil/server"
)

// contender is one of the programs that a benchmark compares.
type contender struct {
	process server.Process
	run     func() (loadgen.Result, error)
	// settle waits until the background work of a run has ended, because it would disturb the next
	// run. It is nil for contenders without background work.
	settle func() error
	turns  []turn
}

// turn is one run of a contender.
type turn struct {
	loadgen.Result
	cpu time.Duration // processor time of the contender's process
}

// cost returns the processor time per response in nanoseconds, or 0 if it is not known.
func (t turn) cost() float64 { return float64(t.cpu) / float64(t.Answers) }

// interleave runs the contenders alternately, so that fluctuations of the machine affect all of
// them equally. Each round starts with a different contender. The first run of each contender is
// discarded, because connections, caches and the heap are cold.
func interleave(rounds int, contenders ...*contender) error {
	for round := -1; round < rounds; round++ {
		for i := range contenders {
			c := contenders[(i+round+1)%len(contenders)]
			before := c.process.CPU()
			r, err := c.run()
			if err != nil {
				return err
			}
			if c.settle != nil {
				if err := c.settle(); err != nil {
					return err
				}
			}
			if round >= 0 {
				c.turns = append(c.turns, turn{r, c.process.CPU() - before})
			}
		}
	}
	return nil
}

// median returns the median of a value over all runs. The parameter of returns the value of a run.
func (c *contender) median(of func(turn) float64) float64 {
	var values []float64
	for _, t := range c.turns {
		values = append(values, of(t))
	}
	return median(values)
}

func rate(t turn) float64 { return t.Rate() }

// ratios divides the value of the contender ours by the value of the contender theirs for each
// round. The parameter of returns the value of a run.
func ratios(ours, theirs *contender, of func(turn) float64) (all []float64) {
	for i := range ours.turns {
		all = append(all, of(ours.turns[i])/of(theirs.turns[i]))
	}
	return all
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 0 {
		return (sorted[middle-1] + sorted[middle]) / 2
	}
	return sorted[middle]
}
