package search

import (
	"fmt"
	"os"
	"testing"

	"svc/internal/integrity"
	"svc/store"
)

// indexed returns a data directory with an index that contains a project, a version and a
// block of logs. Another block and another project are only in the store.
func indexed(t *testing.T) (b *box, p *store.Project) {
	t.Helper()
	b = newBox(t)
	p = b.addProject("app")
	b.update(func(tx *store.Tx) error { return tx.CreateVersion(p.ID, &store.Version{Version: "1.0"}, nil) })
	b.addLogs(p.ID, 256, func(i int) string { return fmt.Sprint("line ", i) })
	b.settle()
	return b, p
}

// offline closes the index, returns the report of a check of its files, and opens it
// again.
func (b *box) offline() *integrity.Report {
	b.t.Helper()
	b.closeIndex()
	report := integrity.NewReport(nil)
	check(b.t, Check(b.t.Context(), b.dir, b.db, report))
	b.openIndex()
	return report
}

// TestCheckIsClean checks that an index that has not processed the latest changes has no
// findings, because it will still process them. It also checks that a missing index is
// reported as a gap rather than as damage.
func TestCheckIsClean(t *testing.T) {
	t.Parallel()
	b, p := indexed(t)
	if report := b.offline(); len(report.Listed()) > 0 {
		t.Errorf("of a complete index: %v", report.Listed())
	}
	b.settle()
	b.addProject("later")
	b.addLogs(p.ID, 300, func(i int) string { return fmt.Sprint("later ", i) })
	report := integrity.NewReport(nil)
	check(t, b.index.Check(t.Context(), report))
	if len(report.Listed()) > 0 {
		t.Errorf("of an index in use that lags behind: %v", report.Listed())
	}
	if report := b.offline(); len(report.Listed()) > 0 {
		t.Errorf("of an index that lags behind: %v", report.Listed())
	}
	b.closeIndex()
	check(t, Remove(b.dir))
	if report := b.offline(); report.Of(integrity.SearchGap) != 1 || !report.Clean() {
		t.Errorf("without an index: %v", report.Listed())
	}
}

// TestCheckFindsWhatIsMissing checks that searchable records without a document are
// reported, both by a check of the files and by a check of an index in use.
func TestCheckFindsWhatIsMissing(t *testing.T) {
	t.Parallel()
	b, p := indexed(t)
	for _, c := range []store.Change{{Kind: store.KindProject, Project: p.ID}, {Kind: store.KindLog, Project: p.ID, Block: 0}} {
		check(t, b.index.engine.apply(&batch{deletes: []string{c.Ref()}}))
	}
	report := integrity.NewReport(nil)
	check(t, b.index.Check(t.Context(), report))
	if report.Of(integrity.SearchIndex) != 2 {
		t.Errorf("in use: got %v, want two records that are missing", report.Listed())
	}
	if report := b.offline(); report.Of(integrity.SearchIndex) != 2 || report.Clean() {
		t.Errorf("in the files: got %v, want two records that are missing", report.Listed())
	}
}

// TestCheckOfDamagedFiles checks that damaged files of an index are reported and stay
// unchanged.
func TestCheckOfDamagedFiles(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(b *box){
		"a segment":     func(b *box) { cut(t, 2, b.files("*.zap")...) },
		"the root file": func(b *box) { cut(t, 2, b.files("root.bolt")...) },
		"no folder": func(b *box) {
			remove(t, b.folder())
			write(t, b.folder(), []byte("x"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _ := indexed(t)
			b.closeIndex()
			damage(b)
			report := integrity.NewReport(nil)
			check(t, Check(t.Context(), b.dir, b.db, report))
			if report.Of(integrity.SearchIndex) == 0 {
				t.Errorf("got %v, want an index that cannot be used", report.Listed())
			}
			if _, err := os.Stat(b.folder()); err != nil {
				t.Errorf("the check has removed it: %v", err)
			}
			b.openIndex()
		})
	}
}
