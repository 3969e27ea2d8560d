package demo

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"
)

// noon is shortly after noon on a Thursday.
var noon = time.Date(2026, 3, 12, 12, 20, 7, 0, time.UTC)

// archive writes the archive of a project and returns the files in it by name.
func archive(t *testing.T, c Config, key string) map[string]string {
	t.Helper()
	var raw bytes.Buffer
	if err := Write(&raw, c, key); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(raw.Bytes()), int64(raw.Len()))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range r.File {
		content, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(content)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(text)
	}
	return files
}

// TestSeed checks that the same seed and time produce the same data, and that another
// seed produces other data.
func TestSeed(t *testing.T) {
	t.Parallel()
	const key = "wicklume"
	first, again, other := archive(t, Config{Seed: 5, Now: noon}, key), archive(t, Config{Seed: 5, Now: noon}, key), archive(t, Config{Seed: 6, Now: noon}, key)
	for name := range first {
		if first[name] != again[name] {
			t.Errorf("%s differs for the same seed", name)
		}
	}
	if first["events.jsonl"] == other["events.jsonl"] {
		t.Error("the seed makes no difference")
	}
	if err := Write(io.Discard, Config{Now: noon}, "nobody"); err == nil {
		t.Error("a project that is not there was written")
	}
}

// TestLaterOnlyAdds checks that data for the evening of a day contains all data for noon
// of that day, and more.
func TestLaterOnlyAdds(t *testing.T) {
	t.Parallel()
	const key = "wicklume"
	early, late := archive(t, Config{Seed: 1, Now: noon}, key), archive(t, Config{Seed: 1, Now: noon.Add(9 * time.Hour)}, key)
	for _, name := range []string{"versions.jsonl", "announcements.jsonl", "cards.jsonl", "events.jsonl"} {
		there := map[string]bool{}
		for line := range strings.Lines(late[name]) {
			there[line] = true
		}
		for line := range strings.Lines(early[name]) {
			if !there[line] {
				t.Errorf("%s has lost %s", name, line)
				break
			}
		}
	}
	if len(early["events.jsonl"]) >= len(late["events.jsonl"]) {
		t.Error("nobody has done anything since noon")
	}
}

