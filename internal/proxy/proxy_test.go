package proxy

import (
	"fmt"
	"net/netip"
	"net/textproto"
	"strings"
	"testing"
)

func TestClient(t *testing.T) {
	t.Parallel()
	type lines = map[string][]string
	xff := func(values ...string) lines { return lines{"X-Forwarded-For": values} }
	one, two := Proxies{Count: 1}, Proxies{Count: 2}
	only := func(names ...string) Proxies { return Proxies{Count: 1, Headers: names} }
	const proxy = "10.0.0.1:4000"
	for _, tc := range []struct {
		name    string
		proxies Proxies
		peer    string
		header  lines
		want    string
	}{
		// Rule 1: trusted peers.
		{"rule 1: a private peer is believed", one, proxy, xff("8.8.8.8"), "8.8.8.8"},
		{"rule 1: a loopback peer is believed", one, "127.0.0.1:4000", xff("8.8.8.8"), "8.8.8.8"},
		{"rule 1: an IPv6 loopback peer is believed", one, "[::1]:4000", xff("8.8.8.8"), "8.8.8.8"},
		{"rule 1: a unique local peer is believed", one, "[fd00::1]:4000", xff("8.8.8.8"), "8.8.8.8"},
		{"rule 1: a private peer mapped into IPv6 is believed", one, "[::ffff:10.0.0.1]:4000", xff("8.8.8.8"), "8.8.8.8"},
		{"rule 1: a public peer is not", one, "9.9.9.9:4000", xff("8.8.8.8"), "9.9.9.9"},
		{"rule 1: a link-local peer is not", one, "[fe80::1%eth0]:4000", xff("8.8.8.8"), "fe80::1"},
		{"rule 1: a carrier-grade peer is not", one, "100.64.0.1:4000", xff("8.8.8.8"), "100.64.0.1"},
		{"rule 1: a peer without an address is not", one, "@", xff("8.8.8.8"), ""},
		{"rule 1: a count of 0 ignores all headers", Proxies{}, proxy, lines{"X-Forwarded-For": {"8.8.8.8"}, "X-Real-Ip": {"8.8.4.4"}}, "10.0.0.1"},
		{"rule 1: a count below 0 does too", Proxies{Count: -1}, proxy, xff("8.8.8.8"), "10.0.0.1"},
		{"rule 1: a count of 0 ignores configured headers", Proxies{Headers: []string{"X-Real-IP"}}, proxy, lines{"X-Real-Ip": {"8.8.4.4"}}, "10.0.0.1"},
		// Rule 2: the headers.
		{"rule 2: X-Forwarded-For comes before X-Real-IP", one, proxy, lines{"X-Forwarded-For": {"8.8.8.8"}, "X-Real-Ip": {"8.8.4.4"}}, "8.8.8.8"},
		{"rule 2: then X-Real-IP", one, proxy, lines{"X-Real-Ip": {"8.8.4.4"}}, "8.8.4.4"},
		{"rule 2: others are not read", one, proxy, lines{"Cf-Connecting-Ip": {"8.8.4.4"}}, "10.0.0.1"},
		{"rule 2: a configured header is read", only("CF-Connecting-IP"), proxy, lines{"Cf-Connecting-Ip": {"8.8.4.4"}}, "8.8.4.4"},
		{"rule 2: only configured headers are read", only("CF-Connecting-IP"), proxy, lines{"X-Forwarded-For": {"8.8.8.8"}, "X-Real-Ip": {"8.8.4.4"}}, "10.0.0.1"},
		{"rule 2: in the order of the setting", only("b", " A "), proxy, lines{"A": {"8.8.8.8"}, "B": {"8.8.4.4"}}, "8.8.4.4"},
		{"rule 2: the next one if the first is not there", only("b", " A "), proxy, lines{"A": {"8.8.8.8"}}, "8.8.8.8"},
		{"rule 2: the next one if the first is unusable", only("b", "a"), proxy, lines{"A": {"8.8.8.8"}, "B": {"unknown"}}, "8.8.8.8"},
		{"rule 2: a configured X-Forwarded-For keeps its meaning", only("x-forwarded-for"), proxy, xff("1.1.1.1, 8.8.8.8"), "8.8.8.8"},
		// Rule 3: the entry.
		{"rule 3: the last entry behind one proxy", one, proxy, xff("1.1.1.1, 8.8.8.8"), "8.8.8.8"},
		{"rule 3: the last but one behind two", two, proxy, xff("1.1.1.1, 8.8.8.8, 9.9.9.9"), "8.8.8.8"},
		{"rule 3: the first entry of a list that is too short", Proxies{Count: 5}, proxy, xff("1.1.1.1, 8.8.8.8"), "1.1.1.1"},
		{"rule 3: several lines are one list", two, proxy, xff("1.1.1.1", "8.8.8.8, 9.9.9.9"), "8.8.8.8"},
		{"rule 3: several lines, counted across them", one, proxy, xff("1.1.1.1, 8.8.8.8", "9.9.9.9"), "9.9.9.9"},
		{"rule 3: private: the nearest public entry to its left", one, proxy, xff("1.1.1.1, 8.8.8.8, 192.168.1.1, 172.16.0.1"), "8.8.8.8"},
		{"rule 3: private: never an entry to its right", two, proxy, xff("10.1.1.1, 8.8.8.8"), "10.1.1.1"},
		{"rule 3: private: kept if there is no public one", one, proxy, xff("192.168.1.7, 10.1.1.1"), "10.1.1.1"},
		{"rule 3: private: garbage to its left is passed over", one, proxy, xff("8.8.8.8, unknown, 10.1.1.1"), "8.8.8.8"},
		{"rule 3: loopback is private", one, proxy, xff("8.8.8.8, 127.0.0.1"), "8.8.8.8"},
		{"rule 3: link-local is not private", one, proxy, xff("8.8.8.8, 169.254.1.1"), "169.254.1.1"},
		{"rule 3: carrier-grade is not private", one, proxy, xff("8.8.8.8, 100.64.1.1"), "100.64.1.1"},
		{"rule 3: link-local and carrier-grade are not public either", one, proxy, xff("8.8.8.8, 100.64.1.1, 169.254.1.1, 10.0.0.9"), "8.8.8.8"},
		{"rule 3: unique local is private", one, proxy, xff("8.8.8.8, fd12::1"), "8.8.8.8"},
		{"rule 3: IPv6 loopback is private", one, proxy, xff("8.8.8.8, ::1"), "8.8.8.8"},
		{"rule 3: IPv6 link-local is not", one, proxy, xff("8.8.8.8, fe80::1%eth0"), "fe80::1"},
		{"rule 3: the unspecified address is not", one, proxy, xff("8.8.8.8, 0.0.0.0"), "0.0.0.0"},
		{"rule 3: private mapped into IPv6 is private", one, proxy, xff("8.8.8.8, ::ffff:10.0.0.1"), "8.8.8.8"},
		{"rule 3: empty entries are none", two, proxy, xff("8.8.8.8,, ,9.9.9.9,"), "8.8.8.8"},
		{"rule 3: the first entry of another header", one, proxy, lines{"X-Real-Ip": {"8.8.4.4, 1.1.1.1"}}, "8.8.4.4"},
		{"rule 3: the first entry of another header's first line", one, proxy, lines{"X-Real-Ip": {"8.8.4.4", "1.1.1.1"}}, "8.8.4.4"},
		{"rule 3: a private entry of another header is kept", one, proxy, lines{"X-Real-Ip": {"10.9.9.9, 1.1.1.1"}}, "10.9.9.9"},
		// Rule 4: forms of addresses.
		{"rule 4: blanks around it", one, proxy, xff(" \t8.8.8.8 "), "8.8.8.8"},
		{"rule 4: a port", one, proxy, xff("8.8.8.8:1234"), "8.8.8.8"},
		{"rule 4: brackets", one, proxy, xff("[2001:DB8::1]"), "2001:db8::1"},
		{"rule 4: brackets and port", one, proxy, xff("[2001:db8::1]:443"), "2001:db8::1"},
		{"rule 4: IPv6 without brackets has no port", one, proxy, xff("2001:db8::1:443"), "2001:db8::1:443"},
		{"rule 4: lower case", one, proxy, xff("2001:DB8::AB"), "2001:db8::ab"},
		{"rule 4: IPv4 mapped into IPv6", one, proxy, xff("::FFFF:8.8.8.8"), "8.8.8.8"},
		{"rule 4: mapped, with brackets and port", one, proxy, xff("[::ffff:8.8.8.8]:80"), "8.8.8.8"},
		{"rule 4: the zone is dropped", one, proxy, xff("fe80::1%eth0"), "fe80::1"},
		{"rule 4: the peer, too", one, "[::ffff:9.9.9.9]:4000", nil, "9.9.9.9"},
		{"rule 4: a peer without a port", one, "9.9.9.9", nil, "9.9.9.9"},
		// Rule 5: unusable headers.
		{"rule 5: no header", one, proxy, nil, "10.0.0.1"},
		{"rule 5: an empty header", one, proxy, xff(""), "10.0.0.1"},
		{"rule 5: a header without lines", one, proxy, xff(), "10.0.0.1"},
		{"rule 5: only commas", one, proxy, xff(" , ,"), "10.0.0.1"},
		{"rule 5: garbage", one, proxy, xff("unknown"), "10.0.0.1"},
		{"rule 5: garbage at its place, whatever is to its left", one, proxy, xff("8.8.8.8, _hidden"), "10.0.0.1"},
		{"rule 5: garbage in one header, the next is read", one, proxy, lines{"X-Forwarded-For": {"unknown"}, "X-Real-Ip": {"8.8.4.4"}}, "8.8.4.4"},
		{"rule 5: an open bracket", one, proxy, xff("[::1"), "10.0.0.1"},
		{"rule 5: text behind a bracket", one, proxy, xff("[2001:db8::1]x"), "10.0.0.1"},
		{"rule 5: a port that is no number", one, proxy, xff("8.8.8.8:http"), "10.0.0.1"},
		{"rule 5: an address with a mask", one, proxy, xff("8.8.8.0/24"), "10.0.0.1"},
		{"rule 5: leading zeros, which some read as octal", one, proxy, xff("010.8.8.8"), "10.0.0.1"},
		{"rule 5: no peer either", one, "", nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var want netip.Addr
			if tc.want != "" {
				want = netip.MustParseAddr(tc.want)
			}
			if got := tc.proxies.Client(tc.peer, tc.header); got != want {
				t.Errorf("peer %s, header %q: got %v, want %v", tc.peer, tc.header, got, want)
			}
		})
	}
}

