package event_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"svc/internal/boltfile"
	"svc/internal/boltfile/bolttest"
	"svc/internal/event"
	"svc/internal/event/submission"
	"svc/internal/platform"
	"svc/internal/replica/format"
	"svc/internal/replica/spool"
)

// TestCopyFollowsTheRecord records everything that an engine writes. A copy to which only the change
// sets are applied has the same content, and its engine counts the same events.
func TestCopyFollowsTheRecord(t *testing.T) {
	t.Parallel()
	recording := &bolttest.Recording{}
	w := newWorld(t, event.Options{HeadEvents: 50, Recorder: recording})
	check(t, w.Close())
	content, err := os.ReadFile(w.path)
	check(t, err)
	copied := filepath.Join(t.TempDir(), "events.db")
	check(t, os.WriteFile(copied, content, 0o600))

	w.open(t)
	for i := range 120 {
		w.send(t, fmt.Sprint("u", i%7), "s", fmt.Sprint("n", i%3), noon-int64(i)*600, fmt.Sprint("a", i), fmt.Sprint("b", i))
	}
	check(t, w.Flush())
	for worked := true; worked; {
		worked, err = w.Compact()
		check(t, err)
	}
	_, err = w.DeleteSubject(t.Context(), 1, "u3")
	check(t, err)
	check(t, w.ApplyRetention(t.Context(), 1, noon-50*600, noon-50*600))
	if _, err := w.CompactFile(true); err != nil {
		t.Fatal(err)
	}
	w.send(t, "u1", "s", "late", noon-60, "stays in the WAL")
	total := w.total(t)
	check(t, w.Close())

	check(t, recording.ApplyTo(copied))
	want, position, err := boltfile.DigestFile(w.path)
	check(t, err)
	got, reached, err := boltfile.DigestFile(copied)
	check(t, err)
	if got != want || reached != position || position != recording.Position || position == 0 {
		t.Errorf("got digest %x at %d, want %x at %d; recorded to %d", got, reached, want, position, recording.Position)
	}
	follower := &world{path: copied, o: event.Options{Now: w.o.Now}}
	follower.open(t)
	if got := follower.total(t); got != total || total == 0 {
		t.Errorf("the copy counts %d events, want %d", got, total)
	}
	check(t, follower.Close())
	w.o.Recorder = nil
	w.open(t) // for the cleanup
}

// discarding counts the bytes of change sets.
type discarding struct{ position, bytes uint64 }

func (d *discarding) Append(set []byte) (uint64, error) {
	d.position++
	d.bytes += uint64(len(set))
	return d.position, nil
}

func (*discarding) Settle(bool) {}

// BenchmarkIngest stores batches of 20 events from 64 senders at a time: without a recorder, with one that
// discards the changes, and with a spool. The differences are the price of recording.
func BenchmarkIngest(b *testing.B) {
	for _, recorder := range []string{"none", "discarding", "spool"} {
		b.Run("recorder="+recorder, func(b *testing.B) {
			o, d := event.Options{}, &discarding{}
			switch recorder {
			case "discarding":
				o.Recorder = d
			case "spool":
				s, err := spool.Open(filepath.Join(b.TempDir(), "spool"), spool.At{}, spool.At{}, spool.Options{Max: 1 << 40})
				if err == nil {
					_, err = s.Resume(0)
				}
				if err != nil {
					b.Fatal(err)
				}
				defer func() {
					if err := s.Close(); err != nil {
						b.Error(err)
					}
				}()
				o.Recorder = s.Recorder(format.Events)
			}
			e, err := event.Open(filepath.Join(b.TempDir(), "events.db"), o)
			if err != nil {
				b.Fatal(err)
			}
			const size = 20
			var number atomic.Int64
			b.SetParallelism(64)
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					n := number.Add(1)
					now := time.Now().Unix()
					batch := &event.Batch{
						Project: 1, Received: now, Subject: fmt.Sprint("user ", n%5000), Session: fmt.Sprint("session ", n%20_000),
						Client: submission.Client{Platform: platform.Linux, Region: "DE", UserAgent: "ua"},
					}
					for i := range size {
						batch.Items = append(batch.Items, submission.Item{
							ID: fmt.Sprintf("%d-%d", n, i), Name: "opened", At: now, Properties: []byte(`{"plan":"free","n":17}`),
						})
					}
					if _, err := e.Ingest(batch); err != nil {
						b.Error(err)
						return
					}
				}
			})
			if err := e.Flush(); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			events := float64(number.Load() * size)
			b.ReportMetric(float64(b.Elapsed())/events, "ns/event")
			b.ReportMetric(float64(d.bytes)/events, "B/event")
			if err := e.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
