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

// temporary are the patterns of what is made in the data folder for the time of
// an operation, and stays when that is cut off.
var temporary = []string{
	datadir.Database + ".new", datadir.Events + ".new", datadir.Database + ".compact", datadir.Events + ".compact",
	datadir.Index + ".new", datadir.Index + ".old", datadir.Socket,
	"." + datadir.Secrets + ".*", "." + datadir.Bootstrap + ".*", // while they are replaced
	datadir.Staging + "/*", datadir.Files + "/" + probes,
}

// probes are what a storage directory is tried with.
const probes = ".probe-*"

// kept are no leftovers: nobody else has uploads, and contents on their way to other
// storage.
var kept = []string{datadir.Uploads, datadir.StagedFiles}

// interrupted finds what operations that were cut off have left in a folder, of which
// files is the part with local files.
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

// UpgradeKept is how long the copy made before an upgrade is of use. A start
// removes it after that.
const UpgradeKept = 7 * 24 * time.Hour

func checkLeftovers(p *Installation) []Finding {
	var findings []Finding
	if p.Locked { // else they may be in use
		findings = interrupted(p.Settings.Data, datadir.Files, temporary...)
		if dir := p.Settings.StorageDir; dir != filepath.Join(p.Settings.Data, datadir.Files) {
			findings = append(findings, interrupted(dir, "", path.Dir(datadir.Uploads)+"/*", probes)...)
		}
	}
	for _, f := range p.match(datadir.Upgrades + "/*") {
		if age := p.Now.Sub(f.info.ModTime()); age > UpgradeKept {
			findings = append(findings, note("before_upgrade", messagef("%s was made before an upgrade %d days ago and uses %s", f.path, days(age), Size(f.info.Size())),
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

// beforeRestore are the folders that a restore has put aside: beside the data
// folder, or inside where that is a mount point.
func (p *Installation) beforeRestore() (paths []string) {
	for _, f := range p.match("before-restore-*") {
		paths = append(paths, f.path)
	}
	dir, err := filepath.Abs(p.Settings.Data)
	if err != nil {
		return paths
	}
	entries, _ := os.ReadDir(filepath.Dir(dir)) // one that cannot be read shows nothing
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(dir)+".before-restore-") {
			paths = append(paths, filepath.Join(filepath.Dir(p.Settings.Data), e.Name()))
		}
	}
	return paths
}

// match finds files in the data folder by patterns.
func (p *Installation) match(patterns ...string) []found { return match(p.Settings.Data, patterns...) }

func match(dir string, patterns ...string) (all []found) {
	for _, pattern := range patterns {
		names, _ := fs.Glob(os.DirFS(dir), pattern) // fails only for a wrong pattern
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
