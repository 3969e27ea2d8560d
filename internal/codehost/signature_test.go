package codehost_test

import (
	"strings"
	"testing"

	"svc/internal/codehost"
	"svc/internal/codehost/codehosttest"
)

func TestVerify(t *testing.T) {
	t.Parallel()
	// The body and the secret of the example in GitHub's webhook documentation.
	const raw, secret = "Hello, World!", "It's a Secret to Everybody"
	const signed = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
	if got := codehosttest.Sign([]byte(raw), secret); got != signed {
		t.Fatalf("Sign: got %s, want %s", got, signed)
	}
	for _, tc := range []struct {
		name, raw, header string
		secrets           []string
		want              bool
	}{
		{"right", raw, signed, []string{secret}, true},
		{"digits in capitals", raw, "sha256=" + strings.ToUpper(signed[7:]), []string{secret}, true},
		{"one of two secrets", raw, signed, []string{"new", secret}, true},
		{"the first of two secrets", raw, signed, []string{secret, "former"}, true},
		{"no secret", raw, signed, nil, false},
		{"an empty secret signs nothing", raw, codehosttest.Sign([]byte(raw), ""), []string{""}, false},
		{"another secret", raw, signed, []string{"another"}, false},
		{"another body", raw + "\n", signed, []string{secret}, false},
		{"missing", raw, "", []string{secret}, false},
		{"without sha256=", raw, signed[7:], []string{secret}, false},
		{"SHA-1", raw, "sha1=" + signed[7:47], []string{secret}, false},
		{"too short", raw, signed[:len(signed)-1], []string{secret}, false},
		{"too long", raw, signed + "00", []string{secret}, false},
		{"no hex", raw, "sha256=" + strings.Repeat("g", 64), []string{secret}, false},
		{"white space", raw, " " + signed, []string{secret}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := codehost.Verify([]byte(tc.raw), tc.header, tc.secrets...); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}
