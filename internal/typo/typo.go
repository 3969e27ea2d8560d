// Package typo finds the known word that was probably meant by a mistyped one.
package typo

import (
	"slices"
	"strings"
)

// Nearest returns the known word that is most similar to the given word, ignoring case. If no known
// word is similar enough, but exactly one begins with the given word, Nearest returns that one.
// Otherwise it returns "".
func Nearest(word string, known []string) string {
	word = strings.ToLower(word)
	best, least := "", limit(word)+1
	for _, k := range known {
		if n := Distance(word, strings.ToLower(k)); n < least {
			best, least = k, n
		}
	}
	if best != "" || len(word) < 2 {
		return best
	}
	begun := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return !strings.HasPrefix(strings.ToLower(k), word) })
	if len(begun) == 1 {
		return begun[0]
	}
	return ""
}

// limit returns the maximum distance at which a known word is similar enough to the given word. It
// depends on the length of that word.
func limit(word string) int { return min(3, (len(word)+2)/3) }

// Distance returns the minimum number of edits that turn a into b. An edit is inserting,
// deleting or replacing a byte, or swapping it with its neighbour. No byte is edited
// twice.
func Distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			replace := last[j]
			if a[i] != b[j] {
				replace++
			}
			row[j+1] = min(replace, row[j]+1, last[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
