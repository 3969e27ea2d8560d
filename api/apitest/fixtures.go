package apitest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/internal/auth"
	"svc/internal/geo"
)

// Token signs a login token like the server does. The parameter ago is the age of the token. Tests
// pass unusual values to get an invalid token.
func (s *Server) Token(t *testing.T, secret, subject string, epoch uint64, ago time.Duration) string {
	t.Helper()
	tokens, err := auth.NewTokens([]byte(secret), 2*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	token, err := tokens.Sign(subject, epoch, s.Clock.Now().Add(-ago))
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// Day is the number of seconds in a day.
const Day = 24 * 60 * 60

// Credentials returns the request body of a login.
func Credentials(username, password string) string {
	return fmt.Sprintf(`{"username":%q,"password":%q}`, username, password)
}

// LogIn logs in and returns the status of the response. It also returns the login token if the login
// succeeds.
func (s *Server) LogIn(t testing.TB, username, password string) (status int, token string) {
	t.Helper()
	status, answer, _ := s.Do(t, "POST", "/auth/login", "", Credentials(username, password))
	if status == 201 {
		token = Field[string](t, answer, "access_token")
	}
	return status, token
}

// Works reports whether the server accepts a login token.
func (s *Server) Works(t testing.TB, token string) bool {
	t.Helper()
	status, answer, _ := s.Do(t, "GET", "/auth/me", token, "")
	if status != 200 && status != 401 {
		t.Fatalf("GET /auth/me: %d %s", status, answer)
	}
	return status == 200
}

// Furnish creates a project with the records that the public routes read.
func (s *Server) Furnish(t testing.TB, key string) {
	t.Helper()
	s.Must(t, 201, "POST", "/admin/projects", `{"project_key":"`+key+`","name":"x"}`)
	s.Must(t, 201, "POST", "/admin/projects/"+key+"/versions", `{"version":"v1.0","comparable_version":"1.0"}`)
	s.Must(t, 201, "POST", "/admin/projects/"+key+"/announcements", `{"title":"x","content":"x"}`)
}

// WithWindow sets the duration for which identical submissions are stored only once.
func WithWindow(d time.Duration) Option { return func(o *Options) { o.Store.DedupWindow = d } }

// WithGeo enables the lookup of locations in the built-in table of countries.
func WithGeo(t *testing.T) Option {
	geo, err := geo.Open(true, "")
	if err != nil {
		t.Fatal(err)
	}
	return func(o *Options) { o.Config.Geo = geo }
}

// Call works like Ask but returns an error, because only the goroutine of the test may call Fatal.
func (s *Server) Call(t testing.TB, method, path, body string) (int, []byte, error) {
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if !strings.HasPrefix(path, "/public/") {
		r.Header.Set("Authorization", "Bearer "+s.Admin)
	}
	answer, err := s.Client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, nil, err
	}
	LoadContract(t).Check(t, r, answer.StatusCode, answer.Header, b)
	return answer.StatusCode, b, nil
}