func TestTrusted(t *testing.T) {
	t.Parallel()
	for peer, want := range map[string]bool{"10.0.0.1:1": true, "[::1]:1": true, "8.8.8.8:1": false, "": false} {
		if got := (Proxies{Count: 1}).Trusted(peer); got != want {
			t.Errorf("one proxy, %q: got %v, want %v", peer, got, want)
		}
		if (Proxies{}).Trusted(peer) {
			t.Errorf("no proxy, %q: got true, want false", peer)
		}
	}
}

func TestLocal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"10.0.0.0": true, "10.255.255.255": true, "11.0.0.0": false,
		"172.15.255.255": false, "172.16.0.0": true, "172.31.255.255": true, "172.32.0.0": false,
		"192.168.0.1": true, "192.169.0.1": false,
		"127.0.0.1": true, "127.255.255.255": true,
		"169.254.0.1": true, "169.253.0.1": false,
		"100.63.255.255": false, "100.64.0.0": true, "100.127.255.255": true, "100.128.0.0": false,
		"0.0.0.0": true, "8.8.8.8": false,
		"::": true, "::1": true, "::2": false,
		"fc00::1": true, "fdff::1": true, "fe00::1": false,
		"fe80::1": true, "fe80::1%eth0": true, "febf::1": true, "fec0::1": false,
		"2001:db8::1":     false,
		"::ffff:10.0.0.1": true, "::ffff:100.64.0.1": true, "::ffff:8.8.8.8": false,
	} {
		if got := Local(netip.MustParseAddr(text)); got != want {
			t.Errorf("Local(%s): got %v, want %v", text, got, want)
		}
	}
	if Local(netip.Addr{}) {
		t.Error("Local of no address: got true, want false")
	}
}

