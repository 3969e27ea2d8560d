package store_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/internal/boltfile"
	"svc/internal/boltfile/bolttest"
	"svc/internal/fault"
	"svc/internal/locale"
	"svc/internal/loggroup"
	"svc/internal/notify"
	"svc/internal/platform"
	"svc/internal/stats"
	"svc/internal/testutil"
	"svc/store"
)

// pair is a store with random content, and another one that follows it.
type pair struct {
	*testing.T
	*world
	recording *bolttest.Recording
	follower  *store.Store
	copied    string // path of the follower's file
	reached   uint64 // position of the follower
	files     int    // number of files created so far
}

func newPair(t *testing.T) *pair {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	p := &pair{T: t, recording: &bolttest.Recording{}, world: &world{
		rand: rand.New(rand.NewPCG(seed, 0)), clock: newClock(),
		path: filepath.Join(t.TempDir(), "svc.db"), state: &state{keys: map[store.ID][]store.ProjectID{}},
	}}
	closeStore(t, openStore(t, p.path, store.Options{Now: p.clock.now}))
	p.copied = copyOf(t, p.path)
	p.options = store.Options{Now: p.clock.now, Recorder: p.recording, SnapshotBytes: 64 << 20}
	p.reopen(t)
	p.follow()
	return p
}

// follow opens the store that follows.
func (p *pair) follow() {
	p.Helper()
	p.follower = openStore(p.T, p.copied, store.Options{Now: p.clock.now, Follow: true})
}

// apply applies recorded changes from the given position up to another one, in random groups.
func (p *pair) apply(from, to uint64) {
	p.Helper()
	changes := p.recording.Changes(from)
	for len(changes) > 0 && changes[0].Position <= to {
		n := 1 + p.rand.IntN(min(len(changes), 20))
		for changes[n-1].Position > to {
			n--
		}
		if err := p.follower.Apply(changes[:n], changes[n-1].Position); err != nil {
			p.Fatalf("apply up to %d: %v", changes[n-1].Position, err)
		}
		p.reached = max(p.reached, changes[n-1].Position)
		changes = changes[n:]
	}
}

// catchUp applies everything, perhaps with a restart of the follower in between, after which some
// changes arrive again.
func (p *pair) catchUp() {
	p.Helper()
	last := p.recording.Position
	if p.rand.IntN(4) == 0 && last > p.reached {
		p.apply(p.reached, p.reached+1+p.rand.Uint64N(last-p.reached))
		if err := p.follower.Close(); err != nil {
			p.Fatal(err)
		}
		p.follow()
		p.apply(p.reached-min(p.reached, p.rand.Uint64N(30)), last)
		return
	}
	if p.rand.IntN(4) == 0 {
		if _, err := p.follower.CompactFile(true); err != nil {
			p.Fatal(err)
		}
	}
	p.apply(p.reached, last)
}

// compare compares everything that can be read from the follower with what can be read from the
// other store, and from a store that has just been opened.
func (p *pair) compare() {
	p.Helper()
	want, got := p.read(p.db), p.read(p.follower)
	p.equal("the primary", want, got)
	path := filepath.Join(p.TempDir(), "fresh.db")
	image, err := p.follower.Image()
	if err == nil {
		err = errors.Join(image.Copy(path), image.Close())
	}
	if err != nil {
		p.Fatal(err)
	}
	fresh := openStore(p.T, path, store.Options{Now: p.clock.now, Follow: true})
	p.equal("a new start", p.read(fresh), got)
	if err := fresh.Close(); err != nil {
		p.Fatal(err)
	}
	if counted, kept, _ := p.follower.Held(); counted != kept {
		p.Fatalf("the cache counts %d bytes, its snapshots have %d", counted, kept)
	}
}

func (p *pair) equal(with string, want, got []string) {
	p.Helper()
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			w, g := append(slices.Clone(want), "nothing"), append(slices.Clone(got), "nothing")
			p.Fatalf("compared with %s, line %d:\ngot  %.1000s\nwant %.1000s", with, i, g[min(i, len(got))], w[min(i, len(want))])
		}
	}
}

