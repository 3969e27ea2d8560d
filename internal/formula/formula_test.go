package formula_test

import (
	"math"
	"strings"
	"testing"

	"svc/internal/formula"
)

// values returns the values of the aliases in the examples: A=10, B=4, C=0. No other
// alias is declared.
func values(alias byte) float64 { return map[byte]float64{'A': 10, 'B': 4}[alias] }

func declared(alias byte) bool { return alias == 'A' || alias == 'B' || alias == 'C' }

func TestEval(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		rule, text string
		want       float64
	}{
		{"a rate", "A / B * 100", 250},
		{"usual precedence", "A + B * 2", 18},
		{"parentheses", "(A + B) * 2", 28},
		{"unary minus before parentheses", "-(A - B)", -6},
		{"division by zero is 0", "A / C", 0},
		{"division by negative zero is 0", "A / -C", 0},
		{"division by zero is 0 in the middle, too", "A / C + B", 4},
		{"left-associative minus", "A - B - 1", 5},
		{"left-associative division", "A / B / 2", 1.25},
		{"division and product from left to right", "A / B * 4", 10},
		{"unary minus binds closer than a product", "-A * B", -40},
		{"unary minus behind an operator", "A * -B", -40},
		{"two unary minuses", "A - --B", 6},
		{"number", "42", 42},
		{"number with a fraction", "0.1 + 0.2", 0.30000000000000004},
		{"number that ends in a point", "1. * A", 10},
		{"number with leading zeros", "007", 7},
		{"blanks and tabs do not matter", "\t A\t+  B ", 14},
		{"no blanks at all", "A+B", 14},
		{"no negative zero", "-C", 0},
		{"no negative zero by a product", "C * -1", 0},
		{"deep nesting", strings.Repeat("(", 127) + "A" + strings.Repeat(")", 127), 10},
		{"many operands that wait", strings.Repeat("1+(", 63) + "A" + strings.Repeat(")", 63), 73},
		{"many minuses", strings.Repeat("-", 255) + "A", -10},
		{"256 characters", strings.Repeat(" ", 255) + "A", 10},
	} {
		f, err := formula.Parse(tc.text, declared)
		if err != nil {
			t.Errorf("%s: %q: %v", tc.rule, tc.text, err)
			continue
		}
		if got := f.Eval(values); got != tc.want || math.Signbit(got) != math.Signbit(tc.want) {
			t.Errorf("%s: %q is %v, want %v", tc.rule, tc.text, got, tc.want)
		}
	}
}

// TestNoInfinity checks that a result that is not finite becomes 0, and that intermediate
// values need not be finite.
func TestNoInfinity(t *testing.T) {
	t.Parallel()
	huge := func(byte) float64 { return math.MaxFloat64 }
	for text, want := range map[string]float64{"A * A": 0, "-A * A": 0, "A*A - A*A": 0, "1 / (A * A)": 0, "A": math.MaxFloat64} {
		f, err := formula.Parse(text, declared)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Eval(huge); got != want || math.Signbit(got) {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ rule, text, want string }{
		{"empty", "", "formula must not be empty"},
		{"blank", " \t ", "formula must not be empty"},
		{"too long", strings.Repeat(" ", 256) + "A", "formula must have at most 256 characters"},
		{"characters count, not bytes", strings.Repeat("é", 256), `formula has an unexpected 'é' at character 1`},
		{"undeclared alias", "A + D", "formula uses D, which is not an alias of this query"},
		{"two operands", "A B", "formula has an unexpected 'B' at character 3"},
		{"two letters", "AB", "formula has an unexpected 'B' at character 2"},
		{"number before an alias", "2A", "formula has an unexpected 'A' at character 2"},
		{"two operators", "A **B", "formula has an unexpected '*' at character 4"},
		{"unknown operator", "A % B", "formula has an unexpected '%' at character 3"},
		{"missing parenthesis", "(A", "formula ends too early"},
		{"parenthesis too many", "A)", "formula has an unexpected ')' at character 2"},
		{"empty parentheses", "()", "formula has an unexpected ')' at character 2"},
		{"missing operand", "A /", "formula ends too early"},
		{"small letters", "a / b", "formula has an unexpected 'a' at character 1"},
		{"unary plus", "+A", "formula has an unexpected '+' at character 1"},
		{"unary plus behind an operator", "A - +B", "formula has an unexpected '+' at character 5"},
		{"leading point", ".5", "formula has an unexpected '.' at character 1"},
		{"two points", "1.2.3", `formula has "1.2.3" at character 1, which is not a number`},
		{"exponent", "1e3", "formula has an unexpected 'e' at character 2"},
		{"line break", "A\n+ B", `formula has an unexpected '\n' at character 2`},
		{"zero byte", "A\x00", `formula has an unexpected '\x00' at character 2`},
		{"letter of another script", "Α", "formula has an unexpected 'Α' at character 1"},
	} {
		_, err := formula.Parse(tc.text, declared)
		if err == nil || err.Error() != tc.want {
			t.Errorf("%s: %q: got %v, want %s", tc.rule, tc.text, err, tc.want)
		}
	}
}

func BenchmarkEval(b *testing.B) {
	f, err := formula.Parse("(A + B) / (C + 1) * 100", declared)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		f.Eval(func(alias byte) float64 { return float64(alias) })
	}
}
