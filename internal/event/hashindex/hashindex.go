// Package hashindex implements an index in a bucket that maps hashes to small numbers,
// called payloads. It is designed for workloads that mostly append.
//
//	hashindex.go  the directory; adding entries, lookups, the pages of a bucket
//	page.go       a page of a run: encode, read in place, look up
//	compact.go    merging runs, distributing and dividing partitions
//	rebuild.go    building an index from entries in any order; checking an index
package hashindex

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/dchest/siphash"

	"svc/internal/boltfile"
	"svc/internal/event/encoding"
	"svc/internal/integrity"
)

// Inserting random keys into a B+tree would be the most expensive operation of the
// engine, so the index is a log-structured merge tree: each Add writes a sorted,
// immutable run, and merges replace many small runs with few large ones.
//
// Only the first 36 bits of a hash are stored, so a match is a candidate that the caller
// has to verify. A lookup finds every stored entry of its hash. New entries go to fresh
// runs, which contain arbitrary hashes. When the fresh runs contain half a million
// entries together, the entries are distributed to partitions, which divide the hashes by
// their first bits and have their own runs. A partition that has become large is split in
// two. No merge therefore writes more than about a million entries.
//
// A run has one or more pages of up to 1,048,576 entries: page i of 2^s has the hashes
// with i in the s bits after those of the partition. page.go describes the layout of a
// page. The bucket has one value for each page, and the directory, which lists the runs.
// Integers in keys and in the directory are big endian.
//
//	key of a page: tier (1 byte), depth (1), prefix (4), number of the run (8), index of
//	  the page (2)
//	directory, under the key 00:
//	  CRC-32C of the rest (4), version 1 (1), bytes of a payload (1), number of
//	  the next run (8), list of the fresh runs, number of partitions (4), then for
//	  each partition, in the order of hashes: depth (1), prefix (4), list of its runs
//	list of runs: their number (2), then for each run, the oldest first:
//	  number of the run (8), tier (1), s (1), number of entries (4)
//
// The depth of a partition is the number of leading bits that its hashes share. These
// bits are the first bits of the prefix, and the other bits of the prefix are 0. Fresh
// runs have depth 0 and prefix 0. The tier grows with the size of a run and comes first
// in the key, because bbolt writes small neighbouring values together, and this keeps
// frequently written values next to each other.
const (
	hashBits  = 36
	maxDepth  = 24
	maxSpread = 16 // the logarithm to base 2 of the greatest number of pages of a run

	defaultPartition = 1 << 20
	defaultPage      = 1 << 20

	directoryVersion = 1
)

var directoryKey = []byte{0}

// Secret is the key with which the texts of a file are hashed. Because it is secret,
// clients cannot choose texts with equal hashes.
type Secret [16]byte

// Hash returns the SipHash-2-4 hash of a text.
func (s Secret) Hash(text string) uint64 {
	var room [128]byte // on the stack, so that texts of ordinary length need no allocation
	return siphash.Hash(binary.LittleEndian.Uint64(s[:8]), binary.LittleEndian.Uint64(s[8:]), append(room[:0], text...))
}

// Entry is a hash and its payload. Only the first 36 bits of the hash are significant.
// Equal entries are stored once.
type Entry struct {
	Hash    uint64
	Payload uint32
}

// Compare orders entries by the significant bits of the hash, then by payload.
func (e Entry) Compare(other Entry) int {
	if a, b := e.Hash>>(64-hashBits), other.Hash>>(64-hashBits); a != b {
		return cmp.Compare(a, b)
	}
	return cmp.Compare(e.Payload, other.Payload)
}

// Index is the state of an index as of one commit: the directory of its runs. It is
// immutable.
type Index struct {
	payloadBytes int
	// The maximum numbers of entries in a partition and in a page. Only tests change them.
	MaxPartition, MaxPage int

	nextRun    uint64
	fresh      partition   // has runs with hashes from the whole range
	partitions []partition // sorted by hash; together they cover the whole range
	pages      int         // number of pages of all runs
}

