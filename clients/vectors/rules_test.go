package vectors

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"net/url"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// c is a case. A missing or null field reads as the zero value.
type c map[string]any

func (c c) text(key string) string { s, _ := c[key].(string); return s }
func (c c) number(key string) int  { n, _ := c[key].(float64); return int(n) }
func (c c) flag(key string) bool   { b, _ := c[key].(bool); return b }

// rules computes the result of each case in a section, and names the key that holds the expected
// result. Each rule is derived from the contract, independently of the libraries. Therefore a
// mistake in vectors.json or in this file is detected.
var rules = map[string]struct {
	key string
	of  func(c) any
}{
	"fnv1a32":                   {"out", func(c c) any { return hash(c.text("in")) }},
	"origin":                    {"out", func(c c) any { return origin(c.text("in")) }},
	"namespace":                 {"out", namespace},
	"state_file":                {"out", stateFile},
	"client_time":               {"out", clientTime},
	"header_value":              {"out", headerValue},
	"retry":                     {"delay_ms", retryDelay},
	"event_backoff":             {"delay_ms", backoff},
	"event_backoff_retry_after": {"delay_ms", backoff},
	"event_outcome":             {"action", outcomeOf},
	"event_name":                {"out", func(c c) any { return orNull(eventName(c.text("in"))) }},
	"error_message":             {"out", errorMessage},
	"base_url":                  {"out", baseURL},
	"path_segment":              {"out", pathSegment},
	"retry_after":               {"seconds", retryAfter},
	"update_link":               {"out", updateLink},
	"update_decision":           {"out", decision},
	"update_due":                {"out", func(c c) any { m, ok := c["remembered"].(map[string]any); return !ok || due(m, c) }},
	"update_memory":             {"due", memoryDue},
	"update_key":                {"out", updateKey},
	"own_link":                  {"out", func(c c) any { return ownLink.MatchString(c.text("in")) }},
	"error_fingerprint": {"out", func(c c) any {
		return hash(c.text("type") + "\n" + c.text("message") + "\n" + c.text("frame"))
	}},
}

func TestRules(t *testing.T) {
	t.Parallel()
	for section, rule := range rules {
		t.Run(section, func(t *testing.T) {
			t.Parallel()
			for _, c := range Section[[]c](t, section) {
				want, said := c[rule.key]
				if n, ok := want.(float64); ok {
					want = int(n)
				}
				if got := rule.of(c); !said || !reflect.DeepEqual(got, want) {
					t.Errorf("%v: the rule has %v, the file %v", c, got, want)
				}
			}
		})
	}
}

func orNull(s string, ok bool) any {
	if !ok {
		return nil
	}
	return s
}

func hash(text string) string {
	h := fnv.New32a()
	h.Write([]byte(text))
	return fmt.Sprintf("%08x", h.Sum32())
}

// lower converts only ASCII letters to lower case.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}

