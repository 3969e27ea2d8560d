package event_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"svc/internal/boltfile/bolttest"
	"svc/internal/event"
	"svc/internal/event/query"
	"svc/internal/event/submission"
	"svc/internal/platform"
)

// hooked is a context that calls a function whenever Err is called.
type hooked struct {
	context.Context
	err func() error
}

func (c hooked) Err() error { return c.err() }

// person is a subject with texts that occur nowhere else in the file.
type person struct {
	subject  string
	sessions []string
	marks    []string // all texts of the person
}

// meet stores the events of a new person in six hours. Some people have UUIDs as IDs and
// others have other texts. The properties are long and short, rare and frequent.
func (w *world) meet(t *testing.T, number int, uuids bool) *person {
	t.Helper()
	text := func(what string) string { return fmt.Sprintf("%s-of-person-%d", what, number) }
	id := func(n int) string {
		if uuids {
			return fmt.Sprintf("%04x%04x-5a5a-7b7b-8c8c-%012x", 0xbeef, number, n*0x10101)
		}
		return text(fmt.Sprint("id-", n))
	}
	p := &person{subject: id(900), sessions: []string{id(901), id(902)}}
	for n := range 24 {
		b := &event.Batch{
			Project: 1, Received: noon, Subject: p.subject, Session: p.sessions[n%2],
			Client: submission.Client{
				Platform: platform.IOS, PlatformVersion: text("version"), Region: "DE", CountryName: text("country"),
				RegionName: text("region"), City: text("city"), Address: text("address"), UserAgent: text("agent"),
			},
			Items: []submission.Item{{
				ID: id(n), Name: []string{"open", "view", "close"}[n%3], At: noon - int64(n%6)*3600 + int64(n),
				Properties: fmt.Appendf(nil, `{"secret":"%s","long":"%s%s","kind":"same"}`, text(fmt.Sprint("value-", n)), text(fmt.Sprint("long-", n)), strings.Repeat("z", 2000)),
			}},
		}
		in, err := w.Ingest(b)
		check(t, err)
		if in.Accepted != 1 {
			t.Fatalf("person %d, event %d: accepted %d", number, n, in.Accepted)
		}
		p.marks = append(p.marks, id(n), text(fmt.Sprint("value-", n)), text(fmt.Sprint("long-", n)))
		if n%10 == 9 {
			check(t, w.Flush())
		}
	}
	for _, what := range []string{"version", "country", "region", "city", "address", "agent"} {
		p.marks = append(p.marks, text(what))
	}
	p.marks = append(p.marks, p.subject, p.sessions[0], p.sessions[1])
	return p
}

// found returns the marks that occur in the file, either as plain bytes in the used pages
// or in packed data. It reopens the file.
//
// Free pages are ignored: ZeroFreePages overwrites them, and backups do not contain them.
func (w *world) found(t *testing.T, marks []string) (list []string) {
	t.Helper()
	var packed strings.Builder
	check(t, w.EachText(1, func(text string) { packed.WriteString(text + "\n") }))
	check(t, w.Close())
	var pages []byte
	check(t, bolttest.LivePages(w.path, func(page []byte) { pages = append(pages, page...) }))
	w.open(t)
	for _, mark := range marks {
		inPages := slices.ContainsFunc(event.Forms(mark), func(form []byte) bool { return bytes.Contains(pages, form) })
		if inPages || strings.Contains(packed.String(), mark) {
			list = append(list, mark)
		}
	}
	return list
}

// lasting returns the data that erasure and retention do not remove: counters and
// definitions.
func (w *world) lasting(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	for _, q := range questions(damageRange) {
		if !slices.Contains([]string{"series", "breakdown", "heatmap", "definitions"}, q.name) {
			continue
		}
		got, _, err := q.answer(t.Context(), w.Engine)
		check(t, err)
		_, _ = fmt.Fprintf(&text, "%s: %+v\n", q.name, got)
	}
	return fmt.Sprint(text.String(), w.total(t))
}

