package cmd_test

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"svc/internal/files/storage/storagetest"
	"svc/internal/testutil"
)

// TestKernelCopiesLocalFiles checks that the kernel copies the bytes of a local file to the
// connection, without passing them through the process.
func TestKernelCopiesLocalFiles(t *testing.T) {
	t.Parallel()
	if out, err := exec.Command("strace", "-f", "-o", "/dev/null", "true").CombinedOutput(); err != nil {
		t.Skipf("needs strace: install the package strace, and in a container add the capability SYS_PTRACE: %v %s", err, out)
	}
	trace := filepath.Join(t.TempDir(), "trace")
	p := launch(t, exec.Command("strace", "-D", "-f", "--seccomp-bpf", "-e", "trace=sendfile", "-e", "signal=none", "-o", trace,
		"svc", "serve", "--data", filepath.Join(t.TempDir(), "data"), "--listen", "127.0.0.1:0"))
	p.ask(t, "POST", "/admin/projects", `{"project_key":"app","name":"App"}`, 201)
	const size, rangeSize = 3 << 20, 1 << 20
	content := string(storagetest.Content(1, size))
	link := p.ask(t, "PUT", "/admin/projects/app/files?filename=a.zip", content, 201)["path"].(string)
	for _, wanted := range []string{"bytes=0-", "bytes=1048576-2097151"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(p.url, "/api/v1")+link, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Range", wanted)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != 206 || !strings.Contains(content, string(got)) {
			t.Fatalf("got %s and %d bytes", response.Status, len(got))
		}
	}
	p.end(t, syscall.SIGTERM)
	ended := regexp.MustCompile(`(?m)^` + strconv.Itoa(p.Process.Pid) + ` +\+\+\+ (exited|killed)`)
	copied := regexp.MustCompile(`(?m)sendfile.*= (\d+)$`)
	var text []byte
	testutil.Until(t, "the end of what strace writes", func() bool { // strace keeps writing after the process has ended
		var err error
		if text, err = os.ReadFile(trace); err != nil {
			t.Fatal(err)
		}
		return ended.Match(text)
	})
	sum := 0
	for _, one := range copied.FindAllSubmatch(text, -1) {
		n, err := strconv.Atoi(string(one[1]))
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	// The first bytes of a response are sent with its headers.
	if want := size + rangeSize; sum < want-2*64<<10 || sum > want {
		t.Errorf("the kernel copied %d of %d bytes: %s", sum, want, text)
	}
}
