package main

import (
	"crypto/rand"
	"crypto/sha512"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/crypto/ssh"
)

// What a signature of OpenSSH says beside the signature, see PROTOCOL.sshsig of
// OpenSSH. The namespace is the one for files.
const (
	sshsigMagic     = "SSHSIG"
	sshsigVersion   = 1
	sshsigNamespace = "file"
	sshsigHash      = "sha512"
)

// readSigner reads a private key in the format of ssh-keygen. It has no
// passphrase, as nobody may be there to type it.
func readSigner(path string) (ssh.Signer, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	signer, err := ssh.ParsePrivateKey(text)
	if _, ok := errors.AsType[*ssh.PassphraseMissingError](err); ok {
		return nil, fmt.Errorf("signing key %s has a passphrase: write it without one to a file that is removed afterwards", path)
	}
	if err != nil {
		return nil, fmt.Errorf("signing key %s: %w", path, err)
	}
	return signer, nil
}

// sign gives the signature that "ssh-keygen -Y verify" checks.
func sign(signer ssh.Signer, message []byte) ([]byte, error) {
	hash := sha512.Sum512(message)
	signed := ssh.Marshal(struct{ Namespace, Reserved, HashAlgorithm, Hash string }{sshsigNamespace, "", sshsigHash, string(hash[:])})
	signature, err := signData(signer, append([]byte(sshsigMagic), signed...))
	if err != nil {
		return nil, err
	}
	envelope := ssh.Marshal(struct {
		Version                                                      uint32
		PublicKey, Namespace, Reserved, HashAlgorithm, SignatureBlob string
	}{sshsigVersion, string(signer.PublicKey().Marshal()), sshsigNamespace, "", sshsigHash, string(ssh.Marshal(signature))})
	return pem.EncodeToMemory(&pem.Block{Type: "SSH SIGNATURE", Bytes: append([]byte(sshsigMagic), envelope...)}), nil
}

// signData signs; RSA not with SHA-1, which is its default and refused in files.
func signData(signer ssh.Signer, data []byte) (*ssh.Signature, error) {
	if signer.PublicKey().Type() != ssh.KeyAlgoRSA {
		return signer.Sign(rand.Reader, data)
	}
	chooser, ok := signer.(ssh.AlgorithmSigner)
	if !ok {
		return nil, errors.New("the RSA key cannot sign with SHA-512")
	}
	return chooser.SignWithAlgorithm(rand.Reader, data, ssh.KeyAlgoRSASHA512)
}

// publicKey is the line that allowed_signers of whoever verifies needs.
func publicKey(signer ssh.Signer) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey())))
}
