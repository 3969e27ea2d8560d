package store_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc/internal/fault"
	"svc/internal/notify"
	"svc/internal/release"
	"svc/internal/rollout"
	"svc/store"
)

// roundsVariable names the environment variable with the number of times that TestCrash
// kills a writer. The default is 10.
const roundsVariable = "STORE_CRASH_ROUNDS"

// writeFailed is the exit code of a writer that was not killed.
const writeFailed = 3

// writeStore writes until it is killed. The content after n transactions depends only on
// n. After each transaction, it prints the transaction's number to acknowledge it.
func writeStore(path string) int {
	db, err := store.Open(path, store.Options{})
	for n := written(db, err) + 1; err == nil; n++ {
		if err = db.Update(func(tx *store.Tx) error { return write(tx, n) }); err == nil {
			_, err = fmt.Println(n)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return writeFailed
}

// written returns the number of the last transaction, or -1 if there is none.
func written(db *store.Store, err error) int {
	if err != nil {
		return -1
	}
	p, err := db.FindProject("even")
	if err != nil {
		return -1
	}
	n, err := strconv.Atoi(p.Name)
	if err != nil {
		panic(err)
	}
	return n
}

// write performs transaction n. The transactions write to every bucket.
func write(tx *store.Tx, n int) error {
	if n == 0 {
		p := &store.Project{Key: "even", Name: "0"}
		return errors.Join(tx.CreateProject(p), tx.PutHook(p.ID, newHook(notify.RolloutHeldEvent)))
	}
	p, err := tx.Project("even")
	if err != nil {
		return err
	}
	p.Name = strconv.Itoa(n)
	if err := tx.RenameProject(p, []string{"even", "odd"}[n%2]); err != nil {
		return err
	}
	v := &store.Version{Version: text(n), Content: new(strings.Repeat("x", length(n))), Translations: texts(text(n), "de")}
	v.Comparable, _ = release.Parse(text(n))
	if err := tx.CreateVersion(p.ID, v, nil); err != nil {
		return err
	}
	if before, err := tx.VersionNamed(p.ID, text(n-1)); err != nil {
		return err
	} else if before != nil {
		before.Title = new("before " + text(n))
		if err := tx.UpdateVersion(p.ID, before, nil, false); err != nil {
			return err
		}
	}
	if err := rollOut(tx, p, n); err != nil {
		return err
	}
	if old, err := tx.VersionNamed(p.ID, text(n-5)); err != nil {
		return err
	} else if old != nil {
		if err := tx.DeleteVersion(p.ID, old); err != nil {
			return err
		}
	}
	return errors.Join(tell(tx, p, n), writeBeside(tx, n), tx.AddLog(p.ID, uploaded(3, faults[n%3], text(n))))
}

// faults are the contents of the logs. Transaction n adds one of the fault n modulo 3.
var faults = []string{"none", "one", "two"}

// checkGrouped checks that the groups count the logs of the transactions up to n.
func checkGrouped(t *testing.T, db *store.Store, p store.ProjectID, n int) {
	t.Helper()
	list, err := store.Read(db, func(tx *store.Tx) ([]*store.LogGroup, error) { return tx.LogGroups(p) })
	if err != nil || len(list) != min(n, len(faults)) {
		t.Fatalf("after %d: got %d groups, %v", n, len(list), err)
	}
	for _, g := range list {
		first := []int{3, 1, 2}[slices.Index(faults, g.Title)]
		want := (n-first)/3 + 1
		if last := text(first + 3*(want-1)); g.Count != int64(want) || g.Last.Text != last || len(g.Versions) != min(want, store.MaxGroupVersions) {
			t.Fatalf("after %d: group %q has %d logs up to version %s, want %d up to %s", n, g.Title, g.Count, g.Last.Text, want, last)
		}
	}
}

// tell causes an event for the hook that transaction 1 creates. Each 10th transaction delivers the
// last event.
func tell(tx *store.Tx, p *store.Project, n int) error {
	if n == 1 {
		return tx.PutHook(0, &store.Hook{Name: "H", Kind: notify.Ntfy, Enabled: true, Events: []string{notify.LogGuardEvent}})
	}
	if err := tx.Notify(p.ID, notify.Event{Name: notify.LogGuardEvent, Data: notify.LogGuard{Limit: n}}); err != nil || n%10 != 0 {
		return err
	}
	hooks, err := tx.Hooks(0)
	if err != nil {
		return err
	}
	list, _, err := tx.HookDeliveries(hooks[0].ID, store.DeliveryFilter{}, 0, 1)
	if err != nil {
		return err
	}
	return tx.EndAttempt(hooks[0], list[0].ID, store.DeliveryAttempt{OK: true, Status: 200})
}

// checkTold checks the deliveries after transaction n.
func checkTold(t *testing.T, db *store.Store, n int) {
	t.Helper()
	err := db.View(func(tx *store.Tx) error {
		hooks, err := tx.Hooks(0)
		if err != nil || n == 0 {
			return err
		}
		list, total, err := tx.HookDeliveries(hooks[0].ID, store.DeliveryFilter{}, 0, 1)
		if err != nil || total != n-1 {
			t.Errorf("after %d: got %d deliveries, %v", n, total, err)
		}
		_, done, err := tx.HookDeliveries(hooks[0].ID, store.DeliveryFilter{State: store.DeliveryDone}, 0, 1)
		if err != nil || done != n/10 {
			t.Errorf("after %d: got %d delivered, %v", n, done, err)
		}
		if n == 1 {
			return nil
		}
		body, err := tx.HookBody(list[0])
		if want := fmt.Sprintf(`"limit":%d,`, n); err != nil || !strings.Contains(string(body), want) {
			t.Errorf("after %d: got %s, %v", n, body, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// rollOut changes the rollouts of the versions of the three transactions before transaction n.
func rollOut(tx *store.Tx, p *store.Project, n int) error {
	a := rollout.Author{Now: tx.Now().Unix(), By: "writer"}
	for age, change := range []func(*store.Version) error{
		func(v *store.Version) error {
			plan := rollout.Change{Steps: []rollout.Step{{Percent: 10_00}, {Percent: 50_00}, {Percent: rollout.Whole}}}.Plan()
			v.Rollout = tx.NewRollout(plan, true, a.By)
			return nil
		},
		func(v *store.Version) error { return v.Rollout.Advance(a) },
		func(v *store.Version) error {
			if n%2 == 0 {
				return errors.Join(tx.HoldRollout(p.ID, v, notify.Health{Rule: "crashes", Reason: "held by " + text(n)}), v.Rollout.Abort(a))
			}
			return v.Rollout.Finish(a)
		},
	} {
		v, err := tx.VersionNamed(p.ID, text(n-1-age))
		if err != nil {
			return err
		}
		if v == nil {
			continue
		}
		if err := errors.Join(change(v), tx.UpdateVersion(p.ID, v, nil, false)); err != nil {
			return err
		}
	}
	return nil
}

// rolledOut describes the rollout, after transaction n, of the version of the transaction that many
// transactions ago.
func rolledOut(n, ago int) string {
	switch {
	case ago == 0:
		return "none"
	case ago == 1:
		return "running at 10 after 1 events"
	case ago == 2:
		return "running at 50 after 2 events"
	case (n-ago+3)%2 == 0:
		return "aborted at 50 after 4 events"
	}
	return "completed at 100 after 3 events"
}

func describeRollout(r *rollout.Rollout) string {
	if r == nil {
		return "none"
	}
	return fmt.Sprintf("%s at %s after %d events", r.State, r.Percent, len(r.History))
}

// checkHeld checks that the hook of the project has one delivery for each rollout that was held, and that
// the newest one is of the last transaction that held one.
func checkHeld(t *testing.T, db *store.Store, n int) {
	t.Helper()
	held := max(0, n/2-1) // every second transaction, from the fourth on
	err := db.View(func(tx *store.Tx) error {
		p, err := tx.Project("even")
		if err != nil {
			return err
		}
		hooks, err := tx.Hooks(p.ID)
		if err != nil || len(hooks) != 1 {
			return fmt.Errorf("%d hooks, want 1: %w", len(hooks), err)
		}
		page, total, err := tx.HookDeliveries(hooks[0].ID, store.DeliveryFilter{}, 0, 1)
		if err != nil || total != min(held, store.MaxWaitingDeliveries) {
			return fmt.Errorf("%d deliveries, want %d: %w", total, held, err)
		}
		if held == 0 {
			return nil
		}
		body, err := tx.HookBody(page[0])
		if want := "held by " + text(n/2*2); !strings.Contains(string(body), want) {
			return fmt.Errorf("the newest delivery is %q, want one that was %s: %w", body, want, err)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("after %d: %v", n, err)
	}
}

// writeBeside sometimes creates an API key, and alternately creates and deletes a second
// project.
func writeBeside(tx *store.Tx, n int) error {
	if n%10 == 0 {
		if err := tx.PutAPIKey(&store.APIKey{Name: text(n), Digest: store.Digest{byte(n)}}); err != nil {
			return err
		}
	}
	switch n % 20 {
	case 5:
		side := &store.Project{Key: "side"}
		if err := tx.CreateProject(side); err != nil {
			return err
		}
		return tx.CreateVersion(side.ID, &store.Version{Version: text(n)}, nil)
	case 15:
		side, err := tx.Project("side")
		if err != nil {
			return err
		}
		return tx.DeleteProject(side)
	}
	return tx.PutAccount(&store.Account{ID: store.ID{1}, Username: "admin", Epoch: uint64(n)})
}

func text(n int) string { return fmt.Sprintf("%d.0", n) }

// length returns the length of the content of version n. Most contents are small, and
// some need many pages.
func length(n int) int {
	if n%4 == 0 {
		return n * 7919 % 150_000
	}
	return n * 7919 % 3_000
}

// crash starts a writer, waits until the given number of transactions have been acknowledged, and
// kills the writer after a further delay. It returns the number of the last acknowledged
// transaction, or -1 if there is none.
func crash(t *testing.T, path string, after int, later time.Duration) int {
	t.Helper()
	c := another(t, writeVariable, path)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	kill := func() { time.AfterFunc(later, func() { _ = c.Process.Kill() }) }
	last, lines := -1, bufio.NewReader(out)
	for n := 0; ; n++ {
		if n == after {
			kill()
		}
		line, err := lines.ReadString('\n')
		if err != nil {
			break // the kill can cut a line, which then acknowledges nothing
		}
		if last, err = strconv.Atoi(strings.TrimSpace(line)); err != nil {
			t.Fatalf("the writer says %q", line)
		}
	}
	_, _ = io.Copy(io.Discard, out)
	if err := c.Wait(); err == nil || c.ProcessState.ExitCode() == writeFailed {
		t.Fatalf("the writer ended by itself: %v", err)
	}
	return last
}

// TestCrash kills writers. Every acknowledged transaction must be in the file, any other
// one must be there completely or not at all, and the file must pass all checks.
func TestCrash(t *testing.T) {
	t.Parallel()
	rounds := 10
	if set := os.Getenv(roundsVariable); set != "" {
		var err error
		if rounds, err = strconv.Atoi(set); err != nil {
			t.Fatalf("%s: %v", roundsVariable, err)
		}
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var path string
	total := 0
	for round := range rounds {
		after := 1 + r.IntN(40)
		if round%5 == 0 { // a new file, killed while it starts
			path, after = filepath.Join(t.TempDir(), "svc.db"), 0
		}
		last := crash(t, path, after, time.Duration(r.IntN(30_000))*time.Microsecond)
		db := openStore(t, path, store.Options{})
		got := written(db, nil)
		if got < last || last >= 0 && got > last+1 || after > 0 && got < 0 {
			t.Fatalf("round %d: got the state after transaction %d, acknowledged was %d", round, got, last)
		}
		checkWritten(t, db, got)
		closeStore(t, db)
		total += max(0, last)
	}
	t.Logf("%d rounds, %d transactions acknowledged", rounds, total)
}

// checkWritten checks that a store has the state after transaction n.
func checkWritten(t *testing.T, db *store.Store, n int) {
	t.Helper()
	if err := db.Check(); err != nil {
		t.Fatal(err)
	}
	if n < 0 {
		if got := len(db.Projects()); got != 0 {
			t.Fatalf("before the first transaction: got %d projects", got)
		}
		return
	}
	snap := snapshot(t, db, "even")
	wanted := []string{"even"}
	if n > 0 {
		wanted = []string{[]string{"even", "odd"}[n%2], []string{"odd", "even"}[n%2]}
	}
	if got := names(snap.Project); !slices.Equal(got, wanted) {
		t.Fatalf("after %d: got names %q, want %q", n, got, wanted)
	}
	if got, want := snap.Catalog.Len(), min(n, 5); got != want {
		t.Fatalf("after %d: got %d versions, want %d", n, got, want)
	}
	for at, e := range snap.Versions(nil) {
		v, err := db.FullVersion(snap, e)
		if err != nil {
			t.Fatal(err)
		}
		title := (*string)(nil)
		if at > 0 {
			title = new("before " + text(n-at+1))
		}
		if v.Version != text(n-at) || asJSON(t, v.Title) != asJSON(t, title) || len(*v.Content) != length(n-at) || v.Latest != (at == 0) || *v.Translations["de"].Title != v.Version {
			t.Fatalf("after %d: version %d: got %.200s", n, at, asJSON(t, v))
		}
		if got, want := describeRollout(v.Rollout), rolledOut(n, at); got != want {
			t.Fatalf("after %d: version %s: got rollout %s, want %s", n, v.Version, got, want)
		}
		if owner, ok, err := db.OwnerOf(v.ID); err != nil || !ok || owner != snap.Project.ID {
			t.Fatalf("after %d: version %s: got owner %d, %v", n, v.Version, owner, err)
		}
	}
	checkTold(t, db, n)
	checkGrouped(t, db, snap.Project.ID, n)
	checkBeside(t, db, n)
	checkHeld(t, db, n)
}

func checkBeside(t *testing.T, db *store.Store, n int) {
	t.Helper()
	if got := len(db.APIKeys()); got != n/10 {
		t.Fatalf("after %d: got %d API keys, want %d", n, got, n/10)
	}
	side, err := db.Snapshot("side")
	if lives := n%20 >= 5 && n%20 < 15; lives != (err == nil) || err != nil && !fault.Is(err, fault.NotFound) || lives && side.Catalog.Len() != 1 {
		t.Fatalf("after %d: the other project: got %v, %v, want %v", n, side, err, lives)
	}
	epoch := n
	if n%20 == 5 || n%20 == 15 { // these are deleted with the second project
		epoch--
	}
	if account := db.Account(); n > 0 && (account == nil || account.Epoch != uint64(epoch)) {
		t.Fatalf("after %d: got account %v, want epoch %d", n, account, epoch)
	}
	before := db.Dump()[`"meta"/"last_id"`]
	errUndo := errors.New("undo")
	err = db.Update(func(tx *store.Tx) error {
		k := &store.APIKey{Name: "after the crash"}
		err := tx.PutAPIKey(k)
		if string(k.ID[:]) <= before {
			t.Errorf("after %d: got id %v, want one greater than %x", n, k.ID, before)
		}
		return errors.Join(err, errUndo)
	})
	if !errors.Is(err, errUndo) {
		t.Fatalf("after %d: got %v", n, err)
	}
}
