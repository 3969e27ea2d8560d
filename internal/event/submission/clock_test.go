package submission

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

var received = time.Date(2026, 9, 24, 2, 0, 10, 0, time.UTC)

func TestClientTime(t *testing.T) {
	t.Parallel()
	both := func(offset int, skew time.Duration) Clock { return Clock{offset, true, skew, true} }
	offsetOnly := func(offset int) Clock { return Clock{OffsetMinutes: offset, OffsetKnown: true} }
	nothing := Clock{}
	const s = time.Second
	for _, tc := range []struct {
		name, text string
		want       Clock
	}{
		// the examples in the API documentation
		{"example: a fraction, east", "2026-09-24T10:00:00.000+08:00", both(480, 10*s)},
		{"example: west", "2026-09-23T19:00:10-07:00", both(-420, 0)},
		{"example: an offset without a colon, not whole hours", "2026-09-24T07:45:10+0545", both(345, 0)},
		{"example: a slow device", "2026-09-24T08:00:10.000+08:00", both(480, 7200*s)},
		{"example: no offset", "2026-09-24T10:00:00", nothing},
		{"example: a blank for the T", "2026-09-24 10:00:00+08:00", nothing},
		{"example: offset too far east", "2026-09-24T10:00:00+15:00", nothing},
		{"example: offset of no quarter of an hour", "2026-09-24T10:00:00+08:10", nothing},
		{"example: not a time", "not a time", nothing},

		{"empty", "", nothing},
		{"Z is offset 0", "2026-09-24T02:00:00Z", both(0, 10*s)},
		{"any case", "2026-09-24t02:00:00z", both(0, 10*s)},
		{"trimmed", " \t2026-09-24T02:00:00Z\r\n", both(0, 10*s)},
		{"more than 40 characters", "2026-09-24T02:00:00." + strings.Repeat("0", 21) + "Z", nothing},
		{"a fast device has a negative skew", "2026-09-24T02:00:20Z", both(0, -10*s)},
		{"the skew is rounded up", "2026-09-24T02:00:00.4Z", both(0, 10*s)},
		{"the skew is rounded down", "2026-09-24T02:00:00.6Z", both(0, 9*s)},
		{"the skew is rounded with all digits", "2026-09-24T02:00:00.500000001Z", both(0, 9*s)},
		{"a skew of centuries is cut", "0001-01-01T00:00:00Z", both(0, 1<<63-1)},

		{"a fraction of one digit", "2026-09-24T02:00:09.9Z", both(0, 0)},
		{"a fraction of nine digits", "2026-09-24T02:00:09.999999999Z", both(0, 0)},
		{"a fraction of ten digits", "2026-09-24T02:00:09.9999999999Z", nothing},
		{"a fraction without digits", "2026-09-24T02:00:09.Z", nothing},
		{"a comma for the point", "2026-09-24T02:00:09,9Z", nothing},

		{"the easternmost offset", "2026-09-24T16:00:10+14:00", both(840, 0)},
		{"beyond the easternmost", "2026-09-24T16:15:10+14:15", nothing},
		{"the westernmost offset", "2026-09-23T14:00:10-12:00", both(-720, 0)},
		{"beyond the westernmost", "2026-09-23T13:45:10-12:15", nothing},
		{"a quarter of an hour", "2026-09-24T02:15:10+00:15", both(15, 0)},
		{"minus nothing", "2026-09-24T02:00:10-00:00", both(0, 0)},
		{"an offset of 60 minutes or more behind the hour", "2026-09-24T02:00:10+00:60", nothing},
		{"an offset without minutes", "2026-09-24T10:00:10+08", nothing},
		{"an offset with seconds", "2026-09-24T10:00:10+08:00:00", nothing},
		{"an offset without a sign", "2026-09-24T10:00:1008:00", nothing},
		{"an offset with a letter", "2026-09-24T10:00:10+0a:00", nothing},
		{"an offset with the colon elsewhere", "2026-09-24T10:00:10+080:0", nothing},
		{"a name for an offset", "2026-09-24T10:00:10 UTC", nothing},
		{"text behind it", "2026-09-24T02:00:10Zx", nothing},
		{"a letter for a digit", "2026-09-24T02:00:1xZ", nothing},
		{"digits of another script", "２026-09-24T02:00:10Z", nothing},
		{"no seconds", "2026-09-24T02:00Z", nothing},
		{"a year of five digits", "12026-09-24T02:00:10Z", nothing},

		{"month 13 keeps the offset", "2026-13-24T10:00:00+08:00", offsetOnly(480)},
		{"month 0", "2026-00-24T10:00:00+08:00", offsetOnly(480)},
		{"30 February", "2026-02-30T10:00:00+08:00", offsetOnly(480)},
		{"29 February of a common year", "2026-02-29T10:00:00+08:00", offsetOnly(480)},
		{"29 February of a leap year", "2024-02-29T00:00:00Z", both(0, received.Sub(time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)))},
		{"day 0", "2026-09-00T10:00:00+08:00", offsetOnly(480)},
		{"hour 24", "2026-09-24T24:00:00Z", offsetOnly(0)},
		{"minute 60", "2026-09-24T10:60:00Z", offsetOnly(0)},
		{"second 60", "2026-09-24T10:59:60Z", offsetOnly(0)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := ClientTime(tc.text, received); got != tc.want {
				t.Errorf("%q: got %+v, want %+v", tc.text, got, tc.want)
			}
		})
	}
}

