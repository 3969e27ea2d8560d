package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"syscall"
	"time"
)

// nginx is a process of the web server nginx. It has its own configuration and, like svc, writes an
// access log.
type nginx struct {
	addr    string
	command *exec.Cmd
	dir     string
}

// errNoNginx means that nginx is not installed. Its text explains how to install nginx.
var errNoNginx = errors.New("there is no nginx: install the package nginx of Debian, Ubuntu, Fedora or Homebrew")

// nginxConfig sets only what matters for the comparison, and leaves the rest at the defaults. nginx
// runs one process per core and sends files with sendfile(2). As in svc, connections stay open
// until clients close them.
const nginxConfig = `daemon off;
%[1]s
worker_processes auto;
pid %[2]s/nginx.pid;
error_log %[2]s/error.log;
events { worker_connections 4096; }
http {
	access_log %[2]s/access.log combined;
	client_body_temp_path %[2]s/body;
	proxy_temp_path %[2]s/proxy;
	fastcgi_temp_path %[2]s/fastcgi;
	uwsgi_temp_path %[2]s/uwsgi;
	scgi_temp_path %[2]s/scgi;
	default_type application/octet-stream;
	sendfile on;
	keepalive_requests 1000000000;
	server {
		listen %[3]s;
		root %[4]s;
	}
}
`

// startNginx starts an nginx that serves a folder. It returns errNoNginx if nginx is not installed.
func startNginx(ctx context.Context, dir, root string) (n *nginx, err error) {
	program, err := exec.LookPath("nginx")
	if err != nil {
		// Debian installs it outside of the PATH of ordinary users.
		if program, err = exec.LookPath("/usr/sbin/nginx"); err != nil {
			return nil, errNoNginx
		}
	}
	n = &nginx{dir: dir}
	if n.addr, err = freeAddress(); err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(config, fmt.Appendf(nil, nginxConfig, owner(), dir, n.addr, root), 0o600); err != nil {
		return nil, err
	}
	n.command = exec.CommandContext(ctx, program, "-p", dir, "-c", config, "-e", filepath.Join(dir, "error.log"))
	n.command.Cancel = func() error { return n.command.Process.Signal(syscall.SIGTERM) } // SIGTERM makes nginx end its worker processes
	if err := n.command.Start(); err != nil {
		return nil, err
	}
	if err := n.await(ctx); err != nil {
		text, _ := os.ReadFile(filepath.Join(dir, "error.log")) // the error log may contain the reason
		return nil, errors.Join(fmt.Errorf("nginx: %w: %s", err, text), n.stop())
	}
	return n, nil
}

// owner returns the setting that lets nginx's workers read files stored by root. If this process
// does not run as root, owner returns "", because the workers then run as the same user, and the
// setting is not permitted.
func owner() string {
	if me, err := user.Current(); err == nil && me.Uid == "0" {
		return "user " + me.Username + " " + me.Username + ";"
	}
	return ""
}

// freeAddress returns a local address that is not in use.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// await waits until nginx accepts connections.
func (n *nginx) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := net.Dial("tcp", n.addr)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return err
		}
	}
}

// stop stops nginx and removes its files.
func (n *nginx) stop() error {
	err := n.command.Process.Signal(syscall.SIGTERM)
	return errors.Join(err, n.command.Wait(), os.RemoveAll(n.dir))
}
