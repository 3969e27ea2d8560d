package store

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"svc/internal/boltfile"
	"svc/internal/hourly"
	"svc/internal/platform"
	"svc/internal/stats"
)

// Hour is the number of hours since 1970-01-01 00:00 UTC.
type Hour uint32

// HourOf returns the hour that contains t.
func HourOf(t time.Time) Hour { return Hour(t.Unix() / 3600) }

// Start returns the first second of the hour, in Unix seconds.
func (h Hour) Start() int64 { return int64(h) * 3600 }

func (h Hour) key() []byte { return binary.BigEndian.AppendUint32(nil, uint32(h)) }

// Endpoint identifies a route of the API for which requests are counted. The zero
// Endpoint means no endpoint. The numbers are stored in the file, so they must not
// change.
type Endpoint uint8

// Endpoints is greater than every endpoint number, and Provinces is greater than every
// province number.
const (
	Endpoints = 1 << endpointBits
	Provinces = 1 << provinceBits
)

// endpoints lists the names of the endpoints by their number.
var endpoints = [...]string{
	1: "PROJECT_DETAIL", "VERSION_LIST", "VERSION_LATEST", "VERSION_LATEST_PREVIEW", "VERSION_BY_VERSION", "VERSION_CHECK_UPDATE",
	"ANNOUNCEMENT_LIST", "ANNOUNCEMENT_LATEST", "FEEDBACK_SUBMIT", "LOG_UPLOAD", "EVENT_INGEST", "VERSION_ASSETS", "VERSION_NOTES",
	"FEED",
}

// ParseEndpoint returns the endpoint with exactly the given name.
func ParseEndpoint(name string) (Endpoint, bool) {
	at := slices.Index(endpoints[1:], name) + 1
	return Endpoint(at), at > 0
}

// EndpointNames lists the names of all endpoints.
func EndpointNames() []string { return slices.Clone(endpoints[1:]) }

// String returns the name of the endpoint, or "" if there is none.
func (e Endpoint) String() string {
	if int(e) >= len(endpoints) {
		return ""
	}
	return endpoints[e]
}

// The size and the position, in bits, of each dimension in a Request. Sorted Requests are
// ordered by the dimension in the highest bits first, so that neighbouring numbers have
// most bits in common.
const (
	endpointBits = 4
	platformBits = 3
	offsetBits   = 7
	cityBits     = 20
	provinceBits = 7

	platformAt = endpointBits
	offsetAt   = platformAt + platformBits
	placeAt    = offsetAt + offsetBits
	regionAt   = placeAt + cityBits + provinceBits
)

// Place combines a region with the numbers of a province and a city in that region.
type Place uint64

// NewPlace returns a place. The region has the form that stats.ParseRegion accepts. The
// codes of the province and the city have six digits each (GB/T 2260), or are empty. Only
// the first two digits of the province code are stored, because the others are zero in
// every province code.
func NewPlace(region, province, city string) Place {
	return Place(stats.ParseRegion(region))<<(provinceBits+cityBits) | Place(sixDigits(province)/10000)<<cityBits | Place(sixDigits(city))
}

func sixDigits(code string) (n uint64) {
	if len(code) != 6 {
		return 0
	}
	for _, c := range []byte(code) {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + uint64(c-'0')
	}
	return n
}

// Region returns the region of the place.
func (p Place) Region() stats.Region {
	r := p >> (provinceBits + cityBits)
	if r >= stats.Regions {
		return 0
	}
	return stats.Region(r)
}

// Province returns the first two digits of the province code. If the place has only a
// city code, it returns the first two digits of that. It returns 0 if the place has
// neither.
func (p Place) Province() int {
	if province := p >> cityBits & (1<<provinceBits - 1); province != 0 {
		return int(province)
	}
	return int(p & (1<<cityBits - 1) / 10000)
}

// Codes returns the codes that were passed to NewPlace: the codes of the province and the
// city, with six digits each, or empty.
func (p Place) Codes() (province, city string) {
	if n := p >> cityBits & (1<<provinceBits - 1); n != 0 {
		province = fmt.Sprintf("%02d0000", uint64(n))
	}
	if n := p & (1<<cityBits - 1); n != 0 {
		city = fmt.Sprintf("%06d", uint64(n))
	}
	return province, city
}

// Request is the combination of an endpoint, a platform, a time zone and a place.
// Requests to the API are counted for each combination.
type Request uint64

// NewRequest returns the request with the given dimensions.
func NewRequest(endpoint Endpoint, on platform.Platform, from Place, offset stats.Offset) Request {
	return Request(from)<<placeAt | Request(offset)<<offsetAt | Request(stats.PlatformNumber(on))<<platformAt | Request(endpoint)
}

// Endpoint returns the endpoint that was called.
func (r Request) Endpoint() Endpoint { return Endpoint(r & (1<<endpointBits - 1)) }

// PlatformNumber returns the number of the client's platform, which stats.PlatformOf
// accepts.
func (r Request) PlatformNumber() int { return int(r >> platformAt & (1<<platformBits - 1)) }

