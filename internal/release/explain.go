package release

import (
	"slices"

	"svc/internal/fault"
	"svc/internal/rollout"
)

// Codes of findings that are not reasons of a decision. The candidate is the greatest version
// that is offered to the client; see Decision.Latest.
const (
	NothingPublished            = "nothing_published"              // no version can be offered
	PreviewsNotIncluded         = "previews_not_included"          // the channel excludes a preview that is greater than the candidate
	DeprecatedVersionPassedOver = "deprecated_version_passed_over" // a greater version is deprecated, so it is not a candidate
	LatestVersionDeprecated     = "latest_version_deprecated"      // the candidate is deprecated, because there is no other
	CurrentVersionRegistered    = "current_version_registered"     // the catalog contains the client's version
	CurrentVersionNotRegistered = "current_version_not_registered" // the client is compared by the version that it has sent
	CurrentVersionUnknown       = "current_version_unknown"        // the client cannot be compared
	LatestVersionInstalled      = "latest_version_installed"       // the client's version equals the candidate
	AboveLatestVersion          = "above_latest_version"           // the client's version is greater than the candidate
	InsideOptionalUpdateRange   = "inside_optional_update_range"   // the optional range contains the client's version
)

// Codes of findings about versions that are not offered to the client.
const (
	RolloutHeld      = "rollout_held"
	RolloutAborted   = "rollout_aborted"
	CohortNotMatched = "cohort_not_matched"
)

// Finding is a rule of the update check that applied, with the version or range to which
// it applied.
type Finding struct {
	Code    string // one of the constants of this package
	Version int    // position of the version in the catalog; -1 = none
	Range   Range  // set only for findings about the optional range
}

// Explain returns the result of Check and the rules that led to it, in the order in which
// they apply. It returns findings even if there is an error, unless the channel does not exist.
func (c *Catalog) Explain(q Query, optional Range) (Decision, []Finding, error) {
	d, err := c.Check(q, optional)
	if c.pool(q.Channel) == nil {
		return d, nil, err
	}
	offer := c.Offer(q)
	e := explanation{o: c.offers(c.pool(q.Channel), q, offer.Comparable)}
	e.explainLatest(offer.Latest)
	e.explainRollouts(offer.Target)
	switch {
	case fault.Is(err, fault.Invalid):
		e.add(CurrentVersionUnknown, -1)
	case err != nil:
	case d.Current >= 0:
		e.add(CurrentVersionRegistered, d.Current)
	default:
		e.add(CurrentVersionNotRegistered, -1)
	}
	switch {
	case err == nil:
		e.explainReasons(d, optional)
	case offer.Withheld >= 0:
		e.add(RolloutNotReached, offer.Withheld)
	}
	return d, e.found, err
}

// explanation collects the findings about one caller.
type explanation struct {
	o     offers
	found []Finding
}

func (e *explanation) add(code string, version int) {
	e.found = append(e.found, Finding{Code: code, Version: version})
}

// explainLatest explains why a version is the greatest one offered to the caller. The parameter
// latest is the position of the version in the catalog, or -1 if no version is offered.
func (e *explanation) explainLatest(latest int) {
	c := e.o.c
	switch {
	case latest < 0:
		e.add(NothingPublished, -1)
	case c.items[latest].Deprecated:
		e.add(LatestVersionDeprecated, latest)
	default:
		if at := c.first(func(at int, v *Item) bool { return v.Deprecated && e.o.has(at) }); c.above(at, latest) {
			e.add(DeprecatedVersionPassedOver, at)
		}
	}
	if e.o.pool.previews {
		return
	}
	previews := c.offers(c.pool(Preview), e.o.q, e.o.current)
	if at := previews.candidate(true); at >= 0 && (latest < 0 || c.above(at, latest)) {
		e.add(PreviewsNotIncluded, at)
	}
}

// explainRollouts adds a finding for each version that is greater than the target and the
// caller's version, but is not offered because its rollout is held, aborted or for other callers.
func (e *explanation) explainRollouts(target int) {
	floor := e.o.floor(target)
	for at := range e.o.c.items {
		v := &e.o.c.items[at]
		switch {
		case v.Comparable.Compare(floor) <= 0:
			return // all that follow are less
		case v.Rollout == nil || !e.o.fits(at):
		case v.Rollout.State == rollout.Held:
			e.add(RolloutHeld, at)
		case v.Rollout.State == rollout.Aborted:
			e.add(RolloutAborted, at)
		case !e.o.reached(at) && !e.o.matches(at):
			e.add(CohortNotMatched, at)
		}
	}
}

// explainReasons adds the reasons of a decision, each with the version or range to which it
// applies.
func (e *explanation) explainReasons(d Decision, optional Range) {
	c := e.o.c
	if order := c.items[d.Latest].Comparable.Compare(d.Comparable); order == 0 {
		e.add(LatestVersionInstalled, d.Latest)
	} else if order < 0 {
		e.add(AboveLatestVersion, d.Latest)
	}
	for _, reason := range d.Reasons {
		switch reason {
		case NewerVersionAvailable:
			e.add(reason, d.Latest)
		case CurrentVersionDeprecated, CurrentVersionYanked:
			e.add(reason, d.Current)
		case OutsideOptionalUpdateRange:
			e.found = append(e.found, Finding{reason, -1, optional})
		case MilestoneGuard:
			e.add(reason, d.Target)
		case RolloutNotReached:
			e.add(reason, d.Withheld)
		case DowngradeOffered:
			e.add(reason, d.Downgrade)
		}
	}
	if slices.Contains(d.Reasons, NewerVersionAvailable) && optional != (Range{}) && optional.Contains(d.Comparable) {
		e.found = append(e.found, Finding{InsideOptionalUpdateRange, -1, optional})
	}
}

// above reports whether the version at one position is greater than the version at another. If the
// first position, the parameter at, is -1, above returns false.
func (c *Catalog) above(at, other int) bool {
	return at >= 0 && c.items[at].Comparable.Compare(c.items[other].Comparable) > 0
}