type partition struct {
	depth  uint8
	prefix uint32
	runs   []run // the oldest first
}

type run struct {
	number  uint64
	tier    uint8
	spread  uint8 // the run has 2^spread pages
	entries uint32
	first   int // index of the run's first page among the pages of all runs
}

// pageOf returns the index of the page to which a hash belongs in a run.
func (p *partition) pageOf(r *run, hash uint64) int {
	return int(hash << p.depth >> (64 - r.spread)) // the result is 0 if spread is 0
}

// key returns the key of a page of a run in the bucket. It uses room as the buffer of the
// key.
func (p *partition) key(r *run, number int, room []byte) []byte {
	room = append(room[:0], r.tier, p.depth)
	room = binary.BigEndian.AppendUint32(room, p.prefix)
	room = binary.BigEndian.AppendUint64(room, r.number)
	return binary.BigEndian.AppendUint16(room, uint16(number))
}

// page reads a page of a run. The returned page is valid until the end of the
// transaction.
func (x *Index) page(in *Pages, p *partition, r *run, number int, room []byte) (page, error) {
	key := p.key(r, number, room)
	raw := in.get(key)
	if raw == nil {
		return page{}, fmt.Errorf("%w: hash index: no page %x", integrity.ErrDamaged, key)
	}
	opened, err := openPage(raw, int(p.depth+r.spread), x.payloadBytes)
	if err != nil {
		return page{}, fmt.Errorf("%w: hash index: page %x: %w", integrity.ErrDamaged, key, err)
	}
	return opened, nil
}

// Generation returns a number that identifies the state of the index.
func (x *Index) Generation() uint64 { return x.nextRun }

// New returns an index without entries. Payloads have payloadBytes bytes, 1 to 4.
func New(payloadBytes int) *Index {
	return &Index{
		payloadBytes: payloadBytes, MaxPartition: defaultPartition, MaxPage: defaultPage,
		partitions: []partition{{}},
	}
}

// Load reads the directory of a bucket, which may be empty. Payloads have payloadBytes
// bytes, 1 to 4.
func Load(b *boltfile.Bucket, payloadBytes int) (*Index, error) {
	x := New(payloadBytes)
	raw := b.Value(directoryKey)
	if raw == nil {
		if key, _ := b.Cursor().First(); key != nil {
			return nil, fmt.Errorf("%w: hash index: pages without a directory", integrity.ErrDamaged)
		}
		return x, nil
	}
	if err := x.parse(raw); err != nil {
		return nil, fmt.Errorf("%w: hash index: %w", integrity.ErrDamaged, err)
	}
	return x, nil
}

// parse reads the directory.
func (x *Index) parse(raw []byte) error {
	c := encoding.Reader{Rest: raw}
	if sum := c.Number(4); encoding.Checksum(c.Rest) != uint32(sum) {
		return encoding.ErrChecksum
	}
	if version := c.Byte(); version != directoryVersion {
		return fmt.Errorf("directory has version %d", version)
	}
	if bytes := c.Byte(); int(bytes) != x.payloadBytes {
		return fmt.Errorf("payloads have %d bytes, not %d", bytes, x.payloadBytes)
	}
	x.nextRun = c.Number(8)
	if err := x.parseRuns(&c, &x.fresh); err != nil {
		return fmt.Errorf("fresh entries: %w", err)
	}
	n := c.Number(4)
	x.partitions = nil
	end := uint64(0) // end of the partitions read so far, as the first 32 bits of a hash
	for range n {
		p := partition{depth: c.Byte(), prefix: uint32(c.Number(4))}
		if c.Bad || p.depth > maxDepth || uint64(p.prefix) != end {
			return fmt.Errorf("partition %d does not follow the previous one", len(x.partitions))
		}
		end += 1 << (32 - p.depth)
		if err := x.parseRuns(&c, &p); err != nil {
			return fmt.Errorf("partition %d: %w", len(x.partitions), err)
		}
		x.partitions = append(x.partitions, p)
	}
	if c.Bad || len(c.Rest) > 0 || end != 1<<32 {
		return fmt.Errorf("directory of %d bytes is inconsistent with %d partitions", len(raw), n)
	}
	x.number()
	return nil
}

