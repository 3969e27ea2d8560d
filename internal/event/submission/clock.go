// Package submission parses the body of a request that sends events, and validates the
// events. It has no state.
//
//	decode.go   Decode, parsing the body and reporting its problems
//	batch.go    Accept, the events with the names and times to be stored
//	clock.go    the client's clock
package submission

import (
	"strings"
	"time"
	"unicode"
)

const (
	// minSkew is the smallest skew that is corrected. Smaller differences are attributed
	// to the latency of the request.
	minSkew = time.Minute

	dateTime = "2006-01-02t15:04:05"

	minOffset, maxOffset, offsetStep = -12 * 60, 14 * 60, 15
)

// Clock describes the clock of a client. The zero value means that the client sent no
// time.
type Clock struct {
	// OffsetMinutes is the client's time zone, minutes east of UTC: -720 to 840,
	// a multiple of 15.
	OffsetMinutes int
	OffsetKnown   bool
	// Skew is the duration by which the client's clock is behind the server's, in whole
	// seconds. It is negative if the client's clock is ahead. It is limited to about 292
	// years in either direction.
	Skew      time.Duration
	SkewKnown bool
}

// ClientTime parses the time that a client has sent, such as 2026-09-24T10:00:00.000+08:00. Seconds
// may have a fraction of 1 to 9 digits. The offset from UTC is Z, ±HH:MM or ±HHMM. Letters may have
// any case, and surrounding blanks are ignored. For any other text, ClientTime returns the zero
// Clock. If the date or the time of day does not exist, only the offset of the returned Clock is
// known. received is the time at which the request arrived.
func ClientTime(text string, received time.Time) Clock {
	text = strings.TrimSpace(text)
	if len(text) < len(dateTime) || !shaped(text[:len(dateTime)]) {
		return Clock{}
	}
	stamp, rest := text[:len(dateTime)], text[len(dateTime):]
	nanoseconds, rest, ok := cutFraction(rest)
	if !ok {
		return Clock{}
	}
	offset, ok := parseOffset(rest)
	if !ok {
		return Clock{}
	}
	c := Clock{OffsetMinutes: offset, OffsetKnown: true}
	if at, ok := parseStamp(stamp); ok {
		at = at.Add(nanoseconds - time.Duration(offset)*time.Minute)
		c.Skew, c.SkewKnown = received.Sub(at).Round(time.Second), true
	}
	return c
}

// Correction returns the duration to add to the client's times. It is the skew, or 0 if
// the skew is unknown or less than a minute in either direction.
func (c Clock) Correction() time.Duration {
	if !c.SkewKnown || c.Skew.Abs() < minSkew {
		return 0
	}
	return c.Skew
}

// shaped reports whether a text has digits and separators at the same positions as
// dateTime.
func shaped(text string) bool {
	for i := range len(dateTime) {
		want, got := dateTime[i], byte(unicode.ToLower(rune(text[i])))
		if want != got && (!isDigit(want) || !isDigit(got)) {
			return false
		}
	}
	return true
}

// cutFraction removes a fraction of a second from the start of a text, if there is one.
// ok is false if there is a decimal point that is not followed by 1 to 9 digits.
func cutFraction(text string) (fraction time.Duration, rest string, ok bool) {
	if text == "" || text[0] != '.' {
		return 0, text, true
	}
	i, unit := 1, time.Second
	for ; i < len(text) && isDigit(text[i]); i++ {
		unit /= 10
		fraction += unit * time.Duration(text[i]-'0')
	}
	return fraction, text[i:], 2 <= i && i <= 10
}

// parseOffset parses Z, ±HH:MM or ±HHMM and returns the offset in minutes east of UTC.
func parseOffset(text string) (minutes int, ok bool) {
	if len(text) == 1 {
		return 0, unicode.ToLower(rune(text[0])) == 'z'
	}
	if len(text) == 6 && text[3] == ':' {
		text = text[:3] + text[4:]
	}
	if len(text) != 5 || text[0] != '+' && text[0] != '-' {
		return 0, false
	}
	for i := 1; i < len(text); i++ {
		if !isDigit(text[i]) {
			return 0, false
		}
	}
	hours, within := number(text[1:3]), number(text[3:5])
	minutes = hours*60 + within
	if text[0] == '-' {
		minutes = -minutes
	}
	return minutes, within < 60 && minOffset <= minutes && minutes <= maxOffset && minutes%offsetStep == 0
}

// parseStamp parses the date and the time of day in a text that has the form of dateTime. The
// result is in UTC. ok is false if the date or the time of day does not exist.
func parseStamp(text string) (at time.Time, ok bool) {
	month, day := number(text[5:7]), number(text[8:10])
	hour, minute, second := number(text[11:13]), number(text[14:16]), number(text[17:19])
	at = time.Date(number(text[:4]), time.Month(month), day, hour, minute, second, 0, time.UTC)
	// time.Date normalizes values that are out of range, which changes the fields
	ok = int(at.Month()) == month && at.Day() == day && at.Hour() == hour && at.Minute() == minute && at.Second() == second
	return at, ok
}

// number parses digits that have already been validated.
func number(digits string) (n int) {
	for i := range len(digits) {
		n = n*10 + int(digits[i]-'0')
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