func TestCorrection(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		clock Clock
		want  time.Duration
	}{
		{"a skew of a minute counts", Clock{Skew: time.Minute, SkewKnown: true}, time.Minute},
		{"to the other side, too", Clock{Skew: -time.Minute, SkewKnown: true}, -time.Minute},
		{"less is ignored", Clock{Skew: 59 * time.Second, SkewKnown: true}, 0},
		{"to the other side, too", Clock{Skew: -59 * time.Second, SkewKnown: true}, 0},
		{"none is known", Clock{}, 0},
	} {
		if got := tc.clock.Correction(); got != tc.want {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
}

// naiveClientTime parses times with the layouts of package time.
func naiveClientTime(text string) (at time.Time, ok bool) {
	text = strings.ToUpper(strings.TrimSpace(text))
	for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// checkClock compares a clock with the result of package time and checks the invariants
// of Clock.
func checkClock(t *testing.T, text string) {
	t.Helper()
	got := ClientTime(text, received)
	if !got.OffsetKnown && (got != Clock{}) || !got.SkewKnown && got.Skew != 0 {
		t.Errorf("%q: got %+v, which says more than it knows", text, got)
	}
	if got.OffsetMinutes < -720 || got.OffsetMinutes > 840 || got.OffsetMinutes%15 != 0 {
		t.Errorf("%q: got offset %d", text, got.OffsetMinutes)
	}
	at, ok := naiveClientTime(text)
	if !got.SkewKnown {
		return
	}
	if !ok {
		t.Errorf("%q: got %+v, package time reads nothing", text, got)
		return
	}
	_, seconds := at.Zone()
	if want := received.Sub(at).Round(time.Second); got.Skew != want || got.OffsetMinutes*60 != seconds {
		t.Errorf("%q: got %+v, package time has skew %v and offset %d s", text, got, want, seconds)
	}
}

func TestClientTimeReadsWhatClientsWrite(t *testing.T) {
	t.Parallel()
	const seed = 1
	random := rand.New(rand.NewPCG(seed, seed))
	for range 10_000 {
		offset := (random.IntN(105) - 48) * 15
		at := received.Add(time.Duration(random.Int64N(int64(2000*time.Hour))) - 1000*time.Hour).In(time.FixedZone("", offset*60))
		layout := "2006-01-02T15:04:05" + []string{"", ".0", ".000", ".000000", ".000000000"}[random.IntN(5)] + []string{"Z07:00", "-0700", "-07:00"}[random.IntN(3)]
		text := at.Format(layout)
		checkClock(t, text)
		if got := ClientTime(text, received); !got.SkewKnown || got.OffsetMinutes != offset {
			t.Fatalf("seed %d, %q: got %+v, want offset %d and a skew", seed, text, got, offset)
		}
	}
}

func FuzzClientTime(f *testing.F) {
	f.Add("2026-09-24T10:00:00.000+08:00")
	f.Add("2026-02-30t24:61:61.123456789-0715")
	f.Fuzz(func(t *testing.T, text string) { checkClock(t, text) })
}

func BenchmarkClientTime(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		ClientTime("2026-09-24T10:00:00.000+08:00", received)
	}
}
