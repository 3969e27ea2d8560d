package target_test

import (
	"testing"

	"svc/internal/replica/target"
	"svc/internal/replica/target/targettest"
)

// openTarget opens a target in which nothing needs a client.
func openTarget(t testing.TB, url string, c target.Credentials) target.Target {
	t.Helper()
	l, err := target.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	to, err := target.Open(l, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return to
}

func TestTargets(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(testing.TB) func(testing.TB) target.Target{
		"memory": func(testing.TB) func(testing.TB) target.Target {
			m := targettest.NewMemory()
			return func(testing.TB) target.Target { return m.View() }
		},
		"directory": func(t testing.TB) func(testing.TB) target.Target {
			url := "file://" + t.TempDir()
			return func(t testing.TB) target.Target { return openTarget(t, url, target.Credentials{}) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			targettest.Run(t, start(t), 64<<20)
		})
	}
}

// TestTargetThatOverwrites checks that CreateOnly detects a target that replaces objects.
func TestTargetThatOverwrites(t *testing.T) {
	t.Parallel()
	m := targettest.NewMemory()
	view := m.View()
	view.Overwrites = true
	if ok, err := target.CreateOnly(t.Context(), view); ok || err != nil || len(m.Objects()) != 0 {
		t.Errorf("got %v, %v, %d objects", ok, err, len(m.Objects()))
	}
}
