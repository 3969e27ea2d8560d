package testutil

import (
	"context"
	"net"
)

// Pipes is a network in memory. Accept returns the connections that Dial opens. In a
// bubble of testing/synctest, a goroutine that waits in Accept or Dial is durably
// blocked. Close makes Accept return. Dial must not be called after Close.
type Pipes chan net.Conn

// Dial opens a connection, which Accept returns. It ignores the network and the address.
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

// Close makes Accept return an error.
func (p Pipes) Close() error {
	close(p)
	return nil
}

// Addr returns a placeholder, because connections have no addresses.
func (p Pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }
