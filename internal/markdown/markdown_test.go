package markdown_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"svc/internal/markdown"
)

func TestHTML(t *testing.T) {
	t.Parallel()
	const rel = ` rel="nofollow noopener noreferrer"`
	for name, c := range map[string]struct{ source, want string }{
		"nothing":            {"", ""},
		"headings":           {"# A\n## B\n###### C\n# D", "<h3>A</h3>\n<h4>B</h4>\n<h5>C</h5>\n<h3>D</h3>\n"},
		"deep headings":      {"#### A\n## B\n### `<h3>`", "<h3>A</h3>\n<h3>B</h3>\n<h4><code>&lt;h3&gt;</code></h4>\n"},
		"emphasis":           {"*a* **b** ~~c~~ `d`", "<p><em>a</em> <strong>b</strong> <del>c</del> <code>d</code></p>\n"},
		"breaks":             {"a\\\nb\n\n---", "<p>a<br>\nb</p>\n<hr>\n"},
		"quote":              {"> a", "<blockquote>\n<p>a</p>\n</blockquote>\n"},
		"numbers":            {"3. c\n4. d", "<ol start=\"3\">\n<li>c</li>\n<li>d</li>\n</ol>\n"},
		"tasks":              {"- [x] a\n- [ ] b", "<ul>\n<li>☑ a</li>\n<li>☐ b</li>\n</ul>\n"},
		"code of a language": {"```js onload=x\n<b>\n```", "<pre><code>&lt;b&gt;\n</code></pre>\n"},
		"table": {
			"|a|\n|-:|\n|1|",
			"<table>\n<thead>\n<tr>\n<th align=\"right\">a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align=\"right\">1</td>\n</tr>\n</tbody>\n</table>\n",
		},

		"link":                  {`[a](https://x.test "b")`, `<p><a href="https://x.test" title="b"` + rel + ">a</a></p>\n"},
		"link within the site":  {"[a](/terms/privacy)", `<p><a href="/terms/privacy"` + rel + ">a</a></p>\n"},
		"addresses":             {"www.x.test a@x.test", `<p><a href="http://www.x.test"` + rel + `>www.x.test</a> <a href="mailto:a@x.test"` + rel + ">a@x.test</a></p>\n"},
		"link without text":     {"[](https://x.test)", `<p><a href="https://x.test"` + rel + ">https://x.test</a></p>\n"},
		"link in a link":        {"[a <https://b.test>](https://x.test)", `<p><a href="https://x.test"` + rel + ">a https://b.test</a></p>\n"},
		"link to a heading":     {"[a](#b)", "<p>a</p>\n"},
		"link to a script":      {"[a](javascript:alert(1)) [b](JavaScript&colon;alert(1)) <javascript:alert(1)>", "<p>a b javascript:alert(1)</p>\n"},
		"link to data":          {"[a](data:text/html,x) [b](vbscript:x) [c](file:///x) <ftp://x.test>", "<p>a b c ftp://x.test</p>\n"},
		"picture":               {`![a](HTTPS://x.test/c.png?d&amp;e "b")`, `<p><img src="https://x.test/c.png?d&amp;e" alt="a" title="b" loading="lazy" referrerpolicy="no-referrer"></p>` + "\n"},
		"picture without https": {"![a](http://x.test) ![](http://y.test)", `<p><a href="http://x.test"` + rel + `>a</a> <a href="http://y.test"` + rel + ">http://y.test</a></p>\n"},
		"picture of data":       {"![a](data:image/png;base64,AAAA)", "<p>a</p>\n"},
		"picture as a link":     {"[![a](http://x.test)](https://y.test)", `<p><a href="https://y.test"` + rel + ">a</a></p>\n"},
		"links in a picture":    {"![a [b](http://x.test) ![c](http://y.test)](http://z.test)", `<p><a href="http://z.test"` + rel + ">a b c</a></p>\n"},

		"tags":            {"<script>alert(1)</script>\n\na <b onclick=x>b</b>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;\n</p>\n<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>\n"},
		"comments":        {"<!-- a\nb -->\n\nc<!-- d -->e", "<p>ce</p>\n"},
		"after a comment": {"<!-- a --> <img src=x onerror=y>\n", ""},
		"entities":        {"&copy; &lt;b&gt;", "<p>© &lt;b&gt;</p>\n"},
		"not text":        {"a\x00b\xffc", "<p>a\uFFFDb\uFFFDc</p>\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := markdown.HTML(c.source); got != c.want {
				t.Errorf("HTML(%q) is\n%s, want\n%s", c.source, got, c.want)
			}
		})
	}
}

