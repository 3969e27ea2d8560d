package testutil

import (
	"context"
	"net"
)

// Pipes is a network without sockets: what Dial opens, Accept returns. Inside a
// bubble of testing/synctest its waiting counts as waiting. Close ends Accept, and
// nothing may be dialled after it.
type Pipes chan net.Conn

// Dial opens a connection to whoever accepts; the arguments do not matter.
func (p Pipes) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p <- there:
		return here, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept waits for the next connection.
func (p Pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

// Close ends Accept.
func (p Pipes) Close() error {
	close(p)
	return nil
}

// Addr is no address.
func (p Pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }
