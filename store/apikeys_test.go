package store_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"svc/internal/fault"
	"svc/store"
)

func TestOpens(t *testing.T) {
	t.Parallel()
	present, former, other := store.Digest{1}, store.Digest{2}, store.Digest{3}
	const now = 1000
	for _, tc := range []struct {
		name string
		key  store.APIKey
		text store.Digest
		want bool
	}{
		{"its text", store.APIKey{}, present, true},
		{"another text", store.APIKey{}, other, false},
		{"revoked", store.APIKey{RevokedAt: new(int64(1))}, present, false},
		{"revoked in the future is revoked", store.APIKey{RevokedAt: new(int64(now + 1))}, present, false},
		{"before it expires", store.APIKey{ExpiresAt: new(int64(now + 1))}, present, true},
		{"when it expires", store.APIKey{ExpiresAt: new(int64(now))}, present, false},
		{"the former text in its time", store.APIKey{Former: &store.FormerKey{Digest: former, ExpiresAt: now + 1}}, former, true},
		{"the former text after its time", store.APIKey{Former: &store.FormerKey{Digest: former, ExpiresAt: now}}, former, false},
		{"the present text beside a former one", store.APIKey{Former: &store.FormerKey{Digest: former}}, present, true},
		{"the former text of an expired key", store.APIKey{ExpiresAt: new(int64(now)), Former: &store.FormerKey{Digest: former, ExpiresAt: now + 1}}, former, false},
		{"the former text of a revoked key", store.APIKey{RevokedAt: new(int64(1)), Former: &store.FormerKey{Digest: former, ExpiresAt: now + 1}}, former, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.key.Digest = present
			if got := tc.key.Opens(tc.text, now); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestMay(t *testing.T) {
	t.Parallel()
	if k := (store.APIKey{AllProjects: true}); !k.May(7) {
		t.Error("a key for all projects: got no, want yes")
	}
	if k := (store.APIKey{Projects: []store.ProjectID{1, 7}}); !k.May(7) || k.May(2) {
		t.Errorf("a key for 1 and 7: got %v for 7 and %v for 2", k.May(7), k.May(2))
	}
	if k := (store.APIKey{}); k.May(0) {
		t.Error("a key for nothing: got yes, want no")
	}
}

func TestAPIKeys(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "svc.db")
	db := openStore(t, path, store.Options{})
	put := func(k store.APIKey) *store.APIKey {
		t.Helper()
		update(t, db, func(tx *store.Tx) error { return tx.PutAPIKey(&k) })
		return &k
	}
	first := put(store.APIKey{Name: "first", Digest: store.Digest{1}, Scopes: []string{"a:read"}})
	second := put(store.APIKey{Name: "second", Digest: store.Digest{2}, AllProjects: true})
	before := db.APIKeys()

	rotated := *first
	rotated.Digest, rotated.Former = store.Digest{3}, &store.FormerKey{Digest: store.Digest{1}, ExpiresAt: 9}
	put(rotated)
	if before[1].Digest != (store.Digest{1}) {
		t.Error("a list that was given out has changed")
	}
	for range 2 {
		if all := db.APIKeys(); len(all) != 2 || all[0].ID != second.ID || all[1].ID != first.ID {
			t.Fatalf("got %v, want both keys, newest first", all)
		}
		for digest, want := range map[store.Digest]*store.ID{{1}: &first.ID, {2}: &second.ID, {3}: &first.ID, {4}: nil} {
			k := db.KeyByDigest(digest)
			if (k == nil) != (want == nil) || k != nil && k.ID != *want {
				t.Errorf("digest %v: got %v, want %v", digest[0], k, want)
			}
		}
		closeStore(t, db)
		db = openStore(t, path, store.Options{})
	}
	// After a second rotation, the first text no longer belongs to any key.
	rotated.Digest, rotated.Former = store.Digest{5}, &store.FormerKey{Digest: store.Digest{3}, ExpiresAt: 9}
	put(rotated)
	if k := db.KeyByDigest(store.Digest{1}); k != nil {
		t.Errorf("the text before the former one: got %v, want none", k)
	}
	if err := db.View(func(tx *store.Tx) error { _, err := tx.APIKey(store.ID{9}); return err }); !fault.Is(err, fault.NotFound) {
		t.Errorf("an unknown id: got %v, want not found", err)
	}
}

// TestProjectsOfKeys checks the project lists of API keys. The access to a project must not change
// when the project is renamed, and must end when the project is deleted. A list that becomes empty
// must not mean all projects.
func TestProjectsOfKeys(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	a, b := addProject(t, db, "a"), addProject(t, db, "b")
	k := &store.APIKey{Name: "CI", Projects: []store.ProjectID{a.ID, b.ID}}
	update(t, db, func(tx *store.Tx) error { return tx.PutAPIKey(k) })
	if err := rename(db, "a", "c"); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		deleted string
		want    []store.ProjectID
	}{{"b", []store.ProjectID{a.ID}}, {"c", nil}} {
		if err := edit(db, step.deleted, (*store.Tx).DeleteProject); err != nil {
			t.Fatal(err)
		}
		got := db.APIKeys()[0]
		if !slices.Equal(got.Projects, step.want) || got.AllProjects || got.May(b.ID) {
			t.Errorf("after %s: got %v, all %v, want %v", step.deleted, got.Projects, got.AllProjects, step.want)
		}
	}
}

func TestAccount(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "svc.db")
	db := openStore(t, path, store.Options{})
	if got := db.Account(); got != nil {
		t.Fatalf("before the first start: got %v, want none", got)
	}
	a := &store.Account{Username: "admin", Password: "$argon2id$", Epoch: 1}
	update(t, db, func(tx *store.Tx) error { return tx.PutAccount(a) })
	before, id := db.Account(), a.ID
	a.Username, a.Epoch = "root", 2
	update(t, db, func(tx *store.Tx) error { return tx.PutAccount(a) })
	if got := db.Account(); got.ID != id || got.Username != "root" || got.Epoch != 2 || id == (store.ID{}) {
		t.Errorf("got %+v, want root of epoch 2 with id %v", got, id)
	}
	if before.Username != "admin" || before.Epoch != 1 {
		t.Errorf("an account that was given out has become %+v", before)
	}
	closeStore(t, db)
	db = openStore(t, path, store.Options{})
	if got := db.Account(); asJSON(t, got) != asJSON(t, a) {
		t.Errorf("opened again: got %+v, want %+v", got, a)
	}
}