// TestErasureLeavesNothing checks that no text of an erased subject remains in the file,
// and that queries about all other subjects return the same results as before. Each
// subject is alone in some blocks and shares others.
func TestErasureLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{})
	people := []*person{w.meet(t, 1, true), w.meet(t, 2, false), w.meet(t, 3, true), w.meet(t, 4, false)}
	w.send(t, "other", people[0].sessions[0], "open", noon+50, "shared session") // stays for the other subject
	compactAll(t, w.Engine)
	w.meet(t, 5, true) // some in blocks, some in memory
	lasting, other := w.lasting(t), w.export(t, "other")
	for _, p := range people {
		if missing := len(p.marks) - len(w.found(t, p.marks)); missing > 0 {
			t.Fatalf("%d texts are not found before the erasure", missing)
		}
	}
	stay := [][]event.Event{w.export(t, people[2].subject), w.export(t, people[3].subject)}

	for _, p := range people[:2] {
		deleted, err := w.DeleteSubject(t.Context(), 1, p.subject)
		if err != nil || deleted != 24 {
			t.Fatalf("deleted %d events, %v", deleted, err)
		}
		if again, err := w.DeleteSubject(t.Context(), 1, p.subject); again != 0 || err != nil {
			t.Errorf("again: deleted %d events, %v", again, err)
		}
	}
	if got := w.found(t, people[0].marks); !slices.Equal(got, people[0].sessions[:1]) {
		t.Errorf("of the first one %q are left, want the session of somebody else only", got)
	}
	if got := w.found(t, people[1].marks); len(got) > 0 {
		t.Errorf("of the second one %q are left", got)
	}
	if got := w.lasting(t); got != lasting {
		t.Errorf("counters or definitions were\n%s\nand are\n%s", lasting, got)
	}
	for i, p := range people[2:] {
		if got := w.export(t, p.subject); !reflect.DeepEqual(got, stay[i]) {
			t.Errorf("%s has %+v, want %+v", p.subject, got, stay[i])
		}
	}
	if got := w.export(t, "other"); !reflect.DeepEqual(got, other) || got[0].Session != people[0].sessions[0] {
		t.Errorf("the other one has %+v, want %+v", got, other)
	}
	values, err := w.Breakdown(t.Context(), 1, query.BreakdownQuery{Range: damageRange, Dimension: query.ByProperty, Property: "secret", Limit: 1000})
	check(t, err)
	for _, g := range values.Groups {
		if slices.Contains(people[0].marks, g.Key) || slices.Contains(people[1].marks, g.Key) {
			t.Errorf("a query still finds %s", g.Key)
		}
	}
	check(t, w.Check())
}

// TestRetentionForgetsTexts checks that retention removes all texts of a subject with
// only events that are too old, and that other texts and the counters stay.
func TestRetentionForgetsTexts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{})
	p := w.meet(t, 1, true)
	w.send(t, "new", "new session", "open", noon+3600, "later")
	check(t, w.Flush())
	lasting := w.lasting(t)
	check(t, w.ApplyRetention(t.Context(), 1, noon+100, 0))
	if got := w.found(t, p.marks); len(got) > 0 {
		t.Errorf("%q are left", got)
	}
	if got := w.lasting(t); got != lasting {
		t.Errorf("counters or definitions were\n%s\nand are\n%s", lasting, got)
	}
	if got := w.export(t, "new"); len(got) != 1 || got[0].Session != "new session" {
		t.Errorf("the new one has %+v", got)
	}
	check(t, w.ApplyRetention(t.Context(), 1, noon+7200, noon+7200))
	if got := w.total(t); got != 0 {
		t.Errorf("counters that are too old: %d events are left", got)
	}
	if got, err := w.Unused(1); err != nil || len(got) > 0 {
		t.Errorf("texts %q are left, %v", got, err)
	}
}

