package doctor

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"svc/internal/datadir"
)

// temporary lists patterns of the files that exist in the data folder only during an
// operation. If the operation is interrupted, they remain there.
var temporary = []string{
	datadir.Database + ".new", datadir.Events + ".new", datadir.Database + ".compact", datadir.Events + ".compact",
	datadir.Index + ".new", datadir.Index + ".old", datadir.Socket,
	"." + datadir.Secrets + ".*", "." + datadir.Bootstrap + ".*", // exist while the file is replaced
	datadir.Staging + "/*", datadir.Files + "/" + probes,
}

// probes is the pattern of the files that are created to test a storage directory.
const probes = ".probe-*"

// kept lists directories with files that are never leftovers: the only copies of
// unfinished uploads, and of contents that wait to be moved to another storage.
var kept = []string{datadir.Uploads, datadir.StagedFiles}

// interrupted returns a finding if interrupted operations have left files that match one of the
// patterns in the folder dir. files is the path of the local files relative to dir.
func interrupted(dir, files string, patterns ...string) []Finding {
	dir = resolved(dir)
	all := slices.DeleteFunc(match(dir, patterns...), func(f found) bool {
		return slices.ContainsFunc(kept, func(name string) bool { return f.path == filepath.Join(dir, files, name) })
	})
	if len(all) == 0 {
		return nil
	}
	f := note("leftovers", someOf("an interrupted operation left %s", all), messagef("svc doctor --fix deletes it"))
	f.fix = func() error {
		return repairEach(dir, all, func(root *os.Root, name string, _ found) error { return root.RemoveAll(name) })
	}
	return []Finding{f}
}

// UpgradeKept is the duration for which the copy made before an upgrade is kept. The first start
// after that time deletes the copy.
const UpgradeKept = 7 * 24 * time.Hour

func checkLeftovers(p *Installation) []Finding {
	var findings []Finding
	if p.Locked { // without the lock, a server may be using the files
		findings = interrupted(p.Settings.Data, datadir.Files, temporary...)
		if dir := p.Settings.StorageDir; dir != filepath.Join(p.Settings.Data, datadir.Files) {
			findings = append(findings, interrupted(dir, "", path.Dir(datadir.Uploads)+"/*", probes)...)
		}
	}
	for _, f := range p.match(datadir.Upgrades + "/*") {
		if age := p.Now.Sub(f.info.ModTime()); age > UpgradeKept {
			findings = append(findings, note("before_upgrade", messagef("%s was made before an upgrade %d days ago and uses %s", f.path, days(age),
				Size(f.info.Size())),
				messagef("if the new version works, delete it")))
		}
	}
	if len(p.match(datadir.Journal)) > 0 {
		findings = append(findings, warning("restore_interrupted", messagef("a restore was interrupted while it replaced the data"),
			messagef("start the server or run another command to complete the restore")))
	}
	for _, path := range p.beforeRestore() {
		findings = append(findings, note("before_restore", messagef("%s is the data from before a restore", path),
			messagef("if the restored data is right, delete it")))
	}
	return findings
}

// beforeRestore returns the folders to which restores have moved the previous data. They are next
// to the data folder, or inside it if it is a mount point.
func (p *Installation) beforeRestore() (paths []string) {
	for _, f := range p.match("before-restore-*") {
		paths = append(paths, f.path)
	}
	dir, err := filepath.Abs(p.Settings.Data)
	if err != nil {
		return paths
	}
	entries, _ := os.ReadDir(filepath.Dir(dir)) // a folder that cannot be read is treated as empty
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(dir)+".before-restore-") {
			paths = append(paths, filepath.Join(filepath.Dir(p.Settings.Data), e.Name()))
		}
	}
	return paths
}

// match returns the files in the data folder that match any of the patterns.
func (p *Installation) match(patterns ...string) []found { return match(p.Settings.Data, patterns...) }

func match(dir string, patterns ...string) (all []found) {
	for _, pattern := range patterns {
		names, _ := fs.Glob(os.DirFS(dir), pattern) // the only possible error is an invalid pattern
		for _, name := range names {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if info, err := os.Lstat(path); err == nil {
				all = append(all, found{path, info})
			}
		}
	}
	return all
}

func days(d time.Duration) int { return int(d / (24 * time.Hour)) }