// naiveForwarded is a second implementation of the rule for X-Forwarded-For. It follows
// the wording of the rule and splits the whole list.
func naiveForwarded(list string, count int) netip.Addr {
	var entries []string
	for e := range strings.SplitSeq(list, ",") {
		if e = strings.TrimSpace(e); e != "" {
			entries = append(entries, e)
		}
	}
	if len(entries) == 0 {
		return netip.Addr{}
	}
	at := max(len(entries)-count, 0)
	chosen := parseAddr(entries[at])
	if Local(chosen) {
		for i := at - 1; i >= 0; i-- {
			if a := parseAddr(entries[i]); a.IsValid() && !Local(a) {
				return a
			}
		}
	}
	return chosen
}

func FuzzClient(f *testing.F) {
	f.Add(1, "10.0.0.1:4000", "1.1.1.1, 8.8.8.8:80", "8.8.4.4", "")
	f.Add(2, "[::ffff:127.0.0.1]:1", "[2001:DB8::1]:443,, 100.64.0.1,fe80::1%x", "", "X-Real-IP")
	f.Add(0, "@", "unknown", "_hidden", "cf-connecting-ip")
	f.Fuzz(func(t *testing.T, count int, peer, forwarded, real, name string) {
		p := Proxies{Count: count}
		header := map[string][]string{forwardedFor: {forwarded}, "X-Real-Ip": {real}}
		if name != "" {
			p.Headers = []string{name}
			header[textproto.CanonicalMIMEHeaderKey(name)] = []string{real}
		}
		got := p.Client(peer, header)
		if got.Is4In6() || got.Zone() != "" {
			t.Fatalf("got %v, which is not normalised", got)
		}
		direct := parseAddr(peer)
		if !p.Trusted(peer) && got != direct {
			t.Fatalf("peer %q is not trusted: got %v, want %v", peer, got, direct)
		}
		if p.Trusted(peer) && name == "" {
			want := naiveForwarded(forwarded, count)
			if want.IsValid() && got != want {
				t.Fatalf("%d of %q: got %v, want %v", count, forwarded, got, want)
			}
		}
		// a normalized address, with or without a port, must be parsed to the same address
		if got.IsValid() {
			for _, text := range []string{got.String(), netip.AddrPortFrom(got, 80).String()} {
				if again := parseAddr(text); again != got {
					t.Fatalf("%q: got %v back, want %v", text, again, got)
				}
			}
		}
	})
}

func BenchmarkClient(b *testing.B) {
	long := strings.Repeat("10.0.0.1, ", 1000) + "10.0.0.1"
	for name, value := range map[string]string{"usual": "203.0.113.7", "chain": "203.0.113.7, 198.51.100.1", "hostile": long} {
		b.Run(fmt.Sprintf("%s_%d_bytes", name, len(value)), func(b *testing.B) {
			header := map[string][]string{forwardedFor: {value}}
			b.ReportAllocs()
			for b.Loop() {
				Proxies{Count: 1}.Client("10.0.0.1:4000", header)
			}
		})
	}
}