// FuzzDigest checks that only 64 hex digits can be decoded as a digest.
func FuzzDigest(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		var d store.Digest
		err := d.UnmarshalText([]byte(text))
		hex := len(text) == 64 && strings.Trim(text, "0123456789abcdefABCDEF") == ""
		if hex != (err == nil) {
			t.Fatalf("%q: got %v, want an error %v", text, err, !hex)
		}
		if !hex {
			return
		}
		if back, err := d.MarshalText(); err != nil || string(back) != strings.ToLower(text) {
			t.Errorf("%q: got %q, %v back", text, back, err)
		}
	})
}

// FuzzVersion decodes arbitrary bytes as a version. Each value that can be decoded must
// have one encoded form, which decodes to the same value.
func FuzzVersion(f *testing.F) {
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, err := store.DecodeVersion(raw)
		if err != nil {
			return
		}
		once, err := store.Encode(v)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if !json.Valid(once) {
			t.Fatalf("%s: got %s, which is no JSON", raw, once)
		}
		again, err := store.DecodeVersion(once)
		if err != nil {
			t.Fatalf("%s: %v", once, err)
		}
		if twice, err := store.Encode(again); err != nil || string(twice) != string(once) {
			t.Errorf("%s: got %s, %v, want %s", raw, twice, err, once)
		}
	})
}
