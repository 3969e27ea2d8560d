package resource_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"svc/api/apitest"
	"svc/internal/platform"
	"svc/internal/testutil"
	"svc/store"
)

// sentRecord is the test's own copy of feedback or of a log.
type sentRecord struct {
	id       string
	at       int64
	hidden   bool
	platform string // "" = none
	number   int    // rating (0 = none) or level
	status   string // only for feedback
	texts    map[string]string
}

// has reports whether one of the record's texts contains the given text, which must be in lower
// case.
func (x *sentRecord) has(lower string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(x.texts)), func(text string) bool {
		return strings.Contains(lowered(text), lower)
	})
}

// lowered returns a text in the form in which the server searches it. It is only correct for the
// letters that this test uses.
func lowered(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return unicode.ToLower(r)
	}, text)
}

// shelf holds a server and a plain list of a project's records, oldest first. The test compares the
// server's lists with the plain list.
type shelf struct {
	t      *testing.T
	s      *apitest.Server
	random *rand.Rand
	seed   uint64
	logs   bool
	all    []*sentRecord
}

func (m *shelf) path() string {
	if m.logs {
		return apitest.LogsOf("app")
	}
	return feedbackOf("app")
}

func (m *shelf) chance(percent int) bool { return m.random.IntN(100) < percent }

var vocabulary = []string{"alpha", "Beta", "GAMMA", "ERR_CONN_42", "v1.2.0-beta.1", "100%", "a_b", "連接", "服务器", "Ärger", "жук", "ada@mail.example", "10.0.0.7", "\t", "x", "", "(nil)"}

func (m *shelf) text() string {
	var b strings.Builder
	for range 1 + m.random.IntN(6) {
		b.WriteString(apitest.Pick(m.random, vocabulary...))
		b.WriteString(apitest.Pick(m.random, " ", " ", "-", "", ", "))
	}
	runes := []rune(b.String())
	return string(runes[:min(len(runes), 64)])
}

// fields returns a body with random values and stores the values in x.
func (m *shelf) fields(x *sentRecord, all bool) map[string]any {
	body := map[string]any{}
	set := func(name string) {
		if all || m.chance(30) {
			x.texts[name] = m.text()
			body[name] = x.texts[name]
		}
	}
	set("content")
	if m.logs {
		set("source")
		x.number = m.random.IntN(4)
		body["level"] = x.number
		return body
	}
	set("user_id")
	set("contact")
	if all || m.chance(30) {
		x.number = m.random.IntN(6)
		body["rating"] = any(x.number)
		if x.number == 0 {
			body["rating"] = nil
		}
	}
	return body
}

// adminFields adds fields that only administrators can set.
func (m *shelf) adminFields(x *sentRecord, body map[string]any) {
	if m.chance(50) {
		on := apitest.Pick(m.random, platform.All[:]...)
		x.platform, body["platform"] = string(on), strings.ToUpper(string(on))
		x.texts["platform_version"] = apitest.Pick(m.random, "11", "Ubuntu 24.04", "")
		body["platform_version"] = x.texts["platform_version"]
	}
	if m.chance(30) {
		x.hidden = m.chance(50)
		body["is_hidden"] = x.hidden
	}
	if !m.logs && m.chance(50) {
		x.status = apitest.Pick(m.random, "open", "in_progress", "resolved", "closed")
		body["status"] = x.status
	}
}

func (m *shelf) write(method, path string, status int, headers map[string]string, body map[string]any) string {
	m.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		m.t.Fatal(err)
	}
	got, answer, _ := m.s.Send(m.t, method, "/api/v1"+path, headers, string(raw))
	if got != status {
		m.t.Fatalf("seed %d: %s %s %s: got %d %s, want %d", m.seed, method, path, raw, got, answer, status)
	}
	return answer
}

func (m *shelf) credential() map[string]string {
	return map[string]string{"Authorization": "Bearer " + m.s.Admin}
}

// submit sends a record as a client does. The server must set the sender and ignore the fields that
// only administrators can set.
func (m *shelf) submit() {
	x := &sentRecord{status: "open", texts: map[string]string{}}
	body := m.fields(x, true)
	x.platform = string(apitest.Pick(m.random, platform.All[:6]...))
	x.texts["ip"] = apitest.Pick(m.random, "198.51.100.1", "203.0.113.77", "2001:db8::7f")
	x.texts["platform_version"] = "os 1.2"
	headers := map[string]string{"X-Forwarded-For": x.texts["ip"], "X-Svc-Platform": x.platform, "X-Svc-Platform-Version": "OS 1.2"}
	m.keep(x, m.write("POST", strings.Replace(m.path(), "/admin/projects", "/public", 1), 201, headers, body))
}

func (m *shelf) add() {
	x := &sentRecord{status: "open", texts: map[string]string{}}
	body := m.fields(x, true)
	m.adminFields(x, body)
	m.keep(x, m.write("POST", m.path(), 201, m.credential(), body))
}

