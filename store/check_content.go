package store

import (
	"bytes"
	"encoding/binary"

	"svc/internal/finding"
)

// laterBuckets may be missing in a project: they are made when they are needed.
var laterBuckets = map[string]bool{
	string(cardsBucket): true, string(requestsBucket): true,
	string(systemVersionsBucket): true, string(clientVersionsBucket): true,
}

// content checks everything of a project.
func (c *checker) content(p ProjectID) error {
	path := finding.Path(contentBucket, p.key())
	content := c.tx.content(p)
	if content == nil {
		c.report.Add(finding.Layout, path, "the project has no content")
		c.unread[p] = true
		return nil
	}
	for _, name := range contentBuckets {
		if content.Bucket(name) == nil && !laterBuckets[string(name)] {
			c.report.Add(finding.Layout, path, "there is no bucket %s", name)
			c.unread[p] = true
		}
	}
	if c.unread[p] {
		return nil
	}
	counts := map[countName]int64{}
	for _, part := range []func(ProjectID, string, map[countName]int64) error{
		c.versions, c.announcements, c.cards, c.submissions, c.hours, c.counts,
	} {
		if err := part(p, path, counts); err != nil {
			return err
		}
	}
	return nil
}

// own notes a record that must be in the list of owners.
func (c *checker) own(p ProjectID, id ID, path string) {
	c.owned++
	owners := c.bucket(ownersBucket)
	if got := owners.Get(id[:]); !bytes.Equal(got, p.key()) {
		c.report.Add(finding.Owner, path+"/"+id.String(), "its owner is %q, not project number %d", finding.Key(got), p)
		c.fix(func() error { return owners.Put(id[:], p.key()) })
	}
}

func (c *checker) versions(p ProjectID, path string, counts map[countName]int64) error {
	path += finding.Path(versionsBucket)
	names := c.tx.content(p).Bucket(versionNamesBucket)
	latest, named := 0, 0
	err := c.each(c.tx.content(p).Bucket(versionsBucket), func(key, raw []byte) error {
		v, id := decoded[Version](c, path, key, raw)
		if v == nil {
			c.unread[p] = true
			return nil
		}
		where := path + "/" + id.String()
		if !isObject(v.CustomData) {
			c.report.Add(finding.Record, where, "its custom data is no object")
		}
		counts[countVersions]++
		if v.Latest {
			latest++
		}
		c.own(p, id, path)
		if got := names.Get([]byte(v.Version)); !bytes.Equal(got, id[:]) {
			c.report.Add(finding.VersionName, where, "version %q leads to %q", v.Version, finding.Key(got))
			c.fix(func() error { return names.Put([]byte(v.Version), id[:]) })
			return nil
		}
		named++
		return nil
	})
	if latest > 1 {
		c.report.Add(finding.Latest, path, "%d versions are the latest; mark one of them as the latest again", latest)
	}
	if err != nil || c.unread[p] || names.Inspect().KeyN == named {
		return err
	}
	return c.extraNames(p, path)
}

// extraNames finds the display texts that lead to no version of that text.
func (c *checker) extraNames(p ProjectID, path string) error {
	names := c.tx.content(p).Bucket(versionNamesBucket)
	versions := c.tx.content(p).Bucket(versionsBucket)
	return c.each(names, func(text, id []byte) error {
		v, err := get[Version](versions, id)
		if err != nil || v != nil && v.Version == string(text) {
			return nil // what cannot be decoded is in the report
		}
		c.report.Add(finding.VersionName, path, "display text %q leads to %q, which is no version of that text", text, finding.Key(id))
		text = bytes.Clone(text)
		c.fix(func() error { return names.Delete(text) })
		return nil
	})
}

func (c *checker) announcements(p ProjectID, path string, counts map[countName]int64) error {
	path += finding.Path(announcementsBucket)
	return c.each(c.tx.content(p).Bucket(announcementsBucket), func(key, raw []byte) error {
		a, id := decoded[Announcement](c, path, key, raw)
		if a == nil {
			c.unread[p] = true
			return nil
		}
		counts[countAnnouncements]++
		counts[countPinned] += pinned(a)
		c.own(p, id, path)
		return nil
	})
}

