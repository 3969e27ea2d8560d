//go:build unix

package control

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// textOffset is where the text begins in the lock file.
const textOffset = 0

// CheckOwner refuses with an *OwnerError what cannot go well: root on the
// directory of another user, whose next start would fail on files that root
// made there, and a user who may not write in the directory of another one.
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

// mayWrite is W_OK, which the syscall package does not name.
const mayWrite = 2

// userName is the name of a user, or # and the number where there is none.
func userName(id int) string {
	number := strconv.Itoa(id)
	if u, err := user.LookupId(number); err == nil {
		return u.Username
	}
	return "#" + number
}