// read returns what the methods of a store return.
func (p *pair) read(db *store.Store) (lines []string) {
	p.Helper()
	add := func(what string, values ...any) {
		for _, v := range values {
			if err, failed := v.(error); failed {
				what += " error " + err.Error()
			} else {
				what += " " + asJSON(p.T, v)
			}
		}
		lines = append(lines, what)
	}
	add("store", db.LastID(), db.LastChange(), db.Owner(), db.Account(), db.APIKeys())
	for _, k := range db.APIKeys() {
		add("key", k.ID, db.KeyByDigest(k.Digest))
	}
	hooks := db.EnabledHooks()
	slices.SortFunc(hooks, func(a, b *store.Hook) int { return strings.Compare(a.ID.String(), b.ID.String()) })
	for _, h := range hooks {
		add("hook", h.ID, h.Project, h)
	}
	for _, name := range someKeys {
		found, err := db.FindProject(name)
		add("named "+name, found, err)
	}
	err := db.View(func(tx *store.Tx) error {
		p.readInstance(tx, add)
		return nil
	})
	if err != nil {
		p.Fatal(err)
	}
	for _, one := range db.Projects() {
		add("project", one.ID, one)
		byID, ok := db.ProjectByID(one.ID)
		add("by number", byID, ok)
		p.readSnapshot(db, one, add)
		err := db.View(func(tx *store.Tx) error {
			p.readProject(tx, one.ID, add)
			return nil
		})
		if err != nil {
			p.Fatal(err)
		}
	}
	return lines
}

// readInstance reads what belongs to no project.
func (p *pair) readInstance(tx *store.Tx, add func(string, ...any)) {
	backends, err := tx.StorageBackends()
	add("backends", backends, err)
	versions, err := tx.VersionStatistics()
	add("versions", versions, err)
	all, pinned, err := tx.AnnouncementStatistics()
	add("announcements", all, pinned, err)
	feedback, err := tx.FeedbackStatistics()
	add("feedback", feedback, err)
	logs, err := tx.LogStatistics()
	add("logs", logs, err)
	files, err := tx.FileCount()
	add("files", files, err)
	pending, err := tx.PendingFiles(1000)
	add("pending", pending, err)
	deletions, err := tx.FileDeletions(1000)
	add("deletions", deletions, err)
	cdn, err := store.CDNSettings.Get(tx)
	add("cdn", cdn, err)
	oldest, last := tx.FeedRange()
	changes, err := tx.Changes(0, math.MaxInt)
	add("feed", oldest, last, changes, err, tx.Erasures(), tx.SweepAfter().Unix(), tx.CleanedAt().Unix())
	run, err := tx.JobRun("job")
	add("job", run, err)
}

// readSnapshot reads what a project shows to the public.
func (p *pair) readSnapshot(db *store.Store, one *store.Project, add func(string, ...any)) {
	snap, err := db.Snapshot(one.Key)
	if err != nil {
		p.Fatal(err)
	}
	add("snapshot", snap.Project, snap.Distribution, snap.TrustKeys, snap.Catalog.Len(), snap.Cost())
	for at := range snap.Catalog.Len() {
		e := snap.Entry(at)
		v, err := db.FullVersion(snap, e)
		add("version", e.ID, snap.Catalog.Item(at), v, err, snap.LinkedFiles(at))
		assets, err := db.Assets(one.ID, e.Record)
		add("assets", assets, err)
		owner, ok, err := db.OwnerOf(e.ID)
		add("owner", owner, ok, err)
	}
	for _, e := range snap.Announcements(nil) {
		a, err := db.FullAnnouncement(snap, e)
		add("announcement", e.ID, a, err)
	}
	for n := range p.files {
		key := newFileRecord(n, store.FileReady).ObjectKey
		f, backend, err := db.LinkedFile(key)
		add("link", f, backend, err)
	}
}

