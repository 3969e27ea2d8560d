package event

import (
	"svc/internal/platform"
	"svc/internal/stats"
)

// detailsOf is the stored form of a client.
func detailsOf(c *Client) details {
	d := details{
		version: c.PlatformVersion, countryName: c.CountryName, regionName: c.RegionName,
		city: c.City, address: c.Address, agent: c.UserAgent,
		region: uint16(stats.ParseRegion(c.Region)),
	}
	if c.Platform != "" {
		d.platform = uint8(stats.PlatformNumber(c.Platform) + 1)
	}
	return d
}

// client is what details were made from.
func (d *details) client() Client {
	c := Client{
		PlatformVersion: d.version, CountryName: d.countryName, RegionName: d.regionName,
		City: d.city, Address: d.address, UserAgent: d.agent, Platform: platformOf(d.platform),
	}
	if d.region != 0 {
		c.Region = stats.Region(d.region).String()
	}
	return c
}

// platformOf is a stored platform, "" when it is not known.
func platformOf(stored uint8) platform.Platform {
	if stored == 0 {
		return ""
	}
	return stats.PlatformOf(int(stored) - 1)
}
