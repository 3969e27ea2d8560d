package event

import (
	"svc/internal/event/block"
	"svc/internal/event/submission"
	"svc/internal/platform"
	"svc/internal/stats"
)

// Batch holds the validated and normalized events of one request.
type Batch struct {
	Project  Project
	Received int64  // Unix second
	Subject  string // distinct_id, 1 to 128 characters
	Session  string // session_id; "" = none
	Client   submission.Client
	// OffsetMinutes is the client's time zone, in minutes east of UTC. Only the hourly
	// counters use it, as a dimension.
	OffsetMinutes int
	OffsetKnown   bool
	Items         []submission.Item
}

// Event is a stored event with the data that may be shown to its subject, the user that
// its distinct_id identifies.
type Event struct {
	Name, ID, Session string // Session "" = none
	At, Received      int64  // Unix seconds
	Properties        []byte // a JSON object; nil = none
	Client            submission.Client
}

// detailsOf returns the stored form of a client.
func detailsOf(c *submission.Client) block.Details {
	d := block.Details{
		Version: c.PlatformVersion, CountryName: c.CountryName, RegionName: c.RegionName,
		City: c.City, Address: c.Address, Agent: c.UserAgent,
		Region: uint16(stats.ParseRegion(c.Region)),
	}
	if c.Platform != "" {
		d.Platform = uint8(stats.PlatformNumber(c.Platform) + 1)
	}
	return d
}

// clientOf returns the client for its stored form. It is the inverse of detailsOf.
func clientOf(d *block.Details) submission.Client {
	c := submission.Client{
		PlatformVersion: d.Version, CountryName: d.CountryName, RegionName: d.RegionName,
		City: d.City, Address: d.Address, UserAgent: d.Agent, Platform: platformOf(d.Platform),
	}
	if d.Region != 0 {
		c.Region = stats.Region(d.Region).String()
	}
	return c
}

// platformOf returns the platform that is stored as the given number, or "" if the number
// is unknown.
func platformOf(stored uint8) platform.Platform {
	if stored == 0 {
		return ""
	}
	return stats.PlatformOf(int(stored) - 1)
}
