package crash

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// checkData runs "svc check" on all pages and records of a data directory. A server may be running
// on that directory.
func checkData(data string) error {
	if _, err := os.Stat(filepath.Join(data, "svc.db")); errors.Is(err, os.ErrNotExist) {
		return nil // the server was killed before it created the file
	}
	return run("check", "--data", data)
}

// run runs a command to completion.
func run(args ...string) error {
	out, err := program(aCommand, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("svc %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}
