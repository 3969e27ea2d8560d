package follow_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"svc/internal/replica/format"
	"svc/internal/replica/target"
)

// network delays and loses the requests of the servers to the target, and the answers.
type network struct {
	delay time.Duration // longest delay of a request, and of its answer
	// late is the longest time after which a request can have its effect although its client has got an error.
	late   time.Duration
	random *random
	behind sync.WaitGroup // the late requests
}

// random is a source of random numbers for several goroutines.
type random struct {
	mu   sync.Mutex
	from *rand.Rand
}

func newRandom(seed uint64) *random { return &random{from: rand.New(rand.NewPCG(seed, 1))} }

func (r *random) below(n int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.from.IntN(n)
}

func (r *random) upTo(d time.Duration) time.Duration { return time.Duration(r.below(int(d) + 1)) }

// pause waits, by the clock of the test.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

var errLost = errors.New("the answer was lost")

// link is the target as one server reaches it.
type link struct {
	target.Target
	network *network
	// One in loss requests is lost, the answer to one in loss is lost, and one in loss is late.
	loss int
	cut  atomic.Bool // while it is set, the target does not answer

	mu   sync.Mutex
	seen map[string]time.Time // when an object was read for the first time
}

func (n *network) link(to target.Target, loss int) *link {
	return &link{Target: to, network: n, loss: loss, seen: map[string]time.Time{}}
}

// pass sends a request, unless it is lost. writes is set if it can be late.
func (l *link) pass(ctx context.Context, writes bool, request func(context.Context) error) error {
	n := l.network
	if err := pause(ctx, n.random.upTo(n.delay)); err != nil {
		return err
	}
	fate := n.random.below(l.loss)
	switch {
	case l.cut.Load() || fate == 0:
		return errLost
	case writes && fate == 1:
		n.behind.Go(func() {
			_ = pause(context.Background(), n.random.upTo(n.late))
			_ = request(context.Background())
		})
		return errLost
	}
	err := request(ctx)
	if pauseErr := pause(ctx, n.random.upTo(n.delay)); pauseErr != nil {
		return pauseErr
	}
	if l.cut.Load() || fate == 2 {
		return errLost
	}
	return err
}

// saw returns when an object was read for the first time.
func (l *link) saw(name string) (at time.Time, ever bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, ever = l.seen[name]
	return at, ever
}

func (l *link) Create(ctx context.Context, name string, content io.ReaderAt, size int64) error {
	b, err := io.ReadAll(io.NewSectionReader(content, 0, size))
	if err != nil {
		return err
	}
	return l.pass(ctx, true, func(ctx context.Context) error {
		return l.Target.Create(ctx, name, bytes.NewReader(b), size)
	})
}

func (l *link) Replace(ctx context.Context, name string, content []byte) error {
	return l.pass(ctx, true, func(ctx context.Context) error { return l.Target.Replace(ctx, name, content) })
}

func (l *link) Delete(ctx context.Context, name string) error {
	return l.pass(ctx, true, func(ctx context.Context) error { return l.Target.Delete(ctx, name) })
}

func (l *link) List(ctx context.Context, folder string, visit func(target.Object) error) error {
	return l.pass(ctx, false, func(ctx context.Context) error { return l.Target.List(ctx, folder, visit) })
}

func (l *link) Open(ctx context.Context, name string) (content io.ReadCloser, size int64, err error) {
	err = l.pass(ctx, false, func(ctx context.Context) (err error) {
		content, size, err = l.Target.Open(ctx, name)
		return err
	})
	if err != nil {
		if content != nil {
			_ = content.Close()
		}
		return nil, 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen[name].IsZero() {
		l.seen[name] = time.Now()
	}
	return content, size, nil
}

// blind never sees a newer epoch.
type blind struct{ target.Target }

func (b blind) Open(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	if strings.HasPrefix(name, format.Epochs+"/") && name != format.EpochName(1) {
		return nil, 0, target.ErrMissing
	}
	return b.Target.Open(ctx, name)
}

// overwriting replaces objects that exist. Requests for epochs are slow, so that several servers make them at once.
type overwriting struct {
	target.Target
	random *random
	slow   time.Duration
}

func (o overwriting) Create(ctx context.Context, name string, content io.ReaderAt, size int64) error {
	if strings.HasPrefix(name, "create-only/") {
		return o.Target.Create(ctx, name, content, size)
	}
	b, err := io.ReadAll(io.NewSectionReader(content, 0, size))
	if err != nil {
		return err
	}
	if strings.HasPrefix(name, format.Epochs+"/") {
		if err := pause(ctx, o.random.upTo(o.slow)); err != nil {
			return err
		}
	}
	return o.Replace(ctx, name, b)
}

// forgetful loses cuts.
type forgetful struct{ target.Target }

func (f forgetful) Create(ctx context.Context, name string, content io.ReaderAt, size int64) error {
	if strings.HasPrefix(name, format.Cuts+"/") {
		return nil
	}
	return f.Target.Create(ctx, name, content, size)
}
