package geo

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"
)

// openGeo opens a Locator that is closed at the end of the test.
func openGeo(t testing.TB, enabled bool, path string) *Locator {
	t.Helper()
	g, err := Open(enabled, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// place looks up an address in text form.
func place(g *Locator, text string) Place {
	a, _ := netip.ParseAddr(text)
	return g.Place(a)
}

func TestPlace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "city.mmdb")
	writeDatabase(t, path, "GeoLite2-City", someEntries)
	file, table, off := openGeo(t, true, path), openGeo(t, true, ""), openGeo(t, false, path)
	local := Place{CountryCode: "LOCAL"}
	for _, tc := range []struct {
		name, address string
		geo           *Locator
		want          Place
		region        string
	}{
		{"table: a country", "114.114.114.114", table, Place{CountryCode: "CN", CountryName: "China"}, "CN"},
		{"table: a country by IPv6", "2a02:8100::1", table, Place{CountryCode: "DE", CountryName: "Germany"}, "DE"},
		{"table: IPv4 mapped into IPv6", "::ffff:114.114.114.114", table, Place{CountryCode: "CN", CountryName: "China"}, "CN"},
		{"table: an address that belongs to nobody", "240.0.0.1", table, Place{}, "UNKNOWN"},
		{"table: an IPv6 address that belongs to nobody", "4000::1", table, Place{}, "UNKNOWN"},
		{"table: no address", "", table, Place{}, "UNKNOWN"},
		{"table: a private address", "192.168.1.1", table, local, "LOCAL"},
		{"table: loopback", "::1", table, local, "LOCAL"},
		{"table: link-local with a zone", "fe80::1%eth0", table, local, "LOCAL"},
		{"table: carrier-grade", "100.64.0.1", table, local, "LOCAL"},

		{"file: everything", "81.2.69.142", file, Place{CountryCode: "GB", CountryName: "United Kingdom", RegionName: "England", City: "London"}, "GB"},
		{"file: the same entry once more", "81.2.69.143", file, Place{CountryCode: "GB", CountryName: "United Kingdom", RegionName: "England", City: "London"}, "GB"},
		{"file: IPv4 mapped into IPv6", "::ffff:88.198.1.1", file, Place{CountryCode: "DE", CountryName: "Germany", RegionName: "Hesse", City: "Frankfurt"}, "DE"},
		{"file: codes in China", "112.96.1.1", file, Place{CountryCode: "CN", CountryName: "China", RegionName: "Guangdong", City: "Shenzhen", ProvinceCode: "440000", CityCode: "440300"}, "CN"},
		{"file: a country only", "114.114.114.114", file, Place{CountryCode: "CN", CountryName: "China"}, "CN"},
		{"file: IPv6", "2a02:8100::1", file, Place{CountryCode: "DE", CountryName: "Germany"}, "DE"},
		{"file: a city without a country", "2001:4860::1", file, Place{City: "Nowhere"}, "UNKNOWN"},
		{"file: a code that is none", "9.9.9.9", file, Place{}, "UNKNOWN"},
		{"file: what is not in it is not asked of the table", "8.8.8.8", file, Place{}, "UNKNOWN"},
		{"file: a private address is never looked up", "10.1.1.1", file, local, "LOCAL"},
		{"file: no address", "", file, Place{}, "UNKNOWN"},

		{"off: nothing is looked up", "81.2.69.142", off, Place{}, "UNKNOWN"},
		{"off: a private address needs no look-up", "10.1.1.1", off, local, "LOCAL"},
		{"off: no address", "", off, Place{}, "UNKNOWN"},
		{"no Geo is the same", "8.8.8.8", nil, Place{}, "UNKNOWN"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := place(tc.geo, tc.address)
			if got != tc.want || got.Region() != tc.region {
				t.Errorf("%s: got %+v, region %s, want %+v, region %s", tc.address, got, got.Region(), tc.want, tc.region)
			}
		})
	}
}

func TestOpenGeoRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(in(name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("empty", "")
	write("text", "this is no database\n")
	writeDatabase(t, in("whole"), "GeoLite2-City", someEntries)
	whole, err := os.ReadFile(in("whole"))
	if err != nil {
		t.Fatal(err)
	}
	write("part", string(whole[:len(whole)/2]))
	writeDatabase(t, in("none"), "GeoLite2-City", nil)

	for name, value := range map[string]mmdbtype.Map{
		"asn":   {"autonomous_system_number": mmdbtype.Uint32(64496), "autonomous_system_organization": mmdbtype.String("Somebody")},
		"other": {"country": mmdbtype.String("Germany"), "city": mmdbtype.String("Frankfurt")},
	} {
		tree, err := mmdbwriter.New(mmdbwriter.Options{DatabaseType: "Some\n" + name})
		if err != nil {
			t.Fatal(err)
		}
		insert(t, tree, "81.2.69.0/24", value)
		save(t, tree, in(name))
	}

	for _, tc := range []struct{ name, file, want string }{
		{"a file that is not there", "nothing", "cannot be read: "},
		{"a folder", ".", "cannot be read: "},
		{"an empty file", "empty", "cannot be read: "},
		{"a text", "text", "cannot be read: "},
		{"a part of a file", "part", "cannot be read: "},
		{"a file without networks", "none", `is a database of another kind ("GeoLite2-City"); it must contain countries or cities`},
		{"a file of networks of providers", "asn", `is a database of another kind ("Some\nasn"); it must contain countries or cities`},
		{"a file of another schema", "other", `is a database of another kind ("Some\nother"); it must contain countries or cities`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g, err := Open(true, in(tc.file))
			if g != nil || err == nil || !strings.HasPrefix(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, %v, want one line that begins with %q", g, err, tc.want)
			}
			if _, err := Open(false, in(tc.file)); err != nil {
				t.Errorf("switched off: got %v, want the file left alone", err)
			}
		})
	}
}

