package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"svc/internal/integrity"
	"svc/internal/notify"
	"svc/internal/platform"
	"svc/internal/testutil"
	"svc/store"
)

// checkFile checks a file and returns the report.
func checkFile(t testing.TB, path string) *integrity.Report {
	t.Helper()
	report := integrity.NewReport(nil)
	if err := store.Check(t.Context(), path, report); err != nil {
		t.Fatal(err)
	}
	return report
}

// repair repairs a file in which a check must find only problems of the given kind. After
// the repair, a check must find nothing.
func repair(t testing.TB, path string, kind integrity.Kind) {
	t.Helper()
	report := checkFile(t, path)
	if report.Of(kind) == 0 || report.Of(kind) != report.Number(integrity.Damage)+report.Number(integrity.Wrong) {
		t.Errorf("got %v, want findings of kind %s", report.Listed(), kind)
	}
	if err := store.Repair(t.Context(), path, nil); err != nil {
		t.Fatal(err)
	}
	if report := checkFile(t, path); !report.Clean() {
		t.Errorf("after the repair: %v", report.Listed())
	}
}

// ids holds the ids of records in the file that newDamageable makes.
type ids struct{ version, announcement, key, feedback, forward, hook, delivery store.ID }

// newDamageable makes a file that contains records of every kind in project 1.
func newDamageable(t testing.TB) (path string, of ids) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "svc.db")
	db, err := store.Open(path, store.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	p := addProject(t, db, "app")
	for _, text := range []string{"1.0", "1.1", "1.2"} {
		of.version = addVersion(t, db, p.ID, text).ID
	}
	update(t, db, func(tx *store.Tx) error {
		a := &store.Announcement{Title: "Hello", Pinned: true}
		k := &store.APIKey{Name: "CI", Projects: []store.ProjectID{p.ID}}
		all := []error{
			tx.RenameProject(p, "new"), tx.PutAnnouncement(p.ID, a), tx.PutAPIKey(k),
			tx.PutCard(p.ID, &store.Card{Title: "Card", Query: []byte("{}")}),
			tx.PutAccount(&store.Account{Username: "admin", Password: "$argon2id$"}),
			tx.PutHealth(p.ID, of.version, 600, store.HealthCount{Addresses: 1}),
			tx.AddRequests(map[store.RequestCounter]uint64{
				store.CountRequest(p.ID, 5, store.NewRequest(1, platform.Windows, 0, 0)): 3,
				store.CountSystem(p.ID, 5, platform.Windows, "11"):                       2,
			}),
		}
		for i := range 600 {
			f := &store.Feedback{Content: fmt.Sprint("feedback ", i), Rating: new(i%5 + 1)}
			all = append(all, tx.AddFeedback(p.ID, f), tx.AddLog(p.ID, &store.Log{Content: fmt.Sprint("log ", i), Level: i % 4}))
			of.feedback = f.ID
		}
		of.announcement, of.key = a.ID, k.ID
		h := &store.Hook{Name: "H", Kind: notify.Ntfy, Enabled: true, Events: []string{notify.All}}
		all = append(all, tx.PutHook(p.ID, h), tx.Notify(p.ID, notify.Event{Name: notify.LogGuardEvent, Data: notify.LogGuard{}}))
		deliveries, _, err := tx.HookDeliveries(h.ID, store.DeliveryFilter{}, 0, 1)
		of.hook, of.delivery = h.ID, deliveries[0].ID
		return errors.Join(append(all, err)...)
	})
	w := &store.Forward{Project: p.ID, Repo: "example/app", Feedback: &store.Feedback{Content: "an issue"}}
	if err := errors.Join(db.TryForward(w), db.Close()); err != nil {
		t.Fatal(err)
	}
	of.forward = w.ID
	return path, of
}