// readProject reads the lists of a project.
func (p *pair) readProject(tx *store.Tx, id store.ProjectID, add func(string, ...any)) {
	everything := store.Selection{Hidden: true, Limit: 1 << 20}
	for _, q := range []store.FeedbackSelection{
		{Selection: everything}, {Selection: store.Selection{Limit: 5, Offset: 2, Oldest: true}}, {Selection: everything, ByRating: store.Descending},
		{Selection: everything, Rating: new(3)}, {Selection: everything, Status: new(store.StatusClosed)},
		{Selection: store.Selection{Limit: 100, Find: &store.Find{Terms: []string{"<7"}, Candidates: store.Candidates{All: true}}}},
	} {
		list, found, err := tx.ListFeedback(id, q)
		add("feedback", found, err)
		for _, f := range list {
			add("one", f.ID, f)
		}
	}
	for _, q := range []store.LogSelection{
		{Selection: everything, To: 1 << 40}, {Selection: store.Selection{Limit: 5, Offset: 2}, To: 1 << 40},
		{Selection: everything, To: 1 << 40, ByLevel: store.Ascending}, {Selection: everything, To: 1 << 40, Level: new(3)},
		{Selection: everything, To: 1 << 40, Version: new("1.2.0")}, {Selection: everything, To: 1 << 40, Group: &loggroup.Overflow},
	} {
		list, found, err := tx.ListLogs(id, q)
		add("logs", found, err)
		for _, l := range list {
			add("one", l.ID, l.Group, l)
		}
	}
	grouped, err := tx.LogsGrouped(id)
	add("grouped", grouped, err)
	groups, err := tx.LogGroups(id)
	add("groups", groups, err)
	levels, err := tx.LogLevels(id, 0, math.MaxInt64)
	add("levels", levels, err)
	ratings, err := tx.FeedbackRatings(id, 0, math.MaxInt64)
	add("ratings", ratings, err)
	contents, err := tx.Contents(id)
	add("contents", contents, err)
	feedbackBytes, logBytes, err := tx.SubmissionBytes(id)
	add("bytes", feedbackBytes, logBytes, err)
	for _, by := range []store.FileOrder{store.FilesByAge, store.FilesByName, store.FilesBySize} {
		list, total, err := tx.ListFiles(id, store.FileSelection{By: by, Limit: 1000})
		add("files", total, err)
		for _, f := range list {
			add("file", f.ID, f)
		}
	}
	cards, err := tx.Cards(id)
	add("cards", cards, err)
	hooks, err := tx.Hooks(id)
	add("hooks", hooks, err)
	for _, h := range hooks {
		state, err := tx.HookState(h.ID)
		sent, total, err2 := tx.HookDeliveries(h.ID, store.DeliveryFilter{}, 0, 1000)
		add("deliveries", state, err, sent, total, err2)
	}
	var counted []string
	err = tx.EachRequest(id, 0, math.MaxUint32, func(h store.Hour, r store.Request, n int64) { counted = append(counted, fmt.Sprint(h, r, n)) })
	add("requests", counted, err)
	var healthy []string
	err = tx.EachHealthCount(id, func(v store.ID, at int64, c store.HealthCount) bool {
		healthy = append(healthy, fmt.Sprint(v, at, c))
		return true
	})
	add("health", healthy, err)
}

// act does one random thing to a project of the primary that the model does not know.
func (p *pair) act() {
	p.Helper()
	projects := p.db.Projects()
	if len(projects) == 0 {
		return
	}
	id := one(p.rand, projects).ID
	p.clock.advance(time.Duration(p.rand.IntN(3000)) * time.Millisecond)
	acts := []func(*store.Tx) error{
		func(tx *store.Tx) error { return p.announce(tx, id) },
		func(tx *store.Tx) error { return p.respond(tx, id) },
		func(tx *store.Tx) error { return p.respond(tx, id) },
		func(tx *store.Tx) error { return p.report(tx, id) },
		func(tx *store.Tx) error { return p.store(tx, id) },
		func(tx *store.Tx) error { return p.configure(tx, id) },
		func(tx *store.Tx) error { return p.measure(tx, id) },
	}
	if n := p.rand.IntN(len(acts) + 1); n < len(acts) {
		update(p.T, p.db, acts[n])
		return
	}
	p.clean(id)
}

