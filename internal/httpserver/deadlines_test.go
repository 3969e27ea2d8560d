package httpserver

import (
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// A read or a write on which nothing comes ends at the limit that was set last, a
// little later perhaps, and never before it, whatever the limits were before.
func TestLimitsOfConnections(t *testing.T) {
	t.Parallel()
	for _, direction := range []string{"read", "write"} {
		t.Run(direction, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conn, limit, wait := limitedPipe(t, direction)
				random := rand.New(rand.NewPCG(1, 2))
				for range 500 {
					var end time.Time
					for range 1 + random.IntN(4) {
						end = time.Now().Add(time.Duration(random.Int64N(int64(4 * time.Second))))
						if random.IntN(4) == 0 { // before one without a limit
							must(t, conn.SetDeadline(time.Time{}))
						}
						must(t, limit(end))
					}
					if err := wait(); !errors.Is(err, os.ErrDeadlineExceeded) {
						t.Fatalf("got %v, want %v", err, os.ErrDeadlineExceeded)
					}
					if over := time.Since(end); over < 0 || over > tolerance {
						t.Fatalf("ended %s after its limit, want 0 to %s", over, tolerance)
					}
				}
			})
		})
	}
}

// net/http ends a read that waits beside a handler by a limit in the past, then sets
// another one and reads on.
func TestLimitsEndWhatWaits(t *testing.T) {
	t.Parallel()
	for _, direction := range []string{"read", "write"} {
		t.Run(direction, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				_, limit, wait := limitedPipe(t, direction)
				for range 3 {
					for _, before := range []time.Time{{}, time.Now().Add(time.Minute)} {
						must(t, limit(before))
						begin, ended := time.Now(), make(chan error)
						go func() { ended <- wait() }()
						synctest.Wait()
						must(t, limit(time.Unix(1, 0)))
						if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begin) != 0 {
							t.Fatalf("got %v after %s, want %v at once", err, time.Since(begin), os.ErrDeadlineExceeded)
						}
						if err := wait(); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begin) != 0 {
							t.Fatalf("the next one: got %v after %s, want %v at once", err, time.Since(begin), os.ErrDeadlineExceeded)
						}
					}
				}
			})
		})
	}
}

// Without a limit, and within one, what comes is read.
func TestLimitsLetThrough(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		there, here := net.Pipe()
		conn := &refusingConn{Conn: here}
		defer func() { must(t, errors.Join(there.Close(), conn.Close())) }()
		for _, within := range []time.Duration{0, time.Hour, 0, 2 * time.Minute} {
			var end time.Time
			if within > 0 {
				end = time.Now().Add(within)
			}
			must(t, conn.SetReadDeadline(time.Unix(1, 0)))
			must(t, conn.SetReadDeadline(end))
			go func() {
				<-time.After(time.Minute)
				_, _ = there.Write([]byte("x"))
			}()
			var b [1]byte
			if _, err := conn.Read(b[:]); err != nil || b[0] != 'x' {
				t.Errorf("within %s: got %q, %v", within, b, err)
			}
		}
	})
}

// limitedPipe is a connection on which nothing comes and from which nothing is taken;
// limit and wait are for one direction.
func limitedPipe(t *testing.T, direction string) (conn net.Conn, limit func(time.Time) error, wait func() error) {
	there, here := net.Pipe()
	conn = &refusingConn{Conn: here}
	t.Cleanup(func() { must(t, errors.Join(there.Close(), conn.Close())) })
	var b [1]byte
	if direction == "write" {
		return conn, conn.SetWriteDeadline, func() error { _, err := conn.Write(b[:]); return err }
	}
	return conn, conn.SetReadDeadline, func() error { _, err := conn.Read(b[:]); return err }
}
