package resource

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"strings"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/limit"
	"svc/store"
)

func (h *Handlers) accountRoutes() []web.Route {
	return []web.Route{
		{Method: "GET", Path: web.V1 + "/auth/status", Access: web.Anyone(), Handler: web.ModuleStatus("auth")},
		{Method: "POST", Path: web.V1 + "/auth/login", Reads: true, Access: web.Anyone(), Handler: web.Created(h.logIn)},
		{Method: "GET", Path: web.V1 + "/auth/me", Access: web.LoginOnly(), Handler: web.OK(h.me)},
		{Method: "GET", Path: web.V1 + "/auth/admin-profile", Access: web.LoginOnly(), Handler: web.OK(h.me)},
		{Method: "PATCH", Path: web.V1 + "/auth/admin-profile", Access: web.LoginOnly(), Handler: web.OK(h.updateProfile)},
		{Method: "PATCH", Path: web.V1 + "/auth/password", Access: web.LoginOnly(), Handler: web.Done(h.updatePassword)},
		{Method: "PATCH", Path: web.V1 + "/auth/account", Access: web.LoginOnly(), Handler: web.Done(h.updateUsername)},
		{Method: "POST", Path: "/control/admin/reset-password", Access: web.OwnerOnly(), Handler: web.OK(h.resetPassword)},
	}
}

type userView struct {
	ID                 string `json:"id"`
	Username           string `json:"username"`
	Role               string `json:"role"`
	MustChangePassword bool   `json:"must_change_password"`
}

func viewUser(a *store.Account) userView {
	return userView{ID: a.ID.String(), Username: a.Username, Role: "ADMIN"}
}

type loginInput struct {
	Username web.Optional[string] `json:"username"`
	Password web.Optional[string] `json:"password"`
}

type loginView struct {
	AccessToken string   `json:"access_token"`
	ExpiresIn   int      `json:"expires_in"`
	User        userView `json:"user"`
}

// The rules for user names and passwords. They apply to every endpoint that accepts either.
var (
	usernameRule = web.TextRule{Max: 64, Fixed: true, Trim: true, Filled: true}
	passwordRule = web.TextRule{Min: 6, Max: 128, Fixed: true}
)

func required(rule web.TextRule) web.TextRule {
	rule.Required = true
	return rule
}

func (h *Handlers) logIn(r *web.Request) (v loginView, err error) {
	if err := h.checkLimit(r); err != nil {
		return v, err
	}
	var in loginInput
	if err := web.Decode(r, &in); err != nil {
		return v, err
	}
	var p problems
	p.Text("username", in.Username, required(usernameRule))
	p.Text("password", in.Password, required(passwordRule))
	if err := p.Err(); err != nil {
		return v, err
	}
	account := h.DB.Account()
	if err := h.checkLogin(r, account, strings.TrimSpace(*in.Username.Value), *in.Password.Value); err != nil {
		return v, err
	}
	if err := os.Remove(h.BootstrapFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		h.Log.Warn("initial password file not removed", "file", h.BootstrapFile, "error", err)
	}
	token, err := h.Tokens.Sign(account.ID.String(), account.Epoch, h.Now())
	return loginView{AccessToken: token, ExpiresIn: int(h.Tokens.Life().Seconds()), User: viewUser(account)}, err
}

func errTooManyLogins(v limit.Verdict) error {
	return fault.New(fault.TooMany, "too many failed logins; try again in %s seconds", web.Seconds(v.Reset)).After(v.Reset)
}

// checkLogin checks a user name and a password. It waits first if an attack slows down logins. It
// takes the same time whether or not the user name exists.
func (h *Handlers) checkLogin(r *web.Request, account *store.Account, username, password string) error {
	network := limit.Network(r.Addr)
	if err := h.waitForTurn(r, network); err != nil {
		return err
	}
	ok, err := h.compare(r, func() (bool, error) {
		if username == account.Username {
			return h.checkPassword(r, account, password)
		}
		return false, h.hasher.Waste(r.Context(), password)
	})
	switch {
	case err != nil:
		return err
	case !ok:
		h.slow.Failed(h.Now())
		return fault.New(fault.Unauthorized, "wrong user name or password")
	}
	if network.IsValid() && r.Route.Replication.Accepts() == nil {
		if err := h.DB.NoteLogin(network); err != nil { // a full disk must not prevent a login
			h.Log.Warn("network of a login not stored", "error", err)
		}
	}
	return nil
}

// waitForTurn waits if an attack slows down logins. It does not wait if the administrator has
// recently logged in from the same network.
func (h *Handlers) waitForTurn(r *web.Request, network netip.Prefix) error {
	if r.ByOwner() || !h.slow.Applied() {
		return nil
	}
	known, err := store.Read(h.DB, func(tx *store.Tx) (bool, error) { return tx.KnowsLogin(network) })
	if err != nil || known {
		return err
	}
	return h.slow.Wait(r.Context(), network)
}

// checkLimit returns an error if the client's address has too many failed logins. It does not count
// the current request as an attempt. The control connection has no limit.
func (h *Handlers) checkLimit(r *web.Request) error {
	if verdict := h.logins.Peek(limit.AddrKey(r.Addr), h.Now()); !verdict.Allowed && !r.ByOwner() {
		return errTooManyLogins(verdict)
	}
	return nil
}

