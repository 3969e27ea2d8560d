package history

import (
	"context"
	"fmt"
	"time"

	"svc/internal/replica/format"
)

// Points describes the states that can be restored.
type Points struct {
	From      int64   `json:"from"` // Unix seconds; 0 if there is no snapshot
	To        int64   `json:"to"`   // Unix seconds
	Snapshots []Point `json:"snapshots"`
	Position  uint64  `json:"position"` // of the newest state
	Epoch     uint32  `json:"epoch"`
}

// Point describes a snapshot.
type Point struct {
	Position uint64 `json:"position"`
	Time     int64  `json:"time"`  // Unix seconds
	Bytes    int64  `json:"bytes"` // of its parts
}

// Points returns the states that can be restored. It reads the last segment only, so it does not notice damage or a
// gap in the log.
func (h *History) Points(ctx context.Context) (Points, error) {
	p := Points{Snapshots: []Point{}, Epoch: h.Epoch}
	for _, m := range h.Snapshots {
		one := Point{Position: m.Position, Time: seconds(m.Time)}
		for _, part := range m.Parts {
			one.Bytes += part.Size
		}
		p.Snapshots = append(p.Snapshots, one)
	}
	if len(p.Snapshots) == 0 {
		return p, nil
	}
	to, err := h.newest(ctx)
	p.From, p.To, p.Position = p.Snapshots[0].Time, seconds(to.Time), to.Position
	return p, err
}

// Check returns the error with which Stage refuses a state that the log and the snapshots cannot have. As Points, it
// does not notice damage or a gap.
func (h *History) Check(ctx context.Context, until Until) error {
	if _, err := h.choose(ctx, until); err != nil {
		return err
	}
	to, err := h.newest(ctx)
	if err != nil {
		return err
	}
	return h.reaches(to, until, nil)
}

// newest returns the newest state, if there is no gap. There must be a snapshot.
func (h *History) newest(ctx context.Context) (Until, error) {
	last, err := h.lastHeader(ctx)
	newest := Until{last.End, last.Last}
	for _, m := range h.Snapshots {
		newest = Until{max(newest.Time, m.Time), max(newest.Position, m.Position)}
	}
	return newest, err
}

// reaches returns a *RangeError if the wanted state is after the last one.
func (h *History) reaches(last, until Until, gap *Error) error {
	if until.Position <= last.Position && until.Time <= 1000*seconds(last.Time) {
		return nil
	}
	return &RangeError{Until: until, From: Until{h.Snapshots[0].Time, h.Snapshots[0].Position}, To: last, Gap: gap}
}

// seconds rounds a time in milliseconds up to seconds, so that a restore to that second contains what was committed
// at the time.
func seconds(milliseconds int64) int64 { return (milliseconds + 999) / 1000 }

// Until is the last position or time that a restore includes. The zero value means the newest state.
type Until struct {
	Time     int64  // Unix milliseconds; 0 = no limit
	Position uint64 // 0 = no limit
}

// excludes reports whether a change is after the wanted state.
func (u Until) excludes(position uint64, time int64) bool {
	return u.Position > 0 && position > u.Position || u.Time > 0 && time > u.Time
}

// RangeError reports that a wanted state is not one that the replica has.
type RangeError struct {
	Until    Until
	From, To Until // the first and last state that can be restored, from the snapshots before the wanted one or the first
	Gap      *Error
}

// Error returns a text with the range of states that can be restored.
func (e *RangeError) Error() string {
	wanted := fmt.Sprintf("position %d", e.Until.Position)
	if e.Until.Time > 0 {
		wanted = formatTime(e.Until.Time)
	}
	text := fmt.Sprintf("%s is outside of what is kept: from %s (position %d) to %s (position %d)",
		wanted, formatTime(e.From.Time), e.From.Position, formatTime(e.To.Time), e.To.Position)
	if e.Gap != nil {
		text += fmt.Sprintf("; the log ends there: %s", e.Gap)
	}
	return text
}

func formatTime(milliseconds int64) string {
	return time.UnixMilli(milliseconds).UTC().Format("2006-01-02T15:04:05.999Z07:00")
}

// choose returns the newest snapshot from which the wanted state can be built.
func (h *History) choose(ctx context.Context, until Until) (chosen format.Manifest, err error) {
	if len(h.Snapshots) == 0 {
		return chosen, ErrEmpty
	}
	for _, m := range h.Snapshots {
		if !until.excludes(m.Position, m.Time) {
			chosen = m
		}
	}
	if len(chosen.Parts) == 0 {
		last, err := h.newest(ctx)
		if err != nil {
			return chosen, err
		}
		return chosen, &RangeError{Until: until, From: Until{h.Snapshots[0].Time, h.Snapshots[0].Position}, To: last}
	}
	return chosen, nil
}
