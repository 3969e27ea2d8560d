package notify

import "time"

// waits are the pauses before the second and each further attempt of a delivery.
var waits = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// MaxAttempts is the maximum number of attempts of a delivery.
var MaxAttempts = len(waits) + 1

// Wait returns the pause after a failed attempt until the next one. attempts is the number of
// attempts made. random is a random number from 0 to 1, which varies the pause by up to 10 %. ok is
// false after the last attempt.
func Wait(attempts int, random float64) (wait time.Duration, ok bool) {
	if attempts >= MaxAttempts {
		return 0, false
	}
	return time.Duration(float64(waits[attempts-1]) * (0.9 + 0.2*random)), true
}
