package geo

import (
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"

	"github.com/oschwald/maxminddb-golang/v2"
)

const (
	// rememberedBits is the base-2 logarithm of the number of decoded places that are
	// cached. There are 8192, which take about 2 MiB.
	rememberedBits = 13
	// maxProbes limits the number of networks, for each IP version, in which hasPlaces looks
	// for a place. If none of them has one, the file is treated as a file without places.
	maxProbes = 100_000
)

// database is an open database file of the operator.
type database struct {
	reader *maxminddb.Reader
	// places caches decoded places by the offset of their record in the file, because many
	// networks share a record. Each offset has one slot, and a new entry replaces the
	// previous one in its slot.
	places [1 << rememberedBits]atomic.Pointer[remembered]
}

type remembered struct {
	offset uintptr
	place  Place
}

// record contains the fields of a database entry that are decoded. The sizes of the
// arrays limit how much data a file can make the program decode.
type record struct {
	Country struct {
		Code string `maxminddb:"iso_code,maxsize:16"`
	} `maxminddb:"country"`
	Subdivisions []struct {
		Code  string `maxminddb:"iso_code,maxsize:16"`
		Names names  `maxminddb:"names"`
	} `maxminddb:"subdivisions,maxsize:32"`
	City struct {
		Names names `maxminddb:"names"`
	} `maxminddb:"city"`
}

type names struct {
	English string `maxminddb:"en,maxsize:512"`
}

// openDatabase opens a database file. It returns an error if the file contains no places.
func openDatabase(path string) (*database, error) {
	reader, err := openReader(path)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	d := &database{reader: reader}
	found := false
	d.read(func() { found = d.hasPlaces() })
	if !found {
		_ = reader.Close() // return only the first error
		return nil, fmt.Errorf("is a database of another kind (%q); it must contain countries or cities", reader.Metadata.DatabaseType)
	}
	return d, nil
}

// openReader opens the file as a memory map, so that only the parts in use take memory.
// On Windows, a mapped file could not be replaced, so the file is read into memory
// instead.
func openReader(path string) (*maxminddb.Reader, error) {
	// the cached places hold their strings, so a cache of strings is not needed
	options := maxminddb.DisableStringCache()
	if runtime.GOOS != "windows" {
		return maxminddb.Open(path, options)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return maxminddb.OpenBytes(content, options)
}

func (d *database) close() error { return d.reader.Close() }

// read calls fn, which reads the file. If a new database is copied over the old one
// instead of renamed, the mapped file becomes shorter, and reading beyond its end causes
// a fault. read then aborts fn instead of ending the program.
func (d *database) read(fn func()) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			if _, ok := fault.(interface{ Addr() uintptr }); !ok {
				panic(fault)
			}
		}
	}()
	fn()
}

func (d *database) place(a netip.Addr) (p Place) {
	d.read(func() {
		result := d.reader.Lookup(a)
		if !result.Found() {
			return
		}
		// multiplication by the golden ratio distributes the offsets evenly (Knuth)
		slot := &d.places[uint64(result.Offset())*0x9E3779B97F4A7C15>>(64-rememberedBits)]
		if r := slot.Load(); r != nil && r.offset == result.Offset() {
			p = r.place
			return
		}
		p = decodePlace(result)
		slot.Store(&remembered{result.Offset(), p})
	})
	return p
}

// hasPlaces reports whether the database has a network with a place. It searches IPv4 and
// then the part of IPv6 that is in use. It proceeds from network to network by lookups,
// because walking the tree of a damaged file might never end.
func (d *database) hasPlaces() bool {
	for _, a := range [...]netip.Addr{netip.IPv4Unspecified(), netip.MustParseAddr("2000::")} {
		for range maxProbes {
			result := d.reader.Lookup(a)
			if decodePlace(result) != (Place{}) {
				return true
			}
			if a = after(result.Prefix()); !a.IsValid() {
				break
			}
		}
	}
	return false
}

// after returns the first address after a network, or the zero Addr if there is none.
func after(network netip.Prefix) netip.Addr {
	if !network.IsValid() {
		return netip.Addr{}
	}
	last := network.Masked().Addr().AsSlice()
	for bit := network.Bits(); bit < 8*len(last); bit++ {
		last[bit/8] |= 0x80 >> (bit % 8)
	}
	a, _ := netip.AddrFromSlice(last)
	return a.Next()
}

// decodePlace returns the place in a database entry. If the entry has an unexpected form,
// it returns the zero Place.
func decodePlace(result maxminddb.Result) (p Place) {
	var r record
	if result.Decode(&r) != nil {
		return Place{}
	}
	if isCountryCode(r.Country.Code) {
		p.CountryCode, p.CountryName = r.Country.Code, CountryName(r.Country.Code)
	}
	regionCode := ""
	if len(r.Subdivisions) > 0 {
		p.RegionName, regionCode = r.Subdivisions[0].Names.English, r.Subdivisions[0].Code
	}
	p.City = r.City.Names.English
	if p.CountryCode == "CN" {
		p.ProvinceCode, p.CityCode = chineseCodes(regionCode, p.RegionName, p.City)
	}
	return p
}

func isCountryCode(code string) bool {
	return len(code) == 2 && 'A' <= code[0] && code[0] <= 'Z' && 'A' <= code[1] && code[1] <= 'Z'
}
