package origin

import (
	"net/netip"
	"path/filepath"
	"testing"
)

const (
	chromeOnWindows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
	safariOnIPhone  = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1"
	safariOnMac     = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15"
)

func BenchmarkDetect(b *testing.B) {
	sent := func(text string) Text { return Text{text, true} }
	for _, bc := range []struct {
		name     string
		declared Declared
		agent    string
	}{
		{"declared", Declared{Header: Source{sent("windows"), sent("11")}}, chromeOnWindows},
		{"declared_together", Declared{Body: Source{Platform: sent("Windows 11")}}, chromeOnWindows},
		{"no_version", Declared{Header: Source{Platform: sent("windows")}}, chromeOnWindows},
		{"agent_windows", Declared{}, chromeOnWindows},
		{"agent_iphone", Declared{}, safariOnIPhone},
		{"agent_mac", Declared{}, safariOnMac},
		{"agent_short", Declared{}, "svc-sdk-go/1.2.0"},
	} {
		b.Run(bc.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Detect(bc.declared, bc.agent)
			}
		})
	}
}

func BenchmarkClientTime(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		ClientTime("2026-09-24T10:00:00.000+08:00", received)
	}
}

func BenchmarkPlace(b *testing.B) {
	path := filepath.Join(b.TempDir(), "city.mmdb")
	writeDatabase(b, path, "GeoLite2-City", someEntries)
	file, table := openGeo(b, true, path), openGeo(b, true, "")
	for _, bc := range []struct {
		name, address string
		geo           *Geo
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