// TestErasureThatIsCutOff checks that erasure and retention remove everything if they are
// repeated after an interruption. It interrupts them at every point at which they check
// for cancellation.
func TestErasureThatIsCutOff(t *testing.T) {
	t.Parallel()
	for name, erase := range map[string]func(context.Context, *world, *person) error{
		"erasure": func(ctx context.Context, w *world, p *person) error {
			_, err := w.DeleteSubject(ctx, 1, p.subject)
			return err
		},
		"retention": func(ctx context.Context, w *world, _ *person) error { return w.ApplyRetention(ctx, 1, noon+100, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, event.Options{})
			w.send(t, "other", "other session", "open", noon+200, "stays")
			stops, step := 0, 5
			if os.Getenv("SVC_LONG") != "" {
				step = 1
			}
			for cut := true; cut; stops += step {
				p, left := w.meet(t, stops, stops%2 == 0), stops
				err := erase(hooked{t.Context(), func() error {
					if left--; left < 0 {
						return context.Canceled
					}
					return nil
				}}, w, p)
				if cut = errors.Is(err, context.Canceled); !cut {
					check(t, err)
				}
				w.reopen(t)
				check(t, erase(t.Context(), w, p))
				if got, err := w.Unused(1); err != nil || len(got) > 0 {
					t.Fatalf("stopped at %d and done again: %q are left, %v", stops, got, err)
				}
				check(t, w.Check())
			}
			if got := w.export(t, "other"); stops < 8 || len(got) != 1 || got[0].Session != "other session" {
				t.Errorf("after %d stops the other one has %+v", stops, got)
			}
		})
	}
}

// TestErasureKeepsWhatComesLater checks that events of a subject that arrive during its
// erasure are not lost, nor is their session, whether they are in memory, in blocks, or
// reloaded by a restart.
func TestErasureKeepsWhatComesLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{})
	p := w.meet(t, 1, true)
	var want []event.Event
	_, err := w.DeleteSubject(hooked{t.Context(), func() error {
		n := len(want)
		one := event.Event{
			Name: "open", ID: fmt.Sprint("later ", n), Session: append(p.sessions, "new session")[n%3],
			At: noon + int64(n), Received: noon, Properties: []byte(`{"from":"` + p.subject + `","n":0}`),
			Client: submission.Client{Platform: platform.Linux, Region: "DE", UserAgent: "ua"},
		}
		if accepted := w.send(t, p.subject, one.Session, one.Name, one.At, one.ID); accepted != 1 {
			t.Errorf("accepted %d", accepted)
		}
		want = append(want, one)
		return nil
	}}, 1, p.subject)
	check(t, err)
	if len(want) < 6 {
		t.Fatalf("only %d events came in", len(want))
	}
	for _, step := range []struct {
		name string
		do   func()
	}{{"in memory", func() {}}, {"in blocks", func() { compactAll(t, w.Engine) }}, {"after a restart", func() { w.reopen(t) }}} {
		step.do()
		if got := w.export(t, p.subject); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", step.name, got, want)
		}
		check(t, w.Check())
	}
	if got := w.found(t, p.marks); len(got) > 3 {
		t.Errorf("%q are left, want the subject and its sessions", got)
	}
	if deleted, err := w.DeleteSubject(t.Context(), 1, p.subject); int(deleted) != len(want) || err != nil {
		t.Errorf("deleted %d of the %d later events, %v", deleted, len(want), err)
	}
	if got := w.found(t, p.marks); len(got) > 0 {
		t.Errorf("%q are left", got)
	}
}

// TestDropProject checks that DropProject leaves no data of a project, not even events
// that arrive during the removal. The data must not reappear after a crash, even if the
// number of the project is reused.
func TestDropProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{})
	p := w.meet(t, 1, true)
	sent := 0
	check(t, w.DropProject(hooked{t.Context(), func() error {
		sent++
		w.send(t, p.subject, "", fmt.Sprint("name ", sent), noon, fmt.Sprint("meanwhile ", sent))
		return nil
	}}, 1))
	w.send(t, "somebody", "", "again", noon, "1")

	crashed := &world{path: filepath.Join(t.TempDir(), "events.db"), o: w.o}
	from, err := os.Open(w.path)
	check(t, err)
	defer from.Close()
	to, err := os.Create(crashed.path)
	check(t, err)
	_, err = io.Copy(to, from)
	check(t, errors.Join(err, to.Close()))
	crashed.open(t)
	defer func() { check(t, crashed.Close()) }()
	for name, one := range map[string]*world{"dropped": w, "after a crash": crashed} {
		check(t, one.Check())
		if got := countsByName(t, one.Engine, 1); !reflect.DeepEqual(got, map[string]int64{"again": 1}) {
			t.Errorf("%s: counted %v", name, got)
		}
		if got := one.found(t, p.marks); len(got) > 0 {
			t.Errorf("%s: %q are left", name, got)
		}
	}
}
