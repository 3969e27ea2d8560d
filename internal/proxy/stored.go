package proxy

import (
	"fmt"
	"net/netip"
)

// The values of the setting that determines how the addresses of clients are stored.
const (
	IPAnonymized = "anonymized" // only the address of the network
	IPFull       = "full"
	IPNone       = "none"
)

// StoredAddress returns the form in which an address is stored with events. An anonymized
// address identifies only a network: the last 8 bits of IPv4, or the last 80 bits of
// IPv6, are zero. Such an IPv6 address is written without abbreviation, such as
// 2001:db8:1:0:0:0:0:0. storage is one of the values above. If it is IPNone, or a is the zero
// Addr, StoredAddress returns "".
func StoredAddress(a netip.Addr, storage string) string {
	a = a.Unmap()
	switch {
	case !a.IsValid() || storage == IPNone:
		return ""
	case storage == IPFull:
		return a.String()
	case a.Is4():
		b := a.As4()
		b[3] = 0
		return netip.AddrFrom4(b).String()
	}
	b := a.As16()
	return fmt.Sprintf("%x:%x:%x:0:0:0:0:0", uint(b[0])<<8|uint(b[1]), uint(b[2])<<8|uint(b[3]), uint(b[4])<<8|uint(b[5]))
}
