//go:build unix

package control

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// textOffset is the offset of the text in the lock file.
const textOffset = 0

// CheckOwner returns an *OwnerError if the user of this process must not work on the
// directory. Root must not work on another user's directory, because that user's next
// start would fail at files that root has created. Any other user needs write access to
// the directory.
func CheckOwner(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("inspect data directory: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	user := os.Geteuid()
	if !ok || int(stat.Uid) == user || user != 0 && syscall.Access(dir, mayWrite) == nil {
		return nil
	}
	return &OwnerError{Dir: dir, Owner: userName(int(stat.Uid)), User: userName(user), Root: user == 0}
}

// mayWrite is the constant W_OK, which package syscall does not define.
const mayWrite = 2

// userName returns the name of a user, or # and the user ID if the user has no name.
func userName(id int) string {
	number := strconv.Itoa(id)
	if u, err := user.LookupId(number); err == nil {
		return u.Username
	}
	return "#" + number
}
