package doctor

import (
	"os"
	"path/filepath"
	"time"

	"svc/internal/datadir"
)

// slack is the tolerated difference between two clocks.
const slack = time.Minute

// checkClock compares the clock with the times that are recorded in the data. If a
// recorded time is in the future, the clock was ahead then or is behind now.
func checkClock(p *Installation) []Finding {
	repair := messagef("set the clock and synchronize it with NTP (timedatectl set-ntp true)")
	for _, name := range append([]string{datadir.Secrets, datadir.Readme}, datadir.Databases...) {
		info, err := os.Stat(filepath.Join(p.Settings.Data, name))
		if err == nil && info.ModTime().Sub(p.Now) > slack {
			return []Finding{warning("clock_behind_file", messagef("the clock says %s, but %s was written at %s", moment(p.Now), name,
				moment(info.ModTime())),
				repair)}
		}
	}
	if p.Facts == nil {
		return nil
	}
	if last := time.UnixMilli(p.Facts.LastID); last.Sub(p.Now) > slack {
		return []Finding{warning("clock_behind_record", messagef("the clock says %s, but the last record was created at %s; new records get "+
			"that time until the clock has passed it", moment(p.Now), moment(last)),
			repair)}
	}
	return nil
}

func moment(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05 MST") }

// checkTimeZone warns if the variable TZ names a time zone that cannot be loaded.
func checkTimeZone(p *Installation) []Finding {
	zone := p.variable("TZ")
	if zone == "" || zone[0] == ':' || filepath.IsAbs(zone) {
		return nil
	}
	if _, err := time.LoadLocation(zone); err != nil {
		return []Finding{warning("time_zone_unknown", messagef("TZ is %q, which is not a known time zone: schedules and logs are in UTC", zone),
			messagef("use a name such as Europe/Berlin, or install the time zone data"))}
	}
	return nil
}
