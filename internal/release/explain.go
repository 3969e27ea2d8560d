package release

import "svc/internal/fault"

// Codes of findings that are not reasons of a decision.
const (
	NothingPublished            = "nothing_published"              // no version can be offered
	PreviewsNotIncluded         = "previews_not_included"          // a preview is greater than the candidate, but previews are not included
	DeprecatedVersionPassedOver = "deprecated_version_passed_over" // a greater version is deprecated, so it is not a candidate
	LatestVersionDeprecated     = "latest_version_deprecated"      // the candidate is deprecated, because there is no other
	CurrentVersionRegistered    = "current_version_registered"     // the catalog contains the client's version
	CurrentVersionNotRegistered = "current_version_not_registered" // the client is compared by the version that it has sent
	CurrentVersionUnknown       = "current_version_unknown"        // the client cannot be compared
	LatestVersionInstalled      = "latest_version_installed"       // the client's version equals the candidate
	AboveLatestVersion          = "above_latest_version"           // the client's version is greater than the candidate
	InsideOptionalUpdateRange   = "inside_optional_update_range"   // the optional range contains the client's version
)

// Finding is a rule of the update check that applied, with the version or range to which
// it applied.
type Finding struct {
	Code    string // one of the constants of this package
	Version int    // position of the version in the catalog; -1 = none
	Range   Range  // set only for findings about the optional range
}

// Explain returns the result of Check and the rules that led to it, in the order in which
// they apply. It returns findings even if there is an error.
func (c *Catalog) Explain(q Query, optional Range) (Decision, []Finding, error) {
	d, err := c.Check(q, optional)
	var found []Finding
	add := func(code string, version int) { found = append(found, Finding{Code: code, Version: version}) }

	latest := c.candidate(q.Preview)
	switch {
	case latest < 0:
		add(NothingPublished, -1)
	case c.items[latest].Deprecated:
		add(LatestVersionDeprecated, latest)
	default:
		if at := c.first(func(v *Item) bool { return v.Deprecated && (q.Preview || !v.Preview) }); c.above(at, latest) {
			add(DeprecatedVersionPassedOver, at)
		}
	}
	if !q.Preview && c.preview >= 0 && (latest < 0 || c.above(c.preview, latest)) {
		add(PreviewsNotIncluded, c.preview)
	}
	switch {
	case fault.Is(err, fault.Invalid):
		add(CurrentVersionUnknown, -1)
	case err != nil:
	case d.Current >= 0:
		add(CurrentVersionRegistered, d.Current)
	default:
		add(CurrentVersionNotRegistered, -1)
	}
	if err != nil {
		return d, found, err
	}
	if order := c.items[latest].Comparable.Compare(d.Comparable); order == 0 {
		add(LatestVersionInstalled, latest)
	} else if order < 0 {
		add(AboveLatestVersion, latest)
	}
	for _, reason := range d.Reasons {
		switch reason {
		case NewerVersionAvailable:
			add(reason, latest)
		case CurrentVersionDeprecated:
			add(reason, d.Current)
		case OutsideOptionalUpdateRange:
			found = append(found, Finding{reason, -1, optional})
		case MilestoneGuard:
			add(reason, d.Target)
		}
	}
	if d.ShouldUpdate && optional != (Range{}) && optional.Contains(d.Comparable) {
		found = append(found, Finding{InsideOptionalUpdateRange, -1, optional})
	}
	return d, found, nil
}

// above reports whether a version exists and is greater than another.
func (c *Catalog) above(at, other int) bool {
	return at >= 0 && c.items[at].Comparable.Compare(c.items[other].Comparable) > 0
}
