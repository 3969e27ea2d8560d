package boltfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"slices"
	"syscall"

	"svc/internal/integrity"
)

// bbolt panics at an invalid page, partly in its own goroutines, in which the panic
// cannot be recovered. A cycle of pages makes it loop forever (etcd-io/bbolt#446, #705,
// #778). Every page that bbolt reads while opening a file is therefore examined here
// first. After a clean stop, bbolt reads only the few pages of the loaded buckets and the
// list of free pages. Otherwise it reads all pages in use, because it then has to visit
// them to determine the free pages.

// The page format of bbolt, version 2; see docs/format/pages.md.
const (
	headSize    = 16 // bytes of the header of a page, an element or a bucket
	branchPage  = 0x01
	leafPage    = 0x02
	freePage    = 0x10
	nestedEntry = 0x01      // the flag of a leaf element that is a bucket
	noFreeList  = 1<<64 - 1 // in a meta page: the list of free pages has not been written
	metaSize    = 56        // bytes that the checksum covers; the checksum follows in 8 bytes
	metaMagic   = 0xED0CDAED
	metaVersion = 2
)

// order is the machine's byte order, because bbolt maps its structures onto the file.
var order = binary.NativeEndian

// ExaminePages returns an error if a bbolt file must not be opened: ErrLocked,
// ErrDamaged, or an error of the file system, each with the path. It reads all pages in
// use. It calls the given function for every key that is not a bucket, in the order of
// the file, until there is an error. The key and the value are only valid during the
// call.
func ExaminePages(path string, each func(key, value []byte)) error {
	if err := (&examiner{each: each}).examine(path); err != nil {
		return fmt.Errorf("examine %s: %w", path, err)
	}
	return nil
}

// examine returns an error if a file cannot be opened: ErrLocked, ErrDamaged, or an error
// of the file system.
func (x *examiner) examine(path string) (err error) {
	switch info, err := os.Stat(path); {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("not a regular file")
	case info.Size() == 0:
		return fmt.Errorf("%w: the file is empty", ErrDamaged)
	}
	// In read-only mode, bbolt acquires the lock and reads only the meta pages.
	db, err := openReadOnly(path, x.open)
	if _, system := errors.AsType[syscall.Errno](err); system || errors.Is(err, ErrLocked) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	x.pageSize = int64(db.Info().PageSize)
	return x.file()
}

// examiner examines the pages of a file that is not being written to.
type examiner struct {
	disk     *os.File
	pageSize int64
	used     []bool   // whether a page has been visited, by page number
	listed   []uint64 // the visited pages that are in the list of free pages
	loaded   [][]byte // the buckets to visit after a clean stop; nil means all
	readOnly bool     // bbolt will not look for free pages, so that it reads only the loaded buckets
	buckets  [][]byte // the buckets to visit; nil means all
	each     func(key, value []byte)

	// report collects the damage found, and the examination continues. If report is nil, the
	// examination ends with the first error.
	report  *integrity.Report
	within  []string // the path of buckets to the current position, for the report
	damaged bool     // damage has been reported
}

func (x *examiner) open(name string, flag int, mode os.FileMode) (f *os.File, err error) {
	x.disk, err = os.OpenFile(name, flag, mode)
	return x.disk, err
}

func damaged(page uint64, how string) error {
	return fmt.Errorf("%w: page %d %s", ErrDamaged, page, how)
}

// file examines all pages that bbolt will read while it opens the file.
func (x *examiner) file() error {
	root, free, pages, err := x.meta()
	if err != nil {
		return err
	}
	info, err := x.disk.Stat()
	if err != nil {
		return err
	}
	if have := uint64(info.Size() / x.pageSize); pages > have {
		err := fmt.Errorf("%w: %d of %d pages are missing at the end", ErrDamaged, pages-have, pages)
		if err := x.passOver(err); err != nil {
			return err
		}
		pages = have
	}
	x.used = make([]bool, pages)
	if free != noFreeList || x.readOnly {
		x.buckets = x.loaded
	}
	if free != noFreeList {
		if err := x.passOver(x.freePages(free)); err != nil {
			return err
		}
	}
	_, err = x.tree(root, nil)
	if err := x.passOver(err); err != nil {
		return err
	}
	if x.report != nil && free != noFreeList && !x.damaged {
		x.noteLeaks()
	}
	return nil
}

