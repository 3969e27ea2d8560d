package peer_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"svc/internal/replica/format"
	"svc/internal/replica/peer"
	"svc/internal/replica/target"
	"svc/internal/replica/target/targettest"
)

// serve serves the standby in a directory until the test ends, and returns its target and its address.
func serve(t testing.TB, dir string) (own target.Target, address string) {
	t.Helper()
	s, err := peer.Open(dir, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return target.OpenDirectory(peer.Objects(dir)), listener.Addr().String()
}

func token(t testing.TB, dir string, renew bool) string {
	t.Helper()
	text, err := peer.Token(dir, renew)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func open(t testing.TB, address, token string) target.Target {
	t.Helper()
	l, err := target.Parse("svc://" + address)
	if err != nil {
		t.Fatal(err)
	}
	to, err := target.Open(l, target.Credentials{Password: token}, http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	return to
}

func TestTarget(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, address := serve(t, dir)
	targettest.Run(t, func(t testing.TB) target.Target { return open(t, address, token(t, dir, false)) }, 64<<20)
}

// TestToken checks that the token stays the same until a new one is made, that one word of it is enough,
// and that a standby refuses every other token.
func TestToken(t *testing.T) {
	t.Parallel()
	dir, other := t.TempDir(), t.TempDir()
	first := token(t, dir, false) // before the first start
	_, address := serve(t, dir)
	if again := token(t, dir, false); again != first || strings.ContainsAny(first, " \n\t/+=") {
		t.Errorf("token %q, then %q", first, again)
	}
	mine, err := target.ParseToken(first)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := target.ParseToken(token(t, other, false))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		token target.Token
		want  string
	}{
		"right":        {mine, ""},
		"other secret": {target.Token{Secret: theirs.Secret, Certificate: mine.Certificate}, "the standby refuses the token"},
		"other certificate": {
			target.Token{Secret: mine.Secret, Certificate: theirs.Certificate}, "the certificate of the standby is not that of the token",
		},
	} {
		err := open(t, address, tc.token.String()).Replace(t.Context(), "primary", nil)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v; want %q", name, err, tc.want)
		}
	}
	renewed := token(t, dir, true)
	if renewed == first || token(t, dir, false) != renewed {
		t.Error("the token was not renewed")
	}
	_, restarted := serve(t, dir)
	if err := open(t, restarted, renewed).Replace(t.Context(), "primary", nil); err != nil {
		t.Error(err)
	}
	if err := open(t, restarted, first).Replace(t.Context(), "primary", nil); err == nil {
		t.Error("the old token is still valid")
	}
	for _, text := range []string{"", "secret", first[:len(first)-1], first + "A", strings.ToUpper(first)} {
		if _, err := target.ParseToken(text); err == nil || text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestPromotedStandby checks that a standby does not store the segments of epochs that have ended, and that
// its primary, which does not get an error then, sees the new epoch.
func TestPromotedStandby(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	own, address := serve(t, dir)
	primary := open(t, address, token(t, dir, false))
	store := func(to target.Target, name string) error {
		return to.Create(t.Context(), name, strings.NewReader("x"), 1)
	}
	for _, name := range []string{format.EpochName(1), format.SegmentName(1, 1)} {
		if err := store(primary, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := store(own, format.EpochName(2)); err != nil {
		t.Fatal(err)
	}
	for name, stored := range map[string]bool{
		format.SegmentName(1, 2): false, format.SegmentName(2, 1): true, format.CutName(3): true,
		format.ContentName(strings.Repeat("a", 64)): true,
	} {
		if err := store(primary, name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := target.Read(t.Context(), own, name, 1); (err == nil) != stored || err != nil && !errors.Is(err, target.ErrMissing) {
			t.Errorf("%s: %v; want stored %v", name, err, stored)
		}
	}
	if err := primary.Replace(t.Context(), format.SegmentName(1, 2), nil); err == nil || !strings.Contains(err.Error(), "was promoted") {
		t.Errorf("replace a segment: %v", err)
	}
	if _, err := target.Read(t.Context(), primary, format.EpochName(2), 1); err != nil {
		t.Errorf("the new epoch: %v", err)
	}
}
