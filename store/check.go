package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"svc/internal/boltfile"
	"svc/internal/integrity"
	"svc/store/series"
)

// Check verifies every page and record of a file against docs/format/svc-db.md. It only reads the
// file, and nothing may write to it during the check. The error contains the path. It is ErrNewer,
// ErrLocked, the error of ctx, an error of the file system, or ErrDamaged if nothing of the file
// can be read.
func Check(ctx context.Context, path string, report *integrity.Report) error {
	return boltfile.Check(path, report, func(t *boltfile.Tx) error {
		return newChecker(ctx, &Tx{bolt: t}, report).run()
	})
}

// checker checks a data file against all rules of its format, in one transaction.
type checker struct {
	ctx    context.Context
	tx     *Tx
	report *integrity.Report

	projects map[ProjectID]*Project
	unread   map[ProjectID]bool // projects with an unreadable record; their counts are unknown
	last     ID                 // the last id that was issued
	greatest ID                 // the greatest id of any record
	owned    int                // number of records that must have an owner
	seen     int64              // bytes read so far

	files       map[ProjectID]map[countName]int64 // file counts, computed from the records of the files
	filesUnread bool                              // a file's record is unreadable, so the file counts are unknown

	repair bool // correct the data that can be derived from the records
}

func newChecker(ctx context.Context, tx *Tx, report *integrity.Report) *checker {
	return &checker{
		ctx: ctx, tx: tx, report: report, projects: map[ProjectID]*Project{}, unread: map[ProjectID]bool{},
		files: map[ProjectID]map[countName]int64{},
	}
}

func (c *checker) bucket(name []byte) *boltfile.Bucket { return c.tx.bolt.Bucket(name) }

// run checks everything. The returned error means that the check could not continue; findings about
// the data go to the report.
func (c *checker) run() error {
	whole, err := c.marks()
	if err != nil || !whole {
		return err
	}
	if err := c.readProjects(); err != nil {
		return err
	}
	if err := c.storage(); err != nil {
		return err
	}
	for _, p := range slices.Sorted(maps.Keys(c.projects)) {
		if err := c.content(p); err != nil {
			return err
		}
	}
	for _, part := range []func() error{c.leftovers, c.names, c.owners, c.keys, c.account, c.hooks, c.feed} {
		if err := part(); err != nil {
			return err
		}
	}
	return c.issued()
}

// marks checks the buckets and values that every file must have. whole is false if so much is
// missing that the check cannot continue.
func (c *checker) marks() (whole bool, err error) {
	meta, whole, err := layout.Check(c.tx.bolt, c.report)
	if meta == nil || err != nil {
		return false, err
	}
	for i, id := range [][]byte{c.tx.bolt.Node().Get(storeIDKey), meta.Get(ownerKey)} {
		if where := []string{"/node/store_id", "/meta/owner_id"}[i]; len(id) != len(uuid.UUID{}) {
			c.report.Add(integrity.Layout, where, "the id of the file has %d bytes, not 16", len(id))
		}
	}
	if raw := meta.Get(lastIDKey); raw != nil && len(raw) != len(c.last) {
		c.report.Add(integrity.Layout, "/meta/last_id", "the last id has %d bytes, not 16", len(raw))
	} else {
		copy(c.last[:], raw)
	}
	return whole, nil
}

// each calls visit for the entries of a bucket and reports the progress. It stops when c.ctx ends.
func (c *checker) each(b *boltfile.Bucket, visit func(key, value []byte) error) error {
	cursor, n := b.Cursor(), 0
	for key, value := cursor.First(); key != nil; key, value = cursor.Next() {
		c.seen += int64(len(key) + len(value))
		if n++; n%1000 == 1 {
			if err := c.ctx.Err(); err != nil {
				return err
			}
			c.report.Progress(c.seen, c.tx.bolt.Size())
		}
		if err := visit(key, value); err != nil {
			return err
		}
	}
	return nil
}

// use records that an id is in use.
func (c *checker) use(id ID) {
	if string(id[:]) > string(c.greatest[:]) {
		c.greatest = id
	}
}

