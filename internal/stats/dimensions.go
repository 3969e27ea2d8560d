package stats

import (
	"slices"

	"svc/internal/platform"
)

// Platforms is greater than every number that PlatformNumber returns, and Regions is greater
// than every Region.
const (
	Platforms = 1 << 3
	Regions   = 2 + 26*26
)

// countedPlatforms lists the platforms by the number that they have in counters.
var countedPlatforms = [...]platform.Platform{
	platform.Others, platform.Windows, platform.Linux, platform.MacOS, platform.IOS, platform.Android, platform.Web,
}

// PlatformNumber returns the number that a platform has in counters. An empty platform is
// counted as platform.Others.
func PlatformNumber(on platform.Platform) int {
	return max(slices.Index(countedPlatforms[:], on), 0)
}

// PlatformOf returns the platform that has the given number in counters.
func PlatformOf(number int) platform.Platform {
	if number >= len(countedPlatforms) {
		return platform.Others
	}
	return countedPlatforms[number]
}

// Region is the region from which a request came, as a small number: 0 means that it is
// unknown, 1 means the local network, and greater numbers are countries.
type Region uint16

// ParseRegion parses a country code of two capital letters, or LOCAL. For any other text
// it returns the unknown region.
func ParseRegion(text string) Region {
	if text == "LOCAL" {
		return 1
	}
	if len(text) != 2 || text[0] < 'A' || text[0] > 'Z' || text[1] < 'A' || text[1] > 'Z' {
		return 0
	}
	return 2 + 26*Region(text[0]-'A') + Region(text[1]-'A')
}

// String returns the country code (ISO 3166-1 alpha-2), LOCAL or UNKNOWN.
func (r Region) String() string {
	switch {
	case r == 0 || r >= Regions:
		return "UNKNOWN"
	case r == 1:
		return "LOCAL"
	}
	return string([]byte{'A' + byte((r-2)/26), 'A' + byte((r-2)%26)})
}

// Offset is the time zone that a client has sent. The zero Offset means that it has sent
// none.
type Offset uint8

// OffsetOf returns the Offset for a time zone in minutes east of UTC, which must be a
// multiple of 15 from -12:00 to +14:00. For any other number it returns the zero Offset.
func OffsetOf(minutes int) Offset {
	if minutes < -720 || minutes > 840 || minutes%15 != 0 {
		return 0
	}
	return Offset((minutes+720)/15 + 1)
}

// Minutes returns the time zone in minutes east of UTC. ok is false for the zero Offset.
func (o Offset) Minutes() (minutes int, ok bool) { return (int(o)-1)*15 - 720, o != 0 }
