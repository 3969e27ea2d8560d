package event_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/internal/event"
	"svc/internal/event/query"
	"svc/internal/event/submission"
	"svc/internal/fault"
)

// extreme is a test case with an unusually large amount of one kind of data, at times far
// from those of the ordinary events.
type extreme struct {
	name        string
	short, long int // the amount; long is used with SVC_LONG=1
	// batches sends the data.
	batches func(n int, send func(*event.Batch))
	// check verifies the answers to queries about the data.
	check func(t *testing.T, w *world, n int)
	// refused runs a query that needs more memory than allowed. The text of the error must
	// contain the value of the field narrow, which advises the client how to narrow the
	// query.
	refused func(ctx context.Context, w *world) error
	narrow  string
}

const (
	extremeAt   = noon - 200*3600
	extremeSize = 500 // events of a batch
)

var extremeRange = query.Range{Start: extremeAt, End: extremeAt + 24*3600}

// extremeBatch returns a batch with events made by item.
func extremeBatch(first, n int, subject string, item func(i int) submission.Item) *event.Batch {
	b := &event.Batch{Project: 1, Received: noon, Subject: subject, Session: subject}
	for i := first; i < first+n; i++ {
		one := item(i)
		if one.Name == "" {
			one.Name = "extreme"
		}
		one.ID, one.At = fmt.Sprintf("%08x-1111-7111-8111-%012x", i, i), extremeAt+int64(i)%(20*3600)
		b.Items = append(b.Items, one)
	}
	return b
}

func inBatches(n int, send func(*event.Batch), item func(i int) submission.Item) {
	for first := 0; first < n; first += extremeSize {
		send(extremeBatch(first, min(extremeSize, n-first), fmt.Sprint("e", first/extremeSize%100), item))
	}
}

func byProperty(key string, limit int) query.BreakdownQuery {
	return query.BreakdownQuery{Range: extremeRange, Dimension: query.ByProperty, Property: key, Limit: limit}
}

