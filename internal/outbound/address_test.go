package outbound_test

import (
	"net/netip"
	"testing"

	"svc/internal/outbound"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		address          string
		public, routable bool
	}{
		{"8.8.8.8", true, true},
		{"223.255.255.254", true, true},
		{"::ffff:8.8.8.8", true, true},
		{"64:ff9b::808:808", true, true},
		{"2606:4700:4700::1111", true, true},

		{"10.0.0.1", false, true},
		{"172.16.0.1", false, true},
		{"172.31.255.255", false, true},
		{"192.168.1.10", false, true},
		{"100.64.0.1", false, true},
		{"127.0.0.1", false, true},
		{"127.255.255.254", false, true},
		{"198.18.0.1", false, true},
		{"192.0.2.1", false, true},
		{"203.0.113.7", false, true},
		{"::1", false, true},
		{"fd00::1", false, true},
		{"2001:db8::1", false, true},
		{"2001::1", false, true},
		{"2002:a00:1::", false, true},
		{"::ffff:192.168.1.10", false, true},
		{"64:ff9b::a00:1", false, true},
		{"64:ff9b:1::a00:1", false, true},
		{"64:ff9b:1:2:3:4:a00:1", false, true},
		{"64:ff9b:1:a00:0:100::", false, true},
		{"2002:808:808::1", false, true},
		{"::10.0.0.1", false, true},
		{"::8.8.8.8", false, true},

		{"0.0.0.0", false, false},
		{"0.1.2.3", false, false},
		{"::", false, false},
		{"169.254.169.254", false, false},
		{"::ffff:169.254.169.254", false, false},
		{"64:ff9b::a9fe:a9fe", false, false},
		{"64:ff9b:1::a9fe:a9fe", false, false},
		{"64:ff9b:1:a9fe:a9:fe00::", false, false},
		{"64:ff9b:1:2a9:fe:a9fe::", false, false},
		{"64:ff9b:1:2:a9:fea9:fe00::", false, false},
		{"64:ff9b:1:2:3:4:e000:1", false, false},
		{"2002:a9fe:a9fe::", false, false},
		{"2002:a9fe:a9fe:1::7", false, false},
		{"2002:6464:64c8::1", false, false},
		{"::169.254.169.254", false, false},
		{"::255.255.255.255", false, false},
		{"100.100.100.200", false, false},
		{"fe80::1", false, false},
		{"fe80::1%eth0", false, false},
		{"febf:ffff::1", false, false},
		{"fd00:ec2::254", false, false},
		{"fd00:ec2::254%eth0", false, false},
		{"2606:4700:4700::1111%eth0", false, false},
		{"224.0.0.1", false, false},
		{"ff02::1", false, false},
		{"255.255.255.255", false, false},
	} {
		a := netip.MustParseAddr(tc.address)
		if public, routable := outbound.Public(a), outbound.Routable(a); public != tc.public || routable != tc.routable {
			t.Errorf("%s: public %v, routable %v; want %v, %v", tc.address, public, routable, tc.public, tc.routable)
		}
	}
	if outbound.Public(netip.Addr{}) || outbound.Routable(netip.Addr{}) {
		t.Error("no address is allowed")
	}
}

// FuzzAddress checks that public addresses are routable, and that no address is public
// that the standard library considers local. All IPv6 forms of an IPv4 address must be
// treated alike.
func FuzzAddress(f *testing.F) {
	for _, seed := range []string{"8.8.8.8", "10.0.0.1", "169.254.169.254", "::ffff:7f00:1", "64:ff9b::7f00:1", "fe80::1%a", "2002::", "ff02::1", "::"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := netip.ParseAddr(text)
		if err != nil {
			return
		}
		plain := a.Unmap().WithZone("")
		local := plain.IsPrivate() || plain.IsLoopback() || plain.IsLinkLocalUnicast() || plain.IsMulticast() || plain.IsUnspecified()
		if outbound.Public(a) && (local || !plain.IsGlobalUnicast()) {
			t.Errorf("%s is public", a)
		}
		if outbound.Routable(a) && (plain.IsLinkLocalUnicast() || plain.IsMulticast() || plain.IsUnspecified()) {
			t.Errorf("%s is routable", a)
		}
		if outbound.Public(a) && !outbound.Routable(a) {
			t.Errorf("%s is public and not routable", a)
		}
		if !a.Is4() {
			return
		}
		four := a.As4()
		translated := [16]byte{0, 0x64, 0xff, 0x9b, 12: four[0], 13: four[1], 14: four[2], 15: four[3]}
		for _, six := range []netip.Addr{netip.AddrFrom16(a.As16()), netip.AddrFrom16(translated)} {
			if outbound.Public(six) != outbound.Public(a) || outbound.Routable(six) != outbound.Routable(a) {
				t.Errorf("%s is decided differently than %s", six, a)
			}
		}
		if four[0] == 0 { // because ::1 is not 0.0.0.1
			return
		}
		tunnelled := [16]byte{0x20, 0x02, four[0], four[1], four[2], four[3], 15: 1}
		localNAT64 := [16]byte{0, 0x64, 0xff, 0x9b, 0, 1, 12: four[0], 13: four[1], 14: four[2], 15: four[3]}
		compatible := [16]byte{12: four[0], 13: four[1], 14: four[2], 15: four[3]}
		for _, bytes := range [][16]byte{tunnelled, localNAT64, compatible} {
			if six := netip.AddrFrom16(bytes); outbound.Public(six) || outbound.Routable(six) != outbound.Routable(a) {
				t.Errorf("%s is decided differently than %s", six, a)
			}
		}
	})
}
