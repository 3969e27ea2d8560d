package stats

import (
	"slices"

	"svc/internal/platform"
)

// Platforms is greater than the largest number of a platform, and Regions is greater than
// the largest Region.
const (
	Platforms = 1 << 3
	Regions   = 2 + 26*26
)

// countedPlatforms lists the platforms by their number in counters.
var countedPlatforms = [...]platform.Platform{
	platform.Others, platform.Windows, platform.Linux, platform.MacOS, platform.IOS, platform.Android, platform.Web,
}

// PlatformNumber returns the number of a platform in counters. A missing platform counts
// as platform.Others.
func PlatformNumber(on platform.Platform) int {
	return max(slices.Index(countedPlatforms[:], on), 0)
}

// PlatformOf returns the platform with a number in counters.
func PlatformOf(number int) platform.Platform {
	if number >= len(countedPlatforms) {
		return platform.Others
	}
	return countedPlatforms[number]
}

// Region is the origin of a request as a small number: 0 means unknown, 1 means the local
// network, and greater numbers are countries.
type Region uint16

// ParseRegion parses two capital letters or LOCAL. It returns the unknown region for any other
// text.
func ParseRegion(text string) Region {
	if text == "LOCAL" {
		return 1
	}
	if len(text) != 2 || text[0] < 'A' || text[0] > 'Z' || text[1] < 'A' || text[1] > 'Z' {
		return 0
	}
	return 2 + 26*Region(text[0]-'A') + Region(text[1]-'A')
}

// String returns a country code (ISO 3166-1 alpha-2), LOCAL or UNKNOWN.
func (r Region) String() string {
	switch {
	case r == 0 || r >= Regions:
		return "UNKNOWN"
	case r == 1:
		return "LOCAL"
	}
	return string([]byte{'A' + byte((r-2)/26), 'A' + byte((r-2)%26)})
}

// Offset is the time zone sent by a client. The zero Offset means "not sent".
type Offset uint8

// OffsetOf returns the Offset for minutes east: a multiple of 15 from -12:00 to +14:00. Other
// values count as not sent.
func OffsetOf(minutes int) Offset {
	if minutes < -720 || minutes > 840 || minutes%15 != 0 {
		return 0
	}
	return Offset((minutes+720)/15 + 1)
}

// Minutes returns the offset in minutes east; ok is false if it was not sent.
func (o Offset) Minutes() (minutes int, ok bool) { return (int(o)-1)*15 - 720, o != 0 }
