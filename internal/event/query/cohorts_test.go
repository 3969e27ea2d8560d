package query

import (
	"testing"
	"time"
)

func TestCohorts(t *testing.T) {
	t.Parallel()
	on := func(user, name string, at int64) fact { return fact{user: user, name: name, at: at} }
	const d, h = day, hourSeconds
	for _, tc := range []struct {
		name  string
		facts []fact
		q     CohortQuery
		want  string
	}{
		{"a return before the start in the same period counts",
			[]fact{on("u", "back", monday+h), on("u", "go", monday+5*h)},
			CohortQuery{ReturnEvent: "back"}, "0:1 1 0, 1:0 0 -, 2:0 0 -"},
		{"a return in the period before does not",
			[]fact{on("u", "back", monday+h), on("u", "go", monday+d+h)},
			CohortQuery{ReturnEvent: "back"}, "0:0 0 0, 1:1 0 -, 2:0 0 -"},
		{"the first start event decides, also when a later one comes back",
			[]fact{on("u", "go", monday), on("u", "go", monday+d), on("u", "go", monday+2*d)},
			CohortQuery{ReturnEvent: "go"}, "0:1 1 1, 1:0 0 -, 2:0 0 -"},
		{"any event is a return, also the start event",
			[]fact{on("u", "go", monday), on("u", "x", monday+d)},
			CohortQuery{}, "0:1 1 1, 1:0 0 -, 2:0 0 -"},
		{"start events outside the range do not count",
			[]fact{on("u", "go", monday-1), on("u", "go", monday+2*d), on("v", "go", monday+3*d)},
			CohortQuery{}, "0:0 0 0, 1:0 0 -, 2:1 1 -"},
		{"each user once a period",
			[]fact{on("u", "go", monday), on("u", "x", monday+d), on("u", "x", monday+d+1), on("u", "x", monday+d+h)},
			CohortQuery{}, "0:1 1 1, 1:0 0 -, 2:0 0 -"},
		{"returns beyond the periods are forgotten",
			[]fact{on("u", "go", monday), on("u", "x", monday+2*d)},
			CohortQuery{}, "0:1 1 0, 1:0 0 -, 2:0 0 -"},
		{"an unknown start event", []fact{on("u", "x", monday)}, CohortQuery{}, "0:0 0 0, 1:0 0 -, 2:0 0 -"},
		{"what has not begun is open, what is not over is open until somebody comes",
			[]fact{on("u", "go", monday+d), on("u", "x", monday+2*d), on("v", "go", monday)},
			CohortQuery{Range: Range{Start: monday, End: monday + 3*d - 1}, Now: monday + 2*d}, "0:1 1 0, 1:1 1 1, 2:0 0 -"},
		{"the own period is open before it begins", nil,
			CohortQuery{Range: Range{Start: monday, End: monday + 2*d}, Now: monday + d}, "0:0 0 -, 1:0 0 -, 2:0 - -"},
		{"a period is over when the next one begins", nil,
			CohortQuery{Range: Range{Start: monday, End: monday + 2*d}, Now: monday + 2*d}, "0:0 0 0, 1:0 0 -, 2:0 0 -"},
		{"days of local time begin within an hour",
			[]fact{on("u", "go", monday-d+5*h+1800-1), on("u", "x", monday-d+5*h+1800), on("v", "go", monday-d+5*h+1800)},
			CohortQuery{Range: Range{Start: monday - d + 5*h, End: monday + d, OffsetMinutes: 18*60 + 30 - 24*60}, Now: monday + 9*d}, "-1:1 1 1, 0:1 1 -, 0:0 0 -"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			q := tc.q
			q.StartEvent, q.Periods = "go", 2
			if q.End == 0 {
				q.Range, q.Now = Range{Start: monday, End: monday + 3*d - 1}, monday+9*d
			}
			for _, parts := range []int{1, 2} {
				w := newWorld(t, tc.facts, func(i int) int { return i * parts / max(len(tc.facts), 1) })
				cohorts, err := w.query(t.Context(), q.Range).cohorts(q)
				if err != nil {
					t.Fatal(err)
				}
				if got := shortCohorts(cohorts, d); got != tc.want {
					t.Errorf("%d parts: got %s, want %s", parts, got, tc.want)
				}
			}
		})
	}
}

func TestWeeksBeginOnMonday(t *testing.T) {
	t.Parallel()
	for _, offset := range []int{0, 480, 330, -300, -840, 900} {
		for at := int64(0); at < 40*day; at += 5*hourSeconds + 7 {
			r := Range{Start: at, End: at + 20*day, OffsetMinutes: offset}
			p, err := daysOrWeeks(r, true)
			if err != nil {
				t.Fatal(err)
			}
			local := time.Unix(p.Start(0)+int64(offset)*60, 0).UTC()
			if local.Weekday() != time.Monday || local.Hour() != 0 || local.Minute() != 0 || local.Second() != 0 {
				t.Fatalf("offset %d, %d: a week begins on %s", offset, at, local)
			}
			if p.Start(0) > at || p.Start(1) <= at || p.Start(p.Len()-1) > r.End || p.Start(p.Len()) <= r.End {
				t.Fatalf("offset %d: %d weeks from %d do not just hold %d to %d", offset, p.Len(), p.Start(0), r.Start, r.End)
			}
		}
	}
	if _, err := daysOrWeeks(Range{End: 1 << 50}, true); err == nil {
		t.Error("a range of a million years has no error")
	}
}
