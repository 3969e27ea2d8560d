package control

import (
	"context"
	"net"
)

// OwnerError reports that the data directory belongs to another user.
type OwnerError struct {
	Dir string
	// Owner is the owner of the directory, and User the user of this process. They are
	// names, or # and the number of a user without a name, which sudo also accepts.
	Owner, User string
	// Root reports whether User is root, which could write but must not.
	Root bool
}

// Error names the directory and both users.
func (e *OwnerError) Error() string {
	return e.Dir + " belongs to user " + e.Owner + ", and this is user " + e.User
}

// ownerConn is a connection to the control socket.
type ownerConn struct{ net.Conn }

type ownerKey struct{}

// OwnerConn reports whether a connection was accepted by a listener of this package, that
// is, over the control socket.
func OwnerConn(c net.Conn) bool {
	_, ok := c.(ownerConn)
	return ok
}

// MarkConn is a function for http.Server.ConnContext. It marks only the requests of
// connections to the control socket.
func MarkConn(ctx context.Context, c net.Conn) context.Context {
	if OwnerConn(c) {
		return context.WithValue(ctx, ownerKey{}, true)
	}
	return ctx
}

// Owner reports whether a request came from the owner of the data directory: over the
// control socket, or in this process through InProcess.
func Owner(ctx context.Context) bool {
	marked, _ := ctx.Value(ownerKey{}).(bool)
	return marked
}
