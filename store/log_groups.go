package store

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"

	"svc/internal/fault"
	"svc/internal/integrity"
	"svc/internal/loggroup"
	"svc/internal/notify"
	"svc/internal/platform"
	"svc/internal/release"
	"svc/store/column"
)

// MaxGroupVersions is the maximum number of versions that a group stores.
const MaxGroupVersions = 50

// AppVersion is a version of the app that uploads logs. It is zero for logs without a version.
type AppVersion struct {
	Text  string
	Order release.Comparable // zero if the version has no order
}

// compareVersions orders versions: the greatest first, then those without an order by their texts,
// and the zero version last.
func compareVersions(a, b AppVersion) int {
	rank := func(v AppVersion) int {
		switch {
		case !v.Order.IsZero():
			return 0
		case v.Text != "":
			return 1
		}
		return 2
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), b.Order.Compare(a.Order), cmp.Compare(b.Text, a.Text))
}

// GroupVersion counts the logs of a group that come from one version. Times are in Unix seconds.
type GroupVersion struct {
	AppVersion
	Count               int64
	FirstSeen, LastSeen int64
}

// LogGroup is a group of equal errors. Package loggroup defines which errors are equal. Times are
// in Unix seconds.
type LogGroup struct {
	ID     loggroup.ID
	Title  string
	Level  int
	Source *string
	loggroup.Condition
	Resolution          string // text of Condition.ResolvedIn, which may be a display version
	Note                string
	Count, Occurrences  int64 // Occurrences includes equal logs that clients did not send
	FirstSeen, LastSeen int64
	Spiked              int64                        // time of the last report of a spike, or 0
	First, Last         AppVersion                   // the lowest and the greatest version with an order
	Versions            []GroupVersion               // at most MaxGroupVersions, in the order of compareVersions
	Platforms           [len(platform.All) + 1]int64 // numbers of logs: 0 is for logs without a platform, i+1 for platform.All[i]
	Hours               loggroup.Counts

	changed bool // since it was written to the file
}

// sighting is the part of a log that LogGroup.count needs.
type sighting struct {
	id       loggroup.ID
	at       int64
	version  string
	repeated int64
	platform int // position in LogGroup.Platforms
	level    int
	source   *string
	title    string // needed only by the first log of a group
}

// subject contains the fingerprint of a log and the fields that concern its group. The id is zero
// if the log is not grouped.
type subject struct {
	id     loggroup.ID
	fields loggroup.Fields
}

func (l *Log) input(key string) loggroup.Log {
	source := ""
	if l.Source != nil {
		source = *l.Source
	}
	return loggroup.Log{Level: l.Level, Source: source, Content: l.Content, Key: key}
}

// about returns the fingerprint of the log and the fields that concern its group. Only logs that a
// client has uploaded are grouped. Only these have a sender.
func (l *Log) about() *subject {
	if l.subject == nil {
		l.subject = &subject{fields: loggroup.ReadFields(l.DeviceInfo, l.CustomData)}
		if l.Level >= loggroup.MinLevel && l.Sender != (Sender{}) {
			l.subject.id = l.input(l.subject.fields.Key).ID()
		}
	}
	return l.subject
}

// AppVersion returns the version of the app from which the log comes, or "".
func (l *Log) AppVersion() string { return l.about().fields.Version }

// title returns the title of a group that begins with the log.
func (l *Log) title() string { return l.input(l.about().fields.Key).Title() }

func (l *Log) sighting() sighting {
	about := l.about()
	s := sighting{
		id: about.id, at: CreatedAt(l.ID), version: about.fields.Version, repeated: about.fields.Repeated, level: l.Level, source: l.Source,
	}
	if l.Platform != nil {
		s.platform = slices.Index(platform.All[:], *l.Platform) + 1
	}
	return s
}

// logLabel returns the label of logs with the given fingerprint and version.
func logLabel(id loggroup.ID, version string) (label column.Label) {
	copy(label[:8], id[:])
	if version != "" {
		sum := sha256.Sum256([]byte(version))
		copy(label[8:], sum[:8])
	}
	return label
}

// Label returns the label of the log: its fingerprint and a hash of its version.
func (l *Log) Label() column.Label {
	about := l.about()
	return logLabel(about.id, about.fields.Version)
}