func (p *pair) announce(tx *store.Tx, id store.ProjectID) error {
	a := &store.Announcement{Title: p.word()}
	var list []*store.Announcement
	err := tx.EachAnnouncement(id, func(a *store.Announcement) error { list = append(list, a); return nil })
	if len(list) > 0 && p.rand.IntN(2) == 0 {
		a = one(p.rand, list)
	}
	if err == nil && len(list) > 3 && p.rand.IntN(2) == 0 {
		return tx.DeleteAnnouncement(id, a)
	}
	a.Content, a.Pinned = p.word(), p.rand.IntN(2) == 0
	if p.rand.IntN(10) == 0 {
		a.Content = strings.Repeat("long", store.LargeText/4) + p.word()
	}
	a.Translations = map[string]store.AnnouncementText{locale.Key(one(p.rand, someTags)): {Title: new(p.word())}}
	return errors.Join(err, tx.PutAnnouncement(id, a))
}

func (p *pair) respond(tx *store.Tx, id store.ProjectID) error {
	list, _, err := tx.ListFeedback(id, store.FeedbackSelection{Selection: store.Selection{Hidden: true, Limit: 100}})
	if err != nil || len(list) == 0 || p.rand.IntN(3) > 0 {
		for range p.rand.IntN(100) {
			f := &store.Feedback{Content: p.word(), Rating: maybe(p.rand, 1+p.rand.IntN(5)), Hidden: p.rand.IntN(5) == 0}
			err = errors.Join(err, tx.AddFeedback(id, f))
		}
		return err
	}
	f := one(p.rand, list)
	switch p.rand.IntN(3) {
	case 0:
		return tx.DeleteFeedback(id, f)
	case 1:
		return tx.MarkFeedback(id, []store.ID{f.ID}, new(store.FeedbackStatus(p.rand.IntN(4))), maybe(p.rand, true))
	}
	f.SetReply(new(p.word()), tx.Now().Unix())
	f.Rating = maybe(p.rand, 2)
	return tx.PutFeedback(id, f)
}

func (p *pair) report(tx *store.Tx, id store.ProjectID) (err error) {
	for range p.rand.IntN(200) {
		l := uploaded(p.rand.IntN(4), fmt.Sprintf("E%d: no answer after %d ms", p.rand.IntN(5), p.rand.IntN(1000)), []string{"", "1.2.0", "2.0"}[p.rand.IntN(3)])
		err = errors.Join(err, tx.AddLog(id, l))
	}
	if list, _, wrong := tx.ListLogs(id, store.LogSelection{Selection: store.Selection{Limit: 5}, To: 1 << 40}); len(list) > 0 {
		err = errors.Join(err, wrong, tx.HideLogs(id, []store.ID{one(p.rand, list).ID}, true))
	}
	if groups, wrong := tx.LogGroups(id); len(groups) > 0 && p.rand.IntN(2) == 0 {
		g := one(p.rand, groups)
		g.Note = p.word()
		err = errors.Join(err, wrong, tx.PutLogGroup(id, g))
	}
	return err
}

