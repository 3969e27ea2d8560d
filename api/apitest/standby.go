package apitest

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/api/web"
	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/event"
	"svc/internal/instance"
	"svc/internal/replica"
	"svc/internal/replica/follow"
	"svc/internal/replica/format"
	"svc/internal/replica/spool"
)

// standby follows the server of a test, in the same process and without a target.
type standby struct {
	*Server
	primary *Server         // the server that it follows
	changes *spool.Spool    // of the primary
	instead *http.Transport // sends the requests to the primary to the standby

	mu       sync.Mutex // guards position, and the reading of changes
	position uint64     // the standby has all changes up to here
}

// comparisons counts the requests of all tests of a package that were sent to a standby.
var comparisons struct {
	equal   atomic.Int64 // responses that were compared and do not differ
	refused atomic.Int64 // requests that only a primary answers
	busy    atomic.Int64 // requests beside others that changed the data all the time
}

// openSpool opens a spool for the changes of a new server and closes it at the end of the test.
func (s *Server) openSpool(t testing.TB) *spool.Spool {
	t.Helper()
	changes, err := spool.Open(filepath.Join(s.Dir, datadir.Replicate), spool.At{}, spool.At{}, spool.Options{
		Free: func() (uint64, error) { return math.MaxUint64, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := changes.Close(); err != nil {
			t.Error(err)
		}
	})
	return changes
}

// copyTo gives the server a standby, which begins with a copy of its databases. o are the options of
// the server.
func (s *Server) copyTo(t testing.TB, changes *spool.Spool, o Options) {
	t.Helper()
	b := &standby{Server: &Server{Dir: t.TempDir(), Clock: s.Clock}, primary: s, changes: changes}
	folder, _, err := instance.CopyDataWhen(s.DB, s.Events, s.Clock.Now, s.Dir, "standby-", func() (err error) {
		b.position, err = changes.Resume(0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range datadir.Databases {
		if err := os.Rename(filepath.Join(folder, name), filepath.Join(b.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	o.Store.Recorder, o.Store.Follow, o.Store.NoSync = nil, true, true
	o.Config.Log, o.Config.Examine = slog.New(slog.DiscardHandler), nil // tests count the lines and the examinations
	o.Config.BootstrapFile, o.Config.Staging = filepath.Join(b.Dir, datadir.Bootstrap), filepath.Join(b.Dir, "staging")
	o.Config.Replication = &web.Replication{
		Status:  func() replica.Status { return replica.Status{Role: replica.RoleStandby} },
		Standby: func() (time.Duration, bool) { return 0, true },
	}
	b.openStore(t, o.Store)
	b.openEvents(t, event.Options{Now: s.Clock.Now, Follow: true})
	b.build(t, s.Dir, o) // contents of local files arrive at once
	b.instead = &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		if "http://"+address == s.URL {
			address = strings.TrimPrefix(b.URL, "http://")
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
	t.Cleanup(b.instead.CloseIdleConnections)
	s.standby = b
}

// catchUp applies all changes of the server that are visible to its readers now.
func (b *standby) catchUp(ctx context.Context) error {
	visible := b.changes.Position()
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.position < visible {
		batch, err := b.changes.Next(b.position, 8<<20)
		if err != nil {
			return err
		}
		if batch.Count == 0 { // an earlier change, of the other database, is not committed yet
			select {
			case <-b.changes.More():
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		var changes []format.Change
		for rest := batch.Changes; len(rest) > 0; {
			var c format.Change
			if c, rest, err = format.NextChange(rest); err != nil {
				return err
			}
			changes = append(changes, c)
		}
		err = b.DB.Apply(follow.Of(changes, format.Records), batch.Last)
		if events := follow.Of(changes, format.Events); err == nil && len(events) > 0 { // most have none, and it syncs
			err = b.Events.Apply(events, batch.Last)
		}
		if err != nil {
			return fmt.Errorf("apply the changes up to %d: %w", batch.Last, err)
		}
		b.position = batch.Last
		if err := b.changes.Confirm(batch.Last); err != nil {
			return err
		}
	}
	return nil
}

// settled returns the position of the primary. The locks of its databases make settled wait for transactions that readers
// see already, although the spool does not know yet that they are visible.
func (b *standby) settled() uint64 {
	b.primary.DB.Hold()()
	b.primary.Events.Hold()()
	return b.changes.Position()
}

// reached returns the position of the standby.
func (b *standby) reached() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.position
}

// response is the response to a request.
type response struct {
	status int
	header http.Header
	body   string
}

// compare sends a request to the standby as well, and compares the response with that of the server.
func (s *Server) compare(t testing.TB, r request, answer *http.Response, body []byte) {
	t.Helper()
	if s.standby == nil {
		return
	}
	ask := func(standby bool) (response, error) {
		client := *s.Client // has the policy of the test for redirects
		if standby {
			client.Transport = s.standby.instead
		}
		a, b, err := r.send(t.Context(), &client, s.URL) //nolint:bodyclose // send has closed it
		if err != nil {
			return response{}, err
		}
		return response{a.StatusCode, a.Header, string(b)}, nil
	}
	s.standby.compare(t, r, response{answer.StatusCode, answer.Header, string(body)}, ask)
}

// compareOwner is like compare, for a request over the control connection.
func (s *Server) compareOwner(t testing.TB, r request, answer *http.Response, body []byte) {
	t.Helper()
	if s.standby == nil {
		return
	}
	ask := func(standby bool) (response, error) {
		handler := s.Handler
		if standby {
			handler = s.standby.Handler
		}
		a, b, err := r.send(t.Context(), control.InProcess(handler), control.BaseURL) //nolint:bodyclose // send has closed it
		if err != nil {
			return response{}, err
		}
		return response{a.StatusCode, a.Header, string(b)}, nil
	}
	s.standby.compare(t, r, response{answer.StatusCode, answer.Header, string(body)}, ask)
}

const (
	// asked is how often the same request may have different responses while nothing changes: the
	// responses can contain the time, and a request can change what the next one reads.
	asked = 4
	// askedBusy is how often it may have while others change the data.
	askedBusy = 30
	// maxRefusedBody is the size in bytes of the bodies that a standby receives although it does not read them.
	maxRefusedBody = 64 << 10
)

// compare compares the responses of the standby and of its primary to a request. want is the primary's
// response. ask sends the request again, to one of them.
func (b *standby) compare(t testing.TB, r request, want response, ask func(standby bool) (response, error)) {
	t.Helper()
	if intended(r.path) {
		return
	}
	if r.method != http.MethodGet && r.method != http.MethodHead && len(r.body) > maxRefusedBody {
		return
	}
	at := uint64(0) // position of the primary when it responded; 0 = unknown
	for tries, busy := 0, 0; ; {
		err := b.catchUp(t.Context())
		var got response
		if err == nil {
			got, err = ask(true)
		}
		if err != nil {
			if t.Context().Err() == nil {
				t.Errorf("%s %s on the standby: %v", r.method, r.path, err)
			}
			return
		}
		if r.method != http.MethodGet && r.method != http.MethodHead && got.refused() {
			comparisons.refused.Add(1)
			return
		}
		how := differs(r.path, want, got)
		if how == "" {
			comparisons.equal.Add(1)
			return
		}
		if b.reached() == at {
			tries++
		} else if busy++; busy == askedBusy {
			comparisons.busy.Add(1)
			return
		}
		if tries == asked {
			t.Errorf("%s %s differs on a standby: %s\nprimary %d %v %.3000s\nstandby %d %v %.3000s", r.method, r.path, how,
				want.status, want.header, want.body, got.status, got.header, got.body)
			return
		}
		before := b.settled()
		if want, err = ask(false); err != nil {
			if t.Context().Err() == nil {
				t.Errorf("%s %s: %v", r.method, r.path, err)
			}
			return
		}
		if at = b.settled(); at != before {
			at = 0
		}
	}
}

// refused reports whether a standby has refused to execute a request because only a primary can.
func (r response) refused() bool {
	return r.status == http.StatusServiceUnavailable && r.header.Get("Retry-After") == "30" &&
		r.header.Get(web.OutcomeHeader) == "none" && strings.Contains(r.body, "only answers requests that change nothing")
}

// Standby returns the standby of the server after it has applied all changes.
func (s *Server) Standby(t testing.TB) *Server {
	t.Helper()
	if err := s.standby.catchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s.standby.Server
}
