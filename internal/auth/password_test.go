package auth

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
)

// quick returns a Hasher with the lowest cost that the algorithm permits.
func quick() *Hasher {
	h := NewHasher()
	h.cost.memory, h.cost.passes = 8, 1
	return h
}

func TestHashAndVerify(t *testing.T) {
	t.Parallel()
	h := NewHasher()
	text, err := h.Hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if want := "$argon2id$v=19$m=19456,t=2,p=1$"; !strings.HasPrefix(text, want) {
		t.Errorf("got %q, want it to begin with %q", text, want)
	}
	for _, tc := range []struct {
		name, password string
		want           bool
	}{
		{"the password", "correct horse", true},
		{"another one", "correct horsf", false},
		{"none", "", false},
		{"blanks count", "correct horse ", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ok, rehash, err := h.Verify(context.Background(), text, tc.password)
			if ok != tc.want || rehash || err != nil {
				t.Errorf("got %v, rehash %v, %v, want %v", ok, rehash, err, tc.want)
			}
		})
	}
}

func TestHashIsSalted(t *testing.T) {
	t.Parallel()
	h := quick()
	one, _ := h.Hash(t.Context(), "secret")
	other, _ := h.Hash(t.Context(), "secret")
	if one == other {
		t.Errorf("got %q twice, want two salts", one)
	}
}

func TestVerifyKnownHash(t *testing.T) {
	t.Parallel()
	// from the tests of the reference implementation of Argon2
	const text = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	ok, _, err := NewHasher().Verify(t.Context(), text, "password")
	if !ok || err != nil {
		t.Errorf("got %v, %v, want true", ok, err)
	}
}

func TestRehash(t *testing.T) {
	t.Parallel()
	present := cost{memory: 32, passes: 2, lanes: 2, salt: 16, key: 32}
	for _, tc := range []struct {
		name   string
		change func(*cost)
		want   bool
	}{
		{"as today", func(*cost) {}, false},
		{"less memory", func(c *cost) { c.memory-- }, true},
		{"fewer passes", func(c *cost) { c.passes-- }, true},
		{"shorter salt", func(c *cost) { c.salt-- }, true},
		{"shorter key", func(c *cost) { c.key-- }, true},
		{"more of everything", func(c *cost) { c.memory, c.passes, c.salt, c.key = 64, 3, 17, 33 }, false},
		{"more memory does not make up for fewer passes", func(c *cost) { c.memory, c.passes = 64, 1 }, true},
		{"fewer lanes are not weaker", func(c *cost) { c.lanes = 1 }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			was, now := NewHasher(), NewHasher()
			was.cost, now.cost = present, present
			tc.change(&was.cost)
			text, err := was.Hash(t.Context(), "secret")
			if err != nil {
				t.Fatal(err)
			}
			if ok, rehash, err := now.Verify(t.Context(), text, "secret"); !ok || rehash != tc.want || err != nil {
				t.Errorf("%s: got %v, rehash %v, %v, want true, rehash %v", text, ok, rehash, err, tc.want)
			}
			if ok, rehash, _ := now.Verify(t.Context(), text, "wrong"); ok || rehash {
				t.Errorf("%s with the wrong password: got %v, rehash %v, want neither", text, ok, rehash)
			}
		})
	}
}

func TestHasherRunsTwoAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := quick()
		for range ParallelHashes {
			h.slots <- struct{}{}
		}
		done := make(chan error, 1)
		go func() { done <- h.Waste(t.Context(), "secret") }()
		synctest.Wait()
		select {
		case err := <-done:
			t.Fatalf("a third one ran at once: %v", err)
		default:
		}
		<-h.slots
		if err := <-done; err != nil {
			t.Errorf("after one was done: got %v, want no error", err)
		}
		<-h.slots
		if len(h.slots) != 0 {
			t.Errorf("%d slots still taken, want none", len(h.slots))
		}
	})
}