// Offset returns the client's time zone.
func (r Request) Offset() stats.Offset { return stats.Offset(r >> offsetAt & (1<<offsetBits - 1)) }

// Place returns the place from which the request came.
func (r Request) Place() Place { return Place(r >> placeAt) }

// counterKind is one of the four kinds of counters that a project has.
type counterKind uint8

const (
	requestCounts counterKind = iota
	systemCounts
	clientCounts
	downloadCounts // downloads of files, by day instead of by hour
)

// otherVersions is the version, or file, in the counter that replaces the counters above
// the limit of an hour.
const otherVersions = "(other)"

// RequestCounter identifies one counter of the request statistics: its project, its hour,
// and the values that it counts. It is comparable, so that it can be the key of a map.
type RequestCounter struct {
	project ProjectID
	hour    Hour
	what    uint64 // counterKind in the two highest bits, and a Request or a platform in the others
	text    string
}

const kindAt = 62

func (c RequestCounter) kind() counterKind { return counterKind(c.what >> kindAt) }

// CountRequest returns the counter for requests with the same dimensions as r.
func CountRequest(p ProjectID, h Hour, r Request) RequestCounter {
	return RequestCounter{p, h, uint64(requestCounts)<<kindAt | uint64(r), ""}
}

// CountSystem returns the counter for a version of the clients' operating system. version
// is "" for clients that did not report it.
func CountSystem(p ProjectID, h Hour, on platform.Platform, version string) RequestCounter {
	return RequestCounter{p, h, uint64(systemCounts)<<kindAt | uint64(stats.PlatformNumber(on)), version}
}

// CountClient returns the counter for a version of the project's own app.
func CountClient(p ProjectID, h Hour, on platform.Platform, version string) RequestCounter {
	return RequestCounter{p, h, uint64(clientCounts)<<kindAt | uint64(stats.PlatformNumber(on)), version}
}

// CountDownload returns the counter for downloads of a file on the day to which hour h
// belongs.
func CountDownload(p ProjectID, h Hour, f FileID) RequestCounter {
	return RequestCounter{p, h - h%24, uint64(downloadCounts) << kindAt, string(f)}
}

// Group returns the project number, by which package counter groups counters.
func (c RequestCounter) Group() uint32 { return uint32(c.project) }

// Folded returns the coarser counter that replaces this one if an hour has too many
// counters. That is the counter for requests without province, city and offset, or for
// the version or file "(other)". Totals remain correct.
func (c RequestCounter) Folded() RequestCounter {
	if c.kind() != requestCounts {
		c.text = otherVersions
		return c
	}
	r := Request(c.what) // the bits of the kind are zero for requests
	return CountRequest(c.project, c.hour, r&(1<<offsetAt-1)|r>>regionAt<<regionAt)
}

// CountedRequest holds all the values by which a request is counted. Many requests have
// equal values, so equal ones are first counted together in a map. That count is later
// added to each of the counters that Counters returns.
type CountedRequest struct {
	Project ProjectID
	Hour    Hour
	Request Request
	System  string // version of the operating system; its platform is in Request
	Client  string // version of the app; "" if the client did not report it

	// Download is the file that was downloaded. It is "" for a request of the API. A download is
	// counted only for its file, so the fields Request, System and Client are not used.
	Download FileID
}

// Counters returns the counter of the request, the counter of the operating system's
// version and, if Client is not "", the counter of the app's version. For a download, it
// returns only the counter of the file.
func (c CountedRequest) Counters() iter.Seq[RequestCounter] {
	return func(yield func(RequestCounter) bool) {
		if c.Download != "" {
			yield(CountDownload(c.Project, c.Hour, c.Download))
			return
		}
		on := uint64(c.Request.PlatformNumber())
		_ = yield(CountRequest(c.Project, c.Hour, c.Request)) &&
			yield(RequestCounter{c.Project, c.Hour, uint64(systemCounts)<<kindAt | on, c.System}) &&
			c.Client != "" && yield(RequestCounter{c.Project, c.Hour, uint64(clientCounts)<<kindAt | on, c.Client})
	}
}

// Kept returns a copy of the request. The strings of the copy share no memory with the
// original, so that the original's memory can be freed.
func (c CountedRequest) Kept() CountedRequest {
	both := c.System + c.Client // in one string, because a map compares both
	c.System, c.Client = both[:len(c.System)], both[len(c.System):]
	c.Download = FileID(strings.Clone(string(c.Download)))
	return c
}

// The request statistics have one key for each project, kind of counter and hour. Package
// hourly defines the format of the value. The kinds that count versions and downloads
// have texts.

// Limits on the number of counters of one kind that a project can have in an hour. They
// are needed because most counters depend on data from anonymous clients.
const (
	maxRequests = 1 << 14
	maxVersions = 2000
)

// counterBuckets contains the name of the bucket for each kind of counter.
var counterBuckets = [...][]byte{
	requestCounts: requestsBucket, systemCounts: systemVersionsBucket, clientCounts: clientVersionsBucket,
	downloadCounts: downloadsBucket,
}