var extremes = []extreme{
	{
		name: "values of a property", short: 20_000, long: 1_000_000,
		batches: func(n int, send func(*event.Batch)) {
			inBatches(n, send, func(i int) submission.Item {
				return submission.Item{Properties: fmt.Appendf(nil, `{"value":"value number %09d"}`, i)}
			})
		},
		check: func(t *testing.T, w *world, n int) {
			t.Helper()
			got, err := w.Breakdown(t.Context(), 1, byProperty("value", 2))
			want := query.Breakdown{Total: int64(n), Groups: []query.Group{{Key: "value number 000000000", Count: 1}, {Key: "value number 000000001", Count: 1}}}
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, %v, want %+v", got, err, want)
			}
		},
		refused: func(ctx context.Context, w *world) error {
			_, err := w.Breakdown(ctx, 1, byProperty("value", 2))
			return err
		},
		narrow: "narrow the range, or choose a property with fewer distinct values",
	},
	{
		name: "keys of properties", short: 2000, long: 2000,
		batches: func(n int, send func(*event.Batch)) {
			inBatches(10*n, send, func(i int) submission.Item {
				return submission.Item{Properties: fmt.Appendf(nil, `{"key %d":%d,"key %d":true}`, i%n, i, (i+1)%n)}
			})
		},
		check: func(t *testing.T, w *world, n int) {
			t.Helper()
			for _, key := range []int{0, 7, n - 1} {
				got, err := w.Breakdown(t.Context(), 1, byProperty(fmt.Sprint("key ", key), 2))
				if err != nil || got.Total != int64(10*n) || !got.Groups[0].Missing || got.Groups[0].Count != int64(10*n-20) || got.Groups[1].Key != "true" || got.Groups[1].Count != 10 {
					t.Errorf("key %d: got %+v, %v", key, got, err)
				}
			}
		},
	},
	{
		name: "bytes of properties of one event", short: 1 << 20, long: 1 << 20,
		batches: func(n int, send func(*event.Batch)) {
			send(extremeBatch(0, 1, "big", func(int) submission.Item { return submission.Item{Properties: bigProperties(n)} }))
		},
		check: func(t *testing.T, w *world, n int) {
			t.Helper()
			if got := w.export(t, "big"); len(got) != 1 || !bytes.Equal(got[0].Properties, bigProperties(n)) {
				t.Error("the event came back as another one")
			}
			got, err := w.Breakdown(t.Context(), 1, byProperty("tail", 2))
			if err != nil || got.Total != 1 || got.Groups[0].Key != "end" {
				t.Errorf("got %+v, %v", got, err)
			}
		},
	},
	{
		name: "names of events", short: 2000, long: 10_000,
		batches: func(n int, send func(*event.Batch)) {
			inBatches(3*n, send, func(i int) submission.Item { return submission.Item{Name: fmt.Sprintf("name %05d", i%n)} })
		},
		check: func(t *testing.T, w *world, n int) {
			t.Helper()
			got, err := w.Breakdown(t.Context(), 1, query.BreakdownQuery{Range: extremeRange, Dimension: query.ByEvent, Limit: 1})
			want := query.Breakdown{Total: int64(3 * n), Groups: []query.Group{{Key: "name 00000", Count: 3}}}
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, %v, want %+v", got, err, want)
			}
			total, list, err := w.Definitions(t.Context(), 1, event.DefinitionsQuery{Range: extremeRange, Search: fmt.Sprintf("NAME %05d", n-1), Limit: 10})
			if err != nil || total != 1 || list[0].Count != 3 {
				t.Errorf("got %d definitions, %+v, %v", total, list, err)
			}
			paths, err := w.Paths(t.Context(), 1, query.PathsQuery{Range: extremeRange, Depth: 3, Branches: 2, Users: true})
			if err != nil || !paths.Truncated || len(paths.Edges) == 0 {
				t.Errorf("got %+v, %v", paths, err)
			}
		},
	},
	{
		name: "subjects", short: 10_000, long: 5_000_000,
		batches: func(n int, send func(*event.Batch)) {
			for i := range n {
				b := extremeBatch(i, 1, fmt.Sprintf("%08x-2222-7222-8222-%012x", i, i), func(int) submission.Item { return submission.Item{} })
				b.Session = ""
				send(b)
			}
		},
		check: func(t *testing.T, w *world, n int) {
			t.Helper()
			got, err := w.Overview(t.Context(), 1, extremeRange)
			if want := (query.Overview{Total: int64(n), EventTypes: 1, Users: int64(n)}); err != nil || got != want {
				t.Errorf("got %+v, %v, want %+v", got, err, want)
			}
			users, err := w.Funnel(t.Context(), 1, query.FunnelQuery{Range: extremeRange, Steps: []query.Step{{Event: "extreme"}, {Event: "extreme"}}, Window: 60})
			if want := []query.FunnelStep{{Users: int64(n)}, {}}; err != nil || !reflect.DeepEqual(users, want) {
				t.Errorf("funnel: got %v, %v, want %v", users, err, want)
			}
			if got := w.export(t, fmt.Sprintf("%08x-2222-7222-8222-%012x", n-1, n-1)); len(got) != 1 {
				t.Errorf("the last one has %+v", got)
			}
		},
		refused: func(ctx context.Context, w *world) error {
			_, err := w.Paths(ctx, 1, query.PathsQuery{Range: extremeRange, Depth: 6, Branches: 2, Users: true})
			return err
		},
		narrow: "narrow the range",
	},
}

// bigProperties returns an object of about n bytes.
func bigProperties(n int) []byte {
	return fmt.Appendf(nil, `{"big":"%s","tail":"end"}`, strings.Repeat("0123456789abcdef", n/16-2))
}