// issued checks that no record has an id that is greater than the last one issued.
func (c *checker) issued() error {
	if string(c.greatest[:]) <= string(c.last[:]) {
		return nil
	}
	c.report.Add(integrity.Number, "/meta/last_id", "id %s is in use and greater than the last one given out, %s", c.greatest, c.last)
	return c.put(c.bucket(metaBucket), lastIDKey, c.greatest[:])
}

// sequence checks that used, the greatest number in use in a bucket, is not greater than the last
// number that the bucket has issued.
func (c *checker) sequence(b *boltfile.Bucket, where string, used uint64) error {
	if used <= b.Sequence() {
		return nil
	}
	c.report.Add(integrity.Number, where, "number %d is in use, the last one given out is %d", used, b.Sequence())
	if !c.repair {
		return nil
	}
	return b.SetSequence(used)
}

// put stores an entry, but only in a repair.
func (c *checker) put(b *boltfile.Bucket, key, value []byte) error {
	if !c.repair {
		return nil
	}
	return b.Put(key, value)
}

// remove deletes entries, but only in a repair. No cursor of the bucket may be in use.
func (c *checker) remove(b *boltfile.Bucket, keys [][]byte) error {
	if !c.repair {
		return nil
	}
	for _, key := range keys {
		if err := b.DeleteValue(key); err != nil {
			return err
		}
	}
	return nil
}

// derived compares a bucket with want, the entries that follow from the records. If the check
// repairs, derived corrects the bucket. If unread is true, some records could not be read. Entries
// that are not in want may belong to those records, so derived then ignores them.
func (c *checker) derived(kind integrity.Kind, b *boltfile.Bucket, path string, want map[string][]byte, unread bool) error {
	var extra [][]byte
	err := c.each(b, func(key, value []byte) error {
		switch follows, ok := want[string(key)]; {
		case ok && value != nil && bytes.Equal(value, follows):
			delete(want, string(key))
		case !ok && !unread:
			c.report.Add(kind, path+integrity.Path(key), "it follows from no record")
			extra = append(extra, bytes.Clone(key))
		}
		return nil
	})
	if err == nil {
		err = c.remove(b, extra)
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		c.report.Add(kind, path+integrity.Path([]byte(key)), "it is %q, and follows as %q", integrity.Key(b.Get([]byte(key))),
			integrity.Key(want[key]))
		err = errors.Join(err, c.put(b, []byte(key), want[key]))
	}
	return err
}