// TestLimits checks that a text that would take too long to parse is shown without
// rendering. Depending on the limit, this affects the whole text or only a paragraph.
func TestLimits(t *testing.T) {
	t.Parallel()
	whole := func(source string) string { return "<pre><code>" + html.EscapeString(source) + "</code></pre>\n" }
	prose := strings.Repeat(strings.Repeat("*a* ", 4<<10-1)+"\n\n", 8) + "*a*"
	for name, c := range map[string]struct{ source, want string }{
		"a long text":      {prose + prose, whole(prose + prose)},
		"a long line":      {"*a*\n" + strings.Repeat("x", 16<<10), whole("*a*\n" + strings.Repeat("x", 16<<10))},
		"levels":           {strings.Repeat("> ", 64) + "*a*", whole(strings.Repeat("> ", 64) + "*a*")},
		"levels of kinds":  {strings.Repeat("- > 1. ", 22) + "*a*", whole(strings.Repeat("- > 1. ", 22) + "*a*")},
		"a long paragraph": {strings.Repeat("_ *\n", 5000) + "\n*a*", whole(strings.Repeat("_ *\n", 5000)) + "<p><em>a</em></p>\n"},
		"a table of short rows": {
			strings.Repeat("|a", 500) + "|\n" + strings.Repeat("|-", 500) + "|\n" + strings.Repeat("a\n", 500),
			"<p>" + strings.Repeat("|a", 500) + "|\n" + strings.Repeat("|-", 500) + "|\n" + strings.TrimSuffix(strings.Repeat("a\n", 500), "\n") + "</p>\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := markdown.HTML(c.source); got != c.want {
				t.Errorf("is\n%.300s…, want\n%.300s…", got, c.want)
			}
		})
	}
	if got := markdown.HTML(prose); !strings.HasPrefix(got, "<p><em>a</em> <em>a</em>") {
		t.Errorf("a text of %d bytes is %.100s…", len(prose), got)
	}
}

// FuzzHTML checks that the rendered HTML is safe in any page.
func FuzzHTML(f *testing.F) {
	for _, seed := range []string{
		"[a](b 'c') ![d](https://e/f.png) <g@h.i>", "- [x] a\n  1. b\n\n    c\n", "|a|b|\n|-|:-:|\n|`c\\|d`|\n", "a<!--b-->c<d e=\"f\">",
		"[a]: javascript:b\n[a] [c][a] ![a]", "![a [b](c) ![d](e)](f)", "``` a\"b\n</code><script>\n", "<a href=\"x\">![y](z)</a>",
		"[&#x6a;avascript](&#106;avascript:a)", "<https://a\"onclick=b>", "![\"onerror=a](https://b'c)", "[x](https://a/%3Cscript%3E)",
		"<svg><style><img src=x onerror=a></style></svg>", "a\n=\nb\n-\n", "~~a~~ &amp;lt;b&gt;", "\x00\xff<\x00b>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		rendered := markdown.HTML(source)
		if err := acceptable(rendered); err != nil {
			t.Errorf("HTML(%q) is %q: %v", source, rendered, err)
		}
	})
}

var attributes = map[string][]string{
	"a": {"href", "title", "rel"}, "img": {"src", "alt", "title", "loading", "referrerpolicy"}, "ol": {"start"},
	"th": {"align"}, "td": {"align"},
	"p": {}, "br": {}, "hr": {}, "h3": {}, "h4": {}, "h5": {}, "h6": {}, "strong": {}, "em": {}, "del": {}, "blockquote": {}, "ul": {},
	"li": {}, "pre": {}, "code": {}, "table": {}, "thead": {}, "tbody": {}, "tr": {},
}

// acceptable parses HTML as a browser does, and returns an error if it is not safe.
func acceptable(rendered string) error {
	var open []string
	for tokens := html.NewTokenizer(strings.NewReader(rendered)); ; {
		switch tokens.Next() {
		case html.ErrorToken:
			if len(open) > 0 {
				return fmt.Errorf("%q stay open", open)
			}
			return nil
		case html.CommentToken, html.DoctypeToken:
			return fmt.Errorf("has %s", tokens.Raw())
		case html.EndTagToken:
			token := tokens.Token()
			if len(open) == 0 || open[len(open)-1] != token.Data {
				return fmt.Errorf("</%s> closes none of %q", token.Data, open)
			}
			open = open[:len(open)-1]
		case html.StartTagToken, html.SelfClosingTagToken:
			token := tokens.Token()
			if err := acceptableElement(token, open); err != nil {
				return err
			}
			if !slices.Contains([]string{"br", "hr", "img"}, token.Data) {
				open = append(open, token.Data)
			}
		}
	}
}

func acceptableElement(token html.Token, open []string) error {
	allowed, ok := attributes[token.Data]
	if !ok || token.Data == "a" && slices.Contains(open, "a") {
		return fmt.Errorf("has %v in %q", token, open)
	}
	values := map[string]string{}
	for _, a := range token.Attr {
		if !slices.Contains(allowed, a.Key) {
			return fmt.Errorf("has attribute %s of %s", a.Key, token.Data)
		}
		values[a.Key] = a.Val
	}
	address, err := url.Parse(values["href"] + values["src"])
	switch {
	case err != nil:
		return err
	case token.Data == "a" && (!slices.Contains([]string{"", "http", "https", "mailto"}, address.Scheme) || values["rel"] != "nofollow noopener noreferrer"):
		return fmt.Errorf("has link %v", token)
	case token.Data == "img" && (address.Scheme != "https" || values["loading"] != "lazy" || values["referrerpolicy"] != "no-referrer"):
		return fmt.Errorf("has picture %v", token)
	}
	return nil
}

