package storagetest

import (
	"bytes"
	"crypto/sha1"
	_ "embed" // versitygw is built from an embedded module
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/webdav"

	"svc/internal/files/storage"
)

// The credentials for all servers.
const (
	User     = "keeper"
	Password = "pass word:with%signs"
)

// Handler returns a WebDAV handler that serves the directory dir.
func Handler(dir string) http.Handler {
	server := &webdav.Handler{FileSystem: webdav.Dir(dir), LockSystem: webdav.NewMemLS()}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != User || password != Password {
			w.Header().Set("WWW-Authenticate", "Basic")
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		server.ServeHTTP(w, r)
	})
}

// Apache starts Apache's mod_dav.
func Apache(t testing.TB) storage.Config {
	t.Helper()
	program := lookPath(t, "apache2-bin", "apache2", "/usr/sbin/apache2")
	modules := "/usr/lib/apache2/modules"
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	sum := sha1.Sum([]byte(Password))
	conf := fmt.Sprintf(`
ServerRoot %[1]q
ServerName localhost
PidFile %[1]s/pid
Mutex sem
ErrorLog /dev/stderr
Listen 127.0.0.1:%%d
DocumentRoot %[2]q
DAVLockDB %[1]s/locks/db
<Directory %[2]q>
	Dav On
	AuthType Basic
	AuthName dav
	AuthUserFile %[1]s/users
	Require valid-user
</Directory>
`, dir, data)
	for _, m := range []string{"dav_fs", "dav", "mime", "auth_basic", "authz_user", "authz_core", "authn_file", "authn_core", "mpm_event"} {
		conf = fmt.Sprintf("LoadModule %s_module %s/mod_%s.so\n%s", m, modules, m, conf)
	}
	conf += "TypesConfig /dev/null\nAddType text/html .html\n"
	if os.Geteuid() == 0 {
		conf += "User www-data\nGroup www-data\n"
	}
	write(t, filepath.Join(dir, "users"), User+":{SHA}"+base64.StdEncoding.EncodeToString(sum[:])+"\n")
	for _, name := range []string{data, filepath.Join(dir, "locks")} {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{filepath.Dir(dir), data, filepath.Join(dir, "locks")} {
		if err := os.Chmod(name, 0o777); err != nil { // Apache runs as a different user
			t.Fatal(err)
		}
	}
	address := start(t, func(port int) *exec.Cmd {
		file := filepath.Join(dir, "conf")
		write(t, file, fmt.Sprintf(conf, port))
		return exec.Command(program, "-X", "-f", file)
	})
	return storage.Config{Kind: storage.KindWebDAV, BaseURL: "http://" + address + "/dav", Username: User, Password: Password}
}

// Rclone starts "rclone serve webdav".
func Rclone(t testing.TB) storage.Config {
	t.Helper()
	program := lookPath(t, "rclone", "rclone")
	dir := t.TempDir()
	address := start(t, func(port int) *exec.Cmd {
		c := exec.Command(program, "serve", "webdav", dir, "--addr", fmt.Sprintf("127.0.0.1:%d", port),
			"--config", filepath.Join(dir, "..", "rclone.conf"), "--user", User, "--pass", Password)
		return c
	})
	return storage.Config{Kind: storage.KindWebDAV, BaseURL: "http://" + address, Username: User, Password: Password}
}

// Bucket is the name of VersityGW's bucket.
const Bucket = "releases"

// VersityGW starts the S3 server versitygw, which stores objects in a temporary directory.
func VersityGW(t testing.TB) storage.Config {
	t.Helper()
	program := versitygw(t)
	dir := t.TempDir()
	for _, name := range []string{"data", "meta"} {
		if err := os.MkdirAll(filepath.Join(dir, name, Bucket), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	address := start(t, func(port int) *exec.Cmd {
		return exec.Command(program, "--port", fmt.Sprintf("127.0.0.1:%d", port), "--access", User, "--secret", "a secret of 40 characters",
			"--quiet", "posix", "--sidecar", filepath.Join(dir, "meta"), filepath.Join(dir, "data"))
	})
	return storage.Config{
		Kind: storage.KindS3, BaseURL: "http://" + address, Username: User, Password: "a secret of 40 characters",
		Bucket: Bucket, PathStyle: true,
	}
}

// versityVersion is the version of versitygw in testdata/versitygw.mod.
const versityVersion = "v1.8.0"

var (
	//go:embed testdata/versitygw.mod
	versityMod []byte
	//go:embed testdata/versitygw.sum
	versitySum []byte

	versityOnce sync.Once
	versityErr  error
)

// InstallVariable names the environment variable that allows the tests to download and build
// programs that they run.
const InstallVariable = "SVC_TEST_INSTALL"

// versitygw returns the path of the program versitygw. The program is built once and then
// reused on the same machine.
func versitygw(t testing.TB) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("needs a cache directory for versitygw: %v", err)
	}
	program := filepath.Join(cache, "svc-test", "versitygw-"+versityVersion)
	if _, err := os.Stat(program); err == nil {
		return program
	}
	if os.Getenv(InstallVariable) == "" {
		t.Skipf("needs versitygw: set %s=1 and run again; it is fetched and built once", InstallVariable)
	}
	versityOnce.Do(func() { versityErr = buildVersityGW(program) })
	if versityErr != nil {
		t.Skipf("needs versitygw, which could not be built: %v", versityErr)
	}
	return program
}

// buildVersityGW builds versitygw from a separate module. If the tests of two packages
// build it concurrently, the last build replaces the other one.
func buildVersityGW(program string) error {
	cache := filepath.Dir(program)
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(cache, "build-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	for name, content := range map[string][]byte{"go.mod": versityMod, "go.sum": versitySum} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return err
		}
	}
	c := exec.Command("go", "build", "-o", "versitygw", "github.com/versity/versitygw/cmd/versitygw")
	c.Dir = dir
	if output, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(output))
	}
	return os.Rename(filepath.Join(dir, "versitygw"), program)
}

// lookPath returns the first of places at which there is a program. If there is none, it
// skips the test and names the package to install.
func lookPath(t testing.TB, pack string, places ...string) string {
	t.Helper()
	for _, place := range places {
		if program, err := exec.LookPath(place); err == nil {
			return program
		}
	}
	t.Skipf("needs %s: apt-get install %s", places[0], pack)
	return ""
}

// start starts a server on a free port, waits until it listens and returns its address. If another
// process takes the port first, start tries another port.
func start(t testing.TB, command func(port int) *exec.Cmd) string {
	t.Helper()
	var output string
	for range 5 {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := listener.Addr().(*net.TCPAddr)
		if err := listener.Close(); err != nil {
			t.Fatal(err)
		}
		var ok bool
		if output, ok = run(t, command(address.Port), address.String()); ok {
			return address.String()
		}
	}
	t.Fatalf("the server does not start: %s", output)
	return ""
}

// run starts a server. ok reports whether the server listens at the address. The server
// is killed at the end of the test.
func run(t testing.TB, c *exec.Cmd, address string) (output string, ok bool) {
	t.Helper()
	var text bytes.Buffer
	c.Stdout, c.Stderr = &text, &text
	c.WaitDelay = time.Second
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = c.Wait(); close(ended) }()
	t.Cleanup(func() {
		_ = c.Process.Kill() // fails if the server has already ended
		<-ended
	})
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return text.String(), false
		case <-tick.C:
			if connection, err := net.Dial("tcp", address); err == nil {
				return "", connection.Close() == nil
			}
		}
	}
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
