package resource_test

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"svc/api/apitest"
)

// attempt tries to log in from the given address. It returns the status and the value of the
// Retry-After header, in seconds.
func attempt(t *testing.T, s *apitest.Server, address, username, password string) (status, retry int) {
	t.Helper()
	status, _, header := s.Send(t, "POST", "/api/v1/auth/login", map[string]string{"X-Forwarded-For": address}, apitest.Credentials(username, password))
	if status == 429 {
		var err error
		if retry, err = strconv.Atoi(header.Get("Retry-After")); err != nil {
			t.Errorf("Retry-After is %q", header.Get("Retry-After"))
		}
	}
	return status, retry
}

// TestLoginDuringAttack checks that the owner can log in from a new network while an attack from
// many networks slows down logins. From a known network, the login must not be delayed. An attempt
// that the limit rejects must not count as a failed login.
func TestLoginDuringAttack(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	const home, away = "203.0.113.7", "192.0.2.7"
	if status, _ := attempt(t, s, home, "admin", apitest.Password); status != 201 {
		t.Fatalf("before the attack: got %d", status)
	}
	for i := range 100 {
		if status, _ := attempt(t, s, fmt.Sprintf("198.51.%d.%d", i%5, i), "admin", "wrong password"); status != 401 {
			t.Fatalf("failure %d: got %d", i, status)
		}
	}
	var over atomic.Bool
	var refused [5]atomic.Int64
	var attack sync.WaitGroup
	for i := range 14 {
		attack.Go(func() {
			for n := 0; !over.Load(); n++ {
				network := i % 5
				status, _ := attempt(t, s, fmt.Sprintf("198.51.%d.200", network), "admin", "wrong password")
				if status == 429 {
					refused[network].Add(1)
				}
			}
		})
	}
	for i := range 26 {
		if status, _ := attempt(t, s, home, "admin", apitest.Password); status != 201 {
			t.Errorf("login %d from a network that is known: got %d, want 201", i, status)
		}
	}
	// A neighbouring address is known too, because the whole network is stored.
	if status, _ := attempt(t, s, "203.0.113.200", "admin", apitest.Password); status != 201 {
		t.Errorf("a login of the same network: got %d, want 201", status)
	}
	if status, retry := attempt(t, s, away, "admin", apitest.Password); status != 201 {
		t.Errorf("a login of a new network: got %d, Retry-After %d; want 201", status, retry)
	}
	over.Store(true)
	attack.Wait()
	for network := range refused {
		if n := refused[network].Load(); n >= 20 {
			address := fmt.Sprintf("198.51.%d.200", network)
			if status, _ := attempt(t, s, address, "admin", apitest.Password); status != 201 {
				t.Errorf("%s, refused %d times: got %d with the right password, want 201", address, n, status)
			}
			return
		}
	}
	t.Error("no address was refused 20 times: the attack was too weak")
}

// TestRightPasswordsAtOnce checks that correct passwords do not count as failures, however many
// attempts are made simultaneously.
func TestRightPasswordsAtOnce(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			if status, _ := attempt(t, s, "203.0.113.7", "admin", apitest.Password); status != 201 {
				t.Errorf("got %d, want 201", status)
			}
		})
	}
	all.Wait()
}

// TestCurrentPasswordCounts checks that, at every endpoint, a wrong current password counts as a
// failed login of the client's address and a correct one does not.
func TestCurrentPasswordCounts(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	change := func(path, address, current string) (int, string) {
		status, _, header := s.Send(t, "PATCH", "/api/v1/auth/"+path, map[string]string{"X-Forwarded-For": address, "Authorization": "Bearer " + s.Admin},
			fmt.Sprintf(`{"current_password":%q,"username":"admin","new_password":%q}`, current, apitest.Password))
		return status, header.Get("Retry-After")
	}
	const here, there = "203.0.113.7", "203.0.113.8"
	paths := []string{"password", "account", "admin-profile"}
	for range 30 {
		if status, _ := change("account", here, apitest.Password); status != 200 {
			t.Fatalf("the right one: got %d", status)
		}
	}
	for i := range 20 {
		if status, _ := change(paths[i%3], here, "wrong password"); status != 401 {
			t.Fatalf("failure %d: got %d", i, status)
		}
	}
	for _, path := range paths {
		if status, retry := change(path, here, apitest.Password); status != 429 || retry == "" {
			t.Errorf("%s after 20 failures: got %d, Retry-After %q; want 429", path, status, retry)
		}
	}
	if status, _ := attempt(t, s, here, "admin", apitest.Password); status != 429 {
		t.Errorf("a login of the address: got %d, want 429", status)
	}
	if status, _ := change("account", there, apitest.Password); status != 200 {
		t.Errorf("another address: got %d, want 200", status)
	}
}

// TestControlConnectionHasNoLimit checks that the owner of the data directory is never rejected.
func TestControlConnectionHasNoLimit(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	for i := range 30 {
		if status, answer := s.Owner(t, "POST", "/api/v1/auth/login", apitest.Credentials("admin", "wrong password")); status != 401 {
			t.Fatalf("wrong password %d: got %d %s, want 401", i, status, answer)
		}
	}
	if status, answer := s.Owner(t, "POST", "/api/v1/auth/login", apitest.Credentials("admin", apitest.Password)); status != 201 {
		t.Errorf("the right one: got %d %s, want 201", status, answer)
	}
}