func (p *pair) store(tx *store.Tx, id store.ProjectID) error {
	list, _, err := tx.ListFiles(id, store.FileSelection{Limit: 100})
	if err != nil {
		return err
	}
	if len(list) > 0 && p.rand.IntN(2) == 0 {
		f := one(p.rand, list)
		switch {
		case p.rand.IntN(2) == 0:
			_, err := tx.DeleteFile(id, f.ID, p.rand.IntN(2) == 0, tx.Now().Unix())
			return err
		case f.Status == store.FilePending:
			f.Status, f.SHA256 = store.FileReady, p.word()
			return tx.PutFile(id, f)
		}
		return nil
	}
	f := newFileRecord(p.files, []store.FileStatus{store.FilePending, store.FileReady}[p.rand.IntN(2)])
	p.files++
	if err := tx.CreateFile(id, f); err != nil {
		return err
	}
	versions, err := p.versions(tx, id)
	if err != nil || len(versions) == 0 {
		return err
	}
	v := one(p.rand, versions)
	v.DownloadLinks = []store.DownloadLink{{URL: "https://example.com/" + f.ObjectKey}}
	return tx.UpdateVersion(id, v, nil, false)
}

func (p *pair) versions(tx *store.Tx, id store.ProjectID) (list []*store.Version, err error) {
	err = tx.EachVersion(id, func(v *store.Version) error { list = append(list, v); return nil })
	return list, err
}

func (p *pair) configure(tx *store.Tx, id store.ProjectID) error {
	switch p.rand.IntN(6) {
	case 0:
		d := store.NewDistribution()
		if p.rand.IntN(2) == 0 {
			d.SignaturePolicy = store.SignaturesEnforce
		}
		return tx.PutDistribution(id, &d)
	case 1:
		return errors.Join(store.CDNSettings.Put(tx, &store.CDN{KeyID: p.word()}), tx.PutJobRun("job", store.JobRun{Begun: p.rand.Int64N(99)}))
	case 2:
		hooks, err := tx.Hooks(id)
		if len(hooks) > 2 {
			return errors.Join(err, tx.DeleteHook(id, hooks[0].ID))
		}
		return tx.PutHook(id, newHook(notify.All))
	case 3:
		return tx.PutAccount(&store.Account{Username: p.word(), Epoch: p.rand.Uint64()})
	case 4:
		cards, err := tx.Cards(id)
		if len(cards) > 2 {
			return errors.Join(err, tx.DeleteCard(id, cards[0]))
		}
		return tx.PutCard(id, &store.Card{Title: p.word(), Query: []byte("{}")})
	}
	return tx.PutStorageBackend(&store.StorageBackend{Name: p.word() + fmt.Sprint(p.rand.Uint64()), Kind: store.StorageWebDAV, BaseURL: "https://dav"})
}

func (p *pair) measure(tx *store.Tx, id store.ProjectID) error {
	hour := store.HourOf(tx.Now())
	err := tx.AddRequests(map[store.RequestCounter]uint64{
		store.CountRequest(id, hour, store.NewRequest(1, platform.Linux, store.NewPlace("CN", "", ""), stats.Offset(3))): 7,
		store.CountClient(id, hour, platform.Linux, p.word()):                                                            1,
	})
	versions, wrong := p.versions(tx, id)
	if err = errors.Join(err, wrong); err == nil && len(versions) > 0 {
		err = tx.PutHealth(id, one(p.rand, versions).ID, tx.Now().Unix()/600*600, store.HealthCount{Addresses: p.rand.Int64N(9)})
	}
	return errors.Join(err, tx.Notify(id, notify.Event{Name: notify.RolloutHeldEvent, Data: notify.Notice{Message: "m"}}))
}

// clean runs the work that removes things, or imports a project and deletes it.
func (p *pair) clean(id store.ProjectID) {
	p.Helper()
	var err error
	switch p.rand.IntN(5) {
	case 0:
		_, _, err = p.db.PruneLogs(p.Context(), id, store.LogRange{Before: new(p.clock.now().Unix() - 60)}, false)
	case 1:
		_, err = p.db.PruneFeedback(p.Context(), id, p.clock.now().Unix()-60)
	case 2:
		err = errors.Join(p.db.Purge(), p.db.TrimFeed(p.db.LastChange()-min(p.db.LastChange(), 50)))
	case 3:
		_, err = p.db.CompactFile(true)
	case 4:
		p.importProject()
	}
	if err != nil {
		p.Fatal(err)
	}
}

