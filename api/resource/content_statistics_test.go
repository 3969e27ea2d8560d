package resource_test

import (
	"fmt"
	"testing"
	"time"

	"svc/api/apitest"
	"svc/store"
)

const (
	announcementTotals = "/admin/announcements/statistics"
	feedbackTotals     = "/admin/feedbacks/statistics"
	logTotals          = "/admin/logs/statistics"
)

// TestContentTotals checks that the totals of the instance include hidden records and are correct
// after changes and deletions.
func TestContentTotals(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithWindow(time.Minute))
	s.Project(t, "app")
	s.Project(t, "other")
	s.Exchanges(t, []apitest.Exchange{
		{"no announcement", "GET", announcementTotals, "", 200, `{"count":0,"pinned_count":0}`},
		{"no feedback", "GET", feedbackTotals, "", 200, `{"count":0,"rate_count":0,"rate_avg":null}`},
		{"no log", "GET", logTotals, "", 200, `{"count":0,"debug_count":0,"info_count":0,"warning_count":0,"error_count":0}`},
	})
	pinned := s.Announce(t, "app", apitest.Titled("a", `,"is_pinned":true`))
	hidden := s.Announce(t, "other", apitest.Titled("b", `,"is_hidden":true`))
	one := create(t, s, "/public/app/feedbacks", `{"content":"c","rating":1}`)
	two := create(t, s, feedbackOf("other"), `{"content":"c","rating":2,"is_hidden":true}`)
	create(t, s, feedbackOf("app"), `{"content":"c","rating":2}`)
	none := create(t, s, feedbackOf("app"), `{"content":"c"}`)
	for level, n := range []int{1, 2, 3, 4} {
		for i := range n {
			create(t, s, "/public/app/logs", fmt.Sprintf(`{"level":%d,"content":"%d"}`, level, i))
		}
	}
	veiled := create(t, s, apitest.LogsOf("other"), `{"level":3,"content":"c","is_hidden":true}`)
	app, other := apitest.AnnouncementsOf("app")+"/"+pinned, apitest.AnnouncementsOf("other")+"/"+hidden
	s.Exchanges(t, []apitest.Exchange{
		{"announcements of all projects, hidden ones, too", "GET", announcementTotals, "", 200, `{"count":2,"pinned_count":1}`},
		{"pin another", "PATCH", other, `{"is_pinned":true}`, 200, ``},
		{"both pinned", "GET", announcementTotals, "", 200, `{"count":2,"pinned_count":2}`},
		{"pin it again", "PATCH", other, `{"is_pinned":true,"title":"x"}`, 200, ``},
		{"counted once", "GET", announcementTotals, "", 200, `{"count":2,"pinned_count":2}`},
		{"unpin it", "PATCH", other, `{"is_pinned":false}`, 200, ``},
		{"a refused change", "PATCH", app, `{"is_pinned":false,"title":""}`, 400, ``},
		{"one pinned", "GET", announcementTotals, "", 200, `{"count":2,"pinned_count":1}`},
		{"delete the pinned one", "DELETE", app, "", 200, ``},
		{"none pinned", "GET", announcementTotals, "", 200, `{"count":1,"pinned_count":0}`},

		{"feedback of all projects, the mean not rounded", "GET", feedbackTotals, "", 200, `{"count":4,"rate_count":3,"rate_avg":1.6666666666666667}`},
		{"the same again is one record", "POST", "/public/app/feedbacks", `{"content":"c","rating":1}`, 201, ``},
		{"and counts once", "GET", feedbackTotals, "", 200, `{"count":4,"rate_count":3}`},
		{"another rating", "PATCH", feedbackOf("app") + "/" + one, `{"rating":5}`, 200, ``},
		{"a rating for one without", "PATCH", "/admin/feedbacks/" + none, `{"rating":4}`, 200, ``},
		{"changed the mean", "GET", feedbackTotals, "", 200, `{"count":4,"rate_count":4,"rate_avg":3.25}`},
		{"take a rating away", "PATCH", feedbackOf("app") + "/" + none, `{"rating":null}`, 200, ``},
		{"hide one", "PATCH", feedbackOf("app") + "/" + one, `{"is_hidden":true}`, 200, ``},
		{"changed it back", "GET", feedbackTotals, "", 200, `{"count":4,"rate_count":3,"rate_avg":3}`},
		{"delete one", "DELETE", feedbackOf("other") + "/" + two, "", 200, ``},
		{"delete it again", "DELETE", feedbackOf("other") + "/" + two, "", 404, ``},
		{"counted off once", "GET", feedbackTotals, "", 200, `{"count":3,"rate_count":2,"rate_avg":3.5}`},

		{"logs by level", "GET", logTotals, "", 200, `{"count":11,"debug_count":1,"info_count":2,"warning_count":3,"error_count":5}`},
		{"hiding and showing changes nothing", "PATCH", apitest.LogsOf("other") + "/" + veiled, `{"is_hidden":false}`, 200, ``},
		{"as before", "GET", logTotals, "", 200, `{"count":11,"error_count":5}`},

		{"a project goes with all it has", "DELETE", "/admin/projects/app", "", 200, ``},
		{"announcements of the other", "GET", announcementTotals, "", 200, `{"count":1,"pinned_count":0}`},
		{"feedback of the other", "GET", feedbackTotals, "", 200, `{"count":0,"rate_count":0,"rate_avg":null}`},
		{"logs of the other", "GET", logTotals, "", 200, `{"count":1,"debug_count":0,"info_count":0,"warning_count":0,"error_count":1}`},
	})
	if err := s.DB.Purge(); err != nil {
		t.Fatal(err)
	}
	s.Exchanges(t, []apitest.Exchange{
		{"after the clean-up, announcements", "GET", announcementTotals, "", 200, `{"count":1}`},
		{"after the clean-up, feedback", "GET", feedbackTotals, "", 200, `{"count":0}`},
		{"after the clean-up, logs", "GET", logTotals, "", 200, `{"count":1}`},
	})
}