// Label returns the zero label, because feedback has no groups.
func (f *Feedback) Label() column.Label { return column.Label{} }

// count adds a log to the counts and times of the group. v must be the version of the log.
func (g *LogGroup) count(s sighting, v AppVersion) {
	g.changed = true
	if g.Count == 0 || s.at < g.FirstSeen {
		g.FirstSeen, g.Level, g.Source = s.at, s.level, s.source
		if g.ID != loggroup.Overflow && s.title != "" {
			g.Title = s.title
		}
	}
	g.LastSeen = max(g.LastSeen, s.at)
	g.Count++
	g.Occurrences += 1 + s.repeated
	g.Platforms[s.platform]++
	g.Hours.Add(s.at, 1)
	if !v.Order.IsZero() {
		if g.First.Order.IsZero() || v.Order.Compare(g.First.Order) < 0 {
			g.First = v
		}
		if g.Last.Order.IsZero() || v.Order.Compare(g.Last.Order) > 0 {
			g.Last = v
		}
	}
	g.countVersion(s.at, v)
}

func (g *LogGroup) countVersion(at int64, v AppVersion) {
	i := slices.IndexFunc(g.Versions, func(known GroupVersion) bool { return known.Text == v.Text })
	if i >= 0 && g.Versions[i].AppVersion == v {
		known := &g.Versions[i]
		known.Count, known.FirstSeen, known.LastSeen = known.Count+1, min(known.FirstSeen, at), max(known.LastSeen, at)
		return
	}
	added := GroupVersion{v, 1, at, at}
	if i >= 0 { // the version has an order by now, because it has been published since
		known := g.Versions[i]
		added = GroupVersion{v, known.Count + 1, min(known.FirstSeen, at), max(known.LastSeen, at)}
		g.Versions = slices.Delete(g.Versions, i, i+1)
	}
	i, _ = slices.BinarySearchFunc(g.Versions, added, func(a, b GroupVersion) int { return compareVersions(a.AppVersion, b.AppVersion) })
	g.Versions = slices.Insert(g.Versions, i, added)
	if len(g.Versions) > MaxGroupVersions {
		i = g.leastVersion()
		g.Versions = slices.Delete(g.Versions, i, i+1)
	}
}

// leastVersion returns the position in g.Versions of the version to remove. It selects the version
// without an order that has not been seen for the longest time or, if all versions have an order,
// the lowest one. The entry for logs without a version is kept.
func (g *LogGroup) leastVersion() int {
	least := -1
	for i, v := range g.Versions {
		if v.Order.IsZero() && v.Text != "" && (least < 0 || v.LastSeen < g.Versions[least].LastSeen) {
			least = i
		}
	}
	if least < 0 {
		least = len(g.Versions) - 1
		if g.Versions[least].Text == "" {
			least--
		}
	}
	return least
}

// orderOf returns the version with the given text and its order. If the text is a comparable
// version, it determines the order. Otherwise, the version of the project with this display version
// determines it. The order is zero if there is no such version.
func (tx *Tx) orderOf(p ProjectID, text string) (v AppVersion, err error) {
	v.Text = text
	if text == "" {
		return v, nil
	}
	if order, ok := release.Parse(text); ok {
		v.Order = order
		return v, nil
	}
	content := tx.content(p)
	id := content.Bucket(versionNamesBucket).Get([]byte(text))
	if id == nil {
		return v, nil
	}
	rec, err := get[Version](content.Bucket(versionsBucket), id)
	if err == nil && rec != nil {
		v.Order = rec.Comparable
	}
	return v, err
}

// orderIn is like orderOf, but prefers the order that the group g has stored for the version.
func (tx *Tx) orderIn(p ProjectID, g *LogGroup, text string) (AppVersion, error) {
	for _, known := range g.Versions {
		if known.Text == text && !known.Order.IsZero() {
			return known.AppVersion, nil
		}
	}
	return tx.orderOf(p, text)
}

