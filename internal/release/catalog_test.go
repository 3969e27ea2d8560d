package release_test

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"svc/internal/release"
	"svc/internal/rollout"
)

// describe returns the version that a line describes. In "v1.0=1.0.0 @5 preview", for
// example, the parts are the display text, the comparable version (by default derived
// from the text; "none" is zero), the time of publication (by default 0) and the flags.
// "channel=beta" sets the channel. "running=25" is a rollout in this state at 25 %, whose seed
// is that of the contract. "yanked" and "yanked=2.0" withdraw the version, the latter in favour
// of another one.
func describe(t testing.TB, line string) release.Item {
	t.Helper()
	words := strings.Fields(line)
	name, comparable, given := strings.Cut(words[0], "=")
	v := release.Item{Version: name}
	switch {
	case comparable == "none":
	case given:
		v.Comparable = parse(t, comparable)
	default:
		var ok bool
		if v.Comparable, ok = release.Derive(name); !ok {
			t.Fatalf("%q: got no comparable version, want one", line)
		}
	}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "channel":
			v.Channel = value
		case "running", "paused", "held", "completed", "aborted":
			v.Rollout = rolledOut(t, rollout.State(name), value)
		case "yanked":
			v.Yank = &release.Yank{Reason: value}
		case "latest":
			v.Latest = true
		case "preview":
			v.Preview = true
		case "milestone":
			v.Milestone = true
		case "deprecated":
			v.Deprecated = true
		default:
			at, err := strconv.ParseInt(strings.TrimPrefix(word, "@"), 10, 64)
			if err != nil {
				t.Fatalf("%q: got the word %q, want a flag or a time", line, word)
			}
			v.PublishedAt = at
		}
	}
	return v
}

// rolledOut returns a rollout that has been started.
func rolledOut(t testing.TB, state rollout.State, percent string) *rollout.Rollout {
	t.Helper()
	r := &rollout.Rollout{State: state, Percent: rollout.Whole, Seed: "9f86d081884c7d659a2feaa0c55ad015", StartedAt: new(int64)}
	if percent == "" {
		return r
	}
	if err := r.Percent.UnmarshalJSON([]byte(percent)); err != nil {
		t.Fatal(err)
	}
	return r
}

// id returns the ID of the version that is created n-th.
func id(n int) (u uuid.UUID) {
	binary.BigEndian.PutUint64(u[:], uint64(n))
	return u
}

// catalog returns a catalog of the versions that the lines describe, in order of
// creation. It passes them to NewCatalog in a different order.
func catalog(t testing.TB, lines ...string) *release.Catalog {
	t.Helper()
	var items []release.Item
	for n, line := range lines {
		v := describe(t, line)
		v.ID = id(n)
		items = append(items, v)
	}
	for i := range items { // the reason of a yank names the version to return to
		yank := items[i].Yank
		if yank == nil || yank.Reason == "" {
			continue
		}
		at := slices.IndexFunc(items, func(v release.Item) bool { return v.Version == yank.Reason })
		to := items[at].ID
		yank.DowngradeTo = &to
	}
	rand.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	return release.NewCatalog(items, release.Channels{{Name: "beta", Includes: []string{"stable"}}})
}

// name returns the display text of the version at a position, or "" for -1.
func name(c *release.Catalog, at int) string {
	if at < 0 {
		return ""
	}
	return c.Item(at).Version
}

func TestListOrder(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		versions []string
		want     string
	}{
		{"the greatest comparable version first", []string{"1.9", "1.10", "1.10-rc", "2.0-alpha", "1.2"}, "2.0-alpha 1.10 1.10-rc 1.9 1.2"},
		{"the display text plays no role", []string{"zeta=1", "alpha=2"}, "alpha zeta"},
		{"equal values: newest published first", []string{"a=1.0 @3", "b=1 @1", "c=1.0.0 @2"}, "a c b"},
		{"equal values and times: newest created first", []string{"a=1.0", "b=1", "c=1.0.0"}, "c b a"},
		{"flags play no role", []string{"1 latest milestone", "2 deprecated", "3 preview"}, "3 2 1"},
		{"without a usable comparable version last", []string{"x=none @9", "0-alpha", "y=none @8"}, "0-alpha x y"},
		{"nothing published", nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := catalog(t, tc.versions...)
			var got []string
			for at := range c.Len() {
				got = append(got, name(c, at))
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("%q: got %q, want %q", tc.versions, got, tc.want)
			}
		})
	}
}

