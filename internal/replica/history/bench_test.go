package history_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/internal/event"
	"svc/internal/event/submission"
	"svc/internal/platform"
	"svc/internal/replica/format"
	"svc/internal/replica/history"
	"svc/store"
)

// benchBytes is the size of the change sets that BenchmarkStage applies.
const benchBytes = 32 << 20

// BenchmarkStage builds a state from a snapshot of an empty directory and the log after it: batches of 500 events and 100
// records in each transaction, or one record in each. The rate counts the bytes of the change sets. The target is 20 MB/s.
func BenchmarkStage(b *testing.B) {
	b.Run("batches", func(b *testing.B) { benchStage(b, 500, 100) })
	b.Run("single", func(b *testing.B) { benchStage(b, 0, 1) })
}

func benchStage(b *testing.B, events, records int) {
	w := newWorld(b, 1, false)
	w.snapshot()
	for n := 0; n%100 > 0 || w.waitingBytes() < benchBytes; n++ {
		w.advance(time.Second)
		batch := &event.Batch{
			Project: event.Project(w.project.ID), Received: w.clock().Unix(), Subject: fmt.Sprint("u", n), Session: "s",
			Client: submission.Client{Platform: platform.Linux, Region: "DE", UserAgent: "ua"},
		}
		for i := range events {
			batch.Items = append(batch.Items, submission.Item{ID: fmt.Sprint(n, "-", i), Name: fmt.Sprint("e", i%50), At: w.clock().Unix()})
		}
		if events > 0 {
			must(w.events.Ingest(batch))(b)
		}
		check(b, w.store.Update(func(tx *store.Tx) error {
			for range records {
				if err := tx.AddFeedback(w.project.ID, &store.Feedback{Content: strings.Repeat("text ", 40)}); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	b.SetBytes(int64(w.waitingBytes()))
	w.shipLarge()
	for b.Loop() {
		s := must(w.read().Stage(b.Context(), b.TempDir(), history.Until{}))(b)
		check(b, s.Discard())
	}
}

func (w *world) waitingBytes() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.waiting {
		n += len(c.Set)
	}
	return n
}

// shipLarge stores the waiting changes in segments of at most 8 MiB.
func (w *world) shipLarge() {
	waiting := w.take()
	begin, size := 0, 0
	for i, c := range waiting {
		if size += len(c.Set); size > format.MaxSegment/2 || i == len(waiting)-1 {
			w.shipSegment(waiting[begin : i+1])
			begin, size = i+1, 0
		}
	}
}
