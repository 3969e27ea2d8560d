package query

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPaths(t *testing.T) {
	t.Parallel()
	in := func(user, session, name string, second int64) fact {
		return fact{user: user, session: session, name: name, at: monday + second}
	}
	for _, tc := range []struct {
		name  string
		facts []fact
		q     PathsQuery
		want  string
	}{
		{"order of time, not of receipt", []fact{in("u", "s", "b", 5), in("u", "s", "a", 4)}, PathsQuery{}, "1:a→b 1"},
		{"order of receipt within a second", []fact{in("u", "s", "b", 5), in("u", "s", "a", 5)}, PathsQuery{}, "1:b→a 1"},
		{"repeated names are kept", []fact{in("u", "s", "a", 1), in("u", "s", "a", 2), in("u", "s", "a", 3)}, PathsQuery{}, "1:a→a 1, 2:a→a 1"},
		{
			"one session of two users is two",
			[]fact{in("u", "s", "a", 1), in("v", "s", "b", 2), in("u", "s", "c", 3), in("v", "s", "d", 4)},
			PathsQuery{},
			"1:a→c 1, 1:b→d 1",
		},
		{
			"events without a session are one sequence of their user",
			[]fact{in("u", "", "a", 1), in("u", "s", "x", 2), in("u", "", "b", 9000)},
			PathsQuery{},
			"1:a→b 1",
		},
		{"users cross sessions", []fact{in("u", "", "a", 1), in("u", "s", "x", 2), in("u", "r", "b", 9000)}, PathsQuery{Users: true}, "1:a→x 1, 2:x→b 1"},
		{"no more nodes than the depth", []fact{in("u", "s", "a", 1), in("u", "s", "b", 2), in("u", "s", "c", 3)}, PathsQuery{Depth: 2}, "1:a→b 1"},
		{"an unknown start event", []fact{in("u", "s", "a", 1), in("u", "s", "b", 2)}, PathsQuery{StartEvent: "x"}, ""},
		{
			"other branches are one edge",
			[]fact{in("u", "s", "a", 1), in("u", "s", "c", 2), in("v", "r", "a", 1), in("v", "r", "b", 2), in("w", "q", "a", 1), in("w", "q", "d", 2)},
			PathsQuery{Branches: 1},
			"1:a→b 1, 1:(other)→(other) 2, truncated",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			q := tc.q
			q.Depth, q.Branches = max(q.Depth, 3*(1-min(q.Depth, 1))), max(q.Branches, 5*(1-min(q.Branches, 1)))
			for _, parts := range []int{1, 2, 4} {
				w := newWorld(t, tc.facts, func(i int) int { return i * parts / len(tc.facts) })
				if got := pathsRow(q)(t, w.query(t.Context(), exampleRange())); got != tc.want {
					t.Errorf("%d parts: got %s, want %s", parts, got, tc.want)
				}
			}
		})
	}
}

// TestPathsAgainstModel checks that paths agree with a model that groups events by
// sequence. It tests both few names and more names than the matrix of edges can hold.
func TestPathsAgainstModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 3))
		names := 1 + random.IntN(5)
		facts := make([]fact, random.IntN(120))
		for i := range facts {
			facts[i] = fact{
				user: fmt.Sprint(random.IntN(4)), session: []string{"", "r", "s", "t"}[random.IntN(4)],
				name: fmt.Sprintf("n%d", random.IntN(names)), at: monday + random.Int64N(40)*random.Int64N(400),
			}
		}
		q := PathsQuery{Depth: 2 + random.IntN(5), Branches: 100, Users: random.IntN(2) == 0, Range: Range{Start: monday + 100, End: monday + 12_000}}
		if random.IntN(2) == 0 {
			q.StartEvent = "n0"
		}
		parts := 1 + random.IntN(3)
		w := newWorld(t, facts, func(i int) int { return i * parts / len(facts) })
		ask := w.query(t.Context(), q.Range)
		if random.IntN(2) == 0 {
			ask.names = maxMatrixNames + 1
		}
		paths, err := ask.paths(q)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := shortPaths(paths), shortPaths(modelPaths(facts, q)); got != want {
			t.Fatalf("seed %d, %+v:\ngot  %s\nwant %s", seed, q, got, want)
		}
	}
}

func modelPaths(facts []fact, q PathsQuery) Paths {
	sequences := map[[2]string][]fact{}
	for _, f := range facts {
		key := [2]string{f.user, f.session}
		if q.Users {
			key[1] = ""
		}
		if f.at >= q.Start && f.at <= q.End {
			sequences[key] = append(sequences[key], f)
		}
	}
	counts := map[Edge]int64{}
	for _, list := range sequences {
		slices.SortStableFunc(list, func(a, b fact) int { return int(a.at - b.at) })
		if q.StartEvent != "" {
			at := slices.IndexFunc(list, func(f fact) bool { return f.name == q.StartEvent })
			if at < 0 {
				continue
			}
			list = list[at:]
		}
		list = list[:min(len(list), q.Depth)]
		for i := 1; i < len(list); i++ {
			counts[Edge{Step: i, From: list[i-1].name, To: list[i].name}]++
		}
	}
	var edges []Edge
	for e, n := range counts {
		e.Count = n
		edges = append(edges, e)
	}
	return rankEdges(edges, q.Branches)
}