func origin(base string) string {
	base = strings.TrimSpace(base)
	scheme, rest, whole := strings.Cut(base, "://")
	if !whole {
		return lower(base)
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	rest = lower(rest[strings.LastIndex(rest, "@")+1:])
	scheme = lower(scheme)
	rest = strings.TrimSuffix(rest, ":")
	if port := (map[string]string{"http": ":80", "https": ":443"})[scheme]; port != "" {
		rest = strings.TrimSuffix(rest, port)
	}
	return scheme + "://" + rest
}

func namespace(c c) any {
	key := lower(strings.TrimSpace(c.text("project_key")))
	if key == "" {
		key = "default"
	}
	return hash(origin(c.text("base_url"))) + "-" + key
}

func stateFile(c c) any {
	name := []rune(regexp.MustCompile(`[^A-Za-z0-9._-]`).ReplaceAllString(c.text("in"), "_"))
	return string(name[:min(len(name), 96)]) + ".json"
}

func clientTime(c c) any {
	offset := c.number("offset_seconds")
	if offset%60 != 0 {
		return nil
	}
	at := time.UnixMilli(int64(c["unix_ms"].(float64))).In(time.FixedZone("", offset))
	return at.Format("2006-01-02T15:04:05.000-07:00")
}

func headerValue(c c) any {
	words := strings.FieldsFunc(c.text("in"), func(r rune) bool { return r < '!' || r > '~' })
	s := strings.Join(words, " ")
	s = strings.TrimRight(s[:min(len(s), 32)], " ")
	return orNull(s, s != "")
}

func retryDelay(c c) any {
	if m := c.text("method"); m != "GET" && m != "HEAD" || c.number("done") >= c.number("max") {
		return nil
	}
	again := []string{"dns", "connect", "connect_timeout", "tls_handshake", "stale_connection"}
	if status := c.number("status"); c["error"] != nil && !slices.Contains(again, c.text("error")) || c["error"] == nil && (status < 502 || status > 504) {
		return nil
	}
	after := c.number("retry_after") * 1000
	if after > 30_000 {
		return nil
	}
	return max(after, int(min(300*math.Pow(2, float64(c.number("done"))), 5000)))
}

func backoff(c c) any {
	delay := min(float64(c.number("interval_ms"))*math.Pow(2, float64(c.number("failures")-1)), 60_000)
	return max(int(delay), min(c.number("retry_after"), 3600)*1000)
}

func outcomeOf(c c) any {
	switch status := c.number("status"); status {
	case 400, 413, 422:
		if c.number("events") > 1 {
			return "split"
		}
		return "drop_batch"
	case 401, 403, 404, 405, 410:
		return "hold"
	default:
		if status/100 == 2 {
			return "drop_batch"
		}
		return "retry"
	}
}

func errorMessage(c c) any {
	body, _ := c["body"].(map[string]any)
	switch message := body["message"].(type) {
	case string:
		if message != "" {
			return message
		}
	case []any:
		var lines []string
		for _, line := range message {
			lines = append(lines, line.(string))
		}
		if len(lines) > 0 {
			return strings.Join(lines, "; ")
		}
	}
	if text, ok := body["error"].(string); ok {
		return text
	}
	return fmt.Sprintf("HTTP %d", c.number("status"))
}

func baseURL(c c) any {
	base := strings.TrimRight(strings.TrimSpace(c.text("in")), "/")
	scheme := lower(base)
	return orNull(base, strings.HasPrefix(scheme, "http://") || strings.HasPrefix(scheme, "https://"))
}

func pathSegment(c c) any {
	in := c.text("in")
	return orNull(strings.ReplaceAll(url.QueryEscape(in), "+", "%20"), in != "" && in != "." && in != "..")
}

func retryAfter(c c) any {
	header := strings.TrimSpace(c.text("header"))
	if n, err := strconv.ParseUint(header, 10, 32); err == nil {
		return int(n)
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return nil
	}
	return max(0, int(at.Unix())-c.number("now_unix"))
}

func decision(c c) any {
	in := c["in"].(map[string]any)
	switch {
	case in["required"] == true:
		return "required"
	case in["should_update"] == true && in["milestone"].(map[string]any)["target_is_milestone"] == true:
		return "milestone"
	case in["should_update"] == true:
		return "optional"
	default:
		return "none"
	}
}

// due reports whether a well-formed remembered result has expired.
func due(remembered map[string]any, c c) bool {
	now, interval := float64(c.number("now")), float64(c.number("interval_seconds"))
	checked, next := remembered["checked_at"].(float64), remembered["next_at"].(float64)
	return now >= next || now < checked || now >= checked+interval*1.2
}

func memoryDue(c c) any {
	var memory map[string]any
	if json.Unmarshal([]byte(c.text("memory")), &memory) != nil || memory["key"] != c["key"] {
		return true
	}
	for _, key := range []string{"checked_at", "next_at"} {
		if _, ok := memory[key].(float64); !ok {
			return true
		}
	}
	_, answered := memory["answer"].(map[string]any)
	return !answered || due(memory, c)
}

func updateKey(c c) any {
	return fmt.Sprintf("%s|%s|%t|%s", c.text("current_version"), c.text("current_comparable_version"), c.flag("include_preview"), c.text("locale"))
}

var ownLink = regexp.MustCompile(`^https?://.*/f/[^/?#]+/[0-9a-z]{12}/[^/?#]+([?#].*)?$`)

// These words determine the platform and the architecture of a download.
var (
	platformWords = words("windows: windows win win32 win64; macos: macos mac osx darwin; linux: linux; android: android; ios: ios iphone ipad; web: web wasm")
	endings       = words("windows: exe msi msix; macos: dmg pkg; linux: deb rpm appimage flatpak snap; android: apk aab; ios: ipa")
	archWords     = words("amd64: amd64 x64 win64; arm64: arm64 aarch64; 386: x86 i386 i486 i586 i686 ia32 386; arm: arm armv6 armv6l armv7 armv7l armhf; riscv64: riscv64; ppc64le: ppc64le powerpc64le; s390x: s390x; loong64: loong64 loongarch64; universal: universal universal2 noarch all")
)

// words parses a list such as "meaning: word word; …" and returns a map from words to meanings.
func words(list string) map[string]string {
	meanings := map[string]string{}
	for group := range strings.SplitSeq(list, "; ") {
		meaning, members, _ := strings.Cut(group, ": ")
		for word := range strings.FieldsSeq(members) {
			meanings[word] = meaning
		}
	}
	return meanings
}

func tokens(text string) []string {
	text = strings.NewReplacer("x86_64", "amd64", "x86-64", "amd64").Replace(lower(text))
	return strings.FieldsFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
}

// meanings returns the meanings found in the first source that contains a known word.
func meanings(of map[string]string, sources ...[]string) (found []string) {
	for _, source := range sources {
		for _, token := range source {
			if m := of[token]; m != "" {
				found = append(found, m)
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

func updateLink(c c) any {
	platform, arch := c.text("platform"), c.text("arch")
	best, place := -1, any(nil)
	links, _ := c["links"].([]any)
	for i, link := range links {
		link := link.(map[string]any)
		field, _ := link["platform"].(string)
		name, _ := link["name"].(string)
		address, err := url.Parse(link["url"].(string))
		if err != nil || platform == "" {
			continue
		}
		file := path.Base(address.Path)
		sources := [][]string{tokens(field), tokens(name), tokens(file)}

		platforms, named := meanings(platformWords, sources[1:]...), true
		if strings.TrimSpace(field) != "" {
			platforms = meanings(platformWords, sources[0])
		} else if platforms == nil {
			platforms = meanings(endings, []string{lower(strings.TrimPrefix(path.Ext(file), "."))})
			named = platforms != nil
		}
		if named && !slices.Contains(platforms, platform) {
			continue
		}

		archs := meanings(archWords, sources...)
		for _, source := range sources {
			if archs == nil && slices.Contains(source, "win32") {
				archs = []string{"386"}
			}
		}
		fit := 0
		switch {
		case arch == "":
		case slices.Contains(archs, arch):
			fit = 3
		case slices.Contains(archs, "universal"):
			fit = 2
		case archs == nil:
			fit = 1
		default:
			continue
		}
		if named {
			fit += 4
		}
		if fit > best {
			best, place = fit, i
		}
	}
	return place
}

func TestErrorContent(t *testing.T) {
	t.Parallel()
	for _, c := range Section[[]c](t, "error_content") {
		var first []string
		for _, part := range []string{c.text("type"), c.text("message")} {
			if part != "" {
				first = append(first, part)
			}
		}
		content := strings.Join(first, ": ")
		if stack := strings.Repeat(c.text("stack"), c.number("repeat")); stack != "" {
			content += "\n" + stack
		}
		if runes := []rune(content); len(runes) > 4096 {
			content = string(runes[:4096])
		}
		if out, ok := c["out"]; ok && content != out {
			t.Errorf("%v: the rule has %q", c, content)
		}
		if n, ok := c["characters"]; ok && (float64(utf8.RuneCountInString(content)) != n || !strings.HasSuffix(content, c.text("end"))) {
			t.Errorf("%v: the rule has %d characters", c, utf8.RuneCountInString(content))
		}
	}
}

func TestErrorLimits(t *testing.T) {
	t.Parallel()
	for _, s := range Section[[]scenario](t, "error_limits") {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			now, tokens, dropped := 0.0, 10.0, 0
			sentAt, repeated := map[string]float64{}, map[string]int{}
			reports := []any{}
			for _, raw := range s.Steps {
				var step []any
				if err := json.Unmarshal(raw, &step); err != nil {
					t.Fatal(err)
				}
				switch step[0] {
				case "advance":
					now += step[1].(float64)
					tokens = min(10, tokens+step[1].(float64)/6)
				case "capture":
					message := step[1].(string)
					if at, sent := sentAt[message]; sent && now-at < 60 {
						repeated[message]++
						continue
					}
					if tokens < 1 {
						dropped++
						continue
					}
					tokens--
					report := map[string]any{"message": message}
					if n := repeated[message]; n > 0 {
						report["repeated"] = float64(n)
					}
					if dropped > 0 {
						report["dropped"] = float64(dropped)
					}
					sentAt[message], repeated[message], dropped = now, 0, 0
					reports = append(reports, report)
				case "expect":
					if !reflect.DeepEqual(reports, step[1]) {
						t.Errorf("the rule has %v, the file %v", reports, step[1])
					}
				default:
					t.Fatalf("unknown step %s", raw)
				}
			}
		})
	}
}

// TestArchitectures checks that each of our architecture names maps to itself.
func TestArchitectures(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, c := range Section[[]c](t, "architecture") {
		known[c.text("in")] = true
	}
	for _, c := range Section[[]c](t, "architecture") {
		if out := c.text("out"); out != "" && archWords[out] != out {
			t.Errorf("%v: no link can say %s", c, out)
		}
	}
	for _, name := range []string{"amd64", "arm64", "386", "arm"} {
		if !known[name] && !known[strings.ToUpper(name)] {
			t.Errorf("the section does not have %s", name)
		}
	}
}
