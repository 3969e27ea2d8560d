package integrity

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// maxListed is how many findings of a kind are listed of a file.
const maxListed = 100

// Finding is one thing that a check found.
type Finding struct {
	File       string   `json:"file"` // in the data directory
	Kind       Kind     `json:"kind"`
	Severity   Severity `json:"severity"`
	Where      string   `json:"where"` // bucket path, key or id
	What       string   `json:"what"`
	Repairable bool     `json:"repairable"`
}

// Count is how many findings of a kind a file has, listed or not.
type Count struct {
	File     string   `json:"file"`
	Kind     Kind     `json:"kind"`
	Severity Severity `json:"severity"`
	Count    int      `json:"count"`
}

// Report collects findings. It is for one goroutine.
type Report struct {
	file     string
	listed   []Finding
	counts   []Count
	progress func(file string, done, total int64)
}

// NewReport makes an empty report. progress, which may be nil, is told how much
// of a file has been looked at: done of total, in a unit of the check's own.
func NewReport(progress func(file string, done, total int64)) *Report {
	if progress == nil {
		progress = func(string, int64, int64) {}
	}
	return &Report{progress: progress}
}

// Begin says which file the findings that follow are of.
func (r *Report) Begin(file string) { r.file = file }

// Progress says how much of the file has been looked at.
func (r *Report) Progress(done, total int64) { r.progress(r.file, done, total) }

// Add notes a finding: where it is, and what it is.
func (r *Report) Add(kind Kind, where, format string, args ...any) {
	about := Kinds[kind]
	n := r.count(Count{r.file, kind, about.Severity, 1})
	if n <= maxListed {
		r.listed = append(r.listed, Finding{r.file, kind, about.Severity, where, fmt.Sprintf(format, args...), about.Repair != ""})
	}
}

// Merge adds what another check has listed and counted.
func (r *Report) Merge(listed []Finding, counts []Count) {
	r.listed = append(r.listed, listed...)
	for _, c := range counts {
		r.count(c)
	}
}

// count adds to a number and returns it.
func (r *Report) count(added Count) int {
	at := slices.IndexFunc(r.counts, func(c Count) bool { return c.File == added.File && c.Kind == added.Kind })
	if at < 0 {
		r.counts = append(r.counts, added)
		return added.Count
	}
	r.counts[at].Count += added.Count
	return r.counts[at].Count
}

// Listed are the findings in the order in which they were found, at most 100 of
// a kind and file.
func (r *Report) Listed() []Finding { return r.listed }

// Counts says how many there are of each kind, the worst first.
func (r *Report) Counts() []Count {
	order := []Severity{Damage, Wrong, Note}
	list := slices.Clone(r.counts)
	slices.SortStableFunc(list, func(a, b Count) int {
		return cmp.Compare(slices.Index(order, a.Severity), slices.Index(order, b.Severity))
	})
	return list
}

// Number is how many findings of a severity there are.
func (r *Report) Number(s Severity) (n int) {
	for _, c := range r.counts {
		if c.Severity == s {
			n += c.Count
		}
	}
	return n
}

// Of is how many findings of a kind there are in all files.
func (r *Report) Of(kind Kind) (n int) {
	for _, c := range r.counts {
		if c.Kind == kind {
			n += c.Count
		}
	}
	return n
}

// Clean reports whether nothing is damaged or wrong. Notes do not count.
func (r *Report) Clean() bool { return r.Number(Damage)+r.Number(Wrong) == 0 }

// Key is a key as it is shown in a path: as text where it is one, otherwise in
// hexadecimal digits.
func Key(key []byte) string {
	for _, c := range key {
		if c <= ' ' || c > '~' || c == '/' {
			return hex.EncodeToString(key)
		}
	}
	return string(key)
}

// Path is a path of keys as it is shown.
func Path(keys ...[]byte) string {
	var b strings.Builder
	for _, key := range keys {
		b.WriteString("/" + Key(key))
	}
	return b.String()
}
