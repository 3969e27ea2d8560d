package auth

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

var (
	tokenSecret = []byte("0123456789abcdef0123456789abcdef")
	tokenTime   = time.Unix(1_800_000_000, 0)
)

func newTokens(t testing.TB, life time.Duration) *Tokens {
	t.Helper()
	tokens, err := NewTokens(tokenSecret, life)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

// forge returns a token with arbitrary claims, signed with any method and key.
func forge(t testing.TB, method jwt.SigningMethod, key any, claims jwt.MapClaims) string {
	t.Helper()
	token, err := jwt.NewWithClaims(method, claims).SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestTokenComesBack(t *testing.T) {
	t.Parallel()
	tokens := newTokens(t, time.Hour)
	for _, epoch := range []uint64{0, 1, 1 << 53, math.MaxUint64} {
		token, err := tokens.Sign("u1", epoch, tokenTime)
		if err != nil {
			t.Fatal(err)
		}
		subject, got, err := tokens.Verify(token, tokenTime)
		if subject != "u1" || got != epoch || err != nil {
			t.Errorf("got %q, %d, %v, want u1, %d", subject, got, err, epoch)
		}
	}
	if got := tokens.Life(); got != time.Hour {
		t.Errorf("life: got %v, want %v", got, time.Hour)
	}
}

func TestNewTokensRefuses(t *testing.T) {
	t.Parallel()
	if _, err := NewTokens(tokenSecret[1:], time.Hour); err == nil {
		t.Error("a secret of 31 bytes: got no error")
	}
	if _, err := NewTokens(nil, time.Hour); err == nil {
		t.Error("no secret: got no error")
	}
	if _, err := NewTokens(tokenSecret, time.Second-1); err == nil {
		t.Error("a life below one second: got no error")
	}
}

func TestTokenTimes(t *testing.T) {
	t.Parallel()
	tokens := newTokens(t, time.Minute)
	token, err := tokens.Sign("u1", 7, tokenTime)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		at   time.Duration
		want error
	}{
		{"at once", 0, nil},
		{"until its life is over", time.Minute - 1, nil},
		{"not when its life is over", time.Minute, ErrToken},
		{"not later", 24 * time.Hour, ErrToken},
		{"a clock set back a little does not log out", -30 * time.Second, nil},
		{"a clock set back far does not lengthen its life", -31 * time.Second, ErrToken},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if _, _, err := tokens.Verify(token, tokenTime.Add(tc.at)); !errors.Is(err, tc.want) {
				t.Errorf("after %v: got %v, want %v", tc.at, err, tc.want)
			}
		})
	}
}

func TestTokenRefused(t *testing.T) {
	t.Parallel()
	tokens := newTokens(t, time.Hour)
	now := tokenTime.Unix()
	with := func(name string, value any) jwt.MapClaims {
		c := jwt.MapClaims{"iss": "svc", "sub": "u1", "iat": now, "exp": now + 60, "epoch": 7}
		if c[name] = value; value == nil {
			delete(c, name)
		}
		return c
	}
	hs256 := func(c jwt.MapClaims) string { return forge(t, jwt.SigningMethodHS256, tokenSecret, c) }
	good := hs256(with("", nil))
	if _, _, err := tokens.Verify(good, tokenTime); err != nil {
		t.Fatalf("the token that all are made from: %v", err)
	}
	part := strings.Split(good, ".")
	for _, tc := range []struct{ name, token string }{
		{"empty", ""},
		{"no token", "hello"},
		{"an API key", NewKey()},
		{"only dots", strings.Repeat(".", 100_000)},
		{"two parts", part[0] + "." + part[1]},
		{"four parts", good + ".x"},
		{"not signed", part[0] + "." + part[1] + "."},
		{"other content", part[0] + "." + part[1][:10] + "x" + part[1][11:] + "." + part[2]},
		{"blank behind", good + " "},
		{"line end behind", good + "\n"},
		{"padded", good + "="},
		{"another secret", forge(t, jwt.SigningMethodHS256, []byte("another secret of 32 bytes, long"), with("", nil))},
		{"an empty secret", forge(t, jwt.SigningMethodHS256, []byte{}, with("", nil))},
		{"HS512", forge(t, jwt.SigningMethodHS512, tokenSecret, with("", nil))},
		{"none", forge(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, with("", nil))},
		{"no expiry", hs256(with("exp", nil))},
		{"expired", hs256(with("exp", now))},
		{"not valid yet", hs256(with("nbf", now+1))},
		{"no issuer", hs256(with("iss", nil))},
		{"another issuer", hs256(with("iss", "svc2"))},
		{"no subject", hs256(with("sub", nil))},
		{"an empty subject", hs256(with("sub", ""))},
		{"subject as number", hs256(with("sub", 1))},
		{"no time of issue", hs256(with("iat", nil))},
		{"no epoch", hs256(with("epoch", nil))},
		{"epoch as text", hs256(with("epoch", "7"))},
		{"a negative epoch", hs256(with("epoch", -7))},
		{"a broken epoch", hs256(with("epoch", 7.5))},
		{"too long", hs256(with("sub", strings.Repeat("x", maxToken)))},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			subject, epoch, err := tokens.Verify(tc.token, tokenTime)
			if subject != "" || epoch != 0 || !errors.Is(err, ErrToken) {
				t.Errorf("got %q, %d, %v, want %v", subject, epoch, err, ErrToken)
			}
		})
	}
}