func (m *shelf) keep(x *sentRecord, answer string) {
	x.id, x.at = apitest.Field[string](m.t, answer, "id"), apitest.Field[int64](m.t, answer, "created_at")
	m.all = append(m.all, x)
}

// bulk stores n records directly in the database.
func (m *shelf) bulk(n int) {
	var feedback []*store.Feedback
	var logs []*store.Log
	for range n {
		x := &sentRecord{status: "open", texts: map[string]string{"content": m.text(), "city": m.text()}, hidden: m.chance(20), number: m.random.IntN(4)}
		city := x.texts["city"]
		feedback = append(feedback, &store.Feedback{Content: x.texts["content"], Hidden: x.hidden, Sender: store.Sender{City: &city}})
		if x.number > 0 {
			feedback[len(feedback)-1].Rating = &x.number
		}
		logs = append(logs, &store.Log{Content: x.texts["content"], Hidden: x.hidden, Level: x.number, Sender: store.Sender{City: &city}})
		m.all = append(m.all, x)
	}
	added := m.all[len(m.all)-n:]
	if m.logs {
		storeLogs(m.t, m.s, "app", logs...)
	} else {
		storeFeedback(m.t, m.s, "app", feedback...)
	}
	for i, x := range added {
		id := feedback[i].ID
		if m.logs {
			id = logs[i].ID
		}
		x.id, x.at = id.String(), store.CreatedAt(id)
	}
}

func (m *shelf) edit() {
	if len(m.all) == 0 {
		return
	}
	x := apitest.Pick(m.random, m.all...)
	if m.logs {
		x.hidden = m.chance(50)
		m.write("PATCH", m.path()+"/"+x.id, 200, m.credential(), map[string]any{"is_hidden": x.hidden, "content": "ignored", "level": 0})
		return
	}
	body := m.fields(x, false)
	m.adminFields(x, body)
	m.write("PATCH", m.path()+"/"+x.id, 200, m.credential(), body)
}

// mark changes the visibility, and the status of feedback, of several records at once.
func (m *shelf) mark() {
	if len(m.all) == 0 {
		return
	}
	hidden, status := m.chance(50), ""
	body := map[string]any{"hidden": hidden}
	if !m.logs && m.chance(50) {
		status = apitest.Pick(m.random, "open", "in_progress", "resolved", "closed")
		body["status"] = status
	}
	var ids []string
	for _, at := range m.random.Perm(len(m.all))[:1+m.random.IntN(min(len(m.all), 100))] {
		x := m.all[at]
		ids = append(ids, x.id)
		if x.hidden = hidden; status != "" {
			x.status = status
		}
	}
	body["ids"] = ids
	m.write("PATCH", m.path(), 200, m.credential(), body)
}

func (m *shelf) remove() {
	if m.logs || len(m.all) == 0 {
		return
	}
	at := m.random.IntN(len(m.all))
	m.write("DELETE", m.path()+"/"+m.all[at].id, 200, m.credential(), nil)
	m.all = slices.Delete(m.all, at, at+1)
}

// needle returns a search text that often has matches.
func (m *shelf) needle() string {
	if len(m.all) == 0 || m.chance(30) {
		return strings.TrimSpace(m.text())
	}
	texts := slices.Sorted(maps.Values(apitest.Pick(m.random, m.all...).texts))
	runes := []rune(apitest.Pick(m.random, texts...))
	if m.chance(30) { // search for the same words in another order
		words := strings.Fields(string(runes))
		m.random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		return strings.Join(words, " ")
	}
	from := m.random.IntN(len(runes) + 1)
	part := string(runes[from:min(len(runes), from+1+m.random.IntN(12))])
	return apitest.Pick(m.random, part, strings.ToUpper(part), strings.ToLower(part))
}