// counted compares the counts stored in a bucket with the counts of the records. The function known
// reports whether all records of the named count could be read.
func (c *checker) counted(b *boltfile.Bucket, path string, counts map[countName]int64, known func(countName) bool) error {
	for name, n := range counts {
		if n == 0 {
			delete(counts, name) // a count of zero may be stored or missing
		}
	}
	wrong := map[countName]string{}
	err := c.each(b, func(key, raw []byte) error {
		name := countName(key)
		if n, err := numberOf(raw, 8); err != nil {
			wrong[name] = "a number of " + integrity.Key(raw)
		} else if int64(n) != counts[name] {
			wrong[name] = fmt.Sprint(int64(n))
		}
		return nil
	})
	for name := range counts {
		if b.Get([]byte(name)) == nil {
			wrong[name] = "nothing"
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		if known(name) {
			n := counts[name]
			c.report.Add(integrity.Miscount, path+integrity.Path([]byte(name)), "%s is kept, %d are there", wrong[name], n)
			err = errors.Join(err, c.put(b, []byte(name), binary.BigEndian.AppendUint64(nil, uint64(n))))
		}
	}
	return err
}

// decoded decodes a record that has an id as its key. If that fails, it adds a finding and returns
// nil.
func decoded[T any](c *checker, path string, key, raw []byte) (*T, ID) {
	id, err := idOf(key)
	if err != nil {
		c.report.Add(integrity.Record, path+"/"+integrity.Key(key), "the key has %d bytes, not the 16 of an id", len(key))
		return nil, id
	}
	v, err := decode[T](key, raw)
	if err != nil {
		c.report.Add(integrity.Record, path+"/"+id.String(), "%v", err)
		return nil, id
	}
	c.use(id)
	return v, id
}

// isObject reports whether a free-form value is either a JSON object or empty.
func isObject(raw json.RawMessage) bool { return len(raw) == 0 || raw[0] == '{' }

func (c *checker) readProjects() error {
	b := c.bucket(projectsBucket)
	greatest := c.tx.lastWithContent()
	err := c.each(b, func(key, raw []byte) error {
		where := integrity.Path(projectsBucket, key)
		if len(key) != 4 || raw == nil {
			c.report.Add(integrity.Record, where, "the key has %d bytes, not the 4 of a project number", len(key))
			return nil
		}
		id := ProjectID(binary.BigEndian.Uint32(key))
		greatest = max(greatest, uint64(id))
		p, err := decode[Project](key, raw)
		if err != nil {
			c.report.Add(integrity.Record, where, "%v", err)
			c.projects[id] = nil
			return nil
		}
		p.ID = id
		c.projects[id] = p
		return nil
	})
	return errors.Join(err, c.sequence(b, "/projects", greatest))
}

// leftovers reports content of deleted projects.
func (c *checker) leftovers() error {
	all := c.bucket(contentBucket)
	return c.each(all, func(key, raw []byte) error {
		if raw != nil || len(key) != 4 {
			c.report.Add(integrity.Record, integrity.Path(contentBucket, key), "it is not the bucket of a project")
			return nil
		}
		if !c.tx.alive(key) {
			c.report.Add(integrity.Leftover, integrity.Path(contentBucket, key), "the project is deleted")
		}
		return nil
	})
}

func (c *checker) account() error {
	return c.each(c.bucket(accountBucket), func(key, raw []byte) error {
		where := integrity.Path(accountBucket, key)
		a, err := decode[Account](key, raw)
		if err == nil && string(key) != string(adminKey) {
			err = errors.New("it is not that of the administrator")
		}
		if err != nil {
			c.report.Add(integrity.Record, where, "%v", err)
			return nil
		}
		c.use(a.ID)
		return nil
	})
}

func (c *checker) keys() error {
	limited := map[ID]*APIKey{} // keys that are limited to projects that do not exist
	err := c.each(c.bucket(keysBucket), func(key, raw []byte) error {
		k, id := decoded[APIKey](c, integrity.Path(keysBucket), key, raw)
		if k == nil {
			return nil
		}
		var there []ProjectID
		for _, p := range k.Projects {
			if _, ok := c.projects[p]; ok {
				there = append(there, p)
				continue
			}
			c.report.Add(integrity.KeyProject, "/api_keys/"+id.String(), "there is no project number %d", p)
		}
		if len(there) < len(k.Projects) {
			k.Projects = there
			limited[id] = k
		}
		return nil
	})
	for id, k := range limited {
		raw, encoded := encode(k)
		err = errors.Join(err, encoded, c.put(c.bucket(keysBucket), id[:], raw))
	}
	return err
}

func (c *checker) feed() error {
	b := c.bucket(feedBucket)
	greatest := uint64(0)
	var wrong [][]byte
	err := c.each(b, func(key, ref []byte) error {
		_, err := ParseRef(string(ref))
		if err == nil && len(key) == 8 {
			greatest = max(greatest, binary.BigEndian.Uint64(key))
			return nil
		}
		c.report.Add(integrity.Feed, integrity.Path(feedBucket, key), "a key of %d bytes leads to %x", len(key), ref)
		wrong = append(wrong, bytes.Clone(key))
		return nil
	})
	return errors.Join(err, c.remove(b, wrong), c.sequence(b, "/feed", greatest))
}

// content checks all content of a project.
func (c *checker) content(p ProjectID) error {
	path := integrity.Path(contentBucket, p.key())
	content := c.tx.content(p)
	if content == nil {
		c.report.Add(integrity.Layout, path, "the project has no content")
		c.unread[p] = true
		return nil
	}
	for _, name := range contentBuckets {
		if content.Bucket(name) == nil {
			c.report.Add(integrity.Layout, path, "there is no bucket %s", name)
			c.unread[p] = true
		}
	}
	if c.unread[p] {
		return nil
	}
	counts := map[countName]int64{}
	maps.Copy(counts, c.files[p])
	for _, part := range []func(ProjectID, string, map[countName]int64) error{
		c.versions, c.announcements, c.cards, c.projectSettings, c.forwards, c.submissions, c.hours, c.health, c.logGroups, c.counts,
	} {
		if err := part(p, path, counts); err != nil {
			return err
		}
	}
	return nil
}

// own checks that the owner entry of a record names the project. A record's owner entry maps its id
// to its project.
func (c *checker) own(p ProjectID, id ID, path string) error {
	c.owned++
	owners := c.bucket(ownersBucket)
	got := owners.Get(id[:])
	if bytes.Equal(got, p.key()) {
		return nil
	}
	c.report.Add(integrity.Owner, path+"/"+id.String(), "its owner is %q, not project number %d", integrity.Key(got), p)
	return c.put(owners, id[:], p.key())
}

func (c *checker) versions(p ProjectID, path string, counts map[countName]int64) error {
	names, path := path+integrity.Path(versionNamesBucket), path+integrity.Path(versionsBucket)
	latest, named := 0, map[string][]byte{}
	err := c.each(c.tx.content(p).Bucket(versionsBucket), func(key, raw []byte) error {
		v, id := decoded[Version](c, path, key, raw)
		if v == nil {
			c.unread[p] = true
			return nil
		}
		where := path + "/" + id.String()
		if !isObject(v.CustomData) {
			c.report.Add(integrity.Record, where, "its custom data is no object")
		}
		counts[countVersions]++
		counts[countRollouts] += v.openRollouts()
		if v.Latest {
			latest++
		}
		if other := named[v.Version]; other != nil {
			c.report.Add(integrity.VersionName, where, "version %q is also that of %s", v.Version, ID(other))
		}
		named[v.Version] = id[:]
		return c.own(p, id, path)
	})
	if latest > 1 {
		c.report.Add(integrity.Latest, path, "%d versions are the latest; mark one of them as the latest again", latest)
	}
	if err != nil {
		return err
	}
	return c.derived(integrity.VersionName, c.tx.content(p).Bucket(versionNamesBucket), names, named, c.unread[p])
}

func (c *checker) announcements(p ProjectID, path string, counts map[countName]int64) error {
	path += integrity.Path(announcementsBucket)
	return c.each(c.tx.content(p).Bucket(announcementsBucket), func(key, raw []byte) error {
		a, id := decoded[Announcement](c, path, key, raw)
		if a == nil {
			c.unread[p] = true
			return nil
		}
		counts[countAnnouncements]++
		counts[countPinned] += pinned(a)
		return c.own(p, id, path)
	})
}

func (c *checker) cards(p ProjectID, path string, _ map[countName]int64) error {
	path += integrity.Path(cardsBucket)
	return c.each(c.tx.content(p).Bucket(cardsBucket), func(key, raw []byte) error {
		card, id := decoded[Card](c, path, key, raw)
		if card != nil && (len(card.Query) == 0 || !isObject(card.Query) || !isObject(card.Layout)) {
			c.report.Add(integrity.Record, path+"/"+id.String(), "its query or its layout is no object")
		}
		return nil
	})
}

func (c *checker) projectSettings(p ProjectID, path string, _ map[countName]int64) error {
	return c.settings(c.tx.content(p).Bucket(projectSettingsBucket), path+integrity.Path(projectSettingsBucket), projectSettings)
}

// settings checks that the settings in a bucket can be decoded. It skips unknown names, because
// their values are not used.
func (c *checker) settings(b *boltfile.Bucket, path string, known map[string]func(name, raw []byte) error) error {
	return c.each(b, func(name, raw []byte) error {
		if read := known[string(name)]; read != nil {
			if err := read(name, raw); err != nil {
				c.report.Add(integrity.Record, path+integrity.Path(name), "%v", err)
			}
		}
		return nil
	})
}

// forwards checks the Forwards of a project: those that have reserved a number for new feedback,
// and those of stored feedback.
func (c *checker) forwards(p ProjectID, path string, _ map[countName]int64) error {
	content := c.tx.content(p)
	records := content.Bucket(feedbackSeries.Records)
	return c.each(content.Bucket(forwardsBucket), func(key, raw []byte) error {
		where := path + integrity.Path(forwardsBucket, key)
		w, err := decode[Forward](key, raw)
		switch {
		case err != nil:
			c.report.Add(integrity.Record, where, "%v", err)
			return nil
		case w.Stored():
			if owner, ok := c.tx.owner(w.ID); !ok || owner != p {
				c.report.Add(integrity.Record, where, "there is no feedback %s", w.ID)
			}
			return nil
		case w.Settled: // its record may have been deleted since
		case w.Feedback == nil:
			c.report.Add(integrity.Record, where, "it has no feedback")
		case feedbackSeries.of(c.tx, p).Has(w.Number):
			c.report.Add(integrity.Record, where, "its number %d has a record", w.Number)
		}
		c.use(w.ID)
		return c.sequence(records, path+integrity.Path(feedbackSeries.Records), w.Number+1)
	})
}

// hours checks that the request statistics can be decoded.
func (c *checker) hours(p ProjectID, path string, _ map[countName]int64) error {
	for kind, name := range counterBuckets {
		b := c.tx.counters(p, counterKind(kind))
		if b == nil {
			continue // one of laterBuckets, which the project may not have
		}
		err := c.each(b, func(key, raw []byte) error {
			err := decodeHour(raw, counterKind(kind), func(uint64, []byte, int64) {})
			if err != nil || len(key) != 4 {
				c.report.Add(integrity.Hour, path+integrity.Path(name, key), "%d bytes under a key of %d bytes are not counters", len(raw), len(key))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// counts compares the stored counts of a project with the parameter counts, the counts of its
// records. It does nothing if a record of the project cannot be read.
func (c *checker) counts(p ProjectID, path string, counts map[countName]int64) error {
	if c.unread[p] {
		return nil
	}
	return c.counted(c.tx.content(p).Bucket(countsBucket), path+integrity.Path(countsBucket), counts, func(name countName) bool {
		return !c.filesUnread || !strings.HasPrefix(string(name), "files.")
	})
}

// names compares the stored list of names with the keys and aliases of the projects.
func (c *checker) names() error {
	want, unread := map[string][]byte{}, false
	for id, p := range c.projects {
		if p == nil {
			unread = true
			continue
		}
		want[p.Key] = id.key()
		for _, a := range p.Aliases {
			want[a.Name] = id.key()
		}
	}
	return c.derived(integrity.Name, c.bucket(namesBucket), integrity.Path(namesBucket), want, unread)
}

// owners finds owner entries without a record. It searches only if there are more owner entries
// than records, because own has already verified that each record has an entry.
func (c *checker) owners() error {
	b := c.bucket(ownersBucket)
	alive := 0
	err := c.each(b, func(id, project []byte) error {
		if len(project) == 4 && c.tx.alive(project) {
			alive++
		}
		return nil
	})
	if err != nil || alive == c.owned || len(c.unread) > 0 {
		return err
	}
	var extra [][]byte
	err = c.each(b, func(id, project []byte) error {
		if len(project) != 4 || !c.tx.alive(project) || c.has(ProjectID(binary.BigEndian.Uint32(project)), id) {
			return nil // Purge removes the entries of deleted projects
		}
		c.report.Add(integrity.Owner, integrity.Path(ownersBucket, id), "project %x has no such record", project)
		extra = append(extra, bytes.Clone(id))
		return nil
	})
	return errors.Join(err, c.remove(b, extra))
}

// has reports whether a project contains a record with the given id as its key. It searches only
// the kinds of records that have owner entries.
func (c *checker) has(p ProjectID, key []byte) bool {
	content := c.tx.content(p)
	for _, name := range [][]byte{versionsBucket, announcementsBucket} {
		if content.Bucket(name).Get(key) != nil {
			return true
		}
	}
	id, err := idOf(key)
	if err != nil {
		return false
	}
	_, err = feedbackSeries.of(c.tx, p).Find(id)
	return err == nil
}

// submissions checks the feedback and the logs of a project, and the columns derived from them.
func (c *checker) submissions(p ProjectID, path string, counts map[countName]int64) error {
	feedback := feedbackSeries.of(c.tx, p)
	first, err := firstReserved(c.tx, p, feedback.First())
	if err != nil {
		first = feedback.First() // the error is already in the report
	}
	check := series.Check[*Feedback]{Report: c.report, Path: path, First: first, Repair: c.repair, Each: c.each, Sequence: c.sequence}
	check.Visit = func(f *Feedback, id ID, size int) (inRange bool, err error) {
		if r := f.rating(); f.Rating != nil && (r < 1 || r > 5) || f.Status > StatusClosed || !isObject(f.CustomData) {
			return false, nil
		}
		counts[countFeedback]++
		if f.Rating != nil {
			counts[countRated]++
			counts[countRatings] += int64(*f.Rating)
		}
		counts[feedbackSeries.bytes] += int64(size)
		c.use(id)
		return true, c.own(p, id, path+integrity.Path(feedbackSeries.Records))
	}
	unread, err := feedback.Check(check)
	if unread {
		c.unread[p] = true
	}
	if err != nil {
		return err
	}
	logs := logSeries.of(c.tx, p)
	unread, err = logs.Check(series.Check[*Log]{
		Report: c.report, Path: path, First: logs.First(), Repair: c.repair, Each: c.each, Sequence: c.sequence,
		Visit: func(l *Log, id ID, size int) (inRange bool, err error) {
			if l.Level < 0 || l.Level > 3 || !isObject(l.CustomData) || !isObject(l.DeviceInfo) {
				return false, nil
			}
			counts[countLevel(l.Level)]++
			counts[logSeries.bytes] += int64(size)
			c.use(id)
			return true, nil
		},
	})
	if unread {
		c.unread[p] = true
	}
	return err
}

// Repair fixes the damage that Check finds, as far as the correct data can be derived from the
// records. It uses one transaction. No other process may have the file open. It returns the error
// of ctx, or one that Open can return.
func Repair(ctx context.Context, path string, recorder boltfile.Recorder) error {
	return boltfile.Repair(path, boltfile.Options{Recorder: recorder}, layout, func(file *boltfile.Writer) error {
		return file.Update(func(t *boltfile.Tx) error {
			c := newChecker(ctx, &Tx{bolt: t}, integrity.NewReport(nil))
			c.repair = true
			return c.run()
		})
	})
}

// storage checks the storage backends, the files, and the indexes of files.
func (c *checker) storage() error {
	backends, err := c.backends()
	if err != nil {
		return err
	}
	on, err := c.eachFile(backends)
	if err != nil {
		return err
	}
	if err := c.settings(c.bucket(settingsBucket), integrity.Path(settingsBucket), instanceSettings); err != nil {
		return err
	}
	for _, part := range []func() error{c.fileDeletions, c.cdnRefreshes} {
		if err := part(); err != nil {
			return err
		}
	}
	return c.counted(c.bucket(fileCountsBucket), integrity.Path(fileCountsBucket), on, func(countName) bool { return !c.filesUnread })
}

// backends checks the storages and the projects that name them. It returns the ids of the storages.
func (c *checker) backends() (known map[string]bool, err error) {
	b := c.bucket(storageBackendsBucket)
	known, whole, defaults := map[string]bool{}, true, 0
	err = c.each(b, func(key, raw []byte) error {
		known[string(key)] = true
		backend, err := decode[StorageBackend](key, raw)
		if err != nil {
			whole = false
			c.report.Add(integrity.Record, integrity.Path(storageBackendsBucket, key), "%v", err)
			return nil
		}
		if id, ok := ParseID(string(key)); ok {
			c.use(id)
		}
		if backend.Default {
			defaults++
		}
		return nil
	})
	if whole && (defaults != 1 || !known[LocalStorage]) {
		c.report.Add(integrity.FileHome, "/storage_backends", "%d storages are the default, not one, or the built-in one is missing", defaults)
		if err == nil && c.repair {
			err = mendDefault(b)
		}
	}
	for id, p := range c.projects {
		if p == nil || p.StorageBackend == "" || known[p.StorageBackend] {
			continue
		}
		c.report.Add(integrity.FileHome, integrity.Path(projectsBucket, id.key()), "there is no storage backend %q", p.StorageBackend)
		p.StorageBackend = ""
		raw, encoded := encode(p)
		err = errors.Join(err, encoded, c.put(c.bucket(projectsBucket), id.key(), raw))
	}
	return known, err
}

// mendDefault makes the built-in storage the default and all other storages ordinary ones.
func mendDefault(b *boltfile.Bucket) error {
	changed := map[string]*StorageBackend{LocalStorage: {Name: localName, Kind: StorageLocal}}
	err := b.ForEach(func(key, raw []byte) error {
		backend, err := decode[StorageBackend](key, raw)
		changed[string(key)] = backend
		return err
	})
	for id, backend := range changed {
		if err != nil {
			return err
		}
		backend.Default = id == LocalStorage
		err = put(b, []byte(id), backend)
	}
	return err
}

// eachFile checks each file and the indexes in which it must appear. It counts the files of each
// project and of each storage, and returns the counts of the storages.
func (c *checker) eachFile(backends map[string]bool) (on map[countName]int64, err error) {
	on = map[countName]int64{}
	order, pending, sources := map[string][]byte{}, map[string][]byte{}, map[string][]byte{}
	err = c.each(c.bucket(filesBucket), func(key, raw []byte) error {
		where := integrity.Path(filesBucket, key)
		f, err := decode[File](key, raw)
		if err != nil || !validFileID(FileID(key)) || !slices.Contains(FileStatuses, f.Status) {
			c.filesUnread = true
			c.report.Add(integrity.Record, where, "it is no file: %v", err)
			return nil
		}
		f.ID = FileID(key)
		on[countName(f.Backend)]++
		counts := c.files[f.Project]
		if counts == nil {
			counts = map[countName]int64{}
			c.files[f.Project] = counts
		}
		counts[countFiles(f.Status)]++
		if !backends[f.Backend] {
			c.report.Add(integrity.FileHome, where, "there is no storage backend %q", f.Backend)
		}
		order[string(f.orderKey())] = f.orderValue()
		if f.Status == FilePending {
			pending[string(dueKey(f.RetryAt, f.ID))] = []byte{}
		}
		if f.SourceURL != "" {
			key := string(sourceKey(f.Project, f.SourceURL))
			sources[key] = append(sources[key], f.ID...)
		}
		return nil
	})
	if c.filesUnread {
		clear(sources) // the entries may contain the ids of files that cannot be read
	}
	for key, ids := range sources {
		if kept := c.bucket(fileSourcesBucket).Get([]byte(key)); slices.Equal(sortedIDs(kept), sortedIDs(ids)) {
			sources[key] = kept // in order of creation
		}
	}
	return on, errors.Join(err,
		c.derived(integrity.FileIndex, c.bucket(fileOrderBucket), integrity.Path(fileOrderBucket), order, c.filesUnread),
		c.derived(integrity.FileIndex, c.bucket(filePendingBucket), integrity.Path(filePendingBucket), pending, c.filesUnread),
		c.derived(integrity.FileIndex, c.bucket(fileSourcesBucket), integrity.Path(fileSourcesBucket), sources, c.filesUnread),
	)
}

// sortedIDs splits a value of the bucket file_sources into file ids and sorts them.
func sortedIDs(ids []byte) (list []string) {
	for id := range slices.Chunk(ids, fileIDLength) {
		list = append(list, string(id))
	}
	slices.Sort(list)
	return list
}

func (c *checker) fileDeletions() error {
	return c.each(c.bucket(fileDeletionsBucket), func(key, raw []byte) error {
		if _, err := decode[FileDeletion](key, raw); err != nil || len(key) != 8+fileIDLength {
			c.report.Add(integrity.Record, integrity.Path(fileDeletionsBucket, key), "it is no object to remove: %v", err)
		}
		return nil
	})
}

func (c *checker) cdnRefreshes() error {
	return c.each(c.bucket(cdnRefreshesBucket), func(key, raw []byte) error {
		if _, err := decode[CDNRefresh](key, raw); err != nil || !validFileID(FileID(key)) {
			c.report.Add(integrity.Record, integrity.Path(cdnRefreshesBucket, key), "it is no link to refresh: %v", err)
		}
		return nil
	})
}
