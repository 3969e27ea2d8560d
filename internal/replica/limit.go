package replica

import (
	"context"
	"fmt"
	"io"
	"time"

	"svc/internal/replica/target"
)

// limited gives each request to a target a time limit.
type limited struct{ *target.Counted }

const (
	// requestTime is the time limit of a request, in addition to the time for its content at slowest bytes per second.
	requestTime = 30 * time.Second
	slowest     = 64 << 10
)

// limit returns a context for a request with a content of the given size.
func limit(ctx context.Context, size int64) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, requestTime+time.Duration(size/slowest)*time.Second)
}

// Create implements target.Target.
func (l limited) Create(ctx context.Context, name string, content io.ReaderAt, size int64) error {
	ctx, cancel := limit(ctx, size)
	defer cancel()
	return l.Counted.Create(ctx, name, content, size)
}

// Replace implements target.Target.
func (l limited) Replace(ctx context.Context, name string, content []byte) error {
	ctx, cancel := limit(ctx, int64(len(content)))
	defer cancel()
	return l.Counted.Replace(ctx, name, content)
}

// Open implements target.Target. The target must answer within requestTime. The content has as much time as a part of a
// snapshot.
func (l limited) Open(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	ctx, cancel := limit(ctx, 64<<20)
	unanswered := time.AfterFunc(requestTime, cancel)
	content, size, err := l.Counted.Open(ctx, name)
	if !unanswered.Stop() && err != nil {
		err = fmt.Errorf("%s: no answer within %v", name, requestTime)
	}
	if err != nil {
		cancel()
		return nil, 0, err
	}
	return cancelling{content, cancel}, size, nil
}

// cancelling cancels a context when it is closed.
type cancelling struct {
	io.ReadCloser
	cancel context.CancelFunc
}

// Close closes the reader.
func (c cancelling) Close() error {
	defer c.cancel()
	return c.ReadCloser.Close()
}

// Delete implements target.Target.
func (l limited) Delete(ctx context.Context, name string) error {
	ctx, cancel := limit(ctx, 0)
	defer cancel()
	return l.Counted.Delete(ctx, name)
}

// delete deletes objects.
func (l limited) delete(ctx context.Context, names []string) error {
	for _, name := range names {
		if err := l.Delete(ctx, name); err != nil {
			return err
		}
	}
	return nil
}
