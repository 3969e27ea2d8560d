package control

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/metrics.md anew")

const tableEnd = "<!-- end of the table -->"

// TestMetricsAreDocumented checks that the table in docs/metrics.md lists the exported metrics.
func TestMetricsAreDocumented(t *testing.T) {
	t.Parallel()
	const path, begin = "../../docs/metrics.md", "<!-- go test ./api/control -run TestMetricsAreDocumented -update -->\n"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(raw), begin)
	_, tail, ended := strings.Cut(rest, tableEnd)
	if !found || !ended {
		t.Fatalf("%s has no table between its marks", path)
	}
	var table strings.Builder
	table.WriteString("\n| Metric | Kind | Labels | Meaning |\n|---|---|---|---|\n")
	for i := range families {
		m := &families[i]
		_, _ = fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", m.name, m.kind, strings.Join(m.labels, ", "), m.help)
	}
	table.WriteString("\n")
	want := head + begin + table.String() + tableEnd + tail
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(raw) != want {
		t.Errorf("%s is not what the metrics say; run: go test ./api/control -run TestMetricsAreDocumented -update", path)
	}
	for _, name := range regexp.MustCompile(`\bsvc_[a-z_]+`).FindAllString(tail, -1) { // the names of metrics in the alerts
		name = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_count"), "_sum")
		if !slices.ContainsFunc(families, func(m family) bool { return m.name == name }) {
			t.Errorf("%s speaks of %s, which there is not", path, name)
		}
	}
}
