package event

import "testing"

// TestLargeBatchesDoNotShareACommit bounds what one transaction writes.
func TestLargeBatchesDoNotShareACommit(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for _, tc := range []struct {
		name  string
		bytes []int
		want  int
	}{
		{"one alone, however large", []int{20 * mib, 1}, 1},
		{"as many as there is room for", []int{3 * mib, 3 * mib, 2 * mib, 1}, 3},
		{"all that wait", []int{1, 2, 3}, 3},
		{"a number of small ones", make([]int, mostTogether+1), mostTogether},
		{"nobody", nil, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var waiting []*waiter
			for _, n := range tc.bytes {
				waiting = append(waiting, &waiter{bytes: n})
			}
			group, bytes := together(waiting)
			sum := 0
			for _, w := range group {
				sum += w.bytes
			}
			if len(group) != tc.want || bytes != sum {
				t.Errorf("got %d batches said to have %d bytes, want %d with %d", len(group), bytes, tc.want, sum)
			}
		})
	}
}