// hourCounter is one counter in the stored value of an hour, with its count.
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

// AddRequests adds the given counts to the stored counters. It ignores counters of
// deleted projects. It also ignores counters of an hour with a damaged stored value, so
// that the others are still written. The check of the file reports such a value.
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
			if err := addToHour(tx, first.RequestCounter, all[:end]); err != nil && !errors.Is(err, ErrDamaged) {
				return fmt.Errorf("count requests of project %d: %w", first.project, err)
			}
		}
		all = all[end:]
	}
	return nil
}

// addToHour adds counters to the stored counters of one hour. All of them have the same project,
// kind and hour as the parameter like.
func addToHour(tx *Tx, like RequestCounter, added []hourCounter) error {
	b, err := tx.content(like.project).CreateBucketIfNotExists(counterBuckets[like.kind()])
	if err != nil {
		return err
	}
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
	b.FillPercent = 0.9 // keys are appended, so pages can be filled
	return b.Put(key, encodeHour(squeezed(all)))
}

// merged sorts the counters and combines entries of the same counter.
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

// squeezed limits the number of counters of an hour. If there are too many, it keeps
// those with the highest counts and replaces the others with their Folded counters. A
// client that reports invented versions therefore does not displace the real ones.
func squeezed(all []hourCounter) []hourCounter {
	most := maxVersions
	if len(all) > 0 && all[0].kind() == requestCounts {
		most = maxRequests
	}
	if len(all) <= most {
		return all
	}
	slices.SortFunc(all, func(a, b hourCounter) int { return cmp.Or(cmp.Compare(b.n, a.n), byCounter(a, b)) })
	for i := most * 3 / 4; i < len(all); i++ { // fold more than necessary, so that the next counters do not exceed the limit again
		all[i].RequestCounter = all[i].Folded()
	}
	return merged(all)
}

// encodeHour returns the encoded value of sorted counters of one kind.
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

// decodeHour calls the function each for every counter in an encoded value, in order. The
// argument text is valid only during the call.
func decodeHour(raw []byte, kind counterKind, each func(what uint64, text []byte, n int64)) error {
	if kind == requestCounts {
		return hourly.Each(raw, func(what uint64, n int64) { each(what, nil, n) })
	}
	return hourly.EachText(raw, each)
}

// EachRequest calls the function each for every request counter of the hours in the range
// [from, to], in order of hours.
func (tx *Tx) EachRequest(p ProjectID, from, to Hour, each func(h Hour, r Request, n int64)) error {
	return eachCounter(tx, p, requestCounts, from, to, func(h Hour, what uint64, _ []byte, n int64) { each(h, Request(what), n) })
}

// EachSystemVersion is like EachRequest for the counters of the versions of the clients'
// operating systems. The argument version is valid only during the call. It is "" if
// clients did not report it.
func (tx *Tx) EachSystemVersion(p ProjectID, from, to Hour, each func(h Hour, on platform.Platform, version []byte, n int64)) error {
	return eachCounter(tx, p, systemCounts, from, to,
		func(h Hour, what uint64, text []byte, n int64) { each(h, stats.PlatformOf(int(what)), text, n) })
}

// EachClientVersion is like EachRequest for the counters of the versions of the project's
// own app. The argument version is valid only during the call.
func (tx *Tx) EachClientVersion(p ProjectID, from, to Hour, each func(h Hour, on platform.Platform, version []byte, n int64)) error {
	return eachCounter(tx, p, clientCounts, from, to,
		func(h Hour, what uint64, text []byte, n int64) { each(h, stats.PlatformOf(int(what)), text, n) })
}

// EachDownload calls the function each for every download counter of the days that begin in the
// range [from, to], in order of days. The argument file is valid only during the call. It is
// "(other)" for the files that exceeded the limit of a day.
func (tx *Tx) EachDownload(p ProjectID, from, to Hour, each func(day Hour, file []byte, n int64)) error {
	return eachCounter(tx, p, downloadCounts, from, to, func(h Hour, _ uint64, text []byte, n int64) { each(h, text, n) })
}

func eachCounter(tx *Tx, p ProjectID, kind counterKind, from, to Hour, each func(h Hour, what uint64, text []byte, n int64)) error {
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

// LastRequest returns the newest hour with a counted request. ok is false if none is stored.
func (tx *Tx) LastRequest(p ProjectID) (h Hour, ok bool) {
	b := tx.counters(p, requestCounts)
	if b == nil {
		return 0, false
	}
	key, _ := b.Cursor().Last()
	number, err := numberOf(key, 4)
	return Hour(number), key != nil && err == nil
}

// counters returns the bucket of a kind of counter, or nil if the project is gone.
func (tx *Tx) counters(p ProjectID, kind counterKind) *boltfile.Bucket {
	return tx.contentBucket(p, counterBuckets[kind])
}

// DropRequests deletes the counters of hours before the given hour. A stored value
// contains all counters of one kind and hour. DropRequests deletes at most limit values,
// and returns how many it deleted.
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

// HasRequestsBefore reports whether DropRequests would delete something.
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
