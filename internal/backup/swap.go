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
	probeName     = "restore.probe"   // tried while a restore finds out where there is room
	beforeRestore = "before-restore-" // begins the name of the folder with what was there
)

// replaced is what a restore moves aside: what an archive can have, and what was
// made from that or belongs to it.
var replaced = []string{datadir.Database, datadir.Events, datadir.Secrets, datadir.Config, datadir.Files, datadir.Index, datadir.Bootstrap}

// Present lists what a restore would move aside in a data directory. Local files
// stay where they are if the archive has none.
func Present(data string, files bool) (names []string) {
	for _, name := range replaced {
		if exists(data, name) && (files || name != datadir.Files) {
			names = append(names, name)
		}
	}
	return names
}

// beside are what else may lie in a data directory, and what a restore leaves there.
// A disk that is mounted there has a folder of its own.
var beside = []string{
	datadir.Certificates, datadir.Backups, datadir.Upgrades, datadir.Lock, datadir.Socket, datadir.Journal, datadir.Readme,
	filepath.Base(unfinished("", false)), probeName, beforeRestore + "*", "lost+found",
}

// Foreign lists what is in a folder and not of a data directory. A restore leaves it
// where it is. A folder that is not there has nothing.
func Foreign(dir string) (names []string, err error) {
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range list {
		ours := slices.ContainsFunc(slices.Concat(replaced, beside), func(pattern string) bool {
			// A process that was killed leaves a temporary file.
			return matches(pattern, entry.Name()) || matches(durable.TempPattern(pattern), entry.Name()) || matches(pattern+".new", entry.Name())
		})
		if !ours {
			names = append(names, entry.Name())
		}
	}
	return names, err
}

// matches reports whether a name matches a pattern, which must be a good one.
func matches(pattern, name string) bool {
	ok, _ := filepath.Match(pattern, name)
	return ok
}

func exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// Staged is an archive that has been unpacked for a data directory, whose content
// it has not touched yet. The caller must hold the lock of the directory.
type Staged struct {
	changes
	data     string // without links in it
	beside   bool
	manifest *Manifest
}

// Stage unpacks an archive that Read has verified as m. That happens beside the
// data directory, or inside where the directory is a mount point or its parent
// cannot be written.
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
		err = c.unpack(from, identities, s.manifest, s.Dir())
	}
	if err != nil {
		return nil, errors.Join(err, s.Discard())
	}
	return s, nil
}

// resolved is the path of a folder without links in it.
func resolved(dir string) (string, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	return filepath.Abs(dir)
}

// roomBeside reports whether folders can be moved between a data directory and
// its parent.
func roomBeside(data string) (bool, error) {
	probe, inside := unfinished(data, true), filepath.Join(data, probeName)
	if err := errors.Join(os.RemoveAll(probe), os.RemoveAll(inside)); err != nil {
		return false, nil //nolint:nilerror // then it is done inside
	}
	if os.Mkdir(probe, 0o700) != nil {
		return false, nil
	}
	moved := os.Rename(probe, inside)
	return moved == nil, errors.Join(os.RemoveAll(probe), os.RemoveAll(inside))
}

// unfinished is the folder that an archive is unpacked into.
func unfinished(data string, beside bool) string {
	if beside {
		return data + ".restore-unfinished"
	}
	return filepath.Join(data, "restore.unfinished")
}

// Dir is the folder with the unpacked files, which are laid out like a data
// directory.
func (s *Staged) Dir() string { return unfinished(s.data, s.beside) }

// Discard removes what was unpacked, unless FinishSwap needs it.
func (s *Staged) Discard() error {
	if exists(s.data, datadir.Journal) {
		return nil
	}
	return os.RemoveAll(s.Dir())
}

// Swap lets the unpacked files take the place of what is in the data directory,
// which is moved into the folder kept, named after the moment; "" if there was
// nothing. Whatever happens meanwhile, the data directory has the old content, or
// FinishSwap completes the new one. After an error the old content is in place,
// unless the error says otherwise.
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

// FinishSwap completes a swap that was interrupted and removes what a restore
// that came less far has left. The caller must hold the lock of the data directory.
// If there was a swap, kept is where the content from before is.
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

// journal says what a swap moves. All names are without folders.
type journal struct {
	Format int      `json:"format"`
	Beside bool     `json:"beside"` // the folders are beside the data directory, not in it
	Old    string   `json:"old,omitempty"`
	Out    []string `json:"out,omitempty"` // from the data directory to the old folder
	In     []string `json:"in"`            // from the unpacked folder to the data directory
}

// swap is a swap on its way.
type swap struct {
	changes
	journal
	data string
}

// old is the folder that what was there goes to.
func (w *swap) old() string {
	switch {
	case w.Old == "":
		return ""
	case w.Beside:
		return filepath.Join(filepath.Dir(w.data), w.Old)
	}
	return filepath.Join(w.data, w.Old)
}

// nameOld finds a name for that folder that nothing has yet.
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

// run writes the journal and swaps. What fails is undone.
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
	if w.Beside { // only then has the folder above changed; others may not read it
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

// forward moves what has not been moved yet. It is idempotent: a name
// that is in the old folder has gone out, and one that is no longer in the
// unpacked folder has come in. All go out before any comes in.
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

// back moves everything back from wherever forward has come to.
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

// end makes the moves durable, removes the journal and then the folder that is
// empty now.
func (w *swap) end(empty string) error {
	if err := w.syncs(w.data, w.old(), w.fresh()); err != nil {
		return err
	}
	if err := w.do(func() error { return removed(os.Remove(w.journalPath())) }); err != nil {
		return err
	}
	// From here on it is done: a journal that a power cut brings back finds that
	// everything has been moved, and the next FinishSwap removes an empty folder.
	_ = w.syncs(w.data)
	if empty != "" {
		_ = os.Remove(empty)
	}
	return nil
}

// removed is nil for what is not there any more.
func removed(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// syncs makes renames in folders durable.
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