func TestHasherHonoursContext(t *testing.T) {
	t.Parallel()
	text, err := quick().Hash(t.Context(), "secret")
	if err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func(*Hasher, context.Context) error{
		"Hash":   func(h *Hasher, ctx context.Context) error { _, err := h.Hash(ctx, "secret"); return err },
		"Waste":  func(h *Hasher, ctx context.Context) error { return h.Waste(ctx, "secret") },
		"Verify": func(h *Hasher, ctx context.Context) error { _, _, err := h.Verify(ctx, text, "secret"); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := quick()
				ctx, cancel := context.WithCancel(t.Context())
				for range ParallelHashes {
					h.slots <- struct{}{}
				}
				done := make(chan error, 1)
				go func() { done <- call(h, ctx) }()
				synctest.Wait()
				cancel()
				if err := <-done; !errors.Is(err, context.Canceled) {
					t.Errorf("while waiting: got %v, want %v", err, context.Canceled)
				}
				<-h.slots
				if err := call(h, ctx); !errors.Is(err, context.Canceled) {
					t.Errorf("beforehand: got %v, want %v", err, context.Canceled)
				}
			})
		})
	}
}

func TestParsePHC(t *testing.T) {
	t.Parallel()
	const salt, key = "c29tZXNhbHQ", "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	for _, tc := range []struct {
		name, text string
		ok         bool
	}{
		{"as written", "$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$" + key, true},
		{"the least", "$argon2id$v=19$m=8,t=1,p=1$" + salt + "$AAAAAAAAAAAAAAAAAAAAAA", true},
		{"the most", "$argon2id$v=19$m=1048576,t=64,p=16$" + salt + "$" + key, true},
		{"empty", "", false},
		{"another algorithm", "$argon2i$v=19$m=19456,t=2,p=1$" + salt + "$" + key, false},
		{"another version", "$argon2id$v=16$m=19456,t=2,p=1$" + salt + "$" + key, false},
		{"no version", "$argon2id$m=19456,t=2,p=1$" + salt + "$" + key, false},
		{"another order", "$argon2id$v=19$t=2,m=19456,p=1$" + salt + "$" + key, false},
		{"a missing parameter", "$argon2id$v=19$m=19456,t=2$" + salt + "$" + key, false},
		{"one more parameter", "$argon2id$v=19$m=19456,t=2,p=1,x=1$" + salt + "$" + key, false},
		{"text in front", "x$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$" + key, false},
		{"one more part", "$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$" + key + "$", false},
		{"a leading zero", "$argon2id$v=19$m=019456,t=2,p=1$" + salt + "$" + key, false},
		{"a sign", "$argon2id$v=19$m=+19456,t=2,p=1$" + salt + "$" + key, false},
		{"a blank", "$argon2id$v=19$m=19456, t=2,p=1$" + salt + "$" + key, false},
		{"no passes", "$argon2id$v=19$m=19456,t=0,p=1$" + salt + "$" + key, false},
		{"too many passes", "$argon2id$v=19$m=19456,t=65,p=1$" + salt + "$" + key, false},
		{"too many lanes", "$argon2id$v=19$m=19456,t=2,p=17$" + salt + "$" + key, false},
		{"less memory than the lanes need", "$argon2id$v=19$m=15,t=2,p=2$" + salt + "$" + key, false},
		{"all the memory of the machine", "$argon2id$v=19$m=4294967295,t=2,p=1$" + salt + "$" + key, false},
		{"more than 32 bits", "$argon2id$v=19$m=4294967304,t=2,p=1$" + salt + "$" + key, false},
		{"a short salt", "$argon2id$v=19$m=19456,t=2,p=1$c29tZXM$" + key, false},
		{"a short key", "$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$" + salt, false},
		{"a long key", "$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$" + strings.Repeat("A", 88), false},
		{"padding", "$argon2id$v=19$m=19456,t=2,p=1$" + salt + "=$" + key, false},
		{"a line end in the key", "$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$" + key[:8] + "\n" + key[8:], false},
		{"bits beyond the last byte", "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHR$" + key, false},
		{"another alphabet", "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNh_-Q$" + key, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := parsePHC(tc.text)
			if (err == nil) != tc.ok || err != nil && !errors.Is(err, errPHC) {
				t.Errorf("%q: got %v, want accepted: %v", tc.text, err, tc.ok)
			}
			if tc.ok {
				return
			}
			if ok, rehash, err := NewHasher().Verify(context.Background(), tc.text, "password"); ok || rehash || !errors.Is(err, errPHC) {
				t.Errorf("Verify of %q: got %v, %v, %v, want %v", tc.text, ok, rehash, err, errPHC)
			}
		})
	}
}

