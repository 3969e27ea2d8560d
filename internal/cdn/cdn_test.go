package cdn_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/internal/cdn"
)

// TestSignature compares signatures with the example in the provider's documentation and with a
// signature made by openssl: printf 'POST&%2F&…' | openssl dgst -sha1 -hmac.
func TestSignature(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		method, secret, want string
		parameters           map[string]string
	}{
		{"GET", "testsecret", "KkkQOf0ymKf4yVZLggy6kYiwgFs=", map[string]string{
			"SignatureVersion": "1.0", "Format": "JSON", "Timestamp": "2015-08-06T02:19:46Z", "AccessKeyId": "testid",
			"SignatureMethod": "HMAC-SHA1", "Version": "2014-11-11", "Action": "DescribeCdnService",
			"SignatureNonce": "9b7a44b0-3be1-11e5-8c73-08002700c460",
		}},
		{"POST", "s3cr+t/", "lX4UfHi4FH7h4IuQ7V+9z9jLZvE=", map[string]string{
			"SignatureVersion": "1.0", "Format": "JSON", "Timestamp": "2026-01-02T03:04:05Z", "AccessKeyId": "id",
			"SignatureMethod": "HMAC-SHA1", "Version": "2018-05-10", "Action": "RefreshObjectCaches",
			"SignatureNonce": "9b7a44b0-3be1-41e5-8c73-08002700c460", "ObjectType": "File",
			"ObjectPath": "https://dl.example.com/f/app/abc/a%20b~*'().zip\nhttps://dl.example.com/f/%C3%A9",
		}},
	} {
		if got := cdn.Sign(tc.method, cdn.CanonicalForm(tc.parameters), tc.secret); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.method, got, tc.want)
		}
	}
}

// provider is a fake server for both providers. Its code for verifying signatures and
// tokens is independent of package cdn.
type provider struct {
	*httptest.Server
	mu     sync.Mutex
	calls  []string   // actions and methods that were called
	files  [][]string // files in each refresh
	nonces map[string]bool
	answer func(call int) (status int, body string) // response to each call; nil = success
}

