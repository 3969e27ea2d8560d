// Package machine determines facts about the machine or container in which the process runs. It
// reads them from files of Linux. On other systems these files do not exist, and the facts are
// unknown.
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

// MemoryLimit returns the memory limit of a process in bytes. It is the lowest limit of the control
// groups, version 1 or 2, that contain the process. ok is false if there is no limit. root is the
// root of the file system, and process is a process ID or "self".
func MemoryLimit(root fs.FS, process string) (limit int64, ok bool) {
	groups, err := fs.ReadFile(root, path.Join("proc", process, "cgroup"))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(groups)) {
		// hierarchy:controllers:path
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) != 3 {
			continue
		}
		tree, file := "sys/fs/cgroup", "memory.max"
		if part[1] != "" { // version 1
			if !slices.Contains(strings.Split(part[1], ","), "memory") {
				continue
			}
			tree, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		}
		// The limits of all parents apply, too. In a container the path may be the host's; then the
		// group is the root itself.
		for group := path.Clean("/" + part[2]); ; group = path.Dir(group) {
			text, _ := fs.ReadFile(root, path.Join(tree, group, file))
			n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" is not a number
			// Version 1 expresses "no limit" as a number near 2^63.
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

// ContainerGateway returns the address of the gateway of the container in which the process runs.
// Requests to a published port appear to come from this address. Outside of containers, the
// returned address is invalid. root is the root of the file system.
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

// defaultGateway parses the content of /proc/net/route and returns the address of the default
// gateway. The addresses in this file are hexadecimal numbers in the byte order of the machine,
// which is little-endian on all supported platforms.
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
