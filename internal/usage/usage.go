// Package usage decides what the update check tells clients that have been counted by
// version, so that all figures about them rest on the same decision. The caller reads the
// counters and the catalog. To learn the effect of a change, it can pass a changed
// catalog.
package usage

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"svc/internal/release"
)

// Outcome is the decision of the update check about a client.
type Outcome string

// The outcomes.
const (
	Required Outcome = "required" // the client must update
	Optional Outcome = "optional" // the client may update
	Current  Outcome = "current"  // there is no newer version
	Unknown  Outcome = "unknown"  // the client cannot be compared, or no version is offered to it
)

// Policy contains the rules for updates. An update from a version in the range Optional
// is not required. HasFile reports whether the version at a position of the catalog has a
// download.
type Policy struct {
	Catalog  *release.Catalog
	Optional release.Range
	HasFile  func(at int) bool
}

// Deprecate returns a copy of the policy in which the version at the given position of
// the catalog is deprecated. If the server would refuse to deprecate the version,
// Deprecate returns the error that the server would return.
func (p Policy) Deprecate(at int) (Policy, error) {
	changed, err := p.Catalog.Deprecate(at)
	p.Catalog = changed
	return p, err
}

// Position returns the position in the catalog of the version with the given id, or -1 if
// there is none.
func (p Policy) Position(id uuid.UUID) int {
	for at := range p.Catalog.Len() {
		if p.Catalog.Item(at).ID == id {
			return at
		}
	}
	return -1
}

// Line is the decision about the clients that reported the same version.
type Line struct {
	Version string // version in the catalog or, if there is none, the text that the clients sent
	At      int    // position of that version; -1 = not in the catalog
	Target  int    // position of the version to install; -1 = none
	Outcome Outcome
	Checks  int64

	Comparable release.Comparable // zero if the client cannot be compared
}

// Decide returns the decision about clients that sent the given text as their version. If
// the catalog does not contain that version, Decide derives a comparable version from the
// text and compares the clients by that.
func (p Policy) Decide(version string) Line {
	q := release.Query{Version: version}
	if derived, ok := release.Derive(version); ok && p.Catalog.Named(version) < 0 {
		q.Comparable = derived
	}
	d, err := p.Catalog.Check(q, p.Optional)
	if err != nil {
		return Line{Version: version, At: p.Catalog.Named(version), Target: -1, Outcome: Unknown}
	}
	l := Line{Version: version, At: d.Current, Target: d.Target, Outcome: Current, Comparable: d.Comparable}
	switch {
	case d.Required:
		l.Outcome = Required
	case d.ShouldUpdate:
		l.Outcome = Optional
	}
	if l.At >= 0 {
		l.Version = p.Catalog.Item(l.At).Version
	}
	return l
}

// Report contains the decisions about all clients that were counted.
type Report struct {
	Total Totals
	Lines []Line // the line with the most checks comes first
}

// Totals contains the number of update checks, in total and by outcome.
type Totals struct{ Checks, Required, Optional, Current, Unknown int64 }

func (t *Totals) add(o Outcome, n int64) {
	t.Checks += n
	switch o {
	case Required:
		t.Required += n
	case Optional:
		t.Optional += n
	case Current:
		t.Current += n
	case Unknown:
		t.Unknown += n
	}
}

// Report returns the decisions about the clients that made update checks. checks holds
// the number of checks by the text that the clients sent as their version. Texts for the
// same version of the catalog share a line.
func (p Policy) Report(checks map[string]int64) *Report {
	r := &Report{}
	registered := map[int]int{} // index of the line for each position in the catalog
	for version, n := range checks {
		l := p.Decide(version)
		l.Checks = n
		r.Total.add(l.Outcome, n)
		if at, known := registered[l.At]; known && l.At >= 0 {
			r.Lines[at].Checks += n
			continue
		}
		registered[l.At] = len(r.Lines)
		r.Lines = append(r.Lines, l)
	}
	slices.SortFunc(r.Lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(b.Checks, a.Checks), strings.Compare(a.Version, b.Version))
	})
	return r
}

// Of returns the number of update checks of clients that run the version at the given
// position of the catalog.
func (r *Report) Of(at int) int64 {
	for i := range r.Lines {
		if r.Lines[i].At == at {
			return r.Lines[i].Checks
		}
	}
	return 0
}

// CurrentShare returns the share of the version at the given position in the update checks of the
// last 24 hours, and the number of those checks. lastDay holds them by version, as the parameter of
// Report does. Every place that shows the current share of a version uses CurrentShare.
func (p Policy) CurrentShare(at int, lastDay map[string]int64) (share float64, checks int64) {
	report := p.Report(lastDay)
	return Share(report.Of(at), report.Total.Checks), report.Total.Checks
}

// Share returns part divided by whole, a number from 0 to 1. If whole is 0, it returns 0.
func Share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
