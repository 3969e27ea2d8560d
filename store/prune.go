package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"svc/internal/boltfile"
	"svc/store/column"
)

const (
	// pruneBlocks bounds what one transaction removes: the records of as many blocks.
	pruneBlocks = 4
	// lookBlocks bounds the blocks that one transaction looks through for them.
	lookBlocks = 16
	// trimBlocks bounds the blocks whose columns one transaction removes.
	trimBlocks = 256
)

// LogRange says which logs are meant: those that meet all conditions. A nil pointer is no
// condition.
type LogRange struct {
	Before *int64  // created before, in Unix seconds
	Level  *int    // exact
	IP     *string // exact, as stored
}

// PruneLogs removes logs of a project, the oldest first, and returns how many matched and
// how many were removed. It works in transactions of bounded size, so that others can
// write in between; after an error, which may be that of ctx, repeating it removes the
// remainder. A dry run only counts. A project that is gone is NotFound.
func (s *Store) PruneLogs(ctx context.Context, p ProjectID, which LogRange, dryRun bool) (matched, deleted int, err error) {
	prune := pruning[Log, *Log]{
		series: logSeries, project: p, before: math.MaxInt64, filter: column.Filter{Mask: gone},
		forget: func(tx *Tx, _ ID, w column.Word) error {
			tx.count(p, countLevel(int(w>>levelShift&3)), -1)
			return nil
		},
	}
	if which.Before != nil {
		prune.before = *which.Before
	}
	if which.Level != nil {
		prune.filter = prune.filter.And(3<<levelShift, column.Word(*which.Level)<<levelShift)
	}
	if which.IP != nil {
		prune.matches = func(l *Log) bool { return l.IP != nil && *l.IP == *which.IP }
		prune.erasure = true
	}
	return prune.run(ctx, s, dryRun)
}

// PruneFeedback removes the feedback of a project that was created before a moment, in
// Unix seconds, and returns how much; see PruneLogs. Feedback that has become an issue
// goes too, and the issue stays.
func (s *Store) PruneFeedback(ctx context.Context, p ProjectID, before int64) (deleted int, err error) {
	prune := pruning[Feedback, *Feedback]{
		series: feedbackSeries, project: p, before: before, filter: column.Filter{Mask: gone},
		forget: func(tx *Tx, id ID, w column.Word) error { return tx.forgetFeedback(p, id, int(w>>ratingShift&7)) },
	}
	_, deleted, err = prune.run(ctx, s, false)
	return deleted, err
}

// pruning removes records of a series.
type pruning[R any, T seriesRecord[R]] struct {
	series  series[R, T]
	project ProjectID
	before  int64 // Unix seconds
	filter  column.Filter
	matches func(T) bool // nil = all that pass the filter
	erasure bool         // of what somebody has sent, and not because it is old
	// forget removes what is kept of a record elsewhere.
	forget func(tx *Tx, id ID, w column.Word) error
}

// blockPart is some records of a block.
type blockPart struct {
	block   uint64
	records column.Bitmap
}

func (p *pruning[R, T]) run(ctx context.Context, s *Store, dryRun bool) (matched, deleted int, err error) {
	for next, more := uint64(0), true; more; {
		if err := ctx.Err(); err != nil {
			return matched, deleted, err
		}
		var found []blockPart
		err := s.View(func(tx *Tx) (err error) {
			found, next, more, err = p.look(tx, next)
			return err
		})
		if err != nil {
			return matched, deleted, err
		}
		for i := range found {
			matched += found[i].records.Count()
		}
		if dryRun || len(found) == 0 {
			continue
		}
		removed := 0
		err = s.Update(func(tx *Tx) (err error) {
			removed, err = p.remove(tx, found)
			return err
		})
		if err != nil {
			return matched, deleted, err
		}
		deleted += removed
	}
	if dryRun {
		return matched, 0, nil
	}
	return matched, deleted, p.series.trimAll(ctx, s, p.project)
}

// look finds the records to remove in the blocks from one on. The next call begins at
// next; more is false when nothing is left to look through.
func (p *pruning[R, T]) look(tx *Tx, from uint64) (found []blockPart, next uint64, more bool, err error) {
	content := tx.content(p.project)
	if content == nil {
		return nil, 0, false, notFound("project")
	}
	first, end := p.series.firstNumber(content), p.series.since(content, p.before)
	if p.before == math.MaxInt64 {
		end = p.series.length(content)
	}
	walk := p.series.walk(content)
	next = max(from, first/column.BlockSize)
	for last := next + lookBlocks; next < last && len(found) < pruneBlocks; next++ {
		if next*column.BlockSize >= end {
			return found, next, false, nil
		}
		c, err := walk.read(next, false)
		if err != nil {
			return nil, 0, false, err
		}
		low, high := within(next, first, end)
		part := blockPart{next, c.Match(p.filter, low, min(high, c.Len()))}
		if p.matches != nil {
			if part.records, err = p.matching(content, part); err != nil {
				return nil, 0, false, err
			}
		}
		if part.records != (column.Bitmap{}) {
			found = append(found, part)
		}
	}
	return found, next, true, nil
}

