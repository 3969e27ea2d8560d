package doctor

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

const (
	// minMemory is the memory that a server with ten million events may need for one query in
	// addition to its idle size.
	minMemory = 320 << 20
	// minHandles is enough for databases, index and a thousand clients.
	minHandles = 4096
)

// checkMemory compares the limit of the control group with the server's needs and with GOMEMLIMIT.
func checkMemory(p *Installation) []Finding {
	limit, ok := MemoryLimit(p.Machine, p.process())
	if !ok {
		return nil
	}
	var findings []Finding
	if limit < minMemory {
		findings = append(findings, warning("memory_limit_low", messagef("the memory limit is %s; queries over many events take up to %s", Size(limit), Size(minMemory)),
			messagef("raise the limit (MemoryMax, docker run --memory)")))
	}
	if n, ok := parseBytes(p.variable("GOMEMLIMIT")); ok && n > limit {
		findings = append(findings, warning("gomemlimit_high", messagef("GOMEMLIMIT is %s, above the memory limit of %s: the kernel kills the server before it saves memory", Size(n), Size(limit)),
			messagef("remove GOMEMLIMIT, or set it to 90 %% of the limit")))
	}
	return findings
}

// environ returns the environment of the server, or of this process if none runs.
func (p *Installation) environ() []string {
	if p.Server == nil {
		return p.Environ
	}
	text, err := fs.ReadFile(p.Machine, path.Join("proc", p.process(), "environ"))
	if err != nil {
		return nil // another operating system
	}
	return strings.Split(string(text), "\x00")
}

// variable returns the value of a variable in environ, or "" if it is not set.
func (p *Installation) variable(name string) string {
	for _, entry := range p.environ() {
		if text, ok := strings.CutPrefix(entry, name+"="); ok {
			return text
		}
	}
	return ""
}

// parseBytes parses a size in the syntax of GOMEMLIMIT.
func parseBytes(text string) (int64, bool) {
	shift := 0
	for i, unit := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			text, shift = number, 10*(i+1)
			break
		}
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(text, "B"), 10, 64)
	return n << shift, err == nil && n >= 0 && n < 1<<(62-shift)
}

// MemoryLimit returns the lowest memory limit, in bytes, of the control groups of version 1 or 2
// that contain a process; ok is false if there is none. machine is the root of the file system, and
// process is a process ID or "self".
func MemoryLimit(machine fs.FS, process string) (limit int64, ok bool) {
	groups, err := fs.ReadFile(machine, path.Join("proc", process, "cgroup"))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(groups)) {
		// hierarchy:controllers:path
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) != 3 {
			continue
		}
		root, file := "sys/fs/cgroup", "memory.max"
		if part[1] != "" { // version 1
			if !slices.Contains(strings.Split(part[1], ","), "memory") {
				continue
			}
			root, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		}
		// The limits of all parents apply, too. In a container the path may be the host's; then the
		// group is the root itself.
		for group := path.Clean("/" + part[2]); ; group = path.Dir(group) {
			text, _ := fs.ReadFile(machine, path.Join(root, group, file))
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

func checkHandles(p *Installation) []Finding {
	limits, err := fs.ReadFile(p.Machine, path.Join("proc", p.process(), "limits"))
	if err != nil {
		return nil // another operating system
	}
	for line := range strings.Lines(string(limits)) {
		rest, ok := strings.CutPrefix(line, "Max open files")
		fields := strings.Fields(rest)
		if !ok || len(fields) == 0 {
			continue
		}
		if n, err := strconv.Atoi(fields[0]); err == nil && n < minHandles {
			return []Finding{warning("handles_few", messagef("a process may open only %d files, and each connection needs one", n),
				messagef("raise it to 65536 (LimitNOFILE=65536, docker run --ulimit nofile=65536, ulimit -n)"))}
		}
	}
	return nil
}