func TestLatest(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		versions []string
		want     string
	}{
		{"the one with the flag", []string{"3.0 @9", "1.0 @1 latest", "2.0 @5"}, "1.0"},
		{"a preview with the flag", []string{"3.0", "1.0-rc preview latest"}, "1.0-rc"},
		{"several flags: newest published", []string{"3.0 @1 latest", "1.0 @2 latest", "2.0 @1 latest"}, "1.0"},
		{"several flags, equal times: newest created", []string{"3.0 latest", "1.0 latest", "0.9"}, "1.0"},
		{"no flag: the official one that was published last", []string{"3.0 @1", "1.0 @2", "4.0-rc @3 preview"}, "1.0"},
		{"no flag: deprecated ones count", []string{"3.0 @1", "1.0 @2 deprecated"}, "1.0"},
		{"no flag, equal times: newest created", []string{"3.0", "1.0"}, "1.0"},
		{"previews only: the one that was published last", []string{"2.0-rc @1 preview", "1.0-rc @2 preview"}, "1.0-rc"},
		{"neither rollouts nor yanked versions", []string{"1.0", "2.0 running", "3.0 held", "4.0 aborted", "5.0 yanked"}, "1.0"},
		{"a completed rollout", []string{"1.0", "2.0 completed"}, "2.0"},
		{"only a rollout", []string{"1.0 running=99"}, ""},
		{"a time in the future hides nothing", []string{"1.0 @1", "2.0 @99999999999"}, "2.0"},
		{"nothing published", nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := catalog(t, tc.versions...)
			if got := name(c, c.Latest()); got != tc.want {
				t.Errorf("%q: got %q, want %q", tc.versions, got, tc.want)
			}
		})
	}
}

func TestLatestPreview(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		versions []string
		want     string
	}{
		{"the greatest comparable version", []string{"1.0-rc @9 preview", "2.0-rc @1 preview", "3.0"}, "2.0-rc"},
		{"equal values: newest published", []string{"a=1-rc @2 preview", "b=1.0-rc @1 preview"}, "a"},
		{"equal values and times: newest created", []string{"a=1-rc preview", "b=1.0-rc preview"}, "b"},
		{"the flag decides, not the tag", []string{"2.0-rc", "1.0 preview"}, "1.0"},
		{"deprecated ones count", []string{"1.0-rc preview", "2.0-rc preview deprecated"}, "2.0-rc"},
		{"neither rollouts nor yanked versions", []string{"1.0-rc preview", "2.0-rc preview paused", "3.0-rc preview yanked"}, "1.0-rc"},
		{"no preview", []string{"1.0"}, ""},
		{"nothing published", nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := catalog(t, tc.versions...)
			if got := name(c, c.LatestPreview()); got != tc.want {
				t.Errorf("%q: got %q, want %q", tc.versions, got, tc.want)
			}
		})
	}
}

func TestByVersion(t *testing.T) {
	t.Parallel()
	versions := []string{"v1.0 @5", "1.0.0 @7", "01.0 @7 preview", "2=3", "spring=2 @1", "3.0", "9.9=none"}
	for _, tc := range []struct {
		name, text, want string
	}{
		{"the display text", "v1.0", "v1.0"},
		{"a display text that is no comparable version", "spring", "spring"},
		{"blanks around it", " \tv1.0\n", "v1.0"},
		{"case counts", "V1.0", ""},
		{"the display text before a comparable version", "2", "2"},
		{"equal in value: newest published, then newest created, preview or not", "1", "01.0"},
		{"equal in value, written in another way", "2.0.0", "spring"},
		{"nothing is derived from it", "v3.0", ""},
		{"a display text without comparable version", "9.9", "9.9"},
		{"the value of none is no value", "9.9.0", ""},
		{"unknown", "4", ""},
		{"empty", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := catalog(t, versions...)
			if got := name(c, c.ByVersion(tc.text)); got != tc.want {
				t.Errorf("ByVersion(%q) of %q: got %q, want %q", tc.text, versions, got, tc.want)
			}
		})
	}
}

func TestNamed(t *testing.T) {
	t.Parallel()
	c := catalog(t, "v1.0", "2.0")
	for _, tc := range []struct {
		name, text, want string
	}{
		{"the exact text", "v1.0", "v1.0"},
		{"nothing is trimmed", " v1.0", ""},
		{"case counts", "V1.0", ""},
		{"an equal value is another text", "2", ""},
		{"empty", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := name(c, c.Named(tc.text)); got != tc.want {
				t.Errorf("Named(%q): got %q, want %q", tc.text, got, tc.want)
			}
		})
	}
}

// TestCatalogTakesOver checks that NewCatalog sorts the slice in place, and that
// positions in the catalog are indexes of the slice.
func TestCatalogTakesOver(t *testing.T) {
	t.Parallel()
	items := []release.Item{describe(t, "1"), describe(t, "3"), describe(t, "2")}
	c := release.NewCatalog(items, nil)
	if !slices.IsSortedFunc(items, func(a, b release.Item) int { return b.Comparable.Compare(a.Comparable) }) {
		t.Errorf("got %v, want the slice sorted", items)
	}
	for at := range items {
		if c.Item(at) != &items[at] {
			t.Errorf("Item(%d): got a copy, want the element", at)
		}
	}
}
