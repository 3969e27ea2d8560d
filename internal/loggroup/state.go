package loggroup

import "svc/internal/release"

// State is the state of the work on a group.
type State string

// The states of a group.
const (
	Open     State = "open"
	Resolved State = "resolved"
	Muted    State = "muted"
)

// States lists the states.
var States = []State{Open, Resolved, Muted}

// day is the time, in seconds, after which a log reopens a resolved group if versions cannot
// decide. It is also the minimum time between two reports of a spike.
const day = 24 * 60 * 60

// Condition is the state of a group, with the versions and times that determine when the state
// ends. Times are in Unix seconds.
type Condition struct {
	State       State
	ResolvedIn  release.Comparable // version in which the error is fixed; zero if unknown
	ResolvedAt  int64              // 0 if the group has never been resolved
	LastVersion release.Comparable // greatest version of the logs of the group when it was resolved; zero if unknown
	RegressedAt int64              // 0 if the group has never been reopened by a log
	MutedUntil  int64              // 0 if the group is not muted, or muted forever
}

// At returns the condition at the Unix time now. A group is open after the end of its mute.
func (c Condition) At(now int64) Condition {
	if c.State == Muted && c.MutedUntil != 0 && now >= c.MutedUntil {
		c.State, c.MutedUntil = Open, 0
	}
	return c
}

// Observe returns the condition after a log has arrived. version is the version of the app that
// sent the log, or zero if it has no order. regressed reports whether the log has reopened the
// group.
func (c Condition) Observe(version release.Comparable, now int64) (after Condition, regressed bool) {
	c = c.At(now)
	if c.State != Resolved || !c.reopens(version, now) {
		return c, false
	}
	c.State, c.RegressedAt = Open, now
	return c, true
}

func (c Condition) reopens(version release.Comparable, now int64) bool {
	none := release.Comparable{}
	switch {
	case version != none && c.ResolvedIn != none:
		return version.Compare(c.ResolvedIn) >= 0
	case version != none && c.LastVersion != none:
		return version.Compare(c.LastVersion) > 0
	}
	return now-c.ResolvedAt > day
}

// Resolve returns the condition after the group has been resolved. The parameter in is the version
// in which the error is fixed, and last is the greatest version of the logs of the group so far.
// Both are zero if unknown.
func (c Condition) Resolve(in, last release.Comparable, now int64) Condition {
	c.State, c.ResolvedIn, c.ResolvedAt, c.LastVersion, c.MutedUntil = Resolved, in, now, last, 0
	return c
}

// Mute returns the condition after the group has been muted until the given Unix time. 0 means
// forever.
func (c Condition) Mute(until int64) Condition {
	c.State, c.MutedUntil = Muted, until
	return c
}

// Reopen returns the condition after the administrator has reopened the group.
func (c Condition) Reopen() Condition { return Condition{State: Open, RegressedAt: c.RegressedAt} }
