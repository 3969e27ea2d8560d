package crash

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// checkData lets "svc check" look at all pages and records of a data directory,
// while a server runs or while none does.
func checkData(data string) error {
	if _, err := os.Stat(filepath.Join(data, "svc.db")); errors.Is(err, os.ErrNotExist) {
		return nil // the server was killed before it made it
	}
	return run("check", "--data", data)
}

// run runs a command to its end.
func run(args ...string) error {
	out, err := program(aCommand, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("svc %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}
