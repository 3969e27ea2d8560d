package hooks_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/internal/notify/smtp"
	"svc/internal/outbound"
	"svc/internal/testutil/mailsink"
)

// mailServer returns a client of the mail server at an address.
func mailServer(t *testing.T, addr string) *smtp.Server {
	t.Helper()
	u, err := url.Parse("smtp://" + addr + "?starttls=off")
	if err != nil {
		t.Fatal(err)
	}
	return smtp.New(smtp.Config{URL: u, From: "svc@sender.example", Dial: outbound.Dialer(outbound.Config{Profile: outbound.Operator})})
}

// TestProbe sends tests over each kind of hook, also if it is disabled.
func TestProbe(t *testing.T) {
	t.Parallel()
	type got struct {
		header http.Header
		body   string
	}
	requests := make(chan got, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		requests <- got{r.Header, string(body)}
		_, _ = io.WriteString(w, strings.Repeat("ä", 600))
	}))
	t.Cleanup(receiver.Close)
	mails := mailsink.New(t, mailsink.Config{})
	s := apitest.NewServer(t, apitest.WithMail(mailServer(t, mails.Addr)))
	s.Project(t, "app")
	for _, all := range families {
		title := map[string]string{ofProject: "app: test", ofInstance: "svc: test"}[all]
		for kind, want := range map[string]string{
			"webhook": `{"type":"hook.test","timestamp":"`, "ntfy": "This is a test", "slack": `{"text":"*` + title + `*\nThis is a test`,
			"discord": `{"embeds":[{"title":"` + title + `","description":"This is a test`,
		} {
			one := hook(t, s, all, fmt.Sprintf(`{"name":"%s","kind":%[1]q,"url":"%s/a/b/c","enabled":false}`, kind, receiver.URL))
			answer := s.Must(t, 200, "POST", one+"/test", "")
			request := <-requests
			if apitest.CompareJSON(t, answer, `{"ok":true,"status":200,"error":null}`) != "" || len(apitest.Field[string](t, answer, "response")) > 1024 {
				t.Errorf("%s: got %s", kind, answer)
			}
			if !strings.HasPrefix(request.body, want) || request.header.Get("User-Agent") != "svc/test" {
				t.Errorf("%s: got %+v, want %s", kind, request, want)
			}
			if id := request.header.Get("Webhook-Id"); kind == "webhook" && !sendable.MatchString(id) {
				t.Errorf("got the id %q", id)
			}
			s.Exchanges(t, []apitest.Exchange{
				{Name: "no delivery", Method: "GET", Path: one + "/deliveries", Status: 200, Want: `{"total":0}`},
				{Name: "no attempt", Method: "GET", Path: one, Status: 200, Want: `{"last_status":null,"enabled":false}`},
			})
		}
		mail := hook(t, s, all, `{"name":"people","kind":"email","to":["a@example.com","b@example.com"]}`)
		if answer := s.Must(t, 200, "POST", mail+"/test", ""); apitest.CompareJSON(t, answer, `{"ok":true,"status":250,"error":null}`) != "" {
			t.Errorf("email: got %s", answer)
		}
		sent := mails.Received()
		if last := sent[len(sent)-1]; len(last.To) != 2 || last.Header.Get("Subject") != title || !strings.HasPrefix(last.Body, "This is a test of the hook people.") {
			t.Errorf("email: got %+v", last)
		}
	}
}

// TestFailedProbe checks the answers to tests that fail. Refused addresses get no connection, and
// their errors name no address.
func TestFailedProbe(t *testing.T) {
	t.Parallel()
	visited := false
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, "/followed", http.StatusTemporaryRedirect)
		case "/followed":
			visited = true
		case "/refuses":
			http.Error(w, "no", http.StatusForbidden)
		}
	}))
	s := apitest.NewServer(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	unused := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		receiver.URL + "/refuses":  `{"ok":false,"status":403,"response":"no\n","error":"the receiver answered 403"}`,
		receiver.URL + "/redirect": `{"ok":false,"status":307,"error":"the receiver answered 307, a redirect, which is not followed"}`,
		unused:                     `{"ok":false,"status":0,"response":null,"error":"the connection was refused"}`,
		"http://169.254.169.254/x": `{"ok":false,"status":0,"response":null,"error":"the address is not allowed"}`,
		"http://0.0.0.0/":          `{"ok":false,"status":0,"response":null,"error":"the address is not allowed"}`,
		"http://[fe80::1]/":        `{"ok":false,"status":0,"response":null,"error":"the address is not allowed"}`,
	} {
		one := hook(t, s, ofInstance, fmt.Sprintf(`{"name":"a","kind":"webhook","url":%q}`, address))
		if answer := s.Must(t, 200, "POST", one+"/test", ""); apitest.CompareJSON(t, answer, want) != "" {
			t.Errorf("%s: got %s, want %s", address, answer, want)
		}
	}
	receiver.Close()
	if visited {
		t.Error("a redirect was followed")
	}
}