// compare calls the given function, which must compare a password with the stored one. Only a wrong
// password counts against the login limit of the client's address.
func (h *Handlers) compare(r *web.Request, password func() (ok bool, err error)) (ok bool, err error) {
	if r.ByOwner() {
		return password()
	}
	select {
	case h.comparing <- struct{}{}:
		defer func() { <-h.comparing }()
	case <-r.Context().Done():
		return false, r.Context().Err()
	}
	// Count the attempt before the comparison; otherwise concurrent attempts could exceed the
	// limit. The count is undone unless the password was wrong.
	address := limit.AddrKey(r.Addr)
	if verdict := h.logins.Take(address, h.Now()); !verdict.Allowed {
		return false, errTooManyLogins(verdict)
	}
	if ok, err = password(); ok || err != nil {
		h.logins.GiveBack(address, h.Now())
	}
	return ok, err
}

// checkPassword reports whether the given password is the administrator's. If it is, and the stored
// hash uses outdated parameters, checkPassword replaces the hash, unless the server accepts no writes.
func (h *Handlers) checkPassword(r *web.Request, account *store.Account, password string) (bool, error) {
	ok, rehash, err := h.hasher.Verify(r.Context(), account.Password, password)
	if ok && rehash && r.Route.Replication.Accepts() == nil {
		h.rehash(r.Context(), account, password)
	}
	return ok, err
}

// rehash replaces the stored hash. If rehash fails, the old hash remains valid and the next login
// tries again.
func (h *Handlers) rehash(ctx context.Context, account *store.Account, password string) {
	hash, err := h.hasher.Hash(ctx, password)
	if err == nil {
		err = h.DB.Update(func(tx *store.Tx) error {
			stored, err := tx.Account()
			if err != nil || stored.Epoch != account.Epoch {
				return err
			}
			stored.Password = hash
			return tx.PutAccount(stored)
		})
	}
	if err != nil {
		h.Log.Warn("password hash not updated", "error", err)
	}
}

func (h *Handlers) me(*web.Request) (userView, error) { return viewUser(h.DB.Account()), nil }

type profileInput struct {
	CurrentPassword web.Optional[string] `json:"current_password"`
	Username        web.Optional[string] `json:"username"`
	NewPassword     web.Optional[string] `json:"new_password"`
}

func (h *Handlers) updateProfile(r *web.Request) (userView, error) {
	if err := h.changeAccount(r, usernameRule, passwordRule); err != nil {
		return userView{}, err
	}
	return viewUser(h.DB.Account()), nil
}

func (h *Handlers) updatePassword(r *web.Request) error {
	return h.changeAccount(r, web.TextRule{}, required(passwordRule))
}

func (h *Handlers) updateUsername(r *web.Request) error {
	return h.changeAccount(r, required(usernameRule), web.TextRule{})
}

// changeAccount changes the user name, the password or both. The parameters username and password
// are the rules for these fields. A zero rule means that the endpoint does not have the field, so
// the field is ignored like any unknown field.
func (h *Handlers) changeAccount(r *web.Request, username, password web.TextRule) error {
	if err := h.checkLimit(r); err != nil {
		return err
	}
	var in profileInput
	if err := web.Decode(r, &in); err != nil {
		return err
	}
	var p problems
	p.Text("current_password", in.CurrentPassword, required(passwordRule))
	if username == (web.TextRule{}) {
		in.Username = web.Optional[string]{}
	}
	if password == (web.TextRule{}) {
		in.NewPassword = web.Optional[string]{}
	}
	p.changed("username", in.Username, username)
	p.changed("new_password", in.NewPassword, password)
	if err := p.Err(); err != nil {
		return err
	}
	ok, err := h.compare(r, func() (bool, error) {
		return h.checkPassword(r, h.DB.Account(), *in.CurrentPassword.Value)
	})
	if err != nil {
		return err
	}
	if !ok {
		return fault.New(fault.Unauthorized, "current_password is wrong")
	}
	return h.storeAccount(r.Context(), in)
}

// changed checks a field of the account. An optional field may be absent, in which case the stored
// value stays unchanged. No field may be null, because that would clear the value.
func (p *problems) changed(field string, o web.Optional[string], rule web.TextRule) {
	if o.Null() && !rule.Required {
		p.Add("%s must not be null", field)
	}
	p.Text(field, o, rule)
}

// storeAccount stores a checked change. A new user name or password ends all sessions. Sending the
// current user name does not count as a change.
func (h *Handlers) storeAccount(ctx context.Context, in profileInput) error {
	var hash string
	if in.NewPassword.Value != nil {
		var err error
		if hash, err = h.hasher.Hash(ctx, *in.NewPassword.Value); err != nil {
			return err
		}
	}
	return h.DB.Update(func(tx *store.Tx) error {
		account, err := tx.Account()
		if err != nil {
			return err
		}
		before := *account
		if in.Username.Value != nil {
			account.Username = strings.TrimSpace(*in.Username.Value)
		}
		if hash != "" {
			account.Password = hash
		}
		if *account == before {
			return nil
		}
		account.Epoch++
		return tx.PutAccount(account)
	})
}
