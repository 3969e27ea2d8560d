package httpserver

import (
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
)

func TestAddressesCanBeClicked(t *testing.T) {
	t.Parallel()
	machine := func() (list []net.Addr, err error) {
		for _, text := range []string{"127.0.0.1/8", "::1/128", "2001:db8::7/64", "192.168.1.5/24", "fe80::1/64", "100.64.0.9/32"} {
			ip, network, err := net.ParseCIDR(text)
			if err != nil {
				return nil, err
			}
			list = append(list, &net.IPNet{IP: ip, Mask: network.Mask})
		}
		return list, nil
	}
	const four = "http://127.0.0.1:4000 http://192.168.1.5:4000 http://100.64.0.9:4000"
	for _, tc := range []struct{ ip, want string }{
		{"127.0.0.1", "http://127.0.0.1:4000"},
		{"::1", "http://[::1]:4000"},
		{"192.0.2.7", "http://192.0.2.7:4000"},
		{"0.0.0.0", four},
		{"::", four + " http://[2001:db8::7]:4000"},
	} {
		if got := strings.Join(reachable("http", &net.TCPAddr{IP: net.ParseIP(tc.ip), Port: 4000}, machine), " "); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.ip, got, tc.want)
		}
	}
	refused := func() ([]net.Addr, error) { return nil, errors.New("not allowed") }
	if got := reachable("https", &net.TCPAddr{IP: net.IPv6zero, Port: 443}, refused); !slices.Equal(got, []string{"https://127.0.0.1:443"}) {
		t.Errorf("where addresses cannot be listed: got %q", got)
	}
}
