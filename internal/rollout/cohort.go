package rollout

import (
	"slices"

	"svc/internal/platform"
)

// MaxCountries is the maximum number of countries of a cohort.
const MaxCountries = 250

// Cohort limits a rollout to the callers that meet all of its conditions. An empty field sets no
// condition.
type Cohort struct {
	Platforms []platform.Platform `json:"platforms,omitempty"`
	Countries []string            `json:"countries,omitempty"` // two upper-case letters each
	// CurrentMin and CurrentMax are comparable versions. Both ends are included.
	CurrentMin string `json:"current_min,omitempty"`
	CurrentMax string `json:"current_max,omitempty"`
}

// Empty reports whether the cohort has no condition.
func (c *Cohort) Empty() bool {
	return len(c.Platforms) == 0 && len(c.Countries) == 0 && c.CurrentMin == "" && c.CurrentMax == ""
}

// Matches reports whether a caller meets all conditions. The platform and the country are "" if
// they are unknown, and then do not match. inRange reports whether the caller's version is known
// and between CurrentMin and CurrentMax. The caller of Matches compares it, because package
// release knows how versions compare. A nil cohort matches every caller.
func (c *Cohort) Matches(on platform.Platform, country string, inRange bool) bool {
	return c == nil ||
		(len(c.Platforms) == 0 || slices.Contains(c.Platforms, on)) &&
			(len(c.Countries) == 0 || slices.Contains(c.Countries, country)) &&
			(c.CurrentMin == "" && c.CurrentMax == "" || inRange)
}

// IsCountry reports whether text has the form of a country code: two upper-case letters.
func IsCountry(text string) bool {
	return len(text) == 2 && 'A' <= min(text[0], text[1]) && max(text[0], text[1]) <= 'Z'
}
