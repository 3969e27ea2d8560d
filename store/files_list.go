package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"svc/internal/boltfile"
	"svc/internal/searchtext"
)

// FileOrder is the field by which a list of files is ordered.
type FileOrder uint8

// The fields by which files can be ordered. Files with the same name or size are ordered
// by age, the newest first.
const (
	FilesByAge FileOrder = iota
	FilesByName
	FilesBySize
)

// FileSelection selects a part of a list of files. Unless By or Ascending says otherwise,
// the newest file comes first.
type FileSelection struct {
	Terms         []string   // folded; the file's name, id or SHA-256 must contain each of them
	Status        FileStatus // "" = any
	By            FileOrder
	Ascending     bool
	Offset, Limit int
}

// ListFiles returns a part of the files of a project and the total number of selected files. A
// search, or an order by name, reads the names of all files of the project, about 150 bytes each.
// An order by size reads their records, too. Any other list reads only the keys up to the end of
// its page.
func (tx *Tx) ListFiles(p ProjectID, q FileSelection) (page []*File, total int, err error) {
	if tx.content(p) == nil {
		return nil, 0, nil
	}
	var keys [][]byte
	if q.By != FilesByAge {
		keys, total, err = tx.filesByRank(p, q)
	} else {
		keys, total, err = tx.filesByAge(p, q)
	}
	if err != nil {
		return nil, 0, err
	}
	for _, key := range keys {
		f, err := orderedFile(tx, key)
		if err != nil {
			return nil, 0, err
		}
		page = append(page, f)
	}
	return page, total, nil
}

// selects reports whether the selection includes the file that has the given key and value in the
// bucket file_order.
func (q FileSelection) selects(key, value []byte) (bool, error) {
	if len(value) == 0 {
		return false, fmt.Errorf("%w: file_order %x has no value", ErrDamaged, key)
	}
	return (q.Status == "" || value[0] == q.Status[0]) && searchtext.ContainsAll(string(value[1:]), q.Terms), nil
}

// filesByAge returns the keys of a page in the bucket file_order, ordered by age, and the
// total number of selected files.
func (tx *Tx) filesByAge(p ProjectID, q FileSelection) (page [][]byte, total int, err error) {
	counts := tx.content(p).Bucket(countsBucket)
	for _, status := range FileStatuses {
		if len(q.Terms) == 0 && (q.Status == "" || q.Status == status) {
			n, err := counted(counts, countFiles(status))
			if err != nil {
				return nil, 0, err
			}
			total += int(n)
		}
	}
	key, value, next := tx.eachFileKey(p, q.Ascending)
	for skip := q.Offset; bytes.HasPrefix(key, p.key()); key, value = next() {
		ok, err := q.selects(key, value)
		if err != nil {
			return nil, 0, err
		}
		if !ok {
			continue
		}
		if len(q.Terms) > 0 {
			total++
		} else if len(page) == q.Limit {
			break
		}
		if skip > 0 {
			skip--
		} else if len(page) < q.Limit {
			page = append(page, key)
		}
	}
	return page, total, nil
}

// eachFileKey returns the first key and value of a project in the bucket file_order, and
// a function that returns the following ones. If oldest is true, the first key belongs to
// the oldest file.
func (tx *Tx) eachFileKey(p ProjectID, oldest bool) (key, value []byte, next func() (key, value []byte)) {
	cursor := tx.bolt.Bucket(fileOrderBucket).Cursor()
	if oldest {
		key, value = cursor.Seek(p.key())
		return key, value, cursor.Next
	}
	if after, _ := cursor.Seek((p + 1).key()); after == nil {
		key, value = cursor.Last()
	} else {
		key, value = cursor.Prev()
	}
	return key, value, cursor.Prev
}

// rankedFile is a file in an order by name or size.
type rankedFile struct {
	key  []byte // the file's key in the bucket file_order
	name []byte
	size int64
}

// filesByRank is like filesByAge for an order by name or size. To limit the memory, it
// keeps at most about twice as many files as the page and all pages before it contain.
func (tx *Tx) filesByRank(p ProjectID, q FileSelection) (page [][]byte, total int, err error) {
	var best []rankedFile
	end := q.Offset + q.Limit
	order := func(a, b rankedFile) int {
		by := cmp.Or(bytes.Compare(a.name, b.name), cmp.Compare(a.size, b.size))
		if !q.Ascending {
			by = -by
		}
		return cmp.Or(by, bytes.Compare(b.key, a.key))
	}
	const slack = 1000
	key, value, next := tx.eachFileKey(p, false)
	for ; bytes.HasPrefix(key, p.key()); key, value = next() {
		ok, err := q.selects(key, value)
		if err != nil {
			return nil, 0, err
		}
		if !ok {
			continue
		}
		total++
		file := rankedFile{key: key}
		if q.By == FilesByName {
			file.name = foldedName(value)
		} else if file.size, err = tx.fileSize(key); err != nil {
			return nil, 0, err
		}
		if best = append(best, file); len(best)-slack >= 2*end {
			slices.SortFunc(best, order)
			best = best[:end]
		}
	}
	slices.SortFunc(best, order)
	for _, file := range best[min(q.Offset, len(best)):min(end, len(best))] {
		page = append(page, file.key)
	}
	return page, total, nil
}

// foldedName returns the folded name in a value of the bucket file_order.
func foldedName(value []byte) []byte {
	_, fields, _ := bytes.Cut(value, []byte{searchtext.Border})
	name, _, _ := bytes.Cut(fields, []byte{searchtext.Border})
	return name
}

// fileSize reads the size of the file to which a key of the bucket file_order refers.
func (tx *Tx) fileSize(key []byte) (int64, error) {
	id, err := fileIDAfter(key, 4+8)
	if err != nil {
		return 0, err
	}
	var f struct {
		Size int64 `json:"size"`
	}
	if err := json.Unmarshal(tx.bolt.Bucket(filesBucket).Get([]byte(id)), &f); err != nil {
		return 0, fmt.Errorf("%w: file %s: %w", boltfile.ErrDamaged, id, err)
	}
	return f.Size, nil
}
