package resource

import (
	"context"
	"errors"
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
		{Method: "POST", Path: web.V1 + "/auth/login", Access: web.Anyone(), Handler: web.Created(h.logIn)},
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

// The rules of names and passwords, wherever they are sent.
var (
	usernameRule = web.TextRule{Max: 64, Fixed: true, Trim: true, Filled: true}
	passwordRule = web.TextRule{Min: 6, Max: 128, Fixed: true}
)

func required(rule web.TextRule) web.TextRule {
	rule.Required = true
	return rule
}

func (h *Handlers) logIn(r *web.Request) (v loginView, err error) {
	address := limit.AddrKey(r.Addr)
	if verdict := h.logins.Peek(address, h.Now()); !verdict.Allowed {
		return v, errTooManyLogins(verdict)
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
	// Counted before the password is checked, or many attempts at once would
	// all pass; given back when it was right.
	if verdict := h.logins.Take(address, h.Now()); !verdict.Allowed {
		return v, errTooManyLogins(verdict)
	}
	account := h.DB.Account()
	if err := h.checkLogin(r.Context(), account, strings.TrimSpace(*in.Username.Value), *in.Password.Value); err != nil {
		return v, err
	}
	h.logins.GiveBack(address, h.Now())
	if err := os.Remove(h.BootstrapFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		h.Log.Warn("initial password file not removed", "file", h.BootstrapFile, "error", err)
	}
	token, err := h.Tokens.Sign(account.ID.String(), account.Epoch, h.Now())
	return loginView{AccessToken: token, ExpiresIn: int(h.Tokens.Life().Seconds()), User: viewUser(account)}, err
}

func errTooManyLogins(v limit.Verdict) error {
	return fault.New(fault.TooMany, "too many failed logins; try again in %s seconds", web.Seconds(v.Reset)).After(v.Reset)
}

// checkLogin goes no faster than the brake on guessing allows, and takes the
// same time whether the name exists or not.
func (h *Handlers) checkLogin(ctx context.Context, account *store.Account, username, password string) error {
	if err := h.slow.Wait(ctx); err != nil {
		return err
	}
	ok, err := false, error(nil)
	if username == account.Username {
		ok, err = h.checkPassword(ctx, account, password)
	} else {
		err = h.hasher.Waste(ctx, password)
	}
	if err == nil && !ok {
		h.slow.Failed(h.Now())
		return fault.New(fault.Unauthorized, "wrong user name or password")
	}
	return err
}

// checkPassword compares a password with the administrator's and renews a hash
// of older parameters.
func (h *Handlers) checkPassword(ctx context.Context, account *store.Account, password string) (bool, error) {
	ok, rehash, err := h.hasher.Verify(ctx, account.Password, password)
	if ok && rehash {
		h.rehash(ctx, account, password)
	}
	return ok, err
}

// rehash replaces the stored hash. A failure leaves the old one, which is good
// enough until the next login.
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

// changeAccount changes name, password or both. A field whose rule is the zero
// rule is not one of the endpoint's and is ignored like any unknown field.
func (h *Handlers) changeAccount(r *web.Request, username, password web.TextRule) error {
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
	ok, err := h.checkPassword(r.Context(), h.DB.Account(), *in.CurrentPassword.Value)
	if err != nil {
		return err
	}
	if !ok {
		return fault.New(fault.Unauthorized, "current_password is wrong")
	}
	return h.storeAccount(r.Context(), in)
}

// changed checks a field of the account. Leaving out one that is not required
// keeps what is stored; null would leave nothing.
func (p *problems) changed(field string, o web.Optional[string], rule web.TextRule) {
	if o.Null() && !rule.Required {
		p.Add("%s must not be null", field)
	}
	p.Text(field, o, rule)
}

// storeAccount writes a checked change. A change of name or password ends all
// logins; the same name again is none.
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