func (x *Index) parseRuns(c *encoding.Reader, p *partition) error {
	for range c.Number(2) {
		r := run{number: c.Number(8), tier: c.Byte(), spread: c.Byte(), entries: uint32(c.Number(4))}
		if c.Bad || r.number >= x.nextRun || r.spread > maxSpread || r.tier == 0 {
			return fmt.Errorf("run %d is invalid", r.number)
		}
		p.runs = append(p.runs, r)
	}
	return nil
}

// parts returns all partitions, beginning with that of the fresh entries.
func (x *Index) parts() []*partition {
	all := []*partition{&x.fresh}
	for i := range x.partitions {
		all = append(all, &x.partitions[i])
	}
	return all
}

// number assigns each run the index of its first page.
func (x *Index) number() {
	x.pages = 0
	for _, p := range x.parts() {
		for i := range p.runs {
			p.runs[i].first = x.pages
			x.pages += 1 << p.runs[i].spread
		}
	}
}

// save writes the directory.
func (x *Index) save(to *Pages) {
	x.number()
	raw := make([]byte, 4)
	raw = append(raw, directoryVersion, byte(x.payloadBytes))
	raw = binary.BigEndian.AppendUint64(raw, x.nextRun)
	raw = appendRuns(raw, x.fresh.runs)
	raw = binary.BigEndian.AppendUint32(raw, uint32(len(x.partitions)))
	for _, p := range x.partitions {
		raw = binary.BigEndian.AppendUint32(append(raw, p.depth), p.prefix)
		raw = appendRuns(raw, p.runs)
	}
	binary.BigEndian.PutUint32(raw, encoding.Checksum(raw[4:]))
	to.put(directoryKey, raw)
}

func appendRuns(raw []byte, runs []run) []byte {
	raw = binary.BigEndian.AppendUint16(raw, uint16(len(runs)))
	for _, r := range runs {
		raw = binary.BigEndian.AppendUint64(raw, r.number)
		raw = binary.BigEndian.AppendUint32(append(raw, r.tier, r.spread), r.entries)
	}
	return raw
}

// clone returns a copy. The caller may change the copy until other goroutines can read
// it.
func (x *Index) clone() *Index {
	next := *x
	next.partitions = slices.Clone(x.partitions)
	for _, p := range next.parts() {
		p.runs = slices.Clone(p.runs)
	}
	return &next
}

// partition returns the index of the partition to which a hash belongs.
func (x *Index) partition(hash uint64) int {
	first := hash >> 32
	at := int(first * uint64(len(x.partitions)) >> 32) // a guess that is close, because hashes are uniformly distributed
	for uint64(x.partitions[at].prefix) > first {
		at--
	}
	for at+1 < len(x.partitions) && uint64(x.partitions[at+1].prefix) <= first {
		at++
	}
	return at
}

// Add writes entries as a new fresh run, and returns the index that contains it. It sorts
// the slice entries. The returned Index is valid after the commit. If the commit fails, x
// remains valid.
func (x *Index) Add(b *boltfile.Bucket, entries []Entry) (*Index, error) {
	if len(entries) == 0 {
		return x, nil
	}
	slices.SortFunc(entries, Entry.Compare)
	next, pages := x.clone(), NewPages(b)
	w := next.write(pages, &next.fresh, len(entries))
	for _, e := range entries {
		if err := w.add(e); err != nil {
			return nil, err
		}
	}
	w.close()
	next.save(pages)
	return next, pages.Write(b)
}

// Reader looks up hashes in one transaction. It is not safe for concurrent use.
type Reader struct {
	x     *Index
	from  Pages
	pages []page // the pages of all runs; only those that have been read are open
	key   [16]byte

	probes  []probe // the pages to look at for the current hashes
	ends    []int   // for each hash, the end of its probes
	touched uint64  // sum of the values that All loads in advance; keeps the compiler from omitting the loads
}