// meta reads the newer of the meta pages with valid checksums. It returns the numbers of
// the pages with the root bucket and the list of free pages, and the total number of
// pages.
func (x *examiner) meta() (root, free, pages uint64, err error) {
	newest, found, bad := uint64(0), false, 0
	for i := range int64(2) {
		b := make([]byte, metaSize+8)
		if _, err := x.disk.ReadAt(b, i*x.pageSize+headSize); err != nil {
			return 0, 0, 0, err
		}
		sum := fnv.New64a()
		_, _ = sum.Write(b[:metaSize])
		at := order.Uint64(b[48:])
		if order.Uint32(b) != metaMagic || order.Uint32(b[4:]) != metaVersion ||
			order.Uint64(b[metaSize:]) != sum.Sum64() {
			bad++
			continue
		}
		if found && at <= newest {
			continue
		}
		newest, found = at, true
		root, free, pages = order.Uint64(b[16:]), order.Uint64(b[32:]), order.Uint64(b[40:])
	}
	if !found {
		return 0, 0, 0, fmt.Errorf("%w: neither meta page is valid", ErrDamaged)
	}
	if bad > 0 && x.report != nil {
		x.report.Add(integrity.MetaPage, "/", "one of the two is invalid; the other one belongs to transaction %d", newest)
	}
	return root, free, pages, nil
}

// page is a page with its overflow pages, or a page that is stored in a value.
type page struct {
	number uint64
	disk   io.ReaderAt
	start  int64 // offset of the page in the file
	size   int64
	kind   uint16
	count  int64
	begin  []byte // the bytes that have been read
}

// page reads the start of a page and marks its pages in x.used. It returns an error if one of them
// is already marked.
func (x *examiner) page(number uint64) (*page, error) {
	if number < 2 || number >= uint64(len(x.used)) {
		return nil, damaged(number, "does not exist")
	}
	p := &page{number: number, disk: x.disk, start: int64(number) * x.pageSize, begin: make([]byte, x.pageSize)}
	if _, err := x.disk.ReadAt(p.begin, p.start); err != nil {
		return nil, err
	}
	p.kind, p.count = order.Uint16(p.begin[8:]), int64(order.Uint16(p.begin[10:]))
	last := number + uint64(order.Uint32(p.begin[12:]))
	switch {
	case order.Uint64(p.begin) != number:
		return nil, damaged(number, "has a different number")
	case last >= uint64(len(x.used)):
		return nil, damaged(number, "extends beyond the end of the file")
	}
	p.size = int64(last-number+1) * x.pageSize
	for i := number; i <= last; i++ {
		if x.used[i] {
			return nil, damaged(i, "is used twice")
		}
		x.used[i] = true
	}
	return p, nil
}

// part returns n bytes of a page, starting at an offset.
func (p *page) part(offset, n int64) ([]byte, error) {
	if end := offset + n; end > p.size {
		return nil, damaged(p.number, "is too short for its content")
	} else if end <= int64(len(p.begin)) {
		return p.begin[offset:end], nil
	}
	b := make([]byte, n)
	_, err := p.disk.ReadAt(b, p.start+offset)
	return b, err
}

// element is an entry of a branch or leaf page. Offsets are relative to the start of the
// page.
type element struct {
	key         []byte
	child       uint64 // number of the child page, on a branch page
	nested      bool   // whether the value is a bucket, on a leaf page
	value, size int64  // offset and size of the value, on a leaf page
}

