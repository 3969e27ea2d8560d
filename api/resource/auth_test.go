package resource_test

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/api/apitest"
	"svc/internal/auth"
	"svc/store"
)

func TestLogin(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	const wrong = `"message":"wrong user name or password"`
	for _, tc := range []struct {
		name, body string
		status     int
		answer     string
	}{
		{"right", apitest.Credentials("admin", apitest.Password), 201, `"expires_in":7200,"user":{"id":"`},
		{"user name is trimmed", apitest.Credentials(" admin\t", apitest.Password), 201, `"username":"admin","role":"ADMIN","must_change_password":false}`},
		{"unknown fields are ignored", `{"username":"admin","password":"correct horse","otp":1}`, 201, `"access_token":"`},
		{"case of the user name counts", apitest.Credentials("Admin", apitest.Password), 401, wrong},
		{"password is not trimmed", apitest.Credentials("admin", apitest.Password+" "), 401, wrong},
		{"case of the password counts", apitest.Credentials("admin", "Correct horse"), 401, wrong},
		{"unknown user gets the same answer", apitest.Credentials("nobody", apitest.Password), 401, wrong},
		{"six characters of more bytes are a password", apitest.Credentials("admin", "пароль"), 401, wrong},
		{"128 characters are a password", apitest.Credentials("admin", strings.Repeat("ö", 128)), 401, wrong},
		{"64 characters are a user name", apitest.Credentials(strings.Repeat("ö", 64), apitest.Password), 401, wrong},
		{"password of blanks", apitest.Credentials("admin", "      "), 401, wrong},
		{"short password", apitest.Credentials("admin", "12345"), 400, `"message":["password must have at least 6 characters"]`},
		{"long password", apitest.Credentials("admin", strings.Repeat("ö", 129)), 400, `"message":["password must have at most 128 characters"]`},
		{"long user name", apitest.Credentials(strings.Repeat("ö", 65), apitest.Password), 400, `"message":["username must have at most 64 characters"]`},
		{"blank user name", apitest.Credentials(" ", apitest.Password), 400, `"message":["username must not be empty"]`},
		{"all broken rules at once", `{"username":5,"password":"x"}`, 400, `"message":["username must be a string","password must have at least 6 characters"]`},
		{"both left out", `{}`, 400, `"message":["username is required","password is required"]`},
		{"both null", `{"username":null,"password":null}`, 400, `"message":["username is required","password is required"]`},
		{"no body", ``, 400, `"message":["username is required","password is required"]`},
		{"names of fields are compared exactly", `{"Username":"admin","PASSWORD":"correct horse"}`, 400, `"username is required"`},
	} {
		status, answer, header := s.Do(t, "POST", "/auth/login", "", tc.body)
		if status != tc.status || !strings.Contains(answer, tc.answer) {
			t.Errorf("%s: got %d %s, want %d %s", tc.name, status, answer, tc.status, tc.answer)
		}
		if got := header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: Cache-Control is %q, want no-store", tc.name, got)
		}
	}
	s.Exchanges(t, []apitest.Exchange{{"status of the module", "GET", "/auth/status", "", 200, `{"module":"auth","implemented":true}`}})
	_, token := s.LogIn(t, "admin", apitest.Password)
	id := s.DB.Account().ID.String()
	user := `{"id":"` + id + `","username":"admin","role":"ADMIN","must_change_password":false}`
	for _, path := range []string{"/auth/me", "/auth/admin-profile"} {
		if status, answer, _ := s.Do(t, "GET", path, token, ""); status != 200 || answer != user {
			t.Errorf("GET %s with the token: got %d %s, want 200 %s", path, status, answer, user)
		}
	}
}

func TestLoginThrottle(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Clock.Stop()
	from := func(address, username, password string) (int, string) {
		status, answer, header := s.Send(t, "POST", "/api/v1/auth/login", map[string]string{"X-Forwarded-For": address}, apitest.Credentials(username, password))
		if wait, err := strconv.Atoi(header.Get("Retry-After")); status == 429 && (err != nil || wait < 1 || wait > 300) {
			t.Errorf("Retry-After is %q, want 1 to 300 seconds", header.Get("Retry-After"))
		}
		return status, answer
	}
	expect := func(what string, status int, address, username, password string) {
		t.Helper()
		if got, answer := from(address, username, password); got != status {
			t.Errorf("%s: got %d %s, want %d", what, got, answer, status)
		}
	}
	const here, there = "198.51.100.1", "198.51.100.2"
	for i := range 19 {
		expect("wrong password "+strconv.Itoa(i), 401, here, "admin", "wrong password")
		expect("login between the failures", 201, here, "admin", apitest.Password)
		expect("what is no attempt", 400, here, "admin", "short")
	}
	expect("wrong user name, the twentieth failure", 401, here, "nobody", apitest.Password)
	expect("failure beyond the limit", 429, here, "admin", "wrong password")
	expect("right password beyond the limit", 429, here, "admin", apitest.Password)
	expect("what is no attempt beyond the limit", 429, here, "admin", "short")
	expect("another address", 201, there, "admin", apitest.Password)
	if !s.Works(t, s.Admin) {
		t.Error("the throttle ended a login")
	}
	s.Clock.Advance(4 * time.Minute)
	expect("before the window ends", 429, here, "admin", apitest.Password)
	s.Clock.Advance(61 * time.Second)
	expect("after the window", 401, here, "admin", "wrong password")
	expect("login after the window", 201, here, "admin", apitest.Password)
}

