package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"svc/internal/control"
	"svc/internal/datadir"
)

// found is a file or directory in the data folder.
type found struct {
	path string
	info fs.FileInfo
}

// folder returns the path of the data folder with symbolic links resolved.
func (p *Installation) folder() string { return resolved(p.Settings.Data) }

// resolved returns the path of a folder with symbolic links resolved. filepath.WalkDir
// and chown -R need such a path, because they do not follow a link at their root.
func resolved(dir string) string {
	if path, err := filepath.EvalSymlinks(dir); err == nil {
		return path
	}
	return dir // the caller gets the error when it opens the folder
}

// walk returns the data folder and all files and directories in it. It omits config.toml, which
// belongs to the administrator, and does not follow symbolic links.
func (p *Installation) walk() (all []found, err error) {
	root := p.folder()
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && len(all) > 0 {
			return nil // a running server has deleted it
		}
		if err != nil {
			return err
		}
		if path == filepath.Join(root, datadir.Config) {
			return nil
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && info.Mode().Type()&fs.ModeSymlink == 0 {
			all = append(all, found{path, info})
		}
		return err
	})
	return all, err
}

// unread returns the finding of a check that could not read its input.
func unread(err error) []Finding {
	return []Finding{problem("unreadable", messagef("%v", err), messagef("make it readable by the user that runs svc"))}
}

// someOf returns a message with the name of the first file and the number of the others,
// which are the values of the message.
func someOf(format string, all []found) message {
	some, others := all[0].path, len(all)-1
	if others > 0 {
		some = fmt.Sprintf("%s and %d more", some, others)
	}
	return message{fmt.Sprintf(format, some), []string{all[0].path, strconv.Itoa(others)}}
}

func checkPermissions(p *Installation) []Finding {
	if runtime.GOOS == "windows" { // the ACL of the folder controls access
		return nil
	}
	all, err := p.walk()
	if err != nil {
		return unread(err)
	}
	open := slices.DeleteFunc(all, func(f found) bool { return f.info.Mode().Perm()&0o077 == 0 })
	if len(open) == 0 {
		return nil
	}
	f := warning("permissions_open", someOf("others can reach %s", open), messagef("chmod -R go= %s", p.folder()))
	f.fix = func() error {
		return repairEach(p.folder(), open, func(root *os.Root, name string, f found) error {
			return root.Chmod(name, f.info.Mode().Perm()&^0o077)
		})
	}
	return []Finding{f}
}

func checkOwner(p *Installation) []Finding {
	all, err := p.walk()
	if err != nil {
		return unread(err)
	}
	owner, known := ownerOf(all[0].info)
	if !known {
		return nil
	}
	var findings []Finding
	switch user := os.Geteuid(); {
	case user == owner:
	case control.CheckOwner(p.Settings.Data) == nil: // Kubernetes volumes belong to root, and the group may write
		owner, all = user, all[1:]
	case user == 0:
		findings = append(findings, note("owner_is_not_root", messagef("this is root, and the data directory belongs to user %d: the databases "+
			"were not opened", owner),
			messagef("run it as the owner to check everything: sudo -u '#%d' svc doctor", owner)))
	default:
		findings = append(findings, problem("owner_is_another", messagef("the data directory belongs to user %d, this is user %d", owner, user),
			messagef("run it as the owner, or as root: chown -R %d %s", user, p.folder())))
	}
	foreign := slices.DeleteFunc(all, func(f found) bool {
		uid, _ := ownerOf(f.info)
		return uid == owner
	})
	if len(foreign) > 0 {
		f := problem("owner_of_files", someOf("%s belongs to another user than the data directory", foreign),
			messagef("as root: chown -R %d %s", owner, p.folder()))
		f.fix = p.giveBack(foreign, owner)
		findings = append(findings, f)
	}
	return findings
}

// giveBack returns a function that makes the user with the ID owner the owner of the
// given files. It returns nil if this process is not root. The function refuses a file
// with more than one hard link, because the owner of the folder may have linked a system
// file there.
func (p *Installation) giveBack(files []found, owner int) func() error {
	if os.Geteuid() != 0 {
		return nil
	}
	return func() error {
		return repairEach(p.folder(), files, func(root *os.Root, name string, f found) error {
			if !f.info.IsDir() && linked(f.info) {
				return fmt.Errorf("%s has other names, too", f.path)
			}
			return root.Lchown(name, owner, -1)
		})
	}
}

// repairEach calls repair for each of the given files in a folder. It refuses names that
// lead out of the folder, because the owner of the folder can change its content while
// root repairs it.
func repairEach(folder string, files []found, repair func(root *os.Root, name string, f found) error) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	var errs []error
	for _, f := range files {
		name, err := filepath.Rel(folder, f.path)
		if err == nil {
			err = repair(root, name, f)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Names that show that a program copies a folder to other machines. syncFiles are files
// that such programs create at the root of a synchronized folder, and syncFolders are
// names of such folders.
var (
	syncFiles = []string{
		".dropbox", ".dropbox.cache", ".stfolder", ".stversions", ".owncloudsync.log", ".nextcloudsync.log", ".tmp.driveupload",
		".tmp.drivedownload",
	}
	syncFolders = []string{
		"Dropbox", "OneDrive", "Nextcloud", "ownCloud", "Google Drive", "GoogleDrive", "My Drive", "iCloudDrive", "Mobile Documents",
		"CloudStorage", "pCloudDrive", "Seafile",
	}
)

func checkSynchroniser(p *Installation) []Finding {
	dir, err := filepath.Abs(p.Settings.Data)
	if err != nil {
		return unread(err)
	}
	repair := messagef("move the data directory elsewhere, and let it copy backups instead")
	for at := dir; ; at = filepath.Dir(at) {
		name := filepath.Base(at)
		if slices.ContainsFunc(syncFolders, func(s string) bool { return name == s || strings.HasPrefix(name, s+" - ") }) {
			return []Finding{warning("synchronised_by_name",
				messagef("the data lies in %s, which looks like a synchronized folder: synchronizers damage databases", at), repair)}
		}
		for _, sign := range syncFiles {
			if _, err := os.Lstat(filepath.Join(at, sign)); err == nil {
				return []Finding{warning("synchronised",
					messagef("the data lies in %s, which is a synchronized folder (%s): synchronizers damage databases", at, sign), repair)}
			}
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}
