package doctor

import (
	"io/fs"
	"path"
	"strconv"
	"strings"

	"svc/internal/machine"
)

const (
	// minMemory is the memory, in bytes, that one query may need on a server with ten
	// million events, in addition to the memory of an idle server.
	minMemory = 320 << 20
	// minHandles is the number of open files that suffices for the databases, the index and a
	// thousand clients.
	minHandles = 4096
)

// checkMemory compares the memory limit of the control group with the memory that the
// server needs and with GOMEMLIMIT.
func checkMemory(p *Installation) []Finding {
	limit, ok := machine.MemoryLimit(p.Machine, p.process())
	if !ok {
		return nil
	}
	var findings []Finding
	if limit < minMemory {
		findings = append(findings, warning("memory_limit_low", messagef("the memory limit is %s; queries over many events take up to %s",
			Size(limit), Size(minMemory)),
			messagef("raise the limit (MemoryMax, docker run --memory)")))
	}
	if n, ok := parseBytes(p.variable("GOMEMLIMIT")); ok && n > limit {
		findings = append(findings, warning("gomemlimit_high", messagef("GOMEMLIMIT is %s, above the memory limit of %s: the kernel kills the "+
			"server before it saves memory", Size(n), Size(limit)),
			messagef("remove GOMEMLIMIT, or set it to 90 %% of the limit")))
	}
	return findings
}

// environ returns the environment of the server, or of this process if no server is running.
func (p *Installation) environ() []string {
	if p.Server == nil {
		return p.Environ
	}
	text, err := fs.ReadFile(p.Machine, path.Join("proc", p.process(), "environ"))
	if err != nil {
		return nil // not available on this operating system
	}
	return strings.Split(string(text), "\x00")
}

// variable returns the value of a variable in the environment that environ returns, or ""
// if it is not set.
func (p *Installation) variable(name string) string {
	for _, entry := range p.environ() {
		if text, ok := strings.CutPrefix(entry, name+"="); ok {
			return text
		}
	}
	return ""
}

// parseBytes parses a size in the syntax of GOMEMLIMIT. It returns false if text is not a
// valid size.
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

func checkHandles(p *Installation) []Finding {
	limits, err := fs.ReadFile(p.Machine, path.Join("proc", p.process(), "limits"))
	if err != nil {
		return nil // not available on this operating system
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