// TestLoginThrottleAtOnce checks that the server compares only twenty passwords, however many
// attempts are made simultaneously.
func TestLoginThrottleAtOnce(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	var refused, throttled atomic.Int32
	var all sync.WaitGroup
	for range 60 {
		all.Go(func() {
			switch status, _ := s.LogIn(t, "admin", "wrong password"); status {
			case 401:
				refused.Add(1)
			case 429:
				throttled.Add(1)
			default:
				t.Errorf("got %d", status)
			}
		})
	}
	all.Wait()
	if refused.Load() != 20 || throttled.Load() != 40 {
		t.Errorf("of 60 wrong logins %d were compared and %d throttled, want 20 and 40", refused.Load(), throttled.Load())
	}
}

func TestLoginLifetime(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, func(o *apitest.Options) { o.Config.JWTLife = 90 * time.Second })
	status, answer, _ := s.Do(t, "POST", "/auth/login", "", apitest.Credentials("admin", apitest.Password))
	if got := apitest.Field[int](t, answer, "expires_in"); status != 201 || got != 90 {
		t.Fatalf("got %d, expires_in %d, want 201 and 90", status, got)
	}
	token := apitest.Field[string](t, answer, "access_token")
	s.Clock.Advance(85 * time.Second)
	if !s.Works(t, token) {
		t.Error("the login ended before its time")
	}
	s.Clock.Advance(6 * time.Second)
	if s.Works(t, token) {
		t.Error("the login lasts longer than it said")
	}
}

func TestAccountChange(t *testing.T) {
	t.Parallel()
	const current = `"current_password":"correct horse"`
	for _, tc := range []struct {
		name, path, body   string
		username, password string // the user name and the password that are valid after the change
		ends               bool   // whether earlier sessions end
	}{
		{"password", "/auth/password", `{` + current + `,"new_password":"battery staple"}`, "admin", "battery staple", true},
		{"password is taken as sent", "/auth/password", `{` + current + `,"new_password":"  two blanks  "}`, "admin", "  two blanks  ", true},
		{"password leaves the name alone", "/auth/password", `{` + current + `,"new_password":"battery staple","username":"boss"}`, "admin", "battery staple", true},
		{"name", "/auth/account", `{` + current + `,"username":"boss"}`, "boss", apitest.Password, true},
		{"name is trimmed", "/auth/account", `{` + current + `,"username":" the boss "}`, "the boss", apitest.Password, true},
		{"name leaves the password alone", "/auth/account", `{` + current + `,"username":"boss","new_password":"battery staple"}`, "boss", apitest.Password, true},
		{"name as it is", "/auth/account", `{` + current + `,"username":"admin"}`, "admin", apitest.Password, false},
		{"profile: name", "/auth/admin-profile", `{` + current + `,"username":"boss"}`, "boss", apitest.Password, true},
		{"profile: password", "/auth/admin-profile", `{` + current + `,"new_password":"battery staple"}`, "admin", "battery staple", true},
		{"profile: both", "/auth/admin-profile", `{` + current + `,"username":"boss","new_password":"battery staple"}`, "boss", "battery staple", true},
		{"profile: neither", "/auth/admin-profile", `{` + current + `}`, "admin", apitest.Password, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewServer(t)
			_, used := s.LogIn(t, "admin", apitest.Password)
			_, bystander := s.LogIn(t, "admin", apitest.Password)
			key := s.Key(t, `{"name":"k","scopes":["projects:read"]}`)
			status, answer, _ := s.Do(t, "PATCH", tc.path, used, tc.body)
			if status != 200 {
				t.Fatalf("got %d %s, want 200", status, answer)
			}
			if tc.path == "/auth/admin-profile" {
				if got := apitest.Field[string](t, answer, "username"); got != tc.username {
					t.Errorf("the answer names %q, want %q", got, tc.username)
				}
			} else if answer != `{"success":true}` {
				t.Errorf("got %s", answer)
			}
			if s.Works(t, used) == tc.ends || s.Works(t, bystander) == tc.ends {
				t.Errorf("the login that was used works: %v, another one: %v, want them ended: %v", s.Works(t, used), s.Works(t, bystander), tc.ends)
			}
			if status, _, _ := s.Do(t, "GET", "/admin/projects", key, ""); status != 200 {
				t.Errorf("API key after the change: got %d, want 200", status)
			}
			if status, token := s.LogIn(t, tc.username, tc.password); status != 201 || !s.Works(t, token) {
				t.Errorf("login as %q with %q: got %d", tc.username, tc.password, status)
			}
			if tc.username != "admin" || tc.password != apitest.Password {
				if status, _ := s.LogIn(t, "admin", apitest.Password); status != 401 {
					t.Errorf("login as before: got %d, want 401", status)
				}
			}
		})
	}
}

