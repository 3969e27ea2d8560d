package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"svc/internal/notify"
	"svc/internal/platform"
	"svc/internal/rollout"
	"svc/store"
)

// told is a store with a project and a hook that receives all of its events.
type told struct {
	*testing.T
	*clock
	db   *store.Store
	p    *store.Project
	hook *store.Hook
	seen int // number of events that news has returned
}

func newTold(t *testing.T) *told {
	t.Helper()
	c := newClock()
	db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{Now: c.now, SiteURL: "https://svc.example"})
	w := &told{T: t, clock: c, db: db, p: addProject(t, db, "app"), hook: newHook(notify.All)}
	update(t, db, func(tx *store.Tx) error { return tx.PutHook(w.p.ID, w.hook) })
	return w
}

func newHook(events ...string) *store.Hook {
	return &store.Hook{Name: "all", Kind: notify.Webhook, Enabled: true, URL: "https://receiver.example/", Events: events}
}

// news returns the events since the last call, in order, as their name and data without the project.
func (w *told) news() (list []string) {
	w.Helper()
	err := w.db.View(func(tx *store.Tx) error {
		page, total, err := tx.HookDeliveries(w.hook.ID, store.DeliveryFilter{}, 0, 1000)
		if err != nil {
			return err
		}
		for _, d := range slices.Backward(page[:total-w.seen]) {
			text, err := w.describe(tx, d)
			if err != nil {
				return err
			}
			list = append(list, text)
		}
		w.seen = total
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	return list
}

func (w *told) describe(tx *store.Tx, d *store.HookDelivery) (string, error) {
	raw, err := tx.HookBody(d)
	if err != nil {
		return "", err
	}
	var body struct {
		Type string
		Data map[string]json.RawMessage
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return "", err
	}
	if got := string(body.Data["project"]); body.Type != d.Event || got != `{"key":"app","name":"The app"}` {
		w.Errorf("the delivery of %s has the body %s", d.Event, raw)
	}
	delete(body.Data, "project")
	data, err := json.Marshal(body.Data)
	return d.Event + " " + string(data), err
}

// expect compares the events since the last call with the wanted ones.
func (w *told) expect(what string, want ...string) {
	w.Helper()
	if got := w.news(); !slices.Equal(got, want) {
		w.Errorf("%s: got\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func (w *told) version(text string) (v *store.Version) {
	w.Helper()
	err := w.db.View(func(tx *store.Tx) (err error) {
		v, err = tx.VersionNamed(w.p.ID, text)
		return err
	})
	if err != nil || v == nil {
		w.Fatalf("version %s: %v", text, err)
	}
	return v
}

// rollOut creates a version with a rollout.
func (w *told) rollOut(text string, change rollout.Change) {
	w.Helper()
	update(w, w.db, func(tx *store.Tx) error {
		v := newVersion(w, text)
		v.Rollout = tx.NewRollout(change.Plan(), false, "ada")
		return tx.CreateVersion(w.p.ID, v, nil)
	})
}

// change changes the rollout of a version.
func (w *told) change(text string, change func(*rollout.Rollout, rollout.Author) error) {
	w.Helper()
	v := w.version(text)
	update(w, w.db, func(tx *store.Tx) error {
		if err := change(v.Rollout, rollout.Author{Now: tx.Now().Unix(), By: "ada", Reason: new("because")}); err != nil {
			return err
		}
		return tx.UpdateVersion(w.p.ID, v, nil, false)
	})
}

// write changes settings of a rollout.
func (w *told) write(text string, c rollout.Change) {
	w.Helper()
	w.change(text, func(r *rollout.Rollout, a rollout.Author) error {
		return r.Change(c, rollout.Author{Now: a.Now, By: a.By})
	})
}

func published(version string, percent string) string {
	return fmt.Sprintf(`version.published {"channel":"stable","comparable_version":%q,"notes":null,"percent":%s,"title":null,`+
		`"url":"https://svc.example/projects/app?version=%s","version":%[1]q}`, version, percent, version)
}

// TestVersionsAreTold checks the events of versions.
func TestVersionsAreTold(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	addVersion(t, w.db, w.p.ID, "1.0")
	w.expect("a version without a rollout", published("1.0", "100"))
	v := addVersion(t, w.db, w.p.ID, "1.1-beta", func(v *store.Version) {
		v.Version, v.Title, v.Content = "1.1 & more", new("A title"), new("- a note")
		v.SetChannel("preview")
	})
	w.expect("a preview with texts", `version.published {"channel":"preview","comparable_version":"1.1-beta","notes":"- a note","percent":100,`+
		`"title":"A title","url":"https://svc.example/projects/app?version=1.1+%26+more","version":"1.1 \u0026 more"}`)
	update(t, w.db, func(tx *store.Tx) error { return tx.UpdateVersion(w.p.ID, v, nil, false) })
	w.expect("a version that is written again")
	r := &store.Release{Version: "1.2", Comparable: number(t, "1.2")}
	for range 2 {
		update(t, w.db, func(tx *store.Tx) error {
			_, _, _, err := tx.PublishRelease(w.p.ID, r)
			return err
		})
	}
	w.expect("a release that arrives twice", published("1.2", "100"))
	old := newVersion(t, "0.9")
	update(t, w.db, func(tx *store.Tx) error { return tx.ImportVersion(w.p.ID, old) })
	w.expect("an old release")

	yank := func(text, reason string, to *store.ID) {
		t.Helper()
		v := w.version(text)
		update(t, w.db, func(tx *store.Tx) error { return tx.Yank(w.p.ID, v, reason, to, "ada") })
	}
	yank("1.2", "it crashes", &old.ID)
	w.expect("a yank", `version.yanked {"downgrade_to":"0.9","reason":"it crashes","version":"1.2"}`)
	yank("1.2", "it crashes on Linux", nil)
	w.expect("another reason")
	v = w.version("1.2")
	update(t, w.db, func(tx *store.Tx) error { return tx.Unyank(w.p.ID, v) })
	w.expect("a yank that is taken back")
	w.rollOut("2.0", rollout.Change{Percent: new(rollout.Percent(20_00))})
	w.expect("a version with a rollout", published("2.0", "20"))
	yank("2.0", "it does not start", nil)
	w.expect("a yank during a rollout",
		`version.yanked {"downgrade_to":null,"reason":"it does not start","version":"2.0"}`,
		`rollout.aborted {"by":"ada","percent":20,"reason":"it does not start","version":"2.0"}`)
}

// TestRolloutsAreTold checks the events of rollouts.
func TestRolloutsAreTold(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	steps := []rollout.Step{{Percent: 10_00}, {Percent: 50_00}, {Percent: rollout.Whole}}
	w.rollOut("1.0", rollout.Change{Percent: new(rollout.Percent(0)), Steps: steps})
	w.expect("a rollout at 0 percent")
	w.write("1.0", rollout.Change{AutoAdvance: new(true)})
	w.write("1.0", rollout.Change{Percent: new(rollout.Percent(0))})
	w.expect("changes at 0 percent")
	w.write("1.0", rollout.Change{Percent: new(rollout.Percent(12_50)), AutoAdvance: new(true)})
	w.expect("a percentage that is written", published("1.0", "12.5"), `rollout.advanced {"by":"ada","percent":12.5,"step":0,"version":"1.0"}`)
	w.write("1.0", rollout.Change{Health: new(false)})
	w.expect("another setting")
	v := w.version("1.0")
	update(t, w.db, func(tx *store.Tx) error {
		advanced, err := tx.AdvanceRollout(w.p.ID, v.ID, 0, false)
		if !advanced {
			t.Error("not advanced")
		}
		return err
	})
	w.expect("a step by itself", `rollout.advanced {"by":"schedule","percent":50,"step":1,"version":"1.0"}`)
	w.change("1.0", (*rollout.Rollout).Pause)
	w.change("1.0", (*rollout.Rollout).Resume)
	w.expect("a pause",
		`rollout.paused {"by":"ada","percent":50,"reason":"because","version":"1.0"}`,
		`rollout.resumed {"by":"ada","percent":50,"reason":"because","version":"1.0"}`)
	w.change("1.0", (*rollout.Rollout).Advance)
	w.expect("the last step",
		`rollout.advanced {"by":"ada","percent":100,"step":2,"version":"1.0"}`,
		`rollout.completed {"by":"ada","percent":100,"reason":null,"version":"1.0"}`)

	w.rollOut("1.1", rollout.Change{Steps: steps})
	w.change("1.1", (*rollout.Rollout).Finish)
	w.expect("a rollout that is completed", published("1.1", "10"), `rollout.completed {"by":"ada","percent":100,"reason":"because","version":"1.1"}`)
	w.rollOut("1.2", rollout.Change{Percent: new(rollout.Percent(0))})
	w.change("1.2", (*rollout.Rollout).Abort)
	w.expect("a rollout that is aborted before it starts", `rollout.aborted {"by":"ada","percent":0,"reason":"because","version":"1.2"}`)
	w.rollOut("1.3", rollout.Change{})
	w.expect("a rollout of everybody", published("1.3", "100"), `rollout.completed {"by":"ada","percent":100,"reason":null,"version":"1.3"}`)
	w.rollOut("1.4", rollout.Change{Percent: new(rollout.Percent(0))})
	w.write("1.4", rollout.Change{Percent: new(rollout.Whole)})
	w.expect("everybody at once", published("1.4", "100"),
		`rollout.advanced {"by":"ada","percent":100,"step":0,"version":"1.4"}`,
		`rollout.completed {"by":"ada","percent":100,"reason":null,"version":"1.4"}`)
}

// TestLongHistory checks that events are written even if the history of a rollout is full, so that each
// new entry replaces an old one.
func TestLongHistory(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	w.rollOut("1.0", rollout.Change{Percent: new(rollout.Percent(10_00))})
	for range 60 {
		w.change("1.0", (*rollout.Rollout).Pause)
		w.change("1.0", (*rollout.Rollout).Resume)
	}
	if got := len(w.news()); got != 1+2*60 {
		t.Errorf("got %d events, want %d", got, 1+2*60)
	}
	w.write("1.0", rollout.Change{Percent: new(rollout.Whole)})
	w.expect("the end",
		`rollout.advanced {"by":"ada","percent":100,"step":0,"version":"1.0"}`,
		`rollout.completed {"by":"ada","percent":100,"reason":null,"version":"1.0"}`)
}

var why = notify.Health{
	Rule: "crashes", Metric: rollout.ErrorLogs, EValue: 113.5, Failures: 9, Exposure: 100, BaselineFailures: 2, BaselineExposure: 900,
	BaselineVersion: "0.9", Reason: "9 of 100 failed, 2 of 900 on 0.9",
}

// toldHealth returns the text of an event about why.
func toldHealth(name string) string {
	return name + ` {"baseline_exposure":900,"baseline_failures":2,"baseline_version":"0.9","e_value":113.5,"exposure":100,"failures":9,` +
		`"metric":"error_logs","percent":25,"reason":"9 of 100 failed, 2 of 900 on 0.9","rule":"crashes","version":"1.0"}`
}

// TestHealthIsTold checks the events of health rules: each rule is told once in a rollout, unless it gets
// worse.
func TestHealthIsTold(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	w.rollOut("1.0", rollout.Change{Percent: new(rollout.Percent(25_00))})
	w.expect("the rollout", published("1.0", "25"))
	note := func(state rollout.HealthState, why notify.Health) {
		t.Helper()
		v := w.version("1.0")
		update(t, w.db, func(tx *store.Tx) error { return tx.NoteHealth(w.p.ID, v, state, why) })
	}
	note(rollout.Suspect, why)
	note(rollout.Suspect, why)
	w.expect("a suspect rule", toldHealth("health.suspect"))
	note(rollout.Failing, why)
	note(rollout.Suspect, why)
	note(rollout.Failing, why)
	w.expect("a failing rule", toldHealth("health.failing"))
	other := why
	other.Rule = "update_failed"
	note(rollout.Suspect, other)
	w.expect("another rule", strings.Replace(toldHealth("health.suspect"), "crashes", "update_failed", 1))
	for range 2 { // a rollout can be held again after it was resumed
		v := w.version("1.0")
		update(t, w.db, func(tx *store.Tx) error { return tx.HoldRollout(w.p.ID, v, why) })
		w.change("1.0", (*rollout.Rollout).Resume)
		w.expect("a rollout that is held", toldHealth("rollout.held"), `rollout.resumed {"by":"ada","percent":25,"reason":"because","version":"1.0"}`)
	}
	if got := fmt.Sprint(w.version("1.0").Rollout.Noted); got != "map[crashes:failing update_failed:suspect]" {
		t.Errorf("the rollout remembers %s", got)
	}
}

// TestAnnouncementsAreTold checks that an announcement is told when it first becomes visible.
func TestAnnouncementsAreTold(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	write := func(a *store.Announcement, hidden bool) {
		t.Helper()
		a.Hidden = hidden
		update(t, w.db, func(tx *store.Tx) error { return tx.PutAnnouncement(w.p.ID, a) })
	}
	shown, draft := &store.Announcement{Title: "Hello", Content: "*all*"}, &store.Announcement{Title: "Draft"}
	write(shown, false)
	w.expect("a visible one", fmt.Sprintf(`announcement.published {"content":"*all*","id":%q,"title":"Hello"}`, shown.ID))
	write(shown, true)
	write(shown, false)
	w.expect("one that is hidden for a while")
	write(draft, true)
	write(draft, true)
	w.expect("a draft")
	write(draft, false)
	w.expect("a draft that is shown", fmt.Sprintf(`announcement.published {"content":"","id":%q,"title":"Draft"}`, draft.ID))
	write(draft, true)
	write(draft, false)
	w.expect("a former draft that is hidden for a while")
}

// TestFeedbackIsTold checks that only feedback from clients is told, and without what identifies its
// sender.
func TestFeedbackIsTold(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	added := addFeedback(t, w.db, w.p.ID, "from the administrator")
	w.expect("feedback of the administrator")
	f := &store.Feedback{
		Content: "it is slow", Rating: new(2), Platform: new(platform.Linux), Contact: new("ada@example.com"), UserID: new("ada"),
		Sender: store.Sender{IP: new("192.0.2.1")},
	}
	encoded, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	update(t, w.db, func(tx *store.Tx) error { return tx.ReceiveFeedback(w.p.ID, f, encoded) })
	event := `feedback.created {"content":%q,"id":%q,"platform":%s,"rating":%d,"url":"https://svc.example/admin/feedbacks?project=app\u0026open=%[2]s"}`
	w.expect("feedback of a client", fmt.Sprintf(event, "it is slow", f.ID, `"linux"`, 2))

	forwarded := tryForward(t, w.db, forward(w.p.ID, 1, "forward this"))
	abandoned := tryForward(t, w.db, forward(w.p.ID, 2, "not this"))
	if err := w.db.AbandonForward(abandoned); err != nil {
		t.Fatal(err)
	}
	w.expect("feedback whose issue is requested")
	complete(t, w.db, forwarded, true)
	complete(t, w.db, forwarded, true)
	w.expect("feedback that became an issue", fmt.Sprintf(event, "forward this", forwarded.ID, "null", 4))
	stored := tryForward(t, w.db, &store.Forward{Project: w.p.ID, Repo: "example/app", ID: added.ID, Since: 1, Key: new(store.StoredKey(added.ID))})
	complete(t, w.db, stored, false)
	w.expect("stored feedback that became an issue")
}

// TestFilesAreTold checks that each failure of a file is told.
func TestFilesAreTold(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	f := &store.File{ID: "abcdefghijkl", Filename: "app.zip", ObjectKey: "f/app/abcdefghijkl/app.zip", Status: store.FilePending, Backend: store.LocalStorage}
	update(t, w.db, func(tx *store.Tx) error { return tx.CreateFile(w.p.ID, f) })
	put := func(status store.FileStatus, reason string) {
		t.Helper()
		f.Status, f.Error = status, reason
		update(t, w.db, func(tx *store.Tx) error { return tx.PutFile(w.p.ID, f) })
	}
	put(store.FilePending, "timeout")
	w.expect("a file that is tried again")
	const event = `file.failed {"error":%q,"filename":"app.zip","id":"abcdefghijkl"}`
	put(store.FileFailed, "refused")
	w.expect("a file that failed", fmt.Sprintf(event, "refused"))
	update(t, w.db, func(tx *store.Tx) error {
		_, err := tx.RetryFile(w.p.ID, f.ID)
		return err
	})
	put(store.FileReady, "")
	w.expect("a file that is ready")
	update(t, w.db, func(tx *store.Tx) error {
		_, err := tx.RefuseContent(w.p.ID, f.ID, "a private key", 0)
		return err
	})
	w.expect("a file whose content is refused", fmt.Sprintf(event, "a private key"))
}

// TestFailedTransactionTellsNothing checks that the hold of a rollout and its event are one
// transaction.
func TestFailedTransactionTellsNothing(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	w.rollOut("1.0", rollout.Change{Percent: new(rollout.Percent(25_00))})
	w.news()
	v := w.version("1.0")
	undo := errors.New("undo")
	hold := func(after error) error {
		return w.db.Update(func(tx *store.Tx) error {
			held, err := tx.Version(w.p.ID, v.ID)
			if err != nil {
				return err
			}
			return errors.Join(tx.HoldRollout(w.p.ID, held, why), after)
		})
	}
	if err := hold(undo); !errors.Is(err, undo) {
		t.Fatalf("got %v", err)
	}
	w.expect("a hold that is undone")
	if got := w.version("1.0").Rollout.State; got != rollout.Running {
		t.Errorf("undone: got %s", got)
	}
	if err := hold(nil); err != nil {
		t.Fatal(err)
	}
	w.expect("a hold", toldHealth("rollout.held"))
}

// TestImportTellsNothing checks that the import of a project writes no events, not even for hooks of the
// instance, and that a draft is told later.
func TestImportTellsNothing(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	instance := newHook(notify.All)
	update(t, w.db, func(tx *store.Tx) error { return tx.PutHook(store.Instance, instance) })
	i, err := w.db.BeginImport(store.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, i, w.now().Unix())
	if _, err := i.Reveal(&store.Project{Key: "new", Name: "New", CreatedAt: 1, UpdatedAt: 2}); err != nil {
		t.Fatal(err)
	}
	total := func() (n int) {
		t.Helper()
		err := w.db.View(func(tx *store.Tx) (err error) {
			_, n, err = tx.HookDeliveries(instance.ID, store.DeliveryFilter{}, 0, 1)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if got := total(); got != 0 {
		t.Errorf("the import: got %d events, want none", got)
	}
	addVersion(t, w.db, i.Project(), "2.0")
	if got := total(); got != 1 {
		t.Errorf("a version after the import: got %d events, want 1", got)
	}
	w.expect("events of another project")
}

// TestSelectedEvents checks that hooks get only the events that they select, and that without a hook
// nothing is stored.
func TestSelectedEvents(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	off, some := newHook(notify.All), newHook("version.*")
	off.Enabled = false
	update(t, w.db, func(tx *store.Tx) error {
		return errors.Join(tx.DeleteHook(w.p.ID, w.hook.ID), tx.PutHook(w.p.ID, off))
	})
	addVersion(t, w.db, w.p.ID, "1.0")
	w.hook = off
	w.expect("a hook that is disabled")
	update(t, w.db, func(tx *store.Tx) error { return tx.PutHook(w.p.ID, some) })
	w.hook = some
	w.rollOut("2.0", rollout.Change{})
	w.expect("a hook of versions", published("2.0", "100"))
}
