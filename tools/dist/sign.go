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

// These are the constant parts of an OpenSSH signature; see PROTOCOL.sshsig in OpenSSH. The
// namespace is the usual one for signatures of files.
const (
	sshsigMagic     = "SSHSIG"
	sshsigVersion   = 1
	sshsigNamespace = "file"
	sshsigHash      = "sha512"
)

// readSigner reads a private key in OpenSSH format. The key must not have a passphrase, because
// builds are not interactive.
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

// sign returns a signature that "ssh-keygen -Y verify" accepts.
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

// signData signs data. With an RSA key, it uses SHA-512, because OpenSSH rejects the default,
// SHA-1, for files.
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

// publicKey returns the public key in the form that follows the name of the signer in an
// allowed_signers file.
func publicKey(signer ssh.Signer) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey())))
}
