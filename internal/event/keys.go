package event

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/dchest/siphash"
	"go.etcd.io/bbolt"
)

// The hash index maps hashes to small numbers, in one bucket, for loads that
// mostly append. Writing random keys into a B+tree is the most expensive thing
// that could be done here, so it is a log-structured merge tree: each load adds
// sorted runs that never change, and merges make few large ones of many small
// ones.
//
// Of a hash only the first 40 bits are kept, so an answer is a candidate that
// the caller has to verify; what is there is always found. New entries lie in
// fresh runs, which have hashes of all kinds. When these are half a million
// entries together they are distributed to partitions, which divide the hashes
// by their first bits and have runs of their own; one that has become large is
// divided in two. So no merge has to write more than about a million entries.
//
// A run lies in one or more pages of up to 1,048,576 entries: page i of 2^s has the
// hashes whose s bits after those of the partition are i. keys_run.go has the
// layout of a page. The bucket has one value for each page, and the directory,
// which says which runs there are. Integers in keys and in the directory are big
// endian.
//
//	key of a page: tier (1 byte), depth (1), prefix (4), run (8), page (2)
//	directory, under the key 00:
//	  CRC-32C of the rest (4), version 1 (1), bytes of a payload (1), number of
//	  the next run (8), the fresh runs, partitions (4), then for each, in the
//	  order of hashes: depth (1), prefix (4), its runs
//	runs: how many (2), then for each, the oldest first:
//	  run (8), tier (1), s (1), entries (4)
//
// The depth of a partition is how many first bits its hashes have in common;
// they are the first bits of prefix, the others are 0. Both are 0 for fresh runs.
// The tier grows with the size of a run and is in front, because bbolt writes small
// values that are neighbours together: what is written often lies beside its like.
const (
	hashBits       = 40
	mostHashDepth  = 24
	mostHashSpread = 16 // pages of a run, as a power of two

	defaultHashPartition = 1 << 20
	defaultHashPage      = 1 << 20

	hashDirectoryVersion = 1
)

var hashDirectoryKey = []byte{0}

// secret keys the hashes of a file, so that nobody can choose texts that collide.
type secret [16]byte

// hash is the SipHash-2-4 of a text.
func (s secret) hash(text string) uint64 {
	var room [128]byte // so that no text of ordinary length allocates
	return siphash.Hash(binary.LittleEndian.Uint64(s[:8]), binary.LittleEndian.Uint64(s[8:]), append(room[:0], text...))
}

// hashEntry is a hash, of which the first 40 bits count, and what it leads to.
// Equal entries are kept once.
type hashEntry struct {
	hash    uint64
	payload uint32
}

func (e hashEntry) compare(other hashEntry) int {
	if a, b := e.hash>>(64-hashBits), other.hash>>(64-hashBits); a != b {
		return cmp.Compare(a, b)
	}
	return cmp.Compare(e.payload, other.payload)
}

// hashIndex is the directory of a bucket as one commit left it. It never
// changes.
type hashIndex struct {
	payloadBytes int
	// How many entries a partition and a page may have. Only tests change them.
	mostPartition, mostPage int

	nextRun    uint64
	fresh      hashPartition   // of all hashes
	partitions []hashPartition // in the order of hashes; together they are all hashes
	pages      int             // of all runs
}

type hashPartition struct {
	depth  uint8
	prefix uint32
	runs   []hashRun // the oldest first
}

type hashRun struct {
	number  uint64
	tier    uint8
	spread  uint8 // it has 2^spread pages
	entries uint32
	first   int // place of its first page among those of all runs
}

// pageOf is the page of a run that has a hash.
func (p *hashPartition) pageOf(r *hashRun, hash uint64) int {
	return int(hash << p.depth >> (64 - r.spread)) // a shift by 64 gives 0
}

// key is the key of a page in the bucket, written to room.
func (p *hashPartition) key(r *hashRun, page int, room []byte) []byte {
	room = append(room[:0], r.tier, p.depth)
	room = binary.BigEndian.AppendUint32(room, p.prefix)
	room = binary.BigEndian.AppendUint64(room, r.number)
	return binary.BigEndian.AppendUint16(room, uint16(page))
}

