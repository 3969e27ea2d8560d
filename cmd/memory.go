package cmd

import (
	"io/fs"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// limitMemory lets the collector work harder near the limit of the container or
// service, before the system ends the process. GOMEMLIMIT wins over it.
func limitMemory() {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	if limit, ok := memoryLimit(os.DirFS("/")); ok {
		debug.SetMemoryLimit(limit / 10 * 9)
	}
}

// memoryLimit is the least memory limit, in bytes, of the control groups that
// this process is in, of either version. root is the root of the file system.
func memoryLimit(root fs.FS) (least int64, found bool) {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(groups)) {
		// hierarchy:controllers:path
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(fields) < 3 {
			continue
		}
		folder, file := "sys/fs/cgroup", "memory.max"
		if fields[1] != "" {
			folder, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
			if !strings.Contains(","+fields[1]+",", ",memory,") {
				continue
			}
		}
		// A group is bound by those above it. In a container the path may be
		// that of the host; the root is then its own group.
		for group := path.Clean("/" + fields[2]); ; group = path.Dir(group) {
			text, _ := fs.ReadFile(root, path.Join(folder, group, file))
			n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" is no number
			if err == nil && n > 0 && (!found || n < least) {
				least, found = n, true
			}
			if group == "/" {
				break
			}
		}
	}
	return least, found
}