// elements reads the entries of a branch or leaf page.
func (p *page) elements() ([]element, error) {
	heads, err := p.part(headSize, p.count*headSize)
	if err != nil {
		return nil, err
	}
	all := make([]element, p.count)
	for i := range all {
		head, e := heads[i*headSize:][:headSize], &all[i]
		place, keySize := order.Uint32(head), order.Uint32(head[4:])
		if p.kind == branchPage {
			e.child = order.Uint64(head[8:])
		} else {
			e.nested = place&nestedEntry != 0
			place, keySize, e.size = keySize, order.Uint32(head[8:]), int64(order.Uint32(head[12:]))
		}
		at := int64(i+1)*headSize + int64(place)
		e.value = at + int64(keySize)
		if e.value+e.size > p.size {
			return nil, damaged(p.number, "has an entry that extends beyond it")
		}
		if e.key, err = p.part(at, int64(keySize)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// tree examines a page and the pages below it. Their keys must ascend and be at least
// low, unless low is nil. tree returns the greatest key.
func (x *examiner) tree(number uint64, low []byte) ([]byte, error) {
	p, err := x.page(number)
	if err != nil {
		return nil, err
	}
	if p.kind != branchPage && p.kind != leafPage || p.kind == branchPage && p.count == 0 {
		return nil, damaged(number, "is of the wrong kind")
	}
	all, err := p.elements()
	if err != nil {
		return nil, err
	}
	for i, e := range all {
		after := bytes.Compare(e.key, low)
		if low != nil && (after < 0 || after == 0 && i > 0) {
			if err := x.passOver(damaged(number, "has keys that are out of order")); err != nil {
				return nil, err
			}
		}
		low = e.key
		switch {
		case p.kind == branchPage:
			var last []byte
			if last, err = x.tree(e.child, e.key); err == nil {
				low = last
			}
		case e.nested:
			x.within = append(x.within, integrity.Key(e.key))
			err = x.passOver(x.bucket(p, e))
			x.within = x.within[:len(x.within)-1]
		default:
			err = x.show(p, e)
		}
		if err := x.passOver(err); err != nil {
			return nil, err
		}
	}
	return low, nil
}

// show passes the key and the value of an entry to x.each, if that function is set.
func (x *examiner) show(p *page, e element) error {
	if x.each == nil {
		return nil
	}
	value, err := p.part(e.value, e.size)
	if err == nil {
		x.each(e.key, value)
	}
	return err
}

// bucket examines a bucket that is an entry of a leaf page. A small bucket has its only
// page in the value.
func (x *examiner) bucket(p *page, e element) error {
	if e.size < headSize {
		return damaged(p.number, "has a bucket of the wrong size")
	}
	value, err := p.part(e.value, e.size)
	if err != nil {
		return err
	}
	if root := order.Uint64(value); root != 0 {
		if x.buckets != nil && !slices.ContainsFunc(x.buckets, func(name []byte) bool { return bytes.Equal(name, e.key) }) {
			return nil
		}
		_, err := x.tree(root, nil)
		return err
	}
	if e.size < 2*headSize {
		return damaged(p.number, "has a bucket without a page")
	}
	value = value[headSize:]
	inline := &page{
		number: p.number, size: int64(len(value)), begin: value,
		kind: order.Uint16(value[8:]), count: int64(order.Uint16(value[10:])),
	}
	if inline.kind != leafPage {
		return damaged(p.number, "has a bucket of the wrong kind")
	}
	all, err := inline.elements()
	if err != nil {
		return err
	}
	for i, entry := range all {
		if entry.nested || i > 0 && bytes.Compare(all[i-1].key, entry.key) >= 0 {
			return damaged(p.number, "has a bucket with wrong entries")
		}
		if err := x.show(inline, entry); err != nil {
			return err
		}
	}
	return nil
}

// freePages examines the list of free pages. The list must not contain a page twice, nor
// a page that has been visited. freePages marks all listed pages as visited, so that tree
// reports a listed page that is in use.
func (x *examiner) freePages(number uint64) error {
	p, err := x.page(number)
	if err != nil {
		return err
	}
	if p.kind != freePage {
		return damaged(number, "is not the list of free pages")
	}
	begin := int64(headSize)
	if p.count == 0xFFFF { // the count overflowed and is the first entry
		head, err := p.part(begin, 8)
		if err != nil {
			return err
		}
		begin, p.count = begin+8, int64(min(order.Uint64(head), uint64(len(x.used))))
	}
	list, err := p.part(begin, p.count*8)
	if err != nil {
		return err
	}
	for ; len(list) > 0; list = list[8:] {
		id := order.Uint64(list)
		if id < 2 || id >= uint64(len(x.used)) || x.used[id] {
			return damaged(number, "lists pages that are not free")
		}
		x.used[id] = true
		x.listed = append(x.listed, id)
	}
	return nil
}
