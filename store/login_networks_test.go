package store_test

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"svc/store"
)

// TestLoginNetworks checks that a network is known for 30 days after its last login. This must hold
// even if the last login was not written, or if the store was opened again. The list must be
// limited, and most logins must not cause a write.
func TestLoginNetworks(t *testing.T) {
	t.Parallel()
	c, path := newClock(), filepath.Join(t.TempDir(), "svc.db")
	db := openStore(t, path, store.Options{Now: c.now})
	home, other := netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("2001:db8:1::/48")
	knows := func(network netip.Prefix) bool {
		t.Helper()
		is, err := store.Read(db, func(tx *store.Tx) (bool, error) { return tx.KnowsLogin(network) })
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	note := func(network netip.Prefix) {
		t.Helper()
		if err := db.NoteLogin(network); err != nil {
			t.Fatal(err)
		}
	}
	if knows(home) {
		t.Error("a network is known before the first login")
	}
	note(home)
	commits := db.Commits()
	c.advance(24*time.Hour - time.Second)
	for range 100 {
		note(home)
	}
	if n := db.Commits() - commits; n != 0 {
		t.Errorf("%d commits for logins from a network that is known, want none", n)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openStore(t, path, store.Options{Now: c.now})
	if !knows(home) || knows(other) {
		t.Errorf("after a restart: known %t, the other one %t; want the first alone", knows(home), knows(other))
	}
	c.advance(30*24*time.Hour - time.Second)
	note(other)
	if !knows(home) || !knows(other) {
		t.Error("a network is forgotten within 30 days")
	}
	c.advance(24 * time.Hour)
	if knows(home) || !knows(other) {
		t.Error("a network is known for more than 31 days, or the other one is not")
	}
	for i := range 150 {
		note(netip.MustParsePrefix(fmt.Sprintf("10.0.%d.0/24", i)))
	}
	if knows(other) || knows(netip.MustParsePrefix("10.0.49.0/24")) || !knows(netip.MustParsePrefix("10.0.50.0/24")) {
		t.Error("want the latest hundred networks and no other")
	}
}
