package geo

import (
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"
)

// entry is the content of a test database for one network.
type entry struct {
	network                           string
	country, regionCode, region, city string
}

var someEntries = []entry{
	{"81.2.69.0/24", "GB", "ENG", "England", "London"},
	{"88.198.0.0/16", "DE", "HE", "Hesse", "Frankfurt"},
	{"112.96.0.0/16", "CN", "GD", "Guangdong", "Shenzhen"},
	{"114.114.0.0/16", "CN", "", "", ""},
	{"10.0.0.0/8", "FR", "", "", ""}, // private addresses remain private, whatever the file contains
	{"2a02:8100::/32", "DE", "", "", ""},
	{"2001:4860::/32", "", "", "", "Nowhere"},
	{"9.9.9.0/24", "zz", "", "", ""},
}

// writeDatabase writes a file in MaxMind's format with the schema of its city databases.
func writeDatabase(t testing.TB, path, kind string, entries []entry) {
	t.Helper()
	named := func(name string) mmdbtype.Map {
		return mmdbtype.Map{"names": mmdbtype.Map{"en": mmdbtype.String(name), "de": mmdbtype.String("Etwas")}}
	}
	tree, err := mmdbwriter.New(mmdbwriter.Options{DatabaseType: kind, IncludeReservedNetworks: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		m := mmdbtype.Map{"continent": mmdbtype.Map{"code": mmdbtype.String("XX")}}
		if e.country != "" {
			m["country"] = mmdbtype.Map{"iso_code": mmdbtype.String(e.country), "names": mmdbtype.Map{"en": mmdbtype.String("Something")}}
		}
		if e.region != "" {
			r := named(e.region)
			r["iso_code"] = mmdbtype.String(e.regionCode)
			m["subdivisions"] = mmdbtype.Slice{r, named("A part of it")}
		}
		if e.city != "" {
			m["city"] = named(e.city)
		}
		insert(t, tree, e.network, m)
	}
	save(t, tree, path)
}

func insert(t testing.TB, tree *mmdbwriter.Tree, network string, value mmdbtype.DataType) {
	t.Helper()
	_, n, err := net.ParseCIDR(network)
	if err != nil {
		t.Fatal(err)
	}
	if err := tree.Insert(n, value); err != nil {
		t.Fatal(err)
	}
}

// save writes a file and then renames it into place, as programs that update databases
// do.
func save(t testing.TB, tree *mmdbwriter.Tree, path string) {
	t.Helper()
	f, err := os.CreateTemp(filepath.Dir(path), "new")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tree.WriteTo(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		t.Fatal(err)
	}
}

// TestFirstPlaceIsFarOff checks that a file is accepted if its first place comes after
// many networks without a place.
func TestFirstPlaceIsFarOff(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "country.mmdb")
	for _, last := range []string{"223.255.255.0/24", "3fff:ffff::/32"} {
		entries := []entry{{network: "1.0.0.0/24"}, {network: "2001:4860::/32"}, {network: last, country: "NZ"}}
		for i := range 200 {
			entries = append(entries, entry{network: netip.AddrFrom4([4]byte{20, byte(i), 1, 0}).String() + "/24"})
		}
		writeDatabase(t, path, "GeoLite2-Country", entries)
		g := openGeo(t, true, path)
		if got := g.Place(netip.MustParsePrefix(last).Addr()).CountryCode; got != "NZ" {
			t.Errorf("%s: got %q, want NZ", last, got)
		}
	}
}

func TestAfter(t *testing.T) {
	t.Parallel()
	for network, want := range map[string]string{
		"0.0.0.0/8": "1.0.0.0", "1.2.3.4/32": "1.2.3.5", "1.2.3.255/24": "1.2.4.0", "10.0.0.0/9": "10.128.0.0", "255.0.0.0/8": "", "0.0.0.0/0": "",
		"2001:db8::/32": "2001:db9::", "::/64": "0:0:0:1::", "ffff::/16": "",
	} {
		var expected netip.Addr
		if want != "" {
			expected = netip.MustParseAddr(want)
		}
		if got := after(netip.MustParsePrefix(network)); got != expected {
			t.Errorf("%s: got %v, want %v", network, got, expected)
		}
	}
	if got := after(netip.Prefix{}); got.IsValid() {
		t.Errorf("no network: got %v, want none", got)
	}
}

// TestCutFile truncates the file while it is open, as copying a file over it does, and
// then replaces its content. Lookups must not panic; they may find nothing.
func TestCutFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "city.mmdb")
	writeDatabase(t, path, "GeoLite2-City", someEntries)
	g := openGeo(t, true, path)
	kept := place(g, "81.2.69.142")
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if kept.City != "London" {
		t.Errorf("got %q of a place from before, want London", kept.City)
	}
	for _, address := range []string{"81.2.69.142", "88.198.1.1", "2a02:8100::1", "10.0.0.1"} {
		place(g, address)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("\xa5\x00", 50_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"81.2.69.142", "88.198.1.1", "2a02:8100::1"} {
		place(g, address)
	}
	if _, err := g.Refresh(); err == nil {
		t.Error("got no error for what is left of the file")
	}
	writeDatabase(t, path, "GeoLite2-City", someEntries)
	if changed, err := g.Refresh(); !changed || err != nil {
		t.Errorf("got %v, %v for a file that is whole again", changed, err)
	}
	if got := place(g, "88.198.1.1").City; got != "Frankfurt" {
		t.Errorf("got %q, want Frankfurt", got)
	}
}

// TestDamagedFile changes each byte of a file in turn. Lookups may then find wrong
// places, but the places must be valid.
func TestDamagedFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "city.mmdb")
	writeDatabase(t, path, "GeoLite2-City", someEntries)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		damaged := slices.Clone(whole)
		damaged[i] ^= []byte{0x01, 0x80, 0xff}[i%3]
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		g, err := Open(true, path)
		if err != nil {
			continue
		}
		for _, e := range someEntries {
			got := g.Place(netip.MustParsePrefix(e.network).Addr().Next())
			if code := got.CountryCode; code != "" && code != RegionLocal && !isCountryCode(code) {
				t.Errorf("byte %d: got country %q", i, code)
			}
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestRememberedPlaces checks lookups in a file with more entries than the cache has
// slots, so that entries replace each other.
func TestRememberedPlaces(t *testing.T) {
	t.Parallel()
	const count = 3 << rememberedBits / 2
	address := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{20, byte(i >> 8), byte(i), 1}) }
	var entries []entry
	for i := range count {
		entries = append(entries, entry{network: address(i).String() + "/32", country: "US", city: "City " + address(i).String()})
	}
	path := filepath.Join(t.TempDir(), "city.mmdb")
	writeDatabase(t, path, "GeoLite2-City", entries)
	g := openGeo(t, true, path)
	for range 2 {
		for i := range count {
			if got, want := g.Place(address(i)).City, "City "+address(i).String(); got != want {
				t.Fatalf("%v: got %q, want %q", address(i), got, want)
			}
		}
	}
}
