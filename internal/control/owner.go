package control

import (
	"context"
	"net"
)

// OwnerError says that the data directory belongs to somebody else.
type OwnerError struct {
	Dir string
	// Owner and User, who runs this process, are names, or # and the number of
	// a user without a name, as sudo takes both.
	Owner, User string
	// Root says that User is root, who could write but must not.
	Root bool
}

// Error names the folder and both users.
func (e *OwnerError) Error() string {
	return e.Dir + " belongs to user " + e.Owner + ", and this is user " + e.User
}

// ownerConn is a connection that came over the control socket.
type ownerConn struct{ net.Conn }

type ownerKey struct{}

// OwnerConn reports whether a connection came over the control socket: whether a
// listener of this package accepted it.
func OwnerConn(c net.Conn) bool {
	_, ok := c.(ownerConn)
	return ok
}

// MarkConn is for http.Server.ConnContext. It marks the requests of connections
// that came over the control socket and of no others.
func MarkConn(ctx context.Context, c net.Conn) context.Context {
	if OwnerConn(c) {
		return context.WithValue(ctx, ownerKey{}, true)
	}
	return ctx
}

// Owner reports whether a request came from the owner of the data directory: over
// the control socket or from this process through InProcess.
func Owner(ctx context.Context) bool {
	marked, _ := ctx.Value(ownerKey{}).(bool)
	return marked
}