// page reads a page of a run. It is valid as long as the transaction.
func (x *hashIndex) page(in *hashPages, p *hashPartition, r *hashRun, page int, room []byte) (hashPage, error) {
	key := p.key(r, page, room)
	raw := in.get(key)
	if raw == nil {
		return hashPage{}, fmt.Errorf("%w: hash index: no page %x", ErrDamaged, key)
	}
	opened, err := openHashPage(raw, int(p.depth+r.spread), x.payloadBytes)
	if err != nil {
		return hashPage{}, fmt.Errorf("%w: hash index: page %x: %w", ErrDamaged, key, err)
	}
	return opened, nil
}

func emptyHashIndex(payloadBytes int) *hashIndex {
	return &hashIndex{
		payloadBytes: payloadBytes, mostPartition: defaultHashPartition, mostPage: defaultHashPage,
		partitions: []hashPartition{{}},
	}
}

// loadHashIndex reads the directory of a bucket, which may be empty. Payloads
// have payloadBytes bytes, 1 to 4.
func loadHashIndex(b *bbolt.Bucket, payloadBytes int) (*hashIndex, error) {
	x := emptyHashIndex(payloadBytes)
	raw := getValue(b, hashDirectoryKey)
	if raw == nil {
		if key, _ := b.Cursor().First(); key != nil {
			return nil, fmt.Errorf("%w: hash index: pages without a directory", ErrDamaged)
		}
		return x, nil
	}
	if err := x.parse(raw); err != nil {
		return nil, fmt.Errorf("%w: hash index: %w", ErrDamaged, err)
	}
	return x, nil
}

// parse reads the directory.
func (x *hashIndex) parse(raw []byte) error {
	c := cursor{raw: raw}
	if sum := c.number(4); crc32.Checksum(c.raw, castagnoli) != uint32(sum) {
		return errHashSum
	}
	if version := c.byte(); version != hashDirectoryVersion {
		return fmt.Errorf("directory has version %d", version)
	}
	if bytes := c.byte(); int(bytes) != x.payloadBytes {
		return fmt.Errorf("payloads have %d bytes, not %d", bytes, x.payloadBytes)
	}
	x.nextRun = c.number(8)
	if err := x.parseRuns(&c, &x.fresh); err != nil {
		return fmt.Errorf("fresh entries: %w", err)
	}
	n := c.number(4)
	x.partitions = nil
	end := uint64(0) // of the hashes so far, of which the first 32 bits count
	for range n {
		p := hashPartition{depth: c.byte(), prefix: uint32(c.number(4))}
		if c.bad || p.depth > mostHashDepth || uint64(p.prefix) != end {
			return fmt.Errorf("partition %d is not behind the one before", len(x.partitions))
		}
		end += 1 << (32 - p.depth)
		if err := x.parseRuns(&c, &p); err != nil {
			return fmt.Errorf("partition %d: %w", len(x.partitions), err)
		}
		x.partitions = append(x.partitions, p)
	}
	if c.bad || len(c.raw) > 0 || end != 1<<32 {
		return fmt.Errorf("directory is %d bytes of %d partitions, which do not fit", len(raw), n)
	}
	x.number()
	return nil
}

func (x *hashIndex) parseRuns(c *cursor, p *hashPartition) error {
	for range c.number(2) {
		r := hashRun{number: c.number(8), tier: c.byte(), spread: c.byte(), entries: uint32(c.number(4))}
		if c.bad || r.number >= x.nextRun || r.spread > mostHashSpread || r.tier == 0 {
			return fmt.Errorf("run %d cannot be", r.number)
		}
		p.runs = append(p.runs, r)
	}
	return nil
}

// all are the partitions and, as the first, that of the fresh entries.
func (x *hashIndex) all() []*hashPartition {
	all := []*hashPartition{&x.fresh}
	for i := range x.partitions {
		all = append(all, &x.partitions[i])
	}
	return all
}

// number counts the pages.
func (x *hashIndex) number() {
	x.pages = 0
	for _, p := range x.all() {
		for i := range p.runs {
			p.runs[i].first = x.pages
			x.pages += 1 << p.runs[i].spread
		}
	}
}

// save writes the directory.
func (x *hashIndex) save(to *hashPages) {
	x.number()
	raw := make([]byte, 4)
	raw = append(raw, hashDirectoryVersion, byte(x.payloadBytes))
	raw = binary.BigEndian.AppendUint64(raw, x.nextRun)
	raw = appendHashRuns(raw, x.fresh.runs)
	raw = binary.BigEndian.AppendUint32(raw, uint32(len(x.partitions)))
	for _, p := range x.partitions {
		raw = binary.BigEndian.AppendUint32(append(raw, p.depth), p.prefix)
		raw = appendHashRuns(raw, p.runs)
	}
	binary.BigEndian.PutUint32(raw, crc32.Checksum(raw[4:], castagnoli))
	to.put(hashDirectoryKey, raw)
}

func appendHashRuns(raw []byte, runs []hashRun) []byte {
	raw = binary.BigEndian.AppendUint16(raw, uint16(len(runs)))
	for _, r := range runs {
		raw = binary.BigEndian.AppendUint64(raw, r.number)
		raw = binary.BigEndian.AppendUint32(append(raw, r.tier, r.spread), r.entries)
	}
	return raw
}

// clone is a copy that may be changed until it is given out.
func (x *hashIndex) clone() *hashIndex {
	next := *x
	next.partitions = slices.Clone(x.partitions)
	for _, p := range next.all() {
		p.runs = slices.Clone(p.runs)
	}
	return &next
}

// partition is the place of the partition that has a hash.
func (x *hashIndex) partition(hash uint64) int {
	first := hash >> 32
	at := int(first * uint64(len(x.partitions)) >> 32) // or near it: hashes are even
	for uint64(x.partitions[at].prefix) > first {
		at--
	}
	for at+1 < len(x.partitions) && uint64(x.partitions[at+1].prefix) <= first {
		at++
	}
	return at
}

// add writes entries as a new run and sorts them in place. What it returns is for
// after the commit; should that fail, x is still right.
func (x *hashIndex) add(b *bbolt.Bucket, entries []hashEntry) (*hashIndex, error) {
	if len(entries) == 0 {
		return x, nil
	}
	slices.SortFunc(entries, hashEntry.compare)
	next, pages := x.clone(), changing(b)
	w := next.write(pages, &next.fresh, len(entries))
	for _, e := range entries {
		if err := w.add(e); err != nil {
			return nil, err
		}
	}
	w.close()
	next.save(pages)
	return next, pages.write(b)
}

// hashReader looks up hashes in one transaction. It is for one goroutine.
type hashReader struct {
	x     *hashIndex
	from  hashPages
	pages []hashPage // of all runs; those that were looked at are open
	key   [16]byte

	probes  []hashProbe // of the lookup under way
	ends    []int       // where those of each hash end
	touched uint64
}

func (x *hashIndex) reader(b *bbolt.Bucket) *hashReader {
	return &hashReader{x: x, from: hashPages{bucket: b}, pages: make([]hashPage, x.pages)}
}

// each visits the payloads of a hash until visit wants no more. Some may belong
// to other hashes; none of this one is missing.
func (r *hashReader) each(hash uint64, visit func(payload uint32) (more bool)) error {
	more := true
	return r.all([]uint64{hash}, func(_ int, payload uint32) bool {
		more = more && visit(payload)
		return more
	})
}

// all visits the payloads of several hashes, each with the place of its hash in
// the list, until visit wants no more of that hash.
//
// A lookup is mostly waiting for memory, first for tables and then for entries.
// Nothing is decided before everything was asked for, so that the waits are at the
// same time.
func (r *hashReader) all(hashes []uint64, visit func(i int, payload uint32) (more bool)) error {
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
		if err := o.narrow(); err != nil {
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

// probe looks up a hash in the runs of a partition.
func (r *hashReader) probe(probes []hashProbe, p *hashPartition, hash uint64) ([]hashProbe, error) {
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