// pour sends batches from many goroutines, so that several batches share a commit.
func (w *world) pour(t *testing.T, batches func(send func(*event.Batch))) {
	t.Helper()
	waiting := make(chan *event.Batch)
	var senders sync.WaitGroup
	for range 512 {
		senders.Go(func() {
			for b := range waiting {
				if err := ingestExactly(w.Engine, b, len(b.Items)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	batches(func(b *event.Batch) { waiting <- b })
	close(waiting)
	senders.Wait()
}

// peak measures the size of the heap until stop is called. stop returns the largest size,
// in bytes.
func peak() (stop func() uint64) {
	ended, most := make(chan struct{}), make(chan uint64)
	go func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		highest := uint64(0)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			highest = max(highest, m.HeapAlloc)
			select {
			case <-tick.C:
			case <-ended:
				most <- highest
				return
			}
		}
	}()
	return func() uint64 {
		close(ended)
		return <-most
	}
}

// ordinary runs queries about the hours of the ordinary events, and returns the answers
// and the shortest time.
func (w *world) ordinary(t *testing.T) (answers string, took time.Duration) {
	t.Helper()
	took = time.Hour
	for range 5 {
		var text strings.Builder
		begun := time.Now()
		for _, q := range questions(query.Range{Start: noon - 3*3600, End: noon + 3600}) {
			if q.name == "definitions" { // also lists the names of the extreme
				continue
			}
			started := time.Now()
			got, _, err := q.answer(t.Context(), w.Engine)
			check(t, err)
			_, _ = fmt.Fprintf(&text, "%s: %+v\n", q.name, got)
			if q.name == "export" { // has no range: it searches all hours
				begun = begun.Add(time.Since(started))
			}
		}
		answers, took = text.String(), min(took, time.Since(begun))
	}
	return answers, took
}

// TestExtremes checks that unusual amounts of data can be stored and queried. A query
// that would need too much memory must be refused with advice for narrowing it. The data
// must not take more memory than allowed, and must not affect queries of other hours.
func TestExtremes(t *testing.T) { //nolint:paralleltest // with the full numbers memory is measured
	long := os.Getenv("SVC_LONG") != ""
	if !long {
		t.Parallel()
	}
	for _, x := range extremes {
		t.Run(x.name, func(t *testing.T) {
			n := x.short
			if long {
				n = x.long
			} else {
				t.Parallel()
			}
			w := newWorld(t, event.Options{MaxNames: 1 << 20})
			fillForDamage(t, w)
			before, tookBefore := w.ordinary(t)

			stop, begun := peak(), time.Now()
			w.pour(t, func(send func(*event.Batch)) { x.batches(n, send) })
			ingested := time.Since(begun)
			check(t, w.Flush())
			x.check(t, w, n)
			after, tookAfter := w.ordinary(t)
			highest := stop()
			if before != after {
				t.Errorf("queries about other hours answered\n%s\nand now\n%s", before, after)
			}
			file, _, err := w.Size()
			check(t, err)
			t.Logf("%d: ingested in %v, at most %d MiB of memory, file of %d MiB; other queries took %v, now %v: factor %.2f",
				n, ingested.Round(time.Millisecond), highest>>20, file>>20, tookBefore, tookAfter, float64(tookAfter)/float64(tookBefore))
			if long && highest > 1<<30 {
				t.Errorf("took %d MiB of memory", highest>>20)
			}
			w.askTooMuch(t, x)
		})
	}
}

// askTooMuch runs queries that need more memory than allowed, and queries with a context
// that has already ended.
func (w *world) askTooMuch(t *testing.T, x extreme) {
	t.Helper()
	ended, end := context.WithCancel(t.Context())
	end()
	for _, q := range questions(damageRange) {
		if _, _, err := q.answer(ended, w.Engine); !errors.Is(err, context.Canceled) {
			t.Errorf("%s for nobody: got %v", q.name, err)
		}
	}
	if x.refused == nil {
		return
	}
	w.o.Memory = 32 << 10
	w.reopen(t)
	if err := x.refused(t.Context(), w); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), x.narrow) {
		t.Errorf("got %v, want an error for the client that says: %s", err, x.narrow)
	}
}

// TestExportThatNobodyReads checks that an export ends when its context is cancelled.
func TestExportThatNobodyReads(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{})
	fillForDamage(t, w)
	ctx, leave := context.WithCancel(t.Context())
	hours := map[int64]bool{}
	err := w.Export(ctx, 1, "u0", func(one *event.Event) error {
		leave()
		hours[one.At/3600] = true
		return nil
	})
	if !errors.Is(err, context.Canceled) || len(hours) != 1 {
		t.Errorf("got %v after %d hours", err, len(hours))
	}
}
