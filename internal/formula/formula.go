// Package formula evaluates the formulas of metric queries, which consist of numbers,
// aliases of one letter, + - * / and parentheses.
package formula

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// longest is the maximum number of characters of a formula. It also limits the depth of
// nesting.
const longest = 256

// Formula is a parsed expression. It is immutable.
type Formula struct {
	// steps are in postfix order: the operands of an operator come before it.
	steps []step
	depth int // maximum number of operands that are on the stack at a time
}

// step is either an operand, which is pushed onto the stack, or an operator, which
// replaces its operands on the stack with its result.
type step struct {
	kind   byte    // one of the kinds below, or one of + - * /
	alias  byte    // 'A' to 'Z', if kind is stepAlias
	number float64 // finite and not negative, if kind is stepNumber
}

const (
	stepNumber byte = 'n'
	stepAlias  byte = 'a'
	stepNegate byte = '~'
)

// Parse parses a formula of at most 256 characters. declared reports whether the formula may use
// the given alias, a letter from A to Z. The text of every error begins with "formula". If a
// character is unexpected, the text also contains its position.
func Parse(text string, declared func(alias byte) bool) (*Formula, error) {
	if utf8.RuneCountInString(text) > longest {
		return nil, fmt.Errorf("formula must have at most %d characters", longest)
	}
	p := parser{text: text, declared: declared}
	if p.peek() == 0 {
		return nil, errors.New("formula must not be empty")
	}
	if err := p.expression(); err != nil {
		return nil, err
	}
	if p.peek() != 0 {
		return nil, p.unexpected()
	}
	return &Formula{steps: p.steps, depth: p.depth}, nil
}

// Eval evaluates the formula. It calls value to get the value of an alias. A division by zero has
// the result 0. If the result of the formula is not finite, Eval returns 0. It never returns
// negative zero.
func (f *Formula) Eval(value func(alias byte) float64) float64 {
	waiting := make([]float64, 0, 8)
	if f.depth > cap(waiting) {
		waiting = make([]float64, 0, f.depth)
	}
	for _, s := range f.steps {
		last := len(waiting) - 1
		switch s.kind {
		case stepNumber:
			waiting = append(waiting, s.number)
		case stepAlias:
			waiting = append(waiting, value(s.alias))
		case stepNegate:
			waiting[last] = -waiting[last]
		default:
			waiting[last-1] = apply(s.kind, waiting[last-1], waiting[last])
			waiting = waiting[:last]
		}
	}
	result := waiting[0]
	if result == 0 || math.IsNaN(result) || math.IsInf(result, 0) {
		return 0 // also replaces negative zero
	}
	return result
}

func apply(operator byte, a, b float64) float64 {
	switch {
	case operator == '+':
		return a + b
	case operator == '-':
		return a - b
	case operator == '*':
		return a * b
	case b == 0:
		return 0
	}
	return a / b
}

// parser reads the text of a formula once and emits its steps.
type parser struct {
	text     string
	at       int
	declared func(alias byte) bool
	steps    []step
	waiting  int // number of operands on the stack after the steps so far
	depth    int // greatest value of waiting so far
}

// expression parses: term { ("+" | "-") term }.
func (p *parser) expression() error { return p.chain('+', '-', p.term) }

// term parses: factor { ("*" | "/") factor }.
func (p *parser) term() error { return p.chain('*', '/', p.factor) }

// chain parses operands that are joined by the operators in the parameters one and other, which
// have the same precedence, from left to right. operand parses a single operand.
func (p *parser) chain(one, other byte, operand func() error) error {
	if err := operand(); err != nil {
		return err
	}
	for {
		operator := p.peek()
		if operator != one && operator != other {
			return nil
		}
		p.at++
		if err := operand(); err != nil {
			return err
		}
		p.steps = append(p.steps, step{kind: operator})
		p.waiting--
	}
}

// factor parses: "-" factor | "(" expression ")" | number | alias.
func (p *parser) factor() error {
	switch c := p.peek(); {
	case c == '-':
		p.at++
		if err := p.factor(); err != nil {
			return err
		}
		p.steps = append(p.steps, step{kind: stepNegate})
		return nil
	case c == '(':
		p.at++
		if err := p.expression(); err != nil {
			return err
		}
		if p.peek() != ')' {
			return p.unexpected()
		}
		p.at++
		return nil
	case isDigit(c):
		return p.number()
	case 'A' <= c && c <= 'Z':
		if !p.declared(c) {
			return fmt.Errorf("formula uses %c, which is not an alias of this query", c)
		}
		p.at++
		p.operand(step{kind: stepAlias, alias: c})
		return nil
	}
	return p.unexpected()
}

// number parses: digit { digit | "." }.
func (p *parser) number() error {
	from := p.at
	for p.at < len(p.text) && (isDigit(p.text[p.at]) || p.text[p.at] == '.') {
		p.at++
	}
	text := p.text[from:p.at]
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("formula has %q at character %d, which is not a number", text, p.character(from))
	}
	p.operand(step{kind: stepNumber, number: value})
	return nil
}

// operand emits a step that pushes a value onto the stack.
func (p *parser) operand(s step) {
	p.steps = append(p.steps, s)
	p.waiting++
	p.depth = max(p.depth, p.waiting)
}

// peek skips blanks and returns the byte after them without consuming it, or 0 at the end of the
// text. For a zero byte it returns '?', which is invalid everywhere in a formula.
func (p *parser) peek() byte {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	if p.text[p.at] == 0 {
		return '?'
	}
	return p.text[p.at]
}

// unexpected returns the error that the character at the current position is unexpected, or that
// the formula ends too early.
func (p *parser) unexpected() error {
	if p.at == len(p.text) {
		return errors.New("formula ends too early")
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return fmt.Errorf("formula has an unexpected %q at character %d", r, p.character(p.at))
}

// character converts a byte offset in the text to a position in characters, which starts at 1.
func (p *parser) character(at int) int { return utf8.RuneCountInString(p.text[:at]) + 1 }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
