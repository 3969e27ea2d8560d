package loggroup_test

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"svc/internal/loggroup"
)

// The rule as regular expressions, written independently of the package.
var (
	frameRules = []*regexp.Regexp{
		regexp.MustCompile(`^\s*(?:at )?(.+?) ?\(([^()]*\.[^()]*?)(?::\d+)?(?::\d+)?\)$`),
		regexp.MustCompile(`^\s*File "([^"]+)", line \d+, in (.+)$`),
		regexp.MustCompile(`^\s*at ([^()\s]+?):\d+(?::\d+)?$`),
	}
	typeRule      = regexp.MustCompile(`^([^\t\n\f\r ]{1,128}?): `)
	templateRules = []struct {
		pattern *regexp.Regexp
		with    string
	}{
		{regexp.MustCompile(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`), "<uuid>"},
		{regexp.MustCompile(`[a-z]+://[^\s"')>]+`), "<url>"},
		{regexp.MustCompile(`"[^"]*"`), "<str>"},
		{regexp.MustCompile(`(^|[^0-9A-Za-z])'[^']*'`), "$1<str>"},
		{regexp.MustCompile(`(^|[\s(=:])(/|[A-Za-z]:\\)[^\s:,;)]+`), "$1<path>"},
	}
	prefixedRule = regexp.MustCompile(`0x[0-9a-fA-F]+`)
	hexRule      = regexp.MustCompile(`\b[0-9a-fA-F]{8,}\b`)
	numberRule   = regexp.MustCompile(`[0-9]+([.,][0-9]+)*`)
)

func fourAndFive(text string) string {
	text = prefixedRule.ReplaceAllString(text, "<hex>")
	text = hexRule.ReplaceAllStringFunc(text, func(word string) string {
		if strings.ContainsAny(word, "0123456789") && strings.ContainsAny(strings.ToLower(word), "abcdef") {
			return "<hex>"
		}
		return word
	})
	return numberRule.ReplaceAllString(text, "<n>")
}

// fingerprint returns the id and the title according to the regular expressions.
func fingerprint(l loggroup.Log) (id, title string) {
	first := func(text string, n int) string {
		if characters := []rune(text); len(characters) > n {
			return string(characters[:n])
		}
		return text
	}
	parts := []string{"v1", "key", l.Key}
	title = first(l.Key, 200)
	if n := len([]rune(l.Key)); n == 0 || n > 256 {
		lines := strings.Split(l.Content, "\n")
		name, message := "", strings.TrimSpace(lines[0])
		if m := typeRule.FindStringSubmatch(message); m != nil {
			name, message = m[1], strings.TrimSpace(message[len(m[0]):])
		}
		for _, rule := range templateRules {
			message = rule.pattern.ReplaceAllString(message, rule.with)
		}
		message = first(fourAndFive(message), 200)
		var frames []string
		for _, line := range lines[1:] {
			line = strings.TrimSuffix(line, "\r")
			for i, rule := range frameRules {
				m := rule.FindStringSubmatch(line)
				if m == nil {
					continue
				}
				function, file := "?", m[1]
				switch i {
				case 0:
					function, file = m[1], m[2]
				case 1:
					function = m[2]
				}
				file = fourAndFive(file)
				file = file[strings.LastIndexAny(file, `/\`)+1:]
				frames = append(frames, function+" ("+file+")")
				break
			}
		}
		parts = []string{"v1", "message", strconv.Itoa(l.Level), l.Source, name, message}
		if len(frames) > 0 {
			parts = append([]string{"v1", "frames", strconv.Itoa(l.Level), l.Source, name}, frames[:min(5, len(frames))]...)
		}
		if title = message; name != "" {
			title = first(name+": "+message, 200)
		}
		if title == "" {
			title = "(empty)"
		}
	}
	digest := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(digest[:8]), title
}

// TestVectors checks the published examples.
func TestVectors(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		`TimeoutError: no answer from "api" after 1500 ms`:       "a39c4f5390bd6d31",
		`TimeoutError: no answer from "cdn" after 20 ms`:         "a39c4f5390bd6d31",
		"KeyError: 'k'\n  load (store.py:12)\n  main (app.py:3)": "d629f4003d8661ff",
		"KeyError: 'k'\n  load (store.py:14)\n  main (app.py:9)": "d629f4003d8661ff",
		"failed": "784360b181379d6b",
	} {
		if got := (loggroup.Log{Level: 3, Content: content}).ID().String(); got != want {
			t.Errorf("%q: got %s, want %s", content, got, want)
		}
	}
}

// logs are reports in the forms of the client libraries and of run times, and edge cases.
var logs = []string{
	"", " ", "\n", "a", ": x", "x: ", "a b: c", "é: ü 5",
	"panic: runtime error: index out of range [5] with length 3\n  main.load (store.go:12)\n  main.main (main.go:3)",
	"TypeError: Cannot read properties of undefined (reading 'x')\n" +
		"    at load (https://a.example/app.js:10:5)\n    at https://a.example/b.js:1:2",
	"java.lang.IllegalStateException: no\n\tat com.example.A.b(A.java:12)\n\tat com.example.C.<init>(C.java)",
	"ValueError: bad\r\n  File \"/srv/app.py\", line 12, in load\r\n  File \"C:\\app\\b.py\", line 3, in <module>\r",
	"thread 'main' panicked at src/main.rs:3:5:\n   0: core::panic\n" +
		"             at /rustc/90c541806f23a127/library/core/src/panic.rs:67:14\n  at src\\main.rs:1",
	"Error: x\n  (a.js:1)\n at (a.js:1:2)\n(a.js)\n f  (a.b.js:1:2:3)\n at  (x.y)\n f (a)b.js)\n at :1:2\n at a:1:2:3\n at x:y",
	"open /var/lib/svc/x: no such file", `cannot read C:\Users\me\a.txt, code=/a/b;x`, "at '/a' ''b''c'd'", `"a" "b`, "it's 'one' don't",
	"id 123e4567-e89b-12d3-a456-426614174000 at https://x.example/a?b=1)",
	"0x1f 0xzz deadbeef12 deadbeef 12345678 abcdef120x12 _deadbeef1 1.2.3,4. 5,",
	"a://b c:// http://\"x A://y ahttp://x>y", "x:/a :/ (/b =C:\\x 1:\\z", strings.Repeat("é9", 300), "e: " + strings.Repeat("x", 300),
	strings.Repeat("t", 128) + ": m", strings.Repeat("t", 129) + ": m", "a\u00a0: b", "\v'a'",
}

func compare(t *testing.T, l loggroup.Log) {
	t.Helper()
	id, title := fingerprint(l)
	if got := l.ID().String(); got != id {
		t.Errorf("id of %q: got %s, want %s", l.Content, got, id)
	}
	if got := l.Title(); got != title {
		t.Errorf("title of %q: got %q, want %q", l.Content, got, title)
	}
}

// TestRule compares the fingerprint with the regular expressions that define it.
func TestRule(t *testing.T) {
	t.Parallel()
	for _, content := range logs {
		compare(t, loggroup.Log{Level: 2, Source: "app", Content: content})
		compare(t, loggroup.Log{Level: 3, Content: content, Key: content})
		compare(t, loggroup.Log{Level: 3, Content: "x: y\n" + content})
	}
}

func FuzzRule(f *testing.F) {
	for _, content := range logs {
		f.Add(content, "")
	}
	f.Fuzz(func(t *testing.T, content, key string) {
		compare(t, loggroup.Log{Level: 3, Content: strings.ToValidUTF8(content, "?"), Key: strings.ToValidUTF8(key, "?")})
	})
}

// TestParseID checks that ids are read back, and that other texts are refused.
func TestParseID(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a39c4f5390bd6d31", "overflow"} {
		if id, ok := loggroup.ParseID(text); !ok || id.String() != text {
			t.Errorf("%s: got %s, %v", text, id, ok)
		}
	}
	for _, text := range []string{"", "a39c", "A39C4F5390BD6D31", "a39c4f5390bd6d3g", "a39c4f5390bd6d3100"} {
		if _, ok := loggroup.ParseID(text); ok {
			t.Errorf("%q is an id", text)
		}
	}
}

// TestFields checks the fields that are read from the objects of a log.
func TestFields(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		device, custom string
		want           loggroup.Fields
	}{
		{"", "", loggroup.Fields{}},
		{`{"app_version":"1.0"}`, `{"app_version":"2.0","group_key":"k","repeated":3}`, loggroup.Fields{Key: "k", Version: "1.0", Repeated: 3}},
		{`{"app_version":1}`, `{"app_version":"2.0"}`, loggroup.Fields{Version: "2.0"}},
		{`{"x":{"app_version":"1"}}`, `{"group_key":"","repeated":-1}`, loggroup.Fields{}},
		{"", `{"group_key":5,"repeated":1.5}`, loggroup.Fields{}},
		{"", `{"group_key":"` + strings.Repeat("é", 257) + `","repeated":"3"}`, loggroup.Fields{}},
		{`{"app_version":"` + strings.Repeat("9", 65) + `"}`, `{"group_key":"\u00e9"}`, loggroup.Fields{Key: "é"}},
	} {
		if got := loggroup.ReadFields([]byte(row.device), []byte(row.custom)); got != row.want {
			t.Errorf("%s, %s: got %+v, want %+v", row.device, row.custom, got, row.want)
		}
	}
}

func BenchmarkID(b *testing.B) {
	for name, content := range map[string]string{"message": `TimeoutError: no answer from "api" after 1500 ms`, "frames": logs[9]} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				loggroup.Log{Level: 3, Content: content}.ID()
			}
		})
	}
}
