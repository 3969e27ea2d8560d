package submission_test

import (
	"testing"
	"time"

	"svc/clients/vectors"
	"svc/internal/event/submission"
)

func TestClientTimeVectors(t *testing.T) {
	t.Parallel()
	for _, c := range vectors.Section[[]struct {
		Header   string
		Received int64 `json:"received_unix_ms"`
		Offset   *int  `json:"offset_minutes"`
		Skew     *int  `json:"skew_seconds"`
	}](t, "client_time_parse") {
		got := submission.ClientTime(c.Header, time.UnixMilli(c.Received))
		if got.OffsetKnown != (c.Offset != nil) || c.Offset != nil && got.OffsetMinutes != *c.Offset {
			t.Errorf("%q: offset is %d, %t", c.Header, got.OffsetMinutes, got.OffsetKnown)
		}
		if got.SkewKnown != (c.Skew != nil) || c.Skew != nil && got.Skew != time.Duration(*c.Skew)*time.Second {
			t.Errorf("%q: skew is %s, %t", c.Header, got.Skew, got.SkewKnown)
		}
	}
}
