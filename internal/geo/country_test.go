package geo

import (
	"net/netip"
	"testing"

	"github.com/phuslu/iploc"
)

func TestCountryOffsets(t *testing.T) {
	t.Parallel()
	want := map[int][]string{
		0:    {"GB", "IE"},
		60:   {"DE", "FR", "NL", "ES", "IT", "SE", "PL"},
		180:  {"RU", "TR"},
		240:  {"AE"},
		330:  {"IN"},
		420:  {"TH", "VN", "ID"},
		480:  {"CN", "HK", "MO", "TW", "SG", "MY", "PH"},
		540:  {"JP", "KR"},
		600:  {"AU"},
		720:  {"NZ"},
		-180: {"BR"},
		-300: {"US", "CA"},
		-360: {"MX"},
	}
	count := 0
	for offset, codes := range want {
		for _, code := range codes {
			count++
			if got, ok := CountryOffset(code); got != offset || !ok {
				t.Errorf("%s: got %d, %v, want %d", code, got, ok, offset)
			}
		}
	}
	if count != len(countryOffsets) {
		t.Errorf("got %d countries, want %d", len(countryOffsets), count)
	}
	for _, none := range []string{"CH", "LOCAL", "UNKNOWN", "cn", ""} {
		if got, ok := CountryOffset(none); ok || got != 0 {
			t.Errorf("%q: got %d, %v, want none", none, got, ok)
		}
	}
}

func TestCountryNames(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"DE": "Germany", "CN": "China", "US": "United States", "CI": "Ivory Coast", "AX": "Åland Islands", "XK": "Kosovo",
		"ZZ": "", "LOCAL": "", "de": "", "": "",
	} {
		if got := CountryName(code); got != want {
			t.Errorf("%q: got %q, want %q", code, got, want)
		}
	}
	// the 249 codes of ISO 3166-1, and XK
	if got := len(countryNames); got != 250 {
		t.Errorf("got %d countries, want 250", got)
	}
	for code, name := range countryNames {
		if !isCountryCode(code) || name == "" {
			t.Errorf("%q is named %q", code, name)
		}
	}
	for code := range countryOffsets {
		if CountryName(code) == "" {
			t.Errorf("%s has an offset and no name", code)
		}
	}
}

// TestTableHasNoOtherCountries checks that every country in the built-in table has a
// name.
func TestTableHasNoOtherCountries(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for i := range 1 << 20 { // one address in each /20 of IPv4 and, for IPv6, in as many /36 of the part that is in use
		v4 := netip.AddrFrom4([4]byte{byte(i >> 12), byte(i >> 4), byte(i << 4), 1})
		v6 := netip.AddrFrom16([16]byte{0x20 | byte(i>>19), byte(i >> 11), byte(i >> 3), byte(i << 5)})
		seen[iploc.IPCountry(v4)], seen[iploc.IPCountry(v6)] = true, true
	}
	for code := range seen {
		if code != "ZZ" && CountryName(code) == "" {
			t.Errorf("country %q has no name", code)
		}
	}
	if len(seen) < 200 {
		t.Errorf("got %d countries, which cannot be all", len(seen))
	}
}