// addGroup returns the group with the given id, which it creates if it does not exist. If the
// project already has loggroup.MaxGroups groups, it returns the group loggroup.Overflow instead of
// a new one. The project must have the bucket of the log groups.
func (tx *Tx) addGroup(p ProjectID, groups *projectGroups, id loggroup.ID) (g *LogGroup, created bool, err error) {
	if g, err = tx.group(p, id); g != nil || err != nil {
		return g, false, err
	}
	n, err := counted(tx.contentBucket(p, countsBucket), countLogGroups)
	if err != nil {
		return nil, false, err
	}
	if n += tx.deltas[p][countLogGroups]; n >= loggroup.MaxGroups {
		if g, err = tx.group(p, loggroup.Overflow); g != nil || err != nil {
			return g, false, err
		}
		g = &LogGroup{ID: loggroup.Overflow, Title: loggroup.OverflowTitle}
	} else {
		g, created = &LogGroup{ID: id}, true
		tx.count(p, countLogGroups, 1)
	}
	g.State = loggroup.Open
	groups.decoded[g.ID], groups.urgent = g, true
	return g, created, nil
}

// groupLog adds a log that is being stored to its group, and queues the events about the group.
func (tx *Tx) groupLog(p ProjectID, l *Log) error {
	groups, err := tx.extendGroups(p)
	if err != nil {
		return err
	}
	groups.next++
	if l.about().id == (loggroup.ID{}) {
		return nil
	}
	s := l.sighting()
	g, created, err := tx.addGroup(p, groups, s.id)
	if err != nil {
		return err
	}
	v, err := tx.orderIn(p, g, s.version)
	if err != nil {
		return err
	}
	if created {
		s.title = l.title()
	}
	after, regressed := g.Observe(v.Order, s.at)
	groups.urgent = groups.urgent || after != g.Condition
	g.Condition = after
	g.count(s, v)
	l.Group, l.Muted = g.ID, g.State == loggroup.Muted
	switch {
	case g.ID == loggroup.Overflow:
		return nil
	case created:
		return tx.reportGroup(p, notify.LogGroupCreatedEvent, g, s)
	case regressed:
		return tx.reportGroup(p, notify.LogGroupRegressedEvent, g, s)
	case g.State == loggroup.Open && g.Hours.Spike(s.at, g.FirstSeen, g.Spiked):
		g.Spiked, groups.urgent = s.at, true
		return tx.notifyGroup(p, notify.LogGroupSpikedEvent, g, s.version)
	}
	return nil
}

// findGroup sets the field Group of a log that has been read from the file.
func (tx *Tx) findGroup(p ProjectID, l *Log) error {
	id := l.about().id
	b := tx.contentBucket(p, logGroupsBucket)
	if id == (loggroup.ID{}) || b == nil {
		return nil
	}
	raw := b.Get(id[:])
	if raw == nil {
		full, err := tx.groupsFull(p)
		if err != nil || !full {
			return err // the job that groups older logs has not reached it yet
		}
		if id, raw = loggroup.Overflow, b.Get(loggroup.Overflow[:]); raw == nil {
			return nil
		}
	}
	l.Group = id
	return nil
}

func (tx *Tx) groupsFull(p ProjectID) (bool, error) {
	n, err := counted(tx.contentBucket(p, countsBucket), countLogGroups)
	return n >= loggroup.MaxGroups, err
}

// LogWithGroup is like Log, but also sets the field Muted of the log.
func (tx *Tx) LogWithGroup(p ProjectID, id ID) (*Log, error) {
	l, err := tx.Log(p, id)
	if err != nil || l.Group == (loggroup.ID{}) {
		return l, err
	}
	g, err := tx.LogGroup(p, l.Group)
	if err != nil {
		return nil, err
	}
	l.Muted = g.State == loggroup.Muted
	return l, nil
}

// now returns a copy of the group with its condition at the time of the transaction.
func (g *LogGroup) now(tx *Tx) *LogGroup {
	copied := *g
	copied.Versions = slices.Clone(g.Versions)
	copied.Condition = g.At(tx.now.Unix())
	return &copied
}

// LogGroup returns a group of a project with its condition at the time of the transaction.
func (tx *Tx) LogGroup(p ProjectID, id loggroup.ID) (*LogGroup, error) {
	g, err := tx.group(p, id)
	if err != nil {
		return nil, err
	}
	if g == nil {
		return nil, notFound("log group")
	}
	return g.now(tx), nil
}