// TestRefresh checks that Refresh notices that a file was replaced, in each of the usual
// ways of replacing a file.
func TestRefresh(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "city.mmdb")
	at := func(country string) []entry { return []entry{{network: "81.2.69.0/24", country: country}} }
	country := func(g *Locator) string { return place(g, "81.2.69.1").Region() }
	expect := func(g *Locator, what string, wantChanged, wantErr bool, want string) {
		t.Helper()
		changed, err := g.Refresh()
		if changed != wantChanged || (err != nil) != wantErr {
			t.Errorf("%s: got %v, %v, want %v and error %v", what, changed, err, wantChanged, wantErr)
		}
		if got := country(g); got != want {
			t.Errorf("%s: got %s, want %s", what, got, want)
		}
	}
	// distinguishes files that are written within the same tick of the clock, by their
	// modification times
	age := func(d time.Duration) {
		t.Helper()
		when := time.Now().Add(-d)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}

	writeDatabase(t, path, "GeoLite2-Country", at("GB"))
	age(5 * time.Hour)
	g := openGeo(t, true, path)
	expect(g, "the same file", false, false, "GB")

	writeDatabase(t, path, "GeoLite2-Country", at("DE"))
	age(4 * time.Hour)
	expect(g, "renamed over it", true, false, "DE")
	expect(g, "once more", false, false, "DE")

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	expect(g, "removed: the old one stays in use", false, true, "DE")
	expect(g, "still removed: there is no second error", false, false, "DE")

	if err := os.WriteFile(path, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	age(3 * time.Hour)
	expect(g, "damaged: the old one stays in use", false, true, "DE")
	expect(g, "still damaged: there is no second error", false, false, "DE")

	writeDatabase(t, path, "GeoLite2-Country", at("FR"))
	age(2 * time.Hour)
	expect(g, "repaired", true, false, "FR")
	age(1 * time.Hour)
	expect(g, "only its time is another", true, false, "FR")
}

func TestRefreshWithoutAFile(t *testing.T) {
	t.Parallel()
	for name, g := range map[string]*Locator{"table": openGeo(t, true, ""), "off": openGeo(t, false, "")} {
		if changed, err := g.Refresh(); changed || err != nil {
			t.Errorf("%s: got %v, %v, want nothing to do", name, changed, err)
		}
	}
}

// TestLookupsDuringRefresh runs lookups and refreshes at the same time, so that the race
// detector can find races.
func TestLookupsDuringRefresh(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "city.mmdb")
	writeDatabase(t, path, "GeoLite2-City", someEntries)
	g := openGeo(t, true, path)
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for range 2000 {
				if got := place(g, "81.2.69.142").City; got != "London" {
					t.Errorf("got %q, want London", got)
				}
			}
		})
	}
	for i := range 20 {
		when := time.Now().Add(-time.Duration(i+1) * time.Hour)
		writeDatabase(t, path, "GeoLite2-City", someEntries)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
		if changed, err := g.Refresh(); !changed || err != nil {
			t.Errorf("got %v, %v, want a new state", changed, err)
		}
	}
	readers.Wait()
}

func BenchmarkPlace(b *testing.B) {
	path := filepath.Join(b.TempDir(), "city.mmdb")
	writeDatabase(b, path, "GeoLite2-City", someEntries)
	file, table := openGeo(b, true, path), openGeo(b, true, "")
	for _, bc := range []struct {
		name, address string
		geo           *Locator
	}{
		{"table_ipv4", "114.114.114.114", table},
		{"table_ipv6", "2a02:8100::1", table},
		{"file_remembered", "112.96.1.1", file},
		{"file_ipv6_remembered", "2a02:8100::1", file},
		{"local", "10.0.0.1", table},
	} {
		b.Run(bc.name, func(b *testing.B) {
			a := netip.MustParseAddr(bc.address)
			b.ReportAllocs()
			for b.Loop() {
				bc.geo.Place(a)
			}
		})
	}
	b.Run("file_decoded", func(b *testing.B) {
		d, a := file.database.Load(), netip.MustParseAddr("112.96.1.1")
		b.ReportAllocs()
		for b.Loop() {
			decodePlace(d.reader.Lookup(a))
		}
	})
}
