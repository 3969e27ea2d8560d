// Package geo locates addresses: the country from a table in the program, more
// from the operator's file in MaxMind's format. Nothing is looked up on the
// network: no address leaves the machine.
//
// geo.go has the Locator, database.go reads the file, country.go and china.go
// have the names of countries and of Chinese provinces.
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

// The regions that are no countries.
const (
	RegionLocal   = "LOCAL"   // a private address
	RegionUnknown = "UNKNOWN" // no address, look-ups off, or not found
)

// Place is where an address is. What is not known is "".
type Place struct {
	CountryCode string // ISO 3166-1 alpha-2, or RegionLocal
	CountryName string // in English, as are the next two
	RegionName  string // of the largest part of the country
	City        string
	// For CN the codes of GB/T 2260, six digits: of the province, and of the
	// prefecture or city below it.
	ProvinceCode, CityCode string
}

// Region is the place as statistics have it: the country, RegionLocal or
// RegionUnknown.
func (p Place) Region() string {
	if p.CountryCode == "" {
		return RegionUnknown
	}
	return p.CountryCode
}

// Locator knows the places of addresses, from the country table in the program or
// from a database file of the operator. The table has the data of IP2Location
// LITE and knows countries only. A nil *Geo has look-ups switched off.
type Locator struct {
	path     string                   // of the database; "" without one
	database atomic.Pointer[database] // nil without one

	mu    sync.Mutex
	tried stamp // under mu: the file as it was when it was last read
}

// stamp tells one state of a file from another.
type stamp struct {
	size int64
	time time.Time
}

// Open prepares look-ups. Without a database the table in the program
// answers. A database is a file of MaxMind's format with records as in GeoLite2
// Country or City; if it cannot be used, the error says why in one line, to be
// put behind the name of the setting.
//
// Not enabled, nothing is looked up nor opened.
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

// Refresh reads the database again if the file is another one than at the last
// call, and reports whether it did. If that fails, the old one stays in use, and
// there is no second error for the same file. Look-ups go on meanwhile.
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
	// The old one is left to the garbage collector: somebody may be reading it.
	g.database.Store(d)
	return true, nil
}

// Place is where an address is. Private addresses are RegionLocal and never
// looked up. It never fails: what is not found is not known.
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
	// The first IPv6 address waits some 50 ms until that half of the table is
	// unpacked, and makes it 11 MB of the memory in use.
	code := iploc.IPCountry(a)
	name := CountryName(code)
	if name == "" { // ZZ
		return Place{}
	}
	return Place{CountryCode: code, CountryName: name}
}

// Close gives the database back. There must be no look-ups any more.
func (g *Locator) Close() error {
	if g == nil {
		return nil
	}
	if d := g.database.Swap(nil); d != nil {
		return d.close()
	}
	return nil
}
