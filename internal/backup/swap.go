package backup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"svc/internal/datadir"
	"svc/internal/durable"
)

const (
	probeName     = "restore.probe"   // exists while a restore tests where it can move directories
	beforeRestore = "before-restore-" // prefix of the name of a directory that keeps previous content
)

// replaced lists the names that a restore moves aside: all names that an archive can
// contain, and those of files that are derived from them or belong to them.
var replaced = []string{datadir.Database, datadir.Events, datadir.Secrets, datadir.Config, datadir.Files, datadir.Index, datadir.Bootstrap,
	datadir.Replicate}

// Present returns the names in a data directory that a restore would move aside. files
// reports whether the archive contains local files; if it does not, the existing local
// files are not moved.
func Present(data string, files bool) (names []string) {
	for _, name := range replaced {
		if exists(data, name) && (files || name != datadir.Files) {
			names = append(names, name)
		}
	}
	return names
}

// beside lists the other names that can occur in a data directory, which a restore does
// not move. One of them is lost+found, which exists at the root of a mounted disk.
var beside = []string{
	datadir.Certificates, datadir.Backups, datadir.Upgrades, datadir.Lock, datadir.Socket, datadir.Journal, datadir.Readme,
	datadir.Standby, datadir.Accepted,
	filepath.Base(unfinished("", false)), probeName, beforeRestore + "*", "lost+found",
}

// Foreign returns the names in a directory that do not belong to a data directory, and
// which a restore therefore does not move. If the directory does not exist, it returns no
// names.
func Foreign(dir string) (names []string, err error) {
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range list {
		ours := slices.ContainsFunc(slices.Concat(replaced, beside), func(pattern string) bool {
			// a killed process can leave a temporary file
			return matches(pattern, entry.Name()) || matches(durable.TempPattern(pattern), entry.Name()) || matches(pattern+".new", entry.Name())
		})
		if !ours {
			names = append(names, entry.Name())
		}
	}
	return names, err
}

// matches reports whether a name matches a pattern. The pattern must be valid.
func matches(pattern, name string) bool {
	ok, _ := filepath.Match(pattern, name)
	return ok
}

func exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// Staged is an archive that has been unpacked but has not yet replaced the content of the
// data directory. The caller must hold the lock of the data directory.
type Staged struct {
	changes
	data     string // the data directory, without symbolic links in its path
	beside   bool   // whether the unpacked files are next to the data directory instead of in it
	manifest *Manifest
}

// Stage unpacks an archive. m is the manifest that Read has returned when it verified the
// archive before; nil means that the archive is read only once, and verified while it is
// unpacked. Stage unpacks the archive next to the data directory. If the data directory is
// a mount point, or if its parent is not writable, it unpacks the archive inside the data
// directory.
func Stage(data string, from io.Reader, identities []Identity, m *Manifest) (*Staged, error) {
	data, err := resolved(data)
	if err != nil {
		return nil, err
	}
	beside, err := roomBeside(data)
	if err != nil {
		return nil, err
	}
	return changes{}.stage(&Staged{data: data, beside: beside, manifest: m}, from, identities)
}

func (c changes) stage(s *Staged, from io.Reader, identities []Identity) (*Staged, error) {
	s.changes = c
	err := os.RemoveAll(s.Dir())
	if err == nil {
		err = c.do(func() error { return os.Mkdir(s.Dir(), 0o700) })
	}
	if err == nil {
		s.manifest, err = c.unpack(from, identities, s.manifest, s.Dir())
	}
	if err != nil {
		return nil, errors.Join(err, s.Discard())
	}
	return s, nil
}

// resolved returns the absolute path of a directory with symbolic links resolved.
func resolved(dir string) (string, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	return filepath.Abs(dir)
}

// roomBeside reports whether directories can be moved between a data directory and its parent
// directory.
func roomBeside(data string) (bool, error) {
	probe, inside := unfinished(data, true), filepath.Join(data, probeName)
	if err := errors.Join(os.RemoveAll(probe), os.RemoveAll(inside)); err != nil {
		return false, nil //nolint:nilerror // then the archive is unpacked inside the data directory
	}
	if os.Mkdir(probe, 0o700) != nil {
		return false, nil
	}
	moved := os.Rename(probe, inside)
	return moved == nil, errors.Join(os.RemoveAll(probe), os.RemoveAll(inside))
}

