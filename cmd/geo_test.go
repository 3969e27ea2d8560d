package cmd

import (
	"bytes"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"

	"svc/internal/setting"
)

// memoryLog collects log lines in memory.
type memoryLog struct {
	mu   sync.Mutex
	text bytes.Buffer // guarded by mu
}

func (l *memoryLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *memoryLog) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.text.Reset()
	return l.text.String()
}

// writePlaces writes a location database that maps one address to a country.
func writePlaces(t *testing.T, path string, a netip.Addr, country string) {
	t.Helper()
	tree, err := mmdbwriter.New(mmdbwriter.Options{DatabaseType: "GeoLite2-Country"})
	if err != nil {
		t.Fatal(err)
	}
	network := &net.IPNet{IP: a.AsSlice(), Mask: net.CIDRMask(a.BitLen(), a.BitLen())}
	if err := tree.Insert(network, mmdbtype.Map{"country": mmdbtype.Map{"iso_code": mmdbtype.String(country)}}); err != nil {
		t.Fatal(err)
	}
	var content bytes.Buffer
	if _, err := tree.WriteTo(&content); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".new", content.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

func TestPlacesFollowTheirFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "places.mmdb")
	address := netip.MustParseAddr("81.2.69.142")
	age := func(d time.Duration) {
		t.Helper()
		if err := os.Chtimes(path, time.Time{}, time.Unix(1_700_000_000, 0).Add(d)); err != nil {
			t.Fatal(err)
		}
	}
	writePlaces(t, path, address, "GB")
	age(0)
	synctest.Test(t, func(t *testing.T) {
		geo, err := openGeo(&setting.Settings{GeoEnabled: true, GeoDatabase: path})
		if err != nil {
			t.Fatal(err)
		}
		var log memoryLog
		stop := followGeo(t.Context(), geo, slog.New(slog.NewTextHandler(&log, nil)))
		expect := func(country, message string) {
			t.Helper()
			time.Sleep(geoCheck) //nolint:forbidigo // by the fake clock of synctest
			synctest.Wait()
			if got := geo.Place(address).CountryCode; got != country {
				t.Errorf("got country %q, want %s", got, country)
			}
			if got := log.take(); !strings.Contains(got, message) || message == "" && got != "" {
				t.Errorf("got log %q, want %q", got, message)
			}
		}
		expect("GB", "")
		writePlaces(t, path, address, "DE")
		age(time.Hour)
		expect("DE", "level=INFO msg=\"geo database reloaded\"")
		expect("DE", "")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		expect("DE", "level=WARN msg=\"geo database not reloaded; the old one stays in use\" error=\"cannot be read: ")
		expect("DE", "")
		stop()
		if err := geo.Close(); err != nil {
			t.Error(err)
		}
	})
}
