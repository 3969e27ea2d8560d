package target

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"svc/internal/outbound"
)

// Token lets a primary store objects on a standby.
type Token struct {
	Secret      [32]byte // random; sent with each request
	Certificate [32]byte // SHA-256 of the certificate of the standby, which is not signed by an authority
}

const tokenPrefix = "svcr1_"

// String returns the token as one word.
func (t Token) String() string {
	return tokenPrefix + base64.RawURLEncoding.EncodeToString(append(t.Secret[:], t.Certificate[:]...))
}

// Bearer returns the value of the header Authorization.
func (t Token) Bearer() string { return "Bearer " + base64.RawURLEncoding.EncodeToString(t.Secret[:]) }

// ParseToken parses the result of Token.String. The error does not contain the text.
func ParseToken(text string) (t Token, err error) {
	rest, ours := strings.CutPrefix(strings.TrimSpace(text), tokenPrefix)
	b, err := base64.RawURLEncoding.Strict().DecodeString(rest)
	if !ours || err != nil || len(b) != len(t.Secret)+len(t.Certificate) {
		return Token{}, errors.New("the password for a standby must be the token that svc standby token prints there")
	}
	copy(t.Secret[:], b)
	copy(t.Certificate[:], b[len(t.Secret):])
	return t, nil
}

// The paths of the server of a standby.
const (
	PeerObjects = "/v1/objects/" // followed by the name: PUT, GET, DELETE
	PeerList    = "/v1/list"     // GET with the parameter folder; the response is a sequence of Objects in JSON
)

// peer stores objects on a standby. PUT with "If-None-Match: *" is create-only.
type peer struct {
	*outbound.Watch
	client *http.Client
	base   string
	bearer string
}

// openPeer uses a client of its own, because it accepts only one certificate.
func openPeer(l Location, c Credentials) (Target, error) {
	token, err := ParseToken(c.Password)
	if err != nil {
		return nil, err
	}
	const connectTime, answerTime = 10 * time.Second, 2 * time.Minute
	watch := outbound.NewWatch(outbound.Idle(&http.Transport{
		DialContext:           outbound.Dialer(outbound.Config{Profile: outbound.Operator}),
		TLSClientConfig:       pinned(token.Certificate),
		TLSHandshakeTimeout:   connectTime,
		ResponseHeaderTimeout: answerTime,
		ExpectContinueTimeout: time.Second,
		MaxIdleConnsPerHost:   4,
		IdleConnTimeout:       90 * time.Second,
		DisableCompression:    true,
	}, outbound.IdleTime))
	return &peer{watch, &http.Client{Transport: watch, CheckRedirect: noRedirect}, l.BaseURL, token.Bearer()}, nil
}

func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// pinned returns a configuration that accepts the certificate with the given SHA-256 and no other one.
func pinned(sum [32]byte) *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		InsecureSkipVerify: true, //nolint:gosec // VerifyConnection compares the certificate
		VerifyConnection: func(s tls.ConnectionState) error {
			if got := sha256.Sum256(s.PeerCertificates[0].Raw); subtle.ConstantTimeCompare(got[:], sum[:]) != 1 {
				return errCertificate
			}
			return nil
		},
	}
}

// do sends a request. The response has one of the statuses 200, 201 and 204.
func (p *peer) do(ctx context.Context, method, path string, body io.ReaderAt, size int64, header http.Header) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, p.base+path, nil)
	if err != nil {
		return nil, err
	}
	r.Header = header
	r.Header.Set("Authorization", p.bearer)
	if r.ContentLength = size; size > 0 {
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(body, 0, size)), nil }
		r.Body, _ = r.GetBody() // never fails
	}
	if size > expectFrom {
		r.Header.Set("Expect", "100-continue")
	}
	answer, err := p.client.Do(r)
	switch {
	case errors.Is(err, errCertificate):
		return nil, errCertificate
	case err != nil:
		return nil, outbound.Explain(err)
	}
	if err := statusOf(answer.StatusCode); err != nil {
		return nil, p.Busy(errors.Join(err, answer.Body.Close()))
	}
	return answer, nil
}

// expectFrom is the size in bytes from which content is sent only after the standby has accepted the
// header.
const expectFrom = 256 << 10

func statusOf(status int) error {
	switch status {
	case http.StatusOK, http.StatusCreated, http.StatusNoContent:
		return nil
	case http.StatusPreconditionFailed:
		return ErrExists
	case http.StatusNotFound:
		return ErrMissing
	case http.StatusUnauthorized:
		return errors.New("the standby refuses the token")
	case http.StatusConflict:
		return errEnded
	case http.StatusInsufficientStorage:
		return errors.New("the disk of the standby is full")
	default:
		return fmt.Errorf("the standby answered %d", status)
	}
}

// put stores an object.
func (p *peer) put(ctx context.Context, name string, content io.ReaderAt, size int64, header http.Header) error {
	if err := CheckName(name); err != nil {
		return err
	}
	answer, err := p.do(ctx, http.MethodPut, PeerObjects+name, content, size, header)
	if err == nil {
		err = answer.Body.Close()
	}
	return named(name, err)
}

// Create stores an object that must not exist. A promoted standby refuses segments of epochs that have
// ended. That is no error here: such a segment does not count wherever it is stored, and the primary reads
// the epoch after each segment, which tells it more than an error can.
func (p *peer) Create(ctx context.Context, name string, content io.ReaderAt, size int64) error {
	err := p.put(ctx, name, content, size, http.Header{"If-None-Match": {"*"}})
	if errors.Is(err, errEnded) {
		return nil
	}
	return err
}

// Replace stores an object whether it exists or not.
func (p *peer) Replace(ctx context.Context, name string, content []byte) error {
	return p.put(ctx, name, bytes.NewReader(content), int64(len(content)), http.Header{})
}

// Open requests an object.
func (p *peer) Open(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	if err := CheckName(name); err != nil {
		return nil, 0, err
	}
	answer, err := p.do(ctx, http.MethodGet, PeerObjects+name, nil, 0, http.Header{})
	if err != nil {
		return nil, 0, named(name, err)
	}
	size := answer.ContentLength
	if size < 0 {
		return nil, 0, named(name, errors.Join(errors.New("the standby does not say how long the object is"), answer.Body.Close()))
	}
	return &exact{body: answer.Body, remaining: size}, size, nil
}

// List requests the names of all objects in a folder.
func (p *peer) List(ctx context.Context, folder string, visit func(Object) error) error {
	if err := CheckFolder(folder); err != nil {
		return err
	}
	answer, err := p.do(ctx, http.MethodGet, PeerList+"?folder="+url.QueryEscape(folder), nil, 0, http.Header{})
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	defer answer.Body.Close()
	// A response that breaks off ends with another error than io.EOF.
	for decoder := json.NewDecoder(answer.Body); ; {
		var o Object
		switch err := decoder.Decode(&o); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("list: %w", outbound.Explain(err))
		}
		if err := CheckName(o.Name); err != nil {
			return err
		}
		if err := visit(o); err != nil {
			return err
		}
	}
}

// Delete deletes an object.
func (p *peer) Delete(ctx context.Context, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	answer, err := p.do(ctx, http.MethodDelete, PeerObjects+name, nil, 0, http.Header{})
	if err == nil {
		err = answer.Body.Close()
	}
	return named(name, err)
}

var (
	errCertificate = errors.New("the certificate of the standby is not that of the token")
	errEnded       = errors.New("the standby was promoted, and refuses objects of an older epoch")
)
