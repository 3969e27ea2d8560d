// Package machine determines facts about the machine or container in which the process
// runs. It reads them from files of Linux. Other systems do not have these files, so the
// facts are unknown there.
package machine

import (
	"fmt"
	"io/fs"
	"net/netip"
	"path"
	"slices"
	"strconv"
	"strings"
)

// MemoryLimit returns the memory limit of a process, in bytes: the lowest limit of the
// control groups (version 1 or 2) that contain the process. ok is false if there is no
// limit. root is the root of the file system, and process is a process ID or "self".
func MemoryLimit(root fs.FS, process string) (limit int64, ok bool) {
	groups, err := fs.ReadFile(root, path.Join("proc", process, "cgroup"))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(groups)) {
		// a line has the form hierarchy:controllers:path
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) != 3 {
			continue
		}
		tree, file := "sys/fs/cgroup", "memory.max"
		if part[1] != "" { // a control group of version 1
			if !slices.Contains(strings.Split(part[1], ","), "memory") {
				continue
			}
			tree, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		}
		// The limits of all parent groups apply, too. In a container, the path may be a path of
		// the host; the group is then the root itself.
		for group := path.Clean("/" + part[2]); ; group = path.Dir(group) {
			text, _ := fs.ReadFile(root, path.Join(tree, group, file))
			n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // fails for "max", which means no limit
			// in version 1, a number near 2^63 means no limit
			if err == nil && n > 0 && n < 1<<60 && (!ok || n < limit) {
				limit, ok = n, true
			}
			if group == "/" {
				break
			}
		}
	}
	return limit, ok
}

// ContainerGateway returns the address of the gateway of the container in which the
// process runs. Requests to a port that the container publishes seem to come from this
// address. If the process does not run in a container, the address is invalid. root is
// the root of the file system.
func ContainerGateway(root fs.FS) netip.Addr {
	if !exists(root, ".dockerenv") && !exists(root, "run/.containerenv") {
		return netip.Addr{}
	}
	routes, err := fs.ReadFile(root, path.Join("proc", "net", "route"))
	if err != nil {
		return netip.Addr{}
	}
	return defaultGateway(string(routes))
}

func exists(root fs.FS, name string) bool {
	_, err := fs.Stat(root, name)
	return err == nil
}

// defaultGateway returns the address of the default gateway, from the content of
// /proc/net/route. The addresses in that file are hexadecimal numbers in the byte order
// of the machine, which is little-endian on all supported platforms.
func defaultGateway(routes string) netip.Addr {
	for line := range strings.Lines(routes) {
		var name, destination string
		var a, b, c, d byte
		n, _ := fmt.Sscanf(line, "%s %s %02x%02x%02x%02x", &name, &destination, &d, &c, &b, &a)
		if n == 6 && destination == "00000000" && a != 0 {
			return netip.AddrFrom4([4]byte{a, b, c, d})
		}
	}
	return netip.Addr{}
}
