package vectors

import (
	"fmt"
	"testing"
)

// TestScenarios runs both sections on a model that shares nothing with the
// libraries: what it and the file agree on is what the contract says.
func TestScenarios(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, section := range []string{"scenarios", "queue_scenarios"} {
		for _, s := range Section[[]scenario](section) {
			if names[s.Name] {
				t.Errorf("two scenarios are called %q", s.Name)
			}
			names[s.Name] = true
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(s.Options)
				for i, step := range s.Steps {
					t.Run(fmt.Sprintf("step %d %.40s", i+1, step), func(t *testing.T) { w.step(t, step) })
				}
			})
		}
	}
}