func (p *pair) importProject() {
	p.Helper()
	i, err := p.db.BeginImport(store.ImportOptions{})
	if err != nil {
		p.Fatal(err)
	}
	fill(p.T, i, p.clock.now().Unix())
	if p.rand.IntN(2) == 0 {
		i.Abandon()
		return
	}
	imported := &store.Project{Key: "imported", Name: p.word()}
	if _, err := i.Reveal(imported); err != nil {
		p.Fatal(err)
	}
	if p.rand.IntN(2) == 0 {
		p.catchUp()
		if got, err := p.follower.FindProject("imported"); err != nil || got.ID != i.Project() {
			p.Fatalf("imported project: got %v, %v", got, err)
		}
	}
	update(p.T, p.db, func(tx *store.Tx) error { return tx.DeleteProject(imported) }) // the model does not know it
}

// TestFollowerByModel changes a store at random and applies its changes to another one that stays
// open. Everything that can be read from both, and from the other one after a new start, is equal.
func TestFollowerByModel(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	p := newPair(t)
	for n := range 200 {
		p.step(t)
		p.act()
		if p.rand.IntN(5) > 0 {
			continue
		}
		p.catchUp()
		if n%4 == 0 {
			p.compare()
		}
	}
	p.catchUp()
	p.compare()
	path, err := p.path, errors.Join(p.db.Close(), p.follower.Close())
	want, position, err2 := boltfile.DigestFile(path)
	got, reached, err3 := boltfile.DigestFile(p.copied)
	if err := errors.Join(err, err2, err3); err != nil || got != want || reached != position {
		t.Fatalf("digest %x at %d, want %x at %d, %v", got, reached, want, position, err)
	}
}

// TestFollowerRefuses checks that a store which follows writes nothing on its own, except for what
// describes its directory, and that it accepts changes when it ceases to follow.
func TestFollowerRefuses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "svc.db")
	if _, err := store.Open(path, store.Options{Follow: true}); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("a file that does not exist: %v", err)
	}
	db := openStore(t, path, store.Options{})
	p := addProject(t, db, "app")
	closeStore(t, db)
	before, _, err := boltfile.DigestFile(path)
	if err != nil {
		t.Fatal(err)
	}

	db = openStore(t, path, store.Options{Follow: true, Upgrade: boltfile.Upgrade{Version: "2.0"}})
	folder := store.BackupFolder{Dir: "/b", Device: 1}
	update(t, db, func(tx *store.Tx) error { return tx.PutBackupFolder(folder) })
	for name, write := range map[string]func() error{
		"project":      func() error { return db.Update(func(tx *store.Tx) error { return tx.PutProject(p) }) },
		"submission":   func() error { return db.Submit(func(tx *store.Tx) error { return tx.AddLog(p.ID, &store.Log{}) }) },
		"a new bucket": func() error { return db.Update(func(tx *store.Tx) error { return tx.PutHook(p.ID, newHook("*")) }) },
		"import":       func() error { _, err := db.BeginImport(store.ImportOptions{}); return err },
		"feed":         func() error { return db.TrimFeed(db.LastChange()) },
		"renewal":      db.Renew,
	} {
		if err := write(); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: got %v, want unavailable", name, err)
		}
	}
	if err := errors.Join(db.Purge(), db.NoteLogin(netip.MustParsePrefix("203.0.113.0/24")), db.Writable()); err != nil {
		t.Error(err)
	}
	if found, err := store.Read(db, (*store.Tx).BackupFolder); err != nil || *found != folder || !db.Following() {
		t.Errorf("got folder %v, error %v, following %t", found, err, db.Following())
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if after, _, err := boltfile.DigestFile(path); err != nil || after != before {
		t.Errorf("the file has changed, error %v", err)
	}

	db = openStore(t, path, store.Options{})
	update(t, db, func(tx *store.Tx) error { return tx.PutProject(p) })
}