// LogGroups returns the groups of a project with their conditions at the time of the transaction,
// in the order of their ids. It omits groups that the transaction has created.
func (tx *Tx) LogGroups(p ProjectID) (list []*LogGroup, err error) {
	groups, err := tx.groupsOf(p)
	if err != nil {
		return nil, err
	}
	b := tx.contentBucket(p, logGroupsBucket)
	if b == nil {
		return nil, nil
	}
	return list, b.ForEach(func(key, raw []byte) error {
		if len(key) != len(loggroup.ID{}) {
			return nil // the progress of grouping, or the guard
		}
		g := groups.decoded[loggroup.ID(key)]
		if g == nil {
			var err error
			if g, err = decodeLogGroup(loggroup.ID(key), raw); err != nil {
				return err
			}
		}
		list = append(list, g.now(tx))
		return nil
	})
}

// PutLogGroup stores the condition, the resolution and the note of a group.
func (tx *Tx) PutLogGroup(p ProjectID, changed *LogGroup) error {
	g, err := tx.group(p, changed.ID)
	if err != nil {
		return err
	}
	if g == nil {
		return notFound("log group")
	}
	g.Condition, g.Resolution, g.Note, g.changed = changed.Condition, changed.Resolution, changed.Note, true
	return tx.writeGroupsOf(p)
}

// VersionOrder returns the order of the version with the given text, as a log contains it. It is
// zero if the version has no order.
func (tx *Tx) VersionOrder(p ProjectID, text string) (release.Comparable, error) {
	v, err := tx.orderOf(p, text)
	return v.Order, err
}

// LogGroup stores an imported group with its counts. The versions of the project must have been
// imported before, because they determine the orders of the versions of the group. The error is
// Invalid if the project already has a group with this id.
func (t *ImportTx) LogGroup(g *LogGroup) error {
	p := t.in.id
	content := t.tx.content(p)
	b, err := content.CreateBucketIfNotExists(logGroupsBucket)
	if err != nil {
		return err
	}
	groups, err := t.tx.groupsOf(p)
	if err != nil {
		return err
	}
	if b.Get(g.ID[:]) != nil || groups.decoded[g.ID] != nil {
		return fault.New(fault.Invalid, "id %s is that of another group of the project", g.ID)
	}
	if g.ID != loggroup.Overflow {
		t.tx.count(p, countLogGroups, 1)
	}
	for i := range g.Versions {
		v := &g.Versions[i]
		if v.AppVersion, err = t.tx.orderOf(p, v.Text); err != nil {
			return err
		}
	}
	slices.SortFunc(g.Versions, func(a, b GroupVersion) int { return compareVersions(a.AppVersion, b.AppVersion) })
	for _, v := range []*AppVersion{&g.First, &g.Last} {
		if *v, err = t.tx.orderOf(p, v.Text); err != nil {
			return err
		}
	}
	if g.ResolvedIn, err = t.tx.VersionOrder(p, g.Resolution); err != nil {
		return err
	}
	g.changed = true
	groups.decoded[g.ID], groups.urgent = g, true
	return nil
}

// logGroups checks that the log groups of a project can be decoded, and adds their number to
// counts.
func (c *checker) logGroups(p ProjectID, path string, counts map[countName]int64) error {
	b := c.tx.contentBucket(p, logGroupsBucket)
	if b == nil {
		return nil
	}
	return c.each(b, func(key, raw []byte) error {
		broken := func(err error) {
			c.unread[p] = true
			c.report.Add(integrity.Record, path+integrity.Path(logGroupsBucket, key), "%v", err)
		}
		switch {
		case bytes.Equal(key, groupingKey):
			if _, err := decode[grouping](key, raw); err != nil {
				broken(err)
			}
			return nil
		case bytes.Equal(key, guardKey):
			if _, err := decode[loggroup.Guard](key, raw); err != nil {
				broken(err)
			}
			return nil
		case bytes.Equal(key, countedKey):
			if _, err := numberOf(raw, 8); err != nil {
				broken(err)
			}
			return nil
		case len(key) != len(loggroup.ID{}):
			broken(fmt.Errorf("the key has %d bytes, not the %d of a group", len(key), len(loggroup.ID{})))
			return nil
		}
		if _, err := decodeLogGroup(loggroup.ID(key), raw); err != nil {
			broken(err)
		} else if loggroup.ID(key) != loggroup.Overflow {
			counts[countLogGroups]++
		}
		return nil
	})
}