// TestContentStatistics checks that the statistics of a project cover a range of creation times,
// including both ends, and include hidden records.
func TestContentStatistics(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Clock.Stop()
	s.Project(t, "app")
	s.Project(t, "other")
	create(t, s, apitest.LogsOf("other"), `{"level":0,"content":"c"}`)
	create(t, s, feedbackOf("other"), `{"content":"c","rating":1}`)
	const logs, feedback = "/admin/projects/app/stats/logs", "/admin/projects/app/stats/feedbacks"
	var at []int64
	for _, body := range []string{`"rating":2,"level":0`, `"rating":5,"level":1,"is_hidden":true`, `"level":3`, `"rating":5,"level":1`} {
		body = `{"content":"c",` + body + `}`
		at = append(at, apitest.Field[int64](t, s.Must(t, 201, "POST", apitest.LogsOf("app"), body), "created_at"))
		s.Must(t, 201, "POST", feedbackOf("app"), body)
		s.Clock.Advance(time.Minute)
	}
	levels := func(start, end int64, total, debug, info, warn, err int) string {
		return fmt.Sprintf(`{"start_time":%d,"end_time":%d,"total":%d,"by_level":[{"level":0,"count":%d},{"level":1,"count":%d},{"level":2,"count":%d},{"level":3,"count":%d}]}`, start, end, total, debug, info, warn, err)
	}
	ratings := func(start, end int64, total, unrated int, average string, n2, n5 int) string {
		return fmt.Sprintf(`{"start_time":%d,"end_time":%d,"total":%d,"unrated":%d,"average_rating":%s,"by_rating":[{"rating":1,"count":0},{"rating":2,"count":%d},{"rating":3,"count":0},{"rating":4,"count":0},{"rating":5,"count":%d}]}`,
			start, end, total, unrated, average, n2, n5)
	}
	span := func(path string, start, end int64) string {
		return fmt.Sprintf("%s?start_time=%d&end_time=%d", path, start, end)
	}
	first, last := at[0], at[3]
	s.Exchanges(t, []apitest.Exchange{
		{"all levels, hidden ones, too", "GET", span(logs, first, last+30), "", 200, levels(first, last+30, 4, 1, 2, 0, 1)},
		{"all ratings, the mean of those with one", "GET", span(feedback, first, last+30), "", 200, ratings(first, last+30, 4, 1, "4", 1, 2)},
		{"the first second is in", "GET", span(logs, first, first+30), "", 200, levels(first, first+30, 1, 1, 0, 0, 0)},
		{"the second before is not", "GET", span(logs, first-30, first-1), "", 200, levels(first-30, first-1, 0, 0, 0, 0, 0)},
		{"the last second is in", "GET", span(logs, last-30, last), "", 200, levels(last-30, last, 1, 0, 1, 0, 0)},
		{"one second", "GET", span(logs, at[2], at[2]), "", 200, levels(at[2], at[2], 1, 0, 0, 0, 1)},
		{"nothing rated has no mean", "GET", span(feedback, at[2], at[2]+30), "", 200, ratings(at[2], at[2]+30, 1, 1, "null", 0, 0)},
		{"nothing at all", "GET", span(feedback, 0, 1), "", 200, ratings(0, 1, 0, 0, "null", 0, 0)},
		{"the mean is not rounded", "GET", span(feedback, 0, at[1]+30), "", 200, ratings(0, at[1]+30, 2, 0, "3.5", 1, 1)},
		{"the offset from UTC changes nothing", "GET", span(logs, first, last+30) + "&tz_offset_minutes=-300", "", 200, levels(first, last+30, 4, 1, 2, 0, 1)},
		{"empty is not sent", "GET", logs + "?start_time=&end_time=&tz_offset_minutes=", "", 200, `{"total":4}`},
		{"a project that there is not", "GET", "/admin/projects/none/stats/logs", "", 404, `{"message":"project \"none\" not found"}`},
		{"feedback of one that there is not", "GET", "/admin/projects/none/stats/feedbacks", "", 404, `{"message":"project \"none\" not found"}`},
		{"a wrong range is told before", "GET", "/admin/projects/none/stats/logs?end_time=x", "", 400, ``},
	})
	for _, path := range []string{logs, feedback} {
		for _, bad := range []string{"start_time=2&end_time=1", "start_time=-1", "end_time=x", "end_time=1.5", "start_time=99999999999999999999", "start_time=99999999999",
			"tz_offset_minutes=901", "tz_offset_minutes=-841", "tz_offset_minutes=0.5", "tz_offset_minutes=UTC"} {
			if status, answer := s.Ask(t, "GET", path+"?"+bad, ""); status != 400 {
				t.Errorf("%s?%s: got %d %s, want 400", path, bad, status, answer)
			}
		}
	}
	// Without a range, statistics cover the last seven days.
	key := s.Key(t, `{"name":"k","never_expires":true,"scopes":["logs:read","feedbacks:read"]}`)
	const week = 7 * 24 * 3600
	s.Clock.Advance(time.Duration(at[1]+week-s.Clock.Now().Unix()-20) * time.Second)
	for path, want := range map[string]int{logs: 3, feedback: 3} {
		_, answer, _ := s.Do(t, "GET", path, key, "")
		start, end := apitest.Field[int64](t, answer, "start_time"), apitest.Field[int64](t, answer, "end_time")
		if now := s.Clock.Now().Unix(); end < now-15 || end > now || end-start != week || apitest.Field[int](t, answer, "total") != want {
			t.Errorf("%s: got %s, want %d in the seven days up to %d", path, answer, want, now)
		}
		_, answer, _ = s.Do(t, "GET", fmt.Sprintf("%s?end_time=%d", path, at[0]), key, "")
		if apitest.Field[int64](t, answer, "start_time") != at[0]-week || apitest.Field[int](t, answer, "total") != 1 {
			t.Errorf("%s up to the first: got %s, want one in the seven days before", path, answer)
		}
	}
}

