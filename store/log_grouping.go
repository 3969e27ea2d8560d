package store

import (
	"context"
	"time"

	"svc/internal/loggroup"
	"svc/store/column"
	"svc/store/series"
)

const (
	// groupBlocks is the number of blocks that one step of GroupLogs reads.
	groupBlocks = 8
	// groupPause is the pause between two steps, so that uploads need not wait.
	groupPause = 5 * time.Millisecond
)

// groupingKey is the key of the grouping record in the bucket of the log groups.
var groupingKey = []byte("ungrouped")

// grouping is the progress of GroupLogs in a project. It must still group the logs with the numbers
// in [Next, End).
type grouping struct {
	Next uint64 `json:"next"`
	End  uint64 `json:"end"`
}

// beginGrouping creates the bucket of the log groups, unless it exists. The logs that the project
// already has are left to GroupLogs.
func (tx *Tx) beginGrouping(p ProjectID) error {
	content := tx.content(p)
	if content.Bucket(logGroupsBucket) != nil {
		return nil
	}
	b, err := content.CreateBucket(logGroupsBucket)
	if err != nil {
		return err
	}
	return put(b, groupingKey, grouping{End: logSeries.of(tx, p).Length()})
}

// ungrouped returns the range of the logs of a project that are still to be grouped.
func (tx *Tx) ungrouped(p ProjectID) (g grouping, err error) {
	content := tx.content(p)
	if content == nil {
		return g, nil
	}
	b := content.Bucket(logGroupsBucket)
	if b == nil {
		g.End = logSeries.of(tx, p).Length()
		return g, nil
	}
	known, err := get[grouping](b, groupingKey)
	if known != nil {
		g = *known
	}
	return g, err
}

// LogsGrouped reports whether all logs of a project that belong to a group have been counted in it.
func (tx *Tx) LogsGrouped(p ProjectID) (bool, error) {
	g, err := tx.ungrouped(p)
	return g.Next >= g.End, err
}

// groupStep contains what a step of GroupLogs has read.
type groupStep struct {
	from, next uint64 // numbers of the first log of this step and of the next one
	seen       []sighting
	blocks     []series.Unlabeled
}

// GroupLogs groups the logs of a project that were stored without a group, by an earlier version of
// the program or by an import. It queues no events. It works in steps, so that uploads need not
// wait, and can be interrupted and repeated.
func (s *Store) GroupLogs(ctx context.Context, p ProjectID) error {
	for {
		var step groupStep
		var more bool
		err := s.View(func(tx *Tx) (err error) {
			step, more, err = tx.readGroupStep(p)
			return err
		})
		if err != nil || !more {
			return err
		}
		if err := s.Update(func(tx *Tx) error { return tx.writeGroupStep(p, step) }); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(groupPause):
		}
	}
}

// readGroupStep reads the next logs to group. more is false if there are none.
func (tx *Tx) readGroupStep(p ProjectID) (step groupStep, more bool, err error) {
	g, err := tx.ungrouped(p)
	if err != nil || g.Next >= g.End {
		return step, false, err
	}
	list := logSeries.of(tx, p)
	step.from = g.Next
	first := max(g.Next, list.First()) // the logs before have been removed
	titled := map[loggroup.ID]bool{}
	visit := func(l *Log) error {
		s := l.sighting()
		if s.id == (loggroup.ID{}) {
			return nil
		}
		if !titled[s.id] { // the oldest of the step
			titled[s.id], s.title = true, l.title()
		}
		step.seen = append(step.seen, s)
		return nil
	}
	step.next = g.End
	for block := first / column.BlockSize; block*column.BlockSize < g.End; block++ {
		if block == first/column.BlockSize+groupBlocks {
			step.next = block * column.BlockSize
			break
		}
		made, unlabeled, err := list.ReadBlock(block, first, g.End, visit)
		if err != nil {
			return step, false, err
		}
		if unlabeled {
			step.blocks = append(step.blocks, made)
		}
	}
	return step, true, nil
}

// writeGroupStep counts the logs of a step in their groups, unless another call has counted them
// since they were read.
func (tx *Tx) writeGroupStep(p ProjectID, step groupStep) error {
	if tx.content(p) == nil {
		return nil
	}
	if err := tx.beginGrouping(p); err != nil {
		return err
	}
	progress, err := tx.ungrouped(p)
	if err != nil || progress.Next != step.from {
		return err
	}
	groups, err := tx.groupsOf(p)
	if err != nil {
		return err
	}
	groups.urgent = true
	for _, s := range step.seen {
		g, _, err := tx.addGroup(p, groups, s.id)
		if err != nil {
			return err
		}
		v, err := tx.orderIn(p, g, s.version)
		if err != nil {
			return err
		}
		g.count(s, v)
	}
	if err := logSeries.of(tx, p).PutLabels(step.blocks); err != nil {
		return err
	}
	progress.Next = step.next
	return put(tx.contentBucket(p, logGroupsBucket), groupingKey, progress)
}
