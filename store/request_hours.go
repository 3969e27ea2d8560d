package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"svc/internal/boltfile"
	"svc/internal/hourly"
	"svc/internal/platform"
	"svc/internal/stats"
)

// Request statistics have one key per project, kind of counter and hour. The value
// is that of package hourly, with texts for the kinds of versions.

// Bounds of the counters of an hour. What anonymous clients send is part of most of
// them, so there must be some.
const (
	maxRequests = 1 << 14
	maxVersions = 2000
)

// counterBuckets are the buckets of the kinds.
var counterBuckets = [...][]byte{
	requestCounts: requestsBucket, systemCounts: systemVersionsBucket, clientCounts: clientVersionsBucket,
}

// hourCounter is one number in the value of an hour.
type hourCounter struct {
	RequestCounter
	n uint64
}

func byCounter(a, b hourCounter) int {
	return cmp.Or(
		cmp.Compare(a.project, b.project), cmp.Compare(a.kind(), b.kind()), cmp.Compare(a.hour, b.hour),
		cmp.Compare(a.what, b.what), strings.Compare(a.text, b.text),
	)
}

// AddRequests adds to the counters. Those of projects that do not exist any more
// are left out.
func (tx *Tx) AddRequests(counts map[RequestCounter]uint64) error {
	all := make([]hourCounter, 0, len(counts))
	for c, n := range counts {
		all = append(all, hourCounter{c, n})
	}
	slices.SortFunc(all, byCounter)
	for len(all) > 0 {
		first := all[0]
		end := slices.IndexFunc(all, func(c hourCounter) bool {
			return c.project != first.project || c.kind() != first.kind() || c.hour != first.hour
		})
		if end < 0 {
			end = len(all)
		}
		if tx.content(first.project) != nil {
			if err := tx.addToHour(first.RequestCounter, all[:end]); err != nil {
				return fmt.Errorf("count requests of project %d: %w", first.project, err)
			}
		}
		all = all[end:]
	}
	return nil
}

// addToHour adds counters of one project, kind and hour, those of like.
func (tx *Tx) addToHour(like RequestCounter, added []hourCounter) error {
	b := tx.counters(like.project, like.kind())
	key := like.hour.key()
	all := added
	if raw := b.Get(key); raw != nil {
		all = slices.Clone(added)
		err := decodeHour(raw, like.kind(), func(what uint64, text []byte, n int64) {
			old := RequestCounter{like.project, like.hour, uint64(like.kind())<<kindAt | what, string(text)}
			all = append(all, hourCounter{old, uint64(n)})
		})
		if err != nil {
			return err
		}
		all = merged(all)
	}
	b.FillPercent = 0.9 // keys append
	return b.Put(key, encodeHour(squeezed(all)))
}

// merged sorts and makes one of those that count the same.
func merged(all []hourCounter) []hourCounter {
	slices.SortFunc(all, byCounter)
	kept := all[:0]
	for _, c := range all {
		if last := len(kept) - 1; last >= 0 && kept[last].RequestCounter == c.RequestCounter {
			kept[last].n += c.n
			continue
		}
		kept = append(kept, c)
	}
	return kept
}

// squeezed keeps an hour within its bound: the greatest counters stay, the
// others are folded, so that a client that makes up versions does not push out the
// real ones.
func squeezed(all []hourCounter) []hourCounter {
	most := maxVersions
	if len(all) > 0 && all[0].kind() == requestCounts {
		most = maxRequests
	}
	if len(all) <= most {
		return all
	}
	slices.SortFunc(all, func(a, b hourCounter) int { return cmp.Or(cmp.Compare(b.n, a.n), byCounter(a, b)) })
	for i := most * 3 / 4; i < len(all); i++ { // makes room for some time
		all[i].RequestCounter = all[i].Folded()
	}
	return merged(all)
}

// encodeHour is the value of sorted counters of one kind.
func encodeHour(all []hourCounter) []byte {
	e := hourly.NewEncoder(8 * len(all))
	for _, c := range all {
		what := c.what &^ (3 << kindAt)
		if c.kind() == requestCounts {
			e.Add(what, c.n)
		} else {
			e.AddText(what, c.text, c.n)
		}
	}
	return e.Value()
}

// decodeHour calls each for the counters of a value, in order. The text is only
// valid during the call.
func decodeHour(raw []byte, kind counterKind, each func(what uint64, text []byte, n int64)) error {
	if kind == requestCounts {
		return hourly.Each(raw, func(what uint64, n int64) { each(what, nil, n) })
	}
	return hourly.EachText(raw, each)
}

// EachRequest calls each for the counters of requests in hours from..to, both
// included, hour by hour.
func (tx *Tx) EachRequest(p ProjectID, from, to Hour, each func(h Hour, r Request, n int64)) error {
	return tx.eachCounter(p, requestCounts, from, to, func(h Hour, what uint64, _ []byte, n int64) { each(h, Request(what), n) })
}

// EachSystemVersion does the same for the versions of clients' systems; the text
// is only valid during the call, and "" for what is not reported.
func (tx *Tx) EachSystemVersion(p ProjectID, from, to Hour, each func(h Hour, on platform.Platform, version []byte, n int64)) error {
	return tx.eachCounter(p, systemCounts, from, to, func(h Hour, what uint64, text []byte, n int64) { each(h, stats.PlatformOf(int(what)), text, n) })
}

// EachClientVersion does the same for the versions of the project's own app.
func (tx *Tx) EachClientVersion(p ProjectID, from, to Hour, each func(h Hour, on platform.Platform, version []byte, n int64)) error {
	return tx.eachCounter(p, clientCounts, from, to, func(h Hour, what uint64, text []byte, n int64) { each(h, stats.PlatformOf(int(what)), text, n) })
}

func (tx *Tx) eachCounter(p ProjectID, kind counterKind, from, to Hour, each func(h Hour, what uint64, text []byte, n int64)) error {
	b := tx.counters(p, kind)
	if b == nil {
		return nil
	}
	cursor := b.Cursor()
	for key, raw := cursor.Seek(from.key()); key != nil; key, raw = cursor.Next() {
		number, err := numberOf(key, 4)
		h := Hour(number)
		if err != nil || h > to {
			return err
		}
		err = decodeHour(raw, kind, func(what uint64, text []byte, n int64) { each(h, what, text, n) })
		if err != nil {
			return fmt.Errorf("requests of project %d in hour %d: %w", p, h, err)
		}
	}
	return nil
}

// counters returns the bucket of a kind, or nil if the project is gone.
func (tx *Tx) counters(p ProjectID, kind counterKind) *boltfile.Bucket {
	return tx.contentBucket(p, counterBuckets[kind])
}

// DropRequests forgets the counters of hours before a given one, at most limit
// values, and reports how many that were.
func (tx *Tx) DropRequests(p ProjectID, before Hour, limit int) (dropped int, err error) {
	for kind := range counterBuckets {
		b := tx.counters(p, counterKind(kind))
		if b == nil {
			continue
		}
		n, err := deleteNumbers(b, limit-dropped, 4, func(hour uint64) bool { return Hour(hour) < before })
		if err != nil {
			return dropped, err
		}
		dropped += n
	}
	return dropped, nil
}

// HasRequestsBefore reports whether DropRequests would find something.
func (tx *Tx) HasRequestsBefore(p ProjectID, before Hour) bool {
	for kind := range counterBuckets {
		if b := tx.counters(p, counterKind(kind)); b != nil {
			key, _ := b.Cursor().First()
			if hour, err := numberOf(key, 4); err == nil && Hour(hour) < before {
				return true
			}
		}
	}
	return false
}
