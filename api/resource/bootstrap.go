package resource

import (
	"context"
	"fmt"
	"os"
	"time"

	"svc/api/web"
	"svc/internal/auth"
	"svc/internal/durable"
	"svc/store"
)

// EnsureAdmin creates the administrator "admin" if the administrator does not exist yet. If
// password is empty, EnsureAdmin generates a password and returns it. It writes the generated
// password to the bootstrap file before it stores the account, so that the password cannot be lost.
func (h *Handlers) EnsureAdmin(ctx context.Context, password string) (generated string, created bool, err error) {
	if h.DB.Account() != nil {
		return "", false, nil
	}
	if password == "" {
		generated = auth.NewPassword()
		if err := h.writeBootstrap(generated); err != nil {
			return "", false, err
		}
		password = generated
	}
	hash, err := h.hasher.Hash(ctx, password)
	if err != nil {
		return "", false, err
	}
	err = h.DB.Update(func(tx *store.Tx) error {
		return tx.PutAccount(&store.Account{Username: "admin", Password: hash, Epoch: 1})
	})
	return generated, err == nil, err
}

// ResetView is the JSON form of a password reset's result. It tells the administrator how to log
// in.
type ResetView struct {
	Username string `json:"username"`
	Password string `json:"password"`
	File     string `json:"file"`
}

// resetPassword sets the administrator's name to "admin", sets a new password and ends all
// sessions.
func (h *Handlers) resetPassword(r *web.Request) (v ResetView, err error) {
	password := auth.NewPassword()
	hash, err := h.hasher.Hash(r.Context(), password)
	if err != nil {
		return v, err
	}
	if err := h.writeBootstrap(password); err != nil {
		return v, err
	}
	err = h.DB.Update(func(tx *store.Tx) error {
		account, err := tx.Account()
		if err != nil {
			return err
		}
		if account == nil {
			account = &store.Account{}
		}
		account.Username, account.Password = "admin", hash
		account.Epoch++
		return tx.PutAccount(account)
	})
	return ResetView{"admin", password, h.BootstrapFile}, err
}

// writeBootstrap writes a generated password to a file that only the owner of the data directory
// can read. The file is removed after the first login.
func (h *Handlers) writeBootstrap(password string) error {
	text := fmt.Sprintf("user name: admin\npassword:  %s\n\n"+
		"Made at %s. Everyone who can read this file can log in: change the password.\n"+
		"The file is removed after the first login.\n", password, h.Now().UTC().Format(time.RFC3339))
	if err := durable.WriteFile(h.BootstrapFile, []byte(text), os.FileMode(0o600)); err != nil {
		return fmt.Errorf("write first password: %w", err)
	}
	return nil
}
