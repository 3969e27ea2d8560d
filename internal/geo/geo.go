// Package geo locates IP addresses. The country comes from a table in the program. More
// detail comes from the operator's file in MaxMind's format. The package makes no network
// requests, so no address leaves the machine.
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

// Values of Region that are not countries.
const (
	RegionLocal   = "LOCAL"   // a private address
	RegionUnknown = "UNKNOWN" // no address, lookups disabled, or not found
)

// Place is the location of an address. A field is "" if it is not known.
type Place struct {
	CountryCode string // ISO 3166-1 alpha-2, or RegionLocal
	CountryName string // in English, like the next two
	RegionName  string // of the largest subdivision of the country
	City        string
	// ProvinceCode and CityCode are set for CN only. They are the six-digit GB/T 2260
	// codes of the province and of the prefecture or city in it.
	ProvinceCode, CityCode string
}

// Region returns the region in the form used in statistics: the country code, RegionLocal
// or RegionUnknown.
func (p Place) Region() string {
	if p.CountryCode == "" {
		return RegionUnknown
	}
	return p.CountryCode
}

// Locator finds the places of addresses. It uses the country table in the program or the
// operator's database file. The table has the data of IP2Location LITE and contains only
// countries. A nil Locator finds no places.
type Locator struct {
	path     string                   // of the database; "" without one
	database atomic.Pointer[database] // nil without one

	mu    sync.Mutex
	tried stamp // guarded by mu: the state of the file when it was last read
}

// stamp identifies a version of a file by its size and modification time.
type stamp struct {
	size int64
	time time.Time
}

// Open returns a Locator. Without a database, the Locator uses the table in the program.
// A database is a file in MaxMind's format with records like those of GeoLite2 Country or
// City. If it cannot be used, Open returns an error of one line that can follow the name
// of the setting.
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

// Refresh rereads the database if the file has changed since the last call, and reports
// whether it has reread it. If reading fails, the old database stays in use. Later calls
// return no error for the same file. Lookups may continue during Refresh.
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
	// The garbage collector closes the old database, because a lookup may be reading it.
	g.database.Store(d)
	return true, nil
}

// Place returns the place of an address. The place of a private address is RegionLocal,
// without a lookup. Place never fails. If an address is not found, it returns the zero
// Place.
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
	// The first lookup of an IPv6 address takes about 50 ms, because it unpacks that half
	// of the table into 11 MB of memory.
	code := iploc.IPCountry(a)
	name := CountryName(code)
	if name == "" { // ZZ
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