// unfinished returns the path of the directory into which an archive is unpacked. If beside is
// true, it is next to the data directory, otherwise inside it.
func unfinished(data string, beside bool) string {
	if beside {
		return data + ".restore-unfinished"
	}
	return filepath.Join(data, "restore.unfinished")
}

// Dir returns the path of the directory with the unpacked files. It has the layout of a data
// directory.
func (s *Staged) Dir() string { return unfinished(s.data, s.beside) }

// Manifest returns the manifest of the archive.
func (s *Staged) Manifest() *Manifest { return s.manifest }

// AddedFiles must be called after the caller has added local files to Dir. Swap then moves the existing local files
// aside, too.
func (s *Staged) AddedFiles() { s.manifest.Files = true }

// Discard removes the unpacked files, unless FinishSwap still needs them to complete a
// swap.
func (s *Staged) Discard() error {
	if exists(s.data, datadir.Journal) {
		return nil
	}
	return os.RemoveAll(s.Dir())
}

// Swap replaces the content of the data directory with the unpacked files. It moves the
// previous content to a directory that is named after the given time. kept is the path of
// that directory. If there was no previous content, kept is "".
//
// After a crash, the data directory either has the previous content, or FinishSwap
// completes the swap. After an error, the data directory has the previous content, unless
// the error states otherwise.
func (s *Staged) Swap(at time.Time) (kept string, err error) {
	j := journal{Format: 1, Beside: s.beside, Out: Present(s.data, s.manifest.Files)}
	w := swap{changes: s.changes, journal: j, data: s.data}
	if len(j.Out) > 0 {
		w.nameOld(at)
	}
	list, err := os.ReadDir(s.Dir())
	if err != nil {
		return "", err
	}
	for _, entry := range list {
		w.In = append(w.In, entry.Name())
	}
	return w.old(), w.run()
}

// FinishSwap completes a swap that was interrupted. It also removes the unpacked files of
// a restore that ended before its swap began. finished reports whether a swap was
// completed; kept is then the directory with the previous content. The caller must hold
// the lock of the data directory.
func FinishSwap(data string) (finished bool, kept string, err error) {
	return changes{}.finishSwap(data)
}

func (c changes) finishSwap(data string) (finished bool, kept string, err error) {
	if data, err = resolved(data); err != nil {
		return false, "", err
	}
	text, err := os.ReadFile(filepath.Join(data, datadir.Journal))
	if errors.Is(err, fs.ErrNotExist) {
		return false, "", errors.Join(os.RemoveAll(unfinished(data, true)), os.RemoveAll(unfinished(data, false)))
	}
	if err != nil {
		return false, "", err
	}
	w := swap{changes: c, data: data}
	if err := json.Unmarshal(text, &w.journal); err != nil || w.Format != 1 || w.Old != filepath.Base(w.Old) && w.Old != "" {
		return false, "", fmt.Errorf("%s cannot be read: %w", filepath.Join(data, datadir.Journal), errors.Join(err, ErrDamaged))
	}
	if err := w.forward(); err != nil {
		return false, "", fmt.Errorf("complete the interrupted restore: %w", err)
	}
	return true, w.old(), nil
}

// journal describes the moves of a swap, so that they can be completed or undone. All
// names are relative to the directories between which they are moved.
type journal struct {
	Format int      `json:"format"`
	Beside bool     `json:"beside"`        // whether the directories are beside the data directory instead of in it
	Old    string   `json:"old,omitempty"` // name of the directory for the previous content; "" if there is none
	Out    []string `json:"out,omitempty"` // names to move from the data directory to the directory Old
	In     []string `json:"in"`            // names to move from the directory with the unpacked files to the data directory
}

// swap is a swap while it is in progress.
type swap struct {
	changes
	journal
	data string
}

// old returns the path of the directory to which the previous content is moved.
func (w *swap) old() string {
	switch {
	case w.Old == "":
		return ""
	case w.Beside:
		return filepath.Join(filepath.Dir(w.data), w.Old)
	}
	return filepath.Join(w.data, w.Old)
}

