package encoding

import (
	"encoding/binary"
	"math"
	"slices"
)

// AppendRows appends an ascending list of row numbers, each as its distance from the
// previous one.
func AppendRows(raw []byte, list []uint32) []byte {
	last := uint32(0)
	for _, row := range list {
		raw = binary.AppendUvarint(raw, uint64(row-last))
		last = row
	}
	return raw
}

// Rows reads count row numbers written by AppendRows. All of them must be less than n.
func (r *Reader) Rows(count, n int) []uint32 {
	if count > len(r.Rest) {
		r.Fail()
		return nil
	}
	list := make([]uint32, count)
	row := 0
	for i := range list {
		step := r.Count(n)
		row += step
		if row >= n || i > 0 && step == 0 {
			r.Fail()
			return nil
		}
		list[i] = uint32(row)
	}
	return list
}

// AppendTexts appends the lengths of all texts, followed by the texts.
func AppendTexts(raw []byte, texts []string) []byte {
	for _, text := range texts {
		raw = binary.AppendUvarint(raw, uint64(len(text)))
	}
	for _, text := range texts {
		raw = append(raw, text...)
	}
	return raw
}

// Texts reads count texts written by AppendTexts and appends copies of them to list.
func (r *Reader) Texts(list []string, count int) []string {
	if count > len(r.Rest) {
		r.Fail()
		return list
	}
	lengths := r.Rest
	start, total := 0, 0
	for range count {
		length, next := lengthAt(lengths, start)
		if next < 0 || length > len(lengths)-total {
			r.Fail()
			return list
		}
		start, total = next, total+length
	}
	r.Rest = r.Rest[start:]
	all := string(r.Take(total))
	if r.Bad {
		return list
	}
	list = slices.Grow(list, count)
	at, from := 0, 0
	for range count {
		length, next := lengthAt(lengths, at)
		list = append(list, all[from:from+length])
		at, from = next, from+length
	}
	return list
}

// lengthAt reads a length, which is a uvarint, at an offset. next is the offset of the
// byte after it, or -1 if there is no valid length.
func lengthAt(raw []byte, at int) (length, next int) {
	if at < len(raw) && raw[at] < 0x80 {
		return int(raw[at]), at + 1
	}
	return longLengthAt(raw, at)
}

func longLengthAt(raw []byte, at int) (length, next int) {
	number, size := binary.Uvarint(raw[at:])
	if size <= 0 || number > math.MaxInt32 {
		return 0, -1
	}
	return int(number), at + size
}