// TestCheckFindsAndRepairs checks that each kind of damage to derived data is found and
// can be repaired.
func TestCheckFindsAndRepairs(t *testing.T) {
	t.Parallel()
	one, many := []byte{0, 0, 0, 1}, []byte{0, 0, 0, 0, 0, 0, 0, 99}
	content := func(name string) [][]byte { return [][]byte{[]byte("content"), one, []byte(name)} }
	root := func(name string) [][]byte { return [][]byte{[]byte(name)} }
	for _, tc := range []struct {
		name   string
		kind   integrity.Kind
		damage func(tx *store.Tx, of ids) error
	}{
		{"a number of deliveries", integrity.Miscount, func(tx *store.Tx, of ids) error {
			return tx.Put(of.hook[:], []byte(`{"waiting":7,"ended":1}`), root("hook_states")...)
		}},
		{"a count is missing", integrity.Miscount, func(tx *store.Tx, _ ids) error { return tx.Put([]byte("versions"), nil, content("counts")...) }},
		{"a count is too high", integrity.Miscount, func(tx *store.Tx, _ ids) error {
			return tx.Put([]byte("feedback.ratings"), many, content("counts")...)
		}},
		{"a count is no number", integrity.Miscount, func(tx *store.Tx, _ ids) error { return tx.Put([]byte("logs.2"), one, content("counts")...) }},
		{"a count of nothing", integrity.Miscount, func(tx *store.Tx, _ ids) error { return tx.Put([]byte("logs.7"), many, content("counts")...) }},
		{"a key leads nowhere", integrity.Name, func(tx *store.Tx, _ ids) error { return tx.Put([]byte("gone"), one, root("names")...) }},
		{"an alias is missing", integrity.Name, func(tx *store.Tx, _ ids) error { return tx.Put([]byte("app"), nil, root("names")...) }},
		{"a key leads to another project", integrity.Name, func(tx *store.Tx, _ ids) error {
			return tx.Put([]byte("new"), []byte{0, 0, 0, 9}, root("names")...)
		}},
		{"a display text is missing", integrity.VersionName, func(tx *store.Tx, _ ids) error { return tx.Put([]byte("1.0"), nil, content("version_names")...) }},
		{"a display text leads to another version", integrity.VersionName, func(tx *store.Tx, of ids) error {
			return tx.Put([]byte("1.0"), of.version[:], content("version_names")...)
		}},
		{"a display text leads nowhere", integrity.VersionName, func(tx *store.Tx, of ids) error {
			return tx.Put([]byte("9.9"), of.key[:], content("version_names")...)
		}},
		{"a version without an owner", integrity.Owner, func(tx *store.Tx, of ids) error { return tx.Put(of.version[:], nil, root("owners")...) }},
		{"an announcement of another project", integrity.Owner, func(tx *store.Tx, of ids) error {
			return tx.Put(of.announcement[:], []byte{0, 0, 0, 9}, root("owners")...)
		}},
		{"feedback without an owner", integrity.Owner, func(tx *store.Tx, of ids) error { return tx.Put(of.feedback[:], nil, root("owners")...) }},
		{"an owner of nothing", integrity.Owner, func(tx *store.Tx, of ids) error { return tx.Put(of.key[:], one, root("owners")...) }},
		{"words of feedback are missing", integrity.Columns, func(tx *store.Tx, _ ids) error { return tx.Put(one, nil, content("feedback_words")...) }},
		{"texts of logs are others", integrity.Columns, func(tx *store.Tx, _ ids) error {
			return tx.SetColumns(1, 0, func(words, texts []byte) ([]byte, []byte) {
				texts[len(texts)-1] ^= 1
				return words, texts
			})
		}},
		{"columns of a block that is not complete", integrity.Columns, func(tx *store.Tx, _ ids) error {
			return tx.Put([]byte{0, 0, 0, 2}, one, content("log_texts")...)
		}},
		{"the last id is too low", integrity.Number, func(tx *store.Tx, of ids) error {
			return tx.Put([]byte("last_id"), of.version[:], root("meta")...)
		}},
		{"the number of logs is too low", integrity.Number, func(tx *store.Tx, _ ids) error { return tx.SetSequence(599, content("logs")...) }},
		{"the number of feedback is too low", integrity.Number, func(tx *store.Tx, _ ids) error { return tx.SetSequence(600, content("feedback")...) }},
		{"the number of changes is too low", integrity.Number, func(tx *store.Tx, _ ids) error { return tx.SetSequence(1, root("feed")...) }},
		{"the number of projects is too low", integrity.Number, func(tx *store.Tx, _ ids) error { return tx.SetSequence(0, root("projects")...) }},
		{"an API key of no project", integrity.KeyProject, func(tx *store.Tx, of ids) error {
			k, err := tx.APIKey(of.key)
			if err != nil {
				return err
			}
			k.Projects = append(k.Projects, 9)
			return tx.PutAPIKey(k)
		}},
		{"a change of nothing", integrity.Feed, func(tx *store.Tx, _ ids) error { return tx.Put(many[:7], one, root("feed")...) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path, of := newDamageable(t)
			if report := checkFile(t, path); len(report.Listed()) > 0 {
				t.Fatalf("before the damage: %v", report.Listed())
			}
			damage(t, path, func(tx *store.Tx) error { return tc.damage(tx, of) })
			repair(t, path, tc.kind)
		})
	}
}

