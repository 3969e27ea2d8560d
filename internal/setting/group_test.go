package setting_test

import (
	"testing"

	"svc/internal/setting"
)

// TestGroupsHaveEverySetting checks that help texts name every setting once, in one line each.
func TestGroupsHaveEverySetting(t *testing.T) {
	t.Parallel()
	times := map[string]int{}
	for _, g := range setting.Groups() {
		for _, item := range g.Items {
			times[item.Key]++
			if n := len(item.Brief); n == 0 || n > 50 {
				t.Errorf("%s: the description has %d bytes", item.Key, n)
			}
		}
	}
	for _, d := range setting.Definitions() {
		if times[d.Key] != 1 {
			t.Errorf("%s is in %d groups", d.Key, times[d.Key])
		}
		delete(times, d.Key)
	}
	for key := range times {
		t.Errorf("%s is not a setting", key)
	}
}