// TestBelow checks that headings begin one level below the heading around the text,
// whatever levels they have in the source.
func TestBelow(t *testing.T) {
	t.Parallel()
	const source = "### A\n##### B\n#### C\n# D\n## E\n### F\n#### G\n##### H\n###### I\n"
	for level, want := range map[int]string{
		1: "<h2>A</h2>\n<h3>B</h3>\n<h3>C</h3>\n<h2>D</h2>\n<h3>E</h3>\n<h4>F</h4>\n<h5>G</h5>\n<h6>H</h6>\n<h6>I</h6>\n",
		4: "<h5>A</h5>\n<h6>B</h6>\n<h6>C</h6>\n<h5>D</h5>\n<h6>E</h6>\n<h6>F</h6>\n<h6>G</h6>\n<h6>H</h6>\n<h6>I</h6>\n",
	} {
		if got := markdown.Below(source, level); got != want {
			t.Errorf("Below level %d is\n%s, want\n%s", level, got, want)
		}
	}
}

func TestLower(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, want string }{
		"nothing":              {"", ""},
		"no heading":           {"a\n- b #1\n", "a\n- b #1\n"},
		"all levels":           {"# A\n## B\n##### E\n###### F\n", "## A\n### B\n###### E\n###### F\n"},
		"empty headings":       {"#\n\n##  \n#", "##\n\n###  \n##"},
		"closed headings":      {"# A #\n# B ##", "## A #\n## B ##"},
		"indented":             {" # A\n   # B\n\n    # code\n\n\t# code", " ## A\n   ## B\n\n    # code\n\n\t# code"},
		"blank after #":        {"#A\n#\tB\n#1 is not one\n####### C", "#A\n##\tB\n#1 is not one\n####### C"},
		"escaped":              {"\\# A\n# B", "\\# A\n## B"},
		"after a paragraph":    {"a\n# B\nc", "a\n## B\nc"},
		"underlined":           {"#A\n===\n\nB\n---", "#A\n===\n\nB\n---"},
		"CRLF":                 {"# A\r\n\r\n## B\r\n", "## A\r\n\r\n### B\r\n"},
		"fences":               {"```sh\n# a\n```\n# B\n~~~\n# c\n~~~\n# D", "```sh\n# a\n```\n## B\n~~~\n# c\n~~~\n## D"},
		"indented fence":       {"   ```\n# a\n  ```\n# B", "   ```\n# a\n  ```\n## B"},
		"fence of other marks": {"~~~\n```\n# a\n~~~\n# B", "~~~\n```\n# a\n~~~\n## B"},
		"longer fence":         {"````\n```\n# a\n````\n# B", "````\n```\n# a\n````\n## B"},
		"end with a word":      {"```\n# a\n``` sh\n# b", "```\n# a\n``` sh\n# b"},
		"fence without an end": {"# A\n```\n# b", "## A\n```\n# b"},
		"code in a line":       {"``` a`b\n# C", "``` a`b\n## C"},
		"indented by four":     {"    ```\n# A", "    ```\n## A"},
		"fence in a list":      {"- ```\n  # a\n  ```\n\n# B", "- ```\n  # a\n  ```\n\n## B"},
		"in quotes and lists":  {"> # A\n\n- # B\n\n1. x\n\n   # C", "> ## A\n\n- ## B\n\n1. x\n\n   ## C"},
		"after tabs":           {">\t# A\n\n-\t# B\n\n*\t## C", ">\t## A\n\n-\t## B\n\n*\t### C"},
		"too deep":             {strings.Repeat("> ", 64) + "# A", strings.Repeat("> ", 64) + "# A"},
		"not text":             {"\xff\x00\n# A\xfe", "\xff\x00\n## A\xfe"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := markdown.Lower(c.source); got != c.want {
				t.Errorf("Lower(%q) is %q, want %q", c.source, got, c.want)
			}
		})
	}
}

// FuzzLower checks that Lower adds nothing except a # before each of its changes.
func FuzzLower(f *testing.F) {
	for _, source := range []string{"# A\n###### B", "> -\t# A\n\n```\n# b\n", " \t# A\n##", "A\n===\n# B", "\xff# A\n#\n"} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		got, at := markdown.Lower(source), 0
		for i := range len(got) {
			if at < len(source) && got[i] == source[at] {
				at++
			} else if got[i] != '#' {
				t.Fatalf("Lower(%q) is %q", source, got)
			}
		}
		if at != len(source) {
			t.Fatalf("Lower(%q) is %q", source, got)
		}
	})
}