func TestAccountChangeRefused(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	const current = `"current_password":"correct horse"`
	for _, tc := range []struct {
		name, path, body string
		status           int
		answer           string
	}{
		{"password: wrong current one", "/auth/password", `{"current_password":"wrong password","new_password":"battery staple"}`, 401, `"message":"current_password is wrong"`},
		{"password: current one with a blank", "/auth/password", `{"current_password":"correct horse ","new_password":"battery staple"}`, 401, `current_password is wrong`},
		{"password: neither", "/auth/password", `{}`, 400, `["current_password is required","new_password is required"]`},
		{"password: new one missing", "/auth/password", `{` + current + `}`, 400, `["new_password is required"]`},
		{"password: new one null", "/auth/password", `{` + current + `,"new_password":null}`, 400, `["new_password is required"]`},
		{"password: new one short", "/auth/password", `{` + current + `,"new_password":"12345"}`, 400, `["new_password must have at least 6 characters"]`},
		{"password: new one long", "/auth/password", `{` + current + `,"new_password":"` + strings.Repeat("x", 129) + `"}`, 400, `["new_password must have at most 128 characters"]`},
		{"password: new one a number", "/auth/password", `{` + current + `,"new_password":123456}`, 400, `["new_password must be a string"]`},
		{"name: wrong current password", "/auth/account", `{"current_password":"wrong password","username":"boss"}`, 401, `current_password is wrong`},
		{"name: neither", "/auth/account", `{}`, 400, `["current_password is required","username is required"]`},
		{"name: blank", "/auth/account", `{` + current + `,"username":" "}`, 400, `["username must not be empty"]`},
		{"name: long", "/auth/account", `{` + current + `,"username":"` + strings.Repeat("x", 65) + `"}`, 400, `["username must have at most 64 characters"]`},
		{"profile: wrong current password and nothing to change", "/auth/admin-profile", `{"current_password":"wrong password"}`, 401, `current_password is wrong`},
		{"profile: no current password", "/auth/admin-profile", `{"username":"boss"}`, 400, `["current_password is required"]`},
		{"profile: name null", "/auth/admin-profile", `{` + current + `,"username":null}`, 400, `["username must not be null"]`},
		{"profile: password null", "/auth/admin-profile", `{` + current + `,"username":"boss","new_password":null}`, 400, `["new_password must not be null"]`},
		{"profile: one of two is wrong", "/auth/admin-profile", `{` + current + `,"username":"boss","new_password":"x"}`, 400, `["new_password must have at least 6 characters"]`},
	} {
		status, answer, _ := s.Do(t, "PATCH", tc.path, s.Admin, tc.body)
		if status != tc.status || !strings.Contains(answer, tc.answer) {
			t.Errorf("%s: got %d %s, want %d %s", tc.name, status, answer, tc.status, tc.answer)
		}
	}
	if status, _ := s.LogIn(t, "admin", apitest.Password); status != 201 || !s.Works(t, s.Admin) {
		t.Errorf("refused changes changed something: login answers %d", status)
	}
}

// TestLoginRenewsHash checks that the next login replaces a password hash that has weaker
// parameters, and that this does not end any session.
func TestLoginRenewsHash(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	const weak = "$argon2id$v=19$m=8192,t=1,p=1$"
	account := *s.DB.Account()
	account.Password = weak + "c2FsdHNhbHRzYWx0c2FsdA$ulKcj6VJ78RNwnS/MJMzy87l8JYJKGxNMZ6yzgcex6M"
	if err := s.DB.Update(func(tx *store.Tx) error { return tx.PutAccount(&account) }); err != nil {
		t.Fatal(err)
	}
	if status, _ := s.LogIn(t, "admin", apitest.Password); status != 201 {
		t.Fatalf("login with a weak hash: got %d", status)
	}
	if got := s.DB.Account().Password; strings.HasPrefix(got, weak) {
		t.Errorf("the hash is still %s", got)
	}
	if status, _ := s.LogIn(t, "admin", apitest.Password); status != 201 || !s.Works(t, s.Admin) {
		t.Errorf("login with the new hash: got %d", status)
	}
	if ok, _, err := auth.NewHasher().Verify(t.Context(), s.DB.Account().Password, apitest.Password); !ok || err != nil {
		t.Errorf("the new hash is of another password: %v", err)
	}
}