// FuzzVerifyToken checks that Verify accepts no token except the one that was signed.
func FuzzVerifyToken(f *testing.F) {
	tokens := newTokens(f, time.Hour)
	signed, err := tokens.Sign("u1", 7, tokenTime)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(signed)
	f.Add(signed[:len(signed)-1])
	f.Add(signed + "=")
	f.Add("eyJhbGciOiJub25lIn0.e30.")
	f.Add("eyJhbGciOiJIUzI1NiJ9.bnVsbA.AAAA")
	f.Fuzz(func(t *testing.T, token string) {
		_, _, err := tokens.Verify(token, tokenTime)
		if err == nil && token != signed {
			t.Fatalf("accepted %q, want only %q", token, signed)
		}
		if err != nil && (token == signed || !errors.Is(err, ErrToken)) {
			t.Fatalf("%q: got %v", token, err)
		}
	})
}

func TestParseLife(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		want       time.Duration
		ok         bool
	}{
		{"a number is seconds", "7200", 2 * time.Hour, true},
		{"seconds", "90s", 90 * time.Second, true},
		{"minutes", "5m", 5 * time.Minute, true},
		{"hours", "2h", 2 * time.Hour, true},
		{"days", "30d", 30 * 24 * time.Hour, true},
		{"leading zeros", "007", 7 * time.Second, true},
		{"the most that fits", "9223372036", 9223372036 * time.Second, true},
		{"one more does not fit", "9223372037", 0, false},
		{"days that do not fit", "106752d", 0, false},
		{"a number of many digits", strings.Repeat("9", 100), 0, false},
		{"zero", "0", 0, false},
		{"zero of a unit", "0h", 0, false},
		{"empty", "", 0, false},
		{"only a unit", "h", 0, false},
		{"negative", "-1", 0, false},
		{"a plus", "+1", 0, false},
		{"a fraction", "1.5h", 0, false},
		{"two units", "1h30m", 0, false},
		{"a unit in capitals", "2H", 0, false},
		{"milliseconds", "100ms", 0, false},
		{"another unit", "2w", 0, false},
		{"blanks", " 2h", 0, false},
		{"an underscore", "7_200", 0, false},
		{"hexadecimal", "0x10", 0, false},
		{"digits that are not ASCII", "２h", 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got, ok := ParseLife(tc.text); got != tc.want || ok != tc.ok {
				t.Errorf("ParseLife(%q): got %v, %v, want %v, %v", tc.text, got, ok, tc.want, tc.ok)
			}
		})
	}
}

// FuzzParseLife compares ParseLife with arithmetic that cannot overflow.
func FuzzParseLife(f *testing.F) {
	f.Add("2h")
	f.Add("106751d")
	f.Add("9223372036")
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := ParseLife(text)
		digits, seconds := text, int64(1)
		for unit, s := range map[string]int64{"s": 1, "m": 60, "h": 3600, "d": 86400} {
			if cut, has := strings.CutSuffix(text, unit); has {
				digits, seconds = cut, s
			}
		}
		want, isNumber := new(big.Int).SetString(digits, 10)
		valid := isNumber && strings.Trim(digits, "0123456789") == ""
		if valid {
			want.Mul(want, big.NewInt(seconds*int64(time.Second)))
			valid = want.Sign() > 0 && want.IsInt64()
		}
		if ok != valid || ok && int64(got) != want.Int64() {
			t.Fatalf("%q: got %d, %v, want %v, %v", text, got, ok, want, valid)
		}
	})
}

func BenchmarkVerifyToken(b *testing.B) {
	tokens := newTokens(b, time.Hour)
	token, err := tokens.Sign("u1", 7, tokenTime)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := tokens.Verify(token, tokenTime); err != nil {
			b.Fatal(err)
		}
	}
}
