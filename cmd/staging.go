package cmd

import (
	"fmt"
	"os"
)

// emptyStaging is the folder for files that are only there while they are
// needed, without what a crash left in it. It is for whoever has the lock.
func emptyStaging(data string) (path string, err error) {
	path = stagingFolder(data)
	if err := os.RemoveAll(path); err != nil {
		return "", fmt.Errorf("remove what is left from before: %w", err)
	}
	return path, nil
}
