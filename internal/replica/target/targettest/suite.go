package targettest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"svc/internal/replica/target"
)

// Run runs the tests that every target must pass. Each call of open returns a target for another
// client of the same storage, which must be empty at first. large is the size in bytes of the largest
// object.
func Run(t *testing.T, open func(testing.TB) target.Target, large int64) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, client){
		"content":     func(t *testing.T, c client) { content(t, c, large) },
		"create":      create,
		"creators":    creators,
		"replace":     replace,
		"list":        list,
		"paging":      paging,
		"delete":      deletion,
		"absence":     absence,
		"names":       names,
		"visibility":  visibility,
		"cancelled":   cancelled,
		"short":       short,
		"create-only": createOnly,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, client{open(t), open, "suite-" + name})
		})
	}
}

// client is one client of the storage. Each test uses names in a folder of its own.
type client struct {
	target.Target
	open   func(testing.TB) target.Target
	folder string
}

func (c client) name(rest string) string { return c.folder + "/" + rest }

func (c client) create(t testing.TB, rest string, content []byte) {
	t.Helper()
	if err := c.Create(t.Context(), c.name(rest), bytes.NewReader(content), int64(len(content))); err != nil {
		t.Fatalf("create %s of %d bytes: %v", rest, len(content), err)
	}
}

func (c client) wantContent(t testing.TB, rest string, want []byte) {
	t.Helper()
	r, size, err := c.Open(t.Context(), c.name(rest))
	if err != nil {
		t.Fatalf("open %s: %v", rest, err)
	}
	got, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil || size != int64(len(want)) || !bytes.Equal(got, want) {
		t.Errorf("%s: size %d, got %d bytes with sum %x, %v; want %d, %x",
			rest, size, len(got), sha256.Sum256(got), err, len(want), sha256.Sum256(want))
	}
}

// listed returns the names in a folder below that of the test, without the name of the latter.
func (c client) listed(t testing.TB, folder string) (found []string) {
	t.Helper()
	err := c.List(t.Context(), strings.TrimSuffix(c.name(folder), "/"), func(o target.Object) error {
		found = append(found, fmt.Sprintf("%s %d", strings.TrimPrefix(o.Name, c.folder+"/"), o.Size))
		return nil
	})
	if err != nil {
		t.Fatalf("list %q: %v", folder, err)
	}
	return found
}

// random returns size pseudorandom bytes that depend only on seed.
func random(seed byte, size int64) []byte {
	b := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{seed}).Read(b) // never fails
	return b
}

