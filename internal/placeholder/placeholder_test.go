package placeholder_test

import (
	"slices"
	"strings"
	"testing"

	"svc/internal/placeholder"
)

func TestExpand(t *testing.T) {
	t.Parallel()
	values := map[string]string{"content": "It {{rating}} crashed", "rating": "4/5", "empty": ""}
	for _, tc := range []struct{ name, text, want string }{
		{"spaces around the name are optional", "{{content}}|{{ rating }}|{{  rating}}", "It {{rating}} crashed|4/5|4/5"},
		{"values are not expanded again", "{{content}}", "It {{rating}} crashed"},
		{"unknown names stay as written", "{{ nobody }} {{Rating}} {{rating.x}}", "{{ nobody }} {{Rating}} {{rating.x}}"},
		{"an empty value is a value", "[{{empty}}]", "[]"},
		{"braces alone are text", "{{}} {{ }} {rating} {{rating}", "{{}} {{ }} {rating} {{rating}"},
		{"more braces", "{{{rating}}}", "{4/5}"},
		{"a line break is no space", "{{\nrating}}", "{{\nrating}}"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := placeholder.Expand(tc.text, values); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	got := placeholder.Names("{{ b }} {{a_1}} {{B}} {{b}} { {c}}")
	if want := []string{"b", "a_1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestExpandAtMost(t *testing.T) {
	t.Parallel()
	values := map[string]string{"x": strings.Repeat("x", 100)}
	text := strings.Repeat("{{x}}-", 1000)
	if got := placeholder.ExpandAtMost(250, text, values); got != placeholder.Expand(text, values)[:302] {
		t.Errorf("got %d bytes: %q", len(got), got)
	}
}
