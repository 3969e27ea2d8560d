package loggroup

const (
	hour = 60 * 60
	// Hours is the number of hours for which a group has counts.
	Hours = 48

	spikeLogs   = 100 // minimum number of logs in the current hour for a spike
	spikeFactor = 10  // a spike exceeds the mean of the hours before it by this factor
	spikeHours  = 24  // number of hours from which the mean is computed

	// MaxReports is the maximum number of reports of new and reopened groups of a project in an hour.
	MaxReports = 20
)

// Counts contains the number of logs of a group in each of the last Hours hours. The zero value has
// no logs.
type Counts struct {
	Last int64         // the latest hour with a log, in hours since 1970
	Ring [Hours]uint32 // the count of hour h is at h % Hours
}

// Add counts n logs in the hour that contains the parameter at, a Unix time. It ignores the logs if
// that hour is not among the last Hours hours up to Last.
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

// At returns the counts of the last Hours hours, the oldest first. The last one is the hour that
// contains the Unix time now.
func (c *Counts) At(now int64) (counts [Hours]uint32) {
	for i := range counts {
		counts[i] = c.in(now/hour - int64(Hours-1-i))
	}
	return counts
}

// in returns the count of hour h, in hours since 1970. It is 0 for an hour without a count.
func (c *Counts) in(h int64) uint32 {
	if h < 0 || h > c.Last || h <= c.Last-Hours {
		return 0
	}
	return c.Ring[h%Hours]
}

// Spike reports whether the logs of the current hour are a spike that must be reported. first is
// the time of the first log of the group, and reported is the time of its last report of a spike,
// or 0. Times are in Unix seconds. The caller must verify that the group is open.
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
	Warn           // report instead, once, that the limit has been reached
)

// Guard limits the reports of new and reopened groups of a project to MaxReports in an hour. The
// zero value has counted no reports.
type Guard struct {
	Hour  int64 `json:"hour"`  // the hour of the counted reports, in hours since 1970
	Count int   `json:"count"` // reports sent in that hour, including the one for Warn
}

// Admit decides whether a report may be sent at the Unix time now. It also returns the guard after
// the decision, which the caller must store.
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