// Reader returns a Reader. b must be the bucket of the index, in a transaction in which x
// is current.
func (x *Index) Reader(b *boltfile.Bucket) *Reader {
	return &Reader{x: x, from: Pages{bucket: b}, pages: make([]page, x.pages)}
}

// Each calls visit for all payloads of a hash until visit returns false. Because the
// index does not store whole hashes, some of the payloads can belong to other hashes.
func (r *Reader) Each(hash uint64, visit func(payload uint32) (more bool)) error {
	more := true
	return r.All([]uint64{hash}, func(_ int, payload uint32) bool {
		more = more && visit(payload)
		return more
	})
}

// All calls visit for all payloads of several hashes, each with the index of its hash.
// When visit returns false, All skips the remaining payloads of that hash. As with Each,
// some payloads can belong to other hashes.
//
// A lookup mostly waits for memory, first for tables and then for entries. All therefore
// starts all memory accesses before it uses any result, so that the waits overlap.
func (r *Reader) All(hashes []uint64, visit func(i int, payload uint32) (more bool)) error {
	r.probes, r.ends = r.probes[:0], r.ends[:0]
	var err error
	for _, hash := range hashes {
		if r.probes, err = r.probe(r.probes, &r.x.fresh, hash); err != nil {
			return err
		}
		if r.probes, err = r.probe(r.probes, &r.x.partitions[r.x.partition(hash)], hash); err != nil {
			return err
		}
		r.ends = append(r.ends, len(r.probes))
	}
	for i := range r.probes {
		r.touched += uint64(r.probes[i].page.upTo(r.probes[i].place))
	}
	for i := range r.probes {
		o := &r.probes[i]
		if err := o.locate(); err != nil {
			return err
		}
		if o.low < o.end {
			r.touched += o.page.at(o.guess)
		}
	}
	first := 0
	for i, end := range r.ends {
		for ; first < end; first++ {
			if !r.probes[first].each(func(payload uint32) bool { return visit(i, payload) }) {
				first = end
				break
			}
		}
	}
	return nil
}

// probe appends to probes, for each run of a partition, the lookup of a hash in the page
// to which the hash belongs.
func (r *Reader) probe(probes []probe, p *partition, hash uint64) ([]probe, error) {
	for i := range p.runs {
		run := &p.runs[i]
		number := p.pageOf(run, hash)
		page := &r.pages[run.first+number]
		if !page.open() {
			opened, err := r.x.page(&r.from, p, run, number, r.key[:])
			if err != nil {
				return nil, err
			}
			*page = opened
		}
		probes = append(probes, page.probe(hash))
	}
	return probes, nil
}

// Pages reads and changes the pages and the directory of an index in a bucket. It keeps
// changes in memory until Write writes them. Runs can therefore be merged without
// blocking writers.
type Pages struct {
	bucket  *boltfile.Bucket
	changed map[string][]byte // changed values by key; nil = deleted
}

// NewPages returns the Pages of the index in a bucket.
func NewPages(b *boltfile.Bucket) *Pages { return &Pages{b, map[string][]byte{}} }

func (p *Pages) get(key []byte) []byte {
	if raw, ok := p.changed[string(key)]; ok {
		return raw
	}
	return p.bucket.Value(key)
}

func (p *Pages) put(key, raw []byte) { p.changed[string(key)] = raw }

func (p *Pages) delete(key []byte) { p.changed[string(key)] = nil }

// Write writes the changes to b, which must be the bucket of NewPages in the same
// transaction or a later one.
func (p *Pages) Write(b *boltfile.Bucket) error {
	for _, key := range slices.Sorted(maps.Keys(p.changed)) {
		var err error
		if raw := p.changed[key]; raw != nil {
			err = b.PutValue([]byte(key), raw)
		} else {
			err = b.DeleteValue([]byte(key))
		}
		if err != nil {
			return fmt.Errorf("write hash index: %w", err)
		}
	}
	return nil
}