// TestWrongLengths checks that reading a key or value reports damage if its length is
// wrong.
func TestWrongLengths(t *testing.T) {
	t.Parallel()
	one, short := []byte{0, 0, 0, 1}, []byte{0}
	content := func(name string) [][]byte { return [][]byte{[]byte("content"), one, []byte(name)} }
	root := func(name string) [][]byte { return [][]byte{[]byte(name)} }
	for _, tc := range []struct {
		name       string
		key, value []byte
		bucket     [][]byte
		read       func(tx *store.Tx) error
	}{
		{"name", []byte("app"), short, root("names"), func(tx *store.Tx) error { _, err := tx.Project("app"); return err }},
		{"change", []byte{0, 0, 0, 0, 0, 0, 0, 1, 0}, []byte{1, 0, 0, 0, 1}, root("feed"), func(tx *store.Tx) error {
			_, err := tx.Changes(0, 1000)
			return err
		}},
		{"count", []byte("versions"), short, content("counts"), func(tx *store.Tx) error { _, err := tx.VersionStatistics(); return err }},
		{"size", []byte("logs.bytes"), short, content("counts"), func(tx *store.Tx) error {
			_, _, err := tx.SubmissionBytes(1)
			return err
		}},
		{"display text", []byte("1.0"), short, content("version_names"), func(tx *store.Tx) error {
			_, err := tx.VersionNamed(1, "1.0")
			return err
		}},
		{"version", short, []byte("{}"), content("versions"), func(tx *store.Tx) error { _, err := tx.VersionStatistics(); return err }},
		{"hour", []byte{0, 0, 0, 0, 0}, short, content("requests"), func(tx *store.Tx) error {
			tx.HasRequestsBefore(1, 9)
			return tx.EachRequest(1, 0, 9, func(store.Hour, store.Request, int64) {})
		}},
		{"number of a log", short, []byte("{}"), content("logs"), func(tx *store.Tx) error {
			_, _, err := tx.ListLogs(1, store.LogSelection{Selection: store.Selection{Limit: 1}, To: 1 << 40})
			return errors.Join(err, tx.EachLog(1, func(*store.Log) error { return nil }))
		}},
		{"pending file", short, []byte{}, root("file_pending"), func(tx *store.Tx) error { _, err := tx.PendingFiles(9); return err }},
		{"deletion", short, []byte("{}"), root("file_deletions"), func(tx *store.Tx) error {
			_, _, err := tx.DueFileDeletions(9, 9, func(string) bool { return false })
			_, all := tx.FileDeletions(9)
			return errors.Join(err, all)
		}},
		{"file in order", append(one[:4:4], 0), short, root("file_order"), func(tx *store.Tx) error {
			_, _, err := tx.ListFiles(1, store.FileSelection{Limit: 1})
			return errors.Join(err, tx.EachFile(1, func(*store.File) error { return nil }))
		}},
		{"files of a storage", []byte("local"), short, root("file_counts"), func(tx *store.Tx) error { _, err := tx.FilesOn("local"); return err }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path, _ := newDamageable(t)
			db := openStore(t, path, store.Options{NoSync: true})
			err := db.Update(func(tx *store.Tx) error {
				if err := tx.Put(tc.key, tc.value, tc.bucket...); err != nil {
					return err
				}
				if err := tc.read(tx); !errors.Is(err, store.ErrDamaged) {
					t.Errorf("got %v, want ErrDamaged", err)
				}
				return errRefused
			})
			if !errors.Is(err, errRefused) {
				t.Fatal(err)
			}
		})
	}
}

// errRefused rolls back the damage that a test has done.
var errRefused = errors.New("refused")

// damage changes a file without regard to the rules of the store.
func damage(t testing.TB, path string, change func(*store.Tx) error) {
	t.Helper()
	db, err := store.Open(path, store.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(change), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestRepairOfNumbers repairs a file that still contains the records of a deleted project. The next
// project must get a different number.
func TestRepairOfNumbers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "svc.db")
	db := openStore(t, path, store.Options{NoSync: true})
	addProject(t, db, "kept")
	deleted := addProject(t, db, "deleted")
	update(t, db, func(tx *store.Tx) error { return tx.DeleteProject(deleted) })
	if err := db.Close(); err != nil { // closeStore would remove the content
		t.Fatal(err)
	}
	damage(t, path, func(tx *store.Tx) error { return tx.SetSequence(0, []byte("projects")) })
	if err := store.Repair(t.Context(), path, nil); err != nil {
		t.Fatal(err)
	}
	db = openStore(t, path, store.Options{NoSync: true})
	if added := addProject(t, db, "added"); added.ID <= deleted.ID {
		t.Errorf("got number %d, want one above %d", added.ID, deleted.ID)
	}
}

