package api_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"svc/api"
)

// TestScopesAreDocumented checks that the table in docs/api-keys.md lists exactly the scopes that
// give access to a route.
func TestScopesAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/api-keys.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented, open []string
	scope := regexp.MustCompile("[a-z]+:(read|write)")
	for _, row := range regexp.MustCompile("(?m)^\\| `[a-z]+:.*$").FindAllString(string(text), -1) {
		documented = append(documented, scope.FindAllString(row, -1)...)
	}
	for _, e := range api.Routes() {
		open = append(open, strings.Fields(e.Scope)...)
	}
	slices.Sort(documented)
	slices.Sort(open)
	if open = slices.Compact(open); !slices.Equal(documented, open) {
		t.Errorf("got %v, want %v", documented, open)
	}
}
