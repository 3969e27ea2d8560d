package rollout

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// The limits of steps.
const (
	MaxSteps       = 20
	MaxHoldSeconds = 90 * 24 * 3600
	MaxMinExposure = 1_000_000
)

// Percent is a percentage in hundredths: 2500 is 25 %. Its JSON form is a number from 0 to 100 with
// at most 2 decimals.
type Percent int

// Whole is 100 %.
const Whole Percent = 100_00

// ParsePercent returns the percentage with the given value. It returns false if the value is not
// from 0 to 100 or has more than 2 decimals.
func ParsePercent(value float64) (Percent, bool) {
	hundredths := math.Round(value * 100)
	// A quotient is rounded to the nearest number, as is the number that was sent. So both are equal
	// exactly if the text of the number had at most 2 decimals.
	if value < 0 || value > 100 || hundredths/100 != value {
		return 0, false
	}
	return Percent(hundredths), true
}

// String returns the percentage as a decimal number without a percent sign.
func (p Percent) String() string { return strconv.FormatFloat(float64(p)/100, 'f', -1, 64) }

// MarshalJSON returns the percentage as a number.
func (p Percent) MarshalJSON() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalJSON parses the form that MarshalJSON returns.
func (p *Percent) UnmarshalJSON(raw []byte) error {
	value, err := strconv.ParseFloat(string(raw), 64)
	parsed, ok := ParsePercent(value)
	if err != nil || !ok {
		return fmt.Errorf("%q is not a number from 0 to 100 with at most 2 decimals", raw)
	}
	*p = parsed
	return nil
}

// Step is a percentage that a rollout reaches. The rollout advances from it by itself when it has
// been in force for HoldSeconds and MinExposure users have been seen on the version since then.
type Step struct {
	Percent     Percent `json:"percent"`
	HoldSeconds int64   `json:"hold_seconds,omitempty"`
	MinExposure int64   `json:"min_exposure,omitempty"`
}

// CheckSteps returns a message for each rule that the steps violate. field is the name of the list
// in the messages.
func CheckSteps(field string, steps []Step) (problems []string) {
	if len(steps) < 1 || len(steps) > MaxSteps {
		return []string{fmt.Sprintf("%s must have 1 to %d entries", field, MaxSteps)}
	}
	for i, s := range steps {
		if i > 0 && s.Percent <= steps[i-1].Percent {
			problems = append(problems, fmt.Sprintf("%s[%d].percent must be greater than %s, the percent of the step before it",
				field, i, steps[i-1].Percent))
		}
	}
	if last := steps[len(steps)-1].Percent; last != Whole {
		problems = append(problems, fmt.Sprintf("%s must end with a step of 100 percent, not %s", field, last))
	}
	return problems
}

// stepAt returns the index of the last step whose percentage is not greater than p, or -1.
func stepAt(steps []Step, p Percent) int {
	at, found := slices.BinarySearchFunc(steps, p, func(s Step, p Percent) int { return int(s.Percent - p) })
	if found {
		return at
	}
	return at - 1
}