// TestCheckFindsLosses checks that damage to data that cannot be derived is reported. A
// repair must not fail because of it, and must not hide it.
func TestCheckFindsLosses(t *testing.T) {
	t.Parallel()
	one, bad := []byte{0, 0, 0, 1}, []byte("{")
	content := func(name string) [][]byte { return [][]byte{[]byte("content"), one, []byte(name)} }
	for _, tc := range []struct {
		name   string
		kind   integrity.Kind
		damage func(tx *store.Tx, of ids) error
	}{
		{"a version", integrity.Record, func(tx *store.Tx, of ids) error { return tx.Put(of.version[:], bad, content("versions")...) }},
		{"an announcement", integrity.Record, func(tx *store.Tx, of ids) error { return tx.Put(of.announcement[:], bad, content("announcements")...) }},
		{"a card", integrity.Record, func(tx *store.Tx, of ids) error { return tx.Put(of.version[:], []byte("{}"), content("cards")...) }},
		{"settings of the instance", integrity.Record, func(tx *store.Tx, _ ids) error {
			return tx.Put([]byte("codehost_app"), bad, []byte("settings"))
		}},
		{"settings of a project", integrity.Record, func(tx *store.Tx, _ ids) error {
			return tx.Put([]byte("codehost_integration"), bad, content("settings")...)
		}},
		{"a log", integrity.Record, func(tx *store.Tx, _ ids) error { return tx.Put(make([]byte, 8), bad, content("logs")...) }},
		{"feedback with a rating of 6", integrity.Record, func(tx *store.Tx, of ids) error {
			return tx.Put([]byte{0, 0, 0, 0, 0, 0, 2, 87}, append(of.feedback[:len(of.feedback):len(of.feedback)], `{"rating":6}`...), content("feedback")...)
		}},
		{"a record with a number beyond all", integrity.Record, func(tx *store.Tx, of ids) error {
			return tx.Put([]byte{0x80, 0, 0, 0, 0, 0, 0, 1}, bad, content("logs")...)
		}},
		{"a record with a short key", integrity.Record, func(tx *store.Tx, of ids) error { return tx.Put(one, bad, content("logs")...) }},
		{"feedback that becomes an issue", integrity.Record, func(tx *store.Tx, of ids) error { return tx.Put(of.forward[:], bad, content("forwards")...) }},
		{"feedback that becomes an issue, without feedback", integrity.Record, func(tx *store.Tx, of ids) error {
			return tx.Put(of.forward[:], []byte(`{"number":600}`), content("forwards")...)
		}},
		{"feedback that becomes an issue, in the place of other feedback", integrity.Record, func(tx *store.Tx, of ids) error {
			return tx.Put(of.forward[:], []byte(`{"number":599,"feedback":{}}`), content("forwards")...)
		}},
		{"stored feedback that becomes an issue, without feedback", integrity.Record, func(tx *store.Tx, of ids) error {
			return tx.Put(of.forward[:], fmt.Appendf(nil, `{"id":%q,"since":1}`, of.key), content("forwards")...)
		}},
		{"an API key", integrity.Record, func(tx *store.Tx, of ids) error {
			return tx.Put(of.key[:], []byte(`{"digest":"00"}`), []byte("api_keys"))
		}},
		{"a hook", integrity.Record, func(tx *store.Tx, of ids) error {
			return tx.Put(append(one, of.hook[:]...), bad, []byte("hooks"))
		}},
		{"a hook of no project", integrity.Record, func(tx *store.Tx, of ids) error {
			return tx.Put(append([]byte{0, 0, 0, 9}, of.hook[:]...), []byte(`{"kind":"ntfy"}`), []byte("hooks"))
		}},
		{"the state of a hook", integrity.Record, func(tx *store.Tx, of ids) error { return tx.Put(of.hook[:], bad, []byte("hook_states")) }},
		{"a delivery", integrity.Record, func(tx *store.Tx, of ids) error {
			return tx.Put(append(of.hook[:], of.delivery[:]...), []byte(`{"state":"delivered"}`), []byte("hook_waiting"))
		}},
		{"an event", integrity.Record, func(tx *store.Tx, of ids) error { return tx.Put(of.delivery[:], bad, []byte("hook_bodies")) }},
		{"a due time", integrity.Record, func(tx *store.Tx, of ids) error {
			return tx.Put(append(of.hook[:], of.delivery[:]...), []byte(`{"state":"queued","next_at":1}`), []byte("hook_waiting"))
		}},
		{"the account", integrity.Record, func(tx *store.Tx, _ ids) error { return tx.Put([]byte("admin"), bad, []byte("account")) }},
		{"a project", integrity.Record, func(tx *store.Tx, _ ids) error { return tx.Put(one, bad, []byte("projects")) }},
		{"request statistics", integrity.Hour, func(tx *store.Tx, _ ids) error { return tx.Put([]byte{0, 0, 0, 5}, bad, content("requests")...) }},
		{"health counts", integrity.Hour, func(tx *store.Tx, of ids) error {
			return tx.Put(append(of.version[:], 0, 0, 0, 0, 0, 0, 2, 88), bad, content("health")...)
		}},
		{"two latest versions", integrity.Latest, func(tx *store.Tx, of ids) error {
			first, err := tx.VersionNamed(1, "1.0")
			if err != nil {
				return err
			}
			first.Latest = true
			raw, err := store.Encode(first)
			return errors.Join(err, tx.Put(first.ID[:], raw, content("versions")...))
		}},
		{"no format", integrity.Layout, func(tx *store.Tx, _ ids) error { return tx.Put([]byte("format"), nil, []byte("meta")) }},
		{"no id of the file", integrity.Layout, func(tx *store.Tx, _ ids) error { return tx.Put([]byte("store_id"), one, []byte("node")) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path, of := newDamageable(t)
			damage(t, path, func(tx *store.Tx) error { return tc.damage(tx, of) })
			for _, when := range []string{"before", "after"} {
				report := checkFile(t, path)
				if report.Of(tc.kind) == 0 || report.Clean() {
					t.Errorf("%s a repair: got %v, want a finding of kind %s", when, report.Listed(), tc.kind)
				}
				if err := store.Repair(t.Context(), path, nil); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestCheckOfRandomDamage checks that random damage to the bytes of a file is either
// reported or leaves all entries in place.
func TestCheckOfRandomDamage(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	path, _ := newDamageable(t)
	whole := inUse(read(t, path))
	want := dumpOf(t, path)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	bad := filepath.Join(t.TempDir(), "svc.db")
	found := 0
	rounds := 200
	for round := range rounds {
		b := whole.copy().bytes
		damageBytes(r, b, whole.pageSize)
		if err := os.WriteFile(bad, b, 0o600); err != nil {
			t.Fatal(err)
		}
		report := integrity.NewReport(nil)
		err := store.Check(t.Context(), bad, report)
		if after := read(t, bad); !bytes.Equal(after, b) {
			t.Fatalf("round %d: the check has changed the file", round)
		}
		switch {
		case errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrNewer) || err == nil && len(report.Listed()) > 0:
			found++
		case err != nil:
			t.Fatalf("round %d: got %v, want ErrDamaged or a finding", round, err)
		default:
			// A flipped bit in a text cannot be detected, because the file has no checksums.
			if got := dumpOf(t, bad); len(got) != len(want) {
				t.Errorf("round %d: the check is clean, but there are %d entries, not %d", round, len(got), len(want))
			}
		}
	}
	t.Logf("%d of %d were found", found, rounds)
	if found < rounds/10 {
		t.Errorf("only %d of 200 were found", found)
	}
}

// damageBytes damages a random part of a file: it flips a bit, changes some bytes, or
// clears a page or overwrites it with other content of the file.
func damageBytes(r *rand.Rand, b []byte, page int) {
	at := r.IntN(len(b))
	switch r.IntN(4) {
	case 0:
		b[at] ^= 1 << r.IntN(8)
	case 1:
		clear(b[at/page*page:][:page])
	case 2:
		copy(b[at/page*page:][:page], b[r.IntN(len(b)/page)*page:])
	case 3:
		for i := at; i < min(at+1+r.IntN(64), len(b)); i++ {
			b[i] = byte(r.IntN(256))
		}
	}
}

// dumpOf returns all entries of a file.
func dumpOf(t testing.TB, path string) map[string]string {
	t.Helper()
	db, err := store.Open(path, store.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	return db.Dump()
}

// TestCheckIsStopped checks that a check ends when its context is cancelled.
func TestCheckIsStopped(t *testing.T) {
	t.Parallel()
	path, _ := newDamageable(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := store.Check(ctx, path, integrity.NewReport(nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}
