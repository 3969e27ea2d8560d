package loggroup_test

import (
	"testing"

	"svc/internal/loggroup"
	"svc/internal/release"
)

const (
	hour = int64(3600)
	day  = 24 * hour
	now  = 480_000 * hour
)

func version(t *testing.T, text string) release.Comparable {
	t.Helper()
	v, ok := release.Parse(text)
	if !ok && text != "" {
		t.Fatalf("%q is no comparable version", text)
	}
	return v
}

// TestRegression checks which logs reopen a resolved group.
func TestRegression(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		in, last, log string
		after         int64
		want          bool
	}{
		{"2.0", "1.5", "2.0", 1, true},
		{"2.0", "1.5", "2.1", 1, true},
		{"2.0", "1.5", "2.0-rc.1", 10 * day, false},
		{"2.0", "", "1.9", 10 * day, false},
		{"2.0", "", "2.0.0", 1, true},
		{"2.0", "1.5", "", day, false},
		{"2.0", "1.5", "", day + 1, true},
		{"", "1.5", "1.5", 10 * day, false},
		{"", "1.5", "1.5.1", 1, true},
		{"", "1.5", "", day + 1, true},
		{"", "", "1.0", day, false},
		{"", "", "1.0", day + 1, true},
		{"", "", "", day + 1, true},
	} {
		resolved := loggroup.Condition{State: loggroup.Open}.Resolve(version(t, row.in), version(t, row.last), now)
		after, regressed := resolved.Observe(version(t, row.log), now+row.after)
		want := resolved
		if row.want {
			want.State, want.RegressedAt = loggroup.Open, now+row.after
		}
		if regressed != row.want || after != want {
			t.Errorf("%+v: got %v, %+v, want %+v", row, regressed, after, want)
		}
		if _, again := after.Observe(version(t, "9"), now+9*day); again && regressed {
			t.Errorf("%+v: an open group regressed", row)
		}
	}
}

// TestMute checks that a mute ends at its time, and that logs do not end it.
func TestMute(t *testing.T) {
	t.Parallel()
	open := loggroup.Condition{State: loggroup.Open}
	forever := open.Mute(0)
	if got, regressed := forever.Observe(version(t, "9"), now+1000*day); got != forever || regressed {
		t.Errorf("muted forever: got %+v, %v", got, regressed)
	}
	muted := open.Mute(now)
	if got := muted.At(now - 1); got != muted {
		t.Errorf("before the end: got %+v", got)
	}
	if got, regressed := muted.Observe(version(t, "9"), now); got != open || regressed {
		t.Errorf("at the end: got %+v, %v", got, regressed)
	}
	regressed := loggroup.Condition{State: loggroup.Muted, ResolvedAt: 5, RegressedAt: 7, MutedUntil: now, ResolvedIn: version(t, "1")}
	if got, want := regressed.Reopen(), (loggroup.Condition{State: loggroup.Open, RegressedAt: 7}); got != want {
		t.Errorf("opened by hand: got %+v, want %+v", got, want)
	}
}

// TestCounts compares the ring with a plain map.
func TestCounts(t *testing.T) {
	t.Parallel()
	var c loggroup.Counts
	model := map[int64]uint32{}
	latest := int64(0)
	for i, step := range []int64{0, 1, 0, 5, -3, 46, 47, 48, 49, -47, -48, 200, 1, -1, 1_000_000} {
		h := now/hour + step
		if latest > 0 {
			h = latest + step
		}
		c.Add(h*hour+5, uint32(i+1))
		if h > latest-loggroup.Hours {
			model[h] += uint32(i + 1)
		}
		latest = max(latest, h)
		for _, later := range []int64{0, 1, 47, 48, 500} {
			counts := c.At((latest+later)*hour + 7)
			for j, n := range counts {
				if h := latest + later - int64(loggroup.Hours-1-j); n != model[h] {
					t.Fatalf("step %d, hour %d, read %d hours later: got %d, want %d", i, h, later, n, model[h])
				}
			}
		}
	}
}

// TestSpike checks when many logs in an hour are reported.
func TestSpike(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name            string
		running, before uint32 // logs in the running hour, and in each of the 24 hours before
		first, reported int64
		want            bool
	}{
		{"few", 99, 0, now - day, 0, false},
		{"many", 100, 0, now - day, 0, true},
		{"ten times the mean", 200, 20, now - day, 0, false},
		{"more than ten times", 201, 20, now - day, 0, true},
		{"first hour", 1000, 0, now - hour + 1, 0, false},
		{"after the first hour", 1000, 0, now - hour, 0, true},
		{"reported", 1000, 0, now - 9*day, now - day + 1, false},
		{"reported a day ago", 1000, 0, now - 9*day, now - day, true},
	} {
		var c loggroup.Counts
		c.Add(now-25*hour, 1_000_000) // before the hours of the mean
		for i := int64(24); i > 0; i-- {
			c.Add(now-i*hour, row.before)
		}
		c.Add(now, row.running)
		if got := c.Spike(now, row.first, row.reported); got != row.want {
			t.Errorf("%s: got %v", row.name, got)
		}
	}
}

// TestGuard checks that the limit is reported once an hour.
func TestGuard(t *testing.T) {
	t.Parallel()
	var g loggroup.Guard
	for _, start := range []int64{now, now + hour} {
		for i := range int64(100) {
			want := loggroup.Drop
			switch {
			case i < loggroup.MaxReports:
				want = loggroup.Report
			case i == loggroup.MaxReports:
				want = loggroup.Warn
			}
			var got loggroup.Verdict
			if g, got = g.Admit(start + 36*i); got != want {
				t.Errorf("report %d: got %d, want %d", i, got, want)
			}
		}
	}
}
