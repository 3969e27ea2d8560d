package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"svc/internal/transfer"
)

const projectKey = "bench"

// words are search terms. Each one occurs in about one of 20,000 logs.
var words = [...]string{
	"kestrel", "lantern", "meadow", "nickel", "orchid", "pebble", "quiver", "russet", "saffron", "thistle",
	"umber", "velvet", "walnut", "xenon", "yarrow", "zephyr", "bramble", "copper", "drizzle", "ember",
}

var (
	messages = []string{
		"synchronised %d paragraphs", "no answer for %d ms, trying again", "opened document %d",
		"cannot decode picture %d: unexpected end of stream", "page cache: %d of 512 used",
	}
	sources   = []string{"sync", "library", "export", "media", "layout"}
	platforms = []string{"windows", "macos", "linux", "ios", "android"}
	versions  = []string{"11", "15.7", "24.04", "26.1", "16"}
	places    = [][2]string{
		{"Germany", "Berlin"}, {"Japan", "Osaka"}, {"China", "Shanghai"}, {"United States", "Boston"}, {"Brazil", "São Paulo"},
	}
)

// record is a log or feedback in a form that both servers accept. svc ignores the text fields that
// only PocketBase needs.
type record struct {
	Level           *int           `json:"level,omitempty"`
	Rating          *int           `json:"rating,omitempty"`
	Content         string         `json:"content"`
	Source          string         `json:"source,omitempty"`
	Platform        string         `json:"platform"`
	PlatformVersion string         `json:"platform_version"`
	IP              string         `json:"ip"`
	Country         string         `json:"country_name"`
	City            string         `json:"city"`
	CreatedAt       int64          `json:"created_at"`
	Created         string         `json:"created"`
	DeviceInfo      map[string]any `json:"device_info,omitempty"`
	CustomData      map[string]any `json:"custom_data"`
}

// records generates logs or feedback from the last 30 days. It calls the function each for every
// record.
func records(n int, feedback bool, each func(*record) error) error {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	begin := time.Now().Add(-30 * 24 * time.Hour).Unix()
	for i := range n {
		at := begin + int64(float64(i)/float64(n)*30*24*3600)
		kind, platform, place := r.IntN(len(messages)), r.IntN(len(platforms)), places[r.IntN(len(places))]
		text := fmt.Sprintf(messages[kind], r.IntN(100_000))
		if r.IntN(1000) == 0 {
			text = words[r.IntN(len(words))] + ": " + text
		}
		line := record{
			Content: text, Platform: platforms[platform], PlatformVersion: versions[platform], IP: fmt.Sprintf("203.0.113.%d", r.IntN(256)),
			Country: place[0], City: place[1],
			CreatedAt: at, Created: time.Unix(at, 0).UTC().Format("2006-01-02 15:04:05.000Z"),
			CustomData: map[string]any{"session": fmt.Sprintf("%016x", r.Uint64()), "attempt": r.IntN(5)},
		}
		number := r.IntN(4)
		if feedback {
			number++
			line.Rating = &number
		} else {
			line.Level, line.Source, line.DeviceInfo = &number, sources[kind],
				map[string]any{"model": fmt.Sprintf("M%d", r.IntN(40)), "memory_mb": 1024 << r.IntN(5)}
		}
		if err := each(&line); err != nil {
			return err
		}
	}
	return nil
}

// feedbacks is the number of feedback entries in the second list, to which the benchmark switches.
const feedbacks = 2000

// writeLines writes a file of records that PocketBase imports.
func writeLines(path string, n int, feedback bool) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<20)
	lines := json.NewEncoder(out)
	if err := records(n, feedback, func(r *record) error { return lines.Encode(r) }); err != nil {
		return err
	}
	return out.Flush()
}

