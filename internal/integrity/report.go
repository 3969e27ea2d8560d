package integrity

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// maxListed is the maximum number of findings of each kind and file that are listed.
const maxListed = 100

// Finding is one finding of a check.
type Finding struct {
	File       string   `json:"file"` // path in the data directory
	Kind       Kind     `json:"kind"`
	Severity   Severity `json:"severity"`
	Where      string   `json:"where"` // path of buckets, with a key or id
	What       string   `json:"what"`
	Repairable bool     `json:"repairable"`
}

// Count is the number of findings of a kind in a file, including those that are not
// listed.
type Count struct {
	File     string   `json:"file"`
	Kind     Kind     `json:"kind"`
	Severity Severity `json:"severity"`
	Count    int      `json:"count"`
}

// Report collects the findings of a check. It is not safe for concurrent use.
type Report struct {
	file     string
	listed   []Finding
	counts   []Count
	progress func(file string, done, total int64)
}

// NewReport returns an empty report. progress, which may be nil, is called during the
// check of a file. done is the amount that has been checked so far, and total the whole
// amount, in a unit that the check chooses.
func NewReport(progress func(file string, done, total int64)) *Report {
	if progress == nil {
		progress = func(string, int64, int64) {}
	}
	return &Report{progress: progress}
}

// Begin sets the file to which the following findings belong.
func (r *Report) Begin(file string) { r.file = file }

// Progress reports how much of the file has been checked.
func (r *Report) Progress(done, total int64) { r.progress(r.file, done, total) }

// Add adds a finding in the file that Begin has set. The parameter where is its location. format
// and args make its description, as for fmt.Sprintf.
func (r *Report) Add(kind Kind, where, format string, args ...any) {
	about := Kinds[kind]
	n := r.count(Count{r.file, kind, about.Severity, 1})
	if n <= maxListed {
		r.listed = append(r.listed, Finding{r.file, kind, about.Severity, where, fmt.Sprintf(format, args...), about.Repair != ""})
	}
}

// Merge adds the results of another check: its listed findings and its counts.
func (r *Report) Merge(listed []Finding, counts []Count) {
	r.listed = append(r.listed, listed...)
	for _, c := range counts {
		r.count(c)
	}
}

// count adds the findings in added to the count for their file and kind, and returns the new count.
func (r *Report) count(added Count) int {
	at := slices.IndexFunc(r.counts, func(c Count) bool { return c.File == added.File && c.Kind == added.Kind })
	if at < 0 {
		r.counts = append(r.counts, added)
		return added.Count
	}
	r.counts[at].Count += added.Count
	return r.counts[at].Count
}

// Listed returns the listed findings, in the order in which they were found.
func (r *Report) Listed() []Finding { return r.listed }

// Counts returns the number of findings of each kind, the worst kinds first.
func (r *Report) Counts() []Count {
	order := []Severity{Damage, Wrong, Note}
	list := slices.Clone(r.counts)
	slices.SortStableFunc(list, func(a, b Count) int {
		return cmp.Compare(slices.Index(order, a.Severity), slices.Index(order, b.Severity))
	})
	return list
}

// Number returns the number of findings of a severity.
func (r *Report) Number(s Severity) (n int) {
	for _, c := range r.counts {
		if c.Severity == s {
			n += c.Count
		}
	}
	return n
}

// Of returns the number of findings of a kind in all files.
func (r *Report) Of(kind Kind) (n int) {
	for _, c := range r.counts {
		if c.Kind == kind {
			n += c.Count
		}
	}
	return n
}

// Clean reports whether no data is damaged or wrong. Notes do not count.
func (r *Report) Clean() bool { return r.Number(Damage)+r.Number(Wrong) == 0 }

// Key returns the form that a key has in paths: its text if that is printable, and
// otherwise hexadecimal digits.
func Key(key []byte) string {
	for _, c := range key {
		if c <= ' ' || c > '~' || c == '/' {
			return hex.EncodeToString(key)
		}
	}
	return string(key)
}

// Path returns the path that consists of the given keys, for display.
func Path(keys ...[]byte) string {
	var b strings.Builder
	for _, key := range keys {
		b.WriteString("/" + Key(key))
	}
	return b.String()
}
