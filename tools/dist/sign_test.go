package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSignature checks that OpenSSH accepts a signature, and rejects it if one byte of the message
// has changed.
func TestSignature(t *testing.T) {
	t.Parallel()
	keygen := sshKeygen(t)
	for _, kind := range []string{"ed25519", "ecdsa", "rsa"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			key := filepath.Join(dir, "key")
			command(t, keygen, "-q", "-t", kind, "-N", "", "-f", key)
			signer, err := readSigner(key)
			if err != nil {
				t.Fatal(err)
			}
			message := "0123  svc_1.2.3_linux_amd64.deb\n"
			signature, err := sign(signer, []byte(message))
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "sig"), string(signature))
			write(t, filepath.Join(dir, "allowed_signers"), "svc "+publicKey(signer)+"\n")
			verify := func(text string) error {
				c := exec.Command(keygen, "-Y", "verify", "-f", "allowed_signers", "-I", "svc", "-n", "file", "-s", "sig")
				c.Dir, c.Stdin = dir, strings.NewReader(text)
				out, err := c.CombinedOutput()
				t.Logf("%s", out)
				return err
			}
			if err := verify(message); err != nil {
				t.Errorf("ssh-keygen does not verify it: %v", err)
			}
			if err := verify("1" + message[1:]); err == nil {
				t.Error("ssh-keygen verifies another text")
			}
		})
	}
}

func TestSigningKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "text"), "no key\n")
	if _, err := readSigner(filepath.Join(dir, "text")); err == nil || !strings.Contains(err.Error(), "text: ssh: no key found") {
		t.Errorf("got %v, want that it is no key", err)
	}
	if _, err := readSigner(filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that there is no such file", err)
	}
	locked := filepath.Join(dir, "locked")
	command(t, sshKeygen(t), "-q", "-t", "ed25519", "-N", "passphrase", "-f", locked)
	if _, err := readSigner(locked); err == nil || !strings.Contains(err.Error(), "has a passphrase") {
		t.Errorf("got %v, want that the key has a passphrase", err)
	}
}

func sshKeygen(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("ssh-keygen")
	if err != nil {
		t.Skip("needs ssh-keygen, which makes keys and verifies signatures: install the package openssh-client, or openssh")
	}
	return path
}

func command(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
