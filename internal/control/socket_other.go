//go:build !linux

package control

import "errors"

var errLongPath = errors.New("the path of the control socket is too long")

// shortPath returns an error, because this system cannot name a socket through a handle
// of its directory.
func shortPath(string) (path string, done func(), err error) {
	return "", nil, errLongPath
}
