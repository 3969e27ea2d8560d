package api_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"svc/api/apitest"
)

// fullVariable is the environment variable that makes the test binary run onAFullDisk. That test
// needs a separate process, because it changes the limits of the whole process.
const fullVariable = "SVC_API_FULL"

// TestDiskIsFull runs onAFullDisk in a separate process.
func TestDiskIsFull(t *testing.T) {
	if os.Getenv(fullVariable) != "" {
		onAFullDisk(t)
		return
	}
	t.Parallel()
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDiskIsFull$", "-test.v")
	c.Env = append(os.Environ(), fullVariable+"=1")
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestDiskIsFull") {
		t.Fatalf("%v:\n%s", err, out)
	}
}

// onAFullDisk checks that requests that need a temporary file report a full disk and leave no files
// behind.
func onAFullDisk(t *testing.T) {
	s := apitest.NewServer(t)
	s.Must(t, 201, "POST", "/admin/projects", `{"project_key":"a","name":"A"}`)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ method, path, body string }{
		{"POST", "/control/import", strings.Repeat("x", 1000)},
		{"POST", "/control/doctor/pages", ""},
		{"POST", "/control/check/copies", ""},
		{"GET", "/control/export/a", ""},
		{"POST", "/control/admin/reset-password", ""},
	} {
		if status, answer := s.Owner(t, tc.method, tc.path, tc.body); status != 507 || !strings.Contains(answer, "the disk of the server is full") {
			t.Errorf("%s: got %d %s, want 507", tc.path, status, answer)
		}
	}
	if left, err := os.ReadDir(filepath.Join(s.Dir, "staging")); err != nil || len(left) > 0 {
		t.Errorf("got %v left over, %v; want nothing", left, err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
}
