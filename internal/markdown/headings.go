package markdown

import (
	"regexp"
	"strconv"
)

// Below renders Markdown for a place in a page under a heading of the given level, 1 to
// 5. The headings in the Markdown begin at the next level.
func Below(source string, level int) string { return nest(convert(source), level+1) }

var heading = regexp.MustCompile(`<(/?)h([1-6])>`)

// nest changes the levels of headings in rendered text, so that they begin at outermost
// and no level is skipped, which would confuse users of screen readers. Tags in the
// source are escaped, so every match is a heading.
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
