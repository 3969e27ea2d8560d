package submission

import (
	"fmt"
	"net/netip"
)

// Where the address of a client goes when an event is stored.
const (
	IPAnonymized = "anonymized" // without its last part
	IPFull       = "full"
	IPNone       = "none"
)

// StoredAddress is an address as events are stored with it. Without its last
// part it is that of a network: of IPv4 the last 8 bits are zero, of IPv6 the
// last 80, written in full, as 2001:db8:1:0:0:0:0:0.
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
