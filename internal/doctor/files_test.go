package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestRepairStaysInTheFolder checks that a repair by root does not change files outside of the
// folder, even if the owner of the folder replaces a directory with a link at the same time.
func TestRepairStaysInTheFolder(t *testing.T) {
	t.Parallel()
	p := newInstallation(t, nil)
	elsewhere := t.TempDir()
	victim := filepath.Join(elsewhere, "victim")
	sub := filepath.Join(p.Settings.Data, "files")
	for _, make := range []func() error{
		func() error { return os.WriteFile(victim, nil, 0o600) },
		func() error { return os.Chmod(victim, 0o644) },
		func() error { return os.Mkdir(sub, 0o700) },
		func() error { return os.WriteFile(filepath.Join(sub, "victim"), nil, 0o600) },
		func() error { return os.Chmod(filepath.Join(sub, "victim"), 0o644) },
	} {
		if err := make(); err != nil {
			t.Fatal(err)
		}
	}
	found := checkPermissions(p)
	if len(found) != 1 || !found[0].Fixable() {
		t.Fatalf("got %+v, want something to repair", found)
	}
	// what an attacker does between the check and the repair
	if err := os.RemoveAll(sub); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, sub); err != nil {
		t.Skipf("needs symbolic links: on Windows turn the developer mode on: %v", err)
	}
	if err := found[0].fix(); err == nil {
		t.Error("a name that leads out of the folder was followed")
	}
	info, err := os.Stat(victim)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o644 {
		t.Errorf("a file outside got mode %04o", info.Mode().Perm())
	}
}

// TestLinkedFolder checks that the data folder may be a symbolic link.
func TestLinkedFolder(t *testing.T) {
	t.Parallel()
	p := newInstallation(t, nil)
	there := p.Settings.Data
	p.Settings.Data = filepath.Join(t.TempDir(), "data")
	if err := os.Symlink(there, p.Settings.Data); err != nil {
		t.Skipf("needs symbolic links: on Windows turn the developer mode on: %v", err)
	}
	if runtime.GOOS == "windows" {
		expect(t, checkOwner(p), OK, "")
		return
	}
	open := filepath.Join(there, "svc.db")
	if err := errors.Join(os.WriteFile(open, nil, 0o600), os.Chmod(open, 0o644), os.Chmod(there, 0o700)); err != nil {
		t.Fatal(err)
	}
	expect(t, checkOwner(p), OK, "")
	found := checkPermissions(p)
	expect(t, found, Warning, "others can reach "+open)
	if err := found[0].fix(); err != nil {
		t.Error(err)
	}
	expect(t, checkPermissions(p), OK, "")
}

// TestLeftoversInAnotherFolder checks that leftovers in a separate storage directory are found and
// removed. Uploads and staged contents must not be removed. The path of the directory may be a
// symbolic link.
func TestLeftoversInAnotherFolder(t *testing.T) {
	t.Parallel()
	there, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(there, link); err != nil {
		t.Skipf("needs symbolic links: on Windows turn the developer mode on: %v", err)
	}
	for _, dir := range []string{there, link} {
		p := newInstallation(t, nil, "SVC_STORAGE_DIR="+dir)
		p.Locked = true
		expect(t, checkLeftovers(p), OK, "")
		stay := []string{"staging/uploads/1", "staging/files/1", "objects/.probe-x", "cache/slice"}
		leave := []string{"staging/other/1", ".probe-x"}
		for _, name := range append(stay, leave...) {
			path := filepath.Join(there, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		found := checkLeftovers(p)
		expect(t, found, Note, "an interrupted operation left "+filepath.Join(there, "staging", "other")+" and 1 more")
		if err := found[0].fix(); err != nil {
			t.Error(err)
		}
		expect(t, checkLeftovers(p), OK, "")
		for _, name := range stay {
			if _, err := os.Stat(filepath.Join(there, filepath.FromSlash(name))); err != nil {
				t.Error(err)
			}
		}
	}
}
