package loggroup

const (
	hour = 60 * 60
	// Hours is the number of hours for which a group has counts.
	Hours = 48

	spikeLogs   = 100 // logs in the running hour from which on they can be a spike
	spikeFactor = 10  // multiple of the mean of the hours before that a spike exceeds
	spikeHours  = 24  // hours from which the mean is computed

	// MaxReports is the maximum number of reports of new and reopened groups of a project in an hour.
	MaxReports = 20
)

// Counts contains the number of logs in each of the last hours. The zero value has no logs.
type Counts struct {
	Last int64         // the latest hour with a log, in hours since 1970
	Ring [Hours]uint32 // by the remainder of the hour
}

// Add counts n logs of the hour that contains a time, in Unix seconds. It ignores an hour that is
// older than the counts.
func (c *Counts) Add(at int64, n uint32) {
	h := at / hour
	if h <= c.Last-Hours {
		return
	}
	for ; c.Last < h; c.Last++ {
		if h-c.Last > Hours {
			c.Last = h - Hours
		}
		c.Ring[(c.Last+1)%Hours] = 0
	}
	c.Ring[h%Hours] += n
}

// At returns the counts of the hours that end with the one that contains a time, the oldest first.
func (c *Counts) At(now int64) (counts [Hours]uint32) {
	for i := range counts {
		counts[i] = c.in(now/hour - int64(Hours-1-i))
	}
	return counts
}

// in returns the count of the hour with the given number.
func (c *Counts) in(h int64) uint32 {
	if h < 0 || h > c.Last || h <= c.Last-Hours {
		return 0
	}
	return c.Ring[h%Hours]
}

// Spike reports whether the logs of the running hour are a spike that has to be reported. first is
// the time of the group's first log, and reported is the time of the last report, or 0. The caller
// asks only for open groups.
func (c *Counts) Spike(now, first, reported int64) bool {
	running, before := c.in(now/hour), uint64(0)
	if running < spikeLogs || now-first < hour || reported != 0 && now-reported < day {
		return false
	}
	counts := c.At(now)
	for _, n := range counts[Hours-1-spikeHours : Hours-1] {
		before += uint64(n)
	}
	return uint64(running)*spikeHours > spikeFactor*before
}

// Verdict is the decision of a Guard about a report.
type Verdict uint8

// The decisions about a report.
const (
	Drop   Verdict = iota
	Report         // send the report
	Warn           // send a single report that the limit is reached instead
)

// Guard limits the reports of new and reopened groups of a project. The zero value has seen none.
type Guard struct {
	Hour  int64 `json:"hour"`  // the hour of the counted reports, in hours since 1970
	Count int   `json:"count"` // reports in that hour, including the one in which the limit was reached
}

// Admit decides about a report at a time, in Unix seconds, and returns the guard after it.
func (g Guard) Admit(now int64) (Guard, Verdict) {
	if h := now / hour; h != g.Hour {
		g = Guard{Hour: h}
	}
	switch {
	case g.Count > MaxReports:
		return g, Drop
	case g.Count == MaxReports:
		g.Count++
		return g, Warn
	}
	g.Count++
	return g, Report
}
