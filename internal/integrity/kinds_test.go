package integrity_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"svc/internal/integrity"
)

// TestKindsAreDocumented checks that the table in docs/check.md matches the kinds.
func TestKindsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/check.md")
	if err != nil {
		t.Fatal(err)
	}
	for kind, about := range integrity.Kinds {
		repair := about.Repair
		if repair == "" {
			repair = "–"
		}
		row := fmt.Sprintf("| `%s` | %s | %s | %s |", kind, about.Severity, about.Means, repair)
		if !strings.Contains(string(text), row+"\n") {
			t.Errorf("docs/check.md has no row\n%s", row)
		}
	}
	if got := strings.Count(string(text), "\n| `"); got != len(integrity.Kinds) {
		t.Errorf("docs/check.md has %d kinds, there are %d", got, len(integrity.Kinds))
	}
}

// TestReport checks that at most a hundred findings of each kind and file are listed,
// that all findings are counted, that the worst kinds come first among the counts, and
// that a report with only notes is clean.
func TestReport(t *testing.T) {
	t.Parallel()
	r := integrity.NewReport(nil)
	r.Begin("a.db")
	r.Add(integrity.LeakedPage, "/", "%d pages", 3)
	if !r.Clean() {
		t.Error("a note makes a report unclean")
	}
	for i := range 250 {
		r.Add(integrity.Miscount, fmt.Sprint("/", i), "wrong")
	}
	r.Begin("b.db")
	r.Add(integrity.Miscount, "/", "wrong")
	r.Add(integrity.Block, "/", "damaged")
	other := integrity.NewReport(nil)
	other.Begin("b.db")
	other.Add(integrity.Block, "/", "damaged, too")
	r.Merge(other.Listed(), other.Counts())
	if r.Clean() || len(r.Listed()) != 1+100+1+1+1 || r.Of(integrity.Miscount) != 251 || r.Number(integrity.Damage) != 2 {
		t.Errorf("got %d listed, counts %v", len(r.Listed()), r.Counts())
	}
	var order []string
	for _, c := range r.Counts() {
		order = append(order, fmt.Sprint(c.File, " ", c.Kind, " ", c.Severity, " ", c.Count))
	}
	if got, want := strings.Join(order, ", "), "b.db block damage 2, a.db count wrong 250, b.db count wrong 1, a.db leaked-page note 1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if f := r.Listed()[1]; !f.Repairable || f.Severity != integrity.Wrong || f.File != "a.db" {
		t.Errorf("got %+v", f)
	}
}

// TestKey checks that keys are shown as text if possible, without spaces.
func TestKey(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"versions": "versions", "\x00\x00\x00\x01": "00000001", "1 0": "312030", "a/b": "612f62", "é": "c3a9", "": ""} {
		if got := integrity.Key([]byte(key)); got != want {
			t.Errorf("%q: got %q, want %q", key, got, want)
		}
	}
	if got := integrity.Path([]byte("content"), []byte{0, 1}); got != "/content/0001" {
		t.Errorf("got %q", got)
	}
}