// TestTexts checks that every text that the demo refers to exists, and that every file is
// used.
func TestTexts(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, p := range projects {
		w := newWorld(Config{Now: noon}, p)
		names := []string{"description"}
		for _, r := range p.releases {
			names = append(names, "versions/"+r.version)
		}
		for _, a := range p.announcements {
			names = append(names, "announcements/"+a.name)
		}
		for _, name := range names {
			if text := w.text(name); text.title == "" || len([]rune(text.title)) > 128 && name != "description" {
				t.Errorf("%s/%s has no good title", p.key, name)
			}
			used["content/"+p.folder+"/"+name+".md"] = true
			for _, l := range p.languages {
				used["content/"+p.folder+"/"+name+"."+l.tag+".md"] = true
			}
		}
	}
	err := fs.WalkDir(texts, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !used[path] {
			t.Errorf("%s belongs to nothing", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestLife checks that the data has the properties that the demo is meant to show.
func TestLife(t *testing.T) {
	t.Parallel()
	for _, p := range projects {
		w := newWorld(Config{Seed: 1, Now: noon}, p)
		w.live()
		begin := w.today - (Days-1)*day
		perDay := make([]int, Days)
		for i, e := range w.events {
			if e.OccurredAt < begin || e.ReceivedAt > w.now {
				t.Fatalf("%s: an event is of %s", p.key, time.Unix(e.OccurredAt, 0))
			}
			if i > 0 && e.ReceivedAt < w.events[i-1].ReceivedAt {
				t.Fatalf("%s: events are not in order", p.key)
			}
			perDay[(e.OccurredAt-begin)/day]++
		}
		if least := slices.Min(perDay); least < 20 {
			t.Errorf("%s: a day has %d events", p.key, least)
		}
		defined := map[string]bool{}
		for _, d := range p.events {
			defined[d.name] = true
		}
		for _, e := range w.events {
			if !defined[e.Name] {
				t.Fatalf("%s: %s is not described", p.key, e.Name)
			}
		}
		if n := len(w.feedbackLines); n < p.feedbacks*7/10 || n > p.feedbacks*13/10 {
			t.Errorf("%s has %d feedbacks, not about %d", p.key, n, p.feedbacks)
		}
		levels, hidden := map[int]int{}, 0
		for _, l := range w.logLines {
			levels[l.Level]++
		}
		for _, f := range w.feedbackLines {
			if f.IsHidden {
				hidden++
			}
		}
		if len(levels) != 4 || hidden == 0 {
			t.Errorf("%s: logs by level %v, %d hidden feedbacks", p.key, levels, hidden)
		}
	}
}

// TestIncident checks that the errors of E42 occur only within one hour and on one
// platform and version.
func TestIncident(t *testing.T) {
	t.Parallel()
	w := newWorld(Config{Seed: 1, Now: noon}, quillmere)
	w.live()
	hours := map[int64]int{}
	for _, l := range w.logLines {
		if strings.HasPrefix(l.Content, "E42") {
			hours[hourOf(l.CreatedAt)]++
			if l.Platform != "android" || l.CustomData["app_version"] != "4.3.0" || l.Level != 3 {
				t.Errorf("E42 on %s with %v", l.Platform, l.CustomData["app_version"])
			}
		}
	}
	if fmt.Sprint(hours) != fmt.Sprintf("map[%d:310]", w.today-5*day+14*3600) {
		t.Errorf("E42 by hour: %v", hours)
	}
}

// TestToday checks that the last day has about five times the errors of a usual day whenever the
// demo begins, and that an announcement expires in the coming days.
func TestToday(t *testing.T) {
	t.Parallel()
	const weekend = 3 * 24
	for _, hours := range []int{-12, -5, 0, 5, 11, weekend - 12, weekend, weekend + 11} {
		now := noon.Add(time.Duration(hours) * time.Hour)
		w := newWorld(Config{Seed: 1, Now: now}, quillmere)
		w.live()
		var errors [8]int // by day before now
		for _, l := range w.logLines {
			if age := (w.now - l.CreatedAt) / day; l.Level == 3 && age < int64(len(errors)) {
				errors[age]++
			}
		}
		usual := slices.Sorted(slices.Values(errors[1:]))[3]
		if times := float64(errors[0]) / float64(usual); usual < 10 || errors[0] < 60 || times < 3.5 || times > 6.5 {
			t.Errorf("at %s: %d errors in the last day, %d on a usual day", now, errors[0], usual)
		}
		ends := 0
		for _, a := range w.announcementLines() {
			if a.ExpiresAt > w.now && a.ExpiresAt < w.now+7*day {
				ends++
			}
		}
		if ends != 1 {
			t.Errorf("at %s: %d announcements end soon, want 1", now, ends)
		}
	}
}

// TestAdoption checks that users adopt a new release and abandon the bad one.
func TestAdoption(t *testing.T) {
	t.Parallel()
	w := newWorld(Config{Seed: 1, Now: noon}, quillmere)
	w.live()
	share := func(version string, days int) float64 {
		has, all := 0, 0
		for _, p := range w.people {
			if p.joined < Days-30 {
				all++
				if w.version(p, w.ago(days, 12)) == version {
					has++
				}
			}
		}
		return float64(has) / float64(all)
	}
	for _, c := range []struct {
		version     string
		days        int
		least, most float64
	}{
		{"4.2.1", 31, 0, 0}, {"4.2.1", 20, 0.6, 0.95}, {"4.3.0", 5, 0.08, 0.4}, {"4.3.0", 0, 0, 0.05}, {"4.3.1", 5, 0, 0}, {"4.3.1", 0, 0.3, 0.8},
	} {
		if got := share(c.version, c.days); got < c.least || got > c.most {
			t.Errorf("%s has %.2f of the people %d days ago, want %.2f to %.2f", c.version, got, c.days, c.least, c.most)
		}
	}
}

// TestDownloads checks that users download the files of a release in its first days above all.
func TestDownloads(t *testing.T) {
	t.Parallel()
	for _, p := range projects {
		w := newWorld(Config{Seed: 1, Now: noon}, p)
		w.versions()
		perDay := map[string][]int64{}
		for _, l := range w.downloads() {
			if l.Day%day != 0 || l.Day > w.now || l.Day < w.today-(Days-1)*day || l.Count < 1 {
				t.Errorf("%s: got %+v", p.key, l)
			}
			perDay[l.File] = append(perDay[l.File], l.Count)
		}
		for _, f := range w.files {
			days := perDay[f.ID]
			if len(days) == 0 {
				t.Errorf("%s has no downloads", f.Filename)
			} else if f.CreatedAt >= w.today-(Days-1)*day && days[1] < 2*days[len(days)-1] {
				t.Errorf("%s: got %v by day, want fewer from day to day", f.Filename, days)
			}
		}
	}
}

// TestCards checks that the rows of every dashboard are full, except for the last one, that cards
// in a row have the same height, that exactly the single numbers are low, and that no series shows
// events per user, which are divided by the users of the whole range.
func TestCards(t *testing.T) {
	t.Parallel()
	for _, p := range projects {
		used, height := 0, 0
		for _, k := range p.cards {
			if number := strings.HasPrefix(k.query, `{"type":"value"`); number != (k.size == low) {
				t.Errorf("%s: %q has the size %+v", p.key, k.title, k.size)
			}
			if strings.HasPrefix(k.query, `{"type":"timeseries"`) && strings.Contains(k.query, "count_per_user") {
				t.Errorf("%s: the points of %q are divided by the users of the whole range", p.key, k.title)
			}
			if used%12 > 0 && (k.size.Height != height || used%12+k.size.Width > 12) {
				t.Errorf("%s: %q does not fit into its row", p.key, k.title)
			}
			used, height = used+k.size.Width, k.size.Height
		}
	}
}

// TestIDs checks that IDs of the same kind ascend, even within a second.
func TestIDs(t *testing.T) {
	t.Parallel()
	c := newWorld(Config{}, quillmere).chance("ids")
	last := ""
	for i := range 3000 {
		id := c.uuid7(noon.Unix() + int64(i/300))
		if id <= last || len(id) != 36 || id[14] != '7' {
			t.Fatalf("%s after %s", id, last)
		}
		last = id
	}
}

// TestKeys checks that the demo contains API keys in every state.
func TestKeys(t *testing.T) {
	t.Parallel()
	var active, expired, revoked, used int
	for _, k := range APIKeys(Config{Seed: 1, Now: noon}) {
		switch {
		case k.Revoked != 0:
			revoked++
		case k.Expires != 0 && k.Expires <= noon.Unix():
			expired++
		default:
			active++
		}
		if k.Used > noon.Unix() {
			t.Errorf("%s was used in the future", k.Name)
		}
		if k.Used != 0 {
			used++
		}
	}
	if active < 3 || expired < 2 || revoked < 1 || used < 4 {
		t.Errorf("%d active, %d expired, %d revoked, %d used", active, expired, revoked, used)
	}
}
