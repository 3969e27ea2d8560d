package main

import (
	"slices"
	"time"

	"svc/bench/internal/loadgen"
	"svc/internal/testutil/server"
)

// contender is one of those that are measured in turn.
type contender struct {
	process server.Process
	run     func() (loadgen.Result, error)
	// settle waits until nothing of a run goes on that would disturb the next
	// one; nil for those that have nothing to do then.
	settle func() error
	turns  []turn
}

// turn is a run of a contender.
type turn struct {
	loadgen.Result
	cpu time.Duration // of its process
}

// cost is the processor time of an answer; 0 where it is unknown.
func (t turn) cost() float64 { return float64(t.cpu) / float64(t.Answers) }

// interleave lets contenders run in turn, so that all see the same weather of
// the machine; another one begins in each round. What they do first is thrown
// away: connections, caches and the heap are cold then.
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

// median is the median of what its turns have.
func (c *contender) median(of func(turn) float64) float64 {
	var values []float64
	for _, t := range c.turns {
		values = append(values, of(t))
	}
	return median(values)
}

func rate(t turn) float64 { return t.Rate() }

// ratios compare what two contenders have done in the same round.
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
