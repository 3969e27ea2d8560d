// Package live starts a real server for tests.
package live

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Password is the password of the administrator, "admin".
const Password = "correct horse battery"

// Start runs the server binary named by SVC_BINARY and returns the base address of its API. If the
// variable is not set, Start skips the test.
func Start(t *testing.T) string {
	t.Helper()
	binary := os.Getenv("SVC_BINARY")
	if binary == "" {
		t.Skip("needs the server: build it (make build) and set SVC_BINARY to its path")
	}
	server := exec.Command(binary, "serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--public-rate-limit", "0")
	server.Env = append(os.Environ(), "ADMIN_PASSWORD="+Password)
	read, write := io.Pipe()
	server.Stdout, server.Stderr = write, write
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = server.Wait()
		_ = write.Close()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = server.Process.Kill()
		<-ended
	})
	address := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(read)
		for lines.Scan() {
			var entry struct{ Msg, URL string }
			if json.Unmarshal(lines.Bytes(), &entry) == nil && entry.Msg == "listening" {
				address <- entry.URL
			}
		}
	}()
	const patience = time.Minute
	select {
	case url := <-address:
		return strings.TrimSuffix(url, "/") + "/api/v1"
	case <-ended:
		t.Fatal("the server has ended")
	case <-time.After(patience):
		t.Fatal("the server does not listen")
	}
	return ""
}
