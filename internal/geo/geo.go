// Package geo finds the places of IP addresses. A table in the program contains the
// countries. The operator can provide a file in MaxMind's format with more details. The
// package makes no network requests, so no address leaves the machine.
//
// geo.go contains the Locator, database.go reads the file, and country.go and china.go
// contain the names of countries and of Chinese provinces.
package geo

import (
	"fmt"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/phuslu/iploc"

	"svc/internal/proxy"
)

// The values of Region that are not countries.
const (
	RegionLocal   = "LOCAL"   // a private address
	RegionUnknown = "UNKNOWN" // no address, lookups disabled, or not found
)

// Place is the location of an address. A field is "" if it is not known.
type Place struct {
	CountryCode string // ISO 3166-1 alpha-2 code, or RegionLocal
	CountryName string // in English, like RegionName and City
	RegionName  string // name of the largest subdivision of the country
	City        string
	// ProvinceCode and CityCode are the six-digit GB/T 2260 codes of the province and of the
	// prefecture or city in it. They are set only in China.
	ProvinceCode, CityCode string
}

// Region returns the region as statistics use it: the country code, RegionLocal or
// RegionUnknown.
func (p Place) Region() string {
	if p.CountryCode == "" {
		return RegionUnknown
	}
	return p.CountryCode
}

// Locator finds the places of addresses. It uses the operator's database file or, without
// one, the table of countries in the program, which has the data of IP2Location LITE. A
// nil Locator finds no places.
type Locator struct {
	path     string                   // path of the database; "" = there is none
	database atomic.Pointer[database] // nil if there is none

	mu    sync.Mutex
	tried stamp // the version of the file that was read last; guarded by mu
}

// stamp identifies a version of a file by its size and modification time.
type stamp struct {
	size int64
	time time.Time
}

// Open returns a Locator. database is the path of a file in MaxMind's format, with
// records like those of GeoLite2 Country or City; if it is "", the Locator uses the table
// in the program. If the file cannot be used, the text of the error is one line that can
// follow the name of the setting.
//
// If enabled is false, Open returns nil without opening the database.
func Open(enabled bool, database string) (*Locator, error) {
	if !enabled {
		return nil, nil
	}
	g := &Locator{path: database}
	if database == "" {
		return g, nil
	}
	if _, err := g.Refresh(); err != nil {
		return nil, err
	}
	return g, nil
}

// Refresh reads the database file again if it has changed since the last call. changed reports
// whether the new version is now in use. If reading fails, the old version stays in use, and later
// calls do not try the same file again. Lookups are possible during Refresh.
func (g *Locator) Refresh() (changed bool, err error) {
	if g == nil || g.path == "" {
		return false, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	info, err := os.Stat(g.path)
	var now stamp
	if err == nil {
		now = stamp{info.Size(), info.ModTime()}
	}
	if now == g.tried && g.database.Load() != nil {
		return false, nil
	}
	g.tried = now
	if err != nil {
		return false, fmt.Errorf("cannot be read: %w", err)
	}
	d, err := openDatabase(g.path)
	if err != nil {
		return false, err
	}
	// a lookup may still be reading the old database, so let the garbage collector close it
	g.database.Store(d)
	return true, nil
}

// Place returns the place of an address. A private address has the place RegionLocal,
// without a lookup. If an address is not found, Place returns the zero Place. It never
// fails.
func (g *Locator) Place(a netip.Addr) Place {
	a = a.Unmap()
	switch {
	case proxy.Local(a):
		return Place{CountryCode: RegionLocal}
	case g == nil || !a.IsValid():
		return Place{}
	}
	if d := g.database.Load(); d != nil {
		return d.place(a)
	}
	// The first lookup of an IPv6 address takes about 50 ms, because it unpacks the table's
	// half for IPv6 into 11 MB of memory.
	code := iploc.IPCountry(a)
	name := CountryName(code)
	if name == "" { // the code ZZ means that no country is known
		return Place{}
	}
	return Place{CountryCode: code, CountryName: name}
}

// Close closes the database. The caller must ensure that no lookups are in progress.
func (g *Locator) Close() error {
	if g == nil {
		return nil
	}
	if d := g.database.Swap(nil); d != nil {
		return d.close()
	}
	return nil
}
