package api

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"

	"svc/internal/fault"
	"svc/internal/limit"
	"svc/store"
)

func (s *Server) accountRoutes() []route {
	return []route{
		{method: "GET", path: v1 + "/auth/status", access: anyone(), handler: moduleStatus("auth")},
		{method: "POST", path: v1 + "/auth/login", access: anyone(), handler: s.logIn},
		{method: "GET", path: v1 + "/auth/me", access: login(), handler: s.me},
		{method: "GET", path: v1 + "/auth/admin-profile", access: login(), handler: s.me},
		{method: "PATCH", path: v1 + "/auth/admin-profile", access: login(), handler: s.updateProfile},
		{method: "PATCH", path: v1 + "/auth/password", access: login(), handler: s.updatePassword},
		{method: "PATCH", path: v1 + "/auth/account", access: login(), handler: s.updateUsername},
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
	Username Optional[string] `json:"username"`
	Password Optional[string] `json:"password"`
}

type loginView struct {
	AccessToken string   `json:"access_token"`
	ExpiresIn   int      `json:"expires_in"`
	User        userView `json:"user"`
}

// The rules of names and passwords, wherever they are sent.
var (
	usernameRule = textRule{max: 64, fixed: true, trim: true, filled: true}
	passwordRule = textRule{min: 6, max: 128, fixed: true}
)

func required(rule textRule) textRule {
	rule.required = true
	return rule
}

func (s *Server) logIn(w http.ResponseWriter, r *request) error {
	address := limit.AddrKey(r.addr)
	if v := s.logins.Peek(address, s.now()); !v.Allowed {
		return errTooManyLogins(v)
	}
	var in loginInput
	if err := decode(r, &in); err != nil {
		return err
	}
	var p problems
	p.text("username", in.Username, required(usernameRule))
	p.text("password", in.Password, required(passwordRule))
	if err := p.err(); err != nil {
		return err
	}
	// Counted before the password is checked, or many attempts at once would
	// all pass; given back when it was right.
	if v := s.logins.Take(address, s.now()); !v.Allowed {
		return errTooManyLogins(v)
	}
	account := s.db.Account()
	if err := s.checkLogin(r.Context(), account, strings.TrimSpace(*in.Username.Value), *in.Password.Value); err != nil {
		return err
	}
	s.logins.GiveBack(address, s.now())
	if err := os.Remove(s.config.BootstrapFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		s.log.Warn("first password not removed", "file", s.config.BootstrapFile, "error", err)
	}
	token, err := s.tokens.Sign(account.ID.String(), account.Epoch, s.now())
	if err != nil {
		return err
	}
	return respond(w, http.StatusCreated, loginView{
		AccessToken: token,
		ExpiresIn:   int(s.tokens.Life().Seconds()),
		User:        viewUser(account),
	})
}

func errTooManyLogins(v limit.Verdict) error {
	return fault.New(fault.TooMany, "too many failed logins; try again in %s seconds", seconds(v.Reset)).After(v.Reset)
}

// checkLogin goes no faster than the brake on guessing allows, and takes the
// same time whether the name exists or not.
func (s *Server) checkLogin(ctx context.Context, account *store.Account, username, password string) error {
	if err := s.slow.Wait(ctx); err != nil {
		return err
	}
	ok, err := false, error(nil)
	if username == account.Username {
		ok, err = s.checkPassword(ctx, account, password)
	} else {
		err = s.hasher.Waste(ctx, password)
	}
	if err == nil && !ok {
		s.slow.Failed(s.now())
		return fault.New(fault.Unauthorized, "wrong user name or password")
	}
	return err
}

// checkPassword compares a password with the administrator's and renews a hash
// of older parameters.
func (s *Server) checkPassword(ctx context.Context, account *store.Account, password string) (bool, error) {
	ok, rehash, err := s.hasher.Verify(ctx, account.Password, password)
	if ok && rehash {
		s.rehash(ctx, account, password)
	}
	return ok, err
}

// rehash replaces the stored hash. A failure leaves the old one, which is good
// enough until the next login.
func (s *Server) rehash(ctx context.Context, account *store.Account, password string) {
	hash, err := s.hasher.Hash(ctx, password)
	if err == nil {
		err = s.db.Update(func(tx *store.Tx) error {
			stored, err := tx.Account()
			if err != nil || stored.Epoch != account.Epoch {
				return err
			}
			stored.Password = hash
			return tx.PutAccount(stored)
		})
	}
	if err != nil {
		s.log.Warn("password hash not renewed", "error", err)
	}
}

func (s *Server) me(w http.ResponseWriter, _ *request) error {
	return respond(w, http.StatusOK, viewUser(s.db.Account()))
}

type profileInput struct {
	CurrentPassword Optional[string] `json:"current_password"`
	Username        Optional[string] `json:"username"`
	NewPassword     Optional[string] `json:"new_password"`
}

func (s *Server) updateProfile(w http.ResponseWriter, r *request) error {
	account, err := s.changeAccount(r, usernameRule, passwordRule)
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, viewUser(account))
}

func (s *Server) updatePassword(w http.ResponseWriter, r *request) error {
	if _, err := s.changeAccount(r, textRule{}, required(passwordRule)); err != nil {
		return err
	}
	return respondDeleted(w)
}

func (s *Server) updateUsername(w http.ResponseWriter, r *request) error {
	if _, err := s.changeAccount(r, required(usernameRule), textRule{}); err != nil {
		return err
	}
	return respondDeleted(w)
}

// changeAccount changes name, password or both. A field whose rule is the zero
// rule is not one of the endpoint's and is ignored like any unknown field.
func (s *Server) changeAccount(r *request, username, password textRule) (*store.Account, error) {
	var in profileInput
	if err := decode(r, &in); err != nil {
		return nil, err
	}
	var p problems
	p.text("current_password", in.CurrentPassword, required(passwordRule))
	if username == (textRule{}) {
		in.Username = Optional[string]{}
	}
	if password == (textRule{}) {
		in.NewPassword = Optional[string]{}
	}
	p.changed("username", in.Username, username)
	p.changed("new_password", in.NewPassword, password)
	if err := p.err(); err != nil {
		return nil, err
	}
	ok, err := s.checkPassword(r.Context(), s.db.Account(), *in.CurrentPassword.Value)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fault.New(fault.Unauthorized, "current_password is wrong")
	}
	return s.storeAccount(r.Context(), in)
}

// changed checks a field of the account. Leaving out one that is not required
// keeps what is stored; null would leave nothing.
func (p *problems) changed(field string, o Optional[string], rule textRule) {
	if o.null() && !rule.required {
		p.add("%s must not be null", field)
	}
	p.text(field, o, rule)
}

// storeAccount writes a checked change. A change of name or password ends all
// logins; the same name again is none.
func (s *Server) storeAccount(ctx context.Context, in profileInput) (*store.Account, error) {
	var hash string
	if in.NewPassword.Value != nil {
		var err error
		if hash, err = s.hasher.Hash(ctx, *in.NewPassword.Value); err != nil {
			return nil, err
		}
	}
	err := s.db.Update(func(tx *store.Tx) error {
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
	return s.db.Account(), err
}
