// Package usage decides what the update check tells the clients that were counted, so that
// every figure about them rests on the same decision. The caller reads the counters and the
// catalog, and may pass a changed catalog to learn the effect of a change.
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
	Current  Outcome = "current"  // there is nothing newer
	Unknown  Outcome = "unknown"  // the client cannot be compared, or there is nothing to offer
)

// Policy holds the rules for update decisions. HasFile reports whether the version at a
// position of the catalog has a download.
type Policy struct {
	Catalog  *release.Catalog
	Optional release.Range
	HasFile  func(at int) bool
}

// Deprecate returns a copy of the policy in which the version at a position is deprecated. It
// returns the error of the update request if the server would refuse that request.
func (p Policy) Deprecate(at int) (Policy, error) {
	changed, err := p.Catalog.Deprecate(at)
	p.Catalog = changed
	return p, err
}

// Position returns the position of the version with the given id, or -1 if there is none.
func (p Policy) Position(id uuid.UUID) int {
	for at := range p.Catalog.Len() {
		if p.Catalog.Item(at).ID == id {
			return at
		}
	}
	return -1
}

// Line is the decision about clients that reported the same version.
type Line struct {
	Version string // the registered version, else the text that the clients sent
	At      int    // position of the registered version; -1 = not registered
	Target  int    // version to install; -1 = none
	Outcome Outcome
	Checks  int64

	Comparable release.Comparable // zero if the client cannot be compared
}

// Decide returns the decision about the clients that sent the given text as their version. A
// text that is not registered is compared by the comparable version derived from it.
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

// Report is the decisions about all clients that were counted.
type Report struct {
	Total Totals
	Lines []Line // most checks first
}

// Totals are update checks by outcome.
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

// Report decides about the clients of update checks, which are counted by the version that the
// client sent. The texts of one registered version share a line.
func (p Policy) Report(checks map[string]int64) *Report {
	r := &Report{}
	registered := map[int]int{} // index of the line, by position
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

// Of returns the number of update checks by clients that run the version at a position.
func (r *Report) Of(at int) int64 {
	for i := range r.Lines {
		if r.Lines[i].At == at {
			return r.Lines[i].Checks
		}
	}
	return 0
}

// Share returns the share of a part in the whole, from 0 to 1. It is 0 if there is no whole.
func Share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