// TestContentStatisticsOfMany checks that statistics over many blocks are correct, even after
// records in the blocks have been deleted or changed.
func TestContentStatisticsOfMany(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	const many = 5*256 + 3
	var feedback []*store.Feedback
	var logs []*store.Log
	for i := range many {
		f := &store.Feedback{Content: "c", Hidden: i%3 == 0}
		if stars := i % 6; stars > 0 {
			f.Rating = &stars
		}
		feedback, logs = append(feedback, f), append(logs, &store.Log{Content: "c", Level: i % 4, Hidden: i%3 == 0})
	}
	storeFeedback(t, s, "app", feedback...)
	storeLogs(t, s, "app", logs...)
	one := func(i int) string { return feedbackOf("app") + "/" + feedback[i].ID.String() }
	s.Must(t, 200, "DELETE", one(5), "")                       // a rating of 5, in a complete block
	s.Must(t, 200, "PATCH", one(256*2+1), `{"rating":1}`)      // rating 513 % 6 = 3 before
	s.Must(t, 200, "PATCH", one(many-1), `{"rating":null}`)    // rating 1282 % 6 = 4 before
	s.Must(t, 200, "PATCH", one(many-2), `{"is_hidden":true}`) // does not change the statistics
	// At first, 214 of the 1283 records have each of the ratings 0 to 4, and 213 have 5, where 0
	// means none. After the changes, there are 3194 stars in 1067 ratings.
	s.Exchanges(t, []apitest.Exchange{
		{"ratings", "GET", "/admin/projects/app/stats/feedbacks", "", 200, `{"total":1282,"unrated":215,"average_rating":2.993439550140581,
			"by_rating":[{"rating":1,"count":215},{"rating":2,"count":214},{"rating":3,"count":213},{"rating":4,"count":213},{"rating":5,"count":212}]}`},
		{"the same by counters", "GET", feedbackTotals, "", 200, `{"count":1282,"rate_count":1067,"rate_avg":2.993439550140581}`},
		{"levels", "GET", "/admin/projects/app/stats/logs", "", 200, `{"total":1283,"by_level":[{"count":321},{"count":321},{"count":321},{"count":320}]}`},
		{"the same by counters, for logs", "GET", logTotals, "", 200, `{"count":1283,"debug_count":321,"info_count":321,"warning_count":321,"error_count":320}`},
	})
}