func (c *checker) cards(p ProjectID, path string, _ map[countName]int64) error {
	b := c.tx.cards(p)
	if b == nil {
		return nil
	}
	path += finding.Path(cardsBucket)
	return c.each(b, func(key, raw []byte) error {
		card, id := decoded[Card](c, path, key, raw)
		if card != nil && (len(card.Query) == 0 || !isObject(card.Query) || !isObject(card.Layout)) {
			c.report.Add(finding.Record, path+"/"+id.String(), "its query or its layout is no object")
		}
		return nil
	})
}

// hours decodes the request statistics.
func (c *checker) hours(p ProjectID, path string, _ map[countName]int64) error {
	for kind, name := range counterBuckets {
		b := c.tx.counters(p, counterKind(kind))
		if b == nil {
			continue
		}
		err := c.each(b, func(key, raw []byte) error {
			err := decodeHour(raw, counterKind(kind), func(uint64, []byte, uint64) {})
			if err != nil || len(key) != 4 {
				c.report.Add(finding.Hour, path+finding.Path(name, key), "%d bytes under a key of %d bytes are no counters", len(raw), len(key))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// counts compares the numbers that are kept with those of the records, unless
// some of these cannot be read.
func (c *checker) counts(p ProjectID, path string, counts map[countName]int64) error {
	if c.unread[p] {
		return nil
	}
	b := c.tx.content(p).Bucket(countsBucket)
	wrong := func(name countName, kept any) {
		n := counts[name]
		c.report.Add(finding.Miscount, path+finding.Path(countsBucket, []byte(name)), "%v is kept, %d are there", kept, n)
		c.fix(func() error { return b.Put([]byte(name), binary.BigEndian.AppendUint64(nil, uint64(n))) })
	}
	err := c.each(b, func(key, raw []byte) error {
		switch name := countName(key); {
		case len(raw) != 8:
			wrong(name, "a number of "+finding.Key(raw))
		case counted(raw) != counts[name]:
			wrong(name, counted(raw))
		}
		return nil
	})
	for name, n := range counts {
		if n != 0 && b.Get([]byte(name)) == nil {
			wrong(name, "nothing")
		}
	}
	return err
}

// names compares the keys and aliases of projects with the list of names.
func (c *checker) names() error {
	b := c.bucket(namesBucket)
	want := map[string]ProjectID{}
	whole := true
	for id, p := range c.projects {
		if p == nil {
			whole = false
			continue
		}
		want[p.Key] = id
		for _, a := range p.Aliases {
			want[a.Name] = id
		}
	}
	for name, id := range want {
		if got := b.Get([]byte(name)); !bytes.Equal(got, id.key()) {
			c.report.Add(finding.Name, finding.Path(namesBucket, []byte(name)), "it leads to %q, not to project number %d", finding.Key(got), id)
			c.fix(func() error { return b.Put([]byte(name), id.key()) })
		}
	}
	return c.each(b, func(name, _ []byte) error {
		if _, ok := want[string(name)]; ok || !whole {
			return nil
		}
		c.report.Add(finding.Name, finding.Path(namesBucket, name), "no project has this key or alias")
		name = bytes.Clone(name)
		c.fix(func() error { return b.Delete(name) })
		return nil
	})
}

// owners looks for those of records that are not there, if there are more than
// records: each record was found in the list.
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
	return c.each(b, func(id, project []byte) error {
		if len(project) != 4 || !c.tx.alive(project) || c.has(ProjectID(binary.BigEndian.Uint32(project)), id) {
			return nil // what a deleted project has left goes by itself
		}
		c.report.Add(finding.Owner, finding.Path(ownersBucket, id), "project %x has no such record", project)
		id = bytes.Clone(id)
		c.fix(func() error { return b.Delete(id) })
		return nil
	})
}

// has reports whether a project has a record that is addressed by its id alone.
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
	_, _, err = find[Feedback](content, feedbackSeries, id)
	return err == nil
}
