package transfer

import (
	"svc/api/analytics"
	"svc/internal/event"
	"svc/internal/platform"
	"svc/internal/stats"
	"svc/store"
)

// The lines of an export contain the data that administrators see. They also contain data that only
// an import needs: texts in languages that are currently not registered.

// exportedDefinition is an event name with its definition. ID is nil if the definition was deleted.
type exportedDefinition struct {
	ID          *string `json:"event_definition_id"`
	Name        string  `json:"name"`
	DisplayName *string `json:"display_name"`
	Description *string `json:"description"`
	Archived    bool    `json:"archived"`
	FirstSeen   int64   `json:"first_seen_time"`
	LastSeen    int64   `json:"last_seen_time"`
}

func exportDefinition(d event.Definition) exportedDefinition {
	return exportedDefinition{analytics.NilIfEmpty(&d.ID), d.Name, d.DisplayName, d.Description, d.Archived, d.FirstSeen, d.LastSeen}
}

type exportedEvent struct {
	DistinctID string `json:"distinct_id"`
	analytics.EventView
}

// exportedCount is an hourly counter of events.
type exportedCount struct {
	Hour     int64             `json:"hour"` // start of the hour in Unix seconds
	Name     string            `json:"event_name"`
	Platform platform.Platform `json:"platform"`
	Region   string            `json:"region"`
	Offset   *int              `json:"utc_offset_minutes"` // minutes east of UTC; nil if the client did not send it
	Count    int64             `json:"count"`
}

func exportCount(c *event.Count) exportedCount {
	return exportedCount{c.Hour, c.Name, c.Platform, c.Region.String(), minutesEast(c.Offset), c.N}
}

// exportedRequests is an hourly counter of requests. The codes of provinces and cities follow GB/T
// 2260, or are empty.
type exportedRequests struct {
	Hour     int64             `json:"hour"`
	Endpoint string            `json:"endpoint"`
	Platform platform.Platform `json:"platform"`
	Region   string            `json:"region"`
	Province string            `json:"province_code"`
	City     string            `json:"city_code"`
	Offset   *int              `json:"utc_offset_minutes"`
	Count    int64             `json:"count"`
}

func exportRequests(h store.Hour, r store.Request, n int64) exportedRequests {
	province, city := r.Place().Codes()
	return exportedRequests{
		Hour: h.Start(), Endpoint: r.Endpoint().String(), Platform: stats.PlatformOf(r.PlatformNumber()), Region: r.Place().Region().String(),
		Province: province, City: city, Offset: minutesEast(r.Offset()), Count: n,
	}
}

func minutesEast(o stats.Offset) *int {
	minutes, ok := o.Minutes()
	if !ok {
		return nil
	}
	return &minutes
}

// exportedSystem is an hourly counter of the requests from one version of a system or of the app.
type exportedSystem struct {
	Hour     int64             `json:"hour"`
	Platform platform.Platform `json:"platform"`
	Version  string            `json:"version"` // "" = not reported
	Count    int64             `json:"count"`
}

// exportedDownloads is the number of downloads of a file on one day in UTC.
type exportedDownloads struct {
	Day    int64  `json:"day"`     // start of the day in Unix seconds
	FileID string `json:"file_id"` // "(other)" represents the files beyond the limit of a day
	Count  int64  `json:"count"`
}

// exportedHealth contains the users first seen on a version in a bucket of time, and those of them
// that have failed since.
type exportedHealth struct {
	Version   string           `json:"version"`
	Time      int64            `json:"t"` // start of the bucket in Unix seconds
	Addresses int64            `json:"addresses"`
	Users     int64            `json:"users"`
	ErrorLogs int64            `json:"error_logs"` // addresses with an error log
	Events    map[string]int64 `json:"events"`     // users with an event, by its name
}

// exportedFile describes a stored file. It does not name the storage, which differs between
// installations.
type exportedFile struct {
	ID        store.FileID     `json:"id"`
	Filename  string           `json:"filename"`
	Size      int64            `json:"size"`
	SHA256    *string          `json:"sha256"` // nil if it is not known
	Source    store.FileSource `json:"source"`
	SourceURL *string          `json:"source_url"`
	ObjectKey string           `json:"object_key"`
	CreatedAt int64            `json:"created_at"`
	Status    store.FileStatus `json:"status"`
	Content   bool             `json:"content"` // its content is in the archive
	Problem   *string          `json:"problem"` // why its content is not in the archive
	// Kept lists the checks of signatures that remain valid although their key is retired.
	Kept []string `json:"kept_signatures,omitempty"`
}

// exportedContents summarizes the contents in an archive.
type exportedContents struct {
	Files   int64          `json:"files"`
	Bytes   int64          `json:"bytes"`
	Omitted int64          `json:"omitted"` // contents that are unreadable or not available yet
	Which   []store.FileID `json:"which"`   // IDs of the first omitted files
}
