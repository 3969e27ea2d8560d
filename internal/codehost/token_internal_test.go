package codehost

import (
	"fmt"
	"testing"
)

// TestSlotsAreBounded checks that the number of cached repositories is bounded, and that repository
// names are compared without regard to case.
func TestSlotsAreBounded(t *testing.T) {
	t.Parallel()
	var s slots
	app := &App{fingerprint: "a"}
	for i := range 3 * maxSlots {
		name := fmt.Sprintf("lumen-works/beacon-%d", i)
		if made := s.of(app, name); s.of(app, "Lumen-Works/Beacon-"+name[len("lumen-works/beacon-"):]) != made {
			t.Fatalf("%s has two slots", name)
		}
	}
	if len(s.by) > maxSlots {
		t.Errorf("%d slots are kept; want at most %d", len(s.by), maxSlots)
	}
	if s.of(app, "a/b") == s.of(&App{fingerprint: "b"}, "a/b") {
		t.Error("two apps share a slot")
	}
}