// cards returns the queries of 12 different cards for the dashboard. They cover all kinds of
// queries.
func cards() (list []any) {
	queries := []string{
		`{"type":"timeseries","granularity":"day","events":[{"name":"open","alias":"A"}]}`,
		`{"type":"timeseries","granularity":"day","events":[{"name":"open","alias":"A","measure":"unique_users"}]}`,
		`{"type":"breakdown","events":[{"name":"open","alias":"A"}],"group_by":{"kind":"property","key":"plan"}}`,
		`{"type":"breakdown","events":[{"name":"export","alias":"A"}],"group_by":{"kind":"platform"}}`,
		`{"type":"value","events":[{"name":"export","alias":"A"},{"name":"open","alias":"B"}],"formula":"A / B * 100"}`,
		`{"type":"value","events":[{"name":"buy","alias":"A","measure":"unique_users"}]}`,
		`{"type":"timeseries","granularity":"day","events":[{"name":"export","alias":"A"},{"name":"buy","alias":"B"}]}`,
		`{"type":"timeseries","granularity":"day","events":[{"name":"buy","alias":"A","measure":"unique_users"}]}`,
		`{"type":"breakdown","events":[{"name":"buy","alias":"A"}],"group_by":{"kind":"property","key":"plan"}}`,
		`{"type":"breakdown","events":[{"name":"open","alias":"A","measure":"unique_users"}],"group_by":{"kind":"platform"}}`,
		`{"type":"value","events":[{"name":"buy","alias":"A","measure":"unique_users"},{"name":"open","alias":"B","measure":"unique_users"}],` +
			`"formula":"A / B * 100"}`,
		`{"type":"value","events":[{"name":"open","alias":"A"}]}`,
	}
	for i, query := range queries {
		list = append(list, map[string]any{"title": fmt.Sprintf("Card %d", i+1), "query": json.RawMessage(query), "sort_order": i})
	}
	return list
}

// writeArchive writes an archive that svc imports. It contains a project with the same records as
// those that PocketBase imports, and with additional events.
func writeArchive(dir string, rows, events int) (path string, err error) {
	path = filepath.Join(dir, "bench.zip")
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<20)
	a := transfer.NewWriter(out, transfer.Manifest{Program: "bench", CreatedAt: time.Now().Unix(), ProjectKey: projectKey})
	line := func(r *record) error { return a.Line(r) }
	for _, file := range []struct {
		name  string
		lines func() error
	}{
		{transfer.ProjectFile, func() error {
			return a.Line(map[string]any{"project_key": projectKey, "name": "Bench", "description": "A project that is measured."})
		}},
		{transfer.VersionsFile, func() error { return writeVersions(a) }},
		{transfer.FeedbacksFile, func() error { return records(feedbacks, true, line) }},
		{transfer.LogsFile, func() error { return records(rows, false, line) }},
		{transfer.CardsFile, func() error {
			for _, c := range cards() {
				if err := a.Line(c); err != nil {
					return err
				}
			}
			return nil
		}},
		{transfer.EventsFile, func() error { return writeEvents(a, events) }},
	} {
		if err := a.Begin(file.name); err != nil {
			return "", err
		}
		if err := file.lines(); err != nil {
			return "", err
		}
	}
	if _, err := a.Close(); err != nil {
		return "", err
	}
	return path, out.Flush()
}

func writeVersions(a *transfer.Writer) error {
	for i := range 30 {
		version := fmt.Sprintf("1.%d.0", i)
		err := a.Line(map[string]any{
			"version": version, "comparable_version": version, "title": "Version " + version,
			"content":   "## Fixed\n\n- The window remembers its place.\n- Tables keep their width.",
			"is_latest": i == 29, "download_url": "https://downloads.example.org/" + version + ".zip",
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func writeEvents(a *transfer.Writer, n int) error {
	r := rand.New(rand.NewPCG(2, uint64(n)))
	names, plans := []string{"open", "open", "open", "export", "view", "view", "buy"}, []string{"free", "free", "pro"}
	begin := time.Now().Add(-30 * 24 * time.Hour).Unix()
	for i := range n {
		at := begin + int64(float64(i)/float64(n)*30*24*3600)
		user := r.IntN(20_000)
		err := a.Line(map[string]any{
			"distinct_id": fmt.Sprintf("user-%05d", user), "event_name": names[r.IntN(len(names))], "event_id": fmt.Sprintf("e%d", i),
			"session_id":  fmt.Sprintf("s%d-%d", user, at/3600),
			"occurred_at": at, "received_at": at, "platform": platforms[user%len(platforms)], "platform_version": versions[user%len(platforms)],
			"country_code": "DE",
			"properties":   map[string]any{"plan": plans[user%len(plans)], "pages": r.IntN(200)},
		})
		if err != nil {
			return err
		}
	}
	return nil
}
