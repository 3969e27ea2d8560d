package markdown

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Below renders Markdown as HTML for a place in a page under a heading of the given level, 1 to 5.
// The headings in the Markdown begin at the next level.
func Below(source string, level int) string { return nest(convert(source), level+1) }

var heading = regexp.MustCompile(`<(/?)h([1-6])>`)

// nest changes the levels of headings in rendered text, so that they begin at the level outermost
// and no level is skipped, which would confuse users of screen readers. Tags in the source are
// escaped, so every match is a heading.
func nest(rendered string, outermost int) string {
	var open []int // levels, in the source, of the headings around the current one
	return heading.ReplaceAllStringFunc(rendered, func(tag string) string {
		level := int(tag[len(tag)-2] - '0')
		end := tag[1] == '/'
		if !end {
			for len(open) > 0 && open[len(open)-1] >= level {
				open = open[:len(open)-1]
			}
			open = append(open, level)
		}
		now := strconv.Itoa(min(outermost+len(open)-1, 6))
		if end {
			return "</h" + now + ">"
		}
		return "<h" + now + ">"
	})
}

// headings is the key under which the context of a parser contains the positions, as byte offsets,
// of the ATX headings of levels 1 to 5 in a text.
var headings = parser.NewContextKey()

// atxHeading is a parser for ATX headings, which begin with #. It adds the position of each heading
// of level 1 to 5 to the positions in the parser's context, under the key headings.
type atxHeading struct{ parser.BlockParser }

func (p atxHeading) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	_, line := reader.PeekLine()
	at := line.Start + pc.BlockOffset() - line.Padding // the padding is the part of a tab that is left of the text
	node, state := p.BlockParser.Open(parent, reader, pc)
	if h, ok := node.(*ast.Heading); ok && h.Level < 6 {
		found, _ := pc.Get(headings).([]int)
		pc.Set(headings, append(found, at))
	}
	return node, state
}

// blocks parses the blocks of a text, but not the text within them.
var blocks = parser.NewParser(parser.WithBlockParsers(append(parser.DefaultBlockParsers(),
	util.Prioritized(atxHeading{parser.NewATXHeadingParser()}, 550))...)) // before the default one, which has priority 600

// Lower returns Markdown in which every ATX heading, which begins with #, is one level lower. A
// heading of level 6 keeps its level. Everything else, such as a comment in a code block, stays as
// it is.
func Lower(source string) string {
	if !strings.Contains(source, "#") || deep.MatchString(source) { // HTML shows the latter as plain text
		return source
	}
	pc := parser.NewContext()
	blocks.Parse(text.NewReader([]byte(source)), parser.WithContext(pc))
	found, _ := pc.Get(headings).([]int)
	var b strings.Builder
	written := 0
	for _, at := range found {
		b.WriteString(source[written:at])
		b.WriteByte('#')
		written = at
	}
	b.WriteString(source[written:])
	return b.String()
}
