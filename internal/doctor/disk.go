package doctor

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"svc/internal/datadir"
	"svc/internal/disk"
)

// databaseBytes returns the total size of both databases.
func (p *Installation) databaseBytes() (sum int64) {
	for _, name := range datadir.Databases {
		if info, err := os.Stat(filepath.Join(p.Settings.Data, name)); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

// maxCopied is the maximum total size of the databases, in bytes, at which a check may copy
// them, because copying larger ones takes too long.
const maxCopied = 2 << 30

// CopyObstacle returns the reason why the databases should not be copied to check them,
// or "" if there is none.
func (p *Installation) CopyObstacle() string {
	size := p.databaseBytes()
	if size > maxCopied {
		return "copying more than 2 GiB takes too long"
	}
	free, err := disk.Free(p.Settings.Data)
	if err != nil || int64(free)-size < disk.Floor {
		return "not enough space for a copy"
	}
	return ""
}

func checkSpace(p *Installation) []Finding {
	bytes, err := disk.Free(p.Settings.Data)
	if err != nil {
		return unread(err)
	}
	free := int64(bytes)
	repair := messagef("free space on that disk, or stop the server and move the data directory to a larger one")
	switch need := 2 * p.databaseBytes(); {
	case free < disk.Floor:
		return []Finding{problem("space_none", messagef("%s are free: writes will fail soon", Size(free)), repair)}
	case free < need:
		return []Finding{warning("space_low",
			messagef("%s are free, less than twice the databases (%s), which a backup or an upgrade may need", Size(free), Size(need)), repair)}
	}
	return nil
}

// Size formats a number of bytes for display, with a unit.
func Size(bytes int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	n, unit := float64(bytes), 0
	for n >= 1024 && unit < len(units)-1 {
		n /= 1024
		unit++
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", bytes)
	}
	return fmt.Sprintf("%.1f %s", n, units[unit])
}

// unfitness describes a problem that a kind of file system causes, and its repair.
type unfitness struct{ code, what, repair string }

// unfit maps types of file systems to the problems that they cause. All other types are assumed to
// be local file systems.
var unfit = map[string]unfitness{
	"nfs": remote, "nfs4": remote, "cifs": remote, "smb": remote, "smb2": remote, "smb3": remote, "smbfs": remote,
	"afs": remote, "afpfs": remote, "ceph": remote, "glusterfs": remote, "lustre": remote, "webdav": remote, "davfs": remote, "ncpfs": remote,
	"coda": remote,
	"9p":   shared, "virtiofs": shared, "vboxsf": shared, "prl_fs": shared, "vmhgfs": shared, "drvfs": shared,
	"tmpfs": {"filesystem_memory", "it is in memory and is lost when the machine restarts", "move the data directory to a disk"},
	"ramfs": {"filesystem_memory", "it is in memory and is lost when the machine restarts", "move the data directory to a disk"},
	"overlay": {
		"filesystem_container", "it belongs to a container and is lost when the container is recreated",
		"mount a volume there, such as: docker run -v svc-data:/data",
	},
	"vfat": noModes, "msdos": noModes, "exfat": noModes,
}

var (
	remote = unfitness{"filesystem_remote", "it is a network file system, where locks and sync are unreliable",
		"move the data directory to a local disk, and the backups to the network"}
	shared = unfitness{"filesystem_shared", "it is a directory shared with another system, where locks and sync are unreliable",
		"use a volume or disk of this system instead"}
	noModes = unfitness{"filesystem_without_permissions", "it has no permissions and no journal",
		"use a file system such as ext4, xfs, APFS or NTFS"}
	program = unfitness{"filesystem_fuse", "it is a FUSE file system, whose locks and sync may be unreliable",
		"move the data directory to a local disk"}
)

func checkFilesystem(p *Installation) []Finding {
	kind, err := p.filesystem()
	if err != nil {
		return []Finding{note("filesystem_unknown", messagef("the type of the file system is unknown: %v", err),
			messagef("make sure that it is a local disk"))}
	}
	u, bad := unfit[strings.ToLower(kind)]
	if !bad && (kind == "fuse" || strings.HasPrefix(kind, "fuse.")) {
		u, bad = program, true
		if inner, known := unfit[strings.TrimPrefix(kind, "fuse.")]; known {
			u = inner
		}
	}
	if !bad {
		return nil
	}
	what := messagef("%s is on %s: ", p.Settings.Data, kind)
	what.text += u.what
	return []Finding{warning(u.code, what, message{text: u.repair})}
}

// mount is an entry of /proc/self/mountinfo.
type mount struct {
	point, kind, device string
}

// mountOf returns the mount that contains path. The path must be absolute and must not contain
// symbolic links.
func mountOf(machine fs.FS, path string) (m mount, err error) {
	text, err := fs.ReadFile(machine, "proc/self/mountinfo")
	if err != nil {
		return m, err
	}
	for line := range strings.Lines(string(text)) {
		left, right, ok := strings.Cut(line, " - ")
		place, what := strings.Fields(left), strings.Fields(right)
		if !ok || len(place) < 5 || len(what) < 2 {
			continue
		}
		point := unescape(place[4])
		inside := point == "/" || path == point || strings.HasPrefix(path, point+"/")
		if inside && len(point) >= len(m.point) { // a later mount hides an earlier one
			m = mount{point, what[0], unescape(what[1])}
		}
	}
	if m.point == "" {
		return m, fmt.Errorf("no mount contains %s", path)
	}
	return m, nil
}

// unescape decodes spaces and other characters that mountinfo writes as octal numbers.
func unescape(text string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(text)
}

// realPath returns the path of the data folder with symbolic links resolved.
func (p *Installation) realPath() (string, error) {
	path, err := filepath.EvalSymlinks(p.Settings.Data)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}
