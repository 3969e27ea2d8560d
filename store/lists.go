package store

import (
	"math"

	"go.etcd.io/bbolt"

	"svc/internal/platform"
)

// Selection is the part of a list that is asked for, newest first.
type Selection struct {
	Hidden        bool // hidden records count too
	Platform      *platform.Platform
	Find          *Find
	Offset, Limit int
}

// shown passes what the list may show at all.
func (q Selection) shown() filter {
	f := filter{mask: gone}
	if !q.Hidden {
		f = f.and(hidden, 0)
	}
	return f
}

func (q Selection) filter() filter {
	f := q.shown()
	if q.Platform != nil {
		f = f.and(platformMask, platformWord(q.Platform))
	}
	return f
}

// FeedbackSelection is what a list of feedback is narrowed by; nil is no
// condition.
type FeedbackSelection struct {
	Selection
	Rating *int
	Status *FeedbackStatus
}

// LogSelection is what a list of logs is narrowed by; nil is no condition,
// and so are a From of 0 and a To of math.MaxInt64. Both are inclusive.
type LogSelection struct {
	Selection
	Level    *int
	From, To int64
}

// Found says how many records a list has.
type Found struct {
	Total int
	// Estimate says that Total is an upper bound: too much text would have to
	// be read to know.
	Estimate bool
	// Text says that what was searched for is in some record of the range of
	// time that may be shown, whatever the other conditions say.
	Text bool
}

// ListFeedback reads a part of the feedback of a project.
func (tx *Tx) ListFeedback(p ProjectID, q FeedbackSelection) ([]*Feedback, Found, error) {
	f := q.filter()
	if q.Rating != nil {
		f = f.and(7<<ratingShift, word(*q.Rating)<<ratingShift)
	}
	if q.Status != nil {
		f = f.and(3<<statusShift, word(*q.Status)<<statusShift)
	}
	return list[Feedback](tx, p, feedbackSeries, f, q.Selection, 0, math.MaxInt64, func(f *Feedback, id ID) { f.ID = id })
}

// ListLogs reads a part of the logs of a project.
func (tx *Tx) ListLogs(p ProjectID, q LogSelection) ([]*Log, Found, error) {
	f := q.filter()
	if q.Level != nil {
		f = f.and(3<<levelShift, word(*q.Level)<<levelShift)
	}
	return list[Log](tx, p, logSeries, f, q.Selection, q.From, q.To, func(l *Log, id ID) { l.ID = id })
}

func list[R any, T interface {
	*R
	submission
}](tx *Tx, p ProjectID, s series[T], f filter, q Selection, from, to int64, identify func(T, ID)) ([]T, Found, error) {
	content := tx.content(p)
	if content == nil {
		return nil, Found{}, nil
	}
	first, end := s.span(content, from, to)
	var numbers []uint64
	var found Found
	var err error
	if q.Find == nil {
		numbers, found, err = count[R](content, s, f, first, end, q)
	} else {
		numbers, found, err = search[R](tx, content, s, p, f, first, end, q)
	}
	if err != nil {
		return nil, found, err
	}
	page := make([]T, 0, len(numbers))
	for _, n := range numbers {
		rec, id, err := decodeRecord[R](content.Bucket(s.records).Get(numberKey(n)))
		if err != nil {
			return nil, found, err
		}
		identify(rec, id)
		page = append(page, rec)
	}
	return page, found, nil
}

// count walks the words from the newest block to the oldest.
func count[R any, T interface {
	*R
	submission
}](content *bbolt.Bucket, s series[T], f filter, first, end uint64, q Selection) (numbers []uint64, found Found, err error) {
	pick := picker{offset: q.Offset, limit: q.Limit}
	walk := newWalk(content, s)
	for block := (end + blockSize - 1) / blockSize; block > first/blockSize; block-- {
		c, err := readBlock[R](walk, block-1, false)
		if err != nil {
			return nil, found, err
		}
		low, high := within(block-1, first, end)
		pick.take((block-1)*blockSize, c.matching(f, low, min(high, c.len())))
	}
	return pick.numbers, Found{Total: pick.total}, nil
}

// within cuts a range of numbers to a block and counts from its beginning.
func within(block, first, end uint64) (low, high int) {
	start := block * blockSize
	low, high = 0, blockSize
	if first > start {
		low = int(first - start)
	}
	if end < start+blockSize {
		high = int(end - start)
	}
	return low, high
}

// picker counts marked records, newest first, and keeps the numbers of those
// on the page.
type picker struct {
	offset, limit int
	total         int
	numbers       []uint64
}

func (p *picker) take(start uint64, m marks) {
	n := m.count()
	if p.total+n > p.offset && len(p.numbers) < p.limit {
		at := p.total
		for i := blockSize - 1; i >= 0 && len(p.numbers) < p.limit; i-- {
			if m.has(i) {
				if at >= p.offset {
					p.numbers = append(p.numbers, start+uint64(i))
				}
				at++
			}
		}
	}
	p.total += n
}

func (p *picker) full() bool { return len(p.numbers) >= p.limit }

// LogLevels counts the logs of a project that were created in a range of time,
// ends included, by level.
func (tx *Tx) LogLevels(p ProjectID, from, to int64) (byLevel [4]int, err error) {
	err = eachWord[Log](tx.content(p), logSeries, from, to, func(w word) { byLevel[w>>levelShift&3]++ })
	return byLevel, err
}

// FeedbackRatings counts the feedback of a project that was created in a range
// of time, ends included, by rating; index 0 is unrated.
func (tx *Tx) FeedbackRatings(p ProjectID, from, to int64) (byRating [6]int, err error) {
	err = eachWord[Feedback](tx.content(p), feedbackSeries, from, to, func(w word) { byRating[w>>ratingShift&7]++ })
	return byRating, err
}

// eachWord calls fn with the words of all records in a range of time, hidden
// ones included.
func eachWord[R any, T interface {
	*R
	submission
}](content *bbolt.Bucket, s series[T], from, to int64, fn func(word)) error {
	if content == nil {
		return nil
	}
	first, end := s.span(content, from, to)
	walk := newWalk(content, s)
	for block := first / blockSize; block*blockSize < end; block++ {
		c, err := readBlock[R](walk, block, false)
		if err != nil {
			return err
		}
		low, high := within(block, first, end)
		for i := low; i < min(high, c.len()); i++ {
			if w := c.word(i); w&gone == 0 {
				fn(w)
			}
		}
	}
	return nil
}