// matching leaves out the records that do not match, which their words do not say.
func (p *pruning[R, T]) matching(content *boltfile.Bucket, part blockPart) (column.Bitmap, error) {
	var matching column.Bitmap
	for i := range part.records.All() {
		rec, _, err := p.series.decode(content.Bucket(p.series.records).Get(numberKey(part.block*column.BlockSize + uint64(i))))
		if err != nil {
			return matching, err
		}
		if p.matches(rec) {
			matching.Set(i)
		}
	}
	return matching, nil
}

// remove removes records that were found in an earlier transaction, except for those that
// have been removed since.
func (p *pruning[R, T]) remove(tx *Tx, found []blockPart) (n int, err error) {
	if tx.content(p.project) == nil {
		return 0, notFound("project")
	}
	for _, part := range found {
		removed, err := p.series.remove(tx, p.project, part, p.forget)
		if err != nil {
			return n, err
		}
		n += removed
	}
	if p.erasure && n > 0 {
		if err := tx.noteErasure(); err != nil {
			return n, err
		}
	}
	_, err = p.series.trim(tx, p.project)
	return n, err
}

// remove removes records of a block and keeps its columns in step. It does not decode the
// others, whose columns stay what they are.
func (s series[R, T]) remove(tx *Tx, p ProjectID, part blockPart, forget func(tx *Tx, id ID, w column.Word) error) (n int, err error) {
	content := tx.content(p)
	tx.dropHead(headKey{p, s.kind})
	c, err := s.walk(content).read(part.block, true)
	if err != nil {
		return 0, err
	}
	if !c.Valid() {
		return 0, fmt.Errorf("%w: block %d of %s", ErrDamaged, part.block, s.what)
	}
	records, made := content.Bucket(s.records), column.NewBuilder(c.Len())
	for i := range c.Len() {
		w, text := c.Word(i), c.Text(i)
		if !part.records.Has(i) || w&gone != 0 {
			made.Add(w, string(text))
			continue
		}
		key := numberKey(part.block*column.BlockSize + uint64(i))
		raw := records.Get(key)
		if len(raw) < len(ID{}) {
			return n, fmt.Errorf("%w: record %d of %s", ErrDamaged, binary.BigEndian.Uint64(key), s.what)
		}
		tx.count(p, s.bytes, -int64(len(raw)))
		if err := forget(tx, ID(raw[:16]), w); err != nil {
			return n, err
		}
		if err := records.Delete(key); err != nil {
			return n, err
		}
		made.Add(gone, "")
		n++
	}
	if part.block >= s.length(content)/column.BlockSize {
		return n, nil // the last block has no columns yet
	}
	return n, s.put(tx, p, uint32(part.block), made.Columns())
}

// trimAll is trim in as many transactions as it takes. Where nothing is to be removed, it
// writes nothing.
func (s series[R, T]) trimAll(ctx context.Context, db *Store, p ProjectID) error {
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := db.View(func(tx *Tx) error {
			needless, err := s.needless(tx, p)
			more = len(needless) > 0
			return err
		})
		if err != nil || !more {
			return err
		}
		err = db.Update(func(tx *Tx) (err error) {
			more, err = s.trim(tx, p)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// trim removes columns of blocks that come before all records, and reports whether there
// may be more of them. So what retention removes leaves nothing behind.
func (s series[R, T]) trim(tx *Tx, p ProjectID) (more bool, err error) {
	needless, err := s.needless(tx, p)
	if err != nil {
		return false, err
	}
	for _, block := range needless {
		content := tx.content(p)
		if err := content.Bucket(s.words).Delete(blockKey(block)); err != nil {
			return false, err
		}
		if err := content.Bucket(s.texts).DeleteValue(blockKey(block)); err != nil {
			return false, err
		}
		if err := tx.record(Change{Kind: s.kind, Project: p, Block: block}); err != nil {
			return false, err
		}
	}
	return len(needless) == trimBlocks, nil
}

// needless lists the first blocks with columns that come before all records, and before
// those to come: feedback that is becoming an issue has its number and no record.
func (s series[R, T]) needless(tx *Tx, p ProjectID) (blocks []uint32, err error) {
	content := tx.content(p)
	if content == nil {
		return nil, nil
	}
	first := s.firstNumber(content)
	if s.kind == KindFeedback {
		if first, err = tx.firstReserved(p, first); err != nil {
			return nil, err
		}
	}
	cursor := content.Bucket(s.words).Cursor()
	for key, _ := cursor.First(); key != nil && len(blocks) < trimBlocks; key, _ = cursor.Next() {
		block := binary.BigEndian.Uint32(key)
		if uint64(block) >= first/column.BlockSize {
			break
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}
