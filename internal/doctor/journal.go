package doctor

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// checkFastCommit checks for a fault of the ext4 journal option fast_commit. With this option,
// Linux 5.10 to 5.16 could lose synced data, including database pages (etcd-io/bbolt#562). The
// fault was fixed in 5.10.94, 5.15.27 and 5.17.
func checkFastCommit(p *Installation) []Finding {
	release, err := fs.ReadFile(p.Machine, "proc/sys/kernel/osrelease")
	if err != nil || !faultyKernel(string(release)) {
		return nil // the file does not exist on other operating systems
	}
	where, err := p.realPath()
	if err != nil {
		return nil
	}
	m, err := mountOf(p.Machine, where)
	if err != nil || m.kind != "ext4" {
		return nil
	}
	info, err := fs.ReadFile(p.Machine, path.Join("proc/fs/ext4", path.Base(m.device), "fc_info"))
	if err != nil || !usesFastCommit(string(info)) {
		return nil
	}
	return []Finding{warning("fast_commit", messagef("Linux %s with ext4 and fast_commit can damage databases in a power cut",
		strings.TrimSpace(string(release))),
		messagef("use Linux 5.17 or newer, or turn it off: tune2fs -O ^fast_commit %s", m.device))}
}

// faultyKernel reports whether a release of the kernel has the fault.
func faultyKernel(release string) bool {
	var n [3]int
	for i, part := range strings.SplitN(strings.TrimSpace(release), ".", 3) {
		digits := part[:len(part)-len(strings.TrimLeft(part, "0123456789"))]
		n[i], _ = strconv.Atoi(digits)
	}
	switch {
	case n[0] != 5 || n[1] < 10 || n[1] > 16:
		return false
	case n[1] == 10:
		return n[2] < 94
	case n[1] == 15:
		return n[2] < 27
	}
	return true
}

// usesFastCommit reports whether ext4 uses fast commits. info is the text of fc_info. Its counters
// only increase while the option is on.
func usesFastCommit(info string) bool {
	for line := range strings.Lines(info) {
		count, what, _ := strings.Cut(strings.TrimSpace(line), " ")
		if (what == "commits" || what == "ineligible") && strings.Trim(count, "0") != "" {
			return true
		}
	}
	return false
}