// FuzzParsePHC checks that each hash has only one text that is accepted, and that its
// cost is within the limits.
func FuzzParsePHC(f *testing.F) {
	f.Add("$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc")
	f.Add("$argon2id$v=19$m=4294967295,t=0,p=256$$")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parsePHC(text)
		if err != nil {
			return
		}
		if got := p.String(); got != text {
			t.Fatalf("%q: got %q back", text, got)
		}
		c := p.cost
		if c.memory < 8*uint32(c.lanes) || c.memory > maxMemory || c.passes < 1 || c.passes > maxPasses ||
			c.lanes < 1 || c.lanes > maxLanes || c.salt != len(p.saltBytes) || c.key != len(p.keyBytes) {
			t.Fatalf("%q: got cost %+v", text, c)
		}
	})
}

func TestNewPassword(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[0-9a-hjkmnp-tv-z]{5}(-[0-9a-hjkmnp-tv-z]{5}){3}$`)
	seen := map[string]bool{}
	for range 1000 {
		p := NewPassword()
		if !form.MatchString(p) {
			t.Fatalf("got %q, want four groups of five that are easy to type", p)
		}
		if seen[p] {
			t.Fatalf("got %q twice", p)
		}
		seen[p] = true
	}
}

func TestNewKey(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^svc_[0-9a-f]{48}$`)
	one, other := NewKey(), NewKey()
	if !form.MatchString(one) || one == other || !IsKey(one) {
		t.Errorf("got %q and %q, want two keys of svc_ and 48 hex digits", one, other)
	}
	for text, want := range map[string]bool{"svc_": true, "svc_x": true, "SVC_x": false, "": false, " svc_x": false, "eyJ.e30.x": false} {
		if got := IsKey(text); got != want {
			t.Errorf("IsKey(%q): got %v, want %v", text, got, want)
		}
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	// test case 2 of RFC 4231
	want := []byte{
		0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e, 0x6a, 0x04, 0x24, 0x26, 0x08, 0x95, 0x75, 0xc7,
		0x5a, 0x00, 0x3f, 0x08, 0x9d, 0x27, 0x39, 0x83, 0x9d, 0xec, 0x58, 0xb9, 0x64, 0xec, 0x38, 0x43,
	}
	if got := Digest([]byte("Jefe"), "what do ya want for nothing?"); !bytes.Equal(got[:], want) {
		t.Errorf("got %x, want %x", got, want)
	}
}

func BenchmarkVerify(b *testing.B) {
	h := NewHasher()
	text, err := h.Hash(b.Context(), "correct horse")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := h.Verify(b.Context(), text, "correct horse"); err != nil {
			b.Fatal(err)
		}
	}
}

// TestSaltMark checks that different salts have different marks, and that a mark is not a
// valid API key.
func TestSaltMark(t *testing.T) {
	t.Parallel()
	mark := SaltMark([]byte("salt"))
	if len(mark) != 16 || mark != SaltMark([]byte("salt")) || mark == SaltMark([]byte("pepper")) {
		t.Errorf("got %q, want 16 digits that are those of this salt alone", mark)
	}
	if IsKey("svc salt mark") {
		t.Error("the text of the mark could be that of a key")
	}
}