// nameOld sets Old in the journal to an unused name that contains the given time.
func (w *swap) nameOld(at time.Time) {
	name := beforeRestore + at.Format("20060102-150405")
	if w.Beside {
		name = filepath.Base(w.data) + "." + name
	}
	w.Old = name
	for n := 2; exists(filepath.Split(w.old())); n++ {
		w.Old = fmt.Sprintf("%s-%d", name, n)
	}
}

func (w *swap) fresh() string { return unfinished(w.data, w.Beside) }

// run writes the journal and makes the moves. If a move fails, it undoes the others.
func (w *swap) run() error {
	text, err := json.MarshalIndent(w.journal, "", " ")
	if err != nil {
		return err
	}
	if w.Old != "" {
		if err := w.do(func() error { return os.Mkdir(w.old(), 0o700) }); err != nil {
			return err
		}
	}
	if w.Beside { // otherwise the parent directory has not changed, and may be unreadable
		err = w.syncs(filepath.Dir(w.data))
	}
	if err == nil {
		err = w.syncs(w.data)
	}
	if err == nil {
		err = w.do(func() error { return durable.WriteFile(w.journalPath(), text, 0o600) })
	}
	if err == nil {
		if err = w.forward(); err == nil {
			return nil
		}
	}
	if undone := w.back(); undone != nil {
		return fmt.Errorf("%w\nit could not be undone (%w); the next command or start completes the restore", err, undone)
	}
	return err
}

func (w *swap) journalPath() string { return filepath.Join(w.data, datadir.Journal) }

// forward makes the moves that have not been made yet. It first moves the previous
// content out, and then moves the unpacked files in. It can be repeated after an
// interruption: a name in the directory Old has already been moved out, and a name that
// is missing in the directory with the unpacked files has already been moved in.
func (w *swap) forward() error {
	for _, name := range w.Out {
		if exists(w.old(), name) || !exists(w.data, name) {
			continue
		}
		if err := w.rename(w.data, w.old(), name); err != nil {
			return err
		}
	}
	if err := w.syncs(w.old(), w.data); err != nil {
		return err
	}
	for _, name := range w.In {
		if !exists(w.fresh(), name) {
			if !exists(w.data, name) {
				return fmt.Errorf("%s is neither in %s nor in %s", name, w.fresh(), w.data)
			}
			continue
		}
		if err := w.rename(w.fresh(), w.data, name); err != nil {
			return err
		}
	}
	return w.end(w.fresh())
}

// back undoes the moves that forward has made.
func (w *swap) back() error {
	for _, name := range slices.Backward(w.In) {
		if exists(w.fresh(), name) {
			continue
		}
		if err := w.rename(w.data, w.fresh(), name); err != nil {
			return err
		}
	}
	if err := w.syncs(w.fresh(), w.data); err != nil {
		return err
	}
	for _, name := range slices.Backward(w.Out) {
		if !exists(w.old(), name) {
			continue
		}
		if err := w.rename(w.old(), w.data, name); err != nil {
			return err
		}
	}
	return w.end(w.old())
}

func (w *swap) rename(from, to, name string) error {
	return w.do(func() error { return os.Rename(filepath.Join(from, name), filepath.Join(to, name)) })
}

// end makes the moves durable and then removes the journal. Finally it removes the
// directory at the path in the parameter empty, which the moves have emptied.
func (w *swap) end(empty string) error {
	if err := w.syncs(w.data, w.old(), w.fresh()); err != nil {
		return err
	}
	if err := w.do(func() error { return removed(os.Remove(w.journalPath())) }); err != nil {
		return err
	}
	// The swap is now complete. If a power failure brings the journal back, all moves have
	// already been made, and the next FinishSwap removes an empty directory.
	_ = w.syncs(w.data)
	if empty != "" {
		_ = os.Remove(empty)
	}
	return nil
}

// removed returns nil if err reports that a file does not exist. Otherwise it returns err.
func removed(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// syncs syncs directories, so that the renames in them survive a power failure.
func (w *swap) syncs(folders ...string) error {
	for _, dir := range folders {
		if dir == "" {
			continue
		}
		if err := w.do(func() error { return removed(durable.SyncDir(dir)) }); err != nil {
			return err
		}
	}
	return nil
}
