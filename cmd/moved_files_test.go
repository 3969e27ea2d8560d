package cmd_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"svc/internal/files/storage/storagetest"
)

// stock records the files that a test has uploaded to a project.
type stock struct {
	most int64 // size limit of a file in bytes

	mu    sync.Mutex
	files map[string]stocked // by name; guarded by mu
}

// stocked is a file with an acknowledged upload.
type stocked struct {
	id, sum string
}

// upload sends file n in a single request.
func (s *stock) upload(p *process, n int) error {
	random := rand.New(rand.NewPCG(uint64(n), 1))
	size := int64(math.Exp(random.Float64() * math.Log(float64(s.most)))) // random on a logarithmic scale, so that small sizes are as frequent as large ones
	content := storagetest.Content(uint64(n), max(1, size))
	name := fmt.Sprintf("%d.zip", n)
	status, answer, err := p.send(http.MethodPut, p.url+"/admin/projects/app/files?filename="+name, bytes.NewReader(content))
	if err == nil && status != http.StatusCreated {
		err = fmt.Errorf("%s: got %d %s", name, status, answer)
	}
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[name] = stocked{between(string(answer), `"id":"`, `"`), hex.EncodeToString(sum[:])}
	return nil
}

func between(text, from, to string) string {
	_, text, _ = strings.Cut(text, from)
	text, _, _ = strings.Cut(text, to)
	return text
}

// send makes a request and reads the whole response.
func (p *process) send(method, url string, body io.Reader) (status int, answer []byte, err error) {
	r, err := http.NewRequest(method, url, body)
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+p.token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	answer, err = io.ReadAll(response.Body)
	return response.StatusCode, answer, errors.Join(err, response.Body.Close())
}

// names returns the set of all file names.
func (s *stock) names() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]bool{}
	for name := range s.files {
		all[name] = true
	}
	return all
}

// compare fails the test unless the server has all files in want, and the content of each of its
// files is the uploaded content.
func (s *stock) compare(t *testing.T, p *process, project string, want map[string]bool) {
	t.Helper()
	seen := 0
	for total := 1; seen < total; {
		page := p.ask(t, "GET", fmt.Sprintf("/admin/projects/%s/files?limit=100&offset=%d", project, seen), "", 200)
		list := page["data"].([]any)
		if total = int(page["total"].(float64)); len(list) == 0 {
			t.Fatalf("the list ends after %d of %d files", seen, total)
		}
		seen += len(list)
		for _, one := range list {
			f := one.(map[string]any)
			name := f["filename"].(string)
			delete(want, name)
			status, content, err := p.send(http.MethodGet, strings.TrimSuffix(p.url, "/api/v1")+f["path"].(string), nil)
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(content)
			s.mu.Lock()
			sent := s.files[name].sum
			s.mu.Unlock()
			if got := hex.EncodeToString(sum[:]); status != 200 || f["status"] != "ready" || got != f["sha256"] || got != sent {
				t.Errorf("%s: got %d, %s, %d bytes with the sum %s, the record has %v, sent was %s", name, status, f["status"], len(content), got, f["sha256"], sent)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("%d files are missing: %v", len(want), want)
	}
}

// TestBackupTakesFilesAlong makes a backup while files are being uploaded and deleted. It checks
// that the backup contains every file that it has a record of, and that a restored server serves
// the same bytes. If SVC_LONG=1 is set, it uses 1,000 files of up to 50 MiB.
func TestBackupTakesFilesAlong(t *testing.T) {
	t.Parallel()
	many, s := 80, &stock{most: 1 << 20, files: map[string]stocked{}}
	if os.Getenv("SVC_LONG") != "" {
		many, s.most = 1000, 50<<20
	}
	dir := t.TempDir()
	data, archive, other := filepath.Join(dir, "data"), filepath.Join(dir, "backup.tar.zst"), filepath.Join(dir, "other")
	p := serve(t, data)
	p.ask(t, "POST", "/admin/projects", `{"project_key":"app","name":"App"}`, 201)
	each(t, 4, func(n int) error {
		for i := n; i < many; i += 4 {
			if err := s.upload(p, i); err != nil {
				return err
			}
		}
		return nil
	})
	stay := s.names()
	for i := range 10 { // these are deleted during the backup
		delete(stay, fmt.Sprintf("%d.zip", i))
	}

	stop := make(chan struct{})
	var working sync.WaitGroup
	begun := make(chan struct{}, 2)
	working.Go(func() {
		for i := many; ; i++ {
			if err := s.upload(p, i); err != nil {
				t.Error(err)
				return
			}
			select {
			case begun <- struct{}{}:
			default:
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	working.Go(func() {
		for i := range 10 {
			s.mu.Lock()
			f := s.files[fmt.Sprintf("%d.zip", i)]
			s.mu.Unlock()
			if status, answer, err := p.send(http.MethodDelete, p.url+"/admin/projects/app/files/"+f.id, nil); err != nil || status != 200 {
				t.Errorf("deletion while a backup is made: got %d %s, %v", status, answer, err)
			}
		}
	})
	<-begun
	program(t, "backup", archive, "--data", data)
	close(stop)
	working.Wait()
	p.end(t, syscall.SIGTERM)
	program(t, "check", "--data", data)

	program(t, "backup", "verify", archive)
	program(t, "restore", archive, "--data", other)
	program(t, "check", "--data", other)
	restored := serve(t, other)
	s.compare(t, restored, "app", stay)
}

// each calls the function do concurrently, once with each n from 0 to times-1.
func each(t *testing.T, times int, do func(n int) error) {
	t.Helper()
	var running sync.WaitGroup
	errs := make([]error, times)
	for n := range times {
		running.Go(func() { errs[n] = do(n) })
	}
	running.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// program runs a command and fails the test unless it succeeds.
func program(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("svc", args...).CombinedOutput(); err != nil {
		t.Fatalf("svc %s: %v: %s", strings.Join(args, " "), err, out)
	}
}