func newProvider(t *testing.T) *provider {
	p := &provider{nonces: map[string]bool{}}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	refuse := p.cloudflare
	if r.URL.Path == "/" {
		refuse = p.aliyun
	}
	status, body := refuse(r)
	if status == 200 && p.answer != nil {
		status, body = p.answer(len(p.calls))
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// rfc3986 percent-encodes a text byte by byte.
func rfc3986(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.IndexByte("-_.~", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func (p *provider) aliyun(r *http.Request) (int, string) {
	if err := r.ParseForm(); err != nil || r.Method != "POST" || r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" {
		return 400, `{"Code":"BadRequest"}`
	}
	var pairs []string
	for name, values := range r.PostForm {
		if name != "Signature" {
			pairs = append(pairs, rfc3986(name)+"="+rfc3986(values[0]))
		}
	}
	slices.Sort(pairs)
	mac := hmac.New(sha1.New, []byte("the+secret&"))
	_, _ = fmt.Fprintf(mac, "POST&%%2F&%s", rfc3986(strings.Join(pairs, "&")))
	form := r.PostForm
	at, err := time.Parse("2006-01-02T15:04:05Z", form.Get("Timestamp"))
	switch {
	case form.Get("AccessKeyId") != "the id":
		return 404, `{"RequestId":"x","HostId":"y","Code":"InvalidAccessKeyId.NotFound","Message":"Specified access key is not found."}`
	case form.Get("Signature") != base64.StdEncoding.EncodeToString(mac.Sum(nil)):
		return 400, `{"Code":"SignatureDoesNotMatch","Message":"The signature does not match."}`
	case err != nil || time.Since(at).Abs() > time.Hour || p.nonces[form.Get("SignatureNonce")] || len(form.Get("SignatureNonce")) != 36,
		form.Get("Version") != "2018-05-10", form.Get("Format") != "JSON", form.Get("SignatureVersion") != "1.0", form.Get("SignatureMethod") != "HMAC-SHA1":
		return 400, `{"Code":"Unfit"}`
	}
	p.nonces[form.Get("SignatureNonce")] = true
	p.calls = append(p.calls, form.Get("Action"))
	switch form.Get("Action") {
	case "RefreshObjectCaches":
		p.files = append(p.files, strings.Split(form.Get("ObjectPath"), "\n"))
		if form.Get("ObjectType") != "File" {
			return 400, `{"Code":"InvalidObjectType.Malformed"}`
		}
		return 200, fmt.Sprintf(`{"RefreshTaskId":"task %d","RequestId":"x"}`, len(p.files))
	case "DescribeRefreshQuota":
		return 200, `{"UrlQuota":"10000","UrlRemain":"9998","DirQuota":"100","RequestId":"x"}`
	}
	return 400, `{"Code":"InvalidAction"}`
}

func (p *provider) cloudflare(r *http.Request) (int, string) {
	if r.Header.Get("Authorization") != "Bearer the+secret" {
		return 403, `{"success":false,"errors":[{"code":10000,"message":"Authentication error"}],"result":null}`
	}
	p.calls = append(p.calls, r.Method+" "+r.URL.EscapedPath())
	if r.Method == "GET" {
		return 200, `{"success":true,"errors":[],"result":{"id":"zone","name":"example.com"}}`
	}
	var body struct{ Files []string }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.Header.Get("Content-Type") != "application/json" {
		return 400, `{"success":false,"errors":[{"code":1012,"message":"Request must contain files"}]}`
	}
	p.files = append(p.files, body.Files)
	return 200, fmt.Sprintf(`{"success":true,"errors":[],"messages":[],"result":{"id":"task %d"}}`, len(p.files))
}

func (p *provider) client() *cdn.Client { return cdn.NewClient(p.Client(), p.URL, p.URL) }

// links returns the addresses of n different files.
func links(n int) (urls []string) {
	for i := range n {
		urls = append(urls, fmt.Sprintf("https://dl.example.com/f/app/%012d/a%%20b~*'()%%C3%%A9.zip", i))
	}
	return urls
}

var aliyun = cdn.Credentials{Provider: cdn.Aliyun, KeyID: "the id", Secret: "the+secret"}
var cloudflare = cdn.Credentials{Provider: cdn.Cloudflare, KeyID: "zone/1", Secret: "the+secret"}

// TestRefreshInBatches checks that every link is sent exactly once, and that no call
// exceeds the limit of the provider.
func TestRefreshInBatches(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		who    cdn.Credentials
		atOnce int
	}{"aliyun": {aliyun, 100}, "cloudflare": {cloudflare, 30}} {
		for _, n := range []int{0, 1, tc.atOnce, tc.atOnce + 1, 3 * tc.atOnce} {
			p, want := newProvider(t), links(n)
			got := p.client().Refresh(t.Context(), tc.who, want)
			calls := (n + tc.atOnce - 1) / tc.atOnce
			if got.Error != "" || len(got.TaskIDs) != calls || got.TaskIDs == nil || !slices.Equal(slices.Concat(p.files...), want) {
				t.Errorf("%s, %d links: got %+v in %d calls", name, n, got, len(p.files))
			}
			for _, files := range p.files {
				if len(files) > tc.atOnce {
					t.Errorf("%s: %d links in a call", name, len(files))
				}
			}
		}
	}
	p := newProvider(t)
	p.client().Refresh(t.Context(), cloudflare, links(1))
	if got := strings.Join(p.calls, ", "); got != "POST /client/v4/zones/zone%2F1/purge_cache" {
		t.Errorf("got calls %s", got)
	}
}

// TestRefreshGoesOnAfterAnError checks that the remaining calls are made after a call has failed,
// and that the links of the failed call are reported.
func TestRefreshGoesOnAfterAnError(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	p.answer = func(call int) (int, string) {
		if call == 2 {
			return 400, `{"Code":"QuotaExceeded.Refresh","Message":"Your refresh quota\nis exceeded."}`
		}
		return 200, `{"RefreshTaskId":"one"}`
	}
	all := links(300)
	got := p.client().Refresh(t.Context(), aliyun, all)
	if got.Error != "QuotaExceeded.Refresh: Your refresh quota is exceeded." || !slices.Equal(got.TaskIDs, []string{"one", "one"}) ||
		!slices.Equal(got.Failed, all[100:200]) || len(p.calls) != 3 {
		t.Errorf("got %+v after %d calls", got, len(p.calls))
	}
}

// TestCredentials checks the results of Test for valid and invalid credentials.
func TestCredentials(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	got := p.client().Test(t.Context(), aliyun)
	if got.Error != "" || got.Remain == nil || *got.Remain != 9998 || got.Quota == nil || *got.Quota != 10000 {
		t.Errorf("aliyun: got %+v", got)
	}
	if got := p.client().Test(t.Context(), cloudflare); got.Error != "" || got.Remain != nil || got.Quota != nil {
		t.Errorf("cloudflare: got %+v", got)
	}
	if got := strings.Join(p.calls, ", "); got != "DescribeRefreshQuota, GET /client/v4/zones/zone%2F1" {
		t.Errorf("got calls %s", got)
	}
	for want, who := range map[string]cdn.Credentials{
		"SignatureDoesNotMatch: The signature does not match.":            {Provider: cdn.Aliyun, KeyID: "the id", Secret: "other"},
		"InvalidAccessKeyId.NotFound: Specified access key is not found.": {Provider: cdn.Aliyun, KeyID: "other", Secret: "the+secret"},
		"10000: Authentication error":                                     {Provider: cdn.Cloudflare, KeyID: "zone", Secret: "other"},
		`there is no CDN provider "akamai"`:                               {Provider: "akamai"},
	} {
		if got := p.client().Test(t.Context(), who); got.Error != want {
			t.Errorf("got %q, want %q", got.Error, want)
		}
		if got := p.client().Refresh(t.Context(), who, links(1)); got.Error != want || len(got.TaskIDs) != 0 {
			t.Errorf("refresh: got %+v, want %q", got, want)
		}
	}
}

// TestStrangeAnswers checks that each unexpected response becomes an error with a text of
// one short line.
func TestStrangeAnswers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status           int
		body             string
		aliyun, cloudfla string
	}{
		{502, "<html>Bad Gateway</html>", "status 502: Bad Gateway", "status 502: Bad Gateway"},
		{200, "<html>Welcome</html>", "the answer of the provider is not JSON", "the answer of the provider is not JSON"},
		{200, "", "the answer of the provider is not JSON", "the answer of the provider is not JSON"},
		{200, `{"success":false}`, "", "the provider reports no success and gives no reason"},
		{500, `{"success":true,"result":{"id":"x"}}`, "status 500: Internal Server Error", "status 500: Internal Server Error"},
		{200, `{"Code":"Throttling","success":false,"errors":[{"code":7}]}`, "Throttling", "7"},
		{200, `[]`, "the answer of the provider has another form than expected", "the answer of the provider has another form than expected"},
		{400, `{"Code":17,"Message":"` + strings.Repeat("é", 500) + `"}`, "17: " + strings.Repeat("é", 296), "status 400: Bad Request"},
	} {
		p := newProvider(t)
		p.answer = func(int) (int, string) { return tc.status, tc.body }
		for who, want := range map[cdn.Credentials]string{aliyun: tc.aliyun, cloudflare: tc.cloudfla} {
			if got := p.client().Refresh(t.Context(), who, links(1)); got.Error != want {
				t.Errorf("%s, %d %.40s: got %q, want %q", who.Provider, tc.status, tc.body, got.Error, want)
			}
		}
	}
	p := newProvider(t)
	client := p.client()
	p.Close()
	for _, who := range []cdn.Credentials{aliyun, cloudflare} {
		if got := client.Test(t.Context(), who); got.Error == "" || strings.Contains(got.Error, "127.0.0.1") {
			t.Errorf("nobody there: got %q", got.Error)
		}
	}
}
