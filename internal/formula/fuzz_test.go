package formula_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"svc/internal/formula"
)

// FuzzFormula compares the evaluation of formulas with that of Go's own parser for
// expressions.
func FuzzFormula(f *testing.F) {
	for _, seed := range []string{
		"A / B * 100", "-(A - B)", "A **B", "A - --B", "1.2.3", "1. / 3", "A (B)", "(A)(B)", "007.50", "A B", "()",
		"1/(A-A)", "((((A))))", "\tA\n", "D", "A//B", "A/*B", "A+", "0.1+0.2-0.3", "é", "-0", "A*-B/-C",
	} {
		f.Add(seed, 10.0, 4.0)
	}
	f.Fuzz(func(t *testing.T, text string, a, b float64) {
		value := func(alias byte) float64 { return map[byte]float64{'A': a, 'B': b}[alias] }
		want, valid := reference(text, value)
		parsed, err := formula.Parse(text, declared)
		if valid != (err == nil) {
			t.Fatalf("%q: error %v, but valid is %v", text, err, valid)
		}
		if err != nil {
			return
		}
		if got := parsed.Eval(value); math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%q with A=%v, B=%v is %v, want %v", text, a, b, got, want)
		}
	})
}

var (
	tokens = regexp.MustCompile(`^(?:[0-9][0-9.]*|[ABC]|[-+*/()]|[ \t]+)`)
	number = regexp.MustCompile(`^[0-9]+(\.[0-9]*)?$`)
)

// reference evaluates a formula with Go's parser. It puts blanks between the tokens, so
// that they form no comments, no -- and no octal numbers.
func reference(text string, value func(byte) float64) (result float64, valid bool) {
	if utf8.RuneCountInString(text) > 256 {
		return 0, false
	}
	var b strings.Builder
	for text != "" {
		word := tokens.FindString(text)
		if word == "" {
			return 0, false
		}
		text = text[len(word):]
		if word[0] >= '0' && word[0] <= '9' {
			if !number.MatchString(word) {
				return 0, false
			}
			word = "1" + word // prevents a leading zero, which makes a number octal; removed again below
		}
		b.WriteString(" " + strings.TrimSpace(word))
	}
	expr, err := parser.ParseExpr(b.String())
	if err != nil {
		return 0, false
	}
	result, err = evaluate(expr, value)
	if result == 0 || math.IsNaN(result) || math.IsInf(result, 0) {
		result = 0
	}
	return result, err == nil
}

var errForeign = errors.New("only Go has this expression")

func evaluate(e ast.Expr, value func(byte) float64) (float64, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return evaluate(e.X, value)
	case *ast.Ident:
		return value(e.Name[0]), nil
	case *ast.BasicLit:
		return strconv.ParseFloat(e.Value[1:], 64)
	case *ast.UnaryExpr:
		x, err := evaluate(e.X, value)
		if e.Op != token.SUB {
			err = errForeign
		}
		return -x, err
	case *ast.BinaryExpr:
		x, err := evaluate(e.X, value)
		y, err2 := evaluate(e.Y, value)
		return calculate(e.Op, x, y), errors.Join(err, err2)
	}
	return 0, errForeign
}

func calculate(op token.Token, x, y float64) float64 {
	switch op {
	case token.ADD:
		return x + y
	case token.SUB:
		return x - y
	case token.MUL:
		return x * y
	}
	if y == 0 {
		return 0
	}
	return x / y
}