func content(t *testing.T, c client, large int64) {
	for i, size := range []int64{0, 1, 4096, 1<<20 + 1, large} {
		name, want := fmt.Sprintf("a/b/%06d", i), random(byte(i), size)
		c.create(t, name, want)
		c.wantContent(t, name, want)
	}
	if _, err := target.Read(t.Context(), c, c.name("a/b/000002"), 4095); err == nil {
		t.Error("read more than the limit")
	}
	if got, err := target.Read(t.Context(), c, c.name("a/b/000002"), 4096); err != nil || !bytes.Equal(got, random(2, 4096)) {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
}

func create(t *testing.T, c client) {
	c.create(t, "one", []byte("first"))
	for _, again := range []string{"first", "other", ""} {
		err := c.Create(t.Context(), c.name("one"), strings.NewReader(again), int64(len(again)))
		if !errors.Is(err, target.ErrExists) {
			t.Errorf("create %q again: %v; want ErrExists", again, err)
		}
	}
	c.wantContent(t, "one", []byte("first"))
}

// creators checks that exactly one of several clients creates an object.
func creators(t *testing.T, c client) {
	const clients, rounds = 4, 8
	targets := []target.Target{c.Target}
	for len(targets) < clients {
		targets = append(targets, c.open(t))
	}
	for round := range rounds {
		name := c.name(fmt.Sprintf("round/%d", round))
		var created sync.Map
		begin := make(chan struct{})
		var running sync.WaitGroup
		for i, to := range targets {
			running.Go(func() {
				<-begin
				content := random(byte(i), 100_000)
				switch err := to.Create(t.Context(), name, bytes.NewReader(content), int64(len(content))); {
				case err == nil:
					created.Store(i, content)
				case !errors.Is(err, target.ErrExists):
					t.Errorf("round %d, client %d: %v", round, i, err)
				}
			})
		}
		close(begin)
		running.Wait()
		var winners []int
		created.Range(func(i, content any) bool {
			winners = append(winners, i.(int))
			c.wantContent(t, strings.TrimPrefix(name, c.folder+"/"), content.([]byte))
			return true
		})
		if len(winners) != 1 {
			t.Errorf("round %d: clients %v created the object", round, winners)
		}
	}
}

func replace(t *testing.T, c client) {
	for _, text := range []string{"a long first content", "second", ""} {
		if err := c.Replace(t.Context(), c.name("a/primary"), []byte(text)); err != nil {
			t.Fatal(err)
		}
		c.wantContent(t, "a/primary", []byte(text))
	}
}

func list(t *testing.T, c client) {
	for i, name := range []string{"b", "a/2", "a-b/1", "a/1/x", "a.b", "a/10", "a_b/1", "A/1", "a/1.5", "0000000001/0000000000000002"} {
		c.create(t, name, make([]byte, i))
	}
	all := []string{
		"0000000001/0000000000000002 9", "A/1 7", "a-b/1 2", "a.b 4", "a/1.5 8", "a/1/x 3", "a/10 5", "a/2 1", "a_b/1 6", "b 0",
	}
	for folder, want := range map[string][]string{"": all, "a": all[4:8], "a/1": all[5:6], "absent": nil} {
		if got := c.listed(t, folder); !slices.Equal(got, want) {
			t.Errorf("list %q: got %q; want %q", folder, got, want)
		}
	}
	// The objects of the other tests are in the list of the whole target.
	var inAll []string
	err := c.List(t.Context(), "", func(o target.Object) error {
		if rest, ours := strings.CutPrefix(o.Name, c.folder+"/"); ours {
			inAll = append(inAll, fmt.Sprintf("%s %d", rest, o.Size))
		}
		return nil
	})
	if err != nil || !slices.Equal(inAll, all) {
		t.Errorf("list of all: got %q, %v; want %q", inAll, err, all)
	}
	enough, visited := errors.New("enough"), 0
	err = c.List(t.Context(), c.folder, func(target.Object) error {
		if visited++; visited == 3 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || visited != 3 {
		t.Errorf("stopped list: visited %d, %v", visited, err)
	}
}

// paging lists more objects than an S3 server returns in one response.
func paging(t *testing.T, c client) {
	const count = 1010
	indexes := make(chan int)
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for i := range indexes {
				if err := c.Replace(t.Context(), c.name(fmt.Sprintf("log/%016d", i)), nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range count {
		indexes <- i
	}
	close(indexes)
	running.Wait()
	got := c.listed(t, "log")
	if len(got) != count || !slices.IsSorted(got) {
		t.Errorf("listed %d objects, sorted %v; want %d", len(got), slices.IsSorted(got), count)
	}
}

func deletion(t *testing.T, c client) {
	for _, name := range []string{"a/b/1", "a/b/2", "a/c"} {
		c.create(t, name, []byte(name))
	}
	for _, step := range []struct {
		name string
		want []string
	}{
		{"a/b/1", []string{"a/b/2 5", "a/c 3"}},
		{"a/b/1", []string{"a/b/2 5", "a/c 3"}},
		{"a/b/2", []string{"a/c 3"}},
		{"x/y/z", []string{"a/c 3"}},
		{"a/c", nil},
	} {
		if err := c.Delete(t.Context(), c.name(step.name)); err != nil {
			t.Errorf("delete %s: %v", step.name, err)
		}
		if got := c.listed(t, ""); !slices.Equal(got, step.want) {
			t.Errorf("after deletion of %s: %q; want %q", step.name, got, step.want)
		}
	}
	c.create(t, "a/b/1", []byte("new"))
	c.wantContent(t, "a/b/1", []byte("new"))
}

func absence(t *testing.T, c client) {
	c.create(t, "a/b/c", nil)
	for _, name := range []string{"x", "a/x", "a/b/x", "x/y/z"} {
		if _, _, err := c.Open(t.Context(), c.name(name)); !errors.Is(err, target.ErrMissing) {
			t.Errorf("open %s: %v; want ErrMissing", name, err)
		}
	}
}

// names checks names that no target stores.
func names(t *testing.T, c client) {
	for _, name := range []string{
		"", "/", "a//b", "/a", "a/", ".", "..", "a/../../b", "../b", ".a", "a/.b",
		`a\b`, "a b", "a\x00", "ä", "a?b", "a#b", "a%2fb", "C:", "a:b",
		strings.Repeat("a", 129),
	} {
		_, _, opened := c.Open(t.Context(), name)
		for operation, err := range map[string]error{
			"create": c.Create(t.Context(), name, strings.NewReader(""), 0), "replace": c.Replace(t.Context(), name, nil),
			"open": opened, "delete": c.Delete(t.Context(), name),
		} {
			if err == nil || errors.Is(err, target.ErrMissing) || errors.Is(err, target.ErrExists) {
				t.Errorf("%s %q: %v", operation, name, err)
			}
		}
		if err := c.List(t.Context(), name, func(target.Object) error { return nil }); name != "" && err == nil {
			t.Errorf("list %q succeeded", name)
		}
	}
}

// visibility checks that an object that is being written is not visible before it is complete.
func visibility(t *testing.T, c client) {
	want := random(1, 3<<20)
	halfway := &observed{ReaderAt: bytes.NewReader(want), at: 2 << 20, call: func() {
		if _, _, err := c.Open(t.Context(), c.name("one")); !errors.Is(err, target.ErrMissing) {
			t.Errorf("open while it is written: %v", err)
		}
		if got := c.listed(t, ""); got != nil {
			t.Errorf("listed while it is written: %q", got)
		}
	}}
	if err := c.Create(t.Context(), c.name("one"), halfway, int64(len(want))); err != nil {
		t.Fatal(err)
	}
	c.wantContent(t, "one", want)
}

// observed calls a function once when an offset is read.
type observed struct {
	io.ReaderAt
	at   int64
	call func()
	once sync.Once
}

func (o *observed) ReadAt(p []byte, offset int64) (int, error) {
	if offset >= o.at {
		o.once.Do(o.call)
	}
	return o.ReaderAt.ReadAt(p, offset)
}

func cancelled(t *testing.T, c client) {
	c.create(t, "one", []byte("one"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, opened := c.Open(ctx, c.name("one"))
	for operation, err := range map[string]error{
		"create": c.Create(ctx, c.name("two"), strings.NewReader("two"), 3), "replace": c.Replace(ctx, c.name("two"), nil), "open": opened,
		"list":   c.List(ctx, c.folder, func(target.Object) error { return nil }),
		"delete": c.Delete(ctx, c.name("one")),
	} {
		if err == nil || errors.Is(err, target.ErrMissing) || errors.Is(err, target.ErrExists) {
			t.Errorf("%s: %v", operation, err)
		}
	}
	if got := c.listed(t, ""); !slices.Equal(got, []string{"one 3"}) {
		t.Errorf("listed %q", got)
	}
}

// short checks that content that is shorter than announced is not stored.
func short(t *testing.T, c client) {
	if err := c.Create(t.Context(), c.name("one"), bytes.NewReader(random(1, 200_000)), 300_000); err == nil {
		t.Error("stored an object that is too short")
	}
	if got := c.listed(t, ""); got != nil {
		t.Errorf("listed %q", got)
	}
}

func createOnly(t *testing.T, c client) {
	if ok, err := target.CreateOnly(t.Context(), c); !ok || err != nil {
		t.Errorf("create-only: %v, %v", ok, err)
	}
}
