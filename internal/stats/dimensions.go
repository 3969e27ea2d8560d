package stats

import (
	"slices"

	"svc/internal/platform"
)

// Platforms and Regions are more than the greatest number of each.
const (
	Platforms = 1 << 3
	Regions   = 2 + 26*26
)

// countedPlatforms gives each platform its number in counters.
var countedPlatforms = [...]platform.Platform{
	platform.Others, platform.Windows, platform.Linux, platform.MacOS, platform.IOS, platform.Android, platform.Web,
}

// PlatformNumber is the number of a platform in counters; none counts as others.
func PlatformNumber(on platform.Platform) int {
	return max(slices.Index(countedPlatforms[:], on), 0)
}

// PlatformOf is the platform with a number in counters.
func PlatformOf(number int) platform.Platform {
	if number >= len(countedPlatforms) {
		return platform.Others
	}
	return countedPlatforms[number]
}

// Region is where a request came from, as a small number: 0 when that is not
// known, 1 for this network, then the countries.
type Region uint16

// ParseRegion reads two capital letters or LOCAL. Everything else is the region
// that is not known.
func ParseRegion(text string) Region {
	if text == "LOCAL" {
		return 1
	}
	if len(text) != 2 || text[0] < 'A' || text[0] > 'Z' || text[1] < 'A' || text[1] > 'Z' {
		return 0
	}
	return 2 + 26*Region(text[0]-'A') + Region(text[1]-'A')
}

// String is a country code (ISO 3166-1 alpha-2), LOCAL or UNKNOWN.
func (r Region) String() string {
	switch {
	case r == 0 || r >= Regions:
		return "UNKNOWN"
	case r == 1:
		return "LOCAL"
	}
	return string([]byte{'A' + byte((r-2)/26), 'A' + byte((r-2)%26)})
}

// Offset is the time zone that a client sent. The zero Offset is "not sent".
type Offset uint8

// OffsetOf takes minutes east: a multiple of 15 from -12:00 to +14:00. Anything
// else counts as not sent.
func OffsetOf(minutes int) Offset {
	if minutes < -720 || minutes > 840 || minutes%15 != 0 {
		return 0
	}
	return Offset((minutes+720)/15 + 1)
}

// Minutes is the offset in minutes east; ok is false when it was not sent.
func (o Offset) Minutes() (minutes int, ok bool) { return (int(o)-1)*15 - 720, o != 0 }