// ask compares a random page of a list with the plain list.
func (m *shelf) ask() {
	m.t.Helper()
	query := url.Values{}
	keep := func(*sentRecord) bool { return true }
	and := func(name, value string, rule func(*sentRecord) bool) {
		query.Set(name, value)
		before := keep
		keep = func(x *sentRecord) bool { return before(x) && rule(x) }
	}
	if m.chance(50) {
		query.Set("include_hidden", "true")
	} else {
		and("include_hidden", "", func(x *sentRecord) bool { return !x.hidden })
	}
	if m.logs && m.chance(40) && len(m.all) > 0 {
		from, to := apitest.Pick(m.random, m.all...).at, apitest.Pick(m.random, m.all...).at+m.random.Int64N(3)
		if from <= to {
			and("start_time", fmt.Sprint(from), func(x *sentRecord) bool { return x.at >= from })
			and("end_time", fmt.Sprint(to), func(x *sentRecord) bool { return x.at <= to })
		}
	}
	shown := keep // these records determine whether the search finds the phrase or has to look for its words
	if m.chance(30) {
		on := string(apitest.Pick(m.random, platform.All[:]...))
		and("platform", on, func(x *sentRecord) bool { return x.platform == on })
	}
	if name, n := "rating", 1+m.random.IntN(5); m.chance(30) {
		if m.logs {
			name, n = "level", n%4
		}
		and(name, fmt.Sprint(n), func(x *sentRecord) bool { return x.number == n })
	}
	if status := apitest.Pick(m.random, "open", "closed"); !m.logs && m.chance(20) {
		and("status", status, func(x *sentRecord) bool { return x.status == status })
	}
	if m.chance(60) {
		text := m.needle()
		lower := strings.TrimSpace(lowered(strings.TrimSpace(text)))
		words := []string{lower}
		if !slices.ContainsFunc(m.all, func(x *sentRecord) bool { return shown(x) && x.has(lower) }) {
			words = strings.Fields(lower)
		}
		and("search", text, func(x *sentRecord) bool {
			return !slices.ContainsFunc(words, func(word string) bool { return !x.has(word) })
		})
	}
	var want []string
	for _, x := range slices.Backward(m.all) {
		if keep(x) {
			want = append(want, x.id)
		}
	}
	m.sort(query, want)
	limit, offset := 1+m.random.IntN(100), apitest.Pick(m.random, 0, 0, m.random.IntN(len(want)+2), m.random.IntN(len(m.all)+2))
	query.Set("limit", fmt.Sprint(limit))
	query.Set("offset", fmt.Sprint(offset))
	path := m.path() + "?" + query.Encode()
	answer := m.s.Must(m.t, 200, "GET", path, "")
	got, total := listed(m.t, answer, "id"), apitest.Field[int](m.t, answer, "total")
	page := want[min(offset, len(want)):min(offset+limit, len(want))]
	if total != len(want) || !slices.Equal(got, page) {
		m.t.Fatalf("seed %d, %d records: %s\ngot  %d of %d %v\nwant %d of %d %v", m.seed, len(m.all), path, len(got), total, got, len(page), len(want), page)
	}
}

// sort adds a random order to a query, and sorts the ids of the records, which are the newest first.
func (m *shelf) sort(query url.Values, ids []string) {
	field := apitest.Pick(m.random, "", "created_at", "number")
	if field == "" {
		return
	}
	order := apitest.Pick(m.random, "", "asc", "desc")
	query.Set("order", order)
	if field == "created_at" {
		if query.Set("sort", field); order == "asc" {
			slices.Reverse(ids)
		}
		return
	}
	query.Set("sort", "level")
	if !m.logs {
		query.Set("sort", "rating")
	}
	numbers := map[string]int{}
	for _, x := range m.all {
		switch numbers[x.id] = x.number; {
		case !m.logs && x.number == 0: // no rating comes last
			numbers[x.id] = 99
		case order != "asc":
			numbers[x.id] = -x.number
		}
	}
	slices.SortStableFunc(ids, func(a, b string) int { return numbers[a] - numbers[b] })
}

// count compares the statistics with the plain list.
func (m *shelf) count() {
	m.t.Helper()
	numbers := make([]int, 6)
	for _, x := range m.all {
		numbers[x.number]++
	}
	want := fmt.Sprintf(`{"count":%d,"debug_count":%d,"info_count":%d,"warning_count":%d,"error_count":%d}`, len(m.all), numbers[0], numbers[1], numbers[2], numbers[3])
	path := logTotals
	if !m.logs {
		path, want = feedbackTotals, fmt.Sprintf(`{"count":%d,"rate_count":%d}`, len(m.all), len(m.all)-numbers[0])
	}
	if why := apitest.CompareJSON(m.t, m.s.Must(m.t, 200, "GET", path, ""), want); why != "" {
		m.t.Fatalf("seed %d: %s: %s", m.seed, path, why)
	}
}

// TestListsOracle checks that the server's lists agree with a plain list after any sequence of
// submissions, edits, deletions and changes of visibility.
func TestListsOracle(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	for name, logs := range map[string]bool{"feedback": false, "logs": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			m := &shelf{t: t, s: apitest.NewServer(t, apitest.WithIndex(), apitest.WithRateLimit(0)), random: rand.New(rand.NewPCG(seed, 1)), seed: seed, logs: logs}
			m.s.Project(t, "app")
			m.ask()
			for range 250 {
				m.s.Clock.Advance(time.Duration(m.random.IntN(2500)) * time.Millisecond)
				switch n := m.random.IntN(100); {
				case n < 25:
					m.submit()
				case n < 45:
					m.add()
				case n < 65:
					m.edit()
				case n < 70:
					m.mark()
				case n < 85:
					m.remove()
				case n < 95:
					m.bulk(1 + m.random.IntN(90))
				case n < 97:
					reindex(t, m.s)
				default:
					m.count()
				}
				m.ask()
			}
			m.count()
		})
	}
}
