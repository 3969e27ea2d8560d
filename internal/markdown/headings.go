package markdown

import (
	"regexp"
	"strconv"
)

// Below is HTML for a place under a heading of a level, 1 to 5: its own headings begin at the
// next one.
func Below(source string, level int) string { return nest(convert(source), level+1) }

var heading = regexp.MustCompile(`<(/?)h([1-6])>`)

// nest gives the headings of rendered text the levels from outermost on, none of which is left
// out on the way down: who jumps from heading to heading by ear would look for what is missing.
// A tag in the text is escaped, so what looks like a heading is one.
func nest(rendered string, outermost int) string {
	var open []int // levels in the source of the headings around the current one
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
