package control

import (
	"context"
	"net"
)

// OwnerError reports that the data directory belongs to another user.
type OwnerError struct {
	Dir string
	// Owner is the owner of the directory, and User the user of this process. Each is a
	// name, or # and the user ID if the user has no name; sudo accepts both forms.
	Owner, User string
	// Root reports whether User is root. Root could write to the directory, but must not.
	Root bool
}

// Error names the directory and both users.
func (e *OwnerError) Error() string {
	return e.Dir + " belongs to user " + e.Owner + ", and this is user " + e.User
}

// ownerConn is a connection to the control socket.
type ownerConn struct{ net.Conn }

type ownerKey struct{}

// OwnerConn reports whether a connection was accepted over the control socket.
func OwnerConn(c net.Conn) bool {
	_, ok := c.(ownerConn)
	return ok
}

// MarkConn is a function for http.Server.ConnContext. If c was accepted over the control
// socket, it returns a context for which Owner returns true. Otherwise it returns ctx.
func MarkConn(ctx context.Context, c net.Conn) context.Context {
	if OwnerConn(c) {
		return context.WithValue(ctx, ownerKey{}, true)
	}
	return ctx
}

// Owner reports whether the request with the context ctx came from the owner of the data
// directory, which means over the control socket or through InProcess.
func Owner(ctx context.Context) bool {
	marked, _ := ctx.Value(ownerKey{}).(bool)
	return marked
}
