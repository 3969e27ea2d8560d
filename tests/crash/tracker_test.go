package crash

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// tracker is a client that sends batches of events. Each kind of tracker uses its own event name.
// The content of a batch depends only on its number, so the same batch can be sent again.
type tracker struct {
	name    string
	project string
	random  *rand.Rand
	clock   func() moment
	begin   int64  // Unix time in seconds; the events are from the hours before it
	sizes   []int  // possible batch sizes
	each    int    // number of batches per sender
	padding string // text of which each event contains a part
	batches []batch
	stored  int // number of events in discarded batches, which are certainly stored
	serial  int
}

// batch is a batch of events that was sent.
type batch struct {
	number, size int
	begun, done  moment // see revision
}

func newTracker(name, project string, random *rand.Rand, clock func() moment, each, text int, sizes ...int) *tracker {
	return &tracker{
		name: name, project: project, random: random, clock: clock, each: each, sizes: sizes,
		begin: time.Now().Unix(), padding: word(random, text),
	}
}

func (t *tracker) subject(number int) string { return fmt.Sprintf("%s-%d", t.name, number/t.each) }

func (t *tracker) eventID(number, i int) string { return fmt.Sprintf("%s-%d-%d", t.name, number, i) }

type sentEvent struct {
	ID         string         `json:"event_id"`
	Name       string         `json:"name"`
	OccurredAt int64          `json:"occurred_at"`
	Properties map[string]any `json:"properties"`
}

// send sends a batch and returns the number of new events. It sends the last event of the batch
// twice.
func (t *tracker) send(c *client, b batch) (accepted int, err error) {
	events := make([]sentEvent, 0, b.size+1)
	for i := range b.size {
		events = append(events, sentEvent{
			ID: t.eventID(b.number, i), Name: t.name, OccurredAt: t.begin - int64(b.number*7+i*13)%(6*3600),
			Properties: map[string]any{"n": i, "batch": b.number, "text": t.padding[:(b.number+i*31)%len(t.padding)]},
		})
	}
	events = append(events, events[b.size-1])
	answer, err := c.must(202, "POST", "/public/"+t.project+"/events", map[string]any{
		"distinct_id": t.subject(b.number), "session_id": fmt.Sprint("s", b.number%97), "events": events,
	})
	if err != nil {
		return 0, err
	}
	var got struct{ Accepted, Skipped int }
	if err := json.Unmarshal(answer, &got); err != nil {
		return 0, err
	}
	if got.Accepted+got.Skipped != b.size+1 || got.Accepted != 0 && got.Accepted != b.size {
		return 0, fmt.Errorf("batch %d of %s: of %d events %d were accepted and %d skipped, want all or none", b.number, t.name, b.size+1, got.Accepted, got.Skipped)
	}
	return got.Accepted, nil
}

// step sends a new batch, or repeats an acknowledged one.
func (t *tracker) step(c *client) error {
	if len(t.batches) > 0 && t.random.IntN(5) == 0 {
		b := t.batches[t.random.IntN(len(t.batches))]
		accepted, err := t.send(c, b)
		if err == nil && accepted != 0 {
			err = fmt.Errorf("batch %d of %s was acknowledged, but %d of its events were new again", b.number, t.name, accepted)
		}
		return err
	}
	t.serial++
	b := batch{number: t.serial, size: t.sizes[t.random.IntN(len(t.sizes))], begun: t.clock()}
	t.batches = append(t.batches, b)
	accepted, err := t.send(c, b)
	if err == nil && accepted != b.size {
		err = fmt.Errorf("new batch %d of %s: %d of %d events were accepted", b.number, t.name, accepted, b.size)
	}
	if err == nil {
		t.batches[len(t.batches)-1].done = t.clock()
	}
	return err
}

// verify compares the number of stored events with the events that were sent. Like a real client, it resends batches that
// had no response, and the new response shows whether they had been stored. It does the same with acknowledged batches that
// may have been lost.
func (f *findings) verify(t *tracker, counted int) error {
	want, sure := t.stored, []batch(nil)
	for _, b := range t.batches {
		switch {
		case b.done > 0 && b.done <= f.sure:
			want += b.size
			sure = append(sure, b)
		case b.begun <= f.end:
			accepted, err := t.send(f.client, b)
			if err != nil {
				return err
			}
			if accepted == 0 {
				want += b.size
				f.found(b.begun)
			} else {
				f.lost(b.done)
			}
		}
	}
	if counted != want {
		return fmt.Errorf("%d events of %s are counted, want %d", counted, t.name, want)
	}
	if len(sure) > 0 && t.random.IntN(2) == 0 {
		return t.verifySubject(f.client, f.end, sure[t.random.IntN(len(sure))])
	}
	return nil
}

// verifySubject resends an acknowledged batch, which must not add events. It then compares the
// stored events of the batch's sender with the events sent before the time end.
func (t *tracker) verifySubject(c *client, end moment, of batch) error {
	if again, err := t.send(c, of); err != nil || again != 0 {
		return fmt.Errorf("batch %d of %s was acknowledged, but %d of its events were new again, %w", of.number, t.name, again, err)
	}
	var want, got []string
	for _, b := range t.batches {
		if b.begun <= end && t.subject(b.number) == t.subject(of.number) {
			for i := range b.size {
				want = append(want, t.eventID(b.number, i))
			}
		}
	}
	var answer struct {
		Data []struct {
			ID         string `json:"event_id"`
			Properties struct{ Batch int }
		}
	}
	if err := c.get("/public/"+t.project+"/events/me?distinct_id="+t.subject(of.number), &answer); err != nil {
		return err
	}
	for _, one := range answer.Data {
		if one.Properties.Batch >= t.batches[0].number { // the batches before it have been discarded
			got = append(got, one.ID)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		return fmt.Errorf("sender %s has %d events, want %d:\n%v\n%v", t.subject(of.number), len(got), len(want), got, want)
	}
	return nil
}

// settle records that all events are now stored, because missing batches have been resent. If
// forget is true, it discards the batches and retains only the number of events.
func (t *tracker) settle(now moment, forget bool) {
	for i := range t.batches {
		if t.batches[i].done == 0 {
			t.batches[i].done = now
		}
	}
	if !forget {
		return
	}
	const kept = 20 // number of batches that are kept, so that they can be sent again
	for _, b := range t.batches[:max(0, len(t.batches)-kept)] {
		t.stored += b.size
	}
	t.batches = slices.Clone(t.batches[max(0, len(t.batches)-kept):])
}
